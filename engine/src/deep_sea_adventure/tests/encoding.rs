//! Canonical bytes, pinned. If one of these fails, digests of old logs would change: that is a new rules version.

use alloc::vec;

use super::super::{Dice, Event, Face, FaceStack, RoundEnd};
use super::table::{Table, stack};
use crate::canonical::pinned::{hex, unspaced};
use crate::{Seat, SeatSet};

#[test]
fn a_small_state_has_the_pinned_bytes() {
    let mut state = Table::of(2)
        .round(2)
        .search()
        .turn(0)
        .first(1)
        .air(-1)
        .path(&[&[0], &[], &[4, 5, 15]])
        .at(0, 3)
        .load(0, &[&[8]])
        .scored(0, &[12, 1])
        .turns_taken(0, 260)
        .back(1)
        .turns_taken(1, 1)
        .ready();
    state.last_dice = Some(Dice([3, 1]));
    state.idle_turns = 2;
    let pinned = "02 02 00 01 ffffffff
        0003 0100 00 0304050f
        0002
        03 00 00 0104 0001 0108 0002 0c01
        00 01 01 0001 0000 0000
        0301 0001 01 02 00";
    assert_eq!(hex(&state), unspaced(pinned));
    state.last_dice = None;
    state.turn_is_idle = true;
    assert_eq!(hex(&state), unspaced(&pinned.replace("0301 0001 01 02 00", "0000 0001 01 02 01")));
}

#[test]
fn every_event_has_the_pinned_bytes() {
    let seat = Seat(5);
    let pile: FaceStack = stack(&[0, 7, 15]).faces();
    let hidden = Face { level: 3, value: None };
    let events = [
        (Event::PathLaid { spaces: vec![pile.clone(), FaceStack::new()] }, "01 0002 0003 0100 0207 040f 0000"),
        (Event::RoundStarted { round: 3, first_seat: seat, air: 25 }, "02 03 05 00000019"),
        (Event::TurnStarted { seat, air_used: 4, air: -3 }, "03 05 04 fffffffd"),
        (Event::TurnedBack { seat }, "04 05"),
        (Event::Moved { seat, dice: Dice([3, 2]), steps: 1, from: 31, to: 30 }, "05 05 0302 01 1f 1e"),
        (Event::CameBack { seat }, "06 05"),
        (Event::LeftSpace { seat }, "07 05"),
        (Event::PickedUp { seat, space: 32, stack: pile.clone() }, "08 05 20 0003 0100 0207 040f"),
        (Event::PutDown { seat, space: 1, load_index: 2, stack: pile.clone() }, "09 05 01 02 0003 0100 0207 040f"),
        (Event::RoundEnded { round: 1, cause: RoundEnd::AllBack }, "0a 01 01"),
        (Event::RoundEnded { round: 2, cause: RoundEnd::NoAir }, "0a 02 02"),
        (Event::RoundEnded { round: 3, cause: RoundEnd::Standstill }, "0a 03 03"),
        (Event::Scored { seat, chips: pile.to_vec(), points: 22 }, "0b 05 0003 0100 0207 040f 0016"),
        (Event::Lost { seat, chips: vec![hidden] }, "0c 05 0001 03ff"),
        (Event::PilesLaid { piles: vec![pile] }, "0d 0001 0003 0100 0207 040f"),
        (Event::PathClosed { spaces: 30 }, "0e 1e"),
        (Event::GameEnded { totals: vec![258, 0], winners: SeatSet::only(Seat(0)) }, "0f 0002 0102 0000 01"),
    ];
    for (event, pinned) in events {
        assert_eq!(hex(&event), unspaced(pinned), "{event:?}");
    }
}
