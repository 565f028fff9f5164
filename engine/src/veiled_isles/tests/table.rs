//! Tables for tests: a state held in a few words, and actions on it with scripted chance.
//!
//! Islands and treasures are written as a colour's first letter and a number: `r5` is red 5.

use alloc::{vec, vec::Vec};

use super::super::state::{BONUS_CARDS, Player};
use super::super::treasure::TreasureDeck;
use super::super::{
    Action, ActionCard, Colour, ColourSet, ColourWon, Deck, Event, Half, Island, IslandSet, Options, Phase, Rules,
    State, Treasure,
};
use crate::contract::Scripted;
use crate::{Chance, Game, Offer, Seat, SeatCount, Step};

fn colour(letter: char) -> Colour {
    match letter {
        'r' => Colour::Red,
        'b' => Colour::Blue,
        'g' => Colour::Green,
        'p' => Colour::Purple,
        _ => panic!("{letter} is no colour"),
    }
}

pub(super) fn colours(letters: &str) -> ColourSet {
    letters.chars().map(colour).collect()
}

/// The island that is written so.
pub(super) fn island(text: &str) -> Island {
    Island::new(colour(text.chars().next().unwrap()), text[1..].parse().unwrap()).unwrap()
}

pub(super) fn islands(text: &str) -> Vec<Island> {
    text.split_whitespace().map(island).collect()
}

pub(super) fn set(text: &str) -> IslandSet {
    islands(text).into_iter().collect()
}

/// The treasure that is written so.
pub(super) fn treasure(text: &str) -> Treasure {
    Treasure { colour: colour(text.chars().next().unwrap()), points: text[1..].parse().unwrap() }
}

pub(super) fn treasures(text: &str) -> Vec<Treasure> {
    text.split_whitespace().map(treasure).collect()
}

/// Builds a state. Without more words: round 1, trick 1, seat 0 plays first; each hand gets two islands more than it
/// was given, the rest is set aside; the supply has all bonus cards that nobody has; red 1 and green 1 are turned up.
pub(super) struct Table {
    state: State,
    /// What everybody plays, clockwise from the first player: an island, and how many bonus cards.
    plays: Vec<(Island, u8)>,
    more_islands: usize,
    supply: Option<u8>,
}

impl Table {
    pub(super) fn of(seats: u8) -> Table {
        let decks: &[Deck] = if seats == 3 { &[Deck::Single] } else { &[Deck::RedBlue, Deck::GreenPurple] };
        let deck = |deck: &Deck| {
            let turned_up = Some(Treasure { colour: deck.colours()[0], points: 1 });
            let rest =
                deck.colours().iter().flat_map(|colour| (2..=5).map(|points| Treasure { colour: *colour, points }));
            TreasureDeck { deck: *deck, turned_up, face_down: rest.collect() }
        };
        let state = State {
            rules: State::NEWEST_RULES,
            red_blue_action: ActionCard::A1,
            green_purple_action: ActionCard::A3,
            treasure_values: [1, 2, 2, 3, 3, 4, 4, 5],
            round: 1,
            trick: 1,
            phase: Phase::Play,
            turn: Some(Seat(0)),
            first_seat: Seat(0),
            decks: decks.iter().map(deck).collect(),
            supply: 0,
            players: (0..seats).map(|_| Player::default()).collect(),
            discarded: IslandSet::EMPTY,
            set_aside: Island::all().into_iter().collect(),
            prize_colours: ColourSet::EMPTY,
        };
        Table { state, plays: Vec::new(), more_islands: 2, supply: None }
    }

    fn with(mut self, change: impl FnOnce(&mut State)) -> Table {
        change(&mut self.state);
        self
    }

    fn with_player(self, seat: u8, change: impl FnOnce(&mut Player)) -> Table {
        self.with(|state| change(&mut state.players[usize::from(seat)]))
    }

    /// A game of another rules version than the newest.
    pub(super) fn rules(self, rules: Rules) -> Table {
        self.with(|state| state.rules = rules)
    }

    pub(super) fn round(self, round: u8) -> Table {
        self.with(|state| state.round = round)
    }

    /// Who is first player, and plays first.
    pub(super) fn first(self, seat: u8) -> Table {
        self.with(|state| (state.first_seat, state.turn) = (Seat(seat), Some(Seat(seat))))
    }

    pub(super) fn cards(self, red_blue: ActionCard, green_purple: ActionCard) -> Table {
        self.with(|state| (state.red_blue_action, state.green_purple_action) = (red_blue, green_purple))
    }

    /// The treasures turned up, one for each deck.
    pub(super) fn up(self, tops: &str) -> Table {
        self.with(|state| {
            for (deck, top) in state.decks.iter_mut().zip(treasures(tops)) {
                deck.turned_up = Some(top);
            }
        })
    }

    /// The face-down treasures of a deck, top first.
    pub(super) fn face_down(self, deck: usize, order: &str) -> Table {
        self.with(|state| state.decks[deck].face_down = treasures(order).into_iter().collect())
    }

    /// A player's treasures; the last one is visible.
    pub(super) fn pile(self, seat: u8, pile: &str) -> Table {
        self.with_player(seat, |player| player.treasures = treasures(pile).into_iter().collect())
    }

    pub(super) fn bonus(self, seat: u8, bonus: u8) -> Table {
        self.with_player(seat, |player| player.bonus += bonus)
    }

    /// What the supply has; the rest of the bonus cards is out of the game.
    pub(super) fn supply(mut self, supply: u8) -> Table {
        self.supply = Some(supply);
        self
    }

    pub(super) fn hand(self, seat: u8, hand: &str) -> Table {
        self.with_player(seat, |player| player.hand = set(hand))
    }

    pub(super) fn scores(self, seat: u8, scores: &[u16]) -> Table {
        self.with_player(seat, |player| player.scores = scores.iter().copied().collect())
    }

    /// All still have to pass.
    pub(super) fn passing(self) -> Table {
        self.with(|state| (state.phase, state.turn, state.trick) = (Phase::Pass, None, 0)).more(0)
    }

    /// How many islands each hand gets beyond those held; 0 makes this the last trick.
    pub(super) fn more(mut self, islands: usize) -> Table {
        self.more_islands = islands;
        self
    }

    /// What everybody will play, clockwise from the first player: `r8+1` is red 8 with a bonus card. Both are given to
    /// the players.
    pub(super) fn plays(mut self, plays: &str) -> Table {
        let seats: Vec<Seat> = self.state.seats().seats_from(self.state.first_seat).collect();
        for (seat, play) in seats.into_iter().zip(plays.split_whitespace()) {
            let (card, bonus) = play.split_once('+').unwrap_or((play, "0"));
            let (card, bonus) = (island(card), bonus.parse().unwrap());
            self.state.player_mut(seat).hand.insert(card);
            self.state.player_mut(seat).bonus += bonus;
            self.plays.push((card, bonus));
        }
        self
    }

    pub(super) fn ready(self) -> State {
        let mut state = self.state;
        let held: IslandSet = state.players.iter().flat_map(|player| player.hand.iter()).collect();
        let mut rest = Island::all().into_iter().filter(|island| !held.contains(*island));
        for player in &mut state.players {
            rest.by_ref().take(self.more_islands).for_each(|island| player.hand.insert(island));
        }
        state.set_aside = rest.collect();
        let held: u8 = state.players.iter().map(|player| player.bonus).sum();
        state.supply = self.supply.unwrap_or(BONUS_CARDS - held);
        state
    }

    /// Everybody plays; what the last play leads to, with the events since the sails were lifted.
    pub(super) fn played(mut self) -> Step<State> {
        let plays = core::mem::take(&mut self.plays);
        let mut state = self.ready();
        assert_eq!(plays.len(), state.players.len(), "everybody plays");
        let mut events = vec![];
        for (island, bonus) in plays {
            let bonus = u32::from(bonus);
            let step = act(&state, state.turn.unwrap().0, Action::Play { island, show: Half::Sea, bonus });
            (state, events) = (step.next, step.events);
        }
        let lifted = events.iter().position(|event| matches!(event, Event::SailsLifted { .. }));
        events.drain(..lifted.expect("the sails are lifted"));
        Step { next: state, events }
    }
}

/// Does an action that draws no chance.
pub(super) fn act(state: &State, seat: u8, action: Action) -> Step<State> {
    act_with(state, seat, action, &[])
}

/// Does an action with the given draws, as pairs of bound and answer.
pub(super) fn act_with(state: &State, seat: u8, action: Action, draws: &[(u32, u32)]) -> Step<State> {
    let mut chance = Scripted::new(draws.iter().copied());
    state.apply(Seat(seat), &action, &mut chance).unwrap_or_else(|violation| panic!("{action:?}: {violation}"))
}

/// The rule and reason with which an action is refused.
pub(super) fn refusal(state: &State, seat: u8, action: Action) -> (&'static str, &'static str) {
    let answer = state.apply(Seat(seat), &action, &mut Scripted::new([]));
    let violation = answer.expect_err("the action is against the rules");
    assert!(!violation.sentence.is_empty());
    let offers = state.legal_actions(Seat(seat));
    assert!(!offers.iter().any(|offer| offer.admits(&action)), "{action:?} is offered");
    (violation.rule, violation.reason)
}

/// All actions that a seat is offered.
pub(super) fn legal(state: &State, seat: u8) -> Vec<Action> {
    let offers = state.legal_actions(Seat(seat));
    offers.iter().flat_map(|offer| (0..offer.count()).map(|number| offer.nth(number))).collect()
}

/// The colours won, as the events give them.
pub(super) fn won(events: &[Event]) -> Vec<ColourWon> {
    let won = events.iter().filter_map(|event| match event {
        Event::ColourWon(won) => Some(*won),
        _ => None,
    });
    won.collect()
}

/// The winners, as letters of colours and seats.
pub(super) fn winners(events: &[Event]) -> Vec<(ColourSet, u8)> {
    won(events).iter().map(|won| (won.colours, won.winner.0)).collect()
}

/// The bonus cards taken by VI-11: seat, due and taken.
pub(super) fn bonus_taken(events: &[Event]) -> Vec<(u8, u8, u8)> {
    let taken = events.iter().filter_map(|event| match event {
        Event::BonusTaken { seat, due, taken } => Some((seat.0, *due, *taken)),
        _ => None,
    });
    taken.collect()
}

/// Draws with which a shuffle leaves so many items as they are.
pub(super) fn identity(items: u32) -> impl Iterator<Item = (u32, u32)> {
    (2..=items).rev().map(|bound| (bound, bound - 1))
}

/// The draws of a round's set-up whose shuffles change nothing.
pub(super) fn unshuffled(seats: u8) -> Vec<(u32, u32)> {
    let decks = if seats == 3 {
        identity(20).collect()
    } else {
        [identity(16).collect(), identity(16).collect::<Vec<_>>()].concat()
    };
    decks.into_iter().chain(identity(48)).collect()
}

/// A fresh game whose shuffles leave everything in order, begun by this seat.
pub(super) fn fresh(seats: u8, first: u8) -> Step<State> {
    fresh_with(&Options::default(), seats, first)
}

pub(super) fn fresh_with(options: &Options, seats: u8, first: u8) -> Step<State> {
    let draws = unshuffled(seats).into_iter().chain([(u32::from(seats), u32::from(first))]);
    let chance: &mut dyn Chance = &mut Scripted::new(draws);
    State::setup(State::NEWEST_RULES, options, SeatCount::new(usize::from(seats)).unwrap(), chance).unwrap()
}
