//! A sentence for every event.

use divelog_proto::games::captain_carcass::v1::{
    BonusEarned, BonusTaken, DemandVoided, Diver, Drew, FirstSeatDrawn, GraveyardShuffled, HarpoonParried, Harpooned,
    IncidentCaused, Lost, Misfired, PlacedFromMap, Plundered, Saved, TurnStarted, VictimNamed, WentStraightToHold,
};

use super::super::fixtures::{card, cards};
use super::*;

fn describe(event: Event) -> String {
    sentence(&Message { event: Some(event) }, &Seating::new(["Ana", ""]), Lang::En).unwrap()
}

fn check(cases: impl IntoIterator<Item = (Event, &'static str)>) {
    for (event, text) in cases {
        assert_eq!(describe(event), text);
    }
}

fn entered(source: Source, squid_demand: u32) -> Event {
    Event::Entered(Entered { seat: 0, card: card("key-4"), source: source.into(), squid_demand })
}

fn skipped(suit: Suit, skip: Skip) -> Event {
    Event::EffectSkipped(EffectSkipped { seat: 0, suit: suit.into(), skip: skip.into() })
}

fn ended(cause: GameEnd, points: [i32; 2], winners: &[u32]) -> Event {
    Event::GameEnded(GameEnded { cause: cause.into(), points: points.to_vec(), winners: winners.to_vec() })
}

#[test]
fn the_set_up() {
    let divers = vec![Diver::Mystic.into(), Diver::SafeHarbor.into()];
    let piles = PilesLaid { draw_pile_size: 50, graveyard_size: 10, ..Default::default() };
    check([
        (
            Event::DiversGiven(DiversGiven { divers: divers.clone(), dealt: true }),
            "The divers are dealt: Ana (seat 0) mystic, seat 1 safe harbor.",
        ),
        (
            Event::DiversGiven(DiversGiven { divers, dealt: false }),
            "The divers are chosen: Ana (seat 0) mystic, seat 1 safe harbor.",
        ),
        (Event::PilesLaid(piles.clone()), "The draw pile has 50 cards; the graveyard has 10 cards."),
        (
            Event::PilesLaid(PilesLaid { draw_pile: cards("key-4 map-3"), graveyard: cards("net-2"), ..piles }),
            "The draw pile has 50 cards: key-4, map-3; the graveyard has 10 cards: net-2.",
        ),
        (Event::FirstSeatDrawn(FirstSeatDrawn { seat: 1 }), "seat 1 goes first."),
        (
            Event::VictimNamed(VictimNamed { seat: 1, victim: 0 }),
            "seat 1, who has the saboteuse, names Ana (seat 0) as the victim.",
        ),
    ]);
}

#[test]
fn turns() {
    check([
        (Event::TurnStarted(TurnStarted { seat: 0 }), "Turn of Ana (seat 0)."),
        (
            Event::Drew(Drew { seat: 0, card: card("key-4"), draw_pile_size: 1 }),
            "Ana (seat 0) turns up key-4; the draw pile has 1 card left.",
        ),
        (
            Event::DemandVoided(DemandVoided { seat: 0, squid_demand: 2 }),
            "The draw pile is empty: the squid asks Ana (seat 0) for nothing more (2 cards due).",
        ),
        (
            Event::WentStraightToHold(WentStraightToHold { seat: 1, card: card("siren-6") }),
            "siren-6 goes straight to the hold of seat 1.",
        ),
        (entered(Source::DrawPile, 0), "key-4 enters the exploration."),
        (entered(Source::DrawPile, 1), "key-4 enters the exploration; the squid still asks for 1 card."),
        (entered(Source::Graveyard, 0), "key-4 enters the exploration from the graveyard."),
        (entered(Source::OwnHold, 0), "key-4 enters the exploration from the hold of Ana (seat 0)."),
        (entered(Source::OpponentHold, 0), "key-4 enters the exploration from an opponent's hold."),
        (
            Event::Surfaced(Surfaced { seat: 0, cards: cards("key-4 net-3") }),
            "Ana (seat 0) surfaces and collects key-4, net-3.",
        ),
        (Event::Surfaced(Surfaced { seat: 0, cards: vec![] }), "Ana (seat 0) surfaces and collects nothing."),
    ]);
}

#[test]
fn effects() {
    let squid = |asks, squid_demand| Event::SquidAsked(SquidAsked { seat: 0, asks, squid_demand });
    let knifed = |cards, to_hold_of| Event::Knifed(Knifed { seat: 0, victim: 1, cards, to_hold_of });
    let netted = |second| Event::Netted(Netted { seat: 0, card: card("squid-5"), second });
    check([
        (squid(2, 2), "The squid asks Ana (seat 0) for 2 cards."),
        (squid(2, 3), "The squid asks Ana (seat 0) for 2 cards more: 3 in all."),
        (knifed(cards("anchor-7"), None), "Ana (seat 0) cuts anchor-7 out of the hold of seat 1, into the graveyard."),
        (
            knifed(cards("net-3 net-6"), Some(0)),
            "Ana (seat 0) cuts net-3, net-6 out of the hold of seat 1, into the hold of Ana (seat 0).",
        ),
        (
            Event::Misfired(Misfired { seat: 0, owner: 1, card: card("key-4") }),
            "The knife misfires because of seat 1: Ana (seat 0) sends key-4 to the graveyard.",
        ),
        (netted(false), "Ana (seat 0) nets squid-5 out of their own hold."),
        (netted(true), "Ana (seat 0) nets squid-5 out of their own hold, the second card of the net."),
        (
            Event::Harpooned(Harpooned { seat: 0, victim: 1, card: card("net-3") }),
            "Ana (seat 0) harpoons net-3 out of the hold of seat 1.",
        ),
        (
            Event::HarpoonParried(HarpoonParried { seat: 0, owner: 1, card: card("harpoon-5") }),
            "seat 1 parries: harpoon-5 of Ana (seat 0) goes to the graveyard.",
        ),
        (
            Event::PlacedFromMap(PlacedFromMap { seat: 0, card: card("key-2") }),
            "Ana (seat 0) takes key-2 from the map.",
        ),
    ]);
}

#[test]
fn effects_without_effect() {
    check([
        (skipped(Suit::Map, Skip::EmptyGraveyard), "The map has no effect: the graveyard is empty."),
        (skipped(Suit::Drone, Skip::EmptyDrawPile), "The drone has no effect: the draw pile is empty."),
        (skipped(Suit::Net, Skip::EmptyHold), "The net has no effect: the hold of Ana (seat 0) is empty."),
        (skipped(Suit::Knife, Skip::NoOpponentHasCards), "The knife has no effect: no opponent has cards."),
        (
            skipped(Suit::Harpoon, Skip::NoSuitToTake),
            "The harpoon has no effect: no opponent has a suit that may be taken.",
        ),
        (skipped(Suit::Chest, Skip::EmptyGraveyard), "There is no bonus for Ana (seat 0): the graveyard is empty."),
    ]);
}

#[test]
fn hidden_cards_are_left_out() {
    let shuffled = |order| Event::GraveyardShuffled(GraveyardShuffled { size: 12, order });
    let map = |cards| Event::MapShowed(MapShowed { seat: 0, count: 3, cards });
    let drone = |cards| Event::DroneShowed(DroneShowed { seat: 0, count: 1, cards });
    check([
        (shuffled(vec![]), "The graveyard of 12 cards is shuffled."),
        (shuffled(cards("net-2 key-2")), "The graveyard of 12 cards is shuffled: net-2, key-2."),
        (map(vec![]), "The map shows Ana (seat 0) 3 cards of the graveyard."),
        (
            map(cards("net-2 key-2 siren-4")),
            "The map shows Ana (seat 0) 3 cards of the graveyard: net-2, key-2, siren-4.",
        ),
        (drone(vec![]), "The drone shows Ana (seat 0) the top of the draw pile, 1 card."),
        (drone(cards("siren-9")), "The drone shows Ana (seat 0) the top of the draw pile, 1 card: siren-9."),
    ]);
}

#[test]
fn incidents_and_bonuses() {
    let lost = |to_hold_of| Event::Lost(Lost { seat: 0, cards: cards("anchor-4 siren-7"), to_hold_of });
    check([
        (
            Event::IncidentCaused(IncidentCaused { seat: 0, card: card("siren-7") }),
            "Incident! siren-7 cannot enter, and the turn of Ana (seat 0) ends.",
        ),
        (
            Event::Saved(Saved { seat: 0, cards: cards("siren-5 knife-3") }),
            "Ana (seat 0) still collects siren-5, knife-3.",
        ),
        (lost(None), "Ana (seat 0) loses anchor-4, siren-7 to the graveyard."),
        (lost(Some(1)), "Ana (seat 0) loses anchor-4, siren-7 to the hold of seat 1."),
        (
            Event::BonusEarned(BonusEarned { seat: 0, count: 4 }),
            "The key and the chest earn Ana (seat 0) a bonus of 4 cards.",
        ),
        (
            Event::BonusTaken(BonusTaken { seat: 0, cards: cards("net-2 key-2") }),
            "Ana (seat 0) takes the bonus from the graveyard: net-2, key-2.",
        ),
        (
            Event::Plundered(Plundered { seat: 0, victim: 1, cards: cards("net-2 key-2") }),
            "Ana (seat 0) plunders the hold of seat 1: net-2, key-2.",
        ),
    ]);
}

#[test]
fn the_end() {
    check([
        (
            ended(GameEnd::DrawPileEmpty, [41, 30], &[0]),
            "The game is over, the draw pile is empty: Ana (seat 0) 41, seat 1 30. Ana (seat 0) wins.",
        ),
        (
            ended(GameEnd::SuddenDeath, [50, 50], &[0, 1]),
            "The game is over, by sudden death: Ana (seat 0) 50, seat 1 50. Ana (seat 0), seat 1 share the win.",
        ),
        (ended(GameEnd::Unspecified, [60, -5], &[]), "The game is over: Ana (seat 0) 60, seat 1 -5. Nobody wins."),
    ]);
}

#[test]
fn french_names_stand_beside_the_english_ones() {
    let describe = |event| sentence(&Message { event: Some(event) }, &Seating::default(), Lang::Fr).unwrap();
    assert_eq!(
        describe(Event::Lost(Lost { seat: 0, cards: cards("anchor-4 siren-7"), to_hold_of: None })),
        "seat 0 loses anchor-4 (Ancre), siren-7 (Sirène) to the graveyard (Cimetière marin)."
    );
    assert_eq!(
        describe(Event::Harpooned(Harpooned { seat: 0, victim: 1, card: card("squid-3") })),
        "seat 0 harpoons squid-3 (Calamar géant) out of the hold (Cale) of seat 1."
    );
    assert_eq!(
        describe(Event::GraveyardShuffled(GraveyardShuffled { size: 2, order: vec![] })),
        "The graveyard (Cimetière marin) of 2 cards is shuffled."
    );
    assert_eq!(
        describe(skipped(Suit::Drone, Skip::EmptyDrawPile)),
        "The drone (Drone explorateur) has no effect: the draw pile (pioche Butin) is empty."
    );
}

#[test]
fn what_is_newer_than_this_client() {
    assert_eq!(sentence(&Message { event: None }, &Seating::default(), Lang::En), None);
    check([
        (
            Event::DiversGiven(DiversGiven { divers: vec![99, 0], dealt: true }),
            "The divers are dealt: Ana (seat 0) diver 99, seat 1 none.",
        ),
        (
            Event::EffectSkipped(EffectSkipped { seat: 0, suit: 99, skip: 99 }),
            "The ?99 has no effect: for a reason unknown to this client.",
        ),
        (
            Event::Entered(Entered { seat: 4_000_000_000, card: None, source: 99, squid_demand: 0 }),
            "a card enters the exploration.",
        ),
    ]);
}
