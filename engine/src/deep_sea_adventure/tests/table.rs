//! Tables for tests: a state said in a few words, and actions on it with scripted dice.

use alloc::vec::Vec;

use super::super::pieces::Stack;
use super::super::{Action, Chip, Event, Explorer, Phase, Rules, State};
use crate::contract::Scripted;
use crate::{Chance, Game, Seat, Step};

pub(super) const DOWN: Action = Action::Dive { turn_back: false };
pub(super) const TURN_BACK: Action = Action::Dive { turn_back: true };

/// A stack of chips of these values.
pub(super) fn stack(values: &[u8]) -> Stack {
    Stack::of(&chips(values))
}

pub(super) fn chips(values: &[u8]) -> Vec<Chip> {
    values.iter().map(|value| Chip::of_value(*value).unwrap()).collect()
}

/// The values of stacks, one list each; a blank is an empty list.
pub(super) fn values<'a>(stacks: impl IntoIterator<Item = &'a Stack>) -> Vec<Vec<u8>> {
    stacks.into_iter().map(|stack| stack.chips().iter().map(|chip| chip.value()).collect()).collect()
}

/// Builds a state. Without more words: round 1, seat 0 to dive on its second turn, all in the submarine with empty
/// hands, air 25, the 32 chips in the order of their values.
pub(super) struct Table(State);

impl Table {
    pub(super) fn of(seats: u8) -> Table {
        Table(State {
            rules: State::NEWEST_RULES,
            round: 1,
            phase: Phase::Dive,
            turn: Seat(0),
            first_seat: Seat(0),
            air: 25,
            path: (0..32).map(|i| stack(&[i / 2])).collect(),
            explorers: (0..seats).map(|_| Explorer { turns_taken: 2, ..Explorer::default() }).collect(),
            loads: Default::default(),
            scored: Default::default(),
            last_dice: None,
            back_order: Default::default(),
            idle_turns: 0,
            turn_is_idle: false,
        })
    }

    fn with(mut self, change: impl FnOnce(&mut State)) -> Table {
        change(&mut self.0);
        self
    }

    fn with_explorer(self, seat: u8, change: impl FnOnce(&mut Explorer)) -> Table {
        self.with(|state| change(&mut state.explorers[usize::from(seat)]))
    }

    /// A game of another rules version than the newest.
    pub(super) fn rules(self, rules: Rules) -> Table {
        self.with(|state| state.rules = rules)
    }

    pub(super) fn round(self, round: u8) -> Table {
        self.with(|state| state.round = round)
    }

    pub(super) fn air(self, air: i32) -> Table {
        self.with(|state| state.air = air)
    }

    /// Whose turn it is.
    pub(super) fn turn(self, seat: u8) -> Table {
        self.with(|state| state.turn = Seat(seat))
    }

    /// Who began the round.
    pub(super) fn first(self, seat: u8) -> Table {
        self.with(|state| state.first_seat = Seat(seat))
    }

    /// The move is made; the search is asked.
    pub(super) fn search(self) -> Table {
        self.with(|state| state.phase = Phase::Search)
    }

    pub(super) fn over(self) -> Table {
        self.with(|state| state.phase = Phase::Over)
    }

    /// Each space's chips by value, nearest first.
    pub(super) fn path(self, spaces: &[&[u8]]) -> Table {
        self.with(|state| state.path = spaces.iter().map(|values| stack(values)).collect())
    }

    /// Makes a space a blank.
    pub(super) fn blank(self, space: u8) -> Table {
        self.with(|state| *state.space_mut(space) = Stack::BLANK)
    }

    pub(super) fn at(self, seat: u8, position: u8) -> Table {
        self.with_explorer(seat, |explorer| explorer.position = position)
    }

    /// What an explorer carries, each stack by its values.
    pub(super) fn load(self, seat: u8, load: &[&[u8]]) -> Table {
        self.with(|state| {
            state.loads.clear(Seat(seat));
            load.iter().for_each(|values| state.loads.push(Seat(seat), stack(values)));
        })
    }

    pub(super) fn scored(self, seat: u8, values: &[u8]) -> Table {
        self.with(|state| {
            state.scored.clear(Seat(seat));
            chips(values).into_iter().for_each(|chip| state.scored.push(Seat(seat), chip));
        })
    }

    pub(super) fn turned_back(self, seat: u8) -> Table {
        self.with_explorer(seat, |explorer| explorer.turned_back = true)
    }

    /// This explorer is back, after those said before.
    pub(super) fn back(self, seat: u8) -> Table {
        let table = self.turned_back(seat).at(seat, 0).with_explorer(seat, |explorer| explorer.back = true);
        table.with(|state| state.back_order.push(Seat(seat)))
    }

    pub(super) fn turns_taken(self, seat: u8, turns: u16) -> Table {
        self.with_explorer(seat, |explorer| explorer.turns_taken = turns)
    }

    pub(super) fn ready(self) -> State {
        self.0
    }
}

/// Does an action of the seat whose turn it is. `dice` are faces; none for a search.
pub(super) fn play(state: &State, action: Action, dice: &[u8]) -> Step<State> {
    let mut chance = Scripted::new(dice.iter().map(|face| (6, u32::from(face - 1) * 2)));
    state.apply(state.turn, &action, &mut chance).unwrap_or_else(|violation| panic!("{action:?}: {violation}"))
}

/// Dives on without turning back, and tells where the explorer then stands.
pub(super) fn dive_to(state: &State, dice: [u8; 2]) -> u8 {
    let seat = state.turn;
    play(state, DOWN, &dice).next.explorer(seat).position
}

/// The rule and reason with which an action is refused.
pub(super) fn refusal(state: &State, seat: u8, action: Action) -> (&'static str, &'static str) {
    let violation =
        state.apply(Seat(seat), &action, &mut Scripted::new([])).expect_err("the action is against the rules");
    assert!(!violation.sentence.is_empty());
    assert!(!state.legal_actions(Seat(seat)).contains(&action), "{action:?} is offered");
    (violation.rule, violation.reason)
}

/// The round's end in the events, if they hold one.
pub(super) fn round_end(events: &[Event]) -> Option<super::super::RoundEnd> {
    events.iter().find_map(|event| match event {
        Event::RoundEnded { cause, .. } => Some(*cause),
        _ => None,
    })
}

/// A fresh game whose shuffles leave the chips in order, begun by this seat.
pub(super) fn fresh(seats: u8, first: u8) -> Step<State> {
    let shuffles = (0..4).flat_map(|_| (2..=8).rev().map(|bound| (bound, bound - 1)));
    let chance: &mut dyn Chance = &mut Scripted::new(shuffles.chain([(u32::from(seats), u32::from(first))]));
    let seats = crate::SeatCount::new(usize::from(seats)).unwrap();
    State::setup(State::NEWEST_RULES, &super::super::Options, seats, chance).unwrap()
}
