//! What the contract suite needs to know about Key Largo.

use alloc::{sync::Arc, vec, vec::Vec};
use core::ops::RangeInclusive;

use super::super::state::Look;
use super::super::{
    Action, BarPrices, Card, CardId, CardSet, Depth, DepthCards, DrawCause, Encounter, Event, Half, Item, MAX_ACTIONS,
    Options, Phase, Place, Rules, SEATS, SaleWay, ShopPrices, State, Ware,
};
use crate::contract::{UnderTest, altered};
use crate::{Chance, Game, Seat, SeatCount, SeatSet, Step, Viewer};

pub(super) fn pick<T: Copy>(from: &[T], chance: &mut dyn Chance) -> T {
    from[chance.below(from.len() as u32) as usize]
}

pub(super) fn one_in(bound: u32, chance: &mut dyn Chance) -> bool {
    chance.below(bound) == 0
}

/// Wreck cards of any kinds and values: all monsters, all diamonds and all of one ware are possible.
fn random_depth(depth: Depth, chance: &mut dyn Chance) -> DepthCards {
    let mut cards = DepthCards::default();
    let kinds = 1 + chance.below(5);
    let first = chance.below(5);
    for _ in 0..depth.cards() {
        let value = pick(&[0, 1, 2, 3, 50, 10_000], chance);
        match (first + chance.below(kinds)) % 5 {
            0 => cards.monsters += 1,
            1 => cards.diamonds.push(value),
            2 => cards.gold.push(value),
            3 => cards.goods.push(value),
            _ => cards.antiques.push(value),
        }
    }
    cards
}

fn random_row(chance: &mut dyn Chance) -> Vec<u32> {
    (0..=chance.below(5)).map(|_| pick(&[0, 1, 15, 20, 40, 100, 10_000], chance)).collect()
}

/// The names of the encounter cards, for landmarks.
macro_rules! landmarks {
    ($($name:literal)*; $($card:ident)*) => {
        const LANDMARKS: &[&str] = &[$($name,)* $(stringify!($card)),*];

        fn played(encounter: Encounter) -> &'static str {
            match encounter { $(Encounter::$card => stringify!($card),)* }
        }
    };
}

landmarks! {
    "dive lost" "sabotage passed" "replacement" "weight" "wreck gone" "monsters returned" "diver fled" "second monster met"
    "expert recruited" "card stolen" "dupe sold" "nothing to pay" "high price" "own dolphins"
    "shared win";
    Volunteer HastyBuyer Regular Saboteur AttentiveDiver BarTourist Drunkard NoviceDiver ExpertDiver Cutpurse
    InseparableBrothers DolphinsTourist Family ShopTourist HoseSeller TridentSeller WeightSeller Discounter GoodFriend
    MarketTourist Dupe Trafficker Jeweller GoldDigger
}

impl UnderTest for State {
    const SEATS: RangeInclusive<u8> = SEATS;
    const MAX_ACTIONS: usize = MAX_ACTIONS;
    /// At the bar: recruit, done, three depths of four victims, sixteen wrecks for a round, sixteen for a drunkard and another
    /// card.
    const MAX_OFFERS: usize = 47;
    const SECRET_CHOICES: bool = true;
    const SEEDS: u64 = 300;
    const STYLES: &'static [&'static str] = &["uniform", "divers", "tourists", "crowd", "traders", "idle"];
    const LANDMARKS: &'static [&'static str] = LANDMARKS;

    fn random_options(rules: Rules, _seats: SeatCount, chance: &mut dyn Chance) -> Options {
        let mut own = || one_in(4, chance);
        let (cards, bar, dolphins, shop) = (own(), own(), own(), own());
        let unsold = rules != Rules::V1 && own();
        Options {
            encounters: !one_in(4, chance),
            wreck_cards: cards.then(|| Depth::ALL.map(|depth| random_depth(depth, chance))),
            bar: bar.then(|| BarPrices { diver: random_row(chance), pickpocket: random_row(chance) }),
            dolphins: dolphins.then(|| (0..10).map(|_| pick(&[0, 7, 60, 10_000], chance)).collect()),
            shop: shop.then(|| ShopPrices {
                hose: random_row(chance),
                trident: random_row(chance),
                weight: random_row(chance),
            }),
            unsold_unit: unsold.then(|| pick(&[0, 1, 30, 10_000], chance)),
        }
    }

    fn weight(&self, style: &str, seat: Seat, action: &Action) -> u32 {
        let has = |morning: &Place, afternoon: &Place, place| *morning == place || *afternoon == place;
        match (style, action) {
            ("uniform", _) => 1,
            // Many divers with much equipment: wrecks run empty.
            ("divers", Action::Program { morning, afternoon }) => {
                let poor = self.player(seat).cash < 60;
                let second = if poor { Place::Market } else { pick_by(self.day, [Place::Shop, Place::Bar]) };
                u32::from(has(morning, afternoon, Place::Dive) && has(morning, afternoon, second))
            }
            ("divers", Action::HirePickpocket { .. }) => 0,
            // Encounter cards are met and played as often as possible.
            ("tourists", Action::Program { morning, .. }) => 1 + 6 * u32::from(*morning == Place::Dolphins),
            ("tourists" | "traders", Action::PlayEncounter(_)) => 30,
            // Everybody at the same places: high prices, no free wreck, saboteurs.
            ("crowd", Action::Program { morning, afternoon }) => {
                let places = [[Place::Dolphins, Place::Dive], [Place::Shop, Place::Dive], [Place::Bar, Place::Market]];
                1 + 60 * u32::from(places[usize::from(self.day % 3)] == [*morning, *afternoon])
            }
            ("crowd", Action::PlaceBoat { wreck }) => 17 - wreck,
            // Treasures are brought up and sold by every card there is.
            ("traders", Action::Program { morning, afternoon }) => {
                let round = [[Place::Dolphins, Place::Dive], [Place::Dive, Place::Market], [Place::Shop, Place::Dive]];
                1 + 40 * u32::from(round[usize::from(self.day % 3)] == [*morning, *afternoon])
            }
            // Leaves as soon as possible, and takes what comes.
            ("idle", Action::Done | Action::Surface | Action::Pass) => 10,
            (_, Action::Done | Action::Surface) => 1,
            // There are as many of these as wrecks.
            (_, Action::FirstWreck { .. } | Action::SecondWreck { .. }) => 1,
            (_, Action::Buy { item: Item::Hose, .. }) => 8,
            (_, _) => 4,
        }
    }

    fn near_misses(&self, seat: Seat, chance: &mut dyn Chance) -> Vec<Action> {
        let mut actions = vec![self.any_action(chance), self.any_action(chance)];
        // A seat that is not asked is refused whatever it wants.
        if self.to_act().contains(seat) {
            actions.extend((0..6).map(|_| self.action_of_phase(seat, chance)));
            actions.push(Action::PlayEncounter(self.any_play(seat, chance)));
        }
        actions
    }

    fn census(&self) -> Vec<u32> {
        let in_wrecks = self.wrecks.iter().flat_map(|wreck| wreck.cards.iter().copied());
        let in_hands = self.players.iter().flat_map(|player| player.hand.iter());
        let in_dive = self.dive.set_aside.iter().chain(&self.dive.monster).copied();
        let gone = self.sold.iter().chain(self.killed.iter());
        let card =
            |id: CardId| u32::from(id.0) << 20 | (self.face(id).kind as u32) << 16 | u32::from(self.face(id).value);
        let mut census: Vec<u32> = in_wrecks.chain(in_hands).chain(in_dive).chain(gone).map(card).collect();
        // A card that got lost would be counted among those removed at the set-up.
        census.extend(self.removed().iter().map(|id| 1 << 31 | card(id)));
        census.sort_unstable();
        let held = self.players.iter().flat_map(|player| &player.encounters);
        let mut encounters: Vec<u32> =
            held.chain(&self.encounter_deck).chain(&self.encounters_played).map(|card| *card as u32).collect();
        encounters.sort_unstable();
        census.extend(encounters);
        let divers = || self.players.iter().flat_map(|player| &player.divers);
        let carried = [
            divers().map(|diver| u32::from(diver.hoses)).sum::<u32>(),
            divers().filter(|diver| diver.trident).count() as u32,
            divers().filter(|diver| diver.weight).count() as u32,
        ];
        census.push(divers().count() as u32 + u32::from(self.reserve.divers + self.gone.divers));
        for (item, carried) in Item::ALL.into_iter().zip(carried) {
            census.push(carried + u32::from(self.reserve.items[item.index()] + self.gone.items[item.index()]));
        }
        census
    }

    fn redeal(&self, after: Option<&Step<State>>, viewer: Viewer, chance: &mut dyn Chance) -> State {
        self.dealt_again(after, viewer, chance)
    }

    fn altered(&self) -> Vec<State> {
        let seats = self.seat_count();
        let mut altered = altered![
            self,
            |other| other.encounters ^= true,
            |other| Arc::make_mut(&mut other.tables).dolphins[0] += 1,
            |other| Arc::make_mut(&mut other.tables).wreck_cards[2].monsters += 1,
            |other| Arc::make_mut(&mut other.faces)[0].value += 1,
            |other| Arc::make_mut(&mut other.faces)[79].value += 1,
            |other| other.day += 1,
            |other| other.half = if other.half == Half::Morning { Half::Afternoon } else { Half::Morning },
            |other| other.first_seat = other.first_seat.next(seats),
            |other| other.wrecks[0].cards.reverse(),
            |other| other.wrecks[1].cards.pop(),
            |other| other.wrecks[2].depth =
                if other.wrecks[2].depth == Depth::Deep { Depth::Medium } else { Depth::Deep },
            |other| other.players[0].cash += 1,
            |other| other.players[0].programme = Some([Place::Bar, Place::Shop]),
            |other| other.players[0].programme = Some([Place::Bar, Place::Market]),
            |other| other.players[0].boat = other.players[0].boat.map_or(Some(0), |_| None),
            |other| other.players[1].divers.pop(),
            |other| other.players[0].divers.iter_mut().for_each(|diver| diver.hoses += 1),
            |other| other.players[0].divers.iter_mut().for_each(|diver| diver.trident ^= true),
            |other| other.players[0].divers.iter_mut().for_each(|diver| diver.weight ^= true),
            |other| other.players[0].divers.iter_mut().for_each(|diver| diver.sabotaged ^= true),
            |other| other.players[0].divers.iter_mut().for_each(|diver| diver.has_drawn ^= true),
            |other| other.players[0].encounters.reverse(),
            |other| other.players[0].encounters.pop(),
            |other| other.players[0].played = other.players[0].played.map_or(Some(Encounter::Regular), |_| None),
            |other| other.reserve.divers += 1,
            |other| other.reserve.items[2] += 1,
            |other| other.gone.divers += 1,
            |other| other.gone.items[0] += 1,
            |other| other.encounter_deck.reverse(),
            |other| other.encounter_deck.pop(),
            |other| other.encounters_played.reverse(),
            |other| other.encounters_played.pop(),
            |other| other.look = other.look.take().map_or(Some(look(Seat(0), 0)), |_| None),
            |other| other.look = Some(look(Seat(1), 0)),
            |other| other.look = Some(look(Seat(1), 1)),
        ];
        for card in [CardId(0), CardId(30), CardId(79)] {
            let set = |set: &mut CardSet| if set.contains(card) { set.remove(card) } else { set.insert(card) };
            altered.extend(altered![
                self,
                |other| set(&mut other.players[0].hand),
                |other| set(&mut other.sold),
                |other| set(&mut other.killed),
            ]);
            if matches!(self.phase, Phase::Dive | Phase::Monster) {
                altered.extend(altered![
                    self,
                    |other| set(&mut other.dive.drawn),
                    |other| other.dive.monster = Some(card),
                    |other| other.dive.set_aside = [card].into_iter().collect(),
                ]);
            }
            if matches!(self.phase, Phase::Bar | Phase::SecondWreck | Phase::Shop | Phase::Market) {
                altered.extend(altered![self, |other| other.visit.dupe = Some((card, Ware::Gold)), |other| other
                    .visit
                    .dupe =
                    Some((card, Ware::Goods)),]);
            }
        }
        if matches!(self.phase, Phase::Dive | Phase::Monster) {
            altered.extend(altered![
                self,
                |other| other.dive.last_was_treasure ^= true,
                |other| other.dive.diver_fled ^= true,
                |other| other.dive.last_diver = other.dive.last_diver.map_or(Some(0), |_| None),
            ]);
        }
        if matches!(self.phase, Phase::Bar | Phase::SecondWreck | Phase::Shop | Phase::Market) {
            altered.extend(altered![
                self,
                |other| other.visit.recruits += 1,
                |other| other.visit.pickpockets += 1,
                |other| other.visit.round_bought ^= true,
                |other| other.visit.bought[1] += 1,
                |other| other.visit.sold ^= true,
                |other| other.phase = if other.phase == Phase::Bar { Phase::Shop } else { Phase::Bar },
            ]);
        }
        // Otherwise it is the first seat's.
        if !matches!(self.phase, Phase::Program | Phase::Over | Phase::Dive | Phase::Monster) {
            altered.extend(altered![self, |other| other.turn = other.turn.next(seats)]);
        }
        altered
    }

    /// KL-4, KL-5: a programme is secret. The last one reveals the mornings, and the afternoons too where nobody is asked
    /// anything in the morning; that unrevealed ones stay secret then is for the re-deal to check.
    fn looks_the_same(&self, seat: Seat, one: &Action, other: &Action, viewer: Viewer) -> bool {
        let programmes = matches!((one, other), (Action::Program { .. }, Action::Program { .. }));
        programmes && viewer != Viewer::Seat(seat) && self.to_act() != SeatSet::only(seat)
    }

    fn landmarks_of(rules: Rules) -> &'static [&'static str] {
        match rules {
            Rules::V1 => &["two wrecks at once"],
            Rules::V2 => &["second wreck named", "second wreck declined"],
        }
    }

    fn landmark(event: &Event) -> Option<&'static str> {
        let name = match event {
            Event::RoundBought { wrecks, .. } if wrecks.len() > 1 => "two wrecks at once",
            Event::SecondWreckNamed { .. } => "second wreck named",
            Event::SecondWreckDeclined { .. } => "second wreck declined",
            Event::DiveLost { .. } => "dive lost",
            Event::SabotagePassed { .. } => "sabotage passed",
            Event::CardDrawn { cause: DrawCause::Replacement, card, .. } if is_monster(card) => "second monster met",
            Event::CardDrawn { cause: DrawCause::Replacement, .. } => "replacement",
            Event::CardDrawn { cause: DrawCause::Weight, .. } => "weight",
            Event::WreckGone { .. } => "wreck gone",
            Event::MonstersReturned { cards, .. } if cards.len() > 1 => "monsters returned",
            Event::DiverFled { .. } => "diver fled",
            Event::Recruited { with_hose: true, .. } => "expert recruited",
            Event::Recruited { price: 0, .. } | Event::Bought { price: 0, .. } => "nothing to pay",
            Event::Bought { price: 61.., .. } => "high price",
            Event::DolphinsPaid { amount: 7, .. } => "own dolphins",
            Event::CardStolen { .. } => "card stolen",
            Event::CardsSold { way: SaleWay::Market, cards, ware, .. } if has_other(cards, *ware) => "dupe sold",
            Event::EncounterPlayed { encounter, .. } => played(*encounter),
            Event::GameEnded { winners, .. } if winners.iter().count() > 1 => "shared win",
            _ => return None,
        };
        Some(name)
    }
}

fn look(seat: Seat, wreck: u8) -> Look {
    Look { seat, wrecks: [wreck].into_iter().collect() }
}

fn pick_by(day: u8, places: [Place; 2]) -> Place {
    places[usize::from(day % 2)]
}

fn is_monster(card: &Card) -> bool {
    card.face.is_some_and(|face| !face.is_treasure())
}

fn has_other(cards: &[Card], ware: Option<Ware>) -> bool {
    cards.iter().any(|card| card.face.and_then(|face| face.ware()) != ware)
}
