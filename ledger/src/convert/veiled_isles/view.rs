//! Views for the wire.

use divelog_engine::veiled_isles::{DeckView, Phase, PlayedView, PlayerView, View};
use divelog_proto::games::veiled_isles::v1 as pb;

use super::cards::{
    action_card_to_proto, colours_to_proto, deck_to_proto, half_to_proto, island_to_proto, islands_to_proto,
    seen_islands, seen_treasures, treasure_to_proto, treasures_to_proto, veiled_to_proto,
};
use super::event::colour_won_to_proto;

pub(super) fn view_to_proto(view: &View) -> pb::View {
    let (give_back_to, give_back_count) = match view.phase {
        Phase::GiveBack { to, count } => (Some(to.0.into()), Some(count.into())),
        _ => (None, None),
    };
    let peeked_deck = match view.phase {
        Phase::Reorder { deck } => Some(deck_to_proto(deck).into()),
        _ => None,
    };
    pb::View {
        round: view.round.into(),
        trick: view.trick.into(),
        phase: phase_to_proto(view.phase).into(),
        turn: view.turn.map(|seat| seat.0.into()),
        first_seat: view.first_seat.0.into(),
        red_blue_action: action_card_to_proto(view.red_blue_action).into(),
        green_purple_action: action_card_to_proto(view.green_purple_action).into(),
        treasure_values: view.treasure_values.map(u32::from).to_vec(),
        decks: view.decks.iter().map(deck_view_to_proto).collect(),
        supply: view.supply.into(),
        players: view.players.iter().map(player_to_proto).collect(),
        discarded: islands_to_proto(view.discarded.iter().copied()),
        set_aside_size: view.set_aside_size.into(),
        set_aside: seen_islands(view.set_aside.as_ref()),
        prize_colours: colours_to_proto(view.prize_colours),
        colours_won: view.colours_won.iter().map(colour_won_to_proto).collect(),
        give_back_to,
        give_back_count,
        peeked_deck,
        peeked: seen_treasures(view.peeked.as_ref()),
    }
}

fn phase_to_proto(phase: Phase) -> pb::Phase {
    match phase {
        Phase::Pass => pb::Phase::Pass,
        Phase::Play => pb::Phase::Play,
        Phase::Treasure => pb::Phase::Treasure,
        Phase::StealBonus => pb::Phase::StealBonus,
        Phase::SwapWith => pb::Phase::SwapWith,
        Phase::GiveBack { .. } => pb::Phase::GiveBack,
        Phase::PeekDeck => pb::Phase::PeekDeck,
        Phase::Reorder { .. } => pb::Phase::Reorder,
        Phase::TakePlayed => pb::Phase::TakePlayed,
        Phase::DiscardIsland => pb::Phase::DiscardIsland,
        Phase::Over => pb::Phase::Over,
    }
}

fn deck_view_to_proto(deck: &DeckView) -> pb::TreasureDeck {
    pb::TreasureDeck {
        deck: deck_to_proto(deck.deck).into(),
        turned_up: deck.turned_up.map(treasure_to_proto),
        face_down_size: deck.face_down_size.into(),
        face_down: seen_treasures(deck.face_down.as_ref()),
    }
}

fn player_to_proto(player: &PlayerView) -> pb::Player {
    pb::Player {
        seat: player.seat.0.into(),
        hand_size: player.hand_size.into(),
        hand: seen_islands(player.hand.as_ref()),
        has_passed: player.has_passed,
        passing: player.passing.map(island_to_proto),
        treasures: treasures_to_proto(&player.treasures),
        bonus: player.bonus.into(),
        played: player.played.as_ref().map(played_to_proto),
        scores: player.scores.iter().map(|score| (*score).into()).collect(),
        points: player.points.into(),
    }
}

fn played_to_proto(played: &PlayedView) -> pb::PlayedIsland {
    pb::PlayedIsland {
        island: Some(veiled_to_proto(played.island)),
        show: half_to_proto(played.show).into(),
        bonus: played.bonus.into(),
        veiled: played.veiled,
        taken: played.taken,
    }
}
