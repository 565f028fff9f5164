//! Who sees what of the table. Hands are for their players, the covered half of a veiled island for the one who played
//! it, three treasures for the one who looks at them by A3; deck orders and what is set aside are for auditors. Once the
//! game is over all is open.

use alloc::vec::Vec;

use super::event::ColourWon;
use super::island::{ColourSet, Half, Island, VeiledIsland};
use super::options::ActionCard;
use super::state::{Phase, Played, State};
use super::treasure::{Deck, PER_COLOUR, Treasure};
use crate::{Seat, Viewer};

/// The table as one viewer sees it.
#[derive(Clone, PartialEq, Eq, Debug)]
#[allow(missing_docs, reason = "the fields' meanings stand in the proto of the same name")]
pub struct View {
    pub round: u8,
    pub trick: u8,
    pub phase: Phase,
    pub turn: Option<Seat>,
    pub first_seat: Seat,
    pub red_blue_action: ActionCard,
    pub green_purple_action: ActionCard,
    pub treasure_values: [u8; PER_COLOUR],
    pub decks: Vec<DeckView>,
    pub supply: u8,
    pub players: Vec<PlayerView>,
    pub discarded: Vec<Island>,
    pub set_aside_size: u8,
    pub set_aside: Option<Vec<Island>>,
    pub prize_colours: ColourSet,
    pub colours_won: Vec<ColourWon>,
    pub peeked: Option<Vec<Treasure>>,
}

/// A treasure deck as a viewer sees it.
#[derive(Clone, PartialEq, Eq, Debug)]
#[allow(missing_docs, reason = "the fields' meanings stand in the proto of the same name")]
pub struct DeckView {
    pub deck: Deck,
    pub turned_up: Option<Treasure>,
    pub face_down_size: u8,
    pub face_down: Option<Vec<Treasure>>,
}

/// One player as a viewer sees them.
#[derive(Clone, PartialEq, Eq, Debug)]
#[allow(missing_docs, reason = "the fields' meanings stand in the proto of the same name")]
pub struct PlayerView {
    pub seat: Seat,
    pub hand_size: u8,
    pub hand: Option<Vec<Island>>,
    pub has_passed: bool,
    pub passing: Option<Island>,
    pub treasures: Vec<Treasure>,
    pub bonus: u8,
    pub played: Option<PlayedView>,
    pub scores: Vec<u16>,
    pub points: u16,
}

/// An island played in this trick as a viewer sees it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs, reason = "the fields' meanings stand in the proto of the same name")]
pub struct PlayedView {
    pub island: VeiledIsland,
    pub show: Half,
    pub bonus: u8,
    pub veiled: bool,
    pub taken: bool,
}

impl View {
    pub(super) fn of(state: &State, viewer: Viewer) -> View {
        let sees_all = viewer == Viewer::Auditor || state.phase == Phase::Over;
        let is = |seat: Seat| viewer == Viewer::Seat(seat);
        let veiled = state.phase == Phase::Play;
        let decks = state.decks.iter().map(|deck| DeckView {
            deck: deck.deck,
            turned_up: deck.turned_up,
            face_down_size: deck.face_down.len() as u8,
            face_down: sees_all.then(|| deck.face_down.to_vec()),
        });
        let players = state.seat_count().seats().map(|seat| {
            let player = state.player(seat);
            let sees_cards = sees_all || is(seat);
            PlayerView {
                seat,
                hand_size: player.hand.len(),
                hand: sees_cards.then(|| player.hand.iter().collect()),
                has_passed: player.passing.is_some(),
                passing: player.passing.filter(|_| sees_cards),
                treasures: player.treasures.to_vec(),
                bonus: player.bonus,
                played: player.played.map(|played| PlayedView::of(played, veiled, sees_cards)),
                scores: player.scores.to_vec(),
                points: player.score(seat).points(),
            }
        });
        // In all other phases nothing is resolved.
        let resolving = !matches!(state.phase, Phase::Pass | Phase::Play | Phase::Over);
        let peeked = match state.phase {
            Phase::Reorder { deck } if sees_all || state.turn.is_some_and(is) => Some(state.top_of(deck).to_vec()),
            _ => None,
        };
        View {
            round: state.round,
            trick: state.trick,
            phase: state.phase,
            turn: state.turn,
            first_seat: state.first_seat,
            red_blue_action: state.red_blue_action,
            green_purple_action: state.green_purple_action,
            treasure_values: state.treasure_values,
            decks: decks.collect(),
            supply: state.supply,
            players: players.collect(),
            discarded: state.discarded.iter().collect(),
            set_aside_size: state.set_aside.len(),
            set_aside: sees_all.then(|| state.set_aside.iter().collect()),
            prize_colours: state.prize_colours,
            colours_won: if resolving { state.colours_won().to_vec() } else { Vec::new() },
            peeked,
        }
    }
}

impl PlayedView {
    /// VI-7: while the sail is on, others see the open half only.
    fn of(played: Played, veiled: bool, sees_all: bool) -> PlayedView {
        let whole = played.island.whole();
        PlayedView {
            island: if veiled && !sees_all { whole.under_sail(played.show) } else { whole },
            show: played.show,
            bonus: played.bonus,
            veiled,
            taken: played.taken,
        }
    }
}
