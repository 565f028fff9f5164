//! A sentence for every event.

use divelog_proto::games::key_largo::v1::{
    BoatPlaced, Bought, Card, CardDrawn, CardKind, CardStolen, CardsSold, Depth, DiveLost, DiverFled, DolphinsPaid,
    DrawCause, EncounterDrawn, EncountersShuffled, HalfDayEnded, Item, MonsterKilled, MonstersReturned,
    PickpocketHired, Recruited, RoundBought, SabotagePassed, SaleWay, SecondWreckDeclined, SecondWreckNamed, Surfaced,
    VisitEnded, Ware, WeightUsed, WreckGone, WreckSeen, WreckShuffled,
};

use super::super::fixtures::{back, shown, with_id};
use super::*;

fn describe(event: Event, lang: Lang) -> String {
    sentence(&Message { event: Some(event) }, &Seating::new(["Ana", "Ben", ""]), lang).unwrap()
}

fn check<const N: usize>(cases: [(Event, &str); N]) {
    for (event, text) in cases {
        assert_eq!(describe(event, Lang::En), text);
    }
}

fn gold(value: u32) -> Card {
    shown(Depth::Medium, CardKind::Gold, value)
}

fn monster() -> Card {
    shown(Depth::Deep, CardKind::Monster, 0)
}

#[test]
fn set_up_and_end() {
    check([
        (
            Event::GameStarted(GameStarted { encounters: true, tables: None }),
            "Ten days on Key Largo begin, with encounter cards.",
        ),
        (
            Event::WrecksLaid(WrecksLaid { shallow: 3, medium: 4, deep: 4, cards: vec![] }),
            "The wrecks are laid out: 3 shallow, 4 medium and 4 deep.",
        ),
        (Event::EncountersShuffled(EncountersShuffled { deck: vec![0; 24] }), "The 24 encounter cards are shuffled."),
        (
            Event::GameEnded(GameEnded { fortunes: vec![300, 120, 90], winners: vec![0] }),
            "The game is over: Ana (seat 0) $300, Ben (seat 1) $120 and seat 2 $90. Ana (seat 0) wins.",
        ),
        (
            Event::GameEnded(GameEnded { fortunes: vec![300, 300], winners: vec![0, 1] }),
            "The game is over: Ana (seat 0) $300 and Ben (seat 1) $300. Ana (seat 0), Ben (seat 1) share the win.",
        ),
    ]);
}

#[test]
fn days() {
    let programmed = |morning: Option<Place>, afternoon: Option<Place>| {
        Event::Programmed(Programmed {
            seat: 0,
            morning: morning.map(Into::into),
            afternoon: afternoon.map(Into::into),
        })
    };
    check([
        (Event::DayStarted(DayStarted { day: 7, first_seat: 1 }), "Day 7 begins, a Thursday; Ben (seat 1) goes first."),
        (Event::DayStarted(DayStarted { day: 8, first_seat: 2 }), "Day 8 begins, a Friday; seat 2 goes first."),
        (programmed(None, None), "Ana (seat 0) has chosen the places of the day."),
        (
            programmed(Some(Place::Dive), Some(Place::Bar)),
            "Ana (seat 0) chooses dive for the morning and bar for the afternoon.",
        ),
        (
            Event::PlacesRevealed(PlacesRevealed {
                half: Half::Afternoon.into(),
                places: vec![Place::Bar.into(), Place::Dolphins.into(), 77],
            }),
            "The places of the afternoon: Ana (seat 0) bar, Ben (seat 1) dolphins, seat 2 unknown.",
        ),
        (Event::VisitEnded(VisitEnded { seat: 1, place: Place::Shop.into() }), "Ben (seat 1) leaves the shop."),
        (Event::HalfDayEnded(HalfDayEnded { half: Half::Morning.into() }), "The morning is over, and the boats leave."),
    ]);
}

#[test]
fn dives() {
    let drawn = |cause: DrawCause, card| {
        Event::CardDrawn(CardDrawn { seat: 0, diver: 1, wreck: 3, cause: cause.into(), card: Some(card) })
    };
    let fled = |hoses, weight| Event::DiverFled(DiverFled { seat: 1, diver: 0, hoses, weight });
    check([
        (Event::BoatPlaced(BoatPlaced { seat: 0, wreck: 3 }), "Ana (seat 0) places the boat on wreck 3."),
        (Event::DiveLost(DiveLost { seat: 2 }), "seat 2 finds no wreck to dive on: the action is lost."),
        (Event::WeightUsed(WeightUsed { seat: 0, diver: 1 }), "Diver 1 of Ana (seat 0) uses up a weight."),
        (drawn(DrawCause::Turn, back(Depth::Shallow)), "Diver 1 of Ana (seat 0) draws a shallow card from wreck 3."),
        (
            drawn(DrawCause::Replacement, with_id(gold(4), 31)),
            "Diver 1 of Ana (seat 0) draws gold 4 (card 31) from wreck 3 in place of the monster killed.",
        ),
        (drawn(DrawCause::Weight, monster()), "Diver 1 of Ana (seat 0) meets a monster in wreck 3!"),
        (
            drawn(DrawCause::AttentiveDiver, back(Depth::Deep)),
            "Diver 1 of Ana (seat 0) draws a deep card from wreck 3 as its last card.",
        ),
        (
            Event::MonsterKilled(MonsterKilled { seat: 0, trident_of: 0, wreck: 3, card: Some(monster()) }),
            "Diver 0 of Ana (seat 0) gives up a trident, which kills the monster in wreck 3.",
        ),
        (fled(0, false), "Diver 0 of Ben (seat 1) flees and is lost for good."),
        (fled(2, true), "Diver 0 of Ben (seat 1) flees and is lost for good, with 2 hoses and a weight."),
        (
            Event::MonstersReturned(MonstersReturned { wreck: 3, cards: vec![monster()] }),
            "1 monster goes back into wreck 3.",
        ),
        (
            Event::MonstersReturned(MonstersReturned { wreck: 3, cards: vec![monster(); 2] }),
            "2 monsters go back into wreck 3.",
        ),
        (
            Event::WreckShuffled(WreckShuffled { wreck: 3, cards: vec![back(Depth::Deep); 4] }),
            "The cards of wreck 3 are shuffled.",
        ),
        (
            Event::WreckShuffled(WreckShuffled { wreck: 3, cards: vec![monster(), gold(2)] }),
            "The cards of wreck 3 are shuffled; from the top: monster, gold 2.",
        ),
        (Event::WreckGone(WreckGone { wreck: 3 }), "The last card of wreck 3 is drawn: it is gone."),
        (Event::Surfaced(Surfaced { seat: 0, wreck: 3 }), "Ana (seat 0) ends the dive on wreck 3."),
    ]);
}

#[test]
fn bar_and_dolphins() {
    let stolen = |card| Event::CardStolen(CardStolen { thief: 0, victim: 1, card: Some(card) });
    let seen = |cards| Event::WreckSeen(WreckSeen { seat: 0, wreck: 3, cards });
    let met = |encounter: Encounter| Event::EncounterDrawn(EncounterDrawn { seat: 0, encounter: encounter.into() });
    check([
        (
            Event::Recruited(Recruited { seat: 0, price: 80, with_hose: false }),
            "Ana (seat 0) recruits a diver for $80.",
        ),
        (
            Event::Recruited(Recruited { seat: 0, price: 80, with_hose: true }),
            "Ana (seat 0) recruits a diver for $80, who brings a hose.",
        ),
        (
            Event::PickpocketHired(PickpocketHired { seat: 0, victim: 1, depth: Depth::Deep.into(), price: 60 }),
            "Ana (seat 0) hires a pickpocket for $60 to steal a deep card from Ben (seat 1).",
        ),
        (stolen(back(Depth::Deep)), "Ana (seat 0) takes a deep card from Ben (seat 1)."),
        (stolen(with_id(gold(4), 31)), "Ana (seat 0) takes gold 4 (card 31) from Ben (seat 1)."),
        (
            Event::RoundBought(RoundBought { seat: 0, wrecks: vec![3, 7], price: 20 }),
            "Ana (seat 0) buys a round for $20 and asks about wreck 3 and wreck 7.",
        ),
        (
            Event::RoundBought(RoundBought { seat: 0, wrecks: vec![3], price: 20 }),
            "Ana (seat 0) buys a round for $20 and asks about wreck 3.",
        ),
        (Event::SecondWreckNamed(SecondWreckNamed { seat: 0, wreck: 7 }), "Ana (seat 0) asks about wreck 7 as well."),
        (Event::SecondWreckDeclined(SecondWreckDeclined { seat: 1 }), "Ben (seat 1) asks about no second wreck."),
        (seen(vec![]), "Ana (seat 0) looks into wreck 3."),
        (seen(vec![monster(), gold(2)]), "Ana (seat 0) looks into wreck 3: monster, gold 2."),
        (Event::DolphinsPaid(DolphinsPaid { seat: 0, amount: 40 }), "Ana (seat 0) earns $40 with the dolphins."),
        (met(Encounter::Unspecified), "Ana (seat 0) draws an encounter card."),
        (met(Encounter::HastyBuyer), "Ana (seat 0) meets the hasty-buyer."),
    ]);
}

#[test]
fn shop_and_market() {
    let sold = |way: SaleWay, cards: &[Card], ware: Option<Ware>, unit_price, income| {
        Event::CardsSold(CardsSold {
            seat: 0,
            way: way.into(),
            cards: cards.to_vec(),
            ware: ware.map(Into::into),
            unit_price,
            income,
        })
    };
    let (goods, diamond) = (shown(Depth::Deep, CardKind::Goods, 5), shown(Depth::Deep, CardKind::Diamond, 200));
    check([
        (
            Event::Bought(Bought { seat: 0, item: Item::Hose.into(), diver: 1, price: 20 }),
            "Ana (seat 0) buys a hose for $20, and diver 1 carries it.",
        ),
        (
            sold(SaleWay::Market, &[gold(2), gold(3)], Some(Ware::Gold), 30, 150),
            "Ana (seat 0) sells gold 2 and gold 3 at $30 a unit for $150.",
        ),
        (
            sold(SaleWay::Market, &[gold(2), goods], Some(Ware::Goods), 40, 280),
            "Ana (seat 0) sells gold 2 and goods 5 as goods at $40 a unit for $280.",
        ),
        (
            sold(SaleWay::HastyBuyer, &[goods], Some(Ware::Goods), 40, 200),
            "Ana (seat 0) sells goods 5 to the hasty-buyer at $40 a unit for $200.",
        ),
        (
            sold(SaleWay::Trafficker, &[gold(2), goods], None, 30, 210),
            "Ana (seat 0) sells gold 2 and goods 5 to the trafficker at $30 a unit for $210.",
        ),
        (
            sold(SaleWay::Jeweller, &[diamond], None, 0, 200),
            "Ana (seat 0) sells diamond $200 to the jeweller for $200.",
        ),
    ]);
}

#[test]
fn encounters() {
    let played = |encounter: Encounter| EncounterPlayed { seat: 0, encounter: encounter.into(), ..Default::default() };
    let dupe = |card| EncounterPlayed { dupe: Some(card), ware: Some(Ware::Goods.into()), ..played(Encounter::Dupe) };
    check([
        (Event::SabotagePassed(SabotagePassed { seat: 0 }), "Ana (seat 0) plays no saboteur."),
        (Event::EncounterPlayed(played(Encounter::Family)), "Ana (seat 0) plays the family."),
        (
            Event::EncounterPlayed(EncounterPlayed { diver: Some(1), ..played(Encounter::Volunteer) }),
            "Ana (seat 0) plays the volunteer with diver 1.",
        ),
        (
            Event::EncounterPlayed(EncounterPlayed {
                target_seat: Some(1),
                diver: Some(0),
                ..played(Encounter::Saboteur)
            }),
            "Ana (seat 0) plays the saboteur: diver 0 of Ben (seat 1) misses this dive.",
        ),
        (
            Event::EncounterPlayed(EncounterPlayed { wreck: Some(3), ..played(Encounter::Drunkard) }),
            "Ana (seat 0) plays the drunkard on wreck 3.",
        ),
        (Event::EncounterPlayed(dupe(back(Depth::Deep))), "Ana (seat 0) plays the dupe: a deep card counts as goods."),
        (
            Event::EncounterPlayed(dupe(with_id(gold(4), 31))),
            "Ana (seat 0) plays the dupe: gold 4 (card 31) counts as goods.",
        ),
        (
            Event::EncounterPlayed(EncounterPlayed { encounter: 99, ..Default::default() }),
            "Ana (seat 0) plays the unknown card.",
        ),
    ]);
}

#[test]
fn french_names_stand_beside_the_english_ones() {
    let cases = [
        (
            Event::VisitEnded(VisitEnded { seat: 2, place: Place::Bar.into() }),
            "seat 2 leaves the bar (Bar de la Sirène).",
        ),
        (
            Event::CardDrawn(CardDrawn { seat: 2, card: Some(back(Depth::Shallow)), ..Default::default() }),
            "Diver (scaphandrier) 0 of seat 2 draws a shallow (faible profondeur) card from wreck (épave) 0.",
        ),
        (
            Event::EncounterPlayed(EncounterPlayed {
                seat: 2,
                encounter: Encounter::Drunkard.into(),
                wreck: Some(3),
                ..Default::default()
            }),
            "seat 2 plays the drunkard (ivrogne) on wreck (épave) 3.",
        ),
        (
            Event::DayStarted(DayStarted { day: 3, first_seat: 2 }),
            "Day 3 begins, a Sunday (dimanche); seat 2 goes first.",
        ),
        (Event::SecondWreckNamed(SecondWreckNamed { seat: 2, wreck: 7 }), "seat 2 asks about wreck (épave) 7 as well."),
        (Event::SecondWreckDeclined(SecondWreckDeclined { seat: 2 }), "seat 2 asks about no second wreck (épave)."),
    ];
    for (event, text) in cases {
        assert_eq!(describe(event, Lang::Fr), text);
    }
}

#[test]
fn an_event_newer_than_this_client_has_no_sentence() {
    assert_eq!(sentence(&Message { event: None }, &Seating::default(), Lang::En), None);
}
