//! Whole games: players of several styles, with the checks in every state on the way.

use alloc::{collections::BTreeSet, vec::Vec};
use std::println;

use super::chance::{Counted, Purpose};
use super::checks::{Here, seat_counts_outside_are_refused};
use super::redeal::{Seen, auditor_sees_events};
use super::{Failure, UnderTest, hold};
use crate::{Chance, Offer, RulesVersion, Seat, SeatCount, Sink, Step};

/// A player looks at this many actions of an offer at most.
const CONSIDERED_OF_AN_OFFER: u64 = 8;

/// What a run has seen over all its games.
#[derive(Default)]
pub(super) struct Tally {
    games: u64,
    actions: u64,
    seen: Seen,
    landmarks: BTreeSet<&'static str>,
}

/// All seeds at all numbers of seats, in every rules version; panics with the seed of the first failure.
pub(super) fn whole_suite<G: UnderTest>() {
    let only = number_from_env("DIVELOG_CONTRACT_SEED");
    let seeds = G::SEEDS * number_from_env("DIVELOG_CONTRACT_SEEDS").unwrap_or(1);
    for rules in G::Rules::ALL {
        let mut tally = Tally::default();
        for count in G::SEATS {
            for seed in only.map_or(0..seeds, |seed| seed..seed + 1) {
                if let Err(failure) = game::<G>(*rules, seed, count, &mut tally) {
                    panic!("{failure}\n{rules:?}, {count} seats; run again with DIVELOG_CONTRACT_SEED={seed}");
                }
            }
        }
        if only.is_none()
            && let Err(failure) = whole_run::<G>(*rules, &tally)
        {
            panic!("{rules:?}: {failure}");
        }
        println!("{rules:?}: {} games, {} actions, {:?}", tally.games, tally.actions, tally.landmarks);
    }
}

/// What must hold of a run as a whole.
pub(super) fn whole_run<G: UnderTest>(rules: G::Rules, tally: &Tally) -> Result<(), Failure> {
    let Seen { views, events, choices } = tally.seen;
    hold!(RedealChangesSomething, views > 0 && events > 0, "an auditor saw {views} other views, {events} other events");
    hold!(ChoicesKeepSecrets, !G::SECRET_CHOICES || choices > 0, "no secret choice was ever compared with another");
    let wanted = G::LANDMARKS.iter().chain(G::landmarks_of(rules));
    let missing: Vec<_> = wanted.filter(|landmark| !tally.landmarks.contains(*landmark)).collect();
    hold!(LandmarksAreReached, missing.is_empty(), "never seen: {missing:?}");
    Ok(())
}

#[allow(clippy::disallowed_methods, reason = "the suite, not the rules, takes its size from outside")]
fn number_from_env(name: &str) -> Option<u64> {
    let text = std::env::var(name).ok()?;
    Some(text.parse().unwrap_or_else(|_| panic!("{name} must be a whole number, not {text:?}")))
}

/// One game by one seed, which also decides the style of play.
pub(super) fn game<G: UnderTest>(rules: G::Rules, seed: u64, count: u8, tally: &mut Tally) -> Result<(), Failure> {
    let seats = SeatCount::new(usize::from(count)).expect("a number of seats that the game allows");
    let style = G::STYLES[(seed % G::STYLES.len() as u64) as usize];
    let mut checks = Counted::new(seed, Purpose::Checks, u64::from(count));
    let mut player = Counted::new(seed, Purpose::Player, u64::from(count));
    let options = G::random_options(rules, seats, &mut Counted::new(seed, Purpose::Options, 0));
    seat_counts_outside_are_refused::<G>(rules, &options, &mut Counted::new(seed, Purpose::Checks, 0))?;

    let set_up = || {
        let mut chance = Counted::new(seed, Purpose::Setup, u64::from(count));
        G::setup(rules, &options, seats, &mut chance)
    };
    let answer = set_up();
    let Ok(Step { next: mut state, events }) = answer else {
        hold!(SeatCount, false, "{count} seats: {answer:?}");
        return Ok(());
    };
    auditor_sees_events::<G>(rules, &events)?;
    let census = state.census();
    let mut bytes = Vec::new();
    note::<G>(&state, &events, &mut bytes);
    let mut played: Vec<(Seat, G::Action)> = Vec::new();
    loop {
        let number = played.len() as u64;
        let action_chance = move || Counted::new(seed, Purpose::Action, number);
        let mut here = Here { state: &state, chance: &mut checks, action_chance: &action_chance };
        here.outcome()?;
        here.legality()?;
        here.secrets(&mut tally.seen)?;
        if state.outcome().is_some() {
            break;
        }
        hold!(GameEnds, played.len() < G::MAX_ACTIONS, "no end after {} actions", played.len());
        let (seat, action) = choose(&state, style, &mut player);
        let answer = state.apply(seat, &action, &mut action_chance());
        let Ok(step) = answer else {
            hold!(ListedIsAccepted, false, "{seat} was offered {action:?}: {answer:?}");
            break;
        };
        here.secrets_of_step(seat, &action, &step, &mut tally.seen)?;
        here.secret_choices(seat, &action, &step, &mut tally.seen)?;
        auditor_sees_events::<G>(rules, &step.events)?;
        tally.landmarks.extend(step.events.iter().filter_map(G::landmark));
        hold!(CensusIsKept, step.next.census() == census, "{action:?} of {seat} led to {:?}", step.next);
        note::<G>(&step.next, &step.events, &mut bytes);
        played.push((seat, action));
        state = step.next;
    }
    tally.games += 1;
    tally.actions += played.len() as u64;
    let replayed = replay::<G>(set_up().expect("it was accepted before"), &played, seed);
    hold!(ReplayIsExact, replayed == bytes, "the same {} actions gave other bytes", played.len());
    Ok(())
}

fn note<G: UnderTest>(state: &G, events: &[G::Event], bytes: &mut Vec<u8>) {
    Sink::len(bytes, events.len());
    events.iter().for_each(|event| G::encode_event(state.rules(), event, bytes));
    state.encode(bytes);
}

/// The bytes of a game played again from its actions, on one state and without a copy. They end early where an action is
/// refused, and where something that must be refused is not, or leaves a trace.
fn replay<G: UnderTest>(set_up: Step<G>, played: &[(Seat, G::Action)], seed: u64) -> Vec<u8> {
    let Step { next: mut state, events } = set_up;
    let mut bytes = Vec::new();
    note::<G>(&state, &events, &mut bytes);
    for (number, (seat, action)) in played.iter().enumerate() {
        let chance = || Counted::new(seed, Purpose::Action, number as u64);
        let before = state.canonical_bytes();
        for tried in state.near_misses(*seat, &mut chance()) {
            let is_refused = state.apply(*seat, &tried, &mut chance()).is_err();
            if is_refused && (state.act(*seat, &tried, &mut chance()).is_ok() || state.canonical_bytes() != before) {
                return bytes;
            }
        }
        let Ok(events) = state.act(*seat, action, &mut chance()) else { break };
        note::<G>(&state, &events, &mut bytes);
    }
    bytes
}

/// One of the seats that are asked, and one of its legal actions, by the weights of the style.
fn choose<G: UnderTest>(state: &G, style: &str, chance: &mut dyn Chance) -> (Seat, G::Action) {
    let asked: Vec<Seat> = state.to_act().iter().collect();
    let seat = asked[chance.below(asked.len() as u32) as usize];
    let mut actions: Vec<G::Action> = Vec::new();
    for offer in state.legal_actions(seat) {
        let count = offer.count();
        if count <= CONSIDERED_OF_AN_OFFER {
            actions.extend((0..count).map(|number| offer.nth(number)));
        } else {
            let below = u32::try_from(count).unwrap_or(u32::MAX);
            actions.extend((0..CONSIDERED_OF_AN_OFFER).map(|_| offer.nth(u64::from(chance.below(below)))));
        }
    }
    let mut weights: Vec<u32> = actions.iter().map(|action| state.weight(style, seat, action)).collect();
    if weights.iter().all(|weight| *weight == 0) {
        weights.fill(1);
    }
    let mut ticket = chance.below(weights.iter().sum());
    for (action, weight) in actions.into_iter().zip(weights) {
        if ticket < weight {
            return (seat, action);
        }
        ticket -= weight;
    }
    unreachable!("a ticket lies below the sum of the weights")
}
