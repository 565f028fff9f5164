//! The one list of games, and the way from the wire's choice to a game's own text.
//!
//! Each `match` that [`games!`] writes names every game and has no arm for the rest: a game that the protos have and the
//! list has not does not compile.

use divelog_proto::v1::{
    GameAction, GameEvent, GameKind, GameStatus, GameView, LegalAction, SeatLegalActions, game_action, game_event,
    game_view, legal_action,
};

use crate::{
    Lang, ParseError, Screen, Seating, captain_carcass::CaptainCarcass, deep_sea_adventure::DeepSeaAdventure,
    key_largo::KeyLargo, legal, veiled_isles::VeiledIsles,
};

/// What is printed for a message of a game that is newer than this crate.
const UNKNOWN: &str = "(unknown to this client: see -o json)";

/// A game in words. Each game implements it in its folder, on its own messages.
pub(crate) trait GameText {
    /// What a player asks for.
    type Action;
    /// What a player may ask for: one action or a family of them.
    type LegalAction;
    /// What happened.
    type Event;
    /// The table as a viewer sees it.
    type View;

    /// The action that words in lower case, with dashes, mean.
    fn parse_action(words: &[&str]) -> Result<Self::Action, ParseError>;

    /// An action in the words that [`GameText::parse_action`] takes.
    fn action_words(action: &Self::Action) -> String;

    /// A legal action in such words; none if it is newer than this crate.
    fn legal_words(legal: &Self::LegalAction) -> Option<String>;

    /// What happened, in a sentence; none if the event is newer than this crate.
    fn event_sentence(event: &Self::Event, seating: &Seating, lang: Lang) -> Option<String>;

    /// The whole table, and whose turn it is. An abandoned one asks nobody to act.
    fn draw(view: &Self::View, abandoned: bool, seating: &Seating, screen: Screen) -> String;
}

/// Declares the games once, by the name that the wire's choices have in Rust, and their code names.
macro_rules! games {
    ($( $game:ident = $code:literal; )*) => {
        /// The kinds of game that have words here.
        const KINDS: &[GameKind] = &[ $( GameKind::$game, )* ];

        /// The code name of a kind.
        pub fn code_name(kind: GameKind) -> &'static str {
            match kind {
                $( GameKind::$game => $code, )*
                GameKind::Unspecified => "unknown",
            }
        }

        fn parse_normal(kind: GameKind, words: &[&str]) -> Result<GameAction, ParseError> {
            let action = match kind {
                $( GameKind::$game => game_action::Action::$game(<$game as GameText>::parse_action(words)?), )*
                GameKind::Unspecified => return Err(ParseError::UnknownKind),
            };
            Ok(GameAction { action: Some(action) })
        }

        fn known_action_words(action: &game_action::Action) -> String {
            match action { $( game_action::Action::$game(action) => <$game as GameText>::action_words(action), )* }
        }

        fn known_legal_words(legal: &legal_action::LegalAction) -> Option<String> {
            match legal { $( legal_action::LegalAction::$game(legal) => <$game as GameText>::legal_words(legal), )* }
        }

        fn known_sentence(event: &game_event::Event, seating: &Seating, lang: Lang) -> Option<String> {
            match event {
                $( game_event::Event::$game(event) => <$game as GameText>::event_sentence(event, seating, lang), )*
            }
        }

        fn known_board(view: &game_view::View, abandoned: bool, seating: &Seating, screen: Screen) -> String {
            match view {
                $( game_view::View::$game(view) => <$game as GameText>::draw(view, abandoned, seating, screen), )*
            }
        }
    };
}

games! {
    DeepSeaAdventure = "deep_sea_adventure";
    CaptainCarcass = "captain_carcass";
    KeyLargo = "key_largo";
    VeiledIsles = "veiled_isles";
}

/// The code names of all kinds.
pub fn code_names() -> Vec<&'static str> {
    KINDS.iter().map(|kind| code_name(*kind)).collect()
}

/// The kind of a code name.
pub fn kind_by_code_name(code_name: &str) -> Option<GameKind> {
    KINDS.iter().copied().find(|kind| self::code_name(*kind) == code_name)
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
    parse_normal(kind, &words)
}

/// An action in the words that [`parse_action`] takes.
pub fn action_words(action: &GameAction) -> String {
    action.action.as_ref().map_or_else(|| UNKNOWN.into(), known_action_words)
}

/// A legal action in the words that [`parse_action`] takes.
pub fn legal_words(legal: &LegalAction) -> String {
    legal.legal_action.as_ref().and_then(known_legal_words).unwrap_or_else(|| UNKNOWN.into())
}

/// What happened, in a sentence.
pub fn event_sentence(event: &GameEvent, seating: &Seating, lang: Lang) -> String {
    let sentence = event.event.as_ref().and_then(|event| known_sentence(event, seating, lang));
    sentence.unwrap_or_else(|| UNKNOWN.into())
}

/// The board, with whose turn it is, and what the seats of `legal` can type: the legal actions that the viewer was given,
/// none for one who may not ask for them. The board of an abandoned game stands as it was left, but asks nobody to act any
/// more. That of a fork says so above everything else.
pub fn draw(
    view: &GameView,
    status: GameStatus,
    legal: &[SeatLegalActions],
    seating: &Seating,
    screen: Screen,
) -> String {
    let abandoned = status == GameStatus::Abandoned;
    let board = match &view.view {
        Some(view) => known_board(view, abandoned, seating, screen),
        None => UNKNOWN.into(),
    };
    let fork = seating.fork().map(|mark| screen.paint.alarm(mark)).unwrap_or_default();
    let typed = if abandoned { String::new() } else { legal::section(legal, seating, screen) };
    let parts: Vec<String> = [fork, board, typed].into_iter().filter(|part| !part.is_empty()).collect();
    parts.join("\n\n")
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
        for &kind in KINDS {
            assert_eq!(kind_by_code_name(code_name(kind)), Some(kind));
            // The name of the wire's choices, which options and documents use.
            assert_eq!(kind.as_str_name(), format!("GAME_KIND_{}", code_name(kind).to_uppercase()));
        }
        assert_eq!(code_name(GameKind::Unspecified), "unknown");
        assert_eq!(kind_by_code_name("unknown"), None);
    }

    #[test]
    fn what_is_newer_is_called_unknown() {
        let seating = Seating::default();
        assert_eq!(action_words(&GameAction::default()), UNKNOWN);
        assert_eq!(legal_words(&LegalAction::default()), UNKNOWN);
        assert_eq!(event_sentence(&GameEvent::default(), &seating, Lang::En), UNKNOWN);
        assert_eq!(draw(&GameView::default(), GameStatus::Running, &[], &seating, Screen::plain(80)), UNKNOWN);
        assert_eq!(parse_action(GameKind::Unspecified, &words("dive")), Err(ParseError::UnknownKind));
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
        let drawn = |game: &Game| draw(&view, GameStatus::Running, &[], &Seating::of(game), Screen::plain(80));
        assert!(drawn(&game).starts_with("FORK of g at 37\n\nRound "), "{}", drawn(&game));
        assert!(!drawn(&Game { fork_of: None, ..game }).contains("FORK"));
    }

    #[test]
    fn a_board_ends_with_what_can_be_typed() {
        let Some(game_action::Action::DeepSeaAdventure(action)) =
            parse_action(GameKind::DeepSeaAdventure, &words("put-down 2")).unwrap().action
        else {
            panic!("an action of another game")
        };
        let action = divelog_proto::games::deep_sea_adventure::v1::LegalAction { action: Some(action) };
        let action = LegalAction { legal_action: Some(legal_action::LegalAction::DeepSeaAdventure(action)) };
        let legal = [SeatLegalActions { seat: 1, legal_actions: vec![action] }];
        let view = GameView { view: Some(game_view::View::DeepSeaAdventure(Default::default())) };
        let seating = Seating::new(["Ana", "Ben"]);
        let drawn = |status, legal: &[SeatLegalActions]| draw(&view, status, legal, &seating, Screen::plain(80));
        let typed = "\n\nBen (seat 1) can type:\n  put-down 2";
        assert!(drawn(GameStatus::Running, &legal).ends_with(typed));
        assert!(!drawn(GameStatus::Running, &[]).contains("can type"));
        assert!(!drawn(GameStatus::Abandoned, &legal).contains("can type"), "nobody is asked any more");
    }
}
