//! The command line as typed: clap's raw structures and the help texts, without any meaning yet.
//!
//! What the arguments mean is decided where they become requests ([`crate::input`], [`crate::commands`]), so that the
//! checks can be tested without a process.

mod bundle;
mod log;
mod replay;

use clap::{Args, Parser, Subcommand, ValueEnum, builder::NonEmptyStringValueParser};
use clap_complete::Shell;

pub use bundle::{BundleCommand, ExportArgs};
pub use log::{CheckpointArgs, ImpactArgs, LogCommand, VerifyArgs};
pub use replay::ReplayArgs;

use crate::repeat::FromStdin;

/// Play, watch, replay and prove games on a divelog server.
#[derive(Debug, Parser)]
#[command(
    name = "divelog",
    version,
    before_help = "\
Examples:
  divelog game create deep_sea_adventure --player Ana --player Ben
  divelog game show GAME --as seat:0
  divelog game act GAME --seat 0 dive
  divelog game watch GAME
  divelog replay GAME --as seat:2 --at 41
  divelog log verify --all
  divelog bundle export GAME",
    after_help = crate::exit::help(),
    propagate_version = true,
    subcommand_required = true,
    arg_required_else_help = true
)]
pub struct Cli {
    #[command(flatten)]
    pub global: Global,
    #[command(subcommand)]
    pub command: Command,
}

/// Where divelogd listens if nobody says otherwise.
pub const DEFAULT_SERVER: &str = "127.0.0.1:7646";

/// Flags that every command takes.
#[derive(Debug, Args)]
#[command(next_help_heading = "Global options")]
pub struct Global {
    /// The server to talk to: HOST:PORT, with or without http:// in front of it.
    #[arg(long, global = true, env = "DIVELOG_SERVER", value_name = "ADDRESS", default_value = DEFAULT_SERVER)]
    pub server: String,
    /// How to print: for people, for people with every column, as one JSON document, or as one JSON object a line.
    #[arg(short, long, global = true, env = "DIVELOG_OUTPUT", value_enum, default_value_t = Format::Table)]
    pub output: Format,
    /// How long to wait for the connection and for each answer.
    #[arg(long, global = true, env = "DIVELOG_TIMEOUT", value_name = "SECONDS", default_value_t = 10,
          value_parser = clap::value_parser!(u64).range(1..=3600))]
    pub timeout: u64,
    /// Whether to use colours; auto means: on a terminal that has them, unless NO_COLOR is set.
    #[arg(long, global = true, value_enum, value_name = "WHEN", default_value_t = When::Auto)]
    pub color: When,
    /// Names of cards and places: English alone, or the French ones beside them.
    #[arg(long, global = true, env = "DIVELOG_LANG", value_enum, default_value_t = Lang::En)]
    pub lang: Lang,
    /// The words of the command line, as typed.
    #[arg(skip)]
    pub typed: Vec<String>,
}

/// The names of cards and places.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Lang {
    /// English.
    En,
    /// English, and French beside it.
    Fr,
}

impl From<Lang> for divelog_text::Lang {
    fn from(lang: Lang) -> Self {
        match lang {
            Lang::En => Self::En,
            Lang::Fr => Self::Fr,
        }
    }
}

/// How results are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// Tables, boards and sentences.
    Table,
    /// The same with every column and every option, however wide.
    Wide,
    /// One indented JSON document.
    Json,
    /// One compact JSON object a line.
    Jsonl,
}

/// When colours are used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum When {
    /// On a terminal that has them, unless NO_COLOR is set.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Create, play and follow games.
    #[command(subcommand)]
    Game(GameCommand),
    /// Read, verify and prove the logs of games.
    #[command(subcommand)]
    Log(LogCommand),
    /// One game's evidence in one file: export it, verify it offline.
    #[command(subcommand)]
    Bundle(BundleCommand),
    /// Go through a game step by step, as any viewer saw it.
    Replay(ReplayArgs),
    /// Print a completion script for a shell.
    #[command(before_help = "\
Examples:
  divelog completions bash > ~/.local/share/bash-completion/completions/divelog
  divelog completions zsh > \"${fpath[1]}/_divelog\"
  divelog completions fish > ~/.config/fish/completions/divelog.fish")]
    Completions {
        /// The shell.
        shell: Shell,
    },
}

/// `divelog game ...`
#[derive(Debug, Subcommand)]
#[command(before_help = "\
Examples:
  divelog game kinds
  divelog game create deep_sea_adventure --players 3
  divelog game list --status running")]
pub enum GameCommand {
    /// The kinds of game that the server hosts; with KIND, its options and rule book.
    #[command(before_help = "\
Examples:
  divelog game kinds
  divelog game kinds deep_sea_adventure
  divelog game kinds deep_sea_adventure --rules-version 1")]
    Kinds {
        /// Show this kind with its options and its whole rule book.
        kind: Option<String>,
        /// The rule book of this rules version; without it that of the newest. `game show` says a game's.
        #[arg(long, value_name = "N", requires = "kind", value_parser = clap::value_parser!(u32).range(1..))]
        rules_version: Option<u32>,
    },
    /// Create a game.
    Create(CreateArgs),
    /// Promise a future game, before the players add to its seed.
    #[command(before_help = "\
Examples:
  divelog game prepare
  promise=$(divelog game prepare -q)
  divelog game create deep_sea_adventure --players 2 --entropy 0=c0ffee --entropy 1=beef --prepared $promise")]
    Prepare {
        /// Print only the promise, as `game create --prepared` takes it.
        #[arg(short, long)]
        quiet: bool,
    },
    /// The games, newest first.
    List(ListArgs),
    /// The board of a game.
    #[command(before_help = "\
Examples:
  divelog game show GAME
  divelog game show GAME --as seat:1
  divelog game create deep_sea_adventure --players 2 -q | divelog game show -")]
    Show {
        #[command(flatten)]
        game: GameArg,
        #[command(flatten)]
        viewer: ViewerArg,
    },
    /// What a seat may do now.
    #[command(before_help = "\
Examples:
  divelog game legal GAME --seat 0
  divelog game legal GAME --seat 0 -o jsonl")]
    Legal {
        #[command(flatten)]
        game: GameArg,
        /// The seat, from 0.
        #[arg(long, value_name = "N")]
        seat: u32,
    },
    /// Act for a seat.
    Act(ActArgs),
    /// Follow a game as it is played.
    Watch(WatchArgs),
    /// Make a new game that begins as another did and goes its own way from there.
    Fork(ForkArgs),
    /// Abandon a running game.
    Abandon(AbandonArgs),
}

/// `divelog game abandon`
#[derive(Debug, Args)]
#[command(before_help = "\
Examples:
  divelog game abandon GAME --reason \"table closed\"
  divelog game abandon GAME --expected-revision 17")]
pub struct AbandonArgs {
    #[command(flatten)]
    pub game: GameArg,
    /// Why, for the log.
    #[arg(long, default_value = "", hide_default_value = true)]
    pub reason: String,
    /// Refuse if the game is at any other revision.
    #[arg(long, value_name = "R")]
    pub expected_revision: Option<u64>,
    #[command(flatten)]
    pub request: RequestIdArg,
}

/// The game that a command is about.
#[derive(Debug, Args)]
pub struct GameArg {
    /// The game's full id; `-` reads it from the first line of stdin.
    #[arg(value_name = "GAME")]
    pub game: String,
}

impl GameArg {
    /// The id, if it was read from stdin.
    pub fn read_from_stdin<'a>(&self, game_id: &'a str) -> Option<FromStdin<'a>> {
        (self.game == "-").then_some(FromStdin { argument: "game", text: game_id })
    }
}

/// Whose view is shown.
#[derive(Debug, Args)]
pub struct ViewerArg {
    /// Whose view to show: seat:N, spectator or auditor.
    #[arg(long = "as", value_name = "VIEWER", default_value = "spectator")]
    pub viewer: String,
}

/// What makes a call safe to repeat.
#[derive(Debug, Args)]
pub struct RequestIdArg {
    /// Makes the call safe to repeat: the same id gives the first answer again. Without it, a random one is sent, and named
    /// where the call has to be repeated.
    #[arg(long, value_name = "ID", value_parser = NonEmptyStringValueParser::new())]
    pub request_id: Option<String>,
}

/// `divelog game create`
#[derive(Debug, Args)]
#[command(
    before_help = "\
Examples:
  divelog game create deep_sea_adventure --players 3
  divelog game create deep_sea_adventure --player Ana --player Ben --label league=north
  divelog game create KIND --players 3 --option KEY=VALUE
  divelog game create KIND --players 3 --option KEY=ONE,TWO,THREE
  divelog game create KIND --players 4 --option KEY=true --options @options.json
  GAME=$(divelog game create deep_sea_adventure --players 2 -q)
  divelog game create deep_sea_adventure --players 2 --entropy 0=c0ffee --entropy 1=00ff",
    group = clap::ArgGroup::new("who").required(true)
)]
pub struct CreateArgs {
    /// What to play, such as deep_sea_adventure; see `divelog game kinds`.
    pub kind: String,
    /// The number of seats, without names.
    #[arg(long, group = "who", value_name = "N", value_parser = clap::value_parser!(u32).range(1..=64))]
    pub players: Option<u32>,
    /// A player's name; once for each seat, seat 0 first.
    #[arg(long, group = "who", value_name = "NAME")]
    pub player: Vec<String>,
    /// An option of the kind, as `divelog game kinds KIND` lists them; may be repeated. Lists take commas.
    #[arg(long, value_name = "KEY=VALUE")]
    pub option: Vec<String>,
    /// The options as one JSON object; `-` reads it from stdin, `@FILE` from a file.
    #[arg(long, value_name = "JSON")]
    pub options: Option<String>,
    /// The version of the rules, for games as they were played before; without it the newest.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub rules_version: Option<u32>,
    /// A label for `game list`; may be repeated.
    #[arg(long, value_name = "KEY=VALUE")]
    pub label: Vec<String>,
    /// What a seat adds to the seed, in hex; may be repeated.
    #[arg(long, value_name = "SEAT=HEX")]
    pub entropy: Vec<String>,
    /// What `game prepare` promised: the server cannot choose its secret by what the seats add.
    #[arg(long, value_name = "GAME:COMMITMENT")]
    pub prepared: Option<String>,
    #[command(flatten)]
    pub request: RequestIdArg,
    /// Only check: nothing is created.
    #[arg(long)]
    pub validate_only: bool,
    /// Print only the game's id.
    #[arg(short, long)]
    pub quiet: bool,
}

/// `divelog game list`
#[derive(Debug, Args)]
#[command(before_help = "\
Examples:
  divelog game list
  divelog game list --kind deep_sea_adventure --status finished --label league=north
  divelog game list --limit 500 -o jsonl")]
pub struct ListArgs {
    #[command(flatten)]
    pub filter: FilterArgs,
    /// The maximum number of games to print.
    #[arg(long, value_name = "N", default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub limit: u32,
    /// Continue where an earlier list ended.
    #[arg(long, value_name = "TOKEN", default_value = "", hide_default_value = true)]
    pub page_token: String,
}

/// Which games a command is about.
#[derive(Debug, Default, Args)]
pub struct FilterArgs {
    /// Only this kind.
    #[arg(long)]
    pub kind: Option<String>,
    /// Only this status.
    #[arg(long, value_enum)]
    pub status: Option<Status>,
    /// Only games with this label; may be repeated.
    #[arg(long, value_name = "KEY=VALUE")]
    pub label: Vec<String>,
}

/// `divelog game fork`
#[derive(Debug, Args)]
#[command(before_help = "\
Examples:
  divelog game fork GAME --at 37
  divelog game fork GAME --at 37 --same-seed --label why=dispute-12
  FORK=$(divelog game fork GAME -q)")]
pub struct ForkArgs {
    #[command(flatten)]
    pub game: GameArg,
    /// The revision up to which both games are the same; the newest if absent.
    #[arg(long, value_name = "R", default_value_t = 0, hide_default_value = true)]
    pub at: u64,
    /// Give the fork the same luck as the source from there on. Without it the fork has its own luck.
    #[arg(long)]
    pub same_seed: bool,
    /// A label of the fork, in addition to those of the source; may be repeated.
    #[arg(long, value_name = "KEY=VALUE")]
    pub label: Vec<String>,
    #[command(flatten)]
    pub request: RequestIdArg,
    /// Print only the fork's id.
    #[arg(short, long)]
    pub quiet: bool,
}

/// The key that signs the log.
#[derive(Debug, Default, Args)]
pub struct KeyArg {
    /// The public key that checkpoints must be signed with, `NAME+HASH+DATA`, or `@FILE` that holds it. Get it from
    /// somewhere other than the server or the file that is checked.
    #[arg(long, value_name = "KEY|@FILE", env = "DIVELOG_LOG_KEY")]
    pub key: Option<String>,
}

/// Whether a game is still played.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Status {
    /// Somebody has to act.
    Running,
    /// Played to its end.
    Finished,
    /// Ended before it was played out.
    Abandoned,
}

/// `divelog game act`
#[derive(Debug, Args)]
#[command(before_help = "\
Examples:
  divelog game act GAME --seat 0 dive
  divelog game act GAME --seat 0 turn-back
  divelog game act GAME --seat 0 put-down 2 --expected-revision 17
  divelog game act GAME --seat 0 --json '{\"deep_sea_adventure\":{\"dive\":{\"turn_back\":true}}}'")]
pub struct ActArgs {
    #[command(flatten)]
    pub game: GameArg,
    /// The seat that acts, from 0.
    #[arg(long, value_name = "N")]
    pub seat: u32,
    /// The action in words; `divelog game legal` lists those that are possible now.
    #[arg(value_name = "ACTION", required_unless_present = "json", conflicts_with = "json")]
    pub action: Vec<String>,
    /// The action as a JSON divelog.v1.GameAction; `-` reads it from stdin.
    #[arg(long, value_name = "JSON")]
    pub json: Option<String>,
    /// Refuse if the game is at any other revision.
    #[arg(long, value_name = "R")]
    pub expected_revision: Option<u64>,
    #[command(flatten)]
    pub request: RequestIdArg,
    /// Only check: nothing happens, no die is rolled.
    #[arg(long)]
    pub validate_only: bool,
}

/// `divelog game watch`
#[derive(Debug, Args)]
#[command(before_help = "\
Examples:
  divelog game watch GAME
  divelog game watch GAME --as seat:1 --views
  divelog game watch GAME --after 0 --until-end -o jsonl")]
pub struct WatchArgs {
    #[command(flatten)]
    pub game: GameArg,
    #[command(flatten)]
    pub viewer: ViewerArg,
    /// Start after this revision; 0 shows the whole game. Without it: the board now, then what follows.
    #[arg(long, value_name = "R")]
    pub after: Option<u64>,
    /// Draw the board after each action.
    #[arg(long)]
    pub views: bool,
    /// Reconnect for as long as it takes, until the game is over, instead of a few times.
    #[arg(long)]
    pub until_end: bool,
}
