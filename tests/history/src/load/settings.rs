//! What a round is like, drawn from its seed.

use std::fmt;

use crate::Choices;

/// What clients do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Role {
    /// Play by single calls.
    Players,
    /// Play on streams.
    Streams,
    /// Create games, repeatedly and several at once.
    Creators,
    /// Act in promised games while they are being created.
    Racers,
    /// Take games from the list and act in them at once.
    Listers,
    /// Watch.
    Watchers,
    /// Fork, and give forks up.
    Forkers,
    /// Read, replay, verify, export, back up.
    Auditors,
}

/// The settings of one round.
#[derive(Clone, Debug)]
pub struct RoundSettings {
    /// How long the load lasts.
    pub seconds: u64,
    /// How many clients there are.
    pub clients: u32,
    /// How many requests a stream has unanswered at most. With one, and few clients, a wake-up that is lost is not made good
    /// by the next requests.
    pub pipelined: usize,
    /// How many connections they share.
    pub connections: usize,
    /// How many games are played at once.
    pub tables: usize,
    /// The server's `--threads`.
    pub threads: usize,
    /// The server's `--cache-games`.
    pub cache_games: usize,
    /// The server's `--queue`.
    pub queue: usize,
    /// How often the server is killed.
    pub kills: u32,
    /// How often it is asked to stop.
    pub stops: u32,
    /// What clients do; some of everything if empty. Without creators, games are only created plainly.
    pub roles: Vec<Role>,
    /// How many threads only keep the processor busy, so that the server's are interrupted anywhere.
    pub busy_threads: usize,
    /// Whether the thread that writes to disk gets the lowest priority, which makes rare interleavings frequent.
    pub slow_writer: bool,
}

impl RoundSettings {
    /// Settings from a seed; `threads` are the numbers of server threads to choose among.
    pub fn draw(seed: u64, threads: &[usize], seconds: u64) -> RoundSettings {
        let mut choices = Choices::new(seed, 0);
        let small_cache = choices.percent(50);
        let thin = choices.percent(25);
        RoundSettings {
            seconds,
            clients: if thin { choices.between(10, 16) } else { choices.between(10, 60) } as u32,
            pipelined: if thin { *choices.pick(&[1, 2]) } else { *choices.pick(&[16, 200, 200]) },
            connections: *choices.pick(&[1, 2, 4, 8]),
            tables: choices.between(4, 40) as usize,
            threads: *choices.pick(threads),
            cache_games: if small_cache { choices.between(1, 6) as usize } else { *choices.pick(&[32, 8192]) },
            queue: *choices.pick(&[4, 64, 16_384, 16_384]),
            kills: choices.below(3) as u32,
            stops: choices.below(3) as u32,
            roles: Vec::new(),
            busy_threads: if choices.percent(15) { 2 } else { 0 },
            slow_writer: choices.percent(40),
        }
    }
}

impl RoundSettings {
    /// Whether clients do this.
    pub(super) fn has(&self, role: Role) -> bool {
        self.roles.is_empty() || self.roles.contains(&role)
    }
}

impl fmt::Display for RoundSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "threads {} cache {} queue {} clients {} pipelined {} connections {} tables {}{}",
            self.threads,
            self.cache_games,
            self.queue,
            self.clients,
            self.pipelined,
            self.connections,
            self.tables,
            if self.slow_writer { " slow-writer" } else { "" },
        )?;
        if self.busy_threads > 0 { write!(f, " busy {}", self.busy_threads) } else { Ok(()) }
    }
}
