//! KL-20 and KL-21: equipment.

use super::super::{Action, Event, Item, Phase, Place};
use super::table::{Table, asked, cash, hoses, is_offered, play, play_all, refusal, trident, weight};
use crate::Seat;

use Item::{Hose, Trident, Weight};
use Place::{Bar, Shop};

fn buy(item: Item, diver: u32) -> Action {
    Action::Buy { item, diver }
}

fn in_shop(present: usize) -> [Place; 3] {
    [0, 1, 2].map(|seat| if seat < present { Shop } else { Bar })
}

#[test]
fn kl_20_prices_by_the_number_present() {
    for (present, prices) in [(1, [20, 30, 20]), (2, [30, 40, 30]), (3, [40, 60, 40])] {
        for (item, price) in Item::ALL.into_iter().zip(prices) {
            let state = Table::of(3).go(&in_shop(present));
            let step = play(&state, 0, buy(item, 0));
            assert_eq!(step.events, [Event::Bought { seat: Seat(0), item, diver: 0, price }]);
            assert_eq!(cash(&step.next, 0), 100 - price);
            let mut reserve = [20, 10, 10];
            reserve[item.index()] -= 1;
            assert_eq!(step.next.reserve.items, reserve);
        }
    }
}

#[test]
fn kl_20_up_to_two_items_each_given_at_once_to_a_diver() {
    let state = Table::of(3).divers(0, &[hoses(0), hoses(1)]).go(&in_shop(1));
    let state = play_all(&state, 0, [buy(Trident, 1), buy(Hose, 0)]);
    assert_eq!(state.players[0].divers[..], [hoses(1), trident(hoses(1))]);
    for item in Item::ALL {
        assert_eq!(refusal(&state, 0, buy(item, 0)), ("KL-20", "TWO_ITEMS"));
    }
    assert_eq!(asked(&play(&state, 0, Action::Done).next), (Phase::Bar, [1].into()));
    // None, one, and two of a kind are possible too.
    let state = Table::of(3).go(&in_shop(1));
    play(&state, 0, Action::Done);
    play_all(&state, 0, [buy(Hose, 0), buy(Hose, 0), Action::Done]);
}

#[test]
fn kl_20_what_the_reserve_lacks_cannot_be_bought() {
    for item in Item::ALL {
        let state = Table::of(3).with(|state| state.reserve.items[item.index()] = 0).go(&in_shop(1));
        assert_eq!(refusal(&state, 0, buy(item, 0)), ("KL-20", "SOLD_OUT"));
        let others = Item::ALL.into_iter().filter(|other| *other != item);
        others.for_each(|other| assert!(is_offered(&state, 0, &buy(other, 0))));
    }
}

#[test]
fn kl_20_an_item_needs_a_diver_and_money() {
    let state = Table::of(3).divers(0, &[]).go(&in_shop(1));
    assert_eq!(asked(&state), (Phase::Shop, [0].into()), "asked all the same");
    assert_eq!(refusal(&state, 0, buy(Hose, 0)), ("KL-R16", "NO_SUCH_DIVER"));
    assert_eq!(refusal(&state, 0, buy(Hose, 3)), ("MALFORMED", "MALFORMED_ACTION"));
    let state = Table::of(3).cash(0, 29).go(&in_shop(1));
    assert_eq!(refusal(&state, 0, buy(Trident, 0)), ("KL-1", "NOT_ENOUGH_MONEY"));
    play(&state, 0, buy(Hose, 0));
}

#[test]
fn kl_21_a_diver_carries_at_most_two_hoses_one_trident_and_one_weight() {
    let state = Table::of(3).divers(0, &[weight(trident(hoses(2))), hoses(1)]).go(&in_shop(1));
    for item in Item::ALL {
        assert_eq!(refusal(&state, 0, buy(item, 0)), ("KL-21", "NO_ROOM"));
        play(&state, 0, buy(item, 1));
    }
    let state = play(&state, 0, buy(Hose, 1)).next;
    assert_eq!(refusal(&state, 0, buy(Hose, 1)), ("KL-21", "NO_ROOM"));
    let state = play(&state, 0, buy(Weight, 1)).next;
    assert_eq!(state.players[0].divers[1], weight(hoses(2)));
}
