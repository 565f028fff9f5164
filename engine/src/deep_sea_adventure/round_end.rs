//! The end of a round and of the game: scoring, lost loads, the path closing up, ranks.

use alloc::vec::Vec;
use core::cmp::Reverse;

use arrayvec::ArrayVec;

use super::list::List;
use super::pieces::{Chip, PILE, Stack};
use super::rules::ROUNDS;
use super::{Event, Phase, RoundEnd, State};
use crate::{Outcome, Seat};

impl State {
    /// DSA-13 to DSA-18: everything between the last turn of a round and the first of the next.
    pub(super) fn end_round(&mut self, cause: RoundEnd, events: &mut Vec<Event>) {
        events.push(Event::RoundEnded { round: self.round, cause });
        self.score_those_back(events);
        let lost_in_order = self.not_back_furthest_first();
        self.lay_lost_chips(&lost_in_order, events);
        // DSA-17
        let next_first = lost_in_order.first().or(self.back_order.last()).copied();
        self.reset_explorers();
        if self.round == ROUNDS {
            self.end_game(events);
        } else {
            self.round += 1;
            self.first_seat = next_first.expect("every explorer is back or not back");
            self.start_round(events);
        }
    }

    /// DSA-14: those who are back turn their chips over, in the order in which they came.
    fn score_those_back(&mut self, events: &mut Vec<Event>) {
        let in_order = self.back_order;
        for &seat in &in_order {
            let chips = self.unload(seat);
            chips.iter().for_each(|chip| self.scored.push(seat, *chip));
            let points = chips.iter().map(|chip| u16::from(chip.value())).sum();
            events.push(Event::Scored { seat, chips: chips.iter().map(|chip| chip.face()).collect(), points });
        }
    }

    /// All chips of an explorer's load, stacks opened, in order; the load is empty afterwards.
    fn unload(&mut self, seat: Seat) -> Vec<Chip> {
        let chips = self.loads.of(seat).iter().flat_map(Stack::chips).copied().collect();
        self.loads.clear(seat);
        chips
    }

    /// DSA-R4: those who are not back, the furthest first; among several at 0 the later in turn order is further.
    fn not_back_furthest_first(&self) -> Vec<Seat> {
        let seats = self.seat_count();
        let mut not_back: Vec<Seat> =
            seats.seats_from(self.first_seat).filter(|seat| !self.explorer(*seat).back).collect();
        not_back.reverse();
        // The sort is stable, so equals stay in reverse turn order.
        not_back.sort_by_key(|seat| Reverse(self.explorer(*seat).position));
        not_back
    }

    /// DSA-15, DSA-16, DSA-R3: lost chips go to the far end in piles of three, and the blanks go away.
    fn lay_lost_chips(&mut self, in_order: &[Seat], events: &mut Vec<Event>) {
        let piles = self.piles_of_lost_loads(in_order);
        for &seat in in_order {
            let lost = self.unload(seat);
            if !lost.is_empty() {
                let faces = lost.iter().map(|chip| chip.face()).collect();
                events.push(Event::Lost { seat, chips: faces });
            }
        }
        if !piles.is_empty() {
            events.push(Event::PilesLaid { piles: piles.iter().map(Stack::faces).collect() });
        }
        // The piles lie behind the last space whether the blanks go before or after they are laid.
        let left_over = self.path.iter().copied().filter(|stack| !stack.is_blank());
        self.path = left_over.chain(piles).collect();
        events.push(Event::PathClosed { spaces: self.path.len() as u8 });
    }

    /// DSA-R3: each pile in its place when it is complete, and the rest as the last one.
    fn piles_of_lost_loads(&self, in_order: &[Seat]) -> Vec<Stack> {
        let mut piles = Vec::new();
        let mut gathered: ArrayVec<Chip, PILE> = ArrayVec::new();
        for stack in in_order.iter().flat_map(|seat| self.loads.of(*seat)) {
            if stack.chips().len() == PILE && self.rules.lost_stacks_of_three_stay_whole() {
                piles.push(*stack);
                continue;
            }
            for chip in stack.chips() {
                gathered.push(*chip);
                if gathered.is_full() {
                    piles.push(Stack::of(&gathered));
                    gathered.clear();
                }
            }
        }
        if !gathered.is_empty() {
            piles.push(Stack::of(&gathered));
        }
        piles
    }

    /// DSA-16: full air, all in the submarine, none turned back.
    fn reset_explorers(&mut self) {
        self.air = super::rules::FULL_AIR;
        self.back_order = List::default();
        self.idle_turns = 0;
        self.turn_is_idle = true;
        for explorer in self.explorers.iter_mut() {
            explorer.position = 0;
            explorer.turned_back = false;
            explorer.back = false;
            explorer.turns_taken = 0;
        }
    }

    fn end_game(&mut self, events: &mut Vec<Event>) {
        self.phase = Phase::Over;
        let totals = self.seat_count().seats().map(|seat| self.points(seat)).collect();
        events.push(Event::GameEnded { totals, winners: self.final_outcome().winners });
    }

    /// DSA-19, DSA-R8: points, then scored chips of level 4, 3, 2, 1.
    pub(super) fn final_outcome(&self) -> Outcome {
        Outcome::ranked(self.seat_count().seats().map(|seat| {
            let of_level = |level| self.scored.of(seat).iter().filter(|chip| chip.level() == level).count();
            let points = i64::from(self.points(seat));
            (seat, points, (points, [of_level(4), of_level(3), of_level(2), of_level(1)]))
        }))
    }
}
