//! The words follow the phase and the rules.

use super::super::fixtures::cards;
use super::*;

fn player(seat: u32, hold: &str) -> Player {
    Player { seat, hold: cards(hold), ..Default::default() }
}

/// Seat 0 is asked. It has squids and a key, seat 1 a squid and a net, seat 2 nothing.
fn view(phase: Phase) -> View {
    View {
        phase: phase.into(),
        asked: Some(0),
        players: vec![player(0, "squid-5 squid-3 key-4"), player(1, "squid-7 net-3"), player(2, "")],
        draw_pile_size: 30,
        plunder_count: 4,
        ..Default::default()
    }
}

fn say(view: &View) -> String {
    prompt(view, &Seating::new(["Ana"]), Screen::plain(80))
}

#[test]
fn each_phase_has_its_words() {
    let cases = [
        (Phase::NameVictim, "Ana (seat 0) is to name the victim of the saboteuse:\n  victim: any of 1 2"),
        (Phase::Explore, "Ana (seat 0) is to explore:\n  draw"),
        (Phase::Knife, "Ana (seat 0) is to use the knife:\n  knife 1: any of squid net"),
        (Phase::Harpoon, "Ana (seat 0) is to use the harpoon:\n  harpoon 1: any of net"),
        (Phase::Net, "Ana (seat 0) is to use the net:\n  net: any of squid key"),
        (Phase::Misfire, "Ana (seat 0) is to lose a card to a misfire:\n  misfire: any of squid key"),
        (Phase::Map, "Ana (seat 0) is to place a card of the map:\n  place: any of the cards that the map shows"),
        (Phase::Plunder, "Ana (seat 0) is to plunder up to 4 cards:\n  plunder: any of 1"),
        (Phase::Over, "The game is over."),
        (Phase::Unspecified, "The game is over."),
    ];
    for (phase, text) in cases {
        assert_eq!(say(&view(phase)), text);
    }
}

#[test]
fn drawing_and_surfacing_have_their_conditions() {
    let explore = |turned_up, squid_demand, draw_pile_size| {
        explore(&View { turned_up, squid_demand, draw_pile_size, ..Default::default() })
    };
    assert_eq!(explore(false, 0, 50), "draw");
    assert_eq!(explore(true, 0, 49), "draw or surface");
    assert_eq!(explore(true, 2, 48), "draw");
    assert_eq!(explore(true, 0, 0), "surface");
}

#[test]
fn a_map_is_described_to_those_who_see_it() {
    let view = View { map_cards: cards("anchor-2 siren-9"), ..view(Phase::Map) };
    assert!(say(&view).ends_with("\n  place: any of anchor-2 siren-9"));
}

#[test]
fn divers_change_what_a_harpoon_may_take() {
    let mut view = view(Phase::Harpoon);
    view.players[2].hold = cards("squid-4 map-6");
    assert!(say(&view).ends_with(":\n  harpoon 1: any of net\n  harpoon 2: any of map"));
    view.players[0].diver = Diver::Swordsman.into();
    assert!(say(&view).ends_with(":\n  harpoon 1: any of squid net\n  harpoon 2: any of squid map"));
    view.players[0].diver = Diver::Parry.into();
    assert!(
        say(&view).ends_with(":\n  harpoon 1: any of net\n  harpoon 2: any of map"),
        "one's own parry parries nobody"
    );
    view.players[0].diver = 0;
    view.players[2].diver = Diver::Parry.into();
    assert!(say(&view).ends_with(":\n  harpoon 2: any of squid"));
}

#[test]
fn words_wrap_at_the_width() {
    let mut view = view(Phase::Net);
    view.players[0].hold = cards("anchor-7 squid-5 map-3 key-4 chest-6 knife-2 drone-3 net-3 harpoon-4 siren-5");
    let text = prompt(&view, &Seating::default(), Screen::plain(40));
    let expected = "\
seat 0 is to use the net:
  net: any of anchor squid map key chest
  knife drone net harpoon siren";
    assert_eq!(text, expected);
    view.phase = Phase::NameVictim.into();
    let text = prompt(&view, &Seating::new(["Ana"]), Screen::plain(40));
    let expected = "\
Ana (seat 0) is to name the victim of
the saboteuse:
  victim: any of 1 2";
    assert_eq!(text, expected);
}

#[test]
fn what_is_newer_than_this_client_is_left_to_the_server() {
    let view = View { phase: 99, asked: Some(77), ..Default::default() };
    let words = "see `divelog game legal`, this client does not know the words";
    assert_eq!(say(&view), format!("seat 77 is to act:\n  {words}"));
    for phase in 0..12 {
        say(&View { phase, asked: Some(77), ..Default::default() });
    }
}
