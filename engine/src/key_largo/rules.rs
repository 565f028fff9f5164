//! Key Largo as a [`Game`]. The rules themselves are in the files of the places.

use alloc::vec::Vec;

use super::{Action, Event, Offer, Options, Phase, Rules, State, View};
use crate::{Chance, Game, Outcome, Seat, SeatCount, SeatSet, Sink, Step, Viewer, Violation};

impl Game for State {
    type Options = Options;
    type Action = Action;
    type Offer = Offer;
    type Event = Event;
    type View = View;
    type Rules = Rules;

    fn setup(
        rules: Rules,
        options: &Options,
        seats: SeatCount,
        chance: &mut dyn Chance,
    ) -> Result<Step<State>, Violation> {
        State::set_up(rules, options, seats, chance)
    }

    fn rules(&self) -> Rules {
        self.rules
    }

    fn seats(&self) -> SeatCount {
        self.seat_count()
    }

    fn to_act(&self) -> SeatSet {
        match self.phase {
            Phase::Over => SeatSet::EMPTY,
            Phase::Program => self.seat_count().seats().filter(|seat| self.player(*seat).programme.is_none()).collect(),
            _ => SeatSet::only(self.turn),
        }
    }

    fn legal_actions(&self, seat: Seat) -> Vec<Offer> {
        match self.admit(seat) {
            Ok(()) => self.offers(seat),
            Err(_) => Vec::new(),
        }
    }

    fn apply(&self, seat: Seat, action: &Action, chance: &mut dyn Chance) -> Result<Step<State>, Violation> {
        self.admit(seat)?;
        self.check(seat, action)?;
        let mut next = self.clone();
        let events = next.perform(seat, action, chance);
        Ok(Step { next, events })
    }

    fn act(&mut self, seat: Seat, action: &Action, chance: &mut dyn Chance) -> Result<Vec<Event>, Violation> {
        self.admit(seat)?;
        self.check(seat, action)?;
        Ok(self.perform(seat, action, chance))
    }

    fn outcome(&self) -> Option<Outcome> {
        (self.phase == Phase::Over).then(|| self.final_outcome())
    }

    fn view(&self, viewer: Viewer) -> View {
        View::of(self, viewer)
    }

    fn without_to_act(view: View) -> View {
        View { turn: None, to_act: SeatSet::EMPTY, ..view }
    }

    fn redact(_rules: Rules, event: &Event, viewer: Viewer) -> Option<Event> {
        Some(event.for_viewer(viewer))
    }

    fn encode_event<S: Sink>(rules: Rules, event: &Event, sink: &mut S) {
        event.encode_by(rules, sink);
    }
}

impl State {
    /// Does what `check` has allowed.
    fn perform(&mut self, seat: Seat, action: &Action, chance: &mut dyn Chance) -> Vec<Event> {
        let mut list = Vec::with_capacity(4);
        let events = &mut list;
        self.look = None;
        match action {
            Action::Program { morning, afternoon } => self.program(seat, *morning, *afternoon, events),
            Action::PlaceBoat { wreck } => self.place_boat(*wreck as u8, events),
            Action::Pass => {
                events.push(Event::SabotagePassed { seat });
                self.go_on_sabotaging(Some(seat), events);
            }
            Action::DrawCard { diver } => self.draw_card(*diver as u8, events),
            Action::UseWeight { diver } => self.use_weight(*diver as u8, events),
            Action::Surface => self.surface(chance, events),
            Action::UseTrident { diver } => self.use_trident(*diver as u8, events),
            Action::Flee => self.flee(events),
            Action::Recruit => self.recruit(events),
            Action::HirePickpocket { seat: victim, depth } => {
                self.hire_pickpocket(Seat(*victim as u8), *depth, chance, events);
            }
            Action::BuyRound { wrecks } => self.buy_round(wrecks, chance, events),
            Action::FirstWreck { wreck } => self.buy_round(&[*wreck], chance, events),
            Action::SecondWreck { wreck } => self.end_round(Some(*wreck as u8), chance, events),
            Action::NoSecondWreck => self.end_round(None, chance, events),
            Action::Buy { item, diver } => self.buy(*item, *diver as u8, events),
            Action::Sell { cards } => self.sell(cards, events),
            Action::PlayEncounter(play) => self.play(play, chance, events),
            Action::Done => self.leave(events),
        }
        list
    }
}
