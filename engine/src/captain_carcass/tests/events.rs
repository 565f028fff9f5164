//! Events alone describe the whole game: a table that only listens to them ends up in the same state.

use arrayvec::ArrayVec;

use super::super::state::Player;
use super::super::{Card, Diver, Event, ExploredCard, OpenNet, Options, Phase, State, Suit};
use crate::contract::UnderTest;
use crate::{Chance, Game, Seat, SeatCount, SeededChance, Viewer};

/// A table on which nothing lies yet.
fn bare(options: &Options, seats: SeatCount) -> State {
    State {
        rules: State::NEWEST_RULES,
        variant: options.variant,
        phase: Phase::Over,
        turn: Seat(0),
        first_seat: Seat(0),
        players: seats.seats().map(|_| Player::default()).collect(),
        exploration: ArrayVec::new(),
        turned_up: false,
        squid_demand: 0,
        open_nets: ArrayVec::new(),
        draw_pile: ArrayVec::new(),
        graveyard: ArrayVec::new(),
        drone_count: 0,
        map_count: 0,
        plunder_count: 0,
    }
}

fn forget_turn(table: &mut State) {
    *table = State { turned_up: false, squid_demand: 0, drone_count: 0, plunder_count: 0, ..table.clone() };
    table.open_nets.clear();
}

fn give(table: &mut State, seat: Option<Seat>, cards: &[Card]) {
    for card in cards {
        match seat {
            Some(seat) => table.players[seat.index()].hold.insert(*card),
            None => table.graveyard.insert(0, *card),
        }
    }
}

fn take(table: &mut State, seat: Seat, cards: &[Card]) {
    for card in cards {
        assert!(table.players[seat.index()].hold.iter().any(|held| held == *card), "{seat} has no {card}");
        table.players[seat.index()].hold.remove(*card);
    }
}

/// Does to the table what the event says.
fn listen(table: &mut State, event: &Event) {
    match event {
        Event::DiversGiven { divers, .. } => {
            table.players.iter_mut().zip(divers).for_each(|(player, diver)| player.diver = Some(*diver));
        }
        Event::PilesLaid { draw_pile, graveyard, .. } => {
            table.draw_pile = draw_pile.iter().copied().collect();
            table.graveyard = graveyard.iter().copied().collect();
        }
        Event::FirstSeatDrawn { seat } => (table.turn, table.first_seat) = (*seat, *seat),
        Event::VictimNamed { seat, victim } => table.players[seat.index()].victim = Some(*victim),
        Event::TurnStarted { seat } => {
            forget_turn(table);
            table.turn = *seat;
        }
        Event::Drew { card, draw_pile_size, .. } => {
            assert_eq!(table.draw_pile.remove(0), *card);
            assert_eq!(table.draw_pile.len(), usize::from(*draw_pile_size));
            (table.turned_up, table.drone_count) = (true, 0);
        }
        Event::DemandVoided { squid_demand, .. } => {
            assert_eq!(core::mem::take(&mut table.squid_demand), *squid_demand);
        }
        Event::WentStraightToHold { seat, card } => give(table, Some(*seat), &[*card]),
        Event::Entered { seat, card, source, squid_demand } => {
            table.exploration.push(ExploredCard { card: *card, source: *source });
            table.squid_demand = *squid_demand;
            if card.suit() == Suit::Net {
                let catches = if table.has_diver(*seat, Diver::CaptainsHook) { 2 } else { 1 };
                table.open_nets.push(OpenNet { card: *card, catches });
            }
        }
        Event::SquidAsked { squid_demand, .. } => table.squid_demand = *squid_demand,
        Event::EffectSkipped { suit: Suit::Net, .. } => drop(table.open_nets.pop()),
        Event::EffectSkipped { suit: Suit::Chest, .. } => table.plunder_count = 0,
        Event::EffectSkipped { .. } => {}
        Event::GraveyardShuffled { order, .. } => table.graveyard = order.iter().copied().collect(),
        Event::MapShowed { count, .. } => table.map_count = *count,
        Event::PlacedFromMap { card, .. } => {
            table.map_count = 0;
            table.graveyard.retain(|other| other != card);
        }
        Event::DroneShowed { count, .. } => table.drone_count = *count,
        Event::Knifed { victim, cards, to_hold_of, .. } => {
            take(table, *victim, cards);
            give(table, *to_hold_of, cards);
        }
        Event::Misfired { seat, card, .. } => {
            take(table, *seat, &[*card]);
            give(table, None, &[*card]);
        }
        Event::Netted { seat, card, second } => {
            take(table, *seat, &[*card]);
            let net = table.open_nets.last_mut().expect("a net is open");
            assert_eq!(*second, net.catches == 1 && table.players[seat.index()].diver == Some(Diver::CaptainsHook));
            net.catches -= 1;
            table.open_nets.retain(|net| net.catches > 0);
        }
        Event::Harpooned { victim, card, .. } => take(table, *victim, &[*card]),
        Event::HarpoonParried { card, .. } => {
            assert_eq!(table.exploration.pop().map(|explored| explored.card), Some(*card));
            give(table, None, &[*card]);
        }
        Event::IncidentCaused { .. } => {}
        Event::Saved { seat, cards } => give(table, Some(*seat), cards),
        Event::Lost { cards, to_hold_of, .. } => {
            table.exploration.clear();
            give(table, *to_hold_of, cards);
        }
        Event::Surfaced { seat, cards } => {
            assert!(table.exploration.drain(..).map(|explored| explored.card).eq(cards.iter().copied()));
            give(table, Some(*seat), cards);
        }
        Event::BonusEarned { seat, count } => {
            table.plunder_count = if table.has_diver(*seat, Diver::Plunderer) { *count } else { 0 };
        }
        Event::BonusTaken { seat, cards } => {
            assert!(table.graveyard.drain(..cards.len()).eq(cards.iter().copied()));
            give(table, Some(*seat), cards);
        }
        Event::Plundered { seat, victim, cards } => {
            take(table, *victim, cards);
            give(table, Some(*seat), cards);
        }
        Event::GameEnded { points, winners, .. } => {
            forget_turn(table);
            let seats = table.seat_count().seats();
            assert!(seats.map(|seat| table.points(seat)).eq(points.iter().copied()));
            assert_eq!(table.final_outcome().winners, *winners);
        }
    }
}

#[test]
fn events_tell_the_whole_game() {
    for game in 0..200u8 {
        let mut key = [0; 32];
        key[0] = game;
        let mut chance = SeededChance::new(key);
        let seats = SeatCount::new(2 + usize::from(game) % 3).unwrap();
        let options = State::random_options(State::NEWEST_RULES, seats, &mut chance);
        let mut step = State::setup(State::NEWEST_RULES, &options, seats, &mut chance).unwrap();
        let mut table = bare(&options, seats);
        loop {
            step.events.iter().for_each(|event| listen(&mut table, event));
            // Which decision is asked is no event: the rules say it.
            table.phase = step.next.phase;
            assert_eq!(table, step.next, "after {:?}", step.events);
            assert_eq!(table.view(Viewer::Auditor), step.next.view(Viewer::Auditor));
            if step.next.outcome().is_some() {
                break;
            }
            let choices = step.next.choices();
            let action = choices[chance.below(choices.len() as u32) as usize];
            let seat = step.next.seat_to_act().unwrap();
            step = step.next.apply(seat, &action, &mut chance).unwrap();
        }
    }
}
