//! The two lists that a state is made of, where the rules alone would not reach: their ends, and what is left behind them.

use alloc::{format, vec::Vec};

use super::super::by_seat::BySeat;
use super::super::list::List;
use super::super::pieces::CHIPS;
use crate::{Chance, MAX_SEATS, Seat, SeededChance};

#[test]
fn a_list_keeps_its_order_up_to_its_last_place() {
    let mut list: List<u8, 4> = List::default();
    assert_eq!(list[..], []);
    for item in 1..=4 {
        list.push(item);
        assert_eq!(list[..], [1, 2, 3, 4][..usize::from(item)]);
    }
    list[0] = 9;
    assert_eq!((&list).into_iter().collect::<Vec<_>>(), [&9, &2, &3, &4]);
    assert_eq!(format!("{list:?}"), "[9, 2, 3, 4]");
}

#[test]
#[should_panic(expected = "out of bounds")]
fn a_list_refuses_one_too_many() {
    let _: List<u8, 4> = (0..5).collect();
}

#[test]
fn lists_are_equal_by_what_is_in_them() {
    let list: List<u8, 4> = [1, 2].into_iter().collect();
    assert_eq!(list, [1, 2].into_iter().collect());
    for other in [&[1][..], &[1, 3], &[1, 2, 0], &[]] {
        assert_ne!(list, other.iter().copied().collect());
    }
}

/// The same as `BySeat`, said plainly.
type Plain = [Vec<u8>; MAX_SEATS as usize];

fn assert_same(lists: &BySeat<u8>, plain: &Plain) {
    for (seat, plain) in plain.iter().enumerate() {
        assert_eq!(lists.of(Seat(seat as u8)), plain);
    }
    assert_eq!(format!("{lists:?}"), format!("{plain:?}"));
    // Made in another way, with nothing left over behind its end.
    let mut fresh = BySeat::default();
    for (seat, plain) in plain.iter().enumerate() {
        plain.iter().for_each(|item| fresh.push(Seat(seat as u8), *item));
    }
    assert_eq!(*lists, fresh);
}

#[test]
fn seats_do_not_disturb_each_other() {
    let mut chance = SeededChance::new([1; 32]);
    let (mut lists, mut plain) = (BySeat::default(), Plain::default());
    let mut was_full = false;
    for number in 0..20_000 {
        let seat = Seat(chance.below(MAX_SEATS.into()) as u8);
        let own = &mut plain[seat.index()];
        match chance.below(30) {
            0 => {
                lists.clear(seat);
                own.clear();
            }
            1..=9 if !own.is_empty() => {
                let index = chance.below(own.len() as u32) as usize;
                assert_eq!(lists.remove(seat, index), own.remove(index));
            }
            _ if plain.iter().flatten().count() < CHIPS => {
                lists.push(seat, number as u8);
                plain[seat.index()].push(number as u8);
            }
            _ => was_full = true,
        }
        assert_same(&lists, &plain);
    }
    assert!(was_full);
}

#[test]
fn any_seat_alone_has_room_for_all_chips() {
    for seat in (0..MAX_SEATS).map(Seat) {
        let mut lists = BySeat::default();
        (0..CHIPS).for_each(|number| lists.push(seat, number));
        assert_eq!(lists.of(seat), (0..CHIPS).collect::<Vec<_>>());
    }
}

fn full() -> BySeat<u8> {
    let mut lists = BySeat::default();
    (0..CHIPS).for_each(|_| lists.push(Seat(2), 1));
    lists
}

#[test]
#[should_panic(expected = "out of bounds")]
fn seats_together_are_refused_one_too_many_before_the_others() {
    full().push(Seat(0), 1);
}

#[test]
#[should_panic(expected = "out of bounds")]
fn seats_together_are_refused_one_too_many_behind_the_others() {
    full().push(Seat(5), 1);
}

#[test]
#[should_panic(expected = "out of bounds")]
fn what_the_next_seat_has_cannot_be_removed() {
    full().remove(Seat(1), 0);
}

#[test]
fn lists_by_seat_are_equal_only_if_every_seat_has_the_same() {
    let one_item = |seat: u8, item: u8| {
        let mut lists = BySeat::default();
        lists.push(Seat(seat), item);
        lists
    };
    assert_eq!(one_item(1, 7), one_item(1, 7));
    assert_ne!(one_item(1, 7), one_item(2, 7), "another seat's");
    assert_ne!(one_item(1, 7), one_item(1, 8));
    assert_ne!(one_item(1, 0), BySeat::default());
}
