//! KL-E14 to KL-E19 and KL-R11 in the shop.

use super::super::{Action, BarPrices, Encounter, Event, Item, Options, Place, Rules, ShopPrices, Tables};
use super::table::{Table, cash, hoses, is_offered, plain, play, play_all, refusal};
use crate::Seat;

use Encounter::{Discounter, GoodFriend, HoseSeller, ShopTourist, TridentSeller, WeightSeller};
use Item::{Hose, Trident, Weight};
use Place::{Bar, Shop};

const PLACES: [Place; 3] = [Shop, Shop, Bar];

fn shop(encounter: Encounter) -> Table {
    Table::with_encounters(3).cash(0, 500).divers(0, &[hoses(0); 3]).holds(0, &[encounter])
}

fn buy(item: Item, diver: u32) -> Action {
    Action::Buy { item, diver }
}

#[test]
fn kl_e14_a_tourist_of_the_shop_has_no_effect() {
    let state = shop(ShopTourist).go(&PLACES);
    let state = play_all(&state, 0, [plain(ShopTourist), buy(Hose, 0), buy(Hose, 1)]);
    assert_eq!(refusal(&state, 0, buy(Hose, 2)), ("KL-20", "TWO_ITEMS"));
    assert_eq!(cash(&state, 0), 440);
}

/// Two other items and then the seller's, played at any moment.
fn one_more(encounter: Encounter, item: Item, rule: &'static str) {
    let other = if item == Hose { Trident } else { Hose };
    for moment in 0..3 {
        let mut actions = alloc::vec![buy(other, 0), buy(other, 1)];
        actions.insert(moment, plain(encounter));
        let state = play_all(&shop(encounter).go(&PLACES), 0, actions);
        assert_eq!(refusal(&state, 0, buy(other, 2)), (rule, "OTHER_ITEM"));
        let before = cash(&state, 0);
        let step = play(&state, 0, buy(item, 2));
        let price = if item == Trident { 40 } else { 30 };
        assert_eq!(before - cash(&step.next, 0), price, "at the normal price");
        assert_eq!(refusal(&step.next, 0, buy(item, 0)), ("KL-20", "TWO_ITEMS"));
    }
    // Only with the card.
    let state = play_all(&shop(encounter).go(&PLACES), 0, [buy(other, 0), buy(other, 1)]);
    assert_eq!(refusal(&state, 0, buy(item, 2)), ("KL-20", "TWO_ITEMS"));
    // Three of the seller's own item.
    let state = play_all(&shop(encounter).go(&PLACES), 0, [buy(item, 0), plain(encounter), buy(item, 1), buy(item, 2)]);
    assert_eq!(refusal(&state, 0, buy(other, 0)), ("KL-20", "TWO_ITEMS"));
}

#[test]
fn kl_r19_the_sellers_item_need_not_be_the_last_nor_bought_after_the_card() {
    let (seller, first, others) = (plain(HoseSeller), buy(Hose, 0), [buy(Trident, 1), buy(Weight, 2)]);
    for moment in 0..4 {
        let mut actions = alloc::vec![first.clone(), others[0].clone(), others[1].clone()];
        actions.insert(moment, seller.clone());
        if moment == 3 {
            // Without the card there is no third purchase.
            let state = play_all(&shop(HoseSeller).go(&PLACES), 0, actions[..2].to_vec());
            assert_eq!(refusal(&state, 0, actions[2].clone()), ("KL-20", "TWO_ITEMS"));
            continue;
        }
        let state = play_all(&shop(HoseSeller).go(&PLACES), 0, actions);
        assert_eq!(state.visit.bought, [1, 1, 1]);
        assert_eq!(refusal(&state, 0, buy(Hose, 1)), ("KL-20", "TWO_ITEMS"));
    }
}

#[test]
fn kl_e15_one_hose_more() {
    one_more(HoseSeller, Hose, "KL-E15");
}

#[test]
fn kl_e16_one_trident_more() {
    one_more(TridentSeller, Trident, "KL-E16");
}

#[test]
fn kl_e17_one_weight_more() {
    one_more(WeightSeller, Weight, "KL-E17");
}

#[test]
fn kl_e18_a_third_of_the_same_item_for_20_less() {
    for (item, full) in [(Hose, 30), (Trident, 40), (Weight, 30)] {
        let state = play_all(&shop(Discounter).go(&PLACES), 0, [buy(item, 0), buy(item, 1), plain(Discounter)]);
        let step = play(&state, 0, buy(item, 2));
        assert_eq!(step.events, [Event::Bought { seat: Seat(0), item, diver: 2, price: full - 20 }]);
        let other = if item == Hose { Trident } else { Hose };
        assert_eq!(refusal(&state, 0, buy(other, 2)), ("KL-E18", "OTHER_ITEM"));
        assert_eq!(refusal(&step.next, 0, buy(other, 2)), ("KL-20", "TWO_ITEMS"), "one only");
        play(&state, 0, Action::Done);
    }
}

#[test]
fn kl_e18_only_after_two_purchases_of_the_same_item() {
    let state = shop(Discounter).go(&PLACES);
    assert_eq!(refusal(&state, 0, plain(Discounter)), ("KL-E18", "NOT_TWO_ALIKE"));
    let one = play(&state, 0, buy(Hose, 0)).next;
    assert_eq!(refusal(&one, 0, plain(Discounter)), ("KL-E18", "NOT_TWO_ALIKE"));
    let mixed = play(&one, 0, buy(Trident, 0)).next;
    assert_eq!(refusal(&mixed, 0, plain(Discounter)), ("KL-E18", "NOT_TWO_ALIKE"));
}

#[test]
fn kl_e18_a_price_never_falls_below_0() {
    let shop_prices = ShopPrices { hose: [15].into(), trident: [0].into(), weight: [20].into() };
    let bar = BarPrices { diver: [1].into(), pickpocket: [1].into() };
    let options = Options { encounters: true, bar: Some(bar), shop: Some(shop_prices), ..Options::default() };
    let tables = Tables::of(Rules::V2, &options).unwrap();
    for item in Item::ALL {
        let state = shop(Discounter).with(|state| state.tables = tables.clone().into()).go(&PLACES);
        let state = play_all(&state, 0, [buy(item, 0), buy(item, 1), plain(Discounter)]);
        let step = play(&state, 0, buy(item, 2));
        assert_eq!(step.events, [Event::Bought { seat: Seat(0), item, diver: 2, price: 0 }]);
    }
}

#[test]
fn kl_e19_a_good_friend_gives_the_price_for_one_present() {
    let state = play(&shop(GoodFriend).go(&[Shop, Shop, Shop]), 0, plain(GoodFriend)).next;
    let state = play_all(&state, 0, [buy(Hose, 0), buy(Trident, 0)]);
    assert_eq!(cash(&state, 0), 450);
    assert_eq!(refusal(&state, 0, buy(Weight, 0)), ("KL-20", "TWO_ITEMS"));
}

/// What a hose costs with a good friend where this many are present and the row has these prices.
fn paid_with_a_friend(rules: Rules, present: usize, hose: &[u32]) -> u32 {
    let prices = ShopPrices { hose: hose.into(), trident: [30].into(), weight: [20].into() };
    let options = Options { encounters: true, shop: Some(prices), ..Options::default() };
    let tables = Tables::of(rules, &options).unwrap();
    let table = Table::with_encounters_by(rules, 3).cash(0, 500).holds(0, &[GoodFriend]);
    let places = [0, 1, 2].map(|seat| if seat < present { Shop } else { Place::Bar });
    let state = table.with(|state| state.tables = tables.into()).go(&places);
    500 - cash(&play_all(&state, 0, [plain(GoodFriend), buy(Hose, 0)]), 0)
}

#[test]
fn kl_e19_a_good_friend_gives_the_price_for_one_also_where_it_is_higher_version_1() {
    assert_eq!(paid_with_a_friend(Rules::V1, 3, &[20, 30, 40]), 20);
    assert_eq!(paid_with_a_friend(Rules::V1, 3, &[50, 30, 10]), 50);
    assert_eq!(paid_with_a_friend(Rules::V1, 2, &[50, 30, 10]), 50);
}

#[test]
fn kl_e19_a_good_friend_gives_the_lower_of_the_prices_for_one_and_for_all_present_version_2() {
    // How many are present, the row, and what is paid.
    for (present, row, paid) in [
        (3, &[20, 30, 40][..], 20),
        (3, &[50, 30, 10], 10),
        (2, &[50, 30, 10], 30),
        (1, &[50, 30, 10], 50),
        (2, &[0, 7], 0),
    ] {
        assert_eq!(paid_with_a_friend(Rules::V2, present, row), paid, "{present} present, {row:?}");
    }
}

#[test]
fn kl_r11_a_good_friend_comes_before_the_first_purchase() {
    let state = play(&shop(GoodFriend).go(&PLACES), 0, buy(Hose, 0)).next;
    assert_eq!(refusal(&state, 0, plain(GoodFriend)), ("KL-R11", "TOO_LATE"));
}

#[test]
fn kl_26_shop_cards_may_be_played_without_benefit() {
    for encounter in [ShopTourist, HoseSeller, TridentSeller, WeightSeller, GoodFriend] {
        let state = shop(encounter).cash(0, 0).divers(0, &[]).go(&PLACES);
        assert!(is_offered(&state, 0, &plain(encounter)), "{encounter:?}");
    }
}
