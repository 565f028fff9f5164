//! Who sees what. All lies open but the two piles: those are for auditors, and for all once the game is over. What a drone
//! or a map shows of them is for the player whose turn it is.

use alloc::vec::Vec;

use super::{Card, Diver, ExploredCard, OpenNet, Phase, State, Suit, Variant};
use crate::{Seat, Viewer};

/// The table as one viewer sees it.
#[derive(Clone, PartialEq, Eq, Debug)]
#[allow(missing_docs, reason = "the fields' meanings stand in the proto of the same name")]
pub struct View {
    pub variant: Option<Variant>,
    pub phase: Phase,
    pub to_act: Option<Seat>,
    pub turn: Seat,
    pub first_seat: Seat,
    pub players: Vec<PlayerView>,
    pub exploration: Vec<ExploredCard>,
    pub turned_up: bool,
    pub squid_demand: u8,
    pub open_nets: Vec<OpenNet>,
    pub draw_pile_size: u8,
    pub draw_pile: Vec<Card>,
    pub graveyard_size: u8,
    pub graveyard: Vec<Card>,
    pub drone_count: u8,
    pub drone_cards: Vec<Card>,
    pub map_count: u8,
    pub map_cards: Vec<Card>,
    pub plunder_count: u8,
}

/// One player as a viewer sees them.
#[derive(Clone, PartialEq, Eq, Debug)]
#[allow(missing_docs, reason = "the fields' meanings stand in the proto of the same name")]
pub struct PlayerView {
    pub seat: Seat,
    pub diver: Option<Diver>,
    pub victim: Option<Seat>,
    pub hold: Vec<Card>,
    pub points: i32,
}

impl View {
    pub(super) fn of(state: &State, viewer: Viewer) -> View {
        let sees_piles = viewer == Viewer::Auditor || state.phase == Phase::Over;
        let sees_what_is_shown = sees_piles || viewer == Viewer::Seat(state.turn);
        let pile = |pile: &[Card], visible: bool| if visible { pile.to_vec() } else { Vec::new() };
        let mut map_cards = pile(state.shown_by_map(), sees_what_is_shown);
        // A navigator sees the whole graveyard, but not in which order it lies.
        map_cards.sort_unstable();
        View {
            variant: state.variant,
            phase: state.phase,
            to_act: state.seat_to_act(),
            turn: state.turn,
            first_seat: state.first_seat,
            players: state.seat_count().seats().map(|seat| PlayerView::of(state, seat)).collect(),
            exploration: state.exploration.to_vec(),
            turned_up: state.turned_up,
            squid_demand: state.squid_demand,
            open_nets: state.open_nets.to_vec(),
            draw_pile_size: state.draw_pile.len() as u8,
            draw_pile: pile(&state.draw_pile, sees_piles),
            graveyard_size: state.graveyard.len() as u8,
            graveyard: pile(&state.graveyard, sees_piles),
            drone_count: state.drone_count,
            drone_cards: pile(state.shown_by_drone(), sees_what_is_shown),
            map_count: state.map_count,
            map_cards,
            plunder_count: state.plunder_count,
        }
    }
}

impl PlayerView {
    fn of(state: &State, seat: Seat) -> PlayerView {
        let player = state.player(seat);
        let highest_first = |suit| {
            let mut stack: Vec<Card> = player.hold.stack(suit).iter().collect();
            stack.reverse();
            stack
        };
        PlayerView {
            seat,
            diver: player.diver,
            victim: player.victim,
            hold: Suit::ALL.into_iter().flat_map(highest_first).collect(),
            points: state.points(seat),
        }
    }
}
