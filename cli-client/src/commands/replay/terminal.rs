//! Stepping through a game by key. The terminal is put back as it was on every way out: quitting, an error, a panic and
//! the signals that ask a process to end.

use std::{
    io::{self, IsTerminal as _, Write as _},
    time::Duration,
};

use crossterm::{
    cursor, event,
    event::{Event, KeyEventKind},
    execute, queue,
    style::Print,
    terminal,
};
use divelog_ledger::Revision;
use divelog_proto::v1::{ReplayGameRequest, ReplayGameResponse};
use divelog_text::Seating;
use tokio::sync::mpsc;

use super::{
    StepRenderer, one_step,
    stepper::{Next, Stepper},
    viewer_word,
};
use crate::{
    connect::{self, Connection},
    errors::CliError,
    output::{self, Output, Screen},
};

/// How often the thread that waits for keys checks whether it is still wanted.
const KEY_WAIT: Duration = Duration::from_millis(100);

/// Keys that may be typed ahead.
const MAX_KEYS_AHEAD: usize = 64;

/// Narrower than this no board fits.
const MIN_COLUMNS: usize = 40;

/// Whether there is somebody to press a key.
pub fn is_interactive(out: &Output) -> bool {
    let interactive = out.is_table() && io::stdin().is_terminal() && io::stdout().is_terminal();
    if !interactive {
        output::note("--step needs a terminal and table output: showing all steps without stopping");
    }
    interactive
}

/// Runs until the user quits.
pub async fn run(connection: &Connection, call: ReplayGameRequest, screen: Screen) -> Result<(), CliError> {
    let game = connect::game(connection, &call.game_id).await?;
    let seating = Seating::of(&game);
    let newest = Revision::new(game.revision);
    let last = if call.to_revision == 0 { newest } else { newest.min(Revision::new(call.to_revision)) };
    let first = Revision::new(call.from_revision).clamp(Revision::BEGUN, last.max(Revision::BEGUN));
    let mut stepper = Stepper {
        viewer: call.viewer.unwrap_or_default(),
        revision: first,
        // `--at` is where to begin, not a limit.
        first: if call.from_revision == call.to_revision { Revision::BEGUN } else { first },
        last: if call.from_revision == call.to_revision { newest } else { last },
        seats: u32::try_from(game.players.len()).unwrap_or(0),
        scroll: 0,
        typed: None,
    };
    let bounded = call.to_revision != 0 && call.from_revision != call.to_revision;
    let mut step = one_step(connection, &call.game_id, stepper.viewer, stepper.revision.get()).await?;
    let terminal = RawTerminal::enter().map_err(failed)?;
    let mut keys = keys();
    let mut signals = Signals::new().map_err(failed)?;
    loop {
        draw(&mut stepper, &step, &seating, screen).map_err(failed)?;
        let event = tokio::select! {
            event = keys.recv() => event,
            () = signals.received() => None,
        };
        let next = match event {
            Some(Ok(Event::Key(key))) if key.kind != KeyEventKind::Release => stepper.press(key),
            Some(Ok(Event::Resize(..))) => Next::Draw,
            Some(Ok(_)) => Next::Wait,
            Some(Err(error)) => return Err(failed(error)),
            // The keyboard or the terminal is gone, or somebody asked this process to end.
            None => Next::Quit,
        };
        match next {
            Next::Wait | Next::Draw => continue,
            Next::Quit => break,
            Next::Newest => {
                if !bounded {
                    stepper.last = Revision::new(connect::game(connection, &call.game_id).await?.revision);
                }
                stepper.go_to(stepper.last);
            }
            Next::Show => {}
        }
        stepper.scroll = 0;
        step = one_step(connection, &call.game_id, stepper.viewer, stepper.revision.get()).await?;
    }
    drop(terminal);
    Ok(())
}

fn failed(source: io::Error) -> CliError {
    CliError::io("cannot use the terminal", source)
}

/// A terminal in raw mode, which delivers every key, with a screen of its own.
struct RawTerminal;

impl RawTerminal {
    fn enter() -> io::Result<Self> {
        terminal::enable_raw_mode()?;
        // From here on dropping this puts everything back, also if the next line fails.
        let raw = Self;
        execute!(io::stdout(), terminal::EnterAlternateScreen, terminal::DisableLineWrap, cursor::Hide)?;
        Ok(raw)
    }
}

impl Drop for RawTerminal {
    fn drop(&mut self) {
        // Nothing more can be done if even this fails.
        let _ = execute!(io::stdout(), cursor::Show, terminal::EnableLineWrap, terminal::LeaveAlternateScreen);
        let _ = terminal::disable_raw_mode();
    }
}

/// The keys, read on a thread of their own; it ends soon after nobody listens any more.
fn keys() -> mpsc::Receiver<io::Result<Event>> {
    let (sender, receiver) = mpsc::channel(MAX_KEYS_AHEAD);
    std::thread::spawn(move || {
        while !sender.is_closed() {
            let event = match event::poll(KEY_WAIT) {
                Ok(false) => continue,
                Ok(true) => event::read(),
                Err(error) => Err(error),
            };
            let broken = event.is_err();
            if sender.blocking_send(event).is_err() || broken {
                return;
            }
        }
    });
    receiver
}

/// The signals that ask a process to end: they would otherwise leave the terminal as it is.
struct Signals {
    #[cfg(unix)]
    kinds: [tokio::signal::unix::Signal; 3],
}

impl Signals {
    fn new() -> io::Result<Self> {
        #[cfg(unix)]
        {
            use tokio::signal::unix::{SignalKind, signal};
            let kinds =
                [signal(SignalKind::terminate())?, signal(SignalKind::hangup())?, signal(SignalKind::interrupt())?];
            Ok(Self { kinds })
        }
        #[cfg(not(unix))]
        Ok(Self {})
    }

    async fn received(&mut self) {
        #[cfg(unix)]
        {
            let [terminate, hangup, interrupt] = &mut self.kinds;
            tokio::select! {
                _ = terminate.recv() => {}
                _ = hangup.recv() => {}
                _ = interrupt.recv() => {}
            }
        }
        #[cfg(not(unix))]
        std::future::pending::<()>().await;
    }
}

fn draw(stepper: &mut Stepper, step: &ReplayGameResponse, seating: &Seating, screen: Screen) -> io::Result<()> {
    let (columns, rows) = terminal::size()?;
    let screen = Screen { width: usize::from(columns).max(MIN_COLUMNS), ..screen };
    let text = StepRenderer { seating, screen, text_width: screen.width, what_next: true }.step(step);
    let lines: Vec<&str> = text.lines().collect();
    // The last row is for the keys.
    let height = usize::from(rows.saturating_sub(1)).max(1);
    stepper.scroll = stepper.scroll.min(lines.len().saturating_sub(height));
    let mut out = io::stdout().lock();
    queue!(out, terminal::BeginSynchronizedUpdate, terminal::Clear(terminal::ClearType::All))?;
    for (row, line) in (0u16..).zip(lines.iter().skip(stepper.scroll).take(height)) {
        queue!(out, cursor::MoveTo(0, row), Print(line))?;
    }
    let more = lines.len() > stepper.scroll + height;
    let status = screen.paint.strong(&status(stepper, more));
    queue!(out, cursor::MoveTo(0, rows.saturating_sub(1)), Print(status), terminal::EndSynchronizedUpdate)?;
    out.flush()
}

/// The bottom line: where the reader is, and the keys.
fn status(stepper: &Stepper, more: bool) -> String {
    if let Some(typed) = &stepper.typed {
        return format!("go to revision: {typed}_  (Enter goes, Esc cancels)");
    }
    let below = if more { "  more below: down" } else { "" };
    let (revision, last, viewer) = (stepper.revision, stepper.last, viewer_word(stepper.viewer));
    format!("{revision}/{last} as {viewer}{below}  | right left home end, g: go to, 0-5 s a: viewer, q: quit")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bottom_line_shows_the_position() {
        let viewer = divelog_proto::v1::Viewer { role: 1, seat: 2 };
        let (first, last) = (Revision::BEGUN, Revision::new(57));
        let mut stepper =
            Stepper { viewer, revision: Revision::new(41), first, last, seats: 3, scroll: 0, typed: None };
        assert!(status(&stepper, false).starts_with("41/57 as seat:2  | "));
        assert!(status(&stepper, true).contains("more below"));
        stepper.typed = Some("12".into());
        assert!(status(&stepper, false).starts_with("go to revision: 12_"));
    }
}
