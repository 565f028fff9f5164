//! Actions and options, there and back; and what is refused.

use divelog_engine::{
    Seat,
    captain_carcass::{Action, Card, Diver, Divers, Options, Suit, Variant},
};
use divelog_proto::games::captain_carcass::v1::{self as pb, action::Action as Wire};

use super::super::{names::cards_of, *};
use super::wire;

fn all_cards() -> Vec<Card> {
    Suit::ALL.into_iter().flat_map(cards_of).collect()
}

#[test]
fn every_action_comes_back() {
    let mut actions = vec![Action::Draw, Action::Surface];
    for seat in [0, 1, 3, u8::MAX].map(Seat) {
        actions.extend([Action::NameVictim { seat }, Action::Plunder { seat }]);
        actions.extend(Suit::ALL.map(|suit| Action::Knife { seat, suit }));
        actions.extend(Suit::ALL.map(|suit| Action::Harpoon { seat, suit }));
    }
    actions.extend(Suit::ALL.map(|suit| Action::Net { suit }));
    actions.extend(Suit::ALL.map(|suit| Action::Misfire { suit }));
    actions.extend(all_cards().into_iter().map(|card| Action::PlaceFromMap { card }));
    for action in actions {
        assert_eq!(action_from_proto(&action_to_proto(&action)), Ok(action));
    }
}

#[test]
fn there_are_sixty_cards() {
    assert_eq!(all_cards().len(), 60);
}

#[test]
fn all_options_come_back() {
    let divers = [Divers::None, Divers::Dealt, Divers::Chosen(vec![]), Divers::Chosen(Diver::ALL.to_vec())];
    for divers in divers {
        for variant in [None].into_iter().chain(Variant::ALL.iter().copied().map(Some)) {
            let options = Options { divers: divers.clone(), variant };
            assert_eq!(options_from_proto(&options_to_proto(&options)), Ok(options));
        }
    }
}

#[test]
fn no_options_mean_no_divers_and_no_variant() {
    assert_eq!(options_from_proto(&pb::Options::default()), Ok(Options::default()));
    assert_eq!(options_to_proto(&Options::default()), pb::Options::default());
}

#[test]
fn unreadable_options_are_refused() {
    let chosen = |divers| Some(pb::options::Divers::Chosen(pb::ChosenDivers { divers }));
    let cases = [
        (pb::Options { divers: None, variant: 8 }, "variant is 8, which is unknown: one of 1 (thieves_island), 2 ("),
        (pb::Options { divers: None, variant: -1 }, "variant is -1, which is unknown: "),
        (
            pb::Options { divers: chosen(vec![1, 0]), variant: 0 },
            "chosen.divers[1] is not set: one of 1 (golden_scales), 2 (",
        ),
        (pb::Options { divers: chosen(vec![18]), variant: 0 }, "chosen.divers[0] is 18, which is unknown: "),
        (pb::Options { divers: chosen(vec![i32::MIN]), variant: 0 }, "chosen.divers[0] is -2147483648, which is "),
    ];
    for (options, start) in cases {
        let problem = options_from_proto(&options).unwrap_err();
        assert!(problem.starts_with(start), "{problem}");
    }
}

#[test]
fn unreadable_actions_are_refused() {
    let place = |card| Wire::PlaceFromMap(pb::PlaceFromMap { card });
    let suits = "one of 1 (anchor), 2 (squid), 3 (map), 4 (key), 5 (chest), 6 (knife), 7 (drone), 8 (net), \
                 9 (harpoon), 10 (siren) is expected";
    let cases: [(Option<Wire>, String); 16] = [
        (
            None,
            "the captain_carcass action is empty: draw, surface, name_victim, knife, harpoon, net, misfire, \
             place_from_map or plunder is expected"
                .into(),
        ),
        (
            Some(Wire::NameVictim(pb::NameVictim { seat: 256 })),
            "name_victim.seat is 256: seats are 0 to 3 at most".into(),
        ),
        (Some(Wire::Plunder(pb::Plunder { seat: 257 })), "plunder.seat is 257: seats are 0 to 3 at most".into()),
        (
            Some(Wire::Knife(pb::Knife { seat: u32::MAX, suit: 1 })),
            "knife.seat is 4294967295: seats are 0 to 3 at most".into(),
        ),
        (Some(Wire::Knife(pb::Knife { seat: 1, suit: 0 })), format!("knife.suit is not set: {suits}")),
        (Some(Wire::Knife(pb::Knife { seat: 1, suit: 11 })), format!("knife.suit is 11, which is unknown: {suits}")),
        (
            Some(Wire::Harpoon(pb::Harpoon { seat: 300, suit: 1 })),
            "harpoon.seat is 300: seats are 0 to 3 at most".into(),
        ),
        (Some(Wire::Harpoon(pb::Harpoon { seat: 1, suit: 0 })), format!("harpoon.suit is not set: {suits}")),
        (Some(Wire::Net(pb::Net { suit: 0 })), format!("net.suit is not set: {suits}")),
        (Some(Wire::Misfire(pb::Misfire { suit: -3 })), format!("misfire.suit is -3, which is unknown: {suits}")),
        (Some(place(None)), "place_from_map.card is not set: a card with a suit and a value is expected".into()),
        (Some(place(Some(wire(pb::Suit::Unspecified, 4)))), format!("place_from_map.card.suit is not set: {suits}")),
        (
            Some(place(Some(wire(pb::Suit::Anchor, 0)))),
            "place_from_map.card.value is 0: there is no such anchor, the values are 2, 3, 4, 5, 6, 7".into(),
        ),
        (
            Some(place(Some(wire(pb::Suit::Anchor, 8)))),
            "place_from_map.card.value is 8: there is no such anchor, the values are 2, 3, 4, 5, 6, 7".into(),
        ),
        (
            Some(place(Some(wire(pb::Suit::Siren, 3)))),
            "place_from_map.card.value is 3: there is no such siren, the values are 4, 5, 6, 7, 8, 9".into(),
        ),
        (
            // Cut to eight bits it would be a 4.
            Some(place(Some(wire(pb::Suit::Siren, 260)))),
            "place_from_map.card.value is 260: there is no such siren, the values are 4, 5, 6, 7, 8, 9".into(),
        ),
    ];
    for (action, sentence) in cases {
        assert_eq!(action_from_proto(&pb::Action { action }), Err(sentence));
    }
}
