//! What a player chooses in secret, no other can tell. The contract suite deals hidden cards anew but plays the same
//! action; here the cards stay, and the action is another one that looks the same from outside.

use alloc::vec::Vec;

use super::super::{Action, Half, Island, Options, State};
use crate::contract::UnderTest;
use crate::{Chance, Game, Offer, Seat, SeatCount, SeededChance, Viewer};

/// Whether somebody who does not see the choice sees the same happen by either action.
fn looks_the_same(state: &State, one: &Action, other: &Action) -> bool {
    match (one, other) {
        (Action::Pass { .. }, Action::Pass { .. }) | (Action::GiveBack { .. }, Action::GiveBack { .. }) => true,
        (
            Action::Play { island, show, bonus },
            Action::Play { island: other_island, show: other_show, bonus: other_bonus },
        ) => {
            let open = |island: &Island| match show {
                Half::Sea => island.colour() as u8,
                Half::Coast => island.number(),
            };
            // The last play of a trick lifts the sails.
            let lifts = state.trick_in_order().count() + 1 == state.players.len();
            !lifts && show == other_show && bonus == other_bonus && open(island) == open(other_island)
        }
        // The treasure on top is turned up next.
        (Action::Reorder { order }, Action::Reorder { order: other }) => order[0] == other[0],
        _ => false,
    }
}

/// Who may see the choice: the player, and who gets the islands.
fn sees_choice(state: &State, seat: Seat, action: &Action, viewer: Viewer) -> bool {
    let taker = match (state.phase, action) {
        (super::super::Phase::GiveBack { to, .. }, _) => Some(to),
        (_, Action::Pass { .. }) => Some(Seat((seat.0 + state.seats().get() - 1) % state.seats().get())),
        _ => None,
    };
    viewer == Viewer::Seat(seat) || taker.map(Viewer::Seat) == Some(viewer)
}

#[test]
fn no_other_player_can_tell_what_was_chosen() {
    let mut compared = [0u32; 4];
    for seed in 0..40u8 {
        let seats = SeatCount::new(3 + usize::from(seed % 3)).unwrap();
        let mut chance = SeededChance::new([seed; 32]);
        let options: Options = State::random_options(seats, &mut chance);
        let mut state = State::setup(1, &options, seats, &mut chance).unwrap().next;
        while let Some(seat) = state.to_act().iter().next() {
            let offers = state.legal_actions(seat);
            let all: Vec<Action> =
                offers.iter().flat_map(|offer| (0..offer.count()).map(|number| offer.nth(number))).collect();
            let pick = |chance: &mut SeededChance| all[chance.below(all.len() as u32) as usize].clone();
            let (one, other) = (pick(&mut chance), pick(&mut chance));
            let step = state.apply(seat, &one, &mut SeededChance::new([7; 32])).unwrap();
            // After the last action all is open.
            if one != other && looks_the_same(&state, &one, &other) && step.next.outcome().is_none() {
                let step_other = state.apply(seat, &other, &mut SeededChance::new([7; 32])).unwrap();
                let viewers = seats.seats().map(Viewer::Seat).chain([Viewer::Spectator]);
                for viewer in viewers.filter(|viewer| !sees_choice(&state, seat, &one, *viewer)) {
                    let redacted = |events: &[_]| -> Vec<_> {
                        events.iter().filter_map(|event| State::redact(event, viewer)).collect()
                    };
                    assert_eq!(redacted(&step.events), redacted(&step_other.events), "{one:?} or {other:?}");
                    assert_eq!(step.next.view(viewer), step_other.next.view(viewer), "{one:?} or {other:?}");
                }
                let kind = match one {
                    Action::Pass { .. } => 0,
                    Action::Play { .. } => 1,
                    Action::GiveBack { .. } => 2,
                    _ => 3,
                };
                compared[kind] += 1;
            }
            state = step.next;
        }
    }
    assert!(compared.iter().all(|count| *count > 5), "passes, plays, islands given back, orders: {compared:?}");
}
