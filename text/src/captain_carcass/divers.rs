//! Divers and variants by name, with a reminder of what they do.

use divelog_proto::games::captain_carcass::v1::{Diver, Variant};

/// The effect of one that is newer than this client.
const UNKNOWN: &str = "unknown to this client";

/// The name and the effect of a diver; none for nobody (CC-D1 to CC-D17).
pub fn diver(number: i32) -> Option<(String, &'static str)> {
    let Ok(diver) = Diver::try_from(number) else { return Some((format!("diver {number}"), UNKNOWN)) };
    let effect = match diver {
        Diver::Unspecified => return None,
        Diver::GoldenScales => "scoring sirens are worth 5 more",
        Diver::Casanova => "a siren turned up goes straight to the hold",
        Diver::Plunderer => "the key-chest bonus comes from an opponent's hold",
        Diver::TreasureHunter => "the key-chest bonus is doubled",
        Diver::Navigator => "the map shows the whole graveyard",
        Diver::MasterGunner => "the knife removes the whole stack",
        Diver::Scavenger => "the card that the knife removes goes to its owner's hold",
        Diver::Misfire => "opponents' knives hit their own holds",
        Diver::Mystic => "the drone shows three cards",
        Diver::Swordsman => "the harpoon may take a suit that its owner has",
        Diver::Parry => "opponents' harpoons can take only a squid of this hold, or else are lost",
        Diver::Miser => "the net and what it brought are collected on an incident",
        Diver::CaptainsHook => "the net brings in two cards",
        Diver::SafeHarbor => "on an incident the anchor and the two cards after it are collected too",
        Diver::Fisherman => "a squid turned up goes straight to the hold",
        Diver::Beastmaster => "opponents' squids ask for four cards",
        Diver::Saboteuse => "gets what one opponent loses in incidents",
    };
    Some((spelled(diver.as_str_name(), "DIVER_"), effect))
}

/// The name and the effect of a variant; none if none is played (CC-V1 to CC-V7).
pub fn variant(number: i32) -> Option<(String, &'static str)> {
    let Ok(variant) = Variant::try_from(number) else { return Some((format!("variant {number}"), UNKNOWN)) };
    let effect = match variant {
        Variant::Unspecified => return None,
        Variant::ThievesIsland => "cards lost in an incident go to the next seat's hold",
        Variant::PileOfTreasure => "every card of the hold scores",
        Variant::SuddenDeath => "50 points win at once",
        Variant::AllHandsOnDeck => "5 points less for each suit missing in the hold",
        Variant::StrangeLands => "a repeated value causes an incident, a repeated suit does not",
        Variant::BeneathTheWaves => "only players with fewer than 60 points can win",
        Variant::BottomFeeder => "knife and harpoon take the lowest card",
    };
    Some((spelled(variant.as_str_name(), "VARIANT_"), effect))
}

/// A name of the wire as people write it.
fn spelled(name: &str, prefix: &str) -> String {
    name.strip_prefix(prefix).unwrap_or(name).to_lowercase().replace('_', " ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_come_from_the_wire() {
        assert_eq!(diver(Diver::CaptainsHook.into()), Some(("captains hook".into(), "the net brings in two cards")));
        assert_eq!(variant(3), Some(("sudden death".into(), "50 points win at once")));
        assert_eq!((diver(0), variant(0)), (None, None));
    }

    #[test]
    fn newer_ones_have_numbers() {
        assert_eq!(diver(18), Some(("diver 18".into(), UNKNOWN)));
        assert_eq!(variant(-1), Some(("variant -1".into(), UNKNOWN)));
    }
}
