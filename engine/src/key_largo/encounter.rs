//! The encounter cards (KL-25, KL-E1 to KL-E24).

use super::Place;

/// An encounter card; each exists once. The number is that of its rule: `KL-E1` is the volunteer.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Encounter {
    /// KL-E1, aide bénévole.
    Volunteer = 1,
    /// KL-E2, acheteur pressé.
    HastyBuyer,
    /// KL-E3, habitué.
    Regular,
    /// KL-E4, saboteur.
    Saboteur,
    /// KL-E5, scaphandrier attentif.
    AttentiveDiver,
    /// KL-E6, touriste.
    BarTourist,
    /// KL-E7, ivrogne.
    Drunkard,
    /// KL-E8, scaphandrier débutant.
    NoviceDiver,
    /// KL-E9, scaphandrier expert.
    ExpertDiver,
    /// KL-E10, tire-bourse.
    Cutpurse,
    /// KL-E11, frères inséparables.
    InseparableBrothers,
    /// KL-E12, touriste.
    DolphinsTourist,
    /// KL-E13, famille.
    Family,
    /// KL-E14, touriste.
    ShopTourist,
    /// KL-E15, vendeur de tuyaux.
    HoseSeller,
    /// KL-E16, vendeur de tridents.
    TridentSeller,
    /// KL-E17, vendeur de poids.
    WeightSeller,
    /// KL-E18, soldeur.
    Discounter,
    /// KL-E19, bon copain.
    GoodFriend,
    /// KL-E20, touriste.
    MarketTourist,
    /// KL-E21, pigeon.
    Dupe,
    /// KL-E22, trafiquant.
    Trafficker,
    /// KL-E23, bijoutier.
    Jeweller,
    /// KL-E24, chercheur d'or.
    GoldDigger,
}

/// KL-25: how many encounter cards there are.
pub(super) const ENCOUNTERS: usize = 24;
/// KL-25: how many a player holds at most.
pub(super) const ENCOUNTER_HAND: usize = 2;

impl Encounter {
    /// All cards, in the order of their numbers.
    pub const ALL: [Encounter; ENCOUNTERS] = {
        use Encounter::*;
        [
            Volunteer,
            HastyBuyer,
            Regular,
            Saboteur,
            AttentiveDiver,
            BarTourist,
            Drunkard,
            NoviceDiver,
            ExpertDiver,
            Cutpurse,
            InseparableBrothers,
            DolphinsTourist,
            Family,
            ShopTourist,
            HoseSeller,
            TridentSeller,
            WeightSeller,
            Discounter,
            GoodFriend,
            MarketTourist,
            Dupe,
            Trafficker,
            Jeweller,
            GoldDigger,
        ]
    };

    /// KL-26: where it is played.
    pub fn place(self) -> Place {
        match self as u8 {
            0..=5 => Place::Dive,
            6..=11 => Place::Bar,
            12..=13 => Place::Dolphins,
            14..=19 => Place::Shop,
            20.. => Place::Market,
        }
    }

    /// The card in a sentence, as the rule book names it.
    pub fn name(self) -> &'static str {
        match self {
            Encounter::Volunteer => "volunteer",
            Encounter::HastyBuyer => "hasty_buyer",
            Encounter::Regular => "regular",
            Encounter::Saboteur => "saboteur",
            Encounter::AttentiveDiver => "attentive_diver",
            Encounter::BarTourist => "tourist of the bar",
            Encounter::Drunkard => "drunkard",
            Encounter::NoviceDiver => "novice_diver",
            Encounter::ExpertDiver => "expert_diver",
            Encounter::Cutpurse => "cutpurse",
            Encounter::InseparableBrothers => "inseparable_brothers",
            Encounter::DolphinsTourist => "tourist of the dolphins",
            Encounter::Family => "family",
            Encounter::ShopTourist => "tourist of the shop",
            Encounter::HoseSeller => "hose_seller",
            Encounter::TridentSeller => "trident_seller",
            Encounter::WeightSeller => "weight_seller",
            Encounter::Discounter => "discounter",
            Encounter::GoodFriend => "good_friend",
            Encounter::MarketTourist => "tourist of the market",
            Encounter::Dupe => "dupe",
            Encounter::Trafficker => "trafficker",
            Encounter::Jeweller => "jeweller",
            Encounter::GoldDigger => "gold_digger",
        }
    }
}
