//! The encounter cards (KL-25): their words, their French names, where they are played and what they do.

use divelog_proto::games::key_largo::v1::{Encounter, Place};

use super::names;
use crate::Lang;

/// What there is to say of an encounter card.
#[derive(Debug, Clone, Copy)]
pub struct Info {
    /// The card.
    pub card: Encounter,
    /// As it is typed.
    pub word: &'static str,
    /// What is typed after it.
    pub needs: &'static str,
    /// Where it is played (KL-26).
    pub place: Place,
    /// What it does.
    pub effect: &'static str,
    french: &'static str,
}

impl Info {
    /// As it is printed.
    pub fn text(&self, lang: Lang) -> String {
        names::beside(self.word, self.french, lang)
    }

    /// What is typed to play it.
    pub fn usage(&self) -> String {
        format!("play {} {}", self.word, self.needs).trim_end().to_owned()
    }
}

const fn info(
    card: Encounter,
    place: Place,
    word: &'static str,
    needs: &'static str,
    french: &'static str,
    effect: &'static str,
) -> Info {
    Info { card, word, needs, place, effect, french }
}

/// All cards, in the order of their rules.
pub const ENCOUNTERS: [Info; 24] = {
    use Encounter as E;
    use Place::*;
    [
        info(E::Volunteer, Dive, "volunteer", "DIVER", "aide bénévole", "on a shallow wreck, one more card"),
        info(E::HastyBuyer, Dive, "hasty-buyer", "CARD", "acheteur pressé", "sell a card just drawn at the best price"),
        info(E::Regular, Dive, "regular", "", "habitué", "a monster goes back into the wreck; draw again"),
        info(E::Saboteur, Dive, "saboteur", "SEAT DIVER", "saboteur", "another player's diver misses this dive"),
        info(E::AttentiveDiver, Dive, "attentive-diver", "", "scaphandrier attentif", "draw the wreck's last card too"),
        info(E::BarTourist, Bar, "bar-tourist", "", "touriste", "no effect"),
        info(E::Drunkard, Bar, "drunkard", "WRECK", "ivrogne", "look into a wreck for free"),
        info(E::NoviceDiver, Bar, "novice-diver", "", "scaphandrier débutant", "recruiting costs $60 (see KL-R20)"),
        info(E::ExpertDiver, Bar, "expert-diver", "", "scaphandrier expert", "the diver recruited brings a hose"),
        info(E::Cutpurse, Bar, "cutpurse", "", "tire-bourse", "a pickpocket costs $30 (see KL-R20)"),
        info(E::InseparableBrothers, Bar, "inseparable-brothers", "", "frères inséparables", "hire two of one kind"),
        info(E::DolphinsTourist, Dolphins, "dolphins-tourist", "", "touriste", "no effect"),
        info(E::Family, Dolphins, "family", "", "famille", "the day's pay once more"),
        info(E::ShopTourist, Shop, "shop-tourist", "", "touriste", "no effect"),
        info(E::HoseSeller, Shop, "hose-seller", "", "vendeur de tuyaux", "buy one hose more than two items"),
        info(
            E::TridentSeller,
            Shop,
            "trident-seller",
            "",
            "vendeur de tridents",
            "buy one trident more than two items",
        ),
        info(E::WeightSeller, Shop, "weight-seller", "", "vendeur de poids", "buy one weight more than two items"),
        info(E::Discounter, Shop, "discounter", "", "soldeur", "after two alike, a third for $20 less"),
        info(E::GoodFriend, Shop, "good-friend", "", "bon copain", "buy at the prices for one present (see KL-R20)"),
        info(E::MarketTourist, Market, "market-tourist", "", "touriste", "no effect"),
        info(E::Dupe, Market, "dupe", "CARD KIND", "pigeon", "a card sells as another kind"),
        info(E::Trafficker, Market, "trafficker", "CARD ...", "trafiquant", "sell up to five cards more at $30 a unit"),
        info(E::Jeweller, Market, "jeweller", "CARD", "bijoutier", "sell a diamond at its value"),
        info(E::GoldDigger, Market, "gold-digger", "", "chercheur d'or", "gold sells at $40 a unit"),
    ]
};

/// What there is to say of a card; nothing if it is hidden or newer than this client.
pub fn find(card: Encounter) -> Option<&'static Info> {
    ENCOUNTERS.iter().find(|info| info.card == card)
}

/// A card as it is printed.
pub fn text(card: Encounter, lang: Lang) -> String {
    find(card).map_or_else(|| "unknown card".to_owned(), |info| info.text(lang))
}

/// The card that typed words begin with, and the words after it. Dashes may be spaces or left out.
pub fn meant<'a, 'w>(words: &'a [&'w str]) -> Option<(&'static Info, &'a [&'w str])> {
    let bare = |word: &str| word.replace('-', "");
    // The longer reading first: a card that begins like another would hide it.
    (1..=2).rev().filter_map(|count| words.split_at_checked(count)).find_map(|(name, rest)| {
        let typed = bare(&name.concat());
        let found = ENCOUNTERS.iter().find(|info| bare(info.word) == typed);
        found.map(|info| (info, rest))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_card_is_there_once_in_the_order_of_its_number() {
        for (number, info) in (1..).zip(&ENCOUNTERS) {
            assert_eq!(info.card as i32, number, "{}", info.word);
        }
        assert!(Encounter::try_from(25).is_err());
    }

    #[test]
    fn names_are_found_in_any_spelling() {
        let found = |words: &[&str]| meant(words).map(|(info, rest)| (info.word, rest.len()));
        assert_eq!(found(&["hasty-buyer", "17"]), Some(("hasty-buyer", 1)));
        assert_eq!(found(&["hasty", "buyer", "17"]), Some(("hasty-buyer", 1)));
        assert_eq!(found(&["golddigger"]), Some(("gold-digger", 0)));
        assert_eq!(found(&["tourist"]), None);
        assert_eq!(found(&[]), None);
    }

    /// By version 1 the price is the card's whatever the tables say, and later never above theirs: the rule says which.
    #[test]
    fn kl_r20_what_a_card_costs_is_worded_for_every_version() {
        for card in [Encounter::NoviceDiver, Encounter::Cutpurse, Encounter::GoodFriend] {
            let effect = find(card).unwrap().effect;
            assert!(effect.contains("KL-R20") && !effect.contains("at most"), "{effect}");
        }
    }

    #[test]
    fn hidden_cards_have_no_name() {
        assert!(find(Encounter::Unspecified).is_none());
        assert_eq!(text(Encounter::Dupe, Lang::Fr), "dupe (pigeon)");
        assert_eq!(find(Encounter::Saboteur).unwrap().usage(), "play saboteur SEAT DIVER");
    }
}
