//! Tables for tests: a state said in a few words, and actions on it with scripted chance.

use alloc::{sync::Arc, vec, vec::Vec};

use super::super::{
    Action, CardId, CardKind, Depth, Diver, Encounter, Event, Face, Half, Options, Phase, Place, Play, Rules, State,
};
use crate::contract::Scripted;
use crate::{Game, Offer as _, Seat, SeatCount, Step};

pub(super) const MONSTER: Face = Face { kind: CardKind::Monster, value: 0 };

pub(super) fn gold(units: u16) -> Face {
    Face { kind: CardKind::Gold, value: units }
}

pub(super) fn goods(units: u16) -> Face {
    Face { kind: CardKind::Goods, value: units }
}

pub(super) fn antiques(units: u16) -> Face {
    Face { kind: CardKind::Antiques, value: units }
}

pub(super) fn diamond(value: u16) -> Face {
    Face { kind: CardKind::Diamond, value }
}

/// A diver with this many hoses and nothing else.
pub(super) fn hoses(hoses: u8) -> Diver {
    Diver { hoses, ..Diver::default() }
}

pub(super) fn trident(diver: Diver) -> Diver {
    Diver { trident: true, ..diver }
}

pub(super) fn weight(diver: Diver) -> Diver {
    Diver { weight: true, ..diver }
}

/// The draws of a shuffle that leaves everything where it lies.
pub(super) fn unshuffled(cards: u32) -> impl Iterator<Item = (u32, u32)> {
    (2..=cards).rev().map(|bound| (bound, bound - 1))
}

/// A fresh game whose shuffles leave the cards in the order of the tables and the ids in their own, begun by this seat.
pub(super) fn fresh(options: &Options, seats: u8, first: u8) -> Step<State> {
    fresh_by(State::NEWEST_RULES, options, seats, first)
}

/// The same by a version of the rules.
pub(super) fn fresh_by(rules: Rules, options: &Options, seats: u8, first: u8) -> Step<State> {
    let encounters = if options.encounters { 24 } else { 0 };
    let shuffles = [20, 30, 30, encounters].into_iter().flat_map(unshuffled);
    let ids = if rules == Rules::V1 { [0; 3] } else { [20, 30, 30] };
    let draws = shuffles.chain([(seats.into(), first.into())]).chain(ids.into_iter().flat_map(unshuffled));
    State::setup(rules, options, SeatCount::new(seats.into()).unwrap(), &mut Scripted::new(draws)).unwrap()
}

/// Builds a state. Without more words: the first Friday, seat 0 first, everything as the set-up leaves it with the cards
/// in the order of the tables.
pub(super) struct Table {
    state: State,
    /// How many cards of each depth hands have taken from the last wrecks.
    dealt: [u8; 3],
}

impl Table {
    pub(super) fn of(seats: u8) -> Table {
        Table::by(State::NEWEST_RULES, seats)
    }

    /// A table by a version of the rules.
    pub(super) fn by(rules: Rules, seats: u8) -> Table {
        Table::at(fresh_by(rules, &Options::default(), seats, 0).next)
    }

    /// A table with encounter cards.
    pub(super) fn with_encounters(seats: u8) -> Table {
        Table::with_encounters_by(State::NEWEST_RULES, seats)
    }

    /// A table with encounter cards by a version of the rules.
    pub(super) fn with_encounters_by(rules: Rules, seats: u8) -> Table {
        let options = Options { encounters: true, ..Options::default() };
        Table::at(fresh_by(rules, &options, seats, 0).next)
    }

    /// A table that a game has come to.
    pub(super) fn at(state: State) -> Table {
        Table { state, dealt: [0; 3] }
    }

    pub(super) fn with(mut self, change: impl FnOnce(&mut State)) -> Table {
        change(&mut self.state);
        self
    }

    pub(super) fn day(self, day: u8) -> Table {
        self.with(|state| state.day = day)
    }

    pub(super) fn first(self, seat: u8) -> Table {
        self.with(|state| state.first_seat = Seat(seat))
    }

    pub(super) fn cash(self, seat: u8, cash: u32) -> Table {
        self.with(|state| state.players[usize::from(seat)].cash = cash)
    }

    pub(super) fn divers(self, seat: u8, divers: &[Diver]) -> Table {
        self.with(|state| state.players[usize::from(seat)].divers = divers.iter().copied().collect())
    }

    /// The cards of a wreck, top first; none: it is gone.
    pub(super) fn wreck(self, wreck: u8, faces: &[Face]) -> Table {
        self.with(|state| {
            let cards = &mut state.wrecks[usize::from(wreck)].cards;
            cards.truncate(faces.len());
            let all = Arc::make_mut(&mut state.faces);
            cards.iter().zip(faces).for_each(|(card, face)| all[card.index()] = *face);
        })
    }

    /// Only these wrecks are left, each as it is.
    pub(super) fn only_wrecks(self, left: &[usize]) -> Table {
        self.with(|state| {
            let wrecks = state.wrecks.iter_mut().enumerate();
            wrecks.filter(|(wreck, _)| !left.contains(wreck)).for_each(|(_, wreck)| wreck.cards.clear());
        })
    }

    /// Gives a player cards, taken from the last wreck of their depth.
    pub(super) fn hand(mut self, seat: u8, depth: Depth, faces: &[Face]) -> Table {
        let end = [20, 50, 80][depth.index()] - self.dealt[depth.index()];
        let first = end - faces.len() as u8;
        self.dealt[depth.index()] += faces.len() as u8;
        self.with(|state| {
            for (id, face) in (first..end).map(CardId).zip(faces) {
                Arc::make_mut(&mut state.faces)[id.index()] = *face;
                state.wrecks.iter_mut().for_each(|wreck| wreck.cards.retain(|card| *card != id));
                state.players[usize::from(seat)].hand.insert(id);
            }
        })
    }

    /// The encounter cards of a player; they leave the deck.
    pub(super) fn holds(self, seat: u8, encounters: &[Encounter]) -> Table {
        self.with(|state| {
            state.encounter_deck.retain(|card| !encounters.contains(card));
            state.players[usize::from(seat)].encounters = encounters.iter().copied().collect();
        })
    }

    pub(super) fn afternoon(self) -> Table {
        self.with(|state| state.half = Half::Afternoon)
    }

    pub(super) fn ready(self) -> State {
        self.state
    }

    /// The half-day begins with these places, by seat: the first decision of it that is asked.
    pub(super) fn go(self, places: &[Place]) -> State {
        self.go_step(places).next
    }

    /// The same with its events.
    pub(super) fn go_step(self, places: &[Place]) -> Step<State> {
        let mut state = self.state;
        for (player, place) in state.players.iter_mut().zip(places) {
            let other = if *place == Place::Bar { Place::Shop } else { Place::Bar };
            let programme = [*place, other];
            player.programme = Some(if state.half == Half::Morning { programme } else { [programme[1], programme[0]] });
        }
        let mut events = Vec::new();
        state.start_half(&mut events);
        Step { next: state, events }
    }

    /// Seat 0 dives on a wreck, and is asked what to do there; the others have no decisions before that.
    pub(super) fn dive_on(self, wreck: u32) -> State {
        let seats = self.state.players.len();
        let mut places = vec![Place::Shop; seats];
        places[0] = Place::Dive;
        let state = play(&self.go(&places), 0, Action::PlaceBoat { wreck }).next;
        match state.phase {
            Phase::Sabotage => play(&state, 0, Action::Pass).next,
            _ => state,
        }
    }
}

/// The ids of a player's cards, ascending.
pub(super) fn held(state: &State, seat: u8) -> Vec<u32> {
    state.players[usize::from(seat)].hand.iter().map(|card| card.0.into()).collect()
}

/// The faces of a player's cards, by ascending id.
pub(super) fn faces(state: &State, seat: u8) -> Vec<Face> {
    state.players[usize::from(seat)].hand.iter().map(|card| state.face(card)).collect()
}

/// The faces of a wreck, top first.
pub(super) fn wreck_faces(state: &State, wreck: usize) -> Vec<Face> {
    state.wrecks[wreck].cards.iter().map(|card| state.face(*card)).collect()
}

pub(super) fn cash(state: &State, seat: u8) -> u32 {
    state.players[usize::from(seat)].cash
}

/// Does an action that draws no chance.
pub(super) fn play(state: &State, seat: u8, action: Action) -> Step<State> {
    play_with(state, seat, action, [])
}

/// Does an action with these draws, pairs of bound and answer.
pub(super) fn play_with(
    state: &State,
    seat: u8,
    action: Action,
    draws: impl IntoIterator<Item = (u32, u32)>,
) -> Step<State> {
    assert!(is_offered(state, seat, &action), "{action:?} is not offered: {:?}", state.legal_actions(Seat(seat)));
    let mut chance = Scripted::new(draws);
    state.apply(Seat(seat), &action, &mut chance).unwrap_or_else(|violation| panic!("{action:?}: {violation}"))
}

/// Does several actions of one seat that draw no chance.
pub(super) fn play_all(state: &State, seat: u8, actions: impl IntoIterator<Item = Action>) -> State {
    actions.into_iter().fold(state.clone(), |state, action| play(&state, seat, action).next)
}

pub(super) fn is_offered(state: &State, seat: u8, action: &Action) -> bool {
    state.legal_actions(Seat(seat)).iter().any(|offer| offer.admits(action))
}

/// The rule and reason with which an action is refused.
pub(super) fn refusal(state: &State, seat: u8, action: Action) -> (&'static str, &'static str) {
    let violation = state
        .apply(Seat(seat), &action, &mut Scripted::new([]))
        .map(|step| step.events)
        .expect_err("the action is against the rules");
    assert!(!violation.sentence.is_empty());
    assert!(!is_offered(state, seat, &action), "{action:?} is offered");
    (violation.rule, violation.reason)
}

/// Plays an encounter card that needs nothing.
pub(super) fn plain(encounter: Encounter) -> Action {
    Action::PlayEncounter(Play::Plain(encounter))
}

/// Who is asked, and in which phase.
pub(super) fn asked(state: &State) -> (Phase, Vec<u8>) {
    (state.phase, state.to_act().iter().map(|seat| seat.0).collect())
}

/// The events of a kind.
pub(super) fn only<'a, T>(events: &'a [Event], pick: impl Fn(&'a Event) -> Option<T>) -> Vec<T> {
    events.iter().filter_map(pick).collect()
}
