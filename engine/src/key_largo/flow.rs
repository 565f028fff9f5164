//! KL-3 to KL-7, KL-24: how days and half-days go on from one decision to the next.

use alloc::{format, vec::Vec};

use super::encounter::ENCOUNTER_HAND;
use super::tables::DAYS;
use super::{CardId, CardKind, Event, Half, Phase, Place, State};
use crate::{Outcome, Seat, Violation};

impl State {
    /// KL-3: a day begins with the programme.
    pub(super) fn start_day(&mut self, events: &mut Vec<Event>) {
        self.phase = Phase::Program;
        self.half = Half::Morning;
        self.turn = self.first_seat;
        events.push(Event::DayStarted { day: self.day, first_seat: self.first_seat });
    }

    /// KL-4
    pub(super) fn may_program(&self, morning: Place, afternoon: Place) -> Result<(), Violation> {
        if morning == afternoon {
            let sentence = format!("morning and afternoon need different places, not {} twice", morning.name());
            return Err(Violation::new("KL-4", "SAME_PLACE", sentence));
        }
        Ok(())
    }

    /// KL-4, KL-5: the last programme reveals the morning.
    pub(super) fn program(&mut self, seat: Seat, morning: Place, afternoon: Place, events: &mut Vec<Event>) {
        self.player_mut(seat).programme = Some([morning, afternoon]);
        events.push(Event::Programmed { seat, morning: Some(morning), afternoon: Some(afternoon) });
        if self.players.iter().all(|player| player.programme.is_some()) {
            self.start_half(events);
        }
    }

    /// Where a player is in this half-day; nowhere during the programme.
    pub(super) fn place_of(&self, seat: Seat) -> Option<Place> {
        let [morning, afternoon] = self.player(seat).programme.filter(|_| self.phase != Phase::Program)?;
        Some(match self.half {
            Half::Morning => morning,
            Half::Afternoon => afternoon,
        })
    }

    /// KL-7: how many players have a place in this half-day.
    pub(super) fn present(&self, place: Place) -> u8 {
        self.seat_count().seats().filter(|seat| self.place_of(*seat) == Some(place)).count() as u8
    }

    /// KL-5: the places of a half-day are revealed.
    pub(super) fn start_half(&mut self, events: &mut Vec<Event>) {
        self.phase = Phase::PlaceBoat;
        let places = self.seat_count().seats().filter_map(|seat| self.place_of(seat)).collect();
        events.push(Event::PlacesRevealed { half: self.half, places });
        self.go_on_placing(None, events);
    }

    /// KL-5: the seats clockwise from the first player, or those of them that come after a seat.
    fn seats_after(&self, seat: Option<Seat>) -> impl Iterator<Item = Seat> + use<> {
        let seats = self.seat_count();
        let all = seats.seats_from(self.first_seat);
        let done = seat.and_then(|seat| seats.seats_from(self.first_seat).position(|other| other == seat));
        all.skip(done.map_or(0, |place| place + 1))
    }

    /// KL-5, KL-8: the next diving player who has a wreck to go to chooses it.
    pub(super) fn go_on_placing(&mut self, after: Option<Seat>, events: &mut Vec<Event>) {
        for seat in self.seats_after(after) {
            if self.place_of(seat) != Some(Place::Dive) {
                continue;
            }
            if (0..self.wrecks.len()).any(|wreck| self.may_place_boat(seat, wreck).is_ok()) {
                self.ask(Phase::PlaceBoat, seat);
                return;
            }
            events.push(Event::DiveLost { seat }); // KL-R2
        }
        self.go_on_sabotaging(None, events);
    }

    /// KL-R7: the next player on a wreck who holds encounter cards may play a saboteur, whatever these cards are.
    pub(super) fn go_on_sabotaging(&mut self, after: Option<Seat>, events: &mut Vec<Event>) {
        for seat in self.seats_after(after) {
            let player = self.player(seat);
            if player.boat.is_some() && !player.encounters.is_empty() {
                self.ask(Phase::Sabotage, seat);
                return;
            }
        }
        self.go_on_acting(None, events);
    }

    /// KL-5: the next player does the action of their place.
    pub(super) fn go_on_acting(&mut self, after: Option<Seat>, events: &mut Vec<Event>) {
        for seat in self.seats_after(after) {
            if self.arrive(seat, events) {
                return;
            }
        }
        self.end_half(events);
    }

    /// Begins a player's action. Whether a decision is asked depends only on what everybody sees.
    fn arrive(&mut self, seat: Seat, events: &mut Vec<Event>) -> bool {
        let player = self.player(seat);
        let (boat, hand, encounters) = (player.boat, player.hand.len(), player.encounters.len());
        match self.place_of(seat) {
            Some(Place::Dive) if boat.is_some() => self.ask(Phase::Dive, seat),
            Some(Place::Bar) => self.ask(Phase::Bar, seat),
            Some(Place::Dolphins) => {
                self.pay_dolphins(seat, events); // KL-25: on arrival
                if encounters == 0 {
                    self.draw_encounter(seat, events);
                    return false;
                }
                self.ask(Phase::Dolphins, seat);
            }
            Some(Place::Shop) => self.ask(Phase::Shop, seat),
            Some(Place::Market) if hand + encounters > 0 => self.ask(Phase::Market, seat),
            Some(Place::Dive | Place::Market) | None => return false,
        }
        true
    }

    fn ask(&mut self, phase: Phase, seat: Seat) {
        self.phase = phase;
        self.turn = seat;
    }

    /// The player whose turn it is ends their visit.
    pub(super) fn leave(&mut self, events: &mut Vec<Event>) {
        let seat = self.turn;
        if let Some(place) = self.place_of(seat) {
            events.push(Event::VisitEnded { seat, place });
        }
        if self.phase == Phase::Dolphins {
            self.draw_encounter(seat, events);
        }
        self.visit = Default::default();
        self.go_on_acting(Some(seat), events);
    }

    /// KL-19: the day's pay.
    pub(super) fn pay_dolphins(&mut self, seat: Seat, events: &mut Vec<Event>) {
        let amount = self.tables.dolphins[usize::from(self.day) - 1];
        self.player_mut(seat).cash += amount;
        events.push(Event::DolphinsPaid { seat, amount });
    }

    /// KL-25, KL-R12: at the end of a visit to the dolphins.
    fn draw_encounter(&mut self, seat: Seat, events: &mut Vec<Event>) {
        if self.encounter_deck.is_empty() || self.player(seat).encounters.len() >= ENCOUNTER_HAND {
            return;
        }
        let encounter = self.encounter_deck.remove(0);
        self.player_mut(seat).encounters.push(encounter);
        events.push(Event::EncounterDrawn { seat, encounter: Some(encounter) });
    }

    /// KL-5, KL-6: boats leave, and the afternoon or the evening comes.
    fn end_half(&mut self, events: &mut Vec<Event>) {
        events.push(Event::HalfDayEnded { half: self.half });
        for player in &mut self.players {
            player.boat = None;
            player.played = None;
            for diver in &mut player.divers {
                diver.sabotaged = false;
                diver.has_drawn = false;
            }
        }
        if self.half == Half::Morning {
            self.half = Half::Afternoon;
            self.start_half(events);
            return;
        }
        self.players.iter_mut().for_each(|player| player.programme = None);
        if self.day == DAYS {
            self.phase = Phase::Over;
            self.turn = self.first_seat;
            let fortunes = self.seat_count().seats().map(|seat| self.fortune(seat)).collect();
            events.push(Event::GameEnded { fortunes, winners: self.final_outcome().winners });
        } else {
            self.day += 1;
            self.first_seat = self.first_seat.next(self.seat_count());
            self.start_day(events);
        }
    }

    /// KL-24
    pub(super) fn fortune(&self, seat: Seat) -> u64 {
        let player = self.player(seat);
        u64::from(player.cash) + player.hand.iter().map(|card| self.unsold_value(card)).sum::<u64>()
    }

    fn unsold_value(&self, card: CardId) -> u64 {
        let face = self.face(card);
        let unit = match face.kind {
            CardKind::Monster => 0,
            CardKind::Diamond => 1,
            CardKind::Gold | CardKind::Goods | CardKind::Antiques => self.tables.unsold_unit(),
        };
        // Many units of many cards at the largest worth are more than 32 bits hold.
        u64::from(face.value) * u64::from(unit)
    }

    /// KL-24
    pub(super) fn final_outcome(&self) -> Outcome {
        Outcome::ranked(self.seat_count().seats().map(|seat| {
            let fortune = self.fortune(seat);
            // 80 cards of 10,000 units at 10,000 each, and money in 32 bits, are far below the largest number.
            (seat, fortune as i64, fortune)
        }))
    }
}
