//! From the wire's messages, which can be of any game, to the text of each game.
//!
//! The games are those of the engine's list, on whose state types each game implements [`GameText`]: one that is in the
//! protos or the list and has no words here does not compile.

use divelog_engine::{Game, Kind, Listed, RulesVersion as _, match_game};
use divelog_proto::v1::{
    GameAction, GameEvent, GameKind, GameStatus, GameView, LegalAction, Outcome, SeatLegalActions, game_action,
    game_event, game_view, legal_action,
};

use crate::{Lang, ParseError, Screen, Seating, legal, outcome, spelling};

/// What is printed for a message of a game that is newer than this crate.
const UNKNOWN: &str = "(unknown to this client: see -o json)";

/// A game in words. Each game implements it in its folder, on its own messages.
pub(crate) trait GameText: Listed {
    /// The message of what a player asks for.
    type WireAction;
    /// The message of what a player may ask for: one action or a family of them.
    type WireLegalAction;
    /// The message of what happened.
    type WireEvent;
    /// The message of the table as a viewer sees it.
    type WireView;

    /// The action that words in lower case, with dashes, mean in a game by this version of the rules.
    fn parse_action(rules: Self::Rules, words: &[&str]) -> Result<game_action::Action, ParseError>;

    /// An action in the words that [`GameText::parse_action`] takes.
    fn action_words(action: &Self::WireAction) -> String;

    /// A legal action in such words; none if it is newer than this crate.
    fn legal_words(legal: &Self::WireLegalAction) -> Option<String>;

    /// What happened, in a sentence; none if the event is newer than this crate.
    fn event_sentence(event: &Self::WireEvent, seating: &Seating, lang: Lang) -> Option<String>;

    /// The whole table, and whose turn it is. On an abandoned one it is nobody's turn.
    fn draw(view: &Self::WireView, abandoned: bool, seating: &Seating, screen: Screen) -> String;
}

/// The code name of a kind.
pub fn code_name(kind: GameKind) -> &'static str {
    match_game!(kind, GameKind, G => G::CODE_NAME, Unspecified => "unknown")
}

/// The code names of all kinds.
pub fn code_names() -> Vec<&'static str> {
    Kind::ALL.iter().map(|kind| kind.code_name()).collect()
}

/// The kind of a code name.
pub fn kind_by_code_name(code_name: &str) -> Option<GameKind> {
    let kind = Kind::ALL.iter().find(|kind| kind.code_name() == code_name)?;
    GameKind::try_from(*kind as i32).ok()
}

/// The action that typed words mean in a game of this kind and rules version. A version that is newer than this crate is
/// taken for the newest.
pub fn parse_action(kind: GameKind, rules_version: u32, words: &[String]) -> Result<GameAction, ParseError> {
    // Words may come as one quoted argument; upper case, underscores and the names of the protos are accepted.
    let words: Vec<String> = words
        .iter()
        .flat_map(|word| word.split_whitespace())
        .map(|word| word.to_lowercase().replace('_', "-"))
        .collect();
    let words = spelling::own_words(code_name(kind), words);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let action = match_game!(
        kind, GameKind, G => {
            let rules = u16::try_from(rules_version).ok().and_then(<G as Game>::Rules::of).unwrap_or(G::NEWEST_RULES);
            <G as GameText>::parse_action(rules, &words)?
        },
        Unspecified => return Err(ParseError::UnknownKind),
    );
    Ok(GameAction { action: Some(action) })
}

/// An action in the words that [`parse_action`] takes.
pub fn action_words(action: &GameAction) -> String {
    let Some(action) = &action.action else { return UNKNOWN.into() };
    match_game!(action, game_action::Action, G(action) => <G as GameText>::action_words(action))
}

/// A legal action in the words that [`parse_action`] takes.
pub fn legal_words(legal: &LegalAction) -> String {
    let known = legal.legal_action.as_ref().and_then(
        |legal| match_game!(legal, legal_action::LegalAction, G(legal) => <G as GameText>::legal_words(legal)),
    );
    known.unwrap_or_else(|| UNKNOWN.into())
}

/// What happened, in a sentence.
pub fn event_sentence(event: &GameEvent, seating: &Seating, lang: Lang) -> String {
    let known = event.event.as_ref().and_then(|event| {
        match_game!(event, game_event::Event, G(event) => <G as GameText>::event_sentence(event, seating, lang))
    });
    known.unwrap_or_else(|| UNKNOWN.into())
}

/// The board, with whose turn it is, and what the seats of `legal` can type: the legal actions that the viewer was given,
/// none for one who may not ask for them. The board of an abandoned game stands as it was left, but asks nobody to act any
/// more; that of a finished one ends with the winners and the scores. That of a fork says so above everything else.
pub fn draw(
    view: &GameView,
    status: GameStatus,
    outcome: Option<&Outcome>,
    legal: &[SeatLegalActions],
    seating: &Seating,
    screen: Screen,
) -> String {
    let abandoned = status == GameStatus::Abandoned;
    let board = match &view.view {
        Some(view) => match_game!(view, game_view::View, G(view) => {
            <G as GameText>::draw(view, abandoned, seating, screen)
        }),
        None => UNKNOWN.into(),
    };
    let fork = seating.fork().map(|mark| screen.paint.alarm(mark)).unwrap_or_default();
    let typed = if abandoned { String::new() } else { legal::section(legal, seating, screen) };
    let result = outcome.map(|outcome| outcome::section(outcome, seating, screen)).unwrap_or_default();
    let parts: Vec<String> = [fork, board, result, typed].into_iter().filter(|part| !part.is_empty()).collect();
    parts.join("\n\n")
}

#[cfg(test)]
mod tests {
    use divelog_proto::v1::{ForkOrigin, Game, Standing};

    use super::*;

    fn words(text: &str) -> Vec<String> {
        text.split(' ').map(str::to_owned).collect()
    }

    #[test]
    fn every_kind_has_a_code_name() {
        for name in code_names() {
            let kind = kind_by_code_name(name).unwrap();
            assert_eq!(code_name(kind), name);
            // The name of the wire's choices, which options and documents use.
            assert_eq!(kind.as_str_name(), format!("GAME_KIND_{}", name.to_uppercase()));
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
        assert_eq!(draw(&GameView::default(), GameStatus::Running, None, &[], &seating, Screen::plain(80)), UNKNOWN);
        assert_eq!(parse_action(GameKind::Unspecified, 1, &words("dive")), Err(ParseError::UnknownKind));
    }

    #[test]
    fn words_go_to_an_action_and_back() {
        for text in ["dive", "turn-back", "leave", "pick-up", "put-down 2"] {
            let action = parse_action(GameKind::DeepSeaAdventure, 1, &words(text)).unwrap();
            assert_eq!(action_words(&action), text);
        }
    }

    #[test]
    fn upper_case_underscores_and_quoting_are_accepted() {
        for typed in [vec!["PUT_DOWN 2".to_owned()], words("Put-Down 2")] {
            let action = parse_action(GameKind::DeepSeaAdventure, 1, &typed).unwrap();
            assert_eq!(action_words(&action), "put-down 2");
        }
    }

    #[test]
    fn a_server_that_is_newer_is_sent_the_newest_form() {
        let round = |rules_version| {
            let action = parse_action(GameKind::KeyLargo, rules_version, &words("round 3")).unwrap();
            match action.action {
                Some(game_action::Action::KeyLargo(action)) => action,
                other => panic!("{other:?}"),
            }
        };
        assert_ne!(round(1), round(2), "the versions have different forms");
        for newer in [3, 65_537, u32::MAX] {
            assert_eq!(round(newer), round(2), "{newer}");
        }
    }

    #[test]
    fn a_forks_board_says_so_first() {
        let origin = ForkOrigin { game_id: "g\u{1b}".into(), revision: 37, ..Default::default() };
        let game = Game { players: vec!["Ana".into()], fork_of: Some(origin), ..Default::default() };
        let view = GameView { view: Some(game_view::View::DeepSeaAdventure(Default::default())) };
        let drawn = |game: &Game| draw(&view, GameStatus::Running, None, &[], &Seating::of(game), Screen::plain(80));
        assert!(drawn(&game).starts_with("FORK of g\\u001b at 37\n\nRound "), "{}", drawn(&game));
        assert!(!drawn(&Game { fork_of: None, ..game }).contains("FORK"));
    }

    /// Whatever the game: its board at the end says who has won.
    #[test]
    fn a_finished_board_ends_with_the_winners_and_scores() {
        use divelog_engine::Kind;
        let outcome = Outcome {
            standings: vec![Standing { seat: 0, points: 12, rank: 2 }, Standing { seat: 1, points: 30, rank: 1 }],
            winners: vec![1],
        };
        let views = [
            game_view::View::DeepSeaAdventure(Default::default()),
            game_view::View::CaptainCarcass(Default::default()),
            game_view::View::KeyLargo(Default::default()),
            game_view::View::VeiledIsles(Default::default()),
        ];
        assert_eq!(views.len(), Kind::ALL.len(), "each game");
        for view in views {
            let view = GameView { view: Some(view) };
            let seating = Seating::new(["Ana", "Ben"]);
            let drawn = draw(&view, GameStatus::Finished, Some(&outcome), &[], &seating, Screen::plain(80));
            let expected = "\n\nWinner: Ben (seat 1).\n  1. Ben (seat 1): 30\n  2. Ana (seat 0): 12";
            assert!(drawn.ends_with(expected), "{drawn}");
        }
    }

    #[test]
    fn a_board_ends_with_what_can_be_typed() {
        let Some(game_action::Action::DeepSeaAdventure(action)) =
            parse_action(GameKind::DeepSeaAdventure, 1, &words("put-down 2")).unwrap().action
        else {
            panic!("an action of another game")
        };
        let action = divelog_proto::games::deep_sea_adventure::v1::LegalAction { action: Some(action) };
        let action = LegalAction { legal_action: Some(legal_action::LegalAction::DeepSeaAdventure(action)) };
        let legal = [SeatLegalActions { seat: 1, legal_actions: vec![action] }];
        let view = GameView { view: Some(game_view::View::DeepSeaAdventure(Default::default())) };
        let seating = Seating::new(["Ana", "Ben"]);
        let drawn = |status, legal: &[SeatLegalActions]| draw(&view, status, None, legal, &seating, Screen::plain(80));
        let typed = "\n\nBen (seat 1) can type:\n  put-down 2";
        assert!(drawn(GameStatus::Running, &legal).ends_with(typed));
        assert!(!drawn(GameStatus::Running, &[]).contains("can type"));
        assert!(!drawn(GameStatus::Abandoned, &legal).contains("can type"), "nobody is asked any more");
    }
}
