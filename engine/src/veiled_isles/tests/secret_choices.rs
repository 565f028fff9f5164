//! What a player chooses in secret, and from whom.

use super::super::{Action, Half, Island, Phase, State};
use crate::{Game, Seat, Viewer};

/// Whether somebody who does not see the choice sees the same happen by either action.
pub(super) fn looks_the_same(state: &State, one: &Action, other: &Action) -> bool {
    match (one, other) {
        (Action::Pass { .. }, Action::Pass { .. }) | (Action::GiveBack { .. }, Action::GiveBack { .. }) => true,
        (
            Action::Play { island, show, bonus },
            Action::Play { island: other_island, show: other_show, bonus: other_bonus },
        ) => {
            let open = |island: &Island| match show {
                Half::Sea => island.colour() as u8,
                Half::Coast => island.number(),
            };
            // The last play of a trick lifts the sails.
            let lifts = state.trick_in_order().count() + 1 == state.players.len();
            !lifts && show == other_show && bonus == other_bonus && open(island) == open(other_island)
        }
        // The treasure on top is turned up next.
        (Action::Reorder { order }, Action::Reorder { order: other }) => order[0] == other[0],
        _ => false,
    }
}

/// Whether a viewer may see the choice: the player, and who gets the islands.
pub(super) fn is_seen(state: &State, seat: Seat, action: &Action, viewer: Viewer) -> bool {
    let taker = match (state.phase, action) {
        (Phase::GiveBack { to, .. }, _) => Some(to),
        (_, Action::Pass { .. }) => Some(Seat((seat.0 + state.seats().get() - 1) % state.seats().get())),
        _ => None,
    };
    viewer == Viewer::Seat(seat) || taker.map(Viewer::Seat) == Some(viewer)
}
