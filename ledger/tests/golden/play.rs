//! Plays a game, from a file or by a random player, and writes it as text.

use std::{collections::VecDeque, fmt::Write as _};

use divelog_engine::{AnyAction, AnyEvent, AnyGame, Canonical, Chance, Seat, SeededChance};
use sha2::{Digest, Sha256};

use crate::file::{Draw, Golden, Recorded};
use crate::wire;

/// Who decides: a recorded game, or a random player by a number.
pub enum Script<'a> {
    Recorded(&'a [Recorded]),
    Random(u64),
}

impl Script<'_> {
    /// The chance of one step.
    fn chance(&self, step: usize) -> Noted {
        let source = match self {
            Script::Recorded(steps) => Source::Given(steps[step].draws.iter().copied().collect()),
            Script::Random(player) => Source::Seeded(Box::new(SeededChance::new(key(*player, step, 0)))),
        };
        Noted { source, draws: Vec::new() }
    }

    /// The next choice; none where a recorded game ends.
    fn choice(&self, golden: &Golden, game: &AnyGame, step: usize) -> Option<(Seat, AnyAction)> {
        match self {
            Script::Recorded(steps) => {
                let (seat, line) = steps.get(step)?.choice.as_ref()?;
                let action = wire::action(golden.kind, line).unwrap_or_else(|problem| panic!("{line}: {problem}"));
                Some((Seat(*seat), action))
            }
            Script::Random(player) => game.any_choice(&mut SeededChance::new(key(*player, step, 1))),
        }
    }
}

/// The whole file, or where the rules refuse what the script does.
pub fn whole(golden: &Golden, script: Script<'_>) -> Result<String, String> {
    let options = wire::options(golden.kind, &golden.options).unwrap();
    let mut chance = script.chance(0);
    let (mut game, events) = AnyGame::setup(golden.rules_version, &options, golden.seats, &mut chance).unwrap();
    let mut text = format!("{}\n\nset-up\n", golden.head);
    write_step(&mut text, &chance, &events, &game);
    let mut step = 1;
    while game.outcome().is_none() {
        let Some((seat, action)) = script.choice(golden, &game, step) else { break };
        let mut chance = script.chance(step);
        let line = wire::action_line(&action);
        let (next, events) = game
            .apply(seat, &action, &mut chance)
            .map_err(|violation| format!("step {step}, {seat}, {line}: {violation}"))?;
        game = next;
        writeln!(text, "{step} seat {} {line}", seat.0).unwrap();
        write_step(&mut text, &chance, &events, &game);
        step += 1;
    }
    if let Some(outcome) = game.outcome() {
        writeln!(text, "outcome {}", wire::outcome(&outcome)).unwrap();
    }
    Ok(text)
}

/// Whether another rules version would give a recorded game the same events, and the same legal actions on the way.
pub fn is_same_by(golden: &Golden, version: u16) -> bool {
    let script = Script::Recorded(&golden.steps);
    let options = wire::options(golden.kind, &golden.options).unwrap();
    let set_up = |version| AnyGame::setup(version, &options, golden.seats, &mut script.chance(0));
    let (mut game, events) = set_up(golden.rules_version).unwrap();
    // An option that a version does not have is refused.
    let Ok((mut other, other_events)) = set_up(version) else { return false };
    if events != other_events {
        return false;
    }
    for step in 1.. {
        let legal = |game: &AnyGame| game.to_act().iter().map(|seat| game.legal_actions(seat)).collect::<Vec<_>>();
        if game.to_act() != other.to_act() || legal(&game) != legal(&other) {
            return false;
        }
        let Some((seat, action)) = script.choice(golden, &game, step) else { break };
        let (next, events) = game.apply(seat, &action, &mut script.chance(step)).unwrap();
        let Ok((other_next, other_events)) = other.apply(seat, &action, &mut script.chance(step)) else { return false };
        if events != other_events {
            return false;
        }
        (game, other) = (next, other_next);
    }
    game.outcome() == other.outcome()
}

/// What chance gave, what happened, and the digest that the log would hold.
fn write_step(text: &mut String, chance: &Noted, events: &[AnyEvent], game: &AnyGame) {
    if !chance.draws.is_empty() {
        let draws: Vec<String> = chance.draws.iter().map(|draw| format!("{}:{}", draw.bound, draw.answer)).collect();
        writeln!(text, "  chance {}", draws.join(" ")).unwrap();
    }
    let mut effects = Vec::new();
    game.encode_events(events, &mut effects);
    game.encode(&mut effects);
    for event in events {
        writeln!(text, "  {}", wire::event_line(event)).unwrap();
    }
    let digest = hex::encode(&Sha256::digest(&effects)[..8]);
    writeln!(text, "  effects_digest {digest}").unwrap();
}

fn key(player: u64, step: usize, purpose: u8) -> [u8; 32] {
    let mut key = [0; 32];
    key[..8].copy_from_slice(&player.to_be_bytes());
    key[8..16].copy_from_slice(&(step as u64).to_be_bytes());
    key[16] = purpose;
    key
}

enum Source {
    Given(VecDeque<Draw>),
    Seeded(Box<SeededChance>),
}

/// Chance that remembers what it gave.
struct Noted {
    source: Source,
    draws: Vec<Draw>,
}

impl Chance for Noted {
    fn below(&mut self, bound: u32) -> u32 {
        let answer = match &mut self.source {
            Source::Seeded(chance) => chance.below(bound),
            // Where the rules now ask for other luck than they did, any answer will do: the line shows the difference.
            Source::Given(draws) => draws.pop_front().filter(|draw| draw.bound == bound).map_or(0, |draw| draw.answer),
        };
        self.draws.push(Draw { bound, answer });
        answer
    }
}
