//! What goes in comes out, and what cannot be read is refused with a precise sentence.

mod reading;
mod writing;

use divelog_proto::games::captain_carcass::v1 as pb;

fn wire(suit: pb::Suit, value: u32) -> pb::Card {
    pb::Card { suit: suit.into(), value }
}
