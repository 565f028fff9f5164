//! Who sees what. Everybody sees the same but for the values of chips that are not scored (DSA-12): those are for
//! auditors, and for all once the game is over.

use alloc::vec::Vec;

use super::pieces::{Dice, Face, FaceStack, Stack};
use super::{Phase, State};
use crate::{Seat, Viewer};

/// The table as one viewer sees it.
#[derive(Clone, PartialEq, Eq, Debug)]
#[allow(missing_docs, reason = "the fields' meanings stand in the proto of the same name")]
pub struct View {
    pub round: u8,
    pub phase: Phase,
    pub turn: Option<Seat>,
    pub first_seat: Seat,
    pub air: i32,
    pub path: Vec<FaceStack>,
    pub explorers: Vec<ExplorerView>,
    pub last_dice: Option<Dice>,
    pub back_order: Vec<Seat>,
    pub idle_turns: u8,
    pub turn_is_idle: bool,
    pub last_seat: Option<Seat>,
}

/// One explorer as a viewer sees them.
#[derive(Clone, PartialEq, Eq, Debug)]
#[allow(missing_docs, reason = "the fields' meanings stand in the proto of the same name")]
pub struct ExplorerView {
    pub seat: Seat,
    pub position: u8,
    pub turned_back: bool,
    pub back: bool,
    pub turns_taken: u16,
    pub load: Vec<FaceStack>,
    pub scored: Vec<Face>,
    pub points: u16,
}

impl View {
    pub(super) fn of(state: &State, viewer: Viewer) -> View {
        let over = state.phase == Phase::Over;
        let sees_values = match viewer {
            Viewer::Auditor => true,
            Viewer::Seat(_) | Viewer::Spectator => over,
        };
        let show = |stack: &Stack| -> FaceStack {
            let faces = stack.faces().into_iter();
            faces.map(|face| if sees_values { face } else { face.hidden() }).collect()
        };
        View {
            round: state.round,
            phase: state.phase,
            turn: (!over).then_some(state.turn),
            first_seat: state.first_seat,
            air: state.air,
            path: state.path.iter().map(show).collect(),
            explorers: state
                .seat_count()
                .seats()
                .map(|seat| {
                    let explorer = state.explorer(seat);
                    ExplorerView {
                        seat,
                        position: explorer.position,
                        turned_back: explorer.turned_back,
                        back: explorer.back,
                        turns_taken: explorer.turns_taken,
                        load: state.loads.of(seat).iter().map(show).collect(),
                        scored: state.scored.of(seat).iter().map(|chip| chip.face()).collect(),
                        points: state.points(seat),
                    }
                })
                .collect(),
            last_dice: state.last_dice,
            back_order: state.back_order.to_vec(),
            idle_turns: state.idle_turns,
            turn_is_idle: state.turn_is_idle,
            last_seat: over.then_some(state.turn),
        }
    }
}
