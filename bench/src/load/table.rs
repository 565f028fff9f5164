//! One game of Deep Sea Adventure as the load generator sees it: just enough to name a legal action, at the least
//! cost per action.
//!
//! Everything is read from the answers' events, so that no call is made but those that are measured. The policy plays
//! like careful people do: down to the second level, take a chip, turn back, perhaps take another on the way up. Such
//! a game lasts about a hundred actions, so that creating games stays a small part of the load.

use divelog_proto::{games::deep_sea_adventure::v1 as dsa, v1};

/// Seats per game.
pub const SEATS: u32 = 3;
/// The first space at which to take a chip on the way down: the first of the second level (DSA-4).
const PICK_FROM_SPACE: u32 = 9;
/// The largest load: more would use the air up and strand everybody.
const MAX_LOAD: u8 = 2;

/// Which decision is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    Dive,
    Search,
}

/// A game in flight.
#[derive(Debug, Clone)]
pub struct Table {
    game_id: String,
    seat: u32,
    phase: Phase,
    /// Where the explorer stands whose turn it is.
    space: u32,
    /// Blank spaces: bit n is space n. A path has at most 32 spaces and 11 piles.
    blanks: u64,
    load: [u8; SEATS as usize],
    turned_back: [bool; SEATS as usize],
    over: bool,
}

impl Table {
    /// A game just created, in which `seat` begins.
    pub fn new(game_id: String, seat: u32) -> Self {
        Self {
            game_id,
            seat,
            phase: Phase::Dive,
            space: 0,
            blanks: 0,
            load: [0; SEATS as usize],
            turned_back: [false; SEATS as usize],
            over: false,
        }
    }

    /// Whether nothing more can be played here.
    pub fn is_over(&self) -> bool {
        self.over
    }

    /// The next action.
    pub fn request(&self) -> v1::SubmitActionRequest {
        let action = dsa::Action { action: Some(self.choose()) };
        v1::SubmitActionRequest {
            game_id: self.game_id.clone(),
            seat: self.seat,
            action: Some(v1::GameAction { action: Some(v1::game_action::Action::DeepSeaAdventure(action)) }),
            ..Default::default()
        }
    }

    /// A legal action for the seat that is asked.
    fn choose(&self) -> dsa::action::Action {
        use dsa::action::Action;
        let seat = self.seat as usize;
        let load = self.load.get(seat).copied().unwrap_or(0);
        let turned_back = self.turned_back.get(seat).copied().unwrap_or(false);
        match self.phase {
            // DSA-7: a load was picked up on an earlier turn of this round, so turning back is allowed.
            Phase::Dive => Action::Dive(dsa::Dive { turn_back: load > 0 && !turned_back }),
            Phase::Search => {
                let worth_it = turned_back || self.space >= PICK_FROM_SPACE;
                if worth_it && load < MAX_LOAD && self.blanks & bit(self.space) == 0 {
                    Action::PickUp(dsa::PickUp {})
                } else {
                    Action::Leave(dsa::Leave {})
                }
            }
        }
    }

    /// Follows what an action did.
    pub fn follow_answer(&mut self, answer: &v1::SubmitActionResponse) {
        for event in &answer.events {
            if let Some(v1::game_event::Event::DeepSeaAdventure(dsa::Event { event: Some(event) })) = &event.event {
                self.follow(event);
            }
        }
        match answer.to_act.first() {
            Some(&seat) => self.seat = seat,
            None => self.over = true,
        }
        self.over |= answer.status != v1::GameStatus::Running as i32;
    }

    /// Follows one event. Those that say nothing about the next decision are passed over.
    fn follow(&mut self, event: &dsa::event::Event) {
        use dsa::event::Event;
        match event {
            Event::Moved(moved) => {
                self.space = moved.to;
                // DSA-11: whoever stands on a space is asked; the submarine is no space.
                self.phase = if moved.to > 0 { Phase::Search } else { Phase::Dive };
            }
            Event::TurnedBack(turned) => {
                if let Some(flag) = self.turned_back.get_mut(turned.seat as usize) {
                    *flag = true;
                }
            }
            Event::PickedUp(picked) => {
                self.blanks |= bit(picked.space);
                if let Some(load) = self.load.get_mut(picked.seat as usize) {
                    *load = load.saturating_add(1);
                }
                self.phase = Phase::Dive;
            }
            Event::LeftSpace(_) | Event::CameBack(_) | Event::TurnStarted(_) => {
                self.phase = Phase::Dive;
            }
            // DSA-16: the blanks go, and everybody begins again in the submarine.
            Event::PathClosed(_) | Event::RoundStarted(_) => {
                self.blanks = 0;
                self.load = [0; SEATS as usize];
                self.turned_back = [false; SEATS as usize];
                self.phase = Phase::Dive;
            }
            _ => {}
        }
    }
}

/// A space's bit; none for a space that no path has.
fn bit(space: u32) -> u64 {
    1u64.checked_shl(space).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use dsa::{action::Action, event::Event};

    use super::*;

    fn moved(to: u32) -> Event {
        Event::Moved(dsa::Moved { seat: 0, to, ..Default::default() })
    }

    fn dive(turn_back: bool) -> Action {
        Action::Dive(dsa::Dive { turn_back })
    }

    fn pick_up(space: u32) -> Event {
        Event::PickedUp(dsa::PickedUp { seat: 0, space, stack: None })
    }

    /// One line a case: what happened to seat 0, and what it then does.
    #[test]
    fn choices() {
        let turned_back = || Event::TurnedBack(dsa::TurnedBack { seat: 0 });
        let leave = Action::Leave(dsa::Leave {});
        let take = Action::PickUp(dsa::PickUp {});
        let cases: Vec<(&str, Vec<Event>, Action)> = vec![
            ("a new game", vec![], dive(false)),
            ("too near for a stop", vec![moved(8)], leave),
            ("deep enough", vec![moved(9)], take),
            ("DSA-R5: no free space, no search", vec![moved(0)], dive(false)),
            ("DSA-7: a load, so back", vec![moved(9), pick_up(9)], dive(true)),
            ("DSA-7: said once", vec![pick_up(9), turned_back(), moved(0)], dive(false)),
            ("a second one on the way up", vec![pick_up(9), turned_back(), moved(4)], take),
            ("enough", vec![pick_up(9), pick_up(7), turned_back(), moved(4)], leave),
            ("DSA-11: a blank", vec![pick_up(9), turned_back(), moved(9)], leave),
            ("DSA-16: all begin again", vec![pick_up(9), Event::RoundStarted(Default::default())], dive(false)),
            ("a space that no path has", vec![pick_up(4_000), turned_back(), moved(4_000)], take),
        ];
        for (name, events, expected) in cases {
            let mut table = Table::new(String::new(), 0);
            events.iter().for_each(|event| table.follow(event));
            assert_eq!(table.choose(), expected, "{name}");
        }
    }

    #[test]
    fn an_answer_says_who_is_next_and_when_it_is_over() {
        let running = v1::GameStatus::Running as i32;
        let mut table = Table::new(String::new(), 0);
        table.follow_answer(&v1::SubmitActionResponse { to_act: vec![2], status: running, ..Default::default() });
        assert_eq!((table.seat, table.is_over()), (2, false));
        table.follow_answer(&v1::SubmitActionResponse { to_act: vec![], status: running, ..Default::default() });
        assert!(table.is_over());
    }
}
