//! Names as people type them: those of the protos and of the rule books in any spelling, for options and for actions alike.
//!
//! They are read from the protos, so a new value or action needs no change here.

use std::sync::LazyLock;

use prost_reflect::{DescriptorPool, EnumDescriptor, Kind as FieldKind, MessageDescriptor};

static POOL: LazyLock<Option<DescriptorPool>> =
    LazyLock::new(|| DescriptorPool::decode(divelog_proto::FILE_DESCRIPTOR_SET).ok());

/// What all spellings of a name have in common: `Sudden-Death`, `sudden_death` and `SUDDEN DEATH` are one.
pub fn letters(name: &str) -> String {
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// What distinguishes a value of an enum: `sudden_death` of `VARIANT_SUDDEN_DEATH`.
pub fn short_name(descriptor: &EnumDescriptor, name: &str) -> String {
    let prefix = descriptor.default_value().name().trim_end_matches("UNSPECIFIED").to_owned();
    name.strip_prefix(&prefix).unwrap_or(name).to_ascii_lowercase()
}

/// The words of an action in a game's own words where they are names of the protos: `place-boat` for `PlaceBoat` and
/// `PLACE_BOAT` at the beginning, `shop` for `PLACE_SHOP` after that. All other words stay as they are.
pub(crate) fn own_words(code_name: &str, words: Vec<String>) -> Vec<String> {
    let name = format!("divelog.games.{code_name}.v1.Action");
    let Some(action) = POOL.as_ref().and_then(|pool| pool.get_message_by_name(&name)) else { return words };
    let mut enums = Vec::new();
    find_enums(&action, &mut enums);
    let own_word = |(place, word): (usize, String)| {
        let typed = letters(&word);
        let named = match place {
            0 => action.fields().find(|field| letters(field.name()) == typed).map(|field| field.name().to_owned()),
            // The whole name only: a part of one may be another word of the game.
            _ => enums.iter().find_map(|names| {
                let value = names.values().find(|value| value.number() != 0 && letters(value.name()) == typed)?;
                Some(short_name(names, value.name()))
            }),
        };
        named.map_or(word, |name| name.replace('_', "-"))
    };
    words.into_iter().enumerate().map(own_word).collect()
}

/// The enums that a message can hold.
fn find_enums(message: &MessageDescriptor, found: &mut Vec<EnumDescriptor>) {
    for field in message.fields() {
        match field.kind() {
            FieldKind::Enum(names) if !found.contains(&names) => found.push(names),
            // Actions hold no message of their own kind, so this ends.
            FieldKind::Message(inner) => find_enums(&inner, found),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use divelog_engine::{
        AnyGame, AnyOptions, Kind, SeatCount, SeededChance, captain_carcass, key_largo, veiled_isles,
    };
    use divelog_ledger::convert;
    use divelog_proto::v1::{GameAction, GameKind};
    use prost_reflect::{DynamicMessage, prost::Message as _};

    use super::*;
    use crate::{action_words, kind_by_code_name, parse_action};

    /// What typed words mean in a game of the newest version, in the words of the game.
    fn understood(kind: GameKind, typed: &str) -> Result<String, crate::ParseError> {
        parse_action(kind, u32::MAX, &[typed.to_owned()]).map(|action| action_words(&action))
    }

    #[test]
    fn values_have_their_short_name_and_the_name_of_the_protos() {
        let cases = [
            (GameKind::CaptainCarcass, "KNIFE 1 SUIT_ANCHOR", "knife 1 anchor"),
            (GameKind::CaptainCarcass, "knife Suit-Anchor 1", "knife 1 anchor"),
            (GameKind::CaptainCarcass, "place SUIT_MAP 4", "place map-4"),
            (GameKind::KeyLargo, "program bar PLACE_SHOP", "program bar shop"),
            (GameKind::KeyLargo, "program place_bar PlaceDolphins", "program bar dolphins"),
            (GameKind::KeyLargo, "pickpocket 2 DEPTH_DEEP", "pickpocket 2 deep"),
            (GameKind::KeyLargo, "buy ITEM_HOSE 0", "buy hose 0"),
            (GameKind::KeyLargo, "play ENCOUNTER_HASTY_BUYER 17", "play hasty-buyer 17"),
            (GameKind::KeyLargo, "play dupe 17 as WARE_GOLD", "play dupe 17 gold"),
            (GameKind::VeiledIsles, "pass COLOUR_RED 8", "pass red-8"),
            (GameKind::VeiledIsles, "play red-8 HALF_SEA 2", "play red-8 sea 2"),
            (GameKind::VeiledIsles, "peek DECK_RED_BLUE", "peek red-blue"),
        ];
        for (kind, typed, words) in cases {
            assert_eq!(understood(kind, typed).as_deref(), Ok(words), "{typed}");
        }
        for typed in ["program bar PLACE_UNSPECIFIED", "program bar PHASE_SHOP", "program bar CARD_KIND_GOLD"] {
            assert!(understood(GameKind::KeyLargo, typed).is_err(), "{typed}");
        }
    }

    #[test]
    fn actions_have_the_names_of_the_protos_and_of_the_books() {
        let cases = [
            (GameKind::DeepSeaAdventure, "PutDown 1", "put-down 1"),
            (GameKind::CaptainCarcass, "NAME_VICTIM 2", "victim 2"),
            (GameKind::CaptainCarcass, "PlaceFromMap map-4", "place map-4"),
            (GameKind::KeyLargo, "PlaceBoat 3", "boat 3"),
            (GameKind::KeyLargo, "hirePickpocket 1 deep", "pickpocket 1 deep"),
            (GameKind::KeyLargo, "NO_SECOND_WRECK", "no-second"),
            (GameKind::KeyLargo, "PlayEncounter regular", "play regular"),
            (GameKind::VeiledIsles, "StealTreasure 2", "steal 2"),
            (GameKind::VeiledIsles, "DISCARD_ISLAND red-8", "discard red-8"),
        ];
        for (kind, typed, words) in cases {
            assert_eq!(understood(kind, typed).as_deref(), Ok(words), "{typed}");
        }
    }

    /// The name of the protos for what an action is.
    fn proto_name(action: &GameAction) -> String {
        let pool = POOL.as_ref().unwrap();
        let message = pool.get_message_by_name("divelog.v1.GameAction").unwrap();
        let whole = DynamicMessage::decode(message, action.encode_to_vec().as_slice()).unwrap();
        let (_, of_game) = whole.fields().next().unwrap();
        let (field, _) = of_game.as_message().unwrap().fields().next().unwrap();
        field.name().to_owned()
    }

    /// Plays a whole game, in which each action can be typed by the name of the protos; the names that it met.
    fn names_met(kind: Kind, version: u16, number: u8) -> BTreeSet<String> {
        let mut met = BTreeSet::new();
        let mut chance = SeededChance::new([number; 32]);
        let seats = kind.seats().cycle().nth(number.into()).unwrap();
        let seats = SeatCount::new(seats.into()).unwrap();
        let (mut game, _) = AnyGame::setup(version, &options(kind, number), seats, &mut chance).unwrap();
        while let Some((seat, action)) = game.any_choice(&mut chance) {
            let wire = convert::action_to_proto(&action);
            let (words, name) = (action_words(&wire), proto_name(&wire));
            let (_, rest) = words.split_once(' ').unwrap_or((&words, ""));
            // What the word says beyond the name of the action is a field of it.
            let rest = if words == "turn-back" { "turn_back" } else { rest };
            for name in [&name, &name.to_uppercase(), &letters(&name)] {
                let typed = [name.clone(), rest.to_owned()];
                assert_eq!(parse_action(wire_kind(kind), version.into(), &typed).as_ref(), Ok(&wire), "{typed:?}");
            }
            met.insert(name);
            game.act(seat, &action, &mut chance).unwrap();
        }
        met
    }

    #[test]
    fn every_action_can_be_typed_by_the_name_of_the_protos() {
        for kind in Kind::ALL {
            let games = (1..=kind.rules_version()).flat_map(|version| (0..30).map(move |number| (version, number)));
            let met: BTreeSet<String> = games.flat_map(|(version, number)| names_met(*kind, version, number)).collect();
            let pool = POOL.as_ref().unwrap();
            let action = pool.get_message_by_name(&format!("divelog.games.{}.v1.Action", kind.code_name())).unwrap();
            let all: BTreeSet<String> = action.fields().map(|field| field.name().to_owned()).collect();
            assert_eq!(met, all, "{}", kind.title());
        }
    }

    fn wire_kind(kind: Kind) -> GameKind {
        kind_by_code_name(kind.code_name()).unwrap()
    }

    /// Options by which every action is met in one game or another.
    fn options(kind: Kind, number: u8) -> AnyOptions {
        match kind {
            Kind::KeyLargo => key_largo::Options { encounters: true, ..Default::default() }.into(),
            Kind::CaptainCarcass => {
                captain_carcass::Options { divers: captain_carcass::Divers::Dealt, ..Default::default() }.into()
            }
            Kind::VeiledIsles if number % 2 == 1 => {
                let cards = [veiled_isles::ActionCard::A2, veiled_isles::ActionCard::A4];
                let [red_blue_action, green_purple_action] = cards.map(Some);
                veiled_isles::Options { red_blue_action, green_purple_action, ..Default::default() }.into()
            }
            kind => kind.default_options(),
        }
    }
}
