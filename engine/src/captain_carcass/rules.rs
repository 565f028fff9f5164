//! The rules as the contract of all games wants them. What happens is in `play`, `effects` and `incident`, what is allowed
//! in `legal`.

use alloc::vec::Vec;

use super::play::Play;
use super::{Action, Event, Offer, Options, Phase, Rules, State, View, setup};
use crate::{Chance, Game, Outcome, Seat, SeatCount, SeatSet, Step, Viewer, Violation};

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
        setup::set_up(rules, options, seats, chance)
    }

    fn rules(&self) -> Rules {
        self.rules
    }

    fn seats(&self) -> SeatCount {
        self.seat_count()
    }

    fn to_act(&self) -> SeatSet {
        self.seat_to_act().map_or(SeatSet::EMPTY, SeatSet::only)
    }

    fn legal_actions(&self, seat: Seat) -> Vec<Offer> {
        if self.admit(seat).is_err() { Vec::new() } else { self.offers(seat) }
    }

    fn apply(&self, seat: Seat, action: &Action, chance: &mut dyn Chance) -> Result<Step<State>, Violation> {
        self.admit(seat)?;
        self.check(seat, action)?;
        let mut play = Play { state: self.clone(), events: Vec::with_capacity(4), chance };
        match *action {
            Action::Draw => play.draw(),
            Action::Surface => play.surface(),
            Action::NameVictim { seat: victim } => play.name_victim(seat, victim),
            Action::Knife { seat: victim, suit } => play.use_knife(victim, suit),
            Action::Harpoon { seat: victim, suit } => play.use_harpoon(victim, suit),
            Action::Net { suit } => play.use_net(suit),
            Action::Misfire { suit } => play.use_misfire(suit),
            Action::PlaceFromMap { card } => play.place_from_map(card),
            Action::Plunder { seat: victim } => play.plunder(victim),
        }
        Ok(play.finished())
    }

    fn outcome(&self) -> Option<Outcome> {
        (self.phase == Phase::Over).then(|| self.final_outcome())
    }

    fn view(&self, viewer: Viewer) -> View {
        View::of(self, viewer)
    }

    fn without_to_act(view: View) -> View {
        View { to_act: None, ..view }
    }

    fn redact(_rules: Rules, event: &Event, viewer: Viewer) -> Option<Event> {
        let mut event = event.clone();
        event.hide_from(viewer);
        Some(event)
    }
}
