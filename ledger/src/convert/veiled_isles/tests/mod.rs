//! What goes in comes out, and what cannot be read is refused.

mod refusals;
mod round_trips;
mod writing;

use divelog_engine::veiled_isles::{Colour, Half, Island};
use divelog_proto::games::veiled_isles::v1 as pb;

use super::*;

fn island(colour: Colour, number: u8) -> Island {
    Island::new(colour, number).unwrap()
}

fn wire_island(colour: pb::Colour, number: u32) -> pb::Island {
    pb::Island { colour: colour.into(), number }
}

fn all_islands() -> impl Iterator<Item = Island> {
    Colour::ALL.into_iter().flat_map(|colour| (1..=12).map(move |number| island(colour, number)))
}

const HALVES: [Half; 2] = [Half::Sea, Half::Coast];
