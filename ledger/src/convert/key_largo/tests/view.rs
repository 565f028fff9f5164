//! Cards, events and views.

use std::sync::Arc;

use divelog_engine::{Seat, SeatSet, key_largo::*};
use divelog_proto::games::key_largo::v1 as pb;

use super::super::{event_to_proto, options, pieces, view_to_proto};

/// The numbers of the engine's types are those of the wire, so that one document serves for both.
#[test]
fn numbers_agree() {
    for encounter in Encounter::ALL {
        assert_eq!(pieces::encounter(encounter) as i32, encounter as i32);
    }
    for place in Place::ALL {
        assert_eq!(pieces::place(place) as i32, place as i32);
    }
    for depth in Depth::ALL {
        assert_eq!(pieces::depth(depth) as i32, depth as i32);
    }
    for item in Item::ALL {
        assert_eq!(pieces::item(item) as i32, item as i32);
    }
    for ware in Ware::ALL {
        assert_eq!(pieces::ware(ware) as i32, ware as i32);
    }
}

fn gold(value: u16) -> Card {
    Card { depth: Depth::Medium, face: Some(Face { kind: CardKind::Gold, value }), id: Some(CardId(0)) }
}

#[test]
fn hidden_cards_show_their_backs_and_zeros_are_not_absent() {
    let shown = pb::Card { depth: 2, kind: pb::CardKind::Gold.into(), value: Some(0), id: Some(0) };
    assert_eq!(pieces::card(&gold(0)), shown);
    assert_eq!(pieces::card(&gold(3).without_id()), pb::Card { value: Some(3), id: None, ..shown });
    assert_eq!(pieces::card(&gold(3).hidden()), pb::Card { kind: 0, value: None, id: None, ..shown });
    assert_eq!(pieces::encounters(&[None, Some(Encounter::Family)]), [0, 13]);
}

#[test]
fn events_keep_what_is_there_and_what_is_not() {
    use pb::event::Event as Wire;
    let cases = [
        (
            Event::Programmed { seat: Seat(1), morning: None, afternoon: Some(Place::Bar) },
            Wire::Programmed(pb::Programmed { seat: 1, morning: None, afternoon: Some(pb::Place::Bar.into()) }),
        ),
        (
            Event::EncounterDrawn { seat: Seat(0), encounter: None },
            Wire::EncounterDrawn(pb::EncounterDrawn { seat: 0, encounter: 0 }),
        ),
        (
            Event::EncounterPlayed {
                seat: Seat(2),
                encounter: Encounter::Dupe,
                target_seat: None,
                diver: None,
                wreck: None,
                dupe: Some(gold(3).hidden()),
                ware: Some(Ware::Goods),
            },
            Wire::EncounterPlayed(pb::EncounterPlayed {
                seat: 2,
                encounter: pb::Encounter::Dupe.into(),
                target_seat: None,
                diver: None,
                wreck: None,
                dupe: Some(pieces::card(&gold(3).hidden())),
                ware: Some(pb::Ware::Goods.into()),
            }),
        ),
        (
            Event::GameEnded { fortunes: vec![100, 250, 250], winners: SeatSet::from_iter([Seat(1), Seat(2)]) },
            Wire::GameEnded(pb::GameEnded { fortunes: vec![100, 250, 250], winners: vec![1, 2] }),
        ),
    ];
    for (event, wire) in cases {
        assert_eq!(event_to_proto(&event), pb::Event { event: Some(wire) });
    }
}

fn view() -> View {
    View {
        encounters: true,
        tables: Arc::new(Tables::reconstructed(Rules::V2)),
        day: 3,
        half: Half::Afternoon,
        phase: Phase::Market,
        first_seat: Seat(2),
        turn: Some(Seat(1)),
        to_act: SeatSet::from_iter([Seat(1)]),
        wrecks: vec![WreckView { wreck: 4, depth: Depth::Deep, cards: vec![gold(1).hidden()], boat: Some(Seat(0)) }],
        players: vec![PlayerView {
            seat: Seat(1),
            cash: 70,
            programmed: true,
            morning: Some(Place::Dive),
            afternoon: None,
            place: Some(Place::Market),
            boat: None,
            divers: vec![Diver { hoses: 2, trident: true, weight: false, sabotaged: false, has_drawn: true }],
            hand: vec![gold(3)],
            encounters: vec![None],
            encounter_played: Some(Encounter::Dupe),
            fortune: Some(130),
        }],
        reserve: Stock { divers: 11, items: [18, 9, 10] },
        gone: Stock { divers: 1, items: [2, 1, 0] },
        encounter_deck: vec![None, None],
        encounters_played: vec![Encounter::Dupe],
        sold: vec![gold(2).without_id()],
        monsters_killed: vec![],
        removed: vec![gold(2).hidden()],
        dive: None,
        visit: Some(VisitView {
            present: 2,
            recruits: 0,
            pickpockets: 0,
            round_bought: false,
            bought: [1, 2, 3],
            sold: true,
            dupe: Some((gold(3), Ware::Antiques)),
        }),
        looks: vec![LookView { seat: Seat(1), wreck: 4, cards: vec![gold(1).without_id()] }],
    }
}

#[test]
fn a_view_keeps_every_part() {
    let wire = view_to_proto(&view());
    assert_eq!(wire.tables, Some(options::tables(&Tables::reconstructed(Rules::V2))));
    assert_eq!((wire.day, wire.half(), wire.phase()), (3, pb::Half::Afternoon, pb::Phase::Market));
    assert_eq!((wire.first_seat, wire.turn, wire.asked), (2, Some(1), vec![1]));
    assert_eq!((wire.wrecks[0].wreck, wire.wrecks[0].depth(), wire.wrecks[0].boat), (4, pb::Depth::Deep, Some(0)));
    assert_eq!(wire.reserve, Some(pb::Stock { divers: 11, hoses: 18, tridents: 9, weights: 10 }));
    assert_eq!(wire.gone, Some(pb::Stock { divers: 1, hoses: 2, tridents: 1, weights: 0 }));
    assert_eq!((wire.encounter_deck, wire.encounters_played), (vec![0, 0], vec![21]));
    assert_eq!((wire.sold.len(), wire.monsters_killed.len(), wire.removed.len()), (1, 0, 1));
    let player = &wire.players[0];
    assert_eq!((player.morning, player.afternoon, player.place), (Some(1), None, Some(5)));
    assert_eq!((player.cash, player.boat, player.fortune), (70, None, Some(130)));
    assert_eq!((player.encounters.as_slice(), player.encounter_played), ([0].as_slice(), Some(21)));
    assert_eq!(
        player.divers,
        [pb::Diver { hoses: 2, trident: true, weight: false, sabotaged: false, has_drawn: true }]
    );
    let visit = wire.visit.unwrap();
    assert_eq!((visit.hoses, visit.tridents, visit.weights), (1, 2, 3));
    assert_eq!((visit.dupe.unwrap().value, visit.dupe_ware), (Some(3), Some(3)));
    assert_eq!((wire.looks[0].seat, wire.looks[0].cards[0].id), (1, None));
    assert!(wire.dive.is_none());
}

#[test]
fn a_dive_keeps_every_part() {
    let monster = Card { face: Some(Face { kind: CardKind::Monster, value: 0 }), ..gold(0) };
    let dive = DiveView {
        wreck: 4,
        drawn: vec![gold(3)],
        last_was_treasure: false,
        diver_fled: true,
        last_diver: Some(0),
        monster: Some(monster),
        set_aside: vec![monster, monster],
    };
    let wire = view_to_proto(&View { dive: Some(dive), visit: None, ..view() }).dive.unwrap();
    assert_eq!((wire.wreck, wire.last_was_treasure, wire.diver_fled, wire.last_diver), (4, false, true, Some(0)));
    assert_eq!((wire.drawn.len(), wire.set_aside.len()), (1, 2));
    assert_eq!(wire.monster.unwrap().kind(), pb::CardKind::Monster);
}
