//! What is measured: the points, their shapes, and the targets that they must meet.

use crate::args::Part;

/// Connections of every point that has at least as many games.
const CONNECTIONS: u32 = 8;

/// The least that replaying one core must reach, in actions per second.
pub const REPLAY_TARGET: f64 = 1_000_000.0;

/// One load that is put on every server.
#[derive(Debug, Clone, Copy)]
pub struct Point {
    /// The part it belongs to.
    pub part: Part,
    /// Its name in the report.
    pub name: &'static str,
    /// Games in flight, one action each.
    pub games: u32,
    /// Streams that carry them; 0 for unary calls.
    pub streams: u32,
    /// The least share of the typed echo's rate, if one is promised: the same messages on the same calls, without rules
    /// and log.
    pub target_ratio: Option<f64>,
}

impl Point {
    /// Over how many connections the load is spread.
    pub fn connections(&self) -> u32 {
        CONNECTIONS.min(self.games)
    }
}

/// Every point, in the order of the report.
pub const POINTS: &[Point] = &[
    unary("unary, 1 game", 1, None),
    unary("unary, 16 games", 16, None),
    unary("unary, 64 games", 64, None),
    unary("unary, 256 games", 256, Some(0.45)),
    DISK_LOAD,
    MANY_STREAMS,
];

/// A stream for each player. Also the load under which sealing is measured: it leaves the least of the machine idle.
pub const MANY_STREAMS: Point =
    Point { part: Part::Streams, name: "256 streams, 256 games", games: 256, streams: 256, target_ratio: Some(0.30) };

/// The least share of its rate that a server must keep when it seals every second.
pub const SEALING_TARGET: f64 = 0.95;

/// The pipelined streams. Also the load under which the bytes per action are counted: it writes the most.
pub const DISK_LOAD: Point =
    Point { part: Part::Stream, name: "8 streams, 1,024 games", games: 1_024, streams: 8, target_ratio: Some(0.10) };

/// A point of unary calls.
const fn unary(name: &'static str, games: u32, target_ratio: Option<f64>) -> Point {
    Point { part: Part::Unary, name, games, streams: 0, target_ratio }
}
