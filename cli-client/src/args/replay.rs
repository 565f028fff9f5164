//! `divelog replay` as typed.

use clap::Args;

use super::{GameArg, ViewerArg};

/// `divelog replay`
#[derive(Debug, Args)]
#[command(before_help = "\
Examples:
  divelog replay GAME
  divelog replay GAME --as seat:2 --at 41
  divelog replay GAME --as seat:1 --from 10 --to 20
  divelog replay GAME --as auditor --step
  divelog replay GAME --as seat:2 --at 41 --diff seat:1
  divelog replay GAME --as seat:2 --at 41 --diff-at 38
  divelog replay GAME --as auditor --legal --views -o jsonl > trace.jsonl")]
pub struct ReplayArgs {
    #[command(flatten)]
    pub game: GameArg,
    #[command(flatten)]
    pub viewer: ViewerArg,
    /// Show this revision alone: the board, what had just happened, and what could be done then.
    #[arg(long, value_name = "R", conflicts_with_all = ["from", "to"], value_parser = clap::value_parser!(u64).range(1..))]
    pub at: Option<u64>,
    /// The first revision to show; 1 is the set-up.
    #[arg(long, value_name = "R", default_value_t = 0, hide_default_value = true)]
    pub from: u64,
    /// The last revision to show; the newest if absent.
    #[arg(long, value_name = "R", default_value_t = 0, hide_default_value = true)]
    pub to: u64,
    /// In a terminal, step by key: right, space or n next; left or p back; Home and End; g and a number; up and down
    /// scroll; 0-5, s and a change the viewer to that seat, a spectator or an auditor; q quits.
    #[arg(long)]
    pub step: bool,
    /// Compare with what this viewer was shown: lines with - are only this viewer's, lines with + only those of --as.
    #[arg(long, value_name = "VIEWER", conflicts_with_all = ["from", "to", "step", "legal", "views"])]
    pub diff: Option<String>,
    /// Compare with this revision: lines with - are only in its board, lines with + only in that of --at, or the newest.
    #[arg(long, value_name = "R", conflicts_with_all = ["from", "to", "step", "legal", "views"],
          value_parser = clap::value_parser!(u64).range(1..))]
    pub diff_at: Option<u64>,
    /// Show before each step what could have been done: for an auditor by every seat that was to act, for a seat by itself.
    #[arg(long)]
    pub legal: bool,
    /// Show after each step what every seat and a spectator saw of it; with --as auditor.
    #[arg(long, conflicts_with = "step")]
    pub views: bool,
}
