//! The text of a playthrough.

use std::{fs, path::PathBuf};

use divelog_engine::{Kind, SeatCount};

/// A playthrough as its file says it.
#[derive(Clone, Debug)]
pub struct Golden {
    /// Everything before the set-up, which `regenerate` keeps as it is.
    pub head: String,
    pub kind: Kind,
    pub rules_version: u16,
    /// JSON of the kind's Options message.
    pub options: String,
    pub seats: SeatCount,
    /// Chooses the actions when the file is written again.
    pub player: u64,
    /// The set-up, then each action.
    pub steps: Vec<Recorded>,
}

/// What was decided in one step: by the player, and by chance.
#[derive(Clone, Default, Debug)]
pub struct Recorded {
    /// Seat and action; none for the set-up.
    pub choice: Option<(u8, String)>,
    pub draws: Vec<Draw>,
    /// The names of the events that followed.
    pub events: Vec<String>,
}

/// One use of chance: a number below `bound`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Draw {
    pub bound: u32,
    pub answer: u32,
}

/// All playthroughs, in the order of their names.
pub fn paths() -> impl Iterator<Item = PathBuf> {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("golden");
    let mut paths: Vec<PathBuf> = Kind::ALL
        .iter()
        .filter_map(|kind| fs::read_dir(root.join(kind.code_name())).ok())
        .flatten()
        .map(|entry| entry.unwrap().path())
        .collect();
    paths.sort();
    paths.into_iter()
}

impl Golden {
    /// Reads a file. One that ends after its head is a request: `regenerate` plays it.
    pub fn parse(text: &str) -> Result<Golden, String> {
        let (head, steps) = text.split_once("\nset-up\n").unwrap_or((text.trim_end(), ""));
        let field = |name: &str| {
            let line = head.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
            line.ok_or_else(|| format!("a line `{name} …` is missing"))
        };
        fn number<N: std::str::FromStr>(text: &str) -> Result<N, String> {
            text.parse().map_err(|_| format!("{text:?} is not a number that fits"))
        }
        let kind = field("game")?;
        let mut golden = Golden {
            head: head.trim_end().to_owned(),
            kind: *Kind::ALL
                .iter()
                .find(|known| known.code_name() == kind)
                .ok_or(format!("no game is called {kind}"))?,
            rules_version: number(field("rules_version")?)?,
            options: field("options")?.to_owned(),
            seats: SeatCount::new(number(field("seats")?)?).ok_or("no table has that many seats")?,
            player: number(field("player")?)?,
            steps: vec![Recorded::default()],
        };
        for line in steps.lines() {
            golden.read_line(line)?;
        }
        Ok(golden)
    }

    fn read_line(&mut self, line: &str) -> Result<(), String> {
        let step = self.steps.last_mut().expect("the set-up is there");
        if let Some(draws) = line.strip_prefix("  chance ") {
            for draw in draws.split(' ') {
                let pair = draw.split_once(':').and_then(|(bound, answer)| {
                    Some(Draw { bound: bound.parse().ok()?, answer: answer.parse().ok()? })
                });
                step.draws.push(pair.ok_or_else(|| format!("{draw:?} is not bound:answer"))?);
            }
        } else if let Some(seat_and_action) = line.split_once(" seat ").map(|(_, rest)| rest)
            && !line.starts_with(' ')
        {
            let (seat, action) = seat_and_action.split_once(' ').ok_or("an action has a seat and words")?;
            let seat = seat.parse().map_err(|_| format!("{seat:?} is not a seat"))?;
            self.steps.push(Recorded { choice: Some((seat, action.to_owned())), ..Recorded::default() });
        } else if let Some((name, _)) = line.trim_start().split_once(" {") {
            step.events.push(name.to_owned());
        }
        Ok(())
    }
}
