//! A game of Deep Sea Adventure that lasts: about 2,000 actions instead of a hundred.
//!
//! Six explorers go down empty-handed and stay at the far end. Nothing would ever happen there, but six idle turns in a row
//! end a round (DSA-R7). So whoever would be the sixth picks something up and puts it down on the next turn, which
//! takes one of the 25 units of air; a round lasts until they are used up.

use divelog_proto::{games::deep_sea_adventure::v1 as dsa, v1};

/// The most seats there are.
const SEATS: usize = 6;

/// A game in play.
#[derive(Debug, Clone)]
pub struct LongGame {
    game_id: String,
    seat: u32,
    searching: bool,
    /// Whether the explorer whose turn it is has moved in it.
    moved: bool,
    /// The space of each explorer who carries something, which was taken from there.
    blank: [Option<u32>; SEATS],
    /// Where the explorer stands whose turn it is.
    space: u32,
    /// Idle turns in a row.
    idle: usize,
    over: bool,
}

impl LongGame {
    /// The request that creates one.
    pub fn create() -> v1::CreateGameRequest {
        let options = v1::game_options::Options::DeepSeaAdventure(Default::default());
        v1::CreateGameRequest {
            options: Some(v1::GameOptions { options: Some(options) }),
            players: vec![v1::NewPlayer::default(); SEATS],
            ..Default::default()
        }
    }

    /// A game just created; `None` if the answer has none in which somebody is to act.
    pub fn created(answer: v1::CreateGameResponse) -> Option<Self> {
        let game = answer.game?;
        let seat = *game.to_act.first()?;
        Some(Self {
            game_id: game.game_id,
            seat,
            searching: false,
            moved: false,
            blank: [None; SEATS],
            space: 0,
            idle: 0,
            over: false,
        })
    }

    /// The game's id.
    pub fn id(&self) -> &str {
        &self.game_id
    }

    /// Whether nothing more can be played.
    pub fn is_over(&self) -> bool {
        self.over
    }

    /// The next action.
    pub fn request(&self, request_id: String) -> v1::SubmitActionRequest {
        let action = dsa::Action { action: Some(self.choose()) };
        v1::SubmitActionRequest {
            game_id: self.game_id.clone(),
            seat: self.seat,
            action: Some(v1::GameAction { action: Some(v1::game_action::Action::DeepSeaAdventure(action)) }),
            request_id,
            ..Default::default()
        }
    }

    fn choose(&self) -> dsa::action::Action {
        use dsa::action::Action;
        if !self.searching {
            return Action::Dive(dsa::Dive { turn_back: false });
        }
        match self.blank.get(self.seat as usize).copied().flatten() {
            Some(space) if space == self.space => Action::PutDown(dsa::PutDown { load_index: 0 }),
            Some(_) => Action::Leave(dsa::Leave {}),
            None if !self.moved && self.idle + 1 >= SEATS => Action::PickUp(dsa::PickUp {}),
            None => Action::Leave(dsa::Leave {}),
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
                self.moved = moved.to != moved.from;
                self.searching = moved.to > 0;
            }
            Event::PickedUp(picked) => self.carry(picked.seat, Some(picked.space)),
            Event::PutDown(put) => self.carry(put.seat, None),
            Event::LeftSpace(left) => {
                let carries = self.blank.get(left.seat as usize).copied().flatten().is_some();
                self.idle = if self.moved || carries { 0 } else { self.idle + 1 };
            }
            Event::TurnStarted(_) => self.searching = false,
            Event::RoundStarted(_) => {
                self.blank = [None; SEATS];
                self.idle = 0;
                self.searching = false;
            }
            _ => {}
        }
    }

    fn carry(&mut self, seat: u32, from: Option<u32>) {
        if let Some(blank) = self.blank.get_mut(seat as usize) {
            *blank = from;
        }
        self.idle = 0;
    }
}

#[cfg(test)]
mod tests {
    use divelog_engine::{Kind, SeatCount, Viewer};
    use divelog_ledger::{GameId, NewGame, Position, Secret, Stamp, Status, convert};
    use divelog_proto::v1::Player;

    use super::*;

    const STAMP: Stamp<'static> = Stamp { time_ms: 1_700_000_000_000, request_id: "" };

    /// Plays one game by the rules, and says how many actions it had.
    fn played(number: u8) -> usize {
        let secret = Secret([number; 32]);
        let seats = SeatCount::new(SEATS).expect("a table");
        let new = NewGame {
            game_id: GameId([number; 16]),
            rules_version: 1,
            options: Kind::DeepSeaAdventure.default_options(),
            players: vec![Player::default(); SEATS],
            labels: Default::default(),
            fork: None,
            request: None,
        };
        let mut position = Position::create(new, &secret, STAMP).expect("a legal table").position;
        let to_act = convert::seats_to_proto(position.to_act());
        let game = v1::Game { game_id: "g".to_owned(), to_act, ..Default::default() };
        let mut game = LongGame::created(v1::CreateGameResponse { game: Some(game) }).expect("somebody is to act");
        let mut actions = 0;
        while !game.is_over() {
            let request = game.request(String::new());
            let action =
                convert::action_from_proto(Kind::DeepSeaAdventure, request.action.as_ref()).expect("an action");
            let seat = convert::seat_from_proto(request.seat, seats).expect("a seat");
            let advance = position.act(seat, &action, STAMP).expect("a legal action");
            position = advance.position;
            actions += 1;
            game.follow_answer(&v1::SubmitActionResponse {
                events: convert::events_for(position.game(), &advance.events, Viewer::Seat(seat)),
                to_act: convert::seats_to_proto(position.to_act()),
                status: convert::status_to_proto(position.status()) as i32,
                ..Default::default()
            });
        }
        assert_eq!(position.status(), Status::Finished);
        actions
    }

    #[test]
    fn it_is_legal_to_the_end_and_lasts() {
        for number in 0..20 {
            let actions = played(number);
            assert!(actions > 1_800, "game {number} had {actions} actions");
        }
    }
}
