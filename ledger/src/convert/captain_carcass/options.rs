//! The options of a game (CC-4, CC-5).

use divelog_engine::captain_carcass::{Divers, Options};
use divelog_proto::games::captain_carcass::v1::{self as pb, options::Divers as Wire};

use super::names::{diver_from_proto, diver_to_proto, variant_from_proto, variant_to_proto};

pub(super) fn options_to_proto(options: &Options) -> pb::Options {
    let divers = match &options.divers {
        Divers::None => None,
        Divers::Dealt => Some(Wire::Dealt(pb::DealtDivers {})),
        Divers::Chosen(divers) => Some(Wire::Chosen(pb::ChosenDivers {
            divers: divers.iter().map(|diver| diver_to_proto(*diver).into()).collect(),
        })),
    };
    pb::Options { divers, variant: variant_to_proto(options.variant).into() }
}

pub(super) fn options_from_proto(options: &pb::Options) -> Result<Options, String> {
    let divers = match &options.divers {
        None => Divers::None,
        Some(Wire::Dealt(pb::DealtDivers {})) => Divers::Dealt,
        Some(Wire::Chosen(chosen)) => {
            let numbers = chosen.divers.iter().enumerate();
            let divers = numbers.map(|(seat, number)| diver_from_proto(&format!("chosen.divers[{seat}]"), *number));
            Divers::Chosen(divers.collect::<Result<_, _>>()?)
        }
    };
    Ok(Options { divers, variant: variant_from_proto("variant", options.variant)? })
}
