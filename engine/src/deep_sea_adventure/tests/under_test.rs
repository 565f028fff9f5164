//! What the contract suite needs to know about Deep Sea Adventure.

use alloc::{vec, vec::Vec};
use core::ops::RangeInclusive;

use arrayvec::ArrayVec;

use super::super::pieces::PILE;
use super::super::{Action, Chip, Dice, Event, MAX_ACTIONS, Options, Phase, RoundEnd, Rules, SEATS, Stack, State};
use crate::contract::{UnderTest, altered};
use crate::{Chance, Seat, SeatCount, Step, Viewer, shuffle};

impl UnderTest for State {
    const SEATS: RangeInclusive<u8> = SEATS;
    const MAX_ACTIONS: usize = MAX_ACTIONS;
    /// Leave, and one entry for each of a load of at most 32.
    const MAX_OFFERS: usize = 33;
    const SECRET_CHOICES: bool = false;
    const SEEDS: u64 = 300;
    const STYLES: &'static [&'static str] =
        &["uniform", "greedy", "never turn back", "always leave", "hoarder", "fumbler", "stack hunter"];
    const LANDMARKS: &'static [&'static str] =
        &["all back", "no air", "standstill", "stack picked up", "stack put down", "stack scored", "shared win"];

    fn random_options(_rules: Rules, _seats: SeatCount, _chance: &mut dyn Chance) -> Options {
        Options
    }

    fn weight(&self, style: &str, seat: Seat, action: &Action) -> u32 {
        let load = self.load_size(seat);
        match (style, action) {
            // Picks up early and goes home with a little: the rounds in which all come back.
            ("greedy", Action::Dive { turn_back: true }) => 8,
            ("greedy", Action::PickUp) => u32::from(load < 2) * 8,
            ("greedy", Action::PutDown { .. }) => 0,
            // Runs the air out, so that lost loads make stacks.
            ("never turn back", Action::Dive { turn_back }) => u32::from(!turn_back),
            // Nobody carries anything: the standstill of DSA-R7.
            ("always leave", Action::Leave | Action::Dive { turn_back: false }) => 1,
            ("always leave", _) => 0,
            // Huge loads, moves of 0, air far below 0.
            ("hoarder", Action::PickUp) => 50,
            ("hoarder", Action::Leave) => 1,
            ("hoarder", Action::PutDown { .. }) => 0,
            // Takes and puts back, over and over.
            ("fumbler", Action::PickUp | Action::PutDown { .. }) => 4,
            // Loses much in round 1, then dives with empty hands to the stacks at the far end and brings one home.
            ("stack hunter", Action::PickUp) => {
                let here = self.space(self.explorer(seat).position).chips().len();
                if self.round == 1 || here > 1 { 50 } else { 0 }
            }
            ("stack hunter", Action::Dive { turn_back: true }) => u32::from(self.round > 1) * 50,
            ("stack hunter", Action::PutDown { .. }) => 0,
            _ => 1,
        }
    }

    fn near_misses(&self, seat: Seat, chance: &mut dyn Chance) -> Vec<Action> {
        let mut actions =
            vec![Action::Dive { turn_back: false }, Action::Dive { turn_back: true }, Action::Leave, Action::PickUp];
        let load = u32::from(if self.seat_count().contains(seat) { self.load_size(seat) } else { 0 });
        let indices = [0, load.saturating_sub(1), load, load + 1 + chance.below(40), 256, u32::MAX];
        actions.extend(indices.map(|load_index| Action::PutDown { load_index }));
        actions
    }

    fn census(&self) -> Vec<u32> {
        let loads = self.seat_count().seats().flat_map(|seat| self.loads.of(seat));
        let lying = self.path.iter().chain(loads).flat_map(|stack| stack.chips());
        let scored = self.seat_count().seats().flat_map(|seat| self.scored.of(seat));
        let mut chips: Vec<u32> = lying.chain(scored).map(|chip| u32::from(chip.value())).collect();
        chips.sort_unstable();
        chips
    }

    /// DSA-12 hides the same from every seat and spectator: the values on the path and in loads, not the levels.
    fn redeal(&self, after: Option<&Step<State>>, viewer: Viewer, chance: &mut dyn Chance) -> State {
        let after = after.map(|step| &step.next);
        let seen = |state: &State| viewer == Viewer::Auditor || state.phase == Phase::Over;
        let mut other = *self;
        if seen(self) || after.is_some_and(seen) {
            return other;
        }
        let scores =
            |seat: &Seat| after.is_some_and(|after| after.scored.of(*seat).len() > self.scored.of(*seat).len());
        let hidden_loads = || self.seat_count().seats().filter(|seat| !scores(seat));
        let level = |chip: &Chip| usize::from(chip.level() - 1);
        let mut pools: [Vec<Chip>; 4] = Default::default();
        let hidden = self.path.iter().chain(hidden_loads().flat_map(|seat| self.loads.of(seat)));
        for chip in hidden.flat_map(|stack| stack.chips()) {
            pools[level(chip)].push(*chip);
        }
        pools.iter_mut().for_each(|pool| shuffle(pool, chance));
        let mut redealt = |stack: &Stack| {
            let deal = |chip: &Chip| pools[level(chip)].pop().expect("as many as were taken up");
            let dealt: ArrayVec<Chip, PILE> = stack.chips().iter().map(deal).collect();
            Stack::of(&dealt)
        };
        other.path = self.path.iter().map(&mut redealt).collect();
        for seat in hidden_loads() {
            other.loads.clear(seat);
            self.loads.of(seat).iter().for_each(|stack| other.loads.push(seat, redealt(stack)));
        }
        other
    }

    fn altered(&self) -> Vec<State> {
        let (seats, first) = (self.seat_count(), Seat(0));
        let mut altered = altered![
            self,
            |other| other.round ^= 1,
            |other| other.turn = other.turn.next(seats),
            |other| other.first_seat = other.first_seat.next(seats),
            |other| other.air -= 1,
            |other| other.path = other.path.iter().skip(1).copied().collect(),
            |other| other.path[0] = if other.path[0].is_blank() { Stack::of(&[Chip::default()]) } else { Stack::BLANK },
            |other| other.explorer_mut(first).position += 1,
            |other| other.explorer_mut(first).turned_back ^= true,
            |other| other.explorer_mut(first).back ^= true,
            |other| other.explorer_mut(first).turns_taken += 1,
            |other| other.loads.clear(first),
            |other| other.scored.clear(first),
            |other| other.last_dice =
                other.last_dice.map_or(Some(Dice([1, 2])), |dice| (dice.0 != [1, 2]).then_some(Dice([2, 1]))),
            |other| other.back_order = other.back_order.iter().skip(1).copied().collect(),
            |other| other.idle_turns += 1,
            |other| other.turn_is_idle ^= true,
        ];
        if self.phase != Phase::Over {
            let phase = if self.phase == Phase::Dive { Phase::Search } else { Phase::Dive };
            altered.extend(altered![self, |other| other.phase = phase, |other| other.phase = Phase::Over]);
        }
        altered
    }

    /// Everything is done openly.
    fn looks_the_same(&self, _seat: Seat, _one: &Action, _other: &Action, _viewer: Viewer) -> bool {
        false
    }

    fn landmark(event: &Event) -> Option<&'static str> {
        match event {
            Event::RoundEnded { cause: RoundEnd::AllBack, .. } => Some("all back"),
            Event::RoundEnded { cause: RoundEnd::NoAir, .. } => Some("no air"),
            Event::RoundEnded { cause: RoundEnd::Standstill, .. } => Some("standstill"),
            Event::PickedUp { stack, .. } if stack.len() > 1 => Some("stack picked up"),
            Event::PutDown { stack, .. } if stack.len() > 1 => Some("stack put down"),
            // Dice show 6 at most, so nobody moves with a load of 6: more chips than 5 come home only in stacks.
            Event::Scored { chips, .. } if chips.len() > 5 => Some("stack scored"),
            Event::GameEnded { winners, .. } if winners.iter().count() > 1 => Some("shared win"),
            _ => None,
        }
    }
}
