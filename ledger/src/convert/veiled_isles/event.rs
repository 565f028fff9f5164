//! Events for the wire.

use divelog_engine::veiled_isles::{ColourWon, Event, LiftedIsland, Prize, Score};
use divelog_proto::games::veiled_isles::v1 as pb;
use pb::event::Event as Wire;

use super::super::seats_to_proto;
use super::cards::{
    action_card_to_proto, colours_to_proto, deck_to_proto, half_to_proto, island_to_proto, islands_to_proto,
    seen_islands, seen_treasures, treasure_to_proto, veiled_to_proto,
};

pub(super) fn event_to_proto(event: &Event) -> pb::Event {
    let event = match event {
        Event::DeckShuffled { deck, size, order } => Wire::DeckShuffled(pb::DeckShuffled {
            deck: deck_to_proto(*deck).into(),
            size: (*size).into(),
            order: seen_treasures(order.as_ref()),
        }),
        Event::TreasureTurnedUp { deck, treasure } => Wire::TreasureTurnedUp(pb::TreasureTurnedUp {
            deck: deck_to_proto(*deck).into(),
            treasure: Some(treasure_to_proto(*treasure)),
        }),
        Event::IslandsShuffled { order } => {
            Wire::IslandsShuffled(pb::IslandsShuffled { order: seen_islands(order.as_ref()) })
        }
        Event::HandDealt { seat, count, islands } => Wire::HandDealt(pb::HandDealt {
            seat: seat.0.into(),
            count: (*count).into(),
            islands: seen_islands(islands.as_ref()),
        }),
        Event::IslandsSetAside { count, islands } => Wire::IslandsSetAside(pb::IslandsSetAside {
            count: (*count).into(),
            islands: seen_islands(islands.as_ref()),
        }),
        Event::RoundStarted { round, first_seat } => {
            Wire::RoundStarted(pb::RoundStarted { round: (*round).into(), first_seat: first_seat.0.into() })
        }
        Event::PassChosen { seat, island } => {
            Wire::PassChosen(pb::PassChosen { seat: seat.0.into(), island: island.map(island_to_proto) })
        }
        Event::IslandPassed { from, to, island } => Wire::IslandPassed(pb::IslandPassed {
            from: from.0.into(),
            to: to.0.into(),
            island: island.map(island_to_proto),
        }),
        Event::TrickStarted { trick, first_seat } => {
            Wire::TrickStarted(pb::TrickStarted { trick: (*trick).into(), first_seat: first_seat.0.into() })
        }
        Event::IslandPlayed { seat, island, show, bonus } => Wire::IslandPlayed(pb::IslandPlayed {
            seat: seat.0.into(),
            island: Some(veiled_to_proto(*island)),
            show: half_to_proto(*show).into(),
            bonus: (*bonus).into(),
        }),
        Event::SailsLifted { islands } => {
            Wire::SailsLifted(pb::SailsLifted { islands: islands.iter().map(lifted_to_proto).collect() })
        }
        Event::ColourWon(won) => Wire::ColourWon(colour_won_to_proto(won)),
        Event::TreasureTaken { seat, deck, treasure } => Wire::TreasureTaken(pb::TreasureTaken {
            seat: seat.0.into(),
            deck: deck_to_proto(*deck).into(),
            treasure: Some(treasure_to_proto(*treasure)),
        }),
        Event::TreasureStolen { seat, from, treasure } => Wire::TreasureStolen(pb::TreasureStolen {
            seat: seat.0.into(),
            from: from.0.into(),
            treasure: Some(treasure_to_proto(*treasure)),
        }),
        Event::BonusTaken { seat, due, taken } => {
            Wire::BonusTaken(pb::BonusTaken { seat: seat.0.into(), due: (*due).into(), taken: (*taken).into() })
        }
        Event::ActionActivated { seat, action } => Wire::ActionActivated(pb::ActionActivated {
            seat: seat.0.into(),
            action: action_card_to_proto(*action).into(),
        }),
        Event::ActionSkipped { seat, action } => {
            Wire::ActionSkipped(pb::ActionSkipped { seat: seat.0.into(), action: action_card_to_proto(*action).into() })
        }
        Event::BonusStolen { seat, from, count } => {
            Wire::BonusStolen(pb::BonusStolen { seat: seat.0.into(), from: from.0.into(), count: (*count).into() })
        }
        Event::BonusDrawn { seat, count } => {
            Wire::BonusDrawn(pb::BonusDrawn { seat: seat.0.into(), count: (*count).into() })
        }
        Event::IslandsTaken { seat, from, count, islands } => Wire::IslandsTaken(pb::IslandsTaken {
            seat: seat.0.into(),
            from: from.0.into(),
            count: (*count).into(),
            islands: seen_islands(islands.as_ref()),
        }),
        Event::IslandsGivenBack { seat, to, count, islands } => Wire::IslandsGivenBack(pb::IslandsGivenBack {
            seat: seat.0.into(),
            to: to.0.into(),
            count: (*count).into(),
            islands: seen_islands(islands.as_ref()),
        }),
        Event::DeckPeeked { seat, deck, treasures } => Wire::DeckPeeked(pb::DeckPeeked {
            seat: seat.0.into(),
            deck: deck_to_proto(*deck).into(),
            treasures: seen_treasures(treasures.as_ref()),
        }),
        Event::DeckReordered { seat, deck, order } => Wire::DeckReordered(pb::DeckReordered {
            seat: seat.0.into(),
            deck: deck_to_proto(*deck).into(),
            order: order.iter().flatten().map(|place| (*place).into()).collect(),
        }),
        Event::PlayedTaken { seat, from, island } => Wire::PlayedTaken(pb::PlayedTaken {
            seat: seat.0.into(),
            from: from.0.into(),
            island: Some(island_to_proto(*island)),
        }),
        Event::IslandDiscarded { seat, island } => {
            Wire::IslandDiscarded(pb::IslandDiscarded { seat: seat.0.into(), island: Some(island_to_proto(*island)) })
        }
        Event::TreasurePutUnder { deck, treasure } => Wire::TreasurePutUnder(pb::TreasurePutUnder {
            deck: deck_to_proto(*deck).into(),
            treasure: Some(treasure_to_proto(*treasure)),
        }),
        Event::TrickCleared { islands, bonus, first_seat } => Wire::TrickCleared(pb::TrickCleared {
            islands: islands_to_proto(islands.iter().copied()),
            bonus: (*bonus).into(),
            first_seat: first_seat.0.into(),
        }),
        Event::RoundScored { round, scores } => Wire::RoundScored(pb::RoundScored {
            round: (*round).into(),
            scores: scores.iter().map(score_to_proto).collect(),
        }),
        Event::GameEnded { totals, winners } => Wire::GameEnded(pb::GameEnded {
            totals: totals.iter().map(|total| (*total).into()).collect(),
            winners: seats_to_proto(*winners),
        }),
    };
    pb::Event { event: Some(event) }
}

fn lifted_to_proto(lifted: &LiftedIsland) -> pb::LiftedIsland {
    pb::LiftedIsland {
        seat: lifted.seat.0.into(),
        island: Some(island_to_proto(lifted.island)),
        bonus: lifted.bonus.into(),
        value: lifted.value.into(),
    }
}

pub(super) fn colour_won_to_proto(won: &ColourWon) -> pb::ColourWon {
    pb::ColourWon {
        colours: colours_to_proto(won.colours),
        islands: won.islands.into(),
        winner: won.winner.0.into(),
        value: won.value.into(),
        lowest: won.lowest.map(|seat| seat.0.into()),
        prize: Some(match won.prize {
            Prize::Treasure(deck) => pb::colour_won::Prize::Treasure(deck_to_proto(deck).into()),
            Prize::Action(action) => pb::colour_won::Prize::Action(action_card_to_proto(action).into()),
        }),
    }
}

fn score_to_proto(score: &Score) -> pb::Score {
    pb::Score {
        seat: score.seat.0.into(),
        treasure_points: score.treasure_points.into(),
        bonus_points: score.bonus_points.into(),
    }
}
