//! The words for places, depths, wares and the like, typed and printed, with the French ones beside them.

use divelog_proto::games::key_largo::v1::{CardKind, Depth, Item, Place, Ware};

use crate::Lang;

/// What stands for a value that is newer than this client.
const UNKNOWN: &str = "unknown";

/// One value's names.
#[derive(Debug, Clone, Copy)]
pub struct Name<T> {
    /// What is named.
    pub value: T,
    /// In English, as it is typed.
    pub word: &'static str,
    french: &'static str,
}

impl<T> Name<T> {
    /// As it is printed.
    pub fn text(&self, lang: Lang) -> String {
        beside(self.word, self.french, lang)
    }
}

/// A word with the French one beside it, unless both are the same.
pub fn beside(word: &str, french: &str, lang: Lang) -> String {
    if word == french { word.to_owned() } else { lang.name(word, french) }
}

const fn name<T>(value: T, word: &'static str, french: &'static str) -> Name<T> {
    Name { value, word, french }
}

pub const PLACES: [Name<Place>; 5] = [
    name(Place::Dive, "dive", "plongée"),
    name(Place::Bar, "bar", "Bar de la Sirène"),
    name(Place::Dolphins, "dolphins", "Anse des Dauphins"),
    name(Place::Shop, "shop", "Vieux Loup de Mer"),
    name(Place::Market, "market", "Marché des Trouvailles"),
];

pub const DEPTHS: [Name<Depth>; 3] = [
    name(Depth::Shallow, "shallow", "faible profondeur"),
    name(Depth::Medium, "medium", "profondeur moyenne"),
    name(Depth::Deep, "deep", "grande profondeur"),
];

pub const ITEMS: [Name<Item>; 3] = [
    name(Item::Hose, "hose", "tuyau"),
    name(Item::Trident, "trident", "trident"),
    name(Item::Weight, "weight", "poids"),
];

pub const WARES: [Name<Ware>; 3] = [
    name(Ware::Gold, "gold", "or"),
    name(Ware::Goods, "goods", "marchandises"),
    name(Ware::Antiques, "antiques", "antiquités"),
];

pub const KINDS: [Name<CardKind>; 5] = [
    name(CardKind::Monster, "monster", "monstre"),
    name(CardKind::Diamond, "diamond", "diamant"),
    name(CardKind::Gold, "gold", "or"),
    name(CardKind::Goods, "goods", "marchandises"),
    name(CardKind::Antiques, "antiques", "antiquités"),
];

/// What the market takes a card for; nothing for diamonds and monsters (KL-22).
pub fn ware(kind: CardKind) -> Option<Ware> {
    match kind {
        CardKind::Gold => Some(Ware::Gold),
        CardKind::Goods => Some(Ware::Goods),
        CardKind::Antiques => Some(Ware::Antiques),
        CardKind::Monster | CardKind::Diamond | CardKind::Unspecified => None,
    }
}

/// A value's names, if this client knows it.
pub fn find_name<T: Copy + PartialEq>(names: &[Name<T>], value: T) -> Option<Name<T>> {
    names.iter().find(|name| name.value == value).copied()
}

/// A value as it is typed.
pub fn word<T: Copy + PartialEq>(names: &[Name<T>], value: T) -> &'static str {
    find_name(names, value).map_or(UNKNOWN, |name| name.word)
}

/// A value as it is printed.
pub fn text<T: Copy + PartialEq>(names: &[Name<T>], value: T, lang: Lang) -> String {
    find_name(names, value).map_or_else(|| UNKNOWN.to_owned(), |name| name.text(lang))
}

/// The value that a typed word means, also in the plural or the singular.
pub fn meant<T: Copy>(names: &[Name<T>], typed: &str) -> Option<T> {
    let stem = |word: &str| word.trim_end_matches('s').to_owned();
    names.iter().find(|name| stem(name.word) == stem(typed)).map(|name| name.value)
}

/// All words, for a hint.
pub fn all_words<T>(names: &[Name<T>]) -> String {
    let words: Vec<&str> = names.iter().map(|name| name.word).collect();
    words.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_have_words_and_french_names() {
        assert_eq!(word(&PLACES, Place::Dolphins), "dolphins");
        assert_eq!(text(&PLACES, Place::Dive, Lang::Fr), "dive (plongée)");
        assert_eq!(text(&ITEMS, Item::Trident, Lang::Fr), "trident");
        assert_eq!(text(&WARES, Ware::Unspecified, Lang::Fr), "unknown");
        assert_eq!(all_words(&DEPTHS), "shallow, medium, deep");
    }

    #[test]
    fn plural_and_singular_are_forgiven() {
        assert_eq!(meant(&PLACES, "dolphin"), Some(Place::Dolphins));
        assert_eq!(meant(&ITEMS, "hoses"), Some(Item::Hose));
        assert_eq!(meant(&WARES, "antique"), Some(Ware::Antiques));
        assert_eq!(meant(&WARES, "goods"), Some(Ware::Goods));
        assert_eq!(meant(&WARES, "diamond"), None);
        assert_eq!(meant(&PLACES, ""), None);
    }
}
