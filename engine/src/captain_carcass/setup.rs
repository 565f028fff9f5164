//! CC-0 to CC-5: options are judged, divers given out, piles laid.

use alloc::{format, vec::Vec};

use arrayvec::ArrayVec;

use super::cards::{Card, Pile};
use super::play::Play;
use super::state::Player;
use super::{Diver, Divers, Event, Options, Phase, Rules, SEATS, State, Variant};
use crate::{Chance, Kind, Seat, SeatCount, Step, Violation, shuffle};

/// Sets a game up. Everything is judged before anything is drawn.
pub(super) fn set_up(
    rules: Rules,
    options: &Options,
    seats: SeatCount,
    chance: &mut dyn Chance,
) -> Result<Step<State>, Violation> {
    if !SEATS.contains(&seats.get()) {
        return Err(Kind::CaptainCarcass.refuse_seats(seats.get().into()));
    }
    check(options, seats)?;
    let mut events = Vec::new();
    let divers = give_divers(options, seats, chance, &mut events);
    let (draw_pile, graveyard) = lay_piles(chance, &mut events);
    let first_seat = Seat(chance.below(seats.get().into()) as u8); // CC-3
    events.push(Event::FirstSeatDrawn { seat: first_seat });
    let state = State {
        rules,
        variant: options.variant,
        phase: Phase::NameVictim,
        turn: first_seat,
        first_seat,
        players: divers.into_iter().map(|diver| Player { diver, ..Player::default() }).collect(),
        exploration: ArrayVec::new(),
        turned_up: false,
        squid_demand: 0,
        open_nets: ArrayVec::new(),
        draw_pile,
        graveyard,
        drone_count: 0,
        map_count: 0,
        plunder_count: 0,
    };
    let mut play = Play { state, events, chance };
    if play.state.seat_to_act().is_none() {
        // CC-D17: without a saboteuse nobody is asked for a victim.
        play.start_turn(first_seat);
    }
    Ok(play.finished())
}

/// CC-4, CC-V1: whether chosen divers fit the table, each other and the variant.
fn check(options: &Options, seats: SeatCount) -> Result<(), Violation> {
    let Divers::Chosen(divers) = &options.divers else { return Ok(()) };
    if divers.len() != usize::from(seats.get()) {
        let sentence = format!("{} divers are chosen for {} seats: every seat has one", divers.len(), seats.get());
        return Err(Violation::new("CC-4", "DIVER_COUNT", sentence));
    }
    for (seat, diver) in divers.iter().enumerate() {
        let same = |earlier: &Diver| earlier.character() == diver.character();
        if let Some(earlier) = divers[..seat].iter().position(same) {
            let sentence = format!(
                "seat {earlier} has {} and seat {seat} has {diver}, both of the character {}: two of one character never \
                 meet",
                divers[earlier],
                diver.character()
            );
            return Err(Violation::new("CC-4", "SAME_CHARACTER", sentence));
        }
        if !is_allowed(*diver, options.variant) {
            let sentence =
                format!("seat {seat} has {diver}, who is left out under thieves_island: choose another diver");
            return Err(Violation::new("CC-V1", "DIVER_LEFT_OUT", sentence));
        }
    }
    Ok(())
}

/// CC-V1: under thieves_island nothing would be left for the saboteuse.
fn is_allowed(diver: Diver, variant: Option<Variant>) -> bool {
    diver != Diver::Saboteuse || variant != Some(Variant::ThievesIsland)
}

/// CC-4: everybody's diver, seat by seat.
fn give_divers(
    options: &Options,
    seats: SeatCount,
    chance: &mut dyn Chance,
    events: &mut Vec<Event>,
) -> Vec<Option<Diver>> {
    let divers = match &options.divers {
        Divers::None => return seats.seats().map(|_| None).collect(),
        Divers::Chosen(divers) => divers.clone(),
        Divers::Dealt => deal_divers(options.variant, seats, chance),
    };
    events.push(Event::DiversGiven { divers: divers.clone(), dealt: options.divers == Divers::Dealt });
    divers.into_iter().map(Some).collect()
}

/// CC-4: each seat's is drawn among the cards whose character no earlier seat has.
fn deal_divers(variant: Option<Variant>, seats: SeatCount, chance: &mut dyn Chance) -> Vec<Diver> {
    let mut left: Vec<Diver> = Diver::ALL.iter().copied().filter(|diver| is_allowed(*diver, variant)).collect();
    let deal = |_| {
        let dealt = left[chance.below(left.len() as u32) as usize];
        left.retain(|diver| diver.character() != dealt.character());
        dealt
    };
    seats.seats().map(deal).collect()
}

/// CC-2: the lowest card of each suit makes the graveyard, the rest is shuffled into the draw pile.
fn lay_piles(chance: &mut dyn Chance, events: &mut Vec<Event>) -> (Pile, Pile) {
    let (graveyard, mut draw_pile): (Pile, Pile) = Card::all().partition(|card| card.is_lowest());
    shuffle(&mut draw_pile, chance);
    events.push(Event::PilesLaid {
        draw_pile_size: draw_pile.len() as u8,
        graveyard_size: graveyard.len() as u8,
        draw_pile: draw_pile.to_vec(),
        graveyard: graveyard.to_vec(),
    });
    (draw_pile, graveyard)
}
