//! The games for people: action words, event sentences and drawn boards.
//!
//! One module per game; this file only chooses among them. A new game adds its module, a row in [`KINDS`] and one arm
//! to each `match` below: the compiler names those that are missing.

mod captain_carcass;
mod deep_sea_adventure;
mod key_largo;
mod veiled_isles;

use divelog_proto::v1::{
    ForkOrigin, Game, GameAction, GameEvent, GameKind, GameStatus, GameView, LegalAction, game_action, game_event,
    game_view, legal_action,
};

use crate::{
    args::Lang,
    errors::CliError,
    output::{Screen, text::clean_line},
};

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
pub fn parse_action(kind: GameKind, words: &[String]) -> Result<GameAction, CliError> {
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
        GameKind::Unspecified => return Err(unknown_kind()),
    };
    Ok(GameAction { action: Some(action) })
}

fn unknown_kind() -> CliError {
    CliError::Unsupported(
        "this client does not know this kind of game; a newer divelog does, and -o json still works".into(),
    )
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

/// What a fork is marked with, everywhere: its results are nobody's results.
pub fn fork_mark(source: &str, revision: u64) -> String {
    clean_line(&format!("FORK of {source} at {revision}"))
}

/// Who sits where, safe to print, and whether the table is a fork of another.
#[derive(Debug, Clone, Default)]
pub struct Seating {
    names: Vec<String>,
    fork: Option<String>,
}

impl Seating {
    /// By seat; names may be empty.
    pub fn new<S: AsRef<str>>(names: impl IntoIterator<Item = S>) -> Self {
        Self { names: names.into_iter().map(|name| clean_line(name.as_ref())).collect(), fork: None }
    }

    /// The seating of a game.
    pub fn of(game: &Game) -> Self {
        Self::new(&game.players).forked(game.fork_of.as_ref())
    }

    /// The same seating at the table of a fork, if there is one.
    pub fn forked(self, origin: Option<&ForkOrigin>) -> Self {
        Self { fork: origin.map(|origin| fork_mark(&origin.game_id, origin.revision)), ..self }
    }

    /// The mark of a fork's table.
    pub fn fork(&self) -> Option<&str> {
        self.fork.as_deref()
    }

    /// The name alone; empty if there is none.
    pub fn name(&self, seat: u32) -> &str {
        usize::try_from(seat).ok().and_then(|at| self.names.get(at)).map_or("", String::as_str)
    }

    /// The name and the seat.
    pub fn full(&self, seat: u32) -> String {
        match self.name(seat) {
            "" => format!("seat {seat}"),
            name => format!("{name} (seat {seat})"),
        }
    }

    /// Several seats, as in `Ana (seat 0), seat 1`.
    pub fn list(&self, seats: &[u32]) -> String {
        let full: Vec<String> = seats.iter().map(|&seat| self.full(seat)).collect();
        full.join(", ")
    }

    /// All players, in the order of their seats.
    pub fn all(&self) -> String {
        let seats: Vec<u32> = (0u32..).zip(&self.names).map(|(seat, _)| seat).collect();
        self.list(&seats)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        text.split(' ').map(str::to_owned).collect()
    }

    #[test]
    fn every_kind_has_options_and_a_code_name() {
        for (kind, name) in KINDS {
            assert!(crate::options::options(kind, None, &[]).is_ok());
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

    #[test]
    fn seats_have_names_and_numbers() {
        let seating = Seating::new(["Ana\u{1b}", ""]);
        assert_eq!(seating.all(), "Ana (seat 0), seat 1");
        assert_eq!(seating.full(7), "seat 7");
    }
}
