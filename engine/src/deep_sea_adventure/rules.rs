//! Turns: air, direction, move and search. What happens when a round ends is in `round_end`.

use alloc::{format, vec, vec::Vec};

use super::pieces::{Dice, Stack, lay_path};
use super::{Action, Event, Explorer, Options, Phase, RoundEnd, Rules, SEATS, State, View};
use crate::{Chance, Game, Kind, Outcome, Seat, SeatCount, SeatSet, Step, Viewer, Violation};

/// DSA-2: the air at the start of every round.
pub(super) const FULL_AIR: i32 = 25;
/// How many rounds a game has.
pub(super) const ROUNDS: u8 = 3;

impl Game for State {
    type Options = Options;
    type Action = Action;
    type Offer = Action;
    type Event = Event;
    type View = View;
    type Rules = Rules;

    fn setup(
        rules: Rules,
        _options: &Options,
        seats: SeatCount,
        chance: &mut dyn Chance,
    ) -> Result<Step<State>, Violation> {
        if !SEATS.contains(&seats.get()) {
            return Err(Kind::DeepSeaAdventure.refuse_seats(seats.get().into()));
        }
        let path = lay_path(chance); // DSA-4
        let first_seat = Seat(chance.below(u32::from(seats.get())) as u8); // DSA-5
        let mut state = State {
            rules,
            round: 1,
            phase: Phase::Dive,
            turn: first_seat,
            first_seat,
            air: FULL_AIR,
            path,
            explorers: seats.seats().map(|_| Explorer::default()).collect(),
            loads: Default::default(),
            scored: Default::default(),
            last_dice: None,
            back_order: Default::default(),
            idle_turns: 0,
            turn_is_idle: true,
        };
        let spaces = state.path.iter().map(Stack::faces).collect();
        let mut events = vec![Event::PathLaid { spaces }];
        state.start_round(&mut events);
        Ok(Step { next: state, events })
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
            Phase::Dive | Phase::Search => SeatSet::only(self.turn),
        }
    }

    fn legal_actions(&self, seat: Seat) -> Vec<Action> {
        if self.admit(seat).is_err() {
            return Vec::new();
        }
        let explorer = self.explorer(seat);
        match self.phase {
            Phase::Over => Vec::new(),
            Phase::Dive => {
                let mut actions = vec![Action::Dive { turn_back: false }];
                if self.may_turn_back(seat).is_ok() {
                    actions.push(Action::Dive { turn_back: true });
                }
                actions
            }
            Phase::Search => {
                let mut actions = vec![Action::Leave];
                if !self.space(explorer.position).is_blank() {
                    actions.push(Action::PickUp);
                } else if self.may_put_down(seat).is_ok() {
                    let load_size = u32::from(self.load_size(seat));
                    actions.extend((0..load_size).map(|load_index| Action::PutDown { load_index }));
                }
                actions
            }
        }
    }

    fn apply(&self, seat: Seat, action: &Action, chance: &mut dyn Chance) -> Result<Step<State>, Violation> {
        self.admit(seat)?;
        self.check(seat, action)?;
        let mut next = *self;
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
        View { turn: None, ..view }
    }

    fn redact(_rules: Rules, event: &Event, viewer: Viewer) -> Option<Event> {
        let mut event = event.clone();
        match viewer {
            Viewer::Auditor => {}
            Viewer::Seat(_) | Viewer::Spectator => event.hide_values(),
        }
        Some(event)
    }
}

impl State {
    /// Whether the rules allow an action of the seat that is asked: first the phase, then the game's own rules.
    fn check(&self, seat: Seat, action: &Action) -> Result<(), Violation> {
        let explorer = self.explorer(seat);
        match (self.phase, *action) {
            (Phase::Dive, Action::Dive { turn_back: false }) => Ok(()),
            (Phase::Dive, Action::Dive { turn_back: true }) => self.may_turn_back(seat),
            (Phase::Dive, _) => Err(Violation::phase("the explorer dives now; a search comes after the move")),
            (Phase::Search | Phase::Over, Action::Dive { .. }) => {
                Err(Violation::phase("the explorer searches now: leave, pick up or put down"))
            }
            (Phase::Search | Phase::Over, Action::Leave) => Ok(()),
            (Phase::Search | Phase::Over, Action::PickUp) => {
                if self.space(explorer.position).is_blank() {
                    let sentence = format!("space {} is a blank: there is nothing to pick up", explorer.position);
                    return Err(Violation::new("DSA-11", "NOTHING_HERE", sentence));
                }
                Ok(())
            }
            (Phase::Search | Phase::Over, Action::PutDown { load_index }) => {
                if !self.space(explorer.position).is_blank() {
                    let sentence = format!("space {} is not a blank: nothing can be put down", explorer.position);
                    return Err(Violation::new("DSA-11", "NOT_A_BLANK", sentence));
                }
                let load_size = self.load_size(seat);
                if load_index >= load_size.into() {
                    let sentence =
                        format!("there is no chip or stack {load_index} in a load of {load_size}, counted from 0");
                    return Err(Violation::new("DSA-11", "NOT_IN_LOAD", sentence));
                }
                self.may_put_down(seat)
            }
        }
    }

    /// DSA-7: whether an explorer may turn back now.
    fn may_turn_back(&self, seat: Seat) -> Result<(), Violation> {
        let explorer = self.explorer(seat);
        let refuse = |reason, sentence: &str| Err(Violation::new("DSA-7", reason, sentence));
        if explorer.turned_back {
            return refuse(
                "ALREADY_TURNED_BACK",
                "this explorer has turned back in this round already: dive without turn_back goes on going up",
            );
        }
        if explorer.turns_taken <= 1 {
            return refuse("FIRST_TURN", "an explorer cannot turn back on the first turn of a round");
        }
        if self.load_size(seat) == 0 {
            // DSA-R1
            return refuse("EMPTY_LOAD", "an explorer who carries nothing cannot turn back");
        }
        Ok(())
    }

    /// DSA-11, DSA-R1: whether an explorer on a blank may put something down.
    fn may_put_down(&self, seat: Seat) -> Result<(), Violation> {
        if self.explorer(seat).turned_back && self.load_size(seat) == 1 {
            return Err(Violation::new(
                "DSA-R1",
                "LAST_OF_LOAD",
                "an explorer who has turned back cannot put down the last of their load",
            ));
        }
        Ok(())
    }

    /// Does what `check` has allowed.
    fn perform(&mut self, seat: Seat, action: &Action, chance: &mut dyn Chance) -> Vec<Event> {
        let mut events = Vec::with_capacity(3);
        match *action {
            Action::Dive { turn_back } => self.dive(turn_back, chance, &mut events),
            Action::Leave => {
                events.push(Event::LeftSpace { seat });
                self.end_turn(&mut events);
            }
            Action::PickUp => self.pick_up(&mut events),
            Action::PutDown { load_index } => self.put_down(load_index as usize, &mut events),
        }
        events
    }

    /// Begins a round with its first seat's turn.
    pub(super) fn start_round(&mut self, events: &mut Vec<Event>) {
        self.air = FULL_AIR;
        events.push(Event::RoundStarted { round: self.round, first_seat: self.first_seat, air: self.air });
        self.start_turn(self.first_seat, events);
    }

    /// DSA-6: a turn comes to an explorer.
    fn start_turn(&mut self, seat: Seat, events: &mut Vec<Event>) {
        self.turn = seat;
        self.phase = Phase::Dive;
        self.explorer_mut(seat).turns_taken += 1;
        let air_used = self.load_size(seat);
        self.air -= i32::from(air_used);
        self.turn_is_idle = air_used == 0;
        events.push(Event::TurnStarted { seat, air_used, air: self.air });
    }

    /// DSA-7, DSA-8: direction, roll and move.
    fn dive(&mut self, turn_back: bool, chance: &mut dyn Chance, events: &mut Vec<Event>) {
        let seat = self.turn;
        if turn_back {
            self.explorer_mut(seat).turned_back = true;
            events.push(Event::TurnedBack { seat });
        }
        let dice = Dice::roll(chance);
        self.last_dice = Some(dice);
        let explorer = self.explorer(seat);
        let (from, goes_up) = (explorer.position, explorer.turned_back);
        let steps = dice.sum().saturating_sub(self.load_size(seat));
        let to = if goes_up { self.way_up(seat, from, steps) } else { self.way_down(seat, from, steps) };
        self.explorer_mut(seat).position = to;
        if to != from {
            self.turn_is_idle = false;
        }
        events.push(Event::Moved { seat, dice, steps, from, to });
        if goes_up && to == 0 {
            // DSA-10
            self.explorer_mut(seat).back = true;
            self.back_order.push(seat);
            events.push(Event::CameBack { seat });
            self.end_turn(events);
        } else if to == 0 {
            // DSA-R5: still in the submarine, so there is no space to search.
            self.end_turn(events);
        } else {
            self.phase = Phase::Search;
        }
    }

    /// DSA-8, DSA-9, DSA-R2: down by free spaces, ending on the last free one.
    fn way_down(&self, seat: Seat, from: u8, mut steps: u8) -> u8 {
        let mut stands_on = from;
        for space in from + 1..=self.path.len() as u8 {
            if steps == 0 {
                break;
            }
            if !self.is_taken(seat, space) {
                stands_on = space;
                steps -= 1;
            }
        }
        stands_on
    }

    /// DSA-8, DSA-10: up by free spaces; 0 is the submarine, where everybody has room.
    fn way_up(&self, seat: Seat, from: u8, mut steps: u8) -> u8 {
        let mut stands_on = from;
        for space in (0..from).rev() {
            if steps == 0 {
                break;
            }
            if space == 0 || !self.is_taken(seat, space) {
                stands_on = space;
                steps -= 1;
            }
        }
        stands_on
    }

    fn is_taken(&self, by_other_than: Seat, space: u8) -> bool {
        let others = self.explorers.iter().enumerate().filter(|(i, _)| *i != by_other_than.index());
        others.map(|(_, explorer)| explorer.position).any(|position| position == space)
    }

    /// DSA-11: the stack comes into the load and leaves a blank.
    fn pick_up(&mut self, events: &mut Vec<Event>) {
        let seat = self.turn;
        let space = self.explorer(seat).position;
        let stack = core::mem::replace(self.space_mut(space), Stack::BLANK);
        self.loads.push(seat, stack);
        self.turn_is_idle = false;
        events.push(Event::PickedUp { seat, space, stack: stack.faces() });
        self.end_turn(events);
    }

    /// DSA-11: one of the load replaces the blank.
    fn put_down(&mut self, load_index: usize, events: &mut Vec<Event>) {
        let seat = self.turn;
        let space = self.explorer(seat).position;
        let stack = self.loads.remove(seat, load_index);
        *self.space_mut(space) = stack;
        self.turn_is_idle = false;
        events.push(Event::PutDown { seat, space, load_index: load_index as u8, stack: stack.faces() });
        self.end_turn(events);
    }

    /// DSA-13: ends the round, or gives the turn to the next explorer who is not back.
    fn end_turn(&mut self, events: &mut Vec<Event>) {
        let diving = self.explorers.iter().filter(|explorer| !explorer.back).count();
        self.idle_turns = if self.turn_is_idle { self.idle_turns + 1 } else { 0 };
        let cause = if diving == 0 {
            // DSA-R6: before the air, which may have run out on this very turn.
            Some(RoundEnd::AllBack)
        } else if self.air <= 0 {
            Some(RoundEnd::NoAir)
        } else if usize::from(self.idle_turns) >= diving {
            Some(RoundEnd::Standstill) // DSA-R7
        } else {
            None
        };
        match cause {
            Some(cause) => self.end_round(cause, events),
            None => {
                let seats = self.seat_count();
                let next = seats.seats_from(self.turn.next(seats)).find(|seat| !self.explorer(*seat).back);
                self.start_turn(next.expect("an explorer is diving"), events);
            }
        }
    }
}
