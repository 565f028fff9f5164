//! CC-D13: the captain's hook, and effects inside effects.

use super::super::{Action, Diver, Event, OpenNet, Phase, Skip, Suit, Variant};
use super::table::{Table, card, draw, harpoon, has_incident, knife, net, place, play, play_with, skipped, unshuffled};
use crate::Seat;

fn hook() -> Table {
    Table::of(2).diver(0, Diver::CaptainsHook)
}

#[test]
fn cc_d13_the_net_brings_in_two_cards() {
    let state = hook().pile("net 3, siren 7").hold(0, "key 4, key 6, anchor 5").ready();
    let state = draw(&state).next;
    assert_eq!(state.open_nets[..], [OpenNet { card: card("net 3"), catches: 2 }]);
    let step = play(&state, net(Suit::Key));
    assert_eq!(step.events[0], Event::Netted { seat: Seat(0), card: card("key 6"), second: false });
    assert_eq!(step.next.phase, Phase::Net);
    assert_eq!(step.next.open_nets[..], [OpenNet { card: card("net 3"), catches: 1 }]);
    assert_eq!(step.next.choices(), [net(Suit::Anchor), net(Suit::Key)], "the key 4 is there, and an incident");
    let step = play(&step.next, net(Suit::Anchor));
    assert_eq!(step.events[0], Event::Netted { seat: Seat(0), card: card("anchor 5"), second: true });
    assert_eq!(step.next.row_names(), "net 3, key 6, anchor 5");
    assert_eq!(step.next.choices(), [Action::Draw, Action::Surface]);
    assert!(step.next.open_nets.is_empty());
}

#[test]
fn cc_d13_an_opponents_net_brings_in_one() {
    let state = Table::of(2).diver(1, Diver::CaptainsHook).pile("net 3, siren 7").hold(0, "key 4, anchor 5").ready();
    assert_eq!(play(&draw(&state).next, net(Suit::Key)).next.phase, Phase::Explore);
}

#[test]
fn cc_d13_as_far_as_the_hold_allows() {
    let step = draw(&hook().pile("net 3, siren 7").ready());
    let skips = step.events.iter().filter(|event| matches!(event, Event::EffectSkipped { .. })).count();
    assert_eq!((skips, step.next.phase), (1, Phase::Explore), "an empty hold is reported once");
    let step = play(&draw(&hook().pile("net 3, siren 7").hold(0, "key 4").ready()).next, net(Suit::Key));
    assert_eq!(skipped(&step, Suit::Net), Some(Skip::EmptyHold));
    assert_eq!((step.next.phase, step.next.open_nets.len()), (Phase::Explore, 0));
}

#[test]
fn cc_d13_as_far_as_incidents_allow() {
    let state = hook().row("key 2").pile("net 3, siren 7").hold(0, "key 4, anchor 5").ready();
    let step = play(&draw(&state).next, net(Suit::Key));
    assert!(has_incident(&step));
    assert_eq!((step.next.hold_of(0).as_str(), step.next.turn), ("anchor 5", Seat(1)));
    assert!(step.next.open_nets.is_empty());
}

#[test]
fn cc_d13_the_second_is_chosen_after_the_first_is_fully_resolved() {
    // The first is a map, which brings in a harpoon, which brings in a knife, which is used: only then the second.
    let state = hook()
        .pile("net 3, siren 7")
        .hold(0, "map 4, anchor 5")
        .hold(1, "knife 6, siren 9")
        .graveyard("harpoon 2, siren 4")
        .ready();
    let state = draw(&state).next;
    let state = play_with(&state, net(Suit::Map), &unshuffled(2)).next;
    assert_eq!(state.phase, Phase::Map);
    let state = play(&state, place("harpoon 2")).next;
    assert_eq!(state.phase, Phase::Harpoon);
    let state = play(&state, harpoon(1, Suit::Knife)).next;
    assert_eq!(state.phase, Phase::Knife);
    assert_eq!(state.open_nets[..], [OpenNet { card: card("net 3"), catches: 1 }]);
    let state = play(&state, knife(1, Suit::Siren)).next;
    assert_eq!(state.choices(), [net(Suit::Anchor)]);
    let state = play(&state, net(Suit::Anchor)).next;
    assert_eq!(state.row_names(), "net 3, map 4, harpoon 2, knife 6, anchor 5");
    assert_eq!(state.phase, Phase::Explore);
}

#[test]
fn cc_d13_what_the_first_does_to_the_hold_shows_in_the_second_choice() {
    // The first is a knife that misfires and takes the last card.
    let table = Table::of(2).diver(0, Diver::CaptainsHook).diver(1, Diver::Misfire).pile("net 3, siren 7");
    let state = draw(&table.hold(0, "knife 4, anchor 5").ready()).next;
    let state = play(&state, net(Suit::Knife)).next;
    let step = play(&state, Action::Misfire { suit: Suit::Anchor });
    assert_eq!(skipped(&step, Suit::Net), Some(Skip::EmptyHold));
    assert_eq!(step.next.choices(), [Action::Draw, Action::Surface]);
}

#[test]
fn cc_d13_under_strange_lands_a_net_in_a_net_brings_in_its_two_first() {
    let state = hook()
        .variant(Variant::StrangeLands)
        .pile("net 3, siren 8")
        .hold(0, "net 4, key 5, anchor 6, siren 7, chest 2")
        .ready();
    let state = play(&draw(&state).next, net(Suit::Net)).next;
    let nets = [OpenNet { card: card("net 3"), catches: 1 }, OpenNet { card: card("net 4"), catches: 2 }];
    assert_eq!(state.open_nets[..], nets);
    let state = play(&state, net(Suit::Key)).next;
    let state = play(&state, net(Suit::Anchor)).next;
    assert_eq!(state.open_nets[..], nets[..1], "the outer net has its second now");
    let step = play(&state, net(Suit::Siren));
    assert_eq!(step.events[0], Event::Netted { seat: Seat(0), card: card("siren 7"), second: true });
    assert_eq!(step.next.row_names(), "net 3, net 4, key 5, anchor 6, siren 7");
    assert_eq!(step.next.phase, Phase::Explore);
}
