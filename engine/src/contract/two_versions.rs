//! A game of two rules versions that differ in a rule, in what is hidden and in bytes: what a second version needs exists.

use alloc::{vec, vec::Vec};

use crate::{
    Canonical, Chance, Game, Offer, Outcome, RulesVersion, Seat, SeatCount, SeatSet, Sink, Step, Viewer, Violation,
};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Rules {
    V1,
    V2,
}

impl RulesVersion for Rules {
    const ALL: &'static [Rules] = &[Rules::V1, Rules::V2];

    fn number(self) -> u16 {
        match self {
            Rules::V1 => 1,
            Rules::V2 => 2,
        }
    }
}

impl Rules {
    fn a_six_scores_double(self) -> bool {
        self == Rules::V2
    }

    fn a_roll_is_secret(self) -> bool {
        self == Rules::V2
    }

    fn rolls_are_counted(self) -> bool {
        self == Rules::V2
    }
}

/// One seat rolls a die once.
#[derive(Clone, PartialEq, Eq, Debug)]
struct State {
    rules: Rules,
    points: Option<u8>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
struct Roll;

impl Offer for Roll {
    type Action = Roll;

    fn count(&self) -> u64 {
        1
    }

    fn nth(&self, _number: u64) -> Roll {
        Roll
    }

    fn admits(&self, _action: &Roll) -> bool {
        true
    }
}

#[derive(Clone, PartialEq, Eq, Debug)]
struct Rolled {
    points: Option<u8>,
}

impl Canonical for Rolled {
    fn encode<S: Sink>(&self, sink: &mut S) {
        sink.u8(self.points.unwrap_or(0));
    }
}

impl Canonical for State {
    fn encode<S: Sink>(&self, sink: &mut S) {
        sink.u8(self.points.unwrap_or(0));
        if self.rules.rolls_are_counted() {
            sink.bool(self.points.is_some());
        }
    }
}

impl Game for State {
    type Options = ();
    type Action = Roll;
    type Offer = Roll;
    type Event = Rolled;
    type View = Option<u8>;
    type Rules = Rules;

    fn setup(
        rules: Rules,
        _options: &(),
        _seats: SeatCount,
        _chance: &mut dyn Chance,
    ) -> Result<Step<State>, Violation> {
        Ok(Step { next: State { rules, points: None }, events: Vec::new() })
    }

    fn rules(&self) -> Rules {
        self.rules
    }

    fn seats(&self) -> SeatCount {
        SeatCount::new(1).unwrap()
    }

    fn to_act(&self) -> SeatSet {
        if self.points.is_none() { SeatSet::only(Seat(0)) } else { SeatSet::EMPTY }
    }

    fn legal_actions(&self, seat: Seat) -> Vec<Roll> {
        if self.admit(seat).is_ok() { vec![Roll] } else { Vec::new() }
    }

    fn apply(&self, seat: Seat, _action: &Roll, chance: &mut dyn Chance) -> Result<Step<State>, Violation> {
        self.admit(seat)?;
        let die = chance.below(6) as u8 + 1;
        let points = Some(if die == 6 && self.rules.a_six_scores_double() { 12 } else { die });
        Ok(Step { next: State { points, ..*self }, events: vec![Rolled { points }] })
    }

    fn outcome(&self) -> Option<Outcome> {
        self.points.map(|_| Outcome { standings: Vec::new(), winners: SeatSet::only(Seat(0)) })
    }

    fn view(&self, _viewer: Viewer) -> Option<u8> {
        self.points.filter(|_| !self.rules.a_roll_is_secret())
    }

    fn without_to_act(view: Option<u8>) -> Option<u8> {
        view
    }

    fn redact(rules: Rules, event: &Rolled, viewer: Viewer) -> Option<Rolled> {
        let hidden = rules.a_roll_is_secret() && viewer != Viewer::Auditor;
        Some(Rolled { points: event.points.filter(|_| !hidden) })
    }

    fn encode_event<S: Sink>(rules: Rules, event: &Rolled, sink: &mut S) {
        event.encode(sink);
        if rules.rolls_are_counted() {
            sink.u8(1);
        }
    }
}

/// What a six comes to: points, what a spectator learns and sees, the bytes of the event and of the state.
fn six(rules: Rules) -> (Option<u8>, [Option<u8>; 2], [Vec<u8>; 2]) {
    let mut chance = super::Scripted::new([(6, 5)]);
    let game = State::setup(rules, &(), SeatCount::new(1).unwrap(), &mut chance).unwrap().next;
    let step = game.apply(Seat(0), &Roll, &mut chance).unwrap();
    assert_eq!(step.next.rules(), rules, "a game keeps its version");
    let mut event = Vec::new();
    State::encode_event(step.next.rules(), &step.events[0], &mut event);
    let learned = State::redact(step.next.rules(), &step.events[0], Viewer::Spectator);
    let learned = learned.and_then(|event| event.points);
    (step.next.points, [learned, step.next.view(Viewer::Spectator)], [event, step.next.canonical_bytes()])
}

#[test]
fn each_version_keeps_its_rule_its_redaction_and_its_bytes() {
    let all = Some(6);
    assert_eq!(six(Rules::V1), (all, [all, all], [vec![6], vec![6]]));
    assert_eq!(six(Rules::V2), (Some(12), [None, None], [vec![12, 1], vec![12, 1]]));
}

#[test]
fn versions_are_found_by_number_and_the_last_is_the_newest() {
    assert_eq!(State::NEWEST_RULES, Rules::V2);
    assert_eq!([0, 1, 2, 3].map(Rules::of), [None, Some(Rules::V1), Some(Rules::V2), None]);
}

#[test]
fn the_versions_of_every_game_are_numbered_from_1() {
    for kind in crate::Kind::ALL {
        let numbers: Vec<u16> = crate::match_game!(*kind, crate::Kind, G => {
            <G as Game>::Rules::ALL.iter().map(|rules| rules.number()).collect()
        });
        assert_eq!(numbers, (1..=kind.rules_version()).collect::<Vec<u16>>(), "{}", kind.title());
    }
}

#[test]
fn a_version_that_this_build_does_not_have_is_refused_before_anything_is_drawn() {
    for kind in crate::Kind::ALL {
        let seats = SeatCount::new(3).unwrap();
        for version in [0, kind.rules_version() + 1, u16::MAX] {
            let mut chance = super::Scripted::new([]);
            let refused = crate::AnyGame::setup(version, &kind.default_options(), seats, &mut chance).unwrap_err();
            assert_eq!(refused, kind.refuse_rules_version(version.into()));
            assert!(!kind.has_rules_version(version.into()));
        }
    }
}
