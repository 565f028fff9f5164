//! The contract suite: what every game promises, checked on whole games with many seeds.
//!
//! Every game on the list of games is tested: it implements [`UnderTest`] beside its rule tests. The suite plays games in
//! several styles and holds the promises of [`Check`] in every state on the way. [`flawed`] breaks each promise on purpose,
//! because a check that cannot fail proves nothing.
//!
//! - `DIVELOG_CONTRACT_SEEDS=10` plays ten times as many seeds.
//! - `DIVELOG_CONTRACT_SEED=1234` plays only this one, at every number of seats: a failure names it.

mod chance;
mod checks;
mod flawed;
mod reasons;
mod redeal;
mod rule_ids;
mod run;
mod two_versions;

use alloc::{string::String, vec::Vec};
use core::{fmt, ops::RangeInclusive};

pub(crate) use chance::Scripted;

use crate::{Chance, Game, Seat, SeatCount, Step, Viewer};

/// What a game tells the suite about itself.
pub(crate) trait UnderTest: Game {
    /// The numbers of seats that rule 0 allows.
    const SEATS: RangeInclusive<u8>;
    /// No game has more accepted actions.
    const MAX_ACTIONS: usize;
    /// Whether players choose anything in secret: then a run must have compared such choices.
    const SECRET_CHOICES: bool;
    /// No list of legal actions has more entries.
    const MAX_OFFERS: usize;
    /// How many seeds are played for each number of seats.
    const SEEDS: u64;
    /// The ways to play, named; the suite adds none. One of them should be uniformly random.
    const STYLES: &'static [&'static str];
    /// What must have happened at least once in a whole run, so that rare rules are known to be reached.
    const LANDMARKS: &'static [&'static str];

    /// Options to play with by a version of the rules.
    fn random_options(rules: Self::Rules, seats: SeatCount, chance: &mut dyn Chance) -> Self::Options;

    /// How much a player of this style likes a legal action. Where all weights are 0 the choice is uniform.
    fn weight(&self, style: &str, seat: Seat, action: &Self::Action) -> u32;

    /// Actions that are legal or nearly so: all kinds of action, indices just inside and just outside, other cards.
    fn near_misses(&self, seat: Seat, chance: &mut dyn Chance) -> Vec<Self::Action>;

    /// Every card and chip there is, wherever it lies, sorted. No action may change it.
    fn census(&self) -> Vec<u32>;

    /// A state in which everything that is hidden from the viewer here is dealt again. Where `after` is given, what an
    /// action leads to, the cards that it shows to the viewer, in the next state or in events, stay where they lie.
    /// The same action with the same chance then shows the same: a shuffle moves places, whatever lies in them.
    fn redeal(&self, after: Option<&Step<Self>>, viewer: Viewer, chance: &mut dyn Chance) -> Self;

    /// States that differ from this one in a single thing, for everything that a state holds and that can differ now. No
    /// game need come to them.
    fn altered(&self) -> Vec<Self>;

    /// Whether a viewer must not be able to tell one legal action of a seat from another: a choice made in secret.
    fn looks_the_same(&self, seat: Seat, one: &Self::Action, other: &Self::Action, viewer: Viewer) -> bool;

    /// What must have happened beside [`UnderTest::LANDMARKS`] in a run by this version, and cannot happen in every version.
    fn landmarks_of(_rules: Self::Rules) -> &'static [&'static str] {
        &[]
    }

    /// Which landmark an event is.
    fn landmark(event: &Self::Event) -> Option<&'static str>;
}

/// The promises, each under the name that its failures carry.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Check {
    /// A wrong number of seats is refused with the game's rule 0, and without a draw.
    SeatCount,
    /// What a list of legal actions offers is accepted.
    ListedIsAccepted,
    /// What no offer admits is refused.
    UnlistedIsRefused,
    /// A seat that is not asked is offered nothing, a seat that is asked something.
    OnlyAskedSeatsAreOffered,
    /// Lists have a named maximum.
    ListIsBounded,
    /// An offer's actions are its own, and different from each other.
    OffersCountTheirActions,
    /// A refused action changes nothing.
    RefusalChangesNothing,
    /// A refused action draws no chance.
    RefusalDrawsNothing,
    /// `OVER` comes before `TURN`, and both before anything else.
    CommonRefusals,
    /// A game ends within the named maximum of actions.
    GameEnds,
    /// The same actions with the same chance give the same bytes, done on copies or on the state itself.
    ReplayIsExact,
    /// No card or chip is made or lost.
    CensusIsKept,
    /// There is an outcome exactly when nobody is asked.
    OutcomeWhenNobodyIsAsked,
    /// Standings, ranks and winners fit together.
    RanksFitTogether,
    /// What a viewer may not see does not show in the view.
    ViewKeepsSecrets,
    /// … nor from who is asked.
    AskedKeepsSecrets,
    /// … nor from the viewer's own legal actions.
    OffersKeepSecrets,
    /// … nor from the texts of refusals.
    RefusalsKeepSecrets,
    /// … nor from redacted events.
    EventsKeepSecrets,
    /// What happens does not show which choice was made in secret.
    ChoicesKeepSecrets,
    /// States that differ look different to an auditor.
    AuditorSeesAll,
    /// An auditor's redaction is the event itself.
    AuditorSeesEvents,
    /// Re-dealing changes what an auditor sees; if it never did, the checks on secrets would prove nothing.
    RedealChangesSomething,
    /// The rare events were reached.
    LandmarksAreReached,
}

/// A broken promise.
#[derive(Debug)]
pub(crate) struct Failure {
    check: Check,
    story: String,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}: {}", self.check, self.story)
    }
}

/// Fails a check with a formatted story unless the condition holds.
macro_rules! hold {
    ($check:ident, $condition:expr, $($story:tt)+) => {
        if !$condition {
            return Err($crate::contract::Failure {
                check: $crate::contract::Check::$check,
                story: alloc::format!($($story)+),
            });
        }
    };
}
pub(crate) use hold;

/// Copies of a state, each changed in one way.
macro_rules! altered {
    ($state:expr, $( |$copy:ident| $change:expr ),+ $(,)?) => {
        alloc::vec![ $({
            let mut $copy = $state.clone();
            $change;
            $copy
        }),+ ]
    };
}
pub(crate) use altered;

/// One test for each game on the list: the whole suite.
macro_rules! tests {
    (() $( $name:ident = $number:literal, $module:ident; )*) => {
        $(
            #[test]
            fn $module() {
                run::whole_suite::<crate::$module::State>();
            }
        )*
    };
}

crate::with_games!([tests], ());
