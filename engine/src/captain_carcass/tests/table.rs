//! Tables for tests: a state said in a few words, and actions on it with scripted chance.

use alloc::{format, string::String, vec::Vec};

use arrayvec::ArrayVec;

use super::super::cards::Hold;
use super::super::state::Player;
use super::super::{
    Action, Card, Diver, Divers, Event, ExploredCard, GameEnd, OpenNet, Options, Phase, Skip, Source, State, Suit,
    Variant,
};
use crate::contract::Scripted;
use crate::{Game, Offer, Seat, SeatCount, SeatSet, Step};

/// A card by its name, such as `siren 4`.
pub(super) fn card(name: &str) -> Card {
    let (suit, value) = name.trim().split_once(' ').unwrap_or_else(|| panic!("{name:?} is not a suit and a value"));
    let suit = Suit::ALL.into_iter().find(|other| other.name() == suit);
    let suit = suit.unwrap_or_else(|| panic!("{name:?} has no suit"));
    Card::new(suit, value.parse().unwrap()).unwrap_or_else(|| panic!("there is no {name:?}"))
}

/// Cards by their names, with commas between them.
pub(super) fn cards(names: &str) -> Vec<Card> {
    names.split(',').filter(|name| !name.trim().is_empty()).map(card).collect()
}

fn names<'a>(cards: impl IntoIterator<Item = &'a Card>) -> String {
    cards.into_iter().map(|card| format!("{card}")).collect::<Vec<_>>().join(", ")
}

/// Builds a state. Without more words: seat 0 to draw or surface with a card turned up and an empty row, empty holds, a
/// draw pile of three cards without effect, an empty graveyard, no divers, no variant.
pub(super) struct Table(State);

impl Table {
    pub(super) fn of(seats: u8) -> Table {
        Table(State {
            rules: State::NEWEST_RULES,
            variant: None,
            phase: Phase::Explore,
            turn: Seat(0),
            first_seat: Seat(0),
            players: (0..seats).map(|_| Player::default()).collect(),
            exploration: ArrayVec::new(),
            turned_up: true,
            squid_demand: 0,
            open_nets: ArrayVec::new(),
            draw_pile: cards("siren 6, chest 7, key 7").into_iter().collect(),
            graveyard: ArrayVec::new(),
            drone_count: 0,
            map_count: 0,
            plunder_count: 0,
        })
    }

    fn with(mut self, change: impl FnOnce(&mut State)) -> Table {
        change(&mut self.0);
        self
    }

    pub(super) fn variant(self, variant: Variant) -> Table {
        self.with(|state| state.variant = Some(variant))
    }

    pub(super) fn diver(self, seat: u8, diver: Diver) -> Table {
        self.with(|state| state.players[usize::from(seat)].diver = Some(diver))
    }

    /// CC-D17: this seat has the saboteuse and has named that one.
    pub(super) fn saboteuse(self, seat: u8, victim: u8) -> Table {
        self.diver(seat, Diver::Saboteuse).with(|state| state.players[usize::from(seat)].victim = Some(Seat(victim)))
    }

    pub(super) fn hold(self, seat: u8, names: &str) -> Table {
        let mut hold = Hold::default();
        cards(names).into_iter().for_each(|card| hold.insert(card));
        self.with(|state| state.players[usize::from(seat)].hold = hold)
    }

    /// Cards at the end of the row, turned up from the draw pile.
    pub(super) fn row(self, names: &str) -> Table {
        self.row_from(Source::DrawPile, names)
    }

    pub(super) fn row_from(self, source: Source, names: &str) -> Table {
        self.with(|state| state.exploration.extend(cards(names).into_iter().map(|card| ExploredCard { card, source })))
    }

    /// The draw pile, top first.
    pub(super) fn pile(self, names: &str) -> Table {
        self.with(|state| state.draw_pile = cards(names).into_iter().collect())
    }

    /// The graveyard, top first.
    pub(super) fn graveyard(self, names: &str) -> Table {
        self.with(|state| state.graveyard = cards(names).into_iter().collect())
    }

    pub(super) fn demand(self, squid_demand: u8) -> Table {
        self.with(|state| state.squid_demand = squid_demand)
    }

    pub(super) fn turn(self, seat: u8) -> Table {
        self.with(|state| state.turn = Seat(seat))
    }

    /// The turn has just begun: no card was turned up yet.
    pub(super) fn fresh_turn(self) -> Table {
        self.with(|state| state.turned_up = false)
    }

    pub(super) fn phase(self, phase: Phase) -> Table {
        self.with(|state| state.phase = phase)
    }

    pub(super) fn open_net(self, name: &str, catches: u8) -> Table {
        self.with(|state| state.open_nets.push(OpenNet { card: card(name), catches }))
    }

    pub(super) fn drone_shows(self, count: u8) -> Table {
        self.with(|state| state.drone_count = count)
    }

    pub(super) fn map_shows(self, count: u8) -> Table {
        self.phase(Phase::Map).with(|state| state.map_count = count)
    }

    pub(super) fn plunder(self, count: u8) -> Table {
        self.phase(Phase::Plunder).with(|state| state.plunder_count = count)
    }

    pub(super) fn over(self) -> Table {
        self.phase(Phase::Over)
    }

    pub(super) fn ready(self) -> State {
        self.0
    }
}

/// What the tests read from a state.
impl State {
    pub(super) fn hold_of(&self, seat: u8) -> String {
        names(&self.hold(Seat(seat)).iter().collect::<Vec<_>>())
    }

    pub(super) fn row_names(&self) -> String {
        names(self.exploration.iter().map(|explored| &explored.card))
    }

    /// The graveyard's cards, top first.
    pub(super) fn graveyard_names(&self) -> String {
        names(&self.graveyard)
    }

    pub(super) fn draw_pile_names(&self) -> String {
        names(&self.draw_pile)
    }

    /// Every legal action of the seat that is asked, families opened.
    pub(super) fn choices(&self) -> Vec<Action> {
        let offers = self.legal_actions(self.seat_to_act().expect("somebody is asked"));
        offers.iter().flat_map(|offer| (0..offer.count()).map(|number| offer.nth(number))).collect()
    }
}

/// Does an action of the seat that is asked, with these draws: bound and answer.
pub(super) fn play_with(state: &State, action: Action, draws: &[(u32, u32)]) -> Step<State> {
    let mut chance = Scripted::new(draws.iter().copied());
    let seat = state.seat_to_act().expect("somebody is asked");
    state.apply(seat, &action, &mut chance).unwrap_or_else(|violation| panic!("{action:?}: {violation}"))
}

/// Does an action that uses no chance.
pub(super) fn play(state: &State, action: Action) -> Step<State> {
    play_with(state, action, &[])
}

/// Turns up a card whose effect uses no chance.
pub(super) fn draw(state: &State) -> Step<State> {
    play(state, Action::Draw)
}

/// Draws for a shuffle that leaves a pile of this size as it is.
pub(super) fn unshuffled(size: u32) -> Vec<(u32, u32)> {
    (2..=size).rev().map(|bound| (bound, bound - 1)).collect()
}

/// The rule and reason with which an action of a seat is refused.
pub(super) fn refusal(state: &State, seat: u8, action: Action) -> (&'static str, &'static str) {
    let violation =
        state.apply(Seat(seat), &action, &mut Scripted::new([])).expect_err("the action is against the rules");
    assert!(!violation.sentence.is_empty());
    assert!(!state.legal_actions(Seat(seat)).iter().any(|offer| offer.admits(&action)), "{action:?} is offered");
    (violation.rule, violation.reason)
}

pub(super) fn knife(seat: u8, suit: Suit) -> Action {
    Action::Knife { seat: Seat(seat), suit }
}

pub(super) fn harpoon(seat: u8, suit: Suit) -> Action {
    Action::Harpoon { seat: Seat(seat), suit }
}

pub(super) fn net(suit: Suit) -> Action {
    Action::Net { suit }
}

pub(super) fn place(name: &str) -> Action {
    Action::PlaceFromMap { card: card(name) }
}

pub(super) fn plunder(seat: u8) -> Action {
    Action::Plunder { seat: Seat(seat) }
}

/// Whether these events say that an effect of the suit was skipped.
pub(super) fn skipped(step: &Step<State>, suit: Suit) -> Option<Skip> {
    step.events.iter().find_map(|event| match event {
        Event::EffectSkipped { suit: skipped, skip, .. } if *skipped == suit => Some(*skip),
        _ => None,
    })
}

/// Whether these events hold an incident.
pub(super) fn has_incident(step: &Step<State>) -> bool {
    step.events.iter().any(|event| matches!(event, Event::IncidentCaused { .. }))
}

/// The end of the game in these events: its cause and the winners.
pub(super) fn end(step: &Step<State>) -> Option<(GameEnd, SeatSet)> {
    step.events.iter().find_map(|event| match event {
        Event::GameEnded { cause, winners, .. } => Some((*cause, *winners)),
        _ => None,
    })
}

pub(super) fn seat_count(seats: u8) -> SeatCount {
    SeatCount::new(usize::from(seats)).unwrap()
}

pub(super) fn chosen(divers: &[Diver], variant: Option<Variant>) -> Options {
    Options { divers: Divers::Chosen(divers.to_vec()), variant }
}

/// A game set up with an unshuffled draw pile, begun by this seat. Divers must not be dealt.
pub(super) fn fresh(seats: u8, first: u8, options: &Options) -> Step<State> {
    let draws = unshuffled(50).into_iter().chain([(seats.into(), first.into())]);
    State::setup(State::NEWEST_RULES, options, seat_count(seats), &mut Scripted::new(draws)).unwrap()
}
