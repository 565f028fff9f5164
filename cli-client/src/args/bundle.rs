//! `divelog bundle ...` as typed.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::{GameArg, KeyArg};

/// `divelog bundle ...`
#[derive(Debug, Subcommand)]
#[command(before_help = "\
Examples:
  divelog bundle export GAME
  divelog bundle verify GAME.dlbundle --key @log.key
  divelog bundle show GAME.dlbundle")]
pub enum BundleCommand {
    /// Write one game's evidence to a file.
    Export(ExportArgs),
    /// Say what a bundle proves, offline, without trusting whoever made it.
    #[command(before_help = "\
Examples:
  divelog bundle verify GAME.dlbundle --key @log.key
  divelog bundle verify GAME.dlbundle --promise GAME:COMMITMENT
  divelog bundle verify GAME.dlbundle -o json")]
    Verify {
        /// The bundle; `-` is stdin.
        file: PathBuf,
        #[command(flatten)]
        key: KeyArg,
        /// What `game prepare` promised before the players added to the seed: the game must have kept it.
        #[arg(long, value_name = "GAME:COMMITMENT")]
        promise: Option<String>,
    },
    /// What a bundle holds: its claims, and its records in words. Nothing is checked.
    #[command(before_help = "\
Examples:
  divelog bundle show GAME.dlbundle
  divelog bundle show GAME.dlbundle -o json")]
    Show {
        /// The bundle; `-` is stdin.
        file: PathBuf,
    },
}

/// `divelog bundle export`
#[derive(Debug, Args)]
#[command(before_help = "\
Examples:
  divelog bundle export GAME
  divelog bundle export GAME --file dispute-12.dlbundle
  divelog bundle export GAME --open-draw 12 --open-draw 13
  divelog bundle export GAME --file - | ssh elsewhere divelog bundle verify -")]
pub struct ExportArgs {
    #[command(flatten)]
    pub game: GameArg,
    /// Where to write it: GAME.dlbundle in this folder if absent; `-` is stdout.
    #[arg(long, value_name = "FILE")]
    pub file: Option<PathBuf>,
    /// Replace a file that is there already.
    #[arg(long)]
    pub force: bool,
    /// Show the draw of this record of a running game, without showing any other; may be repeated.
    #[arg(long, value_name = "N", conflicts_with = "include_secret")]
    pub open_draw: Vec<u64>,
    /// Put a running game's secret in: whoever has the file can foresee every later card. A finished game's is always in.
    #[arg(long)]
    pub include_secret: bool,
}
