//! The table, for the wire. It holds only what its viewer may see.

use divelog_engine::captain_carcass::{ExploredCard, OpenNet, PlayerView, View};
use divelog_proto::games::captain_carcass::v1 as pb;

use super::names::{card_to_proto, cards_to_proto, diver_to_proto, phase_to_proto, source_to_proto, variant_to_proto};

pub(super) fn view_to_proto(view: &View) -> pb::View {
    pb::View {
        variant: variant_to_proto(view.variant).into(),
        phase: phase_to_proto(view.phase).into(),
        asked: view.to_act.map(|seat| seat.0.into()),
        turn: view.turn.0.into(),
        first_seat: view.first_seat.0.into(),
        players: view.players.iter().map(player_to_proto).collect(),
        exploration: view.exploration.iter().map(explored_to_proto).collect(),
        turned_up: view.turned_up,
        squid_demand: view.squid_demand.into(),
        open_nets: view.open_nets.iter().map(open_net_to_proto).collect(),
        draw_pile_size: view.draw_pile_size.into(),
        draw_pile: cards_to_proto(&view.draw_pile),
        graveyard_size: view.graveyard_size.into(),
        graveyard: cards_to_proto(&view.graveyard),
        drone_count: view.drone_count.into(),
        drone_cards: cards_to_proto(&view.drone_cards),
        map_count: view.map_count.into(),
        map_cards: cards_to_proto(&view.map_cards),
        plunder_count: view.plunder_count.into(),
    }
}

fn player_to_proto(player: &PlayerView) -> pb::Player {
    pb::Player {
        seat: player.seat.0.into(),
        diver: player.diver.map_or(pb::Diver::Unspecified, diver_to_proto).into(),
        victim: player.victim.map(|seat| seat.0.into()),
        hold: cards_to_proto(&player.hold),
        points: player.points,
    }
}

fn open_net_to_proto(net: &OpenNet) -> pb::OpenNet {
    pb::OpenNet { card: Some(card_to_proto(net.card)), catches: net.catches.into() }
}

fn explored_to_proto(explored: &ExploredCard) -> pb::ExploredCard {
    pb::ExploredCard { card: Some(card_to_proto(explored.card)), source: source_to_proto(explored.source).into() }
}
