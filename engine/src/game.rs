//! The contract that every game fulfils; `contract/` proves it for each of them.

use alloc::vec::Vec;
use core::fmt::Debug;

use crate::{Canonical, Chance, Outcome, RulesVersion, Seat, SeatCount, SeatSet, Sink, Viewer, Violation};

/// A game's state, and the rules on it.
///
/// A refusal names its rule, and has changed nothing:
///
/// ```
/// use divelog_engine::deep_sea_adventure::{Action, Options, State};
/// use divelog_engine::{Game, SeatCount, SeededChance, Viewer};
///
/// let mut luck = SeededChance::new([1; 32]);
/// let seats = SeatCount::new(2).expect("two seats are not too many");
/// let game = State::setup(State::NEWEST_RULES, &Options, seats, &mut luck)?.next;
/// let asked = game.to_act().iter().next().expect("a new game asks somebody");
/// let refusal = game.apply(asked.next(seats), &Action::Leave, &mut luck).unwrap_err();
/// assert_eq!((refusal.rule, refusal.reason), ("TURN", "NOT_ASKED"));
/// assert!(!game.legal_actions(asked).is_empty());
/// let what_a_spectator_sees = game.view(Viewer::Spectator);
/// # let _ = what_a_spectator_sees;
/// # Ok::<(), divelog_engine::Violation>(())
/// ```
pub trait Game: Clone + Eq + Debug + Canonical + Sized {
    /// What can be chosen when the game is created. The default is the game without any variant.
    type Options: Clone + Eq + Debug + Default;
    /// What a seat can ask for.
    type Action: Clone + Eq + Debug;
    /// One entry of a list of legal actions.
    type Offer: Offer<Action = Self::Action>;
    /// What happened. Events carry everything; [`Game::redact`] takes away what a viewer may not see.
    type Event: Clone + Eq + Debug + Canonical;
    /// The table as one viewer sees it.
    type View: Clone + Eq + Debug;

    /// The versions of its rules. A state holds the one that it is played by.
    type Rules: RulesVersion;

    /// The version that new games get. Older versions keep their behaviour for as long as their logs exist.
    const NEWEST_RULES: Self::Rules = <Self::Rules as RulesVersion>::NEWEST;

    /// Sets a game up by a version of the rules. Refused with the game's rule 0 for a wrong number of seats.
    fn setup(
        rules: Self::Rules,
        options: &Self::Options,
        seats: SeatCount,
        chance: &mut dyn Chance,
    ) -> Result<Step<Self>, Violation>;

    /// The version that this game is played by, which never changes.
    fn rules(&self) -> Self::Rules;

    /// How many seats the table has.
    fn seats(&self) -> SeatCount;

    /// Who is asked to act. Several seats in a simultaneous phase; none exactly when there is an outcome.
    ///
    /// Everybody sees this, so it may depend only on what everybody can see.
    fn to_act(&self) -> SeatSet;

    /// What a seat may do: exactly what [`Game::apply`] accepts, in a bounded list. Empty for a seat that is not asked.
    fn legal_actions(&self, seat: Seat) -> Vec<Self::Offer>;

    /// Does an action on a copy. A refused action has changed nothing, and has drawn no chance.
    fn apply(&self, seat: Seat, action: &Self::Action, chance: &mut dyn Chance) -> Result<Step<Self>, Violation>;

    /// Does an action on the state itself: what [`Game::apply`] gives, without a copy where a game can do that. A refused
    /// action has changed nothing here either.
    fn act(
        &mut self,
        seat: Seat,
        action: &Self::Action,
        chance: &mut dyn Chance,
    ) -> Result<Vec<Self::Event>, Violation> {
        let Step { next, events } = self.apply(seat, action, chance)?;
        *self = next;
        Ok(events)
    }

    /// The result, once the game has ended.
    fn outcome(&self) -> Option<Outcome>;

    /// The table as a viewer may see it.
    fn view(&self, viewer: Viewer) -> Self::View;

    /// The same view of a game that was ended from outside, which the rules know nothing of: nobody is to act in it.
    fn without_to_act(view: Self::View) -> Self::View;

    /// An event of a game by these rules as a viewer may see it; `None` where even its happening is hidden.
    fn redact(rules: Self::Rules, event: &Self::Event, viewer: Viewer) -> Option<Self::Event>;

    /// Writes the canonical bytes of an event of a game by these rules. They are the same in every version unless a game
    /// says otherwise.
    fn encode_event<S: Sink>(_rules: Self::Rules, event: &Self::Event, sink: &mut S) {
        event.encode(sink);
    }

    /// The refusals that come before any look at the action: `OVER`, then `TURN`.
    fn admit(&self, seat: Seat) -> Result<(), Violation> {
        let asked = self.to_act();
        if asked.is_empty() {
            return Err(Violation::over());
        }
        if !asked.contains(seat) {
            return Err(Violation::turn(seat));
        }
        Ok(())
    }
}

/// What an accepted action leads to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Step<G: Game> {
    /// The state after it.
    pub next: G,
    /// What happened, in order.
    pub events: Vec<G::Event>,
}

/// One entry of a list of legal actions: a single action, or a family of them in a bounded form (any subset of these
/// cards, say), so that a list stays short where the actions are many.
pub trait Offer: Clone + Eq + Debug {
    /// The actions it stands for.
    type Action;

    /// How many actions it stands for, at least 1; saturating.
    fn count(&self) -> u64;

    /// The action with this number, below [`Offer::count`]. Different numbers give different actions.
    fn nth(&self, number: u64) -> Self::Action;

    /// Whether an action is one of them.
    fn admits(&self, action: &Self::Action) -> bool;
}
