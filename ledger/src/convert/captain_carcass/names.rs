//! Suits, cards, divers and the other things with a name. Each pair of enums is matched once, towards the wire; reading
//! looks for the case that would be written so.

use std::fmt::Display;

use divelog_engine::captain_carcass::{Card, Diver, GameEnd, Phase, Skip, Source, Suit, Variant};
use divelog_proto::games::captain_carcass::v1 as pb;

pub(super) fn suit_to_proto(suit: Suit) -> pb::Suit {
    match suit {
        Suit::Anchor => pb::Suit::Anchor,
        Suit::Squid => pb::Suit::Squid,
        Suit::Map => pb::Suit::Map,
        Suit::Key => pb::Suit::Key,
        Suit::Chest => pb::Suit::Chest,
        Suit::Knife => pb::Suit::Knife,
        Suit::Drone => pb::Suit::Drone,
        Suit::Net => pb::Suit::Net,
        Suit::Harpoon => pb::Suit::Harpoon,
        Suit::Siren => pb::Suit::Siren,
    }
}

pub(super) fn suit_from_proto(field: &str, number: i32) -> Result<Suit, String> {
    choice(field, number, &Suit::ALL, |suit| suit_to_proto(suit).into())
}

pub(super) fn card_to_proto(card: Card) -> pb::Card {
    pb::Card { suit: suit_to_proto(card.suit()).into(), value: card.value().into() }
}

pub(super) fn cards_to_proto(cards: &[Card]) -> Vec<pb::Card> {
    cards.iter().copied().map(card_to_proto).collect()
}

pub(super) fn card_from_proto(field: &str, card: Option<&pb::Card>) -> Result<Card, String> {
    let card = card.ok_or_else(|| format!("{field} is not set: a card with a suit and a value is expected"))?;
    let suit = suit_from_proto(&format!("{field}.suit"), card.suit)?;
    cards_of(suit).find(|known| u32::from(known.value()) == card.value).ok_or_else(|| {
        let values: Vec<String> = cards_of(suit).map(|known| known.value().to_string()).collect();
        format!("{field}.value is {}: there is no such {suit}, the values are {}", card.value, values.join(", "))
    })
}

/// The cards of a suit, ascending.
pub(super) fn cards_of(suit: Suit) -> impl Iterator<Item = Card> {
    (suit.lowest_value()..).map_while(move |value| Card::new(suit, value))
}

pub(super) fn diver_to_proto(diver: Diver) -> pb::Diver {
    match diver {
        Diver::GoldenScales => pb::Diver::GoldenScales,
        Diver::Casanova => pb::Diver::Casanova,
        Diver::Plunderer => pb::Diver::Plunderer,
        Diver::TreasureHunter => pb::Diver::TreasureHunter,
        Diver::Navigator => pb::Diver::Navigator,
        Diver::MasterGunner => pb::Diver::MasterGunner,
        Diver::Scavenger => pb::Diver::Scavenger,
        Diver::Misfire => pb::Diver::Misfire,
        Diver::Mystic => pb::Diver::Mystic,
        Diver::Swordsman => pb::Diver::Swordsman,
        Diver::Parry => pb::Diver::Parry,
        Diver::Miser => pb::Diver::Miser,
        Diver::CaptainsHook => pb::Diver::CaptainsHook,
        Diver::SafeHarbor => pb::Diver::SafeHarbor,
        Diver::Fisherman => pb::Diver::Fisherman,
        Diver::Beastmaster => pb::Diver::Beastmaster,
        Diver::Saboteuse => pb::Diver::Saboteuse,
    }
}

pub(super) fn diver_from_proto(field: &str, number: i32) -> Result<Diver, String> {
    choice(field, number, Diver::ALL, |diver| diver_to_proto(diver).into())
}

pub(super) fn variant_to_proto(variant: Option<Variant>) -> pb::Variant {
    match variant {
        None => pb::Variant::Unspecified,
        Some(Variant::ThievesIsland) => pb::Variant::ThievesIsland,
        Some(Variant::PileOfTreasure) => pb::Variant::PileOfTreasure,
        Some(Variant::SuddenDeath) => pb::Variant::SuddenDeath,
        Some(Variant::AllHandsOnDeck) => pb::Variant::AllHandsOnDeck,
        Some(Variant::StrangeLands) => pb::Variant::StrangeLands,
        Some(Variant::BeneathTheWaves) => pb::Variant::BeneathTheWaves,
        Some(Variant::BottomFeeder) => pb::Variant::BottomFeeder,
    }
}

pub(super) fn variant_from_proto(field: &str, number: i32) -> Result<Option<Variant>, String> {
    if number == i32::from(pb::Variant::Unspecified) {
        return Ok(None);
    }
    choice(field, number, Variant::ALL, |variant| variant_to_proto(Some(variant)).into()).map(Some)
}

pub(super) fn phase_to_proto(phase: Phase) -> pb::Phase {
    match phase {
        Phase::NameVictim => pb::Phase::NameVictim,
        Phase::Explore => pb::Phase::Explore,
        Phase::Knife => pb::Phase::Knife,
        Phase::Harpoon => pb::Phase::Harpoon,
        Phase::Net => pb::Phase::Net,
        Phase::Misfire => pb::Phase::Misfire,
        Phase::Map => pb::Phase::Map,
        Phase::Plunder => pb::Phase::Plunder,
        Phase::Over => pb::Phase::Over,
    }
}

pub(super) fn source_to_proto(source: Source) -> pb::Source {
    match source {
        Source::DrawPile => pb::Source::DrawPile,
        Source::Graveyard => pb::Source::Graveyard,
        Source::OwnHold => pb::Source::OwnHold,
        Source::OpponentHold => pb::Source::OpponentHold,
    }
}

pub(super) fn skip_to_proto(skip: Skip) -> pb::Skip {
    match skip {
        Skip::EmptyGraveyard => pb::Skip::EmptyGraveyard,
        Skip::EmptyDrawPile => pb::Skip::EmptyDrawPile,
        Skip::EmptyHold => pb::Skip::EmptyHold,
        Skip::NoOpponentHasCards => pb::Skip::NoOpponentHasCards,
        Skip::NoSuitToTake => pb::Skip::NoSuitToTake,
    }
}

pub(super) fn end_to_proto(end: GameEnd) -> pb::GameEnd {
    match end {
        GameEnd::DrawPileEmpty => pb::GameEnd::DrawPileEmpty,
        GameEnd::SuddenDeath => pb::GameEnd::SuddenDeath,
    }
}

/// The case that a number of the wire means. All enums here keep 0 for "not set".
fn choice<T: Copy + Display>(field: &str, number: i32, all: &[T], wire: impl Fn(T) -> i32) -> Result<T, String> {
    all.iter().copied().find(|case| wire(*case) == number).ok_or_else(|| {
        let what = if number == 0 { "is not set".into() } else { format!("is {number}, which is unknown") };
        let cases: Vec<String> = all.iter().map(|case| format!("{} ({case})", wire(*case))).collect();
        format!("{field} {what}: one of {} is expected", cases.join(", "))
    })
}
