//! The commands, a file per noun: each checks its arguments into a request, sends it and prints the answer.

mod completions;
mod game;
mod log;
mod replay;

use divelog_proto::v1::{Game, GameEvent, GameStatus, Outcome};

use crate::{
    args::{Cli, Command, Lang},
    boards::{self, Seating},
    errors::CliError,
    output::{self, Output, Paint, table, text::clean_line},
};

/// Runs one command.
pub async fn run(cli: Cli, out: &mut Output) -> Result<(), CliError> {
    match cli.command {
        Command::Game(command) => game::run(&cli.global, command, out).await,
        Command::Log(command) => log::run(&cli.global, command, out).await,
        Command::Replay(args) => replay::run(&cli.global, &args, out).await,
        Command::Completions { shell } => completions::run(shell, out),
    }
}

/// A status in a word.
fn status_word(status: GameStatus) -> &'static str {
    match status {
        GameStatus::Running => "running",
        GameStatus::Finished => "finished",
        GameStatus::Abandoned => "abandoned",
        GameStatus::Unspecified => "unknown",
    }
}

/// A game without its table, as names and values.
fn game_pairs(game: &Game, paint: Paint) -> String {
    let seating = Seating::of(game);
    table::pairs(
        &[
            ("game", game.game_id.clone()),
            ("kind", format!("{} (rules version {})", boards::code_name(game.kind()), game.rules_version)),
            ("players", seating.all()),
            ("status", status_word(game.status()).into()),
            ("reason", game.abandon_reason.clone()),
            ("outcome", game.outcome.as_ref().map(|outcome| standings(outcome, &seating)).unwrap_or_default()),
            ("to act", seating.list(&game.to_act)),
            ("revision", game.revision.to_string()),
            ("labels", output::labels(&game.labels)),
            ("created", output::time(game.create_time.as_ref())),
            ("head hash", output::hex(&game.head_hash)),
            ("commitment", output::hex(&game.seed_commitment)),
            ("secret", output::hex(&game.revealed_secret)),
        ],
        paint,
    )
}

/// A result, best first.
fn standings(outcome: &Outcome, seating: &Seating) -> String {
    let mut standings = outcome.standings.clone();
    standings.sort_by_key(|standing| (standing.rank, standing.seat));
    let lines: Vec<String> = standings
        .iter()
        .map(|standing| format!("{}. {}: {}", standing.rank, seating.full(standing.seat), standing.points))
        .collect();
    lines.join(", ")
}

/// The sentences of what one record did; an abandonment has no events but is worth a sentence.
fn sentences(events: &[GameEvent], status: GameStatus, seating: &Seating, lang: Lang) -> Vec<String> {
    let mut sentences: Vec<String> = events.iter().map(|event| boards::event_sentence(event, seating, lang)).collect();
    if status == GameStatus::Abandoned {
        sentences.push("The game is abandoned.".into());
    }
    sentences.iter().map(|sentence| clean_line(sentence)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use divelog_proto::v1::Standing;

    #[test]
    fn standings_are_told_best_first() {
        let outcome = Outcome {
            standings: vec![Standing { seat: 0, points: 12, rank: 2 }, Standing { seat: 1, points: 30, rank: 1 }],
            winners: vec![1],
        };
        assert_eq!(standings(&outcome, &Seating::new(["Ana", ""])), "1. seat 1: 30, 2. Ana (seat 0): 12");
    }

    #[test]
    fn a_game_is_told_without_what_it_lacks() {
        let game = Game {
            game_id: "g".into(),
            kind: 1,
            rules_version: 1,
            players: vec!["Ana\u{7}".into(), String::new()],
            status: GameStatus::Running.into(),
            revision: 1,
            to_act: vec![0],
            head_hash: vec![0xab].into(),
            ..Default::default()
        };
        let expected = "\
game        g
kind        deep_sea_adventure (rules version 1)
players     Ana (seat 0), seat 1
status      running
to act      Ana (seat 0)
revision    1
labels      -
created     -
head hash   ab";
        assert_eq!(game_pairs(&game, Paint::PLAIN), expected);
    }

    #[test]
    fn an_abandonment_has_a_sentence() {
        assert_eq!(sentences(&[], GameStatus::Abandoned, &Seating::default(), Lang::En), ["The game is abandoned."]);
        assert!(sentences(&[], GameStatus::Running, &Seating::default(), Lang::En).is_empty());
    }
}
