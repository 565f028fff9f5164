//! What the rulebook leaves open. CC-R9 is tested with sudden death.

use super::super::{Action, Diver, Event, GameEnd, OpenNet, Phase, Suit, Variant};
use super::setup::with_divers;
use super::table::{
    Table, card, cards, draw, end, harpoon, has_incident, knife, net, place, play, play_with, refusal, unshuffled,
};
use crate::Seat;

const ONLY_DRAW: [Action; 1] = [Action::Draw];
const BOTH: [Action; 2] = [Action::Draw, Action::Surface];

#[test]
fn cc_r1_key_and_chest_saved_by_an_anchor_give_no_bonus() {
    let state = Table::of(2).row("key 3, chest 4, anchor 5").pile("key 6, net 4").graveyard("siren 4").ready();
    let step = draw(&state);
    assert_eq!(step.next.hold_of(0), "key 3, chest 4");
    assert_eq!(step.next.graveyard_names(), "key 6, anchor 5, siren 4");
    assert!(!step.events.iter().any(|event| matches!(event, Event::BonusEarned { .. })));
}

#[test]
fn cc_r2_the_card_that_the_first_one_brings_is_the_second() {
    let squid = || Table::of(2).row("squid 4").demand(2);
    let state = play(&draw(&squid().pile("net 3, key 7").hold(0, "siren 5").ready()).next, net(Suit::Siren)).next;
    assert_eq!(state.choices(), BOTH);
    let state = draw(&squid().pile("harpoon 3, key 7").hold(1, "siren 5").ready()).next;
    assert_eq!(play(&state, harpoon(1, Suit::Siren)).next.choices(), BOTH);
    let state = draw(&squid().pile("map 3, key 7").graveyard("siren 5").ready()).next;
    assert_eq!(play(&state, place("siren 5")).next.choices(), BOTH);
}

#[test]
fn cc_r2_if_it_brings_none_the_demand_stays_open() {
    for name in ["net 3", "harpoon 3", "map 3"] {
        let state = Table::of(2).row("squid 4").demand(2).pile(&alloc::format!("{name}, key 7, siren 7")).ready();
        let state = draw(&state).next;
        assert_eq!((state.squid_demand, state.choices()), (1, ONLY_DRAW.to_vec()), "{name}");
        assert_eq!(draw(&state).next.choices(), BOTH);
    }
}

#[test]
fn cc_r2_a_second_card_still_applies_its_effect_so_that_a_third_can_enter() {
    let state = Table::of(2).row("squid 4, key 3").demand(1).pile("net 3, key 7").hold(0, "siren 5").ready();
    let state = draw(&state).next;
    assert_eq!((state.squid_demand, state.phase), (0, Phase::Net));
    assert_eq!(play(&state, net(Suit::Siren)).next.row_names(), "squid 4, key 3, net 3, siren 5");
}

#[test]
fn cc_r3_while_a_demand_is_open_the_drone_does_not_let_its_owner_surface() {
    let state = draw(&Table::of(2).row("squid 4").demand(2).pile("drone 3, squid 7").ready()).next;
    assert_eq!((state.drone_count, state.choices()), (1, ONLY_DRAW.to_vec()));
    assert_eq!(refusal(&state, 0, Action::Surface), ("CC-13", "SQUID_DEMAND"));
    assert!(has_incident(&draw(&state)), "although the player has seen it coming");
}

#[test]
fn cc_r4_a_card_that_was_brought_and_causes_an_incident_is_lost_with_the_rest() {
    let table = || Table::of(3).row("siren 5").hold(0, "siren 8").hold(2, "siren 9").graveyard("siren 4");
    let netted = |table: Table| play(&draw(&table.pile("net 3, key 7").ready()).next, net(Suit::Siren)).next;
    assert_eq!(netted(table()).graveyard_names(), "siren 8, net 3, siren 5, siren 4");
    assert_eq!(netted(table().saboteuse(1, 0)).hold_of(1), "net 3, siren 5, siren 8");
    assert_eq!(netted(table().variant(Variant::ThievesIsland)).hold_of(1), "net 3, siren 5, siren 8");
    let taken = |table: Table| {
        play(&draw(&table.hold(0, "").pile("harpoon 3, key 7").ready()).next, harpoon(2, Suit::Siren)).next
    };
    assert_eq!(taken(table()).graveyard_names(), "siren 9, harpoon 3, siren 5, siren 4");
    assert_eq!(taken(table().saboteuse(1, 0)).hold_of(1), "harpoon 3, siren 5, siren 9");
    let mapped = |table: Table| play(&draw(&table.pile("map 3, key 7").ready()).next, place("siren 4")).next;
    assert_eq!(mapped(table()).graveyard_names(), "siren 4, map 3, siren 5");
    assert_eq!(mapped(table().variant(Variant::ThievesIsland)).hold_of(1), "map 3, siren 4, siren 5");
}

#[test]
fn cc_r5_a_player_may_surface_with_an_empty_exploration_once_a_card_was_turned_up() {
    for (diver, owner, pile) in
        [(Diver::Casanova, 0, "siren 7"), (Diver::Fisherman, 0, "squid 7"), (Diver::Parry, 1, "harpoon 7")]
    {
        let state = Table::of(2).diver(owner, diver).fresh_turn().pile(&alloc::format!("{pile}, key 7")).ready();
        assert_eq!(refusal(&state, 0, Action::Surface), ("CC-6", "NOTHING_TURNED_UP"));
        let state = draw(&state).next;
        assert_eq!((state.row_names().as_str(), state.choices()), ("", BOTH.to_vec()), "{diver}");
        let step = play(&state, Action::Surface);
        assert_eq!(step.events[0], Event::Surfaced { seat: Seat(0), cards: cards("") });
        assert_eq!(step.next.turn, Seat(1));
    }
}

#[test]
fn cc_r5_the_last_card_straight_to_the_hold_leaves_only_surfacing() {
    let state = draw(&Table::of(2).diver(0, Diver::Casanova).fresh_turn().pile("siren 7").ready()).next;
    assert_eq!(state.choices(), [Action::Surface]);
    assert!(end(&play(&state, Action::Surface)).is_some_and(|(cause, _)| cause == GameEnd::DrawPileEmpty));
}

#[test]
fn cc_r6_the_last_anchor_protects_all_before_it() {
    let state = Table::of(2)
        .variant(Variant::StrangeLands)
        .row("siren 9, anchor 2, key 3, anchor 4, chest 5")
        .pile("map 5, net 4")
        .ready();
    let next = draw(&state).next;
    assert_eq!(next.hold_of(0), "anchor 2, key 3, siren 9");
    assert_eq!(next.graveyard_names(), "map 5, chest 5, anchor 4");
}

#[test]
fn cc_r6_a_squid_answers_an_open_demand_and_adds_its_own() {
    let state = Table::of(2).variant(Variant::StrangeLands).pile("squid 2, squid 3, squid 4, key 5, key 6").ready();
    let mut state = state;
    for (entered, demand) in [(0, 2), (1, 3), (2, 4)] {
        let step = draw(&state);
        let squid = state.draw_pile[0];
        let expected = [
            Event::Entered {
                seat: Seat(0),
                card: squid,
                source: super::super::Source::DrawPile,
                squid_demand: entered,
            },
            Event::SquidAsked { seat: Seat(0), asks: 2, squid_demand: demand },
        ];
        assert_eq!(step.events[1..], expected);
        state = step.next;
    }
}

#[test]
fn cc_r6_the_key_chest_bonus_is_given_once() {
    let state = Table::of(2)
        .variant(Variant::StrangeLands)
        .row("key 2, key 3, chest 4, chest 5")
        .graveyard("net 2, map 2, anchor 2, drone 2, siren 4")
        .ready();
    let step = play_with(&state, Action::Surface, &unshuffled(5));
    assert_eq!(step.next.graveyard_names(), "siren 4");
}

#[test]
fn cc_r7_misfire_and_parry_stop_every_opponent_whomever_they_aim_at() {
    for turn in [0, 1, 3] {
        let table = Table::of(4).turn(turn).hold(0, "key 4").hold(1, "key 5").hold(2, "key 6").hold(3, "key 7");
        let state = draw(&table.diver(2, Diver::Misfire).pile("knife 3, siren 7").ready()).next;
        assert_eq!(state.choices(), [Action::Misfire { suit: Suit::Key }]);
        let table = Table::of(4).turn(turn).hold(0, "key 4").hold(1, "map 5").hold(2, "net 6").hold(3, "chest 7");
        let step = draw(&table.diver(2, Diver::Parry).pile("harpoon 3, siren 7").ready());
        assert!(step.events.iter().any(|event| matches!(event, Event::HarpoonParried { owner: Seat(2), .. })));
    }
}

#[test]
fn cc_r7_a_parried_harpoon_has_entered_and_counts_for_a_demand() {
    let state = Table::of(2).diver(1, Diver::Parry).row("squid 4").demand(2).pile("harpoon 3, siren 7, key 7").ready();
    let step = draw(&state);
    assert!(matches!(step.events[1], Event::Entered { squid_demand: 1, .. }));
    assert_eq!((step.next.squid_demand, step.next.row_names().as_str()), (1, "squid 4"));
}

#[test]
fn cc_r7_a_parried_harpoon_is_no_longer_there() {
    // CC-7: another harpoon is no incident.
    let state = Table::of(2).diver(1, Diver::Parry).pile("harpoon 3, harpoon 5, key 7").ready();
    let state = draw(&draw(&state).next).next;
    assert_eq!((state.turn, state.graveyard_names().as_str()), (Seat(0), "harpoon 5, harpoon 3"));
    // CC-9 and CC-14: it is not collected and does not count for the bonus.
    let table = Table::of(2).diver(1, Diver::Parry).row("key 3, chest 4").pile("harpoon 5, siren 7");
    let state = draw(&table.graveyard("net 2, map 2, anchor 2").ready()).next;
    let step = play_with(&state, Action::Surface, &unshuffled(4));
    assert_eq!(step.events[1], Event::BonusEarned { seat: Seat(0), count: 2 });
    assert_eq!(step.next.hold_of(0), "key 3, chest 4, net 2, harpoon 5", "it came back as a bonus");
}

#[test]
fn cc_r8_two_misfires_or_two_parries_never_meet() {
    for diver in [Diver::Misfire, Diver::Parry] {
        assert_eq!(with_divers(&[diver, diver]), Err(("CC-4", "SAME_CHARACTER")));
    }
}

#[test]
fn cc_r10_unplaced_cards_go_back_to_the_graveyard() {
    let state = Table::of(2).pile("map 3, siren 7").graveyard("net 2, key 2, siren 4, chest 2").ready();
    let state = play_with(&state, Action::Draw, &unshuffled(4)).next;
    let state = play(&state, place("siren 4")).next;
    assert_eq!(state.graveyard_names(), "net 2, key 2, chest 2");
}

#[test]
fn cc_r10_under_navigator_nothing_is_shuffled() {
    let state =
        Table::of(2).diver(0, Diver::Navigator).pile("map 3, siren 7").graveyard("net 2, key 2, siren 4").ready();
    // No draw is scripted.
    let step = draw(&state);
    assert!(!step.events.iter().any(|event| matches!(event, Event::GraveyardShuffled { .. })));
    assert_eq!(play(&step.next, place("net 2")).next.graveyard_names(), "key 2, siren 4");
}

#[test]
fn cc_r11_a_navigators_key_chest_bonus_is_shuffled_like_anybodys() {
    let table = Table::of(2).diver(0, Diver::Navigator).row("key 3, chest 4").graveyard("net 2, map 2, anchor 2");
    let step = play_with(&table.ready(), Action::Surface, &[(3, 0), (2, 1)]);
    assert_eq!(step.next.hold_of(0), "anchor 2, map 2, key 3, chest 4");
}

#[test]
fn cc_r12_the_hooks_second_card_does_not_wait_for_a_demand_but_answers_it() {
    let state =
        Table::of(2).diver(0, Diver::CaptainsHook).pile("net 3, siren 7, key 7").hold(0, "squid 4, anchor 5").ready();
    let state = play(&draw(&state).next, net(Suit::Squid)).next;
    assert_eq!((state.squid_demand, state.phase), (2, Phase::Net));
    assert_eq!(state.open_nets[..], [OpenNet { card: card("net 3"), catches: 1 }]);
    let state = play(&state, net(Suit::Anchor)).next;
    assert_eq!((state.squid_demand, state.choices()), (1, ONLY_DRAW.to_vec()));
}

#[test]
fn cc_r12_a_squids_demand_is_met_across_nested_effects() {
    // Squid; net; the first catch is a harpoon that takes a map, which places a key; then the second catch.
    let state = Table::of(2)
        .diver(0, Diver::CaptainsHook)
        .diver(1, Diver::Beastmaster)
        .pile("squid 4, net 3, siren 7")
        .hold(0, "harpoon 4, anchor 5")
        .hold(1, "map 6")
        .graveyard("key 2")
        .ready();
    let state = draw(&state).next;
    assert_eq!(state.squid_demand, 4);
    let state = draw(&state).next;
    let state = play(&state, net(Suit::Harpoon)).next;
    let state = play(&state, harpoon(1, Suit::Map)).next;
    assert_eq!((state.squid_demand, state.phase), (1, Phase::Map));
    let state = play(&state, place("key 2")).next;
    assert_eq!((state.squid_demand, state.phase), (0, Phase::Net));
    let state = play(&state, net(Suit::Anchor)).next;
    assert_eq!(
        (state.row_names().as_str(), state.choices()),
        ("squid 4, net 3, harpoon 4, map 6, key 2, anchor 5", BOTH.to_vec())
    );
}

#[test]
fn cc_r13_cards_are_laid_on_top_of_the_graveyard_one_by_one() {
    let state = Table::of(2).row("key 3, chest 4").pile("key 5, net 4").graveyard("siren 4").ready();
    assert_eq!(draw(&state).next.graveyard_names(), "key 5, chest 4, key 3, siren 4");
    let state = Table::of(2)
        .diver(0, Diver::MasterGunner)
        .pile("knife 3, siren 7")
        .hold(1, "net 3, net 5")
        .graveyard("siren 4");
    assert_eq!(play(&draw(&state.ready()).next, knife(1, Suit::Net)).next.graveyard_names(), "net 5, net 3, siren 4");
}

#[test]
fn cc_r14_who_can_win_is_ranked_before_who_cannot() {
    let sixty = "anchor 7, squid 7, map 7, key 7, chest 7, knife 7, drone 7, net 7, siren 4";
    let table = Table::of(4).variant(Variant::BeneathTheWaves).over();
    let table = table.hold(0, sixty).hold(1, "key 3").hold(2, &sixty.replace("siren 4", "siren 9")).hold(3, "key 6");
    let outcome = crate::Game::outcome(&table.ready()).unwrap();
    assert_eq!(outcome.standings.iter().map(|standing| standing.rank).collect::<alloc::vec::Vec<_>>(), [4, 2, 3, 1]);
}

#[test]
fn cc_r15_under_bottom_feeder_the_master_gunner_still_removes_the_whole_stack() {
    let table = Table::of(2).variant(Variant::BottomFeeder).diver(0, Diver::MasterGunner).pile("knife 3, siren 7");
    let step = play(&draw(&table.hold(1, "net 3, net 5").ready()).next, knife(1, Suit::Net));
    assert_eq!(step.next.hold_of(1), "");
}

#[test]
fn cc_r16_under_strange_lands_safe_harbor_counts_from_the_last_anchor_and_the_miser_keeps_every_net() {
    let state = Table::of(2)
        .variant(Variant::StrangeLands)
        .diver(0, Diver::SafeHarbor)
        .row("siren 9, anchor 2, key 3, anchor 4, chest 5, map 6, net 7")
        .pile("map 5, net 4")
        .ready();
    let next = draw(&state).next;
    assert_eq!(next.hold_of(0), "anchor 2, anchor 4, map 6, key 3, chest 5, siren 9");
    assert_eq!(next.graveyard_names(), "map 5, net 7");
    use super::super::Source::OwnHold;
    let state = Table::of(2)
        .variant(Variant::StrangeLands)
        .diver(0, Diver::Miser)
        .row("siren 9, net 2")
        .row_from(OwnHold, "net 3, key 4")
        .row("chest 5, net 6")
        .pile("map 5, net 4")
        .ready();
    let next = draw(&state).next;
    assert_eq!(next.hold_of(0), "key 4, net 2, net 3, net 6");
    assert_eq!(next.graveyard_names(), "map 5, chest 5, siren 9");
}
