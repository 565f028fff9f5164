//! The cards and their parts. What is read names the field that it stands in, for the sentence of a refusal.

use divelog_engine::veiled_isles::{ActionCard, Colour, ColourSet, Deck, Half, Island, Treasure, VeiledIsland};
use divelog_proto::games::veiled_isles::v1 as pb;

pub(super) fn colour_to_proto(colour: Colour) -> pb::Colour {
    match colour {
        Colour::Red => pb::Colour::Red,
        Colour::Blue => pb::Colour::Blue,
        Colour::Green => pb::Colour::Green,
        Colour::Purple => pb::Colour::Purple,
    }
}

fn colour_from_proto(colour: i32, field: &str) -> Result<Colour, String> {
    match pb::Colour::try_from(colour) {
        Ok(pb::Colour::Red) => Ok(Colour::Red),
        Ok(pb::Colour::Blue) => Ok(Colour::Blue),
        Ok(pb::Colour::Green) => Ok(Colour::Green),
        Ok(pb::Colour::Purple) => Ok(Colour::Purple),
        Ok(pb::Colour::Unspecified) | Err(_) => Err(no_choice(colour, field, "red, blue, green or purple")),
    }
}

/// In the order of the colours.
pub(super) fn colours_to_proto(colours: ColourSet) -> Vec<i32> {
    colours.iter().map(|colour| colour_to_proto(colour).into()).collect()
}

pub(super) fn half_to_proto(half: Half) -> pb::Half {
    match half {
        Half::Sea => pb::Half::Sea,
        Half::Coast => pb::Half::Coast,
    }
}

pub(super) fn half_from_proto(half: i32, field: &str) -> Result<Half, String> {
    match pb::Half::try_from(half) {
        Ok(pb::Half::Sea) => Ok(Half::Sea),
        Ok(pb::Half::Coast) => Ok(Half::Coast),
        Ok(pb::Half::Unspecified) | Err(_) => Err(no_choice(half, field, "sea or coast, the half left open,")),
    }
}

pub(super) fn deck_to_proto(deck: Deck) -> pb::Deck {
    match deck {
        Deck::Single => pb::Deck::Single,
        Deck::RedBlue => pb::Deck::RedBlue,
        Deck::GreenPurple => pb::Deck::GreenPurple,
    }
}

pub(super) fn deck_from_proto(deck: i32, field: &str) -> Result<Deck, String> {
    match pb::Deck::try_from(deck) {
        Ok(pb::Deck::Single) => Ok(Deck::Single),
        Ok(pb::Deck::RedBlue) => Ok(Deck::RedBlue),
        Ok(pb::Deck::GreenPurple) => Ok(Deck::GreenPurple),
        Ok(pb::Deck::Unspecified) | Err(_) => {
            Err(no_choice(deck, field, "single (three players), red_blue or green_purple"))
        }
    }
}

pub(super) fn action_card_to_proto(action: ActionCard) -> pb::ActionCard {
    match action {
        ActionCard::A1 => pb::ActionCard::A1,
        ActionCard::A2 => pb::ActionCard::A2,
        ActionCard::A3 => pb::ActionCard::A3,
        ActionCard::A4 => pb::ActionCard::A4,
    }
}

/// `None` where it is not set.
pub(super) fn action_card_from_proto(action: i32, field: &str) -> Result<Option<ActionCard>, String> {
    match pb::ActionCard::try_from(action) {
        Ok(pb::ActionCard::Unspecified) => Ok(None),
        Ok(pb::ActionCard::A1) => Ok(Some(ActionCard::A1)),
        Ok(pb::ActionCard::A2) => Ok(Some(ActionCard::A2)),
        Ok(pb::ActionCard::A3) => Ok(Some(ActionCard::A3)),
        Ok(pb::ActionCard::A4) => Ok(Some(ActionCard::A4)),
        Err(_) => Err(no_choice(action, field, "A1, A2, A3 or A4")),
    }
}

/// The refusal of an enum that is not set (0) or has a number without a name.
fn no_choice(number: i32, field: &str, expected: &str) -> String {
    match number {
        0 => format!("{field} is not set: {expected} is expected"),
        _ => format!("{field} has the unknown value {number}: {expected} is expected"),
    }
}

pub(super) fn island_to_proto(island: Island) -> pb::Island {
    pb::Island { colour: colour_to_proto(island.colour()).into(), number: island.number().into() }
}

pub(super) fn islands_to_proto(islands: impl IntoIterator<Item = Island>) -> Vec<pb::Island> {
    islands.into_iter().map(island_to_proto).collect()
}

/// Islands that only some may see; empty for the others.
pub(super) fn seen_islands(islands: Option<&Vec<Island>>) -> Vec<pb::Island> {
    islands_to_proto(islands.into_iter().flatten().copied())
}

pub(super) fn island_from_proto(island: Option<&pb::Island>, field: &str) -> Result<Island, String> {
    let Some(island) = island else {
        return Err(format!("{field} is missing: an island with a colour and a number from 1 to 12 is expected"));
    };
    let colour = colour_from_proto(island.colour, &format!("{field}.colour"))?;
    let found = u8::try_from(island.number).ok().and_then(|number| Island::new(colour, number));
    found.ok_or_else(|| format!("{field}.number is {}: a number from 1 to 12 is expected", island.number))
}

pub(super) fn veiled_to_proto(island: VeiledIsland) -> pb::VeiledIsland {
    pb::VeiledIsland {
        colour: island.colour.map(|colour| colour_to_proto(colour).into()),
        number: island.number.map(u32::from),
    }
}

pub(super) fn treasure_to_proto(treasure: Treasure) -> pb::Treasure {
    pb::Treasure { colour: colour_to_proto(treasure.colour).into(), points: treasure.points.into() }
}

pub(super) fn treasures_to_proto(treasures: &[Treasure]) -> Vec<pb::Treasure> {
    treasures.iter().copied().map(treasure_to_proto).collect()
}

/// Treasures that only some may see; empty for the others.
pub(super) fn seen_treasures(treasures: Option<&Vec<Treasure>>) -> Vec<pb::Treasure> {
    treasures.map_or_else(Vec::new, |treasures| treasures_to_proto(treasures))
}
