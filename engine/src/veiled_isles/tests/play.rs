//! VI-7 and VI-8: playing islands, and lifting the sails.

use alloc::vec::Vec;

use super::super::{Action, Event, Half, LiftedIsland, Offer, Phase};
use super::table::{Table, act, island, refusal, won};
use crate::{Game, Offer as _, Seat, SeatSet};

fn play(text: &str, show: Half, bonus: u32) -> Action {
    Action::Play { island: island(text), show, bonus }
}

#[test]
fn vi_7_the_first_player_begins_and_play_goes_clockwise() {
    let mut state = Table::of(4).first(2).plays("r1 r2 r3 r4").ready();
    let mut asked = Vec::new();
    for card in ["r1", "r2", "r3", "r4"] {
        asked.push(state.turn.unwrap().0);
        assert_eq!(state.to_act(), SeatSet::only(state.turn.unwrap()));
        state = act(&state, state.turn.unwrap().0, play(card, Half::Sea, 0)).next;
    }
    assert_eq!(asked, [2, 3, 0, 1]);
    assert_ne!(state.phase, Phase::Play);
}

#[test]
fn vi_7_an_island_leaves_the_hand_with_its_bonus_cards() {
    for show in [Half::Sea, Half::Coast] {
        let state = Table::of(3).hand(0, "b7").more(1).bonus(0, 4).ready();
        let step = act(&state, 0, play("b7", show, 3));
        let player = step.next.player(Seat(0));
        assert!(!player.hand.contains(island("b7")));
        assert_eq!(player.bonus, 1);
        assert_eq!(step.next.supply, state.supply, "they come back only when the trick is cleared up");
        let played = player.played.unwrap();
        assert_eq!((played.island, played.show, played.bonus, played.taken), (island("b7"), show, 3, false));
        let expected = Event::IslandPlayed { seat: Seat(0), island: island("b7").whole(), show, bonus: 3 };
        assert_eq!(step.events, [expected]);
        assert_eq!(step.next.turn, Some(Seat(1)));
    }
}

#[test]
fn vi_7_bonus_cards_are_the_players_own_and_keep_the_value_at_12_or_less() {
    for (card, bonus, max) in [("b7", 3, 3), ("b7", 5, 5), ("b7", 6, 5), ("b12", 6, 0), ("b1", 20, 11), ("b1", 0, 0)] {
        let state = Table::of(3).hand(0, card).more(0).bonus(0, bonus).ready();
        let offer = Offer::Play { island: island(card), max_bonus: max };
        assert_eq!(state.legal_actions(Seat(0)), core::slice::from_ref(&offer), "{card} with {bonus}");
        assert_eq!(offer.count(), 2 * (u64::from(max) + 1));
        for show in [Half::Sea, Half::Coast] {
            act(&state, 0, play(card, show, u32::from(max)));
            let over = if max < bonus { "OVER_TWELVE" } else { "TOO_FEW_BONUS_CARDS" };
            assert_eq!(refusal(&state, 0, play(card, show, u32::from(max) + 1)), ("VI-7", over));
            assert_eq!(refusal(&state, 0, play(card, show, u32::from(bonus) + 1)), ("VI-7", "TOO_FEW_BONUS_CARDS"));
            assert_eq!(refusal(&state, 0, play(card, show, u32::MAX)), ("VI-7", "TOO_FEW_BONUS_CARDS"));
            assert_eq!(refusal(&state, 0, play(card, show, 256)), ("VI-7", "TOO_FEW_BONUS_CARDS"));
        }
    }
}

#[test]
fn vi_7_an_island_must_be_in_the_hand() {
    let state = Table::of(3).hand(0, "r1").hand(1, "r2").more(0).ready();
    for card in ["r2", "r3"] {
        assert_eq!(refusal(&state, 0, play(card, Half::Sea, 0)), ("VI-7", "NOT_IN_HAND"));
        assert_eq!(refusal(&state, 0, play(card, Half::Sea, 1)), ("VI-7", "NOT_IN_HAND"), "judged before the bonus");
    }
}

#[test]
fn vi_7_a_family_has_every_play_of_an_island_once() {
    let offer = Offer::Play { island: island("g9"), max_bonus: 2 };
    let actions: Vec<Action> = (0..offer.count()).map(|number| offer.nth(number)).collect();
    let expected: Vec<Action> =
        (0..=2).flat_map(|bonus| [Half::Sea, Half::Coast].map(|show| play("g9", show, bonus))).collect();
    assert_eq!(actions, expected);
    assert!(actions.iter().all(|action| offer.admits(action)));
    assert!(!offer.admits(&play("g9", Half::Sea, 3)));
    assert!(!offer.admits(&play("g8", Half::Sea, 0)));
    assert!(!offer.admits(&Action::Pass { island: island("g9") }));
}

#[test]
fn vi_8_sails_are_lifted_when_all_have_played() {
    let step = Table::of(3).first(1).plays("r4+2 p7 g9").played();
    let lifted = |seat, text, bonus, value| LiftedIsland { seat: Seat(seat), island: island(text), bonus, value };
    let islands = [lifted(1, "r4", 2, 6), lifted(2, "p7", 0, 7), lifted(0, "g9", 0, 9)].to_vec();
    assert_eq!(step.events[0], Event::SailsLifted { islands });
}

#[test]
fn vi_8_the_value_is_the_number_and_the_bonus_cards() {
    // Red 7 with 3 beats red 9, by VI-9.
    let step = Table::of(4).plays("r9 r7+3 b1 g1").played();
    let won = won(&step.events);
    assert_eq!((won[0].winner, won[0].value), (Seat(1), 10));
}
