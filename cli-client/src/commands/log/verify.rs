//! `divelog log verify`: one log, checked here or, if that is trusted, by the server.

use divelog_proto::v1::{VerifyGameRequest, VerifyGameResponse};
use divelog_text::Seating;

use super::{read, seating_of, standings};
use crate::{
    args::{GameArg, Global, VerifyArgs},
    connect,
    errors::CliError,
    input, log_file,
    output::{self, Output, Screen, table},
    verify,
};

/// Checks a log and prints the verdict.
pub async fn run(global: &Global, args: VerifyArgs, out: &mut Output) -> Result<(), CliError> {
    let filter = &args.filter;
    if filter.kind.is_some() || filter.status.is_some() || !filter.label.is_empty() {
        return Err(CliError::usage("--kind, --status and --label choose among games, so they need --all"));
    }
    let (game_id, response, seating, checked) = match (args.game, args.file) {
        (_, Some(file)) => {
            let log = log_file::read(&file)?;
            let response = verify::verify_log(&log.header, &log.records)?;
            let seating = seating_of(&log.records);
            (log.header.game_id, response, seating, format!("here, from a file: {}", verify::CHECKS))
        }
        (Some(game), None) => {
            let game_id = input::game_id(&GameArg { game })?;
            let connection = connect::open(global).await?;
            if args.on_server {
                let response = connection.call(VerifyGameRequest { game_id: game_id.clone() }).await?;
                (
                    game_id,
                    response,
                    Seating::default(),
                    "by the server; without --on-server this client checks for itself".into(),
                )
            } else {
                let log = read(&connection, &game_id, true).await?;
                let response = verify::verify_log(&log.header, &log.records)?;
                (game_id, response, seating_of(&log.records), format!("here: {}", verify::CHECKS))
            }
        }
        // clap asks for one of them.
        (None, None) => return Err(CliError::usage("give a game, --file or --all")),
    };
    out.judged(verify::to_result(&response), |out| match out.is_table() {
        true => out.text(&verdict(&game_id, &response, &seating, checked, out.table_screen())),
        false => out.message(&response),
    })
}

/// The verdict on a log for people.
pub fn verdict(
    game_id: &str,
    response: &VerifyGameResponse,
    seating: &Seating,
    checked: String,
    screen: Screen,
) -> String {
    let paint = screen.paint;
    let verified = verify::to_result(response).is_ok();
    let outcome = response.outcome.as_ref().map(|outcome| standings(outcome, seating));
    let headline = if verified { paint.good("VERIFIED") } else { paint.alarm("NOT VERIFIED") };
    let pairs = table::pairs(
        &[
            ("game", game_id.to_owned()),
            ("fork", seating.fork().unwrap_or_default().to_owned()),
            ("checks", checked),
            ("good records", response.records_verified.to_string()),
            ("head hash", output::or_dash(hex::encode(&response.head_hash))),
            ("outcome", outcome.unwrap_or_default()),
        ],
        screen,
    );
    format!("{headline}\n{pairs}")
}
