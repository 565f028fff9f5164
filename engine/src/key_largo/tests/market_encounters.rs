//! KL-E20 to KL-E24, KL-R10 and KL-R11 at the market.

use alloc::{vec, vec::Vec};

use super::super::{Action, Card, CardId, Depth, Encounter, Event, Offer, Place, Play, SaleWay, Ware};
use super::table::{Table, antiques, cash, diamond, gold, goods, held, is_offered, plain, play, play_all, refusal};
use crate::{Game, Seat};

use Encounter::{Dupe, GoldDigger, Jeweller, MarketTourist, Trafficker};
use Place::{Bar, Market};

const ALONE: [Place; 3] = [Market, Bar, Bar];

fn sell(cards: impl Into<Vec<u32>>) -> Action {
    Action::Sell { cards: cards.into() }
}

fn dupe(treasure: u32, ware: Ware) -> Action {
    Action::PlayEncounter(Play::Dupe { treasure, ware })
}

fn traffic(treasures: impl Into<Vec<u32>>) -> Action {
    Action::PlayEncounter(Play::Trafficker { treasures: treasures.into() })
}

fn jeweller(diamond: u32) -> Action {
    Action::PlayEncounter(Play::Jeweller { diamond })
}

/// Cards 15 to 19 are gold 1, gold 2, goods 1, goods 3, antiques 2; 79 is a diamond of 250.
fn market(encounter: Encounter) -> Table {
    Table::with_encounters(3)
        .holds(0, &[encounter])
        .hand(0, Depth::Shallow, &[gold(1), gold(2), goods(1), goods(3), antiques(2)])
        .hand(0, Depth::Deep, &[diamond(250)])
}

#[test]
fn kl_e20_a_tourist_of_the_market_has_no_effect() {
    let state = play(&market(MarketTourist).go(&ALONE), 0, plain(MarketTourist)).next;
    assert_eq!(refusal(&state, 0, Action::Done), ("KL-22", "MUST_SELL"), "no sale either");
    assert_eq!(cash(&play(&state, 0, sell([17])).next, 0), 140);
    play(&play(&market(MarketTourist).go(&ALONE), 0, sell([15])).next, 0, plain(MarketTourist));
}

#[test]
fn kl_e21_a_dupe_lets_a_card_count_as_another_kind() {
    let state = market(Dupe).go(&ALONE);
    let step = play(&state, 0, dupe(19, Ware::Goods));
    let card = Card { depth: Depth::Shallow, face: Some(antiques(2)), id: Some(CardId(19)) };
    assert!(
        matches!(&step.events[..], [Event::EncounterPlayed { dupe: Some(dupe), ware: Some(Ware::Goods), .. }] if *dupe == card)
    );
    let state = step.next;
    for (cards, income) in [(vec![19], 80), (vec![19, 17], 120), (vec![17, 18, 19], 240)] {
        let step = play(&state, 0, sell(cards));
        assert_eq!(cash(&step.next, 0), 100 + income, "at the price of goods");
        assert!(matches!(step.events[0], Event::CardsSold { ware: Some(Ware::Goods), unit_price: 40, .. }));
    }
}

#[test]
fn kl_e21_the_sale_must_include_the_card() {
    let state = play(&market(Dupe).go(&ALONE), 0, dupe(19, Ware::Goods)).next;
    assert_eq!(refusal(&state, 0, sell([17, 18])), ("KL-E21", "WITHOUT_THE_DUPE"));
    assert_eq!(refusal(&state, 0, sell([15])), ("KL-E21", "WITHOUT_THE_DUPE"));
    assert_eq!(refusal(&state, 0, sell([15, 19])), ("KL-22", "ONE_KIND"));
    assert_eq!(refusal(&state, 0, Action::Done), ("KL-22", "MUST_SELL"));
}

#[test]
fn kl_e21_a_saleable_card_another_kind_and_before_the_sale() {
    let state = market(Dupe).go(&ALONE);
    assert_eq!(refusal(&state, 0, dupe(19, Ware::Antiques)), ("KL-E21", "SAME_KIND"));
    assert_eq!(refusal(&state, 0, dupe(79, Ware::Gold)), ("KL-E21", "DIAMOND"));
    assert_eq!(refusal(&state, 0, dupe(0, Ware::Gold)), ("KL-E21", "NOT_IN_HAND"));
    assert_eq!(refusal(&state, 0, dupe(80, Ware::Gold)), ("MALFORMED", "MALFORMED_ACTION"));
    assert_eq!(refusal(&state, 0, plain(Dupe)), ("MALFORMED", "MALFORMED_ACTION"));
    let late = play(&state, 0, sell([15])).next;
    assert_eq!(refusal(&late, 0, dupe(19, Ware::Goods)), ("KL-E21", "TOO_LATE"));
}

#[test]
fn kl_e22_a_trafficker_takes_one_to_five_cards_at_30_per_unit() {
    let table = || market(Trafficker).hand(0, Depth::Medium, &[gold(4), goods(5)]);
    // 48 and 49 are gold 4 and goods 5.
    let state = table().go(&ALONE);
    for (cards, units) in [(vec![15], 1), (vec![19, 15, 17], 4), (vec![48, 49, 16, 17, 18], 15)] {
        let step = play(&state, 0, traffic(cards.clone()));
        let Event::CardsSold { way: SaleWay::Trafficker, ware: None, unit_price: 30, income, .. } = step.events[1]
        else {
            panic!("{:?}", step.events)
        };
        assert_eq!(income, units * 30);
        assert_eq!(cash(&step.next, 0), 100 + income);
        assert_eq!(held(&step.next, 0).len(), 8 - cards.len());
        assert!(!step.next.visit.sold, "beside the normal sale");
    }
    assert_eq!(refusal(&state, 0, traffic([])), ("KL-E22", "ONE_TO_FIVE"));
    assert_eq!(refusal(&state, 0, traffic([15, 16, 17, 18, 19, 48])), ("KL-E22", "ONE_TO_FIVE"));
    assert_eq!(refusal(&state, 0, traffic([79])), ("KL-E22", "DIAMOND"));
    assert_eq!(refusal(&state, 0, traffic([15, 0])), ("KL-E22", "NOT_IN_HAND"));
    assert_eq!(refusal(&state, 0, traffic([15, 15])), ("MALFORMED", "MALFORMED_ACTION"));
}

#[test]
fn kl_e22_before_the_normal_sale_it_must_leave_a_saleable_card() {
    let state = market(Trafficker).go(&ALONE);
    assert_eq!(refusal(&state, 0, traffic([15, 16, 17, 18, 19])), ("KL-E22", "LEAVE_ONE"));
    let next = play(&state, 0, traffic([15, 16, 17, 18])).next;
    assert_eq!(refusal(&next, 0, Action::Done), ("KL-22", "MUST_SELL"));
    play_all(&next, 0, [sell([19]), Action::Done]);
    // After the sale it may take all.
    let state = play(&state, 0, sell([15])).next;
    let next = play(&state, 0, traffic([16, 17, 18, 19])).next;
    assert_eq!(held(&next, 0), [79]);
    // A single card is for the normal sale.
    let one = Table::with_encounters(3).holds(0, &[Trafficker]).hand(0, Depth::Deep, &[gold(6)]).go(&ALONE);
    assert_eq!(refusal(&one, 0, traffic([79])), ("KL-E22", "LEAVE_ONE"));
    let sold = play(&one, 0, sell([79])).next;
    assert!(!sold.legal_actions(Seat(0)).iter().any(|offer| matches!(offer, Offer::Trafficker { .. })));
}

#[test]
fn kl_e23_a_jeweller_buys_a_diamond_at_its_printed_value() {
    let state = market(Jeweller).go(&ALONE);
    let step = play(&state, 0, jeweller(79));
    assert!(matches!(
        step.events[1],
        Event::CardsSold { way: SaleWay::Jeweller, income: 250, unit_price: 0, ware: None, .. }
    ));
    assert_eq!(cash(&step.next, 0), 350);
    play(&play(&state, 0, sell([15])).next, 0, jeweller(79));
    assert_eq!(refusal(&state, 0, jeweller(15)), ("KL-E23", "NO_DIAMOND"));
    assert_eq!(refusal(&state, 0, jeweller(78)), ("KL-E23", "NOT_IN_HAND"));
    assert_eq!(refusal(&state, 0, plain(Jeweller)), ("MALFORMED", "MALFORMED_ACTION"));
}

#[test]
fn kl_e24_gold_sells_at_40_with_a_gold_digger() {
    for places in [ALONE, [Market, Market, Bar], [Market; 3]] {
        let state = play(&market(GoldDigger).go(&places), 0, plain(GoldDigger)).next;
        assert_eq!(cash(&play(&state, 0, sell([15, 16])).next, 0), 100 + 120);
    }
    let state = play(&market(GoldDigger).go(&ALONE), 0, plain(GoldDigger)).next;
    assert_eq!(cash(&play(&state, 0, sell([19])).next, 0), 140, "other kinds as ever");
}

#[test]
fn kl_r20_cards_that_sell_pay_what_they_name_version_2() {
    // Goods bring 40 to a player alone at the market; the trafficker takes what is left over at 30, beside the sale.
    let state = play(&market(Trafficker).go(&ALONE), 0, traffic([17])).next;
    assert_eq!(cash(&state, 0), 100 + 30 * u32::from(state.face(CardId(17)).value));
    // Gold never brings more than 30 without the gold digger, and a hasty buyer pays the best that the market ever does.
    for places in [ALONE, [Market, Market, Bar], [Market; 3]] {
        let state = market(GoldDigger).go(&places);
        assert!(
            Ware::ALL.map(|ware| state.market_price(ware)).iter().zip([30, 40, 40]).all(|(now, best)| *now <= best)
        );
        assert_eq!(state.market_price(Ware::Gold), 30);
        assert_eq!(play(&state, 0, plain(GoldDigger)).next.market_price(Ware::Gold), 40);
    }
}

#[test]
fn kl_r10_trafficker_and_jeweller_do_not_replace_the_duty_to_sell() {
    let state = play(&market(Trafficker).go(&ALONE), 0, traffic([15])).next;
    assert_eq!(refusal(&state, 0, Action::Done), ("KL-22", "MUST_SELL"));
    let state = play(&market(Jeweller).go(&ALONE), 0, jeweller(79)).next;
    assert_eq!(refusal(&state, 0, Action::Done), ("KL-22", "MUST_SELL"));
    // If there is no card to sell, there is no duty.
    let table = Table::with_encounters(3).holds(0, &[Jeweller]).hand(0, Depth::Deep, &[diamond(150)]);
    play_all(&table.go(&ALONE), 0, [jeweller(79), Action::Done]);
}

#[test]
fn kl_r10_traffickers_cards_do_not_count_for_one_kind_only() {
    let state = play(&market(Trafficker).go(&ALONE), 0, traffic([15, 19])).next;
    play(&state, 0, sell([17, 18]));
}

#[test]
fn kl_r11_a_gold_digger_comes_before_the_sale_of_whatever_kind() {
    for card in [15, 17] {
        let state = play(&market(GoldDigger).go(&ALONE), 0, sell([card])).next;
        assert_eq!(refusal(&state, 0, plain(GoldDigger)), ("KL-R11", "TOO_LATE"));
    }
}

#[test]
fn kl_26_market_cards_without_benefit_and_those_that_need_something() {
    let empty = |encounter| Table::with_encounters(3).holds(0, &[encounter]).go(&ALONE);
    for encounter in [MarketTourist, GoldDigger] {
        assert!(is_offered(&empty(encounter), 0, &plain(encounter)), "{encounter:?}");
    }
    for encounter in [Dupe, Trafficker, Jeweller] {
        let offers = empty(encounter).legal_actions(Seat(0));
        assert_eq!(offers, [Offer::Single(Action::Done)], "{encounter:?} needs a card");
    }
}
