//! Divers and variants together: the combinations that the rules and rulings name.

use super::super::{Action, Diver, Event, GameEnd, OpenNet, Phase, Source, Suit, Variant};
use super::table::{
    Table, card, cards, draw, end, harpoon, has_incident, knife, net, place, play, play_with, skipped, unshuffled,
};
use crate::{Seat, SeatSet};

#[test]
fn strange_lands_with_anchors_and_a_miser() {
    // The last anchor saves all before it; the miser's net and its catch come after it.
    let state = Table::of(2)
        .variant(Variant::StrangeLands)
        .diver(0, Diver::Miser)
        .row("siren 9, anchor 2, anchor 3, net 4")
        .row_from(Source::OwnHold, "anchor 5")
        .row("key 6")
        .pile("map 6, net 7")
        .ready();
    let next = draw(&state).next;
    assert_eq!(next.hold_of(0), "anchor 2, anchor 3, anchor 5, net 4, siren 9", "the anchor 5 by the miser");
    assert_eq!(next.graveyard_names(), "map 6, key 6");
    // Saved twice is collected once.
    let state = Table::of(2)
        .variant(Variant::StrangeLands)
        .diver(0, Diver::Miser)
        .row("net 4")
        .row_from(Source::OwnHold, "key 5")
        .row("anchor 6")
        .pile("map 6, net 7")
        .ready();
    let step = draw(&state);
    assert!(step.events.contains(&Event::Saved { seat: Seat(0), cards: cards("net 4, key 5") }));
}

#[test]
fn strange_lands_with_a_miser_whose_harpoon_was_parried() {
    // The net's catch left the row: the card that lies after the net now was turned up.
    let state = Table::of(2)
        .variant(Variant::StrangeLands)
        .diver(0, Diver::Miser)
        .diver(1, Diver::Parry)
        .pile("net 4, key 5, map 5, siren 9")
        .hold(0, "harpoon 3")
        .ready();
    let state = play(&draw(&state).next, net(Suit::Harpoon)).next;
    assert_eq!((state.row_names().as_str(), state.graveyard_names().as_str()), ("net 4", "harpoon 3"));
    let next = draw(&draw(&state).next).next;
    assert_eq!(next.hold_of(0), "net 4");
    assert_eq!(next.graveyard_names(), "map 5, key 5, harpoon 3");
}

#[test]
fn a_miser_and_the_saboteuse_or_thieves() {
    let row = || Table::of(3).diver(0, Diver::Miser).row("siren 5, net 3").row_from(Source::OwnHold, "key 6");
    let next = draw(&row().saboteuse(2, 0).pile("siren 6, map 4").ready()).next;
    assert_eq!((next.hold_of(0).as_str(), next.hold_of(2).as_str()), ("key 6, net 3", "siren 5, siren 6"));
    let next = draw(&row().variant(Variant::ThievesIsland).pile("siren 6, map 4").ready()).next;
    assert_eq!((next.hold_of(0).as_str(), next.hold_of(1).as_str()), ("key 6, net 3", "siren 5, siren 6"));
}

#[test]
fn thieves_island_with_a_safe_harbor() {
    let table = Table::of(3).variant(Variant::ThievesIsland).diver(0, Diver::SafeHarbor).turn(0);
    let next = draw(&table.row("siren 5, anchor 4, key 3, chest 6, map 4").pile("key 5, net 4").ready()).next;
    assert_eq!(next.hold_of(0), "anchor 4, key 3, chest 6, siren 5");
    assert_eq!(next.hold_of(1), "map 4, key 5");
}

#[test]
fn bottom_feeder_with_a_parry() {
    let table = || Table::of(3).variant(Variant::BottomFeeder).diver(1, Diver::Parry).pile("harpoon 4, siren 7");
    let state = draw(&table().hold(0, "squid 7").hold(1, "squid 2, squid 6").hold(2, "key 3").ready()).next;
    assert_eq!(state.choices(), [harpoon(1, Suit::Squid)]);
    let step = play(&state, harpoon(1, Suit::Squid));
    assert_eq!(step.events[0], Event::Harpooned { seat: Seat(0), victim: Seat(1), card: card("squid 2") });
    let step = draw(&table().hold(1, "key 6").hold(2, "squid 3").ready());
    assert_eq!((step.next.row_names().as_str(), step.next.graveyard_names().as_str()), ("", "harpoon 4"));
}

#[test]
fn bottom_feeder_with_scavenger_and_swordsman() {
    let table = Table::of(2).variant(Variant::BottomFeeder).diver(0, Diver::Scavenger).pile("knife 4, siren 7");
    let next = play(&draw(&table.hold(1, "key 3, key 6").ready()).next, knife(1, Suit::Key)).next;
    assert_eq!((next.hold_of(0).as_str(), next.hold_of(1).as_str()), ("key 3", "key 6"));
    let table = Table::of(2).variant(Variant::BottomFeeder).diver(0, Diver::Swordsman).pile("harpoon 4, siren 7");
    let next = play(&draw(&table.hold(0, "key 2").hold(1, "key 3, key 6").ready()).next, harpoon(1, Suit::Key)).next;
    assert_eq!((next.row_names().as_str(), next.hold_of(1).as_str()), ("harpoon 4, key 3", "key 6"));
}

#[test]
fn strange_lands_with_casanova_and_fisherman() {
    // A repeated value, and still straight to the hold.
    let table = |diver| Table::of(2).variant(Variant::StrangeLands).diver(0, diver).row("key 5");
    let next = draw(&table(Diver::Casanova).pile("siren 5, net 4").ready()).next;
    assert_eq!((next.hold_of(0).as_str(), next.row_names().as_str(), next.turn), ("siren 5", "key 5", Seat(0)));
    let next = draw(&table(Diver::Fisherman).pile("squid 5, net 4").ready()).next;
    assert_eq!((next.hold_of(0).as_str(), next.squid_demand), ("squid 5", 0));
}

#[test]
fn strange_lands_with_a_beastmaster() {
    let table = Table::of(2).variant(Variant::StrangeLands).diver(1, Diver::Beastmaster);
    let state = draw(&draw(&table.pile("squid 2, squid 3, key 5").ready()).next).next;
    assert_eq!(state.squid_demand, 3 + 4);
}

#[test]
fn strange_lands_with_a_second_map() {
    // A map places a map, which shuffles what is left and places again.
    let table = Table::of(2).variant(Variant::StrangeLands).pile("map 3, siren 7");
    let state = table.graveyard("map 2, siren 4, key 5, chest 6").ready();
    let state = play_with(&state, Action::Draw, &unshuffled(4)).next;
    let step = play_with(&state, place("map 2"), &[(3, 0), (2, 1)]);
    assert_eq!(step.next.graveyard_names(), "chest 6, key 5, siren 4");
    assert_eq!((step.next.phase, step.next.map_count), (Phase::Map, 3));
    let next = play(&step.next, place("siren 4")).next;
    assert_eq!(next.row_names(), "map 3, map 2, siren 4");
    assert_eq!(next.graveyard_names(), "chest 6, key 5");
}

#[test]
fn strange_lands_with_a_navigator_and_a_second_map() {
    let table = Table::of(2).variant(Variant::StrangeLands).diver(0, Diver::Navigator).pile("map 3, siren 7");
    let state = draw(&table.graveyard("map 2, siren 4, key 5, chest 6").ready()).next;
    let state = play(&state, place("map 2")).next;
    assert_eq!(state.choices(), [place("key 5"), place("chest 6"), place("siren 4")]);
}

#[test]
fn strange_lands_with_two_harpoons_and_a_parry() {
    let table = Table::of(2).variant(Variant::StrangeLands).diver(1, Diver::Parry).hold(1, "squid 5");
    let state = draw(&table.pile("harpoon 3, harpoon 4, siren 7").ready()).next;
    let state = play(&state, harpoon(1, Suit::Squid)).next;
    assert_eq!((state.row_names().as_str(), state.squid_demand), ("harpoon 3, squid 5", 2));
    let state = draw(&state).next;
    assert_eq!((state.row_names().as_str(), state.squid_demand), ("harpoon 3, squid 5", 1), "the second is parried");
}

#[test]
fn a_net_brings_a_map_that_brings_a_drone() {
    let state = Table::of(2).pile("net 3, siren 7, key 7").hold(0, "map 5").graveyard("drone 2, net 2").ready();
    let state = draw(&state).next;
    let state = play_with(&state, net(Suit::Map), &unshuffled(2)).next;
    assert_eq!((state.phase, state.open_nets.len()), (Phase::Map, 0));
    let step = play(&state, place("drone 2"));
    assert!(step.events.contains(&Event::DroneShowed { seat: Seat(0), count: 1, cards: cards("siren 7") }));
    assert_eq!((step.next.row_names().as_str(), step.next.phase), ("net 3, map 5, drone 2", Phase::Explore));
}

#[test]
fn a_map_brings_a_net_that_causes_an_incident_under_a_hook() {
    let state = Table::of(2)
        .diver(0, Diver::CaptainsHook)
        .row("anchor 7, key 5")
        .pile("map 3, siren 7")
        .hold(0, "chest 4, key 6")
        .graveyard("net 2")
        .ready();
    let state = play(&draw(&state).next, place("net 2")).next;
    assert_eq!(state.open_nets[..], [OpenNet { card: card("net 2"), catches: 2 }]);
    let state = play(&state, net(Suit::Chest)).next;
    let step = play(&state, net(Suit::Key));
    assert!(has_incident(&step));
    assert_eq!(step.next.graveyard_names(), "key 6, chest 4, net 2, map 3, key 5, anchor 7");
    assert!(step.next.open_nets.is_empty());
}

#[test]
fn a_hook_whose_first_catch_is_a_parried_harpoon_still_has_a_second() {
    let table = Table::of(2).diver(0, Diver::CaptainsHook).diver(1, Diver::Parry).pile("net 3, siren 7");
    let state = draw(&table.hold(0, "harpoon 4, key 5").ready()).next;
    let state = play(&state, net(Suit::Harpoon)).next;
    assert_eq!((state.row_names().as_str(), state.choices()), ("net 3", [net(Suit::Key)].to_vec()));
    let step = play(&state, net(Suit::Key));
    assert_eq!(step.events[0], Event::Netted { seat: Seat(0), card: card("key 5"), second: true });
}

#[test]
fn a_hook_with_two_parried_harpoons_in_a_nested_net() {
    // Strange lands: the inner net brings in two harpoons, both parried; then the outer net has its second catch.
    let table = Table::of(2).variant(Variant::StrangeLands).diver(0, Diver::CaptainsHook).diver(1, Diver::Parry);
    let state = draw(&table.pile("net 3, siren 7").hold(0, "net 4, harpoon 5, harpoon 6, key 2").ready()).next;
    let state = play(&state, net(Suit::Net)).next;
    let state = play(&state, net(Suit::Harpoon)).next;
    let state = play(&state, net(Suit::Harpoon)).next;
    assert_eq!(state.open_nets[..], [OpenNet { card: card("net 3"), catches: 1 }]);
    let state = play(&state, net(Suit::Key)).next;
    assert_eq!((state.row_names().as_str(), state.phase), ("net 3, net 4, key 2", Phase::Explore));
    assert_eq!(state.graveyard_names(), "harpoon 5, harpoon 6");
}

#[test]
fn the_last_card_of_the_pile_and_nested_effects() {
    // The demand is void, the squid that is netted asks for nothing, the drone that is netted sees nothing.
    let state = Table::of(2)
        .diver(0, Diver::CaptainsHook)
        .row("squid 3")
        .demand(2)
        .pile("net 3")
        .hold(0, "drone 4, anchor 5")
        .ready();
    let step = draw(&state);
    assert!(step.events.contains(&Event::DemandVoided { seat: Seat(0), squid_demand: 2 }));
    let step = play(&step.next, net(Suit::Drone));
    assert!(skipped(&step, Suit::Drone).is_some());
    let state = play(&step.next, net(Suit::Anchor)).next;
    assert_eq!(state.choices(), [Action::Surface]);
    assert!(end(&play(&state, Action::Surface)).is_some());
}

#[test]
fn a_parried_harpoon_can_be_placed_again_by_a_map() {
    let table = Table::of(2).diver(1, Diver::Parry).row("squid 3").demand(3).pile("harpoon 3, map 3, siren 7");
    let state = draw(&draw(&table.ready()).next).next;
    let state = play(&state, place("harpoon 3")).next;
    assert_eq!((state.row_names().as_str(), state.graveyard_names().as_str()), ("squid 3, map 3", "harpoon 3"));
    assert_eq!(state.squid_demand, 0, "it entered twice");
}

#[test]
fn the_harpoon_of_a_knife_diver_and_the_knife_of_a_harpoon_diver_are_plain() {
    let table = Table::of(2).diver(0, Diver::MasterGunner).diver(1, Diver::Swordsman).hold(1, "key 3, key 6");
    let next = play(&draw(&table.pile("harpoon 4, siren 7").ready()).next, harpoon(1, Suit::Key)).next;
    assert_eq!(next.hold_of(1), "key 3");
}

#[test]
fn sudden_death_with_saboteuse_and_safe_harbor() {
    let hold = "anchor 7, squid 7, map 7, key 7, chest 7, knife 7";
    let state = Table::of(2)
        .variant(Variant::SuddenDeath)
        .diver(0, Diver::SafeHarbor)
        .saboteuse(1, 0)
        .hold(0, hold)
        .hold(1, hold)
        .row("drone 2, anchor 2, siren 6, net 3, harpoon 7")
        .pile("siren 9, key 2")
        .ready();
    let step = draw(&state);
    // Seat 0 gets drone 2, anchor, siren 6, net 3: 42 + 11. Seat 1 gets harpoon 7 and siren 9: 42 + 16.
    assert_eq!(end(&step), Some((GameEnd::SuddenDeath, SeatSet::only(Seat(1)))));
    let points = [53, 58].to_vec();
    let ended = Event::GameEnded { cause: GameEnd::SuddenDeath, points, winners: SeatSet::only(Seat(1)) };
    assert_eq!(step.events.last(), Some(&ended));
}
