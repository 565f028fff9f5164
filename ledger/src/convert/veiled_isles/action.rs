//! Actions in both directions, and offers.

use divelog_engine::{
    Seat,
    veiled_isles::{Action, Offer, SEATS},
};
use divelog_proto::games::veiled_isles::v1 as pb;
use pb::action::Action as Wire;

use super::cards::{
    deck_from_proto, deck_to_proto, half_from_proto, half_to_proto, island_from_proto, island_to_proto,
    islands_to_proto,
};

pub(super) fn action_to_proto(action: &Action) -> pb::Action {
    let action = match action {
        Action::Pass { island } => Wire::Pass(pb::Pass { island: Some(island_to_proto(*island)) }),
        Action::Play { island, show, bonus } => Wire::Play(pb::Play {
            island: Some(island_to_proto(*island)),
            show: half_to_proto(*show).into(),
            bonus: *bonus,
        }),
        Action::TakeTreasure => Wire::TakeTreasure(pb::TakeTreasure {}),
        Action::StealTreasure { seat } => Wire::StealTreasure(pb::StealTreasure { seat: seat.0.into() }),
        Action::StealBonus { seat } => Wire::StealBonus(pb::StealBonus { seat: seat.0.into() }),
        Action::DrawBonus => Wire::DrawBonus(pb::DrawBonus {}),
        Action::SwapWith { seat } => Wire::SwapWith(pb::SwapWith { seat: seat.0.into() }),
        Action::GiveBack { islands } => {
            Wire::GiveBack(pb::GiveBack { islands: islands_to_proto(islands.iter().copied()) })
        }
        Action::PeekDeck { deck } => Wire::PeekDeck(pb::PeekDeck { deck: deck_to_proto(*deck).into() }),
        Action::Reorder { order } => Wire::Reorder(pb::Reorder { order: order.clone() }),
        Action::TakePlayed { seat } => Wire::TakePlayed(pb::TakePlayed { seat: seat.0.into() }),
        Action::DiscardIsland { island } => {
            Wire::DiscardIsland(pb::DiscardIsland { island: Some(island_to_proto(*island)) })
        }
    };
    pb::Action { action: Some(action) }
}

pub(super) fn action_from_proto(action: &pb::Action) -> Result<Action, String> {
    let Some(action) = &action.action else {
        return Err("the veiled_isles action is empty: pass, play, take_treasure, steal_treasure, steal_bonus, \
                    draw_bonus, swap_with, give_back, peek_deck, reorder, take_played or discard_island is expected"
            .into());
    };
    Ok(match action {
        Wire::Pass(pass) => Action::Pass { island: island_from_proto(pass.island.as_ref(), "pass.island")? },
        Wire::Play(play) => Action::Play {
            island: island_from_proto(play.island.as_ref(), "play.island")?,
            show: half_from_proto(play.show, "play.show")?,
            bonus: play.bonus,
        },
        Wire::TakeTreasure(pb::TakeTreasure {}) => Action::TakeTreasure,
        Wire::StealTreasure(steal) => {
            Action::StealTreasure { seat: seat_from_proto(steal.seat, "steal_treasure.seat")? }
        }
        Wire::StealBonus(steal) => Action::StealBonus { seat: seat_from_proto(steal.seat, "steal_bonus.seat")? },
        Wire::DrawBonus(pb::DrawBonus {}) => Action::DrawBonus,
        Wire::SwapWith(swap) => Action::SwapWith { seat: seat_from_proto(swap.seat, "swap_with.seat")? },
        Wire::GiveBack(give) => {
            let islands = give.islands.iter().enumerate();
            let read = |(at, island)| island_from_proto(Some(island), &format!("give_back.islands[{at}]"));
            Action::GiveBack { islands: islands.map(read).collect::<Result<_, _>>()? }
        }
        Wire::PeekDeck(peek) => Action::PeekDeck { deck: deck_from_proto(peek.deck, "peek_deck.deck")? },
        Wire::Reorder(reorder) => Action::Reorder { order: reorder.order.clone() },
        Wire::TakePlayed(take) => Action::TakePlayed { seat: seat_from_proto(take.seat, "take_played.seat")? },
        Wire::DiscardIsland(discard) => {
            Action::DiscardIsland { island: island_from_proto(discard.island.as_ref(), "discard_island.island")? }
        }
    })
}

/// A seat as far as it can be read; whether this table has it is the rules' to say.
fn seat_from_proto(seat: u32, field: &str) -> Result<Seat, String> {
    let highest = SEATS.end() - 1;
    u8::try_from(seat).map(Seat).map_err(|_| format!("{field} is {seat}: a seat from 0 to {highest} is expected"))
}

pub(super) fn offer_to_proto(offer: &Offer) -> pb::LegalAction {
    use pb::legal_action::LegalAction;
    let legal_action = match offer {
        Offer::Single(action) => LegalAction::Action(action_to_proto(action)),
        Offer::Play { island, max_bonus } => LegalAction::PlayFamily(pb::PlayFamily {
            island: Some(island_to_proto(*island)),
            max_bonus: (*max_bonus).into(),
        }),
        Offer::GiveBack { islands, count } => LegalAction::GiveBackFamily(pb::GiveBackFamily {
            islands: islands_to_proto(islands.iter()),
            count: (*count).into(),
        }),
    };
    pb::LegalAction { legal_action: Some(legal_action) }
}
