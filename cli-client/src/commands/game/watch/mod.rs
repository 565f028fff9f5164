//! `divelog game watch`: follows a game, and resumes without gap or repeat when the connection breaks.

use std::time::Duration;

use backon::{BackoffBuilder as _, ExponentialBackoff, ExponentialBuilder};
use divelog_ledger::Revision;
use divelog_proto::v1::{
    Game, GameStatus, Outcome, SeatLegalActions, Snapshot, Update, Viewer, WatchGameRequest, WatchGameResponse,
    watch_end::Cause, watch_game_response::Message,
};
use divelog_text::Seating;
use tonic::Code;

use super::legal::{self, Moment};
use crate::{
    args::{Global, WatchArgs},
    commands::{sentences, status_word},
    connect::{self, Connection},
    errors::CliError,
    input,
    interrupt::unless_interrupted,
    output::{self, Output, strings},
};

/// How often an idle stream has to send a heartbeat, and the silence after which it counts as broken.
const HEARTBEAT_SECONDS: u32 = 10;
const MAX_SILENCE: Duration = Duration::from_secs(30);

/// How many tries in a row may fail.
const MAX_RETRIES: usize = 8;

const FIRST_BACKOFF: Duration = Duration::from_millis(250);
const MAX_BACKOFF: Duration = Duration::from_secs(8);

/// Follows until the game is over, the tries are used up, or somebody ends the program.
pub async fn run(global: &Global, args: &WatchArgs, out: &mut Output) -> Result<(), CliError> {
    let viewer = input::viewer(&args.viewer)?;
    let game_id = input::game_id(&args.game)?;
    let json = out.is_json();
    let following = follow(global, args, viewer, game_id, out);
    // Text and lines that are cut off can be read as far as they go.
    if json { unless_interrupted(following).await } else { following.await }
}

async fn follow(
    global: &Global,
    args: &WatchArgs,
    viewer: Viewer,
    game_id: String,
    out: &mut Output,
) -> Result<(), CliError> {
    // A first connection that fails is reported at once: it is more often a wrong address than a restart.
    let connection = connect::open(global).await?;
    let seating =
        if out.is_table() { Seating::of(&connect::game(&connection, &game_id).await?) } else { Seating::default() };
    let mut watch = Watch { game_id, viewer, views: args.views, seating, cursor: Cursor::new(args.after) };
    // Printed once at the top: sentences without a board would not show it.
    if let Some(mark) = watch.seating.fork() {
        out.text(&out.screen().paint.alarm(mark))?;
    }
    let mut attempt = watch.follow(&connection, out).await;
    let mut waits = waits(args.until_end);
    loop {
        let why = match attempt {
            Ok(StreamEnd::Over) => return out.end_list(),
            Ok(StreamEnd::Shutdown) => "the server is shutting down".to_owned(),
            Ok(StreamEnd::Broken) => "the stream ended early".to_owned(),
            Err(error) if is_worth_a_retry(&error) && watch.cursor.has_begun() => output::clean(&error.to_string()),
            Err(error) => return Err(error),
        };
        if watch.cursor.take_progress() {
            waits = self::waits(args.until_end);
        }
        let Some(wait) = waits.next() else {
            return Err(CliError::Unreachable {
                server: global.server.clone(),
                cause: format!("{why}; gave up after {MAX_RETRIES} tries"),
            });
        };
        let after = watch.cursor.last.map_or_else(|| "the start".into(), |last| format!("revision {last}"));
        output::note(&format!("{why}: resuming after {after} in {} ms", wait.as_millis()));
        tokio::time::sleep(wait).await;
        attempt = match connect::open(global).await {
            Ok(connection) => watch.follow(&connection, out).await,
            Err(error) => Err(error),
        };
    }
}

/// How a stream ended.
enum StreamEnd {
    /// The game is over.
    Over,
    /// The server is shutting down.
    Shutdown,
    /// The stream ended without saying why.
    Broken,
}

struct Watch {
    game_id: String,
    viewer: Viewer,
    views: bool,
    seating: Seating,
    cursor: Cursor,
}

impl Watch {
    async fn follow(&mut self, connection: &Connection, out: &mut Output) -> Result<StreamEnd, CliError> {
        // Without a deadline: a watch may last for hours. Silence is what ends it.
        let call = WatchGameRequest {
            game_id: self.game_id.clone(),
            viewer: Some(self.viewer),
            after_revision: self.cursor.last.map(Revision::get),
            include_views: self.views,
            heartbeat_seconds: HEARTBEAT_SECONDS,
        };
        let mut stream = connection.open_stream(call).await?;
        out.begin_list();
        while let Some(response) = connection.next_within(MAX_SILENCE, &mut stream).await? {
            let step = self.cursor.accept(&response)?;
            let over = matches!(step, Reaction::End(StreamEnd::Over));
            // A resumed watch looks like one stream: heartbeats and shutdowns in between are not passed on.
            if !out.is_table() && (over || matches!(step, Reaction::Show)) {
                out.list_item(&response)?;
            } else if out.is_table() && matches!(step, Reaction::Show) {
                self.print(connection, &response, out).await?;
            }
            if let Reaction::End(ended) = step {
                return Ok(ended);
            }
        }
        Ok(StreamEnd::Broken)
    }

    async fn print(
        &self,
        connection: &Connection,
        response: &WatchGameResponse,
        out: &mut Output,
    ) -> Result<(), CliError> {
        let screen = out.screen();
        let legal = match self.moment(response) {
            Some(moment) => legal::for_board(connection, self.viewer, moment).await,
            None => Vec::new(),
        };
        let text = match &response.message {
            Some(Message::Snapshot(snapshot)) => self.snapshot(snapshot, &legal, screen),
            Some(Message::Update(update)) => {
                let outcome = self.outcome(connection, update).await;
                self.update(update, outcome.as_ref(), &legal, screen, out.table_screen().width)
            }
            _ => return Ok(()),
        };
        out.text(&text)?;
        out.flush()
    }

    /// The result for the last board. A board without it is still correct, so a failure is ignored.
    async fn outcome(&self, connection: &Connection, update: &Update) -> Option<Outcome> {
        if update.status() != GameStatus::Finished || update.view.is_none() {
            return None;
        }
        connect::game(connection, &self.game_id).await.ok()?.outcome
    }

    /// Where the game stands, if there is a board to draw.
    fn moment<'a>(&'a self, response: &'a WatchGameResponse) -> Option<Moment<'a>> {
        let (revision, status, to_act) = match &response.message {
            Some(Message::Snapshot(Snapshot { game: Some(game), view: Some(_) })) => {
                (game.revision, game.status(), &game.to_act)
            }
            Some(Message::Update(update)) if update.view.is_some() => {
                (update.revision, update.status(), &update.to_act)
            }
            _ => return None,
        };
        Some(Moment { game_id: &self.game_id, revision, status, to_act })
    }

    fn snapshot(&self, snapshot: &Snapshot, legal: &[SeatLegalActions], screen: output::Screen) -> String {
        let game = snapshot.game.as_ref();
        let revision = game.map_or(0, |game| game.revision);
        let status = game.map_or(GameStatus::Unspecified, Game::status);
        let outcome = game.and_then(|game| game.outcome.as_ref());
        let view = snapshot.view.as_ref();
        let board = view.map(|view| divelog_text::draw(view, status, outcome, legal, &self.seating, screen));
        let headline = screen.paint.strong(&format!("Revision {revision}, {}", status_word(status)));
        format!("{headline}\n\n{}\n", board.unwrap_or_default())
    }

    fn update(
        &self,
        update: &Update,
        outcome: Option<&Outcome>,
        legal: &[SeatLegalActions],
        screen: output::Screen,
        text_width: usize,
    ) -> String {
        let mark = format!("[{}]", update.revision);
        let (room, indent) = (text_width.saturating_sub(mark.len() + 1), format!("\n{}", " ".repeat(mark.len() + 1)));
        let revision = screen.paint.faint(&mark);
        let mut lines: Vec<String> = sentences(&update.events, update.status(), &self.seating, screen.lang)
            .iter()
            .map(|sentence| format!("{revision} {}", strings::fit(sentence, room).join(&indent)))
            .collect();
        // A record without visible events is still printed, so that nobody takes it for a gap.
        if lines.is_empty() {
            lines.push(format!("{revision} (no visible events)"));
        }
        if let Some(view) = &update.view {
            let board = divelog_text::draw(view, update.status(), outcome, legal, &self.seating, screen);
            lines.push(format!("\n{board}\n"));
        }
        lines.join("\n")
    }
}

/// What to do with a message.
enum Reaction {
    /// Print it.
    Show,
    /// Do not: it was shown before, or is a heartbeat.
    Skip,
    /// The stream ends.
    End(StreamEnd),
}

/// Where the watch is: makes sure that each revision is shown once and in order.
struct Cursor {
    last: Option<Revision>,
    begun: bool,
    progress: bool,
}

impl Cursor {
    fn new(after: Option<u64>) -> Self {
        Self { last: after.map(Revision::new), begun: false, progress: false }
    }

    /// Whether the server has ever sent anything.
    fn has_begun(&self) -> bool {
        self.begun
    }

    /// Whether anything came since the last time this was asked.
    fn take_progress(&mut self) -> bool {
        std::mem::take(&mut self.progress)
    }

    fn accept(&mut self, response: &WatchGameResponse) -> Result<Reaction, CliError> {
        self.begun = true;
        self.progress = true;
        match &response.message {
            Some(Message::Snapshot(snapshot)) => {
                let revision = snapshot.game.as_ref().map_or(Revision::NONE, |game| Revision::new(game.revision));
                let is_new = self.last.is_none_or(|last| revision > last);
                self.last = self.last.max(Some(revision));
                Ok(if is_new { Reaction::Show } else { Reaction::Skip })
            }
            Some(Message::Update(update)) => self.update(Revision::new(update.revision)),
            Some(Message::Heartbeat(heartbeat)) => {
                self.check_complete_up_to(Revision::new(heartbeat.revision))?;
                Ok(Reaction::Skip)
            }
            Some(Message::End(end)) => {
                self.check_complete_up_to(Revision::new(end.revision))?;
                Ok(Reaction::End(match end.cause() {
                    Cause::GameOver => StreamEnd::Over,
                    Cause::Shutdown => StreamEnd::Shutdown,
                    Cause::Unspecified => StreamEnd::Broken,
                }))
            }
            // Newer than this client.
            None => Ok(Reaction::Skip),
        }
    }

    fn update(&mut self, revision: Revision) -> Result<Reaction, CliError> {
        match self.last {
            Some(last) if revision <= last => return Ok(Reaction::Skip),
            Some(last) if revision > last.next() => return Err(gap(last, revision)),
            _ => self.last = Some(revision),
        }
        Ok(Reaction::Show)
    }

    /// The server says that everything up to here was sent.
    fn check_complete_up_to(&self, revision: Revision) -> Result<(), CliError> {
        match self.last {
            Some(last) if revision > last => Err(gap(last, revision)),
            _ => Ok(()),
        }
    }
}

fn gap(last: Revision, revision: Revision) -> CliError {
    CliError::Protocol(format!("after revision {last} it went on at {revision}: something is missing"))
}

/// Whether the same call may succeed on a new connection. A stream that breaks shows as one of many codes.
fn is_worth_a_retry(error: &CliError) -> bool {
    match error {
        CliError::Unreachable { .. } | CliError::Timeout { .. } => true,
        CliError::Status(refused) => matches!(
            refused.code,
            Code::Unavailable | Code::Cancelled | Code::Unknown | Code::Internal | Code::DeadlineExceeded
        ),
        _ => false,
    }
}

/// How long to wait before each try in a row that may fail.
fn waits(until_end: bool) -> ExponentialBackoff {
    let waits = ExponentialBuilder::new().with_min_delay(FIRST_BACKOFF).with_max_delay(MAX_BACKOFF);
    if until_end { waits.without_max_times() } else { waits.with_max_times(MAX_RETRIES) }.build()
}

#[cfg(test)]
mod tests;
