//! `divelog log ...` as typed.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::{FilterArgs, GameArg, KeyArg};

/// `divelog log ...`
#[derive(Debug, Subcommand)]
#[command(before_help = "\
Examples:
  divelog log show GAME
  divelog log verify GAME
  divelog log verify --all
  divelog log checkpoint --since kept.checkpoint --key @log.key
  divelog log refusals GAME")]
pub enum LogCommand {
    /// The records of a game.
    #[command(before_help = "\
Examples:
  divelog log show GAME
  divelog log show GAME -o json > game.json")]
    Show {
        #[command(flatten)]
        game: GameArg,
        /// Show a running game's secret too: with it every later die can be foreseen. Offline verification needs it.
        #[arg(long)]
        include_secret: bool,
    },
    /// Check that a log was not altered and that the rules give its result.
    Verify(VerifyArgs),
    /// The newest signed checkpoint; with --since, that history was not rewritten.
    Checkpoint(CheckpointArgs),
    /// Prove that a game is in the transparency log.
    #[command(before_help = "\
Examples:
  divelog log prove GAME --key @log.key
  divelog log prove GAME --revision 64 -o json")]
    Prove {
        #[command(flatten)]
        game: GameArg,
        /// The revision to prove: the first leaf at or after it; the game's newest leaf if absent.
        #[arg(long, value_name = "R", default_value_t = 0, hide_default_value = true)]
        revision: u64,
        #[command(flatten)]
        key: KeyArg,
    },
    /// Open one record's draw, and check it against the commitment made before it.
    #[command(before_help = "\
Examples:
  divelog log open-draw GAME --record 12")]
    OpenDraw {
        #[command(flatten)]
        game: GameArg,
        /// The number of the record, from 0, as `divelog log show` lists them.
        #[arg(long, value_name = "N")]
        record: u64,
    },
    /// The actions of a game that were refused, newest first.
    #[command(before_help = "\
Examples:
  divelog log refusals GAME
  divelog log refusals GAME -o jsonl")]
    Refusals {
        #[command(flatten)]
        game: GameArg,
    },
    /// Replay games on this build and show what plays differently.
    Impact(ImpactArgs),
}

/// `divelog log verify`
#[derive(Debug, Args)]
#[command(
    before_help = "\
Examples:
  divelog log verify GAME
  divelog log verify --file game.json
  divelog log verify --all --status finished -o jsonl
  divelog log verify GAME --on-server",
    group = clap::ArgGroup::new("what").required(true)
)]
pub struct VerifyArgs {
    /// The game's full id; its log is fetched and checked here. `-` reads the id from the first line of stdin.
    #[arg(value_name = "GAME", group = "what")]
    pub game: Option<String>,
    /// Check a file that `log show -o json` or `-o jsonl` wrote, without a server.
    #[arg(long, value_name = "FILE", group = "what")]
    pub file: Option<PathBuf>,
    /// Check every game of the server, on all cores, and go on after a bad one.
    #[arg(long, group = "what")]
    pub all: bool,
    #[command(flatten)]
    pub filter: FilterArgs,
    /// Let the server check, and trust its answer.
    #[arg(long, conflicts_with_all = ["file", "all"])]
    pub on_server: bool,
}

/// `divelog log checkpoint`
#[derive(Debug, Args)]
#[command(before_help = "\
Examples:
  divelog log checkpoint --seal --save kept.checkpoint
  divelog log checkpoint --since kept.checkpoint --key @log.key
  divelog log checkpoint --since kept.checkpoint --save kept.checkpoint")]
pub struct CheckpointArgs {
    /// Seal everything that is on disk now first; otherwise the newest checkpoint may be some seconds old.
    #[arg(long)]
    pub seal: bool,
    /// Check that the newest log holds everything that this kept checkpoint covers; exit 4 if history was rewritten.
    #[arg(long, value_name = "FILE")]
    pub since: Option<PathBuf>,
    /// Keep the newest checkpoint in this file; with --since only if it agrees.
    #[arg(long, value_name = "FILE")]
    pub save: Option<PathBuf>,
    #[command(flatten)]
    pub key: KeyArg,
}

/// `divelog log impact`
#[derive(Debug, Args)]
#[command(before_help = "\
Examples:
  divelog log impact bundles/
  divelog log impact one.dlbundle other.dlbundle -o jsonl
  divelog log impact --kind deep_sea_adventure --status finished
  divelog log impact --newest-rules bundles/")]
pub struct ImpactArgs {
    /// Bundles, and folders in which every *.dlbundle counts. Without any: every game of the server.
    #[arg(value_name = "PATH")]
    pub paths: Vec<PathBuf>,
    /// Replay each game by the newest rules version of its kind, also one of an older version: what a change of the rules
    /// would have meant for it. A difference is then no fault, and the exit code is 0.
    #[arg(long)]
    pub newest_rules: bool,
    #[command(flatten)]
    pub filter: FilterArgs,
}
