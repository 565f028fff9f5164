//! What the wire says for what the engine says.

use std::fmt::Debug;

use divelog_engine::{
    Seat, SeatSet,
    captain_carcass::{
        Action, Card, Diver, Divers, Event, ExploredCard, GameEnd, Offer, OpenNet, Options, Phase, PlayerView, Skip,
        Source, Suit, Variant, View,
    },
};
use divelog_proto::games::captain_carcass::v1 as pb;

use super::super::{names, *};
use super::wire;

fn card(suit: Suit, value: u8) -> Card {
    Card::new(suit, value).unwrap()
}

/// The protos promise it, and records of the log depend on it.
#[test]
fn numbers_are_those_of_the_rules() {
    let options = Options { divers: Divers::Chosen(Diver::ALL.to_vec()), variant: Some(Variant::BottomFeeder) };
    let wire = options_to_proto(&options);
    assert_eq!(wire.variant, 7);
    let Some(pb::options::Divers::Chosen(chosen)) = wire.divers else { panic!("{wire:?}") };
    assert_eq!(chosen.divers, (1..=17).collect::<Vec<i32>>());
}

#[test]
fn both_sides_use_the_same_names() {
    use names::*;
    const PHASES: [Phase; 9] = {
        use Phase::*;
        [NameVictim, Explore, Knife, Harpoon, Net, Misfire, Map, Plunder, Over]
    };
    const SKIPS: [Skip; 5] = {
        use Skip::*;
        [EmptyGraveyard, EmptyDrawPile, EmptyHold, NoOpponentHasCards, NoSuitToTake]
    };
    let mut pairs: Vec<(String, String)> = Vec::new();
    let mut pair = |ours: &dyn Debug, wire: &dyn Debug| pairs.push((format!("{ours:?}"), format!("{wire:?}")));
    for suit in Suit::ALL {
        pair(&suit, &suit_to_proto(suit));
    }
    for variant in Variant::ALL {
        pair(variant, &variant_to_proto(Some(*variant)));
    }
    for diver in Diver::ALL {
        pair(diver, &diver_to_proto(*diver));
    }
    for phase in PHASES {
        pair(&phase, &phase_to_proto(phase));
    }
    for source in [Source::DrawPile, Source::Graveyard, Source::OwnHold, Source::OpponentHold] {
        pair(&source, &source_to_proto(source));
    }
    for skip in SKIPS {
        pair(&skip, &skip_to_proto(skip));
    }
    for end in [GameEnd::DrawPileEmpty, GameEnd::SuddenDeath] {
        pair(&end, &end_to_proto(end));
    }
    for (ours, wire) in pairs {
        assert_eq!(ours, wire);
    }
}

#[test]
fn offers_are_one_action_or_the_cards_of_a_map() {
    use pb::legal_action::LegalAction;
    let single = offer_to_proto(&Offer::Single(Action::Draw)).legal_action;
    assert_eq!(single, Some(LegalAction::Action(action_to_proto(&Action::Draw))));
    let cards = vec![card(Suit::Key, 2), card(Suit::Siren, 9)];
    let family = offer_to_proto(&Offer::PlaceAnyFromMap { cards }).legal_action;
    let cards = vec![wire(pb::Suit::Key, 2), wire(pb::Suit::Siren, 9)];
    assert_eq!(family, Some(LegalAction::PlaceAnyFromMap(pb::PlaceAnyFromMap { cards })));
}

#[test]
fn events_keep_what_they_say() {
    use pb::event::Event as Wire;
    let (key, anchor) = (card(Suit::Key, 2), card(Suit::Anchor, 7));
    let cases = [
        (
            Event::Entered { seat: Seat(1), card: key, source: Source::OwnHold, squid_demand: 1 },
            Wire::Entered(pb::Entered {
                seat: 1,
                card: Some(wire(pb::Suit::Key, 2)),
                source: pb::Source::OwnHold.into(),
                squid_demand: 1,
            }),
        ),
        (
            Event::Lost { seat: Seat(0), cards: vec![key, anchor], to_hold_of: Some(Seat(2)) },
            Wire::Lost(pb::Lost {
                seat: 0,
                cards: vec![wire(pb::Suit::Key, 2), wire(pb::Suit::Anchor, 7)],
                to_hold_of: Some(2),
            }),
        ),
        (
            Event::EffectSkipped { seat: Seat(1), suit: Suit::Chest, skip: Skip::EmptyGraveyard },
            Wire::EffectSkipped(pb::EffectSkipped {
                seat: 1,
                suit: pb::Suit::Chest.into(),
                skip: pb::Skip::EmptyGraveyard.into(),
            }),
        ),
        (
            Event::Knifed { seat: Seat(1), victim: Seat(0), cards: vec![anchor], to_hold_of: None },
            Wire::Knifed(pb::Knifed { seat: 1, victim: 0, cards: vec![wire(pb::Suit::Anchor, 7)], to_hold_of: None }),
        ),
        (
            Event::GameEnded { cause: GameEnd::SuddenDeath, points: vec![-5, 50], winners: SeatSet::only(Seat(1)) },
            Wire::GameEnded(pb::GameEnded {
                cause: pb::GameEnd::SuddenDeath.into(),
                points: vec![-5, 50],
                winners: vec![1],
            }),
        ),
    ];
    for (event, wire) in cases {
        assert_eq!(event_to_proto(&event).event, Some(wire));
    }
}

#[test]
fn a_view_keeps_what_it_shows() {
    let (net, key, siren) = (card(Suit::Net, 5), card(Suit::Key, 2), card(Suit::Siren, 9));
    let view = View {
        variant: Some(Variant::StrangeLands),
        phase: Phase::Net,
        to_act: Some(Seat(1)),
        turn: Seat(1),
        first_seat: Seat(0),
        players: vec![PlayerView {
            seat: Seat(0),
            diver: Some(Diver::Saboteuse),
            victim: Some(Seat(1)),
            hold: vec![key],
            points: -48,
        }],
        exploration: vec![ExploredCard { card: net, source: Source::DrawPile }],
        turned_up: true,
        squid_demand: 2,
        open_nets: vec![OpenNet { card: net, catches: 2 }],
        draw_pile_size: 40,
        draw_pile: vec![siren],
        graveyard_size: 12,
        graveyard: vec![key],
        drone_count: 1,
        drone_cards: vec![siren],
        map_count: 3,
        map_cards: vec![key],
        plunder_count: 4,
    };
    let (net, key, siren) = (wire(pb::Suit::Net, 5), wire(pb::Suit::Key, 2), wire(pb::Suit::Siren, 9));
    let expected = pb::View {
        variant: pb::Variant::StrangeLands.into(),
        phase: pb::Phase::Net.into(),
        asked: Some(1),
        turn: 1,
        first_seat: 0,
        players: vec![pb::Player {
            seat: 0,
            diver: pb::Diver::Saboteuse.into(),
            victim: Some(1),
            hold: vec![key],
            points: -48,
        }],
        exploration: vec![pb::ExploredCard { card: Some(net), source: pb::Source::DrawPile.into() }],
        turned_up: true,
        squid_demand: 2,
        open_nets: vec![pb::OpenNet { card: Some(net), catches: 2 }],
        draw_pile_size: 40,
        draw_pile: vec![siren],
        graveyard_size: 12,
        graveyard: vec![key],
        drone_count: 1,
        drone_cards: vec![siren],
        map_count: 3,
        map_cards: vec![key],
        plunder_count: 4,
    };
    assert_eq!(view_to_proto(&view), expected);
}
