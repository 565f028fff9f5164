//! The games for people: action words, event sentences and drawn boards.
//!
//! One module per game; this file only chooses among them. A new game adds its module, a row in [`KINDS`] and one arm
//! to each `match` below: the compiler names those that are missing.

use divelog_proto::v1::{
    GameAction, GameEvent, GameKind, GameStatus, GameView, LegalAction, game_action, game_event, game_view,
    legal_action,
};

use crate::{Lang, ParseError, Screen, Seating, captain_carcass, deep_sea_adventure, key_largo, veiled_isles};

/// The kinds that this client can play, by code name.
const KINDS: [(GameKind, &str); 4] = [
    (GameKind::DeepSeaAdventure, "deep_sea_adventure"),
    (GameKind::CaptainCarcass, "captain_carcass"),
    (GameKind::KeyLargo, "key_largo"),
    (GameKind::VeiledIsles, "veiled_isles"),
];

/// What is printed for a message of a game that is newer than this client.
const UNKNOWN: &str = "(unknown to this client: see -o json)";

/// The code names of all kinds.
pub fn code_names() -> Vec<&'static str> {
    KINDS.iter().map(|(_, name)| *name).collect()
}

/// The kind of a code name.
pub fn kind_by_code_name(code_name: &str) -> Option<GameKind> {
    KINDS.iter().find(|(_, name)| *name == code_name).map(|(kind, _)| *kind)
}

/// The code name of a kind.
pub fn code_name(kind: GameKind) -> &'static str {
    KINDS.iter().find(|(known, _)| *known == kind).map_or("unknown", |(_, name)| name)
}

/// The action that typed words mean in a game of this kind.
pub fn parse_action(kind: GameKind, words: &[String]) -> Result<GameAction, ParseError> {
    // Words may come as one quoted argument; case and underscores are forgiven.
    let words: Vec<String> = words
        .iter()
        .flat_map(|word| word.split_whitespace())
        .map(|word| word.to_lowercase().replace('_', "-"))
        .collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let action = match kind {
        GameKind::DeepSeaAdventure => game_action::Action::DeepSeaAdventure(deep_sea_adventure::words::parse(&words)?),
        GameKind::CaptainCarcass => game_action::Action::CaptainCarcass(captain_carcass::words::parse(&words)?),
        GameKind::KeyLargo => game_action::Action::KeyLargo(key_largo::words::parse(&words)?),
        GameKind::VeiledIsles => game_action::Action::VeiledIsles(veiled_isles::words::parse(&words)?),
        GameKind::Unspecified => return Err(ParseError::UnknownKind),
    };
    Ok(GameAction { action: Some(action) })
}

/// An action in the words that `game act` takes.
pub fn action_words(action: &GameAction) -> String {
    match &action.action {
        Some(game_action::Action::DeepSeaAdventure(action)) => deep_sea_adventure::words::of(action),
        Some(game_action::Action::CaptainCarcass(action)) => captain_carcass::words::of(action),
        Some(game_action::Action::KeyLargo(action)) => key_largo::words::of(action),
        Some(game_action::Action::VeiledIsles(action)) => veiled_isles::words::of(action),
        None => UNKNOWN.into(),
    }
}

/// A legal action in the words that `game act` takes.
pub fn legal_words(legal: &LegalAction) -> String {
    let words = match &legal.legal_action {
        Some(legal_action::LegalAction::DeepSeaAdventure(legal)) => deep_sea_adventure::words::of_legal(legal),
        Some(legal_action::LegalAction::CaptainCarcass(legal)) => captain_carcass::words::of_legal(legal),
        Some(legal_action::LegalAction::KeyLargo(legal)) => key_largo::words::of_legal(legal),
        Some(legal_action::LegalAction::VeiledIsles(legal)) => veiled_isles::words::of_legal(legal),
        None => None,
    };
    words.unwrap_or_else(|| UNKNOWN.into())
}

/// What happened, in a sentence.
pub fn event_sentence(event: &GameEvent, seating: &Seating, lang: Lang) -> String {
    let sentence = match &event.event {
        Some(game_event::Event::DeepSeaAdventure(event)) => deep_sea_adventure::events::sentence(event, seating, lang),
        Some(game_event::Event::CaptainCarcass(event)) => captain_carcass::events::sentence(event, seating, lang),
        Some(game_event::Event::KeyLargo(event)) => key_largo::events::sentence(event, seating, lang),
        Some(game_event::Event::VeiledIsles(event)) => veiled_isles::events::sentence(event, seating, lang),
        None => None,
    };
    sentence.unwrap_or_else(|| UNKNOWN.into())
}

/// The board. That of an abandoned game stands as it was left, but asks nobody to act any more. That of a fork says so
/// above everything else.
pub fn draw(view: &GameView, status: GameStatus, seating: &Seating, screen: Screen) -> String {
    let abandoned = status == GameStatus::Abandoned;
    let board = match &view.view {
        Some(game_view::View::DeepSeaAdventure(view)) => {
            deep_sea_adventure::board::draw(view, abandoned, seating, screen)
        }
        Some(game_view::View::CaptainCarcass(view)) => captain_carcass::board::draw(view, abandoned, seating, screen),
        Some(game_view::View::KeyLargo(view)) => key_largo::board::draw(view, abandoned, seating, screen),
        Some(game_view::View::VeiledIsles(view)) => veiled_isles::board::draw(view, abandoned, seating, screen),
        None => UNKNOWN.into(),
    };
    match seating.fork() {
        Some(mark) => format!("{}\n\n{board}", screen.paint.alarm(mark)),
        None => board,
    }
}

#[cfg(test)]
mod tests {
    use divelog_proto::v1::{ForkOrigin, Game};

    use super::*;

    fn words(text: &str) -> Vec<String> {
        text.split(' ').map(str::to_owned).collect()
    }

    #[test]
    fn every_kind_has_a_code_name() {
        for (kind, name) in KINDS {
            assert_eq!(kind_by_code_name(code_name(kind)), Some(kind));
            assert_eq!(code_name(kind), name);
        }
    }

    #[test]
    fn words_go_to_an_action_and_back() {
        for text in ["dive", "turn-back", "leave", "pick-up", "put-down 2"] {
            let action = parse_action(GameKind::DeepSeaAdventure, &words(text)).unwrap();
            assert_eq!(action_words(&action), text);
        }
    }

    #[test]
    fn case_underscores_and_quoting_are_forgiven() {
        for typed in [vec!["PUT_DOWN 2".to_owned()], words("Put-Down 2")] {
            let action = parse_action(GameKind::DeepSeaAdventure, &typed).unwrap();
            assert_eq!(action_words(&action), "put-down 2");
        }
    }

    #[test]
    fn a_forks_board_says_so_first() {
        let origin = ForkOrigin { game_id: "g\u{1b}".into(), revision: 37, ..Default::default() };
        let game = Game { players: vec!["Ana".into()], fork_of: Some(origin), ..Default::default() };
        let view = GameView { view: Some(game_view::View::DeepSeaAdventure(Default::default())) };
        let drawn = |game: &Game| draw(&view, GameStatus::Running, &Seating::of(game), Screen::plain(80));
        assert!(drawn(&game).starts_with("FORK of g at 37\n\nRound "), "{}", drawn(&game));
        assert!(!drawn(&Game { fork_of: None, ..game }).contains("FORK"));
    }
}
