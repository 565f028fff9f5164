//! What the contract suite needs to know about Key Largo.

use alloc::{vec, vec::Vec};
use core::ops::RangeInclusive;

use super::super::{
    Action, BarPrices, Card, CardId, Depth, DepthCards, DrawCause, Encounter, Event, Item, MAX_ACTIONS, Options, Place,
    SEATS, SaleWay, ShopPrices, State, Ware,
};
use crate::contract::UnderTest;
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
    "expert recruited" "card stolen" "dupe sold" "nothing to pay" "dear purchase" "own dolphins"
    "shared win";
    Volunteer HastyBuyer Regular Saboteur AttentiveDiver BarTourist Drunkard NoviceDiver ExpertDiver Cutpurse
    InseparableBrothers DolphinsTourist Family ShopTourist HoseSeller TridentSeller WeightSeller Discounter GoodFriend
    MarketTourist Dupe Trafficker Jeweller GoldDigger
}

impl UnderTest for State {
    const SEATS: RangeInclusive<u8> = SEATS;
    const MAX_ACTIONS: usize = MAX_ACTIONS;
    /// At the bar: recruit, done, three depths of four victims, rounds, sixteen wrecks for a drunkard and another card.
    const MAX_OFFERS: usize = 32;
    const SECRET_CHOICES: bool = true;
    const SEEDS: u64 = 300;
    const STYLES: &'static [&'static str] = &["uniform", "divers", "tourists", "crowd", "traders", "idle"];
    const LANDMARKS: &'static [&'static str] = LANDMARKS;

    fn random_options(_seats: SeatCount, chance: &mut dyn Chance) -> Options {
        let mut own = || one_in(4, chance);
        let (cards, bar, dolphins, shop) = (own(), own(), own(), own());
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
        let gone = self.sold.iter().chain(self.killed.iter()).chain(self.removed());
        let card =
            |id: CardId| u32::from(id.0) << 20 | (self.face(id).kind as u32) << 16 | u32::from(self.face(id).value);
        let mut census: Vec<u32> = in_wrecks.chain(in_hands).chain(in_dive).chain(gone).map(card).collect();
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
        self.dealt_anew(after, viewer, chance)
    }

    /// KL-4, KL-5: a programme is secret. The last one reveals the mornings, and the afternoons too where nobody is asked
    /// anything in the morning; that unrevealed ones stay secret then is for the re-deal to check.
    fn looks_the_same(&self, seat: Seat, one: &Action, other: &Action, viewer: Viewer) -> bool {
        let programmes = matches!((one, other), (Action::Program { .. }, Action::Program { .. }));
        programmes && viewer != Viewer::Seat(seat) && self.to_act() != SeatSet::only(seat)
    }

    fn landmark(event: &Event) -> Option<&'static str> {
        let name = match event {
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
            Event::Bought { price: 61.., .. } => "dear purchase",
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

fn pick_by(day: u8, places: [Place; 2]) -> Place {
    places[usize::from(day % 2)]
}

fn is_monster(card: &Card) -> bool {
    card.face.is_some_and(|face| !face.is_treasure())
}

fn has_other(cards: &[Card], ware: Option<Ware>) -> bool {
    cards.iter().any(|card| card.face.and_then(|face| face.ware()) != ware)
}
