//! `divelog replay`: a game step by step, as any viewer saw it.

use std::io::{self, IsTerminal as _, Write as _};

use divelog_proto::v1::{GameStatus, ReplayGameRequest, ReplayGameResponse, SeatLegalActions, viewer::Role};

use super::sentences;
use crate::{
    args::{Global, ReplayArgs},
    boards::{self, Seating},
    connect::Connection,
    errors::CliError,
    input,
    output::{self, Output, Screen},
};

/// The longest line that is read at the prompt.
const MAX_LINE_BYTES: u64 = 256;

/// Replays the game.
pub async fn run(global: &Global, args: &ReplayArgs, out: &mut Output) -> Result<(), CliError> {
    let mut call = request(args)?;
    call.game_id = input::game_id(&args.game)?;
    let stepwise = args.step && can_step(out);
    let connection = Connection::open(global).await?;
    let seating = if out.is_table() { Seating::of(&connection.game(&call.game_id).await?) } else { Seating::default() };
    let mut stream = connection.answer(connection.audit().replay_game(call)).await?;
    let mut first = true;
    while let Some(step) = connection.next(&mut stream).await? {
        if !out.is_table() {
            out.list_item(&step)?;
            continue;
        }
        if !first && stepwise && ask().await? == Answer::Quit {
            return Ok(());
        }
        let gap = if first { "" } else { "\n" };
        out.text(&format!("{gap}{}", told(&step, &seating, out.screen())))?;
        out.flush()?;
        first = false;
    }
    out.end_list()
}

/// The request that the arguments ask for, without the game.
fn request(args: &ReplayArgs) -> Result<ReplayGameRequest, CliError> {
    if args.to != 0 && args.from > args.to {
        return Err(CliError::usage(format!("--from {} lies after --to {}", args.from, args.to)));
    }
    let viewer = input::viewer(&args.viewer)?;
    if args.views && viewer.role() != Role::Auditor {
        return Err(CliError::usage("--views shows what every seat saw, so it needs --as auditor"));
    }
    Ok(ReplayGameRequest {
        game_id: String::new(),
        viewer: Some(viewer),
        from_revision: args.from,
        to_revision: args.to,
        include_views: true,
        include_legal_actions: args.legal,
        include_all_views: args.views,
        include_legal_after: false,
    })
}

/// Stepping needs somebody to press Enter.
fn can_step(out: &Output) -> bool {
    let can = out.is_table() && io::stdin().is_terminal() && io::stdout().is_terminal();
    if !can {
        output::note("--step needs a terminal and table output: going through without stops");
    }
    can
}

#[derive(Debug, PartialEq, Eq)]
enum Answer {
    Next,
    Quit,
}

/// Waits for a line, on a thread of its own so that the connection stays alive meanwhile.
async fn ask() -> Result<Answer, CliError> {
    tokio::task::spawn_blocking(ask_blocking)
        .await
        .map_err(|error| CliError::io("cannot wait for the keyboard", io::Error::other(error)))?
        .map_err(|source| CliError::io("cannot read the keyboard", source))
}

fn ask_blocking() -> io::Result<Answer> {
    use io::{BufRead as _, Read as _};
    loop {
        let mut prompt = io::stderr();
        write!(prompt, "Enter: next, q: quit > ")?;
        prompt.flush()?;
        let mut line = String::new();
        let read = io::stdin().lock().take(MAX_LINE_BYTES).read_line(&mut line)?;
        // Nothing at all, not even a line break: the terminal is gone.
        if let Some(answer) = if read == 0 { Some(Answer::Quit) } else { answer(&line) } {
            return Ok(answer);
        }
    }
}

fn answer(line: &str) -> Option<Answer> {
    match line.trim().to_ascii_lowercase().as_str() {
        "" | "n" | "next" => Some(Answer::Next),
        "q" | "quit" => Some(Answer::Quit),
        _ => None,
    }
}

/// One step: the record's line, what happened, the board.
fn told(step: &ReplayGameResponse, seating: &Seating, screen: Screen) -> String {
    let mut parts = vec![screen.paint.strong(&headline(step, seating))];
    parts.extend(step.legal_before.iter().map(|legal| could_do(legal, seating)));
    parts.extend(sentences(&step.events, step.status(), seating, screen.lang));
    if let Some(view) = &step.view {
        parts.push(format!("\n{}", boards::draw(view, step.status(), seating, screen)));
    }
    for seen in &step.seen_by {
        let Some(view) = &seen.view else { continue };
        let eyes = match &seen.viewer {
            Some(viewer) if viewer.role() == Role::Seat => seating.full(viewer.seat),
            _ => "a spectator".into(),
        };
        parts.push(screen.paint.strong(&format!("\n-- As {eyes} saw it")));
        parts.extend(sentences(&seen.events, step.status(), seating, screen.lang));
        parts.push(format!("\n{}", boards::draw(view, step.status(), seating, screen)));
    }
    parts.join("\n")
}

fn could_do(legal: &SeatLegalActions, seating: &Seating) -> String {
    let words: Vec<String> = legal.legal_actions.iter().map(boards::legal_words).collect();
    format!("{} could: {}", seating.full(legal.seat), words.join(", "))
}

fn headline(step: &ReplayGameResponse, seating: &Seating) -> String {
    let who = match step.seat {
        Some(seat) => seating.full(seat),
        None if step.status() == GameStatus::Abandoned => "abandonment".into(),
        None => "set-up".into(),
    };
    let action = step.action.as_ref().map(|action| format!(": {}", boards::action_words(action))).unwrap_or_default();
    let hash = output::short_hash(&step.record_hash);
    format!("== Revision {}  {}  {who}{action}  ({hash})", step.revision, output::time(step.time.as_ref()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::{Cli, Command};
    use clap::Parser as _;
    use divelog_proto::v1::GameKind;

    fn parse(line: &str) -> Result<ReplayGameRequest, String> {
        let cli = Cli::try_parse_from(line.split(' ')).map_err(|error| error.to_string())?;
        match cli.command {
            Command::Replay(args) => request(&args).map_err(|error| error.to_string()),
            other => Err(format!("{other:?}")),
        }
    }

    #[test]
    fn arguments_become_a_request() {
        let request = parse("divelog replay g --as auditor --from 3 --to 5").unwrap();
        assert_eq!((request.from_revision, request.to_revision), (3, 5));
        assert_eq!(request.viewer.unwrap().role(), Role::Auditor);
        assert!(request.include_views && !request.include_legal_actions && !request.include_all_views);
        let full = parse("divelog replay g --as auditor --legal --views").unwrap();
        assert!(full.include_legal_actions && full.include_all_views);
        assert!(parse("divelog replay g --as seat:0 --views").is_err());
        assert_eq!(parse("divelog replay g").unwrap().to_revision, 0);
        assert!(parse("divelog replay g --from 3").is_ok());
        assert!(parse("divelog replay g --from 3 --to 2").is_err());
    }

    #[test]
    fn a_step_is_told_with_its_action_where_known() {
        let screen = Screen::plain(80);
        let mut step = ReplayGameResponse {
            revision: 2,
            record_hash: vec![0xab; 32].into(),
            time: Some(prost_types::Timestamp { seconds: 0, nanos: 0 }),
            seat: Some(0),
            action: Some(boards::parse_action(GameKind::DeepSeaAdventure, &["dive".into()]).unwrap()),
            ..Default::default()
        };
        let seating = Seating::new(["Ana"]);
        assert_eq!(
            told(&step, &seating, screen),
            "== Revision 2  1970-01-01T00:00:00Z  Ana (seat 0): dive  (abababababab)"
        );
        step.seat = None;
        step.action = None;
        assert_eq!(headline(&step, &seating), "== Revision 2  1970-01-01T00:00:00Z  set-up  (abababababab)");
    }

    #[test]
    fn the_prompt_understands_next_and_quit() {
        assert_eq!(answer("\n"), Some(Answer::Next));
        assert_eq!(answer("N\n"), Some(Answer::Next));
        assert_eq!(answer("q\r\n"), Some(Answer::Quit));
        assert_eq!(answer("x"), None);
    }
}
