//! Views.

use divelog_engine::key_largo::{DiveView, LookView, Phase, PlayerView, View, VisitView, WreckView};
use divelog_proto::games::key_largo::v1 as pb;

use super::super::seats_to_proto;
use super::options::tables;
use super::pieces::{card, cards, depth, diver, encounter, encounters, half, place, stock, ware};

pub(super) fn view_to_proto(view: &View) -> pb::View {
    pb::View {
        encounters: view.encounters,
        tables: Some(tables(&view.tables)),
        day: view.day.into(),
        half: half(view.half).into(),
        phase: phase(view.phase).into(),
        first_seat: view.first_seat.0.into(),
        turn: view.turn.map(|seat| seat.0.into()),
        asked: seats_to_proto(view.to_act),
        wrecks: view.wrecks.iter().map(wreck).collect(),
        players: view.players.iter().map(player).collect(),
        reserve: Some(stock(&view.reserve)),
        gone: Some(stock(&view.gone)),
        encounter_deck: encounters(&view.encounter_deck),
        encounters_played: view.encounters_played.iter().map(|played| encounter(*played).into()).collect(),
        sold: cards(&view.sold),
        monsters_killed: cards(&view.monsters_killed),
        removed: cards(&view.removed),
        dive: view.dive.as_ref().map(dive),
        visit: view.visit.as_ref().map(visit),
        looks: view.looks.iter().map(look).collect(),
    }
}

fn phase(phase: Phase) -> pb::Phase {
    match phase {
        Phase::Program => pb::Phase::Program,
        Phase::PlaceBoat => pb::Phase::PlaceBoat,
        Phase::Sabotage => pb::Phase::Sabotage,
        Phase::Dive => pb::Phase::Dive,
        Phase::Monster => pb::Phase::Monster,
        Phase::Bar => pb::Phase::Bar,
        Phase::Dolphins => pb::Phase::Dolphins,
        Phase::Shop => pb::Phase::Shop,
        Phase::Market => pb::Phase::Market,
        Phase::Over => pb::Phase::Over,
        Phase::SecondWreck => pb::Phase::SecondWreck,
    }
}

fn wreck(wreck: &WreckView) -> pb::Wreck {
    pb::Wreck {
        wreck: wreck.wreck.into(),
        depth: depth(wreck.depth).into(),
        cards: cards(&wreck.cards),
        boat: wreck.boat.map(|seat| seat.0.into()),
    }
}

fn player(player: &PlayerView) -> pb::Player {
    pb::Player {
        seat: player.seat.0.into(),
        cash: player.cash,
        programmed: player.programmed,
        morning: player.morning.map(|chosen| place(chosen).into()),
        afternoon: player.afternoon.map(|chosen| place(chosen).into()),
        place: player.place.map(|here| place(here).into()),
        boat: player.boat.map(u32::from),
        divers: player.divers.iter().map(diver).collect(),
        hand: cards(&player.hand),
        encounters: encounters(&player.encounters),
        encounter_played: player.encounter_played.map(|played| encounter(played).into()),
        fortune: player.fortune,
    }
}

fn dive(dive: &DiveView) -> pb::Dive {
    pb::Dive {
        wreck: dive.wreck.into(),
        drawn: cards(&dive.drawn),
        last_was_treasure: dive.last_was_treasure,
        diver_fled: dive.diver_fled,
        last_diver: dive.last_diver.map(u32::from),
        monster: dive.monster.as_ref().map(card),
        set_aside: cards(&dive.set_aside),
    }
}

fn visit(visit: &VisitView) -> pb::Visit {
    let [hoses, tridents, weights] = visit.bought.map(u32::from);
    pb::Visit {
        present: visit.present.into(),
        recruits: visit.recruits.into(),
        pickpockets: visit.pickpockets.into(),
        round_bought: visit.round_bought,
        hoses,
        tridents,
        weights,
        sold: visit.sold,
        dupe: visit.dupe.as_ref().map(|(dupe, _)| card(dupe)),
        dupe_ware: visit.dupe.map(|(_, counted)| ware(counted).into()),
    }
}

fn look(look: &LookView) -> pb::Look {
    pb::Look { seat: look.seat.0.into(), wreck: look.wreck.into(), cards: cards(&look.cards) }
}
