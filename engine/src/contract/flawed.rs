//! Games broken on purpose: each flaw must be found, and by the check that is meant for it.

use alloc::{format, vec::Vec};
use core::cell::Cell;
use core::ops::RangeInclusive;
use core::sync::atomic::{AtomicU8, Ordering};

use super::run::{Tally, game, whole_run};
use super::{Check, Failure, UnderTest};
use crate::deep_sea_adventure::{Action, Event, Options, Rules, State, View};
use crate::{Canonical, Chance, Game, Outcome, Seat, SeatCount, SeatSet, Sink, Standing, Step, Viewer, Violation};

const NONE: u8 = 0;
const TAKES_ANY_SEAT_COUNT: u8 = 1;
const OFFERS_TOO_MUCH: u8 = 2;
const OFFERS_TOO_LITTLE: u8 = 3;
const OFFERS_TO_ALL: u8 = 4;
const OFFERS_WITHOUT_BOUND: u8 = 5;
const REFUSAL_CHANGES: u8 = 6;
const REFUSAL_DRAWS: u8 = 7;
const TURN_BEFORE_OVER: u8 = 8;
const PHASE_BEFORE_TURN: u8 = 9;
const NEVER_ENDS: u8 = 10;
const REPLAYS_OTHERWISE: u8 = 11;
const LOSES_A_CHIP: u8 = 12;
const OUTCOME_TOO_EARLY: u8 = 13;
const NO_OUTCOME: u8 = 14;
const LAST_RANK_WINS: u8 = 15;
const RANKS_WITH_GAPS: u8 = 16;
const VIEW_LEAKS: u8 = 17;
const ASKING_LEAKS: u8 = 18;
const OFFERS_LEAK: u8 = 19;
const REFUSALS_LEAK: u8 = 20;
const EVENTS_LEAK: u8 = 21;
const AUDITOR_GETS_BACKS: u8 = 22;
const REDEAL_IS_THE_SAME: u8 = 23;
const LACKS_A_LANDMARK: u8 = 24;
const EVENT_KEPT_FROM_AUDITOR: u8 = 25;
const CHOICE_SHOWS: u8 = 26;
const NO_CHOICE_COMPARED: u8 = 27;
const ACTS_OTHERWISE: u8 = 28;
const REFUSED_ACT_CHANGES: u8 = 29;
const KEPT_FROM_AUDITOR: u8 = 30;

/// Deep Sea Adventure with one flaw.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Flawed<const FLAW: u8> {
    inner: State,
    /// Lets `apply` change the state behind its shared reference.
    touched: Cell<u8>,
}

/// A number that is another one each time.
static ANOTHER: AtomicU8 = AtomicU8::new(0);

impl<const FLAW: u8> Flawed<FLAW> {
    fn wrap(step: Step<State>) -> Step<Self> {
        let touched = if FLAW == REPLAYS_OTHERWISE { ANOTHER.fetch_add(1, Ordering::Relaxed) } else { 0 };
        Step { next: Flawed { inner: step.next, touched: Cell::new(touched) }, events: step.events }
    }

    /// Something that no seat may know.
    fn secret(&self) -> u8 {
        let faces = self.inner.view(Viewer::Auditor).path;
        faces.iter().flatten().next().and_then(|face| face.value).unwrap_or(0)
    }
}

impl<const FLAW: u8> Canonical for Flawed<FLAW> {
    fn encode<S: Sink>(&self, sink: &mut S) {
        self.inner.encode(sink);
        sink.u8(self.touched.get());
    }
}

impl<const FLAW: u8> Game for Flawed<FLAW> {
    type Options = Options;
    type Action = Action;
    type Offer = Action;
    type Event = Event;
    type View = View;

    type Rules = Rules;

    fn setup(
        rules: Rules,
        options: &Options,
        seats: SeatCount,
        chance: &mut dyn Chance,
    ) -> Result<Step<Self>, Violation> {
        let fitting = SeatCount::new(2).filter(|_| FLAW == TAKES_ANY_SEAT_COUNT).unwrap_or(seats);
        State::setup(rules, options, fitting, chance).map(Self::wrap)
    }

    fn rules(&self) -> Rules {
        self.inner.rules()
    }

    fn seats(&self) -> SeatCount {
        self.inner.seats()
    }

    fn to_act(&self) -> SeatSet {
        let asked = self.inner.to_act();
        match asked.iter().next() {
            // Stays within what the other checks accept: exactly one seat, only the wrong one.
            Some(seat) if FLAW == ASKING_LEAKS && self.secret() % 2 == 1 => SeatSet::only(seat.next(self.seats())),
            _ => asked,
        }
    }

    fn legal_actions(&self, seat: Seat) -> Vec<Action> {
        let mut offers = self.inner.legal_actions(if FLAW == ASKING_LEAKS { self.mapped(seat) } else { seat });
        match FLAW {
            OFFERS_TOO_MUCH if !offers.is_empty() => offers.push(Action::PutDown { load_index: 99 }),
            OFFERS_TOO_LITTLE if offers.len() > 1 => drop(offers.pop()),
            OFFERS_LEAK if offers.len() > 1 && self.secret() % 2 == 1 => drop(offers.pop()),
            OFFERS_TO_ALL if offers.is_empty() => offers.push(Action::Leave),
            OFFERS_WITHOUT_BOUND => offers = offers.repeat(40),
            _ => {}
        }
        offers
    }

    fn apply(&self, seat: Seat, action: &Action, chance: &mut dyn Chance) -> Result<Step<Self>, Violation> {
        // The chip that the other legal list hides cannot be taken either: it depends on the secret alone.
        if FLAW == OFFERS_LEAK && self.inner.legal_actions(seat).contains(action) {
            let offered = self.legal_actions(seat).contains(action);
            if !offered {
                return Err(Violation::new("DSA-11", "NOTHING_HERE", "not now"));
            }
        }
        if FLAW == PHASE_BEFORE_TURN && matches!(action, Action::PutDown { load_index: 256.. }) {
            return Err(Violation::phase("no load is that large"));
        }
        let seat = if FLAW == ASKING_LEAKS { self.mapped(seat) } else { seat };
        let answer = self.inner.apply(seat, action, chance).map(Self::wrap);
        match (FLAW, answer) {
            (REFUSAL_CHANGES, Err(violation)) => {
                self.touched.set(self.touched.get().wrapping_add(1));
                Err(violation)
            }
            (REFUSAL_DRAWS, Err(violation)) => {
                chance.below(6);
                Err(violation)
            }
            (TURN_BEFORE_OVER, Err(_)) if self.inner.outcome().is_some() => Err(Violation::turn(seat)),
            (REFUSALS_LEAK, Err(violation)) => {
                Err(Violation { sentence: format!("{}: {}", violation.sentence, self.secret()), ..violation })
            }
            (_, answer) => answer,
        }
    }

    fn act(&mut self, seat: Seat, action: &Action, chance: &mut dyn Chance) -> Result<Vec<Event>, Violation> {
        let answer = self.apply(seat, action, chance);
        let changes = if answer.is_ok() { FLAW == ACTS_OTHERWISE } else { FLAW == REFUSED_ACT_CHANGES };
        let events = answer.map(|Step { next, events }| {
            *self = next;
            events
        });
        self.touched.set(self.touched.get().wrapping_add(u8::from(changes)));
        events
    }

    fn outcome(&self) -> Option<Outcome> {
        let outcome = self.inner.outcome();
        match FLAW {
            OUTCOME_TOO_EARLY => Some(Outcome { standings: Vec::new(), winners: SeatSet::EMPTY }),
            NO_OUTCOME => None,
            LAST_RANK_WINS => outcome.map(|outcome| {
                let last = outcome.standings.iter().max_by_key(|standing| standing.rank).map(|standing| standing.seat);
                Outcome { winners: last.into_iter().collect(), ..outcome }
            }),
            RANKS_WITH_GAPS => outcome.map(|outcome| {
                let worse = |standing: Standing| Standing { rank: standing.rank * 2 - 1, ..standing };
                Outcome { standings: outcome.standings.into_iter().map(worse).collect(), ..outcome }
            }),
            _ => outcome,
        }
    }

    fn view(&self, viewer: Viewer) -> View {
        let mut view = self.inner.view(if FLAW == VIEW_LEAKS { Viewer::Auditor } else { viewer });
        if FLAW == KEPT_FROM_AUDITOR {
            view.turn_is_idle = false;
        }
        view
    }

    fn without_to_act(view: View) -> View {
        State::without_to_act(view)
    }

    fn redact(rules: Rules, event: &Event, viewer: Viewer) -> Option<Event> {
        match (FLAW, viewer) {
            (EVENTS_LEAK, _) => Some(event.clone()),
            (AUDITOR_GETS_BACKS, Viewer::Auditor) => State::redact(rules, event, Viewer::Spectator),
            (EVENT_KEPT_FROM_AUDITOR, Viewer::Auditor) if matches!(event, Event::PathLaid { .. }) => None,
            _ => State::redact(rules, event, viewer),
        }
    }
}

impl<const FLAW: u8> Flawed<FLAW> {
    /// Under [`ASKING_LEAKS`]: the seat for whom the wrongly asked one acts.
    fn mapped(&self, seat: Seat) -> Seat {
        let asked = self.to_act();
        let meant = self.inner.to_act().iter().next();
        if asked.contains(seat) { meant.unwrap_or(seat) } else { Seat(self.seats().get()) }
    }
}

impl<const FLAW: u8> UnderTest for Flawed<FLAW> {
    const SEATS: RangeInclusive<u8> = State::SEATS;
    const MAX_ACTIONS: usize = if FLAW == NEVER_ENDS { 20 } else { State::MAX_ACTIONS };
    const MAX_OFFERS: usize = State::MAX_OFFERS;
    const SECRET_CHOICES: bool = FLAW == NO_CHOICE_COMPARED;
    const SEEDS: u64 = 7;
    const STYLES: &'static [&'static str] = State::STYLES;
    const LANDMARKS: &'static [&'static str] =
        if FLAW == LACKS_A_LANDMARK { &["a whale"] } else { &["no air", "standstill"] };

    fn random_options(rules: Rules, seats: SeatCount, chance: &mut dyn Chance) -> Options {
        State::random_options(rules, seats, chance)
    }

    fn weight(&self, style: &str, seat: Seat, action: &Action) -> u32 {
        self.inner.weight(style, if FLAW == ASKING_LEAKS { self.mapped(seat) } else { seat }, action)
    }

    fn near_misses(&self, seat: Seat, chance: &mut dyn Chance) -> Vec<Action> {
        self.inner.near_misses(seat, chance)
    }

    fn census(&self) -> Vec<u32> {
        let mut census = self.inner.census();
        if FLAW == LOSES_A_CHIP && self.inner.view(Viewer::Auditor).round > 1 {
            census.pop();
        }
        census
    }

    fn redeal(&self, after: Option<&Step<Self>>, viewer: Viewer, chance: &mut dyn Chance) -> Self {
        let viewer = if FLAW == REDEAL_IS_THE_SAME { Viewer::Auditor } else { viewer };
        let after = after.map(|step| Step { next: step.next.inner, events: step.events.clone() });
        let inner = self.inner.redeal(after.as_ref(), viewer, chance);
        Flawed { inner, touched: self.touched.clone() }
    }

    fn altered(&self) -> Vec<Self> {
        let altered = self.inner.altered().into_iter();
        altered.map(|inner| Flawed { inner, touched: self.touched.clone() }).collect()
    }

    fn looks_the_same(&self, _seat: Seat, one: &Action, other: &Action, _viewer: Viewer) -> bool {
        // Everybody sees whether an explorer turns back.
        FLAW == CHOICE_SHOWS && matches!((one, other), (Action::Dive { .. }, Action::Dive { .. }))
    }

    fn landmark(event: &Event) -> Option<&'static str> {
        State::landmark(event)
    }
}

/// A few games at the smallest and the largest table.
fn suite<const FLAW: u8>() -> Result<(), Failure> {
    let mut tally = Tally::default();
    for count in [2, 6] {
        for seed in 0..Flawed::<FLAW>::SEEDS {
            game::<Flawed<FLAW>>(State::NEWEST_RULES, seed, count, &mut tally)?;
        }
    }
    whole_run::<Flawed<FLAW>>(State::NEWEST_RULES, &tally)
}

#[test]
fn without_a_flaw_the_suite_holds() {
    suite::<NONE>().unwrap_or_else(|failure| panic!("{failure}"));
}

#[test]
#[should_panic(expected = "2 seats; run again with DIVELOG_CONTRACT_SEED=")]
fn a_failure_names_its_seed() {
    super::run::whole_suite::<Flawed<VIEW_LEAKS>>();
}

/// One line a flaw: its name, and the check that must find it first.
macro_rules! flaws_are_found {
    ($( $test:ident: $flaw:ident => $check:ident; )*) => { $(
        #[test]
        fn $test() {
            let failure = suite::<$flaw>().expect_err("the suite must find the flaw");
            assert_eq!(failure.check, Check::$check, "{failure}");
        }
    )* };
}

flaws_are_found! {
    any_seat_count_is_found: TAKES_ANY_SEAT_COUNT => SeatCount;
    an_offer_that_is_refused_is_found: OFFERS_TOO_MUCH => ListedIsAccepted;
    a_legal_action_not_offered_is_found: OFFERS_TOO_LITTLE => UnlistedIsRefused;
    offers_to_seats_not_asked_are_found: OFFERS_TO_ALL => OnlyAskedSeatsAreOffered;
    an_unbounded_list_is_found: OFFERS_WITHOUT_BOUND => ListIsBounded;
    a_refusal_that_changes_something_is_found: REFUSAL_CHANGES => RefusalChangesNothing;
    a_refusal_that_draws_is_found: REFUSAL_DRAWS => RefusalDrawsNothing;
    turn_judged_before_over_is_found: TURN_BEFORE_OVER => CommonRefusals;
    phase_judged_before_turn_is_found: PHASE_BEFORE_TURN => CommonRefusals;
    a_game_that_goes_on_is_found: NEVER_ENDS => GameEnds;
    a_replay_with_other_bytes_is_found: REPLAYS_OTHERWISE => ReplayIsExact;
    an_action_in_place_with_other_bytes_is_found: ACTS_OTHERWISE => ReplayIsExact;
    a_refusal_in_place_that_changes_something_is_found: REFUSED_ACT_CHANGES => ReplayIsExact;
    a_lost_chip_is_found: LOSES_A_CHIP => CensusIsKept;
    an_early_outcome_is_found: OUTCOME_TOO_EARLY => OutcomeWhenNobodyIsAsked;
    a_missing_outcome_is_found: NO_OUTCOME => OutcomeWhenNobodyIsAsked;
    a_winner_of_the_last_rank_is_found: LAST_RANK_WINS => RanksFitTogether;
    ranks_with_gaps_are_found: RANKS_WITH_GAPS => RanksFitTogether;
    a_view_that_leaks_is_found: VIEW_LEAKS => ViewKeepsSecrets;
    asking_that_leaks_is_found: ASKING_LEAKS => AskedKeepsSecrets;
    offers_that_leak_are_found: OFFERS_LEAK => OffersKeepSecrets;
    refusals_that_leak_are_found: REFUSALS_LEAK => RefusalsKeepSecrets;
    events_that_leak_are_found: EVENTS_LEAK => EventsKeepSecrets;
    a_thing_kept_from_an_auditor_is_found: KEPT_FROM_AUDITOR => AuditorSeesAll;
    an_auditor_who_gets_backs_is_found: AUDITOR_GETS_BACKS => AuditorSeesEvents;
    an_event_kept_from_an_auditor_is_found: EVENT_KEPT_FROM_AUDITOR => AuditorSeesEvents;
    a_redeal_of_nothing_is_found: REDEAL_IS_THE_SAME => RedealChangesSomething;
    a_choice_that_shows_is_found: CHOICE_SHOWS => ChoicesKeepSecrets;
    secret_choices_without_a_comparison_are_found: NO_CHOICE_COMPARED => ChoicesKeepSecrets;
    a_landmark_never_reached_is_found: LACKS_A_LANDMARK => LandmarksAreReached;
}

/// Deep Sea Adventure lists every action by itself, so families of actions get a small offer of their own.
mod offers {
    use super::super::chance::{Counted, Purpose};
    use super::super::checks::check_offer;
    use super::Check;
    use crate::Offer;

    /// The numbers below a count, or what a flaw makes of them.
    #[derive(Clone, PartialEq, Eq, Debug)]
    struct Numbers {
        count: u64,
        repeats: bool,
        strange: bool,
    }

    impl Offer for Numbers {
        type Action = u64;

        fn count(&self) -> u64 {
            self.count
        }

        fn nth(&self, number: u64) -> u64 {
            if self.repeats { number / 2 } else { number }
        }

        fn admits(&self, action: &u64) -> bool {
            *action < self.count && !self.strange
        }
    }

    #[test]
    fn families_of_actions_are_counted() {
        let sound = Numbers { count: 1 << 40, repeats: false, strange: false };
        let cases = [
            (sound.clone(), true),
            (Numbers { count: 5, ..sound.clone() }, true),
            (Numbers { count: 0, ..sound.clone() }, false),
            (Numbers { count: 5, repeats: true, ..sound.clone() }, false),
            (Numbers { strange: true, ..sound }, false),
        ];
        for (offer, holds) in cases {
            let answer = check_offer(&offer, &mut Counted::new(1, Purpose::Checks, 0));
            match answer {
                Ok(actions) => assert!(holds && actions.len() > 1, "{offer:?}"),
                Err(failure) => assert!(!holds && failure.check == Check::OffersCountTheirActions, "{failure}"),
            }
        }
    }
}
