//! The commands, a file per noun: each checks its arguments into a request, sends it and prints the answer.

mod bundle;
mod completions;
mod game;
mod log;
mod replay;
#[cfg(test)]
mod tests;

use divelog_proto::v1::{ForkOrigin, Game, GameEvent, GameStatus, Outcome};
use divelog_text::{Lang, Seating};

use crate::{
    args::{Cli, Command},
    errors::CliError,
    options,
    output::{self, Output, Screen, clean_line, table},
};

/// Runs one command.
pub async fn run(cli: Cli, out: &mut Output) -> Result<(), CliError> {
    match cli.command {
        Command::Game(command) => game::run(&cli.global, command, out).await,
        Command::Log(command) => log::run(&cli.global, command, out).await,
        Command::Bundle(command) => bundle::run(&cli.global, command, out).await,
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

/// A game without its table, as names and values; of its options those that differ from the rules, or all.
fn game_pairs(game: &Game, screen: Screen, all_options: bool) -> String {
    let seating = Seating::of(game);
    table::pairs(
        &[
            ("game", game.game_id.clone()),
            ("fork", game.fork_of.as_ref().map(fork_sentence).unwrap_or_default()),
            ("kind", format!("{} (rules version {})", divelog_text::code_name(game.kind()), game.rules_version)),
            ("options", game.options.as_ref().map(|options| options::words(options, all_options)).unwrap_or_default()),
            ("players", seating.all()),
            ("status", status_word(game.status()).into()),
            ("reason", game.abandon_reason.clone()),
            ("outcome", game.outcome.as_ref().map(|outcome| standings(outcome, &seating)).unwrap_or_default()),
            ("to act", seating.list(&game.to_act)),
            ("revision", game.revision.to_string()),
            ("labels", output::labels(&game.labels)),
            ("created", output::time(game.create_time.as_ref())),
            ("head hash", hex::encode(&game.head_hash)),
            ("commitment", hex::encode(&game.seed_commitment)),
            ("secret", hex::encode(&game.revealed_secret)),
        ],
        screen,
    )
}

/// Prints a table, and says which of its columns have no room.
fn print_table(table: &table::Table, out: &mut Output) -> Result<(), CliError> {
    let screen = out.table_screen();
    out.text(&table.render(screen))?;
    let left_out = table.left_out(screen);
    if !left_out.is_empty() {
        output::note(&format!("left out for lack of room: {}; -o wide shows every column", left_out.join(", ")));
    }
    Ok(())
}

/// A game without its table, printed.
fn print_game(game: &Game, out: &mut Output) -> Result<(), CliError> {
    out.text(&game_pairs(game, out.table_screen(), out.is_wide()))
}

/// Where a fork comes from, and whose luck it has.
fn fork_sentence(origin: &ForkOrigin) -> String {
    let luck = if origin.same_seed { "the same luck as the source" } else { "its own luck" };
    format!("{}, with {luck}", divelog_text::fork_mark(&origin.game_id, origin.revision))
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
    let mut sentences: Vec<String> =
        events.iter().map(|event| divelog_text::event_sentence(event, seating, lang)).collect();
    if status == GameStatus::Abandoned {
        sentences.push("The game is abandoned.".into());
    }
    sentences.iter().map(|sentence| clean_line(sentence)).collect()
}
