//! KL-22 and KL-23: the normal sale.

use alloc::{vec, vec::Vec};

use super::super::{Action, Card, CardId, Depth, Encounter, Event, Phase, Place, SaleWay, Ware};
use super::table::{Table, antiques, asked, cash, diamond, gold, goods, held, play, refusal};
use crate::Seat;

use Place::{Bar, Market};

fn sell(cards: impl Into<Vec<u32>>) -> Action {
    Action::Sell { cards: cards.into() }
}

fn at_market(present: usize) -> [Place; 5] {
    [0, 1, 2, 3, 4].map(|seat| if seat < present { Market } else { Bar })
}

/// Two gold, two goods, an antique and a diamond, by ascending id.
fn mixed() -> Table {
    Table::of(5).hand(0, Depth::Shallow, &[gold(1), gold(2), goods(1), goods(3), antiques(2)]).hand(
        0,
        Depth::Deep,
        &[diamond(250)],
    )
}

#[test]
fn kl_22_any_number_of_cards_of_one_kind() {
    let state = mixed().go(&at_market(1));
    let ids = held(&state, 0);
    assert_eq!(ids, [15, 16, 17, 18, 19, 79]);
    for (cards, income) in [(vec![15], 30), (vec![16], 60), (vec![15, 16], 90), (vec![18, 17], 160), (vec![19], 40)] {
        let next = play(&state, 0, sell(cards.clone())).next;
        assert_eq!(cash(&next, 0), 100 + income, "{cards:?}");
        assert_eq!(next.sold.len(), cards.len());
        assert_eq!(held(&next, 0).len(), 6 - cards.len());
    }
    for cards in [vec![15, 17], vec![17, 19], vec![15, 16, 17, 18, 19]] {
        assert_eq!(refusal(&state, 0, sell(cards)), ("KL-22", "ONE_KIND"));
    }
}

#[test]
fn kl_22_only_saleable_cards_of_the_own_hand() {
    let state = mixed().hand(1, Depth::Deep, &[gold(6)]).go(&at_market(1));
    assert_eq!(refusal(&state, 0, sell([])), ("KL-22", "NO_CARD"));
    assert_eq!(refusal(&state, 0, sell([79])), ("KL-22", "DIAMOND"));
    assert_eq!(refusal(&state, 0, sell([15, 79])), ("KL-22", "DIAMOND"));
    assert_eq!(refusal(&state, 0, sell([78])), ("KL-22", "NOT_IN_HAND"), "the card of another");
    assert_eq!(refusal(&state, 0, sell([0])), ("KL-22", "NOT_IN_HAND"), "a card in a wreck");
    for cards in [vec![15, 15], vec![80], vec![15, u32::MAX], vec![15, 15 + 256]] {
        assert_eq!(refusal(&state, 0, sell(cards)), ("MALFORMED", "MALFORMED_ACTION"));
    }
}

#[test]
fn kl_22_one_sale_in_a_visit_and_at_least_one_card() {
    let state = mixed().go(&at_market(1));
    assert_eq!(refusal(&state, 0, Action::Done), ("KL-22", "MUST_SELL"));
    let state = play(&state, 0, sell([15])).next;
    assert_eq!(refusal(&state, 0, sell([16])), ("KL-22", "ALREADY_SOLD"));
    assert_eq!(asked(&play(&state, 0, Action::Done).next), (Phase::Bar, [1].into()));
}

#[test]
fn kl_22_with_diamonds_alone_there_is_no_duty() {
    let state = Table::of(5).hand(0, Depth::Deep, &[diamond(250)]).go(&at_market(1));
    assert_eq!(asked(&state), (Phase::Market, [0].into()), "asked, because the others cannot know");
    play(&state, 0, Action::Done);
}

#[test]
fn kl_22_who_holds_nothing_is_not_asked() {
    assert_eq!(asked(&Table::of(5).go(&at_market(1))), (Phase::Bar, [1].into()));
    let state = Table::with_encounters(5).holds(0, &[Encounter::Family]).go(&at_market(1));
    assert_eq!(asked(&state), (Phase::Market, [0].into()), "any encounter card");
    play(&state, 0, Action::Done);
}

#[test]
fn kl_23_prices_by_the_number_present() {
    for (present, prices) in
        [(1, [30, 40, 20]), (2, [30, 30, 30]), (3, [30, 20, 40]), (4, [30, 20, 40]), (5, [30, 20, 40])]
    {
        let state = mixed().go(&at_market(present));
        for (ware, price) in Ware::ALL.into_iter().zip(prices) {
            assert_eq!(state.market_price(ware), price, "{present} present");
        }
    }
}

#[test]
fn kl_23_cards_sold_are_shown_and_leave_the_game() {
    let state = mixed().go(&at_market(2));
    let step = play(&state, 0, sell([18, 17]));
    let card = |id, face| Card { depth: Depth::Shallow, face: Some(face), id: Some(CardId(id)) };
    assert_eq!(
        step.events,
        [Event::CardsSold {
            seat: Seat(0),
            way: SaleWay::Market,
            cards: vec![card(17, goods(1)), card(18, goods(3))],
            ware: Some(Ware::Goods),
            unit_price: 30,
            income: 120,
        }]
    );
    assert_eq!(step.next.sold.iter().map(|card| card.0).collect::<Vec<_>>(), [17, 18]);
}
