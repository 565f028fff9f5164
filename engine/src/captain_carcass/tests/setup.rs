//! CC-0 to CC-5: components, set-up and options.

use alloc::{vec, vec::Vec};

use super::super::{Action, Card, Character, Diver, Divers, Event, Options, Phase, State, Suit, Variant};
use super::table::{chosen, draw, fresh, play, refusal, seat_count, unshuffled};
use crate::contract::Scripted;
use crate::{Game, Seat, SeatSet, Violation};

fn plain() -> Options {
    Options::default()
}

/// The refusal of a set-up, which draws nothing.
fn refused(seats: u8, options: &Options) -> Violation {
    let answer = State::setup(State::NEWEST_RULES, options, seat_count(seats), &mut Scripted::new([]));
    answer.map(|_| ()).expect_err("these options are against the rules")
}

/// The answer to a set-up with these divers, one for each seat.
pub(super) fn with_divers(divers: &[Diver]) -> Result<(), (&'static str, &'static str)> {
    let seats = seat_count(divers.len() as u8);
    let answer = State::setup(State::NEWEST_RULES, &chosen(divers, None), seats, &mut Scripted::new([]));
    answer.map(|_| ()).map_err(|violation| (violation.rule, violation.reason))
}

#[test]
fn cc_0_two_to_four_players() {
    for (seats, allowed) in [(1, false), (2, true), (3, true), (4, true), (5, false), (6, false)] {
        if allowed {
            assert_eq!(fresh(seats, 0, &plain()).next.seats().get(), seats);
        } else {
            let violation = refused(seats, &plain());
            assert_eq!((violation.rule, violation.reason), ("CC-0", "SEAT_COUNT"));
        }
    }
}

#[test]
fn cc_0_the_seat_count_is_judged_before_the_options() {
    assert_eq!(refused(5, &chosen(&[], None)).rule, "CC-0");
}

#[test]
fn cc_1_sixty_cards_ten_suits_values_2_to_7_sirens_4_to_9() {
    let all: Vec<Card> = Card::all().collect();
    assert_eq!(all.len(), 60);
    for suit in Suit::ALL {
        let values: Vec<u8> = all.iter().filter(|card| card.suit() == suit).map(|card| card.value()).collect();
        let first = if suit == Suit::Siren { 4 } else { 2 };
        assert_eq!(values, (first..first + 6).collect::<Vec<u8>>(), "{suit}");
        for value in 0..=20 {
            let exists = (first..first + 6).contains(&value);
            let card = Card::new(suit, value);
            assert_eq!(card.map(|card| (card.suit(), card.value())), exists.then_some((suit, value)));
        }
    }
}

#[test]
fn cc_2_the_lowest_of_each_suit_form_the_graveyard_and_the_rest_is_shuffled() {
    let step = fresh(3, 0, &plain());
    let state = &step.next;
    assert_eq!(
        state.graveyard_names(),
        "anchor 2, squid 2, map 2, key 2, chest 2, knife 2, drone 2, net 2, harpoon 2, siren 4"
    );
    let rest: Vec<Card> = Card::all().filter(|card| !card.is_lowest()).collect();
    assert_eq!(state.draw_pile[..], rest[..], "unshuffled: by suit and value");
    let laid = Event::PilesLaid {
        draw_pile_size: 50,
        graveyard_size: 10,
        draw_pile: rest,
        graveyard: state.graveyard.to_vec(),
    };
    assert_eq!(step.events[0], laid);
}

#[test]
fn cc_2_the_shuffle_takes_its_draws_from_the_last_place_down_and_the_first_card_is_the_top() {
    // The first draw moves the first card to the last place, and the last card, siren 9, to the top.
    let draws = [(50, 0)].into_iter().chain(unshuffled(49)).chain([(2, 1)]);
    let state = State::setup(State::NEWEST_RULES, &plain(), seat_count(2), &mut Scripted::new(draws)).unwrap().next;
    assert!(state.draw_pile_names().starts_with("siren 9, anchor 4, anchor 5"));
    assert!(state.draw_pile_names().ends_with("siren 8, anchor 3"));
    assert_eq!(state.turn, Seat(1), "the first player is drawn after the shuffle");
    assert_eq!(draw(&state).next.row_names(), "siren 9");
}

#[test]
fn cc_3_the_first_player_is_drawn() {
    for seats in 2..=4 {
        for first in 0..seats {
            let step = fresh(seats, first, &plain());
            assert_eq!((step.next.turn, step.next.first_seat), (Seat(first), Seat(first)));
            assert_eq!(step.next.phase, Phase::Explore);
            assert_eq!(step.next.to_act(), SeatSet::only(Seat(first)));
            let seat = Seat(first);
            assert_eq!(step.events[1..], [Event::FirstSeatDrawn { seat }, Event::TurnStarted { seat }]);
        }
    }
}

#[test]
fn cc_3_play_goes_clockwise_and_wraps() {
    let mut state = fresh(4, 2, &plain()).next;
    let mut turns = Vec::new();
    for _ in 0..5 {
        turns.push(state.turn.0);
        // An unshuffled pile starts with five anchors: one card each.
        state = play(&draw(&state).next, Action::Surface).next;
    }
    assert_eq!(turns, [2, 3, 0, 1, 2]);
}

#[test]
fn cc_4_without_divers_nobody_has_one() {
    let step = fresh(2, 0, &plain());
    assert!(step.next.players.iter().all(|player| player.diver.is_none()));
    assert!(!step.events.iter().any(|event| matches!(event, Event::DiversGiven { .. })));
}

#[test]
fn cc_4_dealt_divers_come_seat_by_seat_among_the_characters_left() {
    // 17 cards; the knife's three leave 14, the siren's two 12, the saboteuse 11.
    let draws = [(17, 7), (14, 0), (12, 11), (11, 2)];
    let rest = unshuffled(50).into_iter().chain([(4, 0)]);
    let options = Options { divers: Divers::Dealt, variant: None };
    let mut chance = Scripted::new(draws.into_iter().chain(rest));
    let step = State::setup(State::NEWEST_RULES, &options, seat_count(4), &mut chance).unwrap();
    let divers = vec![Diver::Misfire, Diver::GoldenScales, Diver::Saboteuse, Diver::Navigator];
    assert_eq!(step.events[0], Event::DiversGiven { divers: divers.clone(), dealt: true });
    let given: Vec<Diver> = step.next.players.iter().filter_map(|player| player.diver).collect();
    assert_eq!(given, divers);
    assert_eq!(step.next.phase, Phase::NameVictim);
}

#[test]
fn cc_4_seventeen_divers_of_ten_characters() {
    assert_eq!(Diver::ALL.len(), 17);
    let of = |character| Diver::ALL.iter().filter(|diver| diver.character() == character).count();
    let counts: Vec<usize> = Character::ALL.iter().map(|character| of(*character)).collect();
    assert_eq!(counts, [2, 2, 1, 3, 1, 2, 2, 1, 2, 1]);
}

#[test]
fn cc_4_chosen_divers_are_for_every_seat() {
    let divers = [Diver::Parry, Diver::Miser, Diver::Mystic];
    let step = fresh(3, 0, &chosen(&divers, None));
    assert_eq!(step.events[0], Event::DiversGiven { divers: divers.to_vec(), dealt: false });
    for count in [0, 1, 2, 4] {
        let divers = &[Diver::Parry, Diver::Miser, Diver::Mystic, Diver::Casanova][..count];
        let violation = refused(3, &chosen(divers, None));
        assert_eq!((violation.rule, violation.reason), ("CC-4", "DIVER_COUNT"), "{count} divers");
    }
}

#[test]
fn cc_4_two_of_one_character_are_refused() {
    for one in Diver::ALL {
        for other in Diver::ALL {
            let options = chosen(&[*one, *other], None);
            if one.character() == other.character() {
                let violation = refused(2, &options);
                assert_eq!((violation.rule, violation.reason), ("CC-4", "SAME_CHARACTER"), "{one} and {other}");
            } else {
                assert_eq!(fresh(2, 0, &options).next.players[1].diver, Some(*other));
            }
        }
    }
    // Also where the two do not sit side by side.
    let options = chosen(&[Diver::Swordsman, Diver::Mystic, Diver::Parry], None);
    assert_eq!(refused(3, &options).reason, "SAME_CHARACTER");
}

#[test]
fn cc_5_any_one_variant_or_none() {
    for variant in Variant::ALL.iter().copied().map(Some).chain([None]) {
        let options = Options { divers: Divers::None, variant };
        assert_eq!(fresh(2, 0, &options).next.variant, variant);
    }
}

#[test]
fn cc_d17_the_owner_names_an_opponent_before_the_first_turn() {
    for first in 0..3 {
        let options = chosen(&[Diver::Parry, Diver::Saboteuse, Diver::Mystic], None);
        let step = fresh(3, first, &options);
        let state = step.next;
        assert_eq!(step.events.last(), Some(&Event::FirstSeatDrawn { seat: Seat(first) }), "no turn yet");
        assert_eq!((state.phase, state.to_act()), (Phase::NameVictim, SeatSet::only(Seat(1))));
        let victim = |seat| Action::NameVictim { seat: Seat(seat) };
        assert_eq!(state.choices(), [victim(0), victim(2)]);
        assert_eq!(refusal(&state, 1, victim(1)), ("CC-D17", "OWN_SEAT"));
        let step = play(&state, victim(2));
        let named = Event::VictimNamed { seat: Seat(1), victim: Seat(2) };
        assert_eq!(step.events, [named, Event::TurnStarted { seat: Seat(first) }]);
        assert_eq!(step.next.players[1].victim, Some(Seat(2)));
        assert_eq!((step.next.phase, step.next.turn), (Phase::Explore, Seat(first)));
        assert!(!step.next.turned_up);
    }
}

#[test]
fn cc_d17_with_two_players_the_only_opponent_is_named_all_the_same() {
    let state = fresh(2, 1, &chosen(&[Diver::Saboteuse, Diver::Mystic], None)).next;
    assert_eq!(state.choices(), [Action::NameVictim { seat: Seat(1) }]);
}

#[test]
fn cc_v1_the_saboteuse_is_left_out_and_refused() {
    let thieves = Some(Variant::ThievesIsland);
    let violation = refused(2, &chosen(&[Diver::Parry, Diver::Saboteuse], thieves));
    assert_eq!((violation.rule, violation.reason), ("CC-V1", "DIVER_LEFT_OUT"));
    // Dealt: 16 cards instead of 17, the last of them the beastmaster.
    let options = Options { divers: Divers::Dealt, variant: thieves };
    let draws = [(16, 15), (14, 0)].into_iter().chain(unshuffled(50)).chain([(2, 0)]);
    let state = State::setup(State::NEWEST_RULES, &options, seat_count(2), &mut Scripted::new(draws)).unwrap().next;
    assert_eq!(state.players[0].diver, Some(Diver::Beastmaster));
    // With any other variant she plays.
    for variant in Variant::ALL.iter().filter(|variant| Some(**variant) != thieves) {
        fresh(2, 0, &chosen(&[Diver::Parry, Diver::Saboteuse], Some(*variant)));
    }
}
