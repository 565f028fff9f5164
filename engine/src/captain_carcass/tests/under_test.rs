//! What the contract suite needs to know about Captain Carcass.

use alloc::{vec, vec::Vec};
use core::ops::RangeInclusive;

use super::super::{
    Action, Card, Diver, Divers, Event, GameEnd, MAX_ACTIONS, Options, Phase, Rules, SEATS, Skip, Source, State, Suit,
    Variant,
};
use crate::contract::{UnderTest, altered};
use crate::{Chance, Game, Seat, SeatCount, Step, Viewer, shuffle};

/// The most points without CC-V2: nine sevens, the siren 9 and its golden scales.
const MAX_POINTS: i32 = 77;

impl UnderTest for State {
    const SEATS: RangeInclusive<u8> = SEATS;
    const MAX_ACTIONS: usize = MAX_ACTIONS;
    /// A knife: three opponents with ten suits each.
    const MAX_OFFERS: usize = 30;
    const SECRET_CHOICES: bool = false;
    const SEEDS: u64 = 300;
    const STYLES: &'static [&'static str] = &["uniform", "bold", "cautious", "collector", "wrecker", "careful"];
    const LANDMARKS: &'static [&'static str] = &[
        "victim named",
        "demand voided",
        "squid straight to hold",
        "siren straight to hold",
        "four asked",
        "squid on top of a demand",
        "map skipped",
        "squid skipped",
        "drone skipped",
        "net skipped",
        "knife skipped",
        "misfire skipped",
        "harpoon skipped",
        "bonus skipped",
        "whole graveyard shown",
        "three cards shown by a drone",
        "whole stack knifed",
        "scavenged",
        "misfired",
        "second netted",
        "parried",
        "saved",
        "lost to a hold",
        "surfaced with nothing",
        "a suit twice in a row",
        "bonus taken",
        "plundered",
        "sudden death",
        "every card scored",
        "missing suits counted",
        "too many points to win",
        "shared win",
    ];

    fn random_options(_rules: Rules, seats: SeatCount, chance: &mut dyn Chance) -> Options {
        let variant = Variant::ALL.get(chance.below(8) as usize).copied();
        let divers = match chance.below(4) {
            0 => Divers::None,
            1 => Divers::Dealt,
            _ => {
                let mut left = Diver::ALL.to_vec();
                left.retain(|diver| *diver != Diver::Saboteuse || variant != Some(Variant::ThievesIsland));
                let choose = |_| {
                    let chosen = left[chance.below(left.len() as u32) as usize];
                    left.retain(|diver| diver.character() != chosen.character());
                    chosen
                };
                Divers::Chosen(seats.seats().map(choose).collect())
            }
        };
        Options { divers, variant }
    }

    fn weight(&self, style: &str, _seat: Seat, action: &Action) -> u32 {
        let row = self.exploration.len();
        let lies_there = |suit| self.exploration.iter().any(|explored| explored.card.suit() == suit);
        match (style, action) {
            // Long rows, incidents, full graveyards, empty holds.
            ("bold", Action::Draw) => 12,
            ("bold", Action::Surface) => 1,
            // Many short turns and full holds.
            ("cautious", Action::Draw) => u32::from(row < 2),
            ("cautious", Action::Surface) => 4,
            // Bonuses.
            ("collector", Action::Draw) => u32::from(row < 4) * 8,
            ("collector", Action::Surface) if lies_there(Suit::Key) && lies_there(Suit::Chest) => 40,
            // Brings in what causes an incident.
            ("wrecker", Action::Net { suit } | Action::Harpoon { suit, .. }) => 1 + 20 * u32::from(lies_there(*suit)),
            ("wrecker", Action::PlaceFromMap { card }) => 1 + 20 * u32::from(lies_there(card.suit())),
            ("wrecker", Action::Draw) => 3,
            // Avoids incidents, so that effects pile up.
            ("careful", Action::Net { suit } | Action::Harpoon { suit, .. }) => 1 + 20 * u32::from(!lies_there(*suit)),
            ("careful", Action::PlaceFromMap { card }) => 1 + 20 * u32::from(!lies_there(card.suit())),
            ("careful", Action::Draw) => u32::from(row < 5) * 3,
            _ => 1,
        }
    }

    fn near_misses(&self, seat: Seat, chance: &mut dyn Chance) -> Vec<Action> {
        let mut actions = vec![Action::Draw, Action::Surface];
        let seats = self.players.len() as u8;
        for seat in [0, 1, seats - 1, seats, seat.0, 255].map(Seat) {
            actions.extend([Action::NameVictim { seat }, Action::Plunder { seat }]);
        }
        for suit in Suit::ALL {
            actions.extend([Action::Net { suit }, Action::Misfire { suit }]);
            let near = Seat(chance.below(u32::from(seats) + 1) as u8);
            actions.extend([Action::Knife { seat: near, suit }, Action::Harpoon { seat: near, suit }]);
        }
        // The suits of a real hold, and the parry's.
        for near in (0..seats).map(Seat) {
            let held = self.hold(near).iter().map(|card| card.suit()).last().unwrap_or(Suit::Squid);
            for suit in [held, Suit::Squid] {
                actions.extend([Action::Knife { seat: near, suit }, Action::Harpoon { seat: near, suit }]);
            }
        }
        let shown = usize::from(self.map_count);
        let graveyard = self.graveyard.get(shown.saturating_sub(1)..).unwrap_or_default().iter().take(3);
        let row = self.exploration.iter().map(|explored| &explored.card).take(1);
        let cards = graveyard.chain(self.draw_pile.first()).chain(row).copied();
        actions.extend(cards.map(|card| Action::PlaceFromMap { card }));
        actions
    }

    fn census(&self) -> Vec<u32> {
        let holds = self.players.iter().flat_map(|player| player.hold.iter());
        let piles = self.draw_pile.iter().chain(&self.graveyard).copied();
        let row = self.exploration.iter().map(|explored| explored.card);
        let number = |card: Card| card.suit() as u32 * 100 + u32::from(card.value());
        let mut cards: Vec<u32> = holds.chain(piles).chain(row).map(number).collect();
        cards.sort_unstable();
        cards
    }

    /// Hidden from all: the draw pile and the graveyard, where each card lies and which of the two holds it. The player
    /// whose turn it is knows the places of what the drone shows, and the cards, but not the places, that the map shows.
    fn redeal(&self, after: Option<&Step<State>>, viewer: Viewer, chance: &mut dyn Chance) -> State {
        let sees_all = |state: &State| viewer == Viewer::Auditor || state.phase == Phase::Over;
        let mut other = self.clone();
        if sees_all(self) || after.is_some_and(|step| sees_all(&step.next)) {
            return other;
        }
        let acts = viewer == Viewer::Seat(self.turn);
        let (by_drone, by_map) = if acts { (self.drone_count, self.map_count) } else { (0, 0) };
        let events = after.map_or(&[][..], |step| &step.events);
        let shown_cards: Vec<Card> = events
            .iter()
            .filter_map(|event| State::redact(State::NEWEST_RULES, event, viewer))
            .flat_map(shows)
            .collect();
        let is_hidden = |card: &&mut Card| !shown_cards.contains(*card);
        let (shown, unseen) = other.graveyard.split_at_mut(by_map.into());
        let unseen = other.draw_pile[by_drone.into()..].iter_mut().chain(unseen);
        permute(unseen.filter(is_hidden).collect(), chance);
        permute(shown.iter_mut().filter(is_hidden).collect(), chance);
        other
    }

    fn altered(&self) -> Vec<State> {
        let seats = self.seat_count();
        let mut altered = altered![
            self,
            |other| other.variant = if other.variant.is_some() { None } else { Some(Variant::ALL[0]) },
            |other| other.turn = other.turn.next(seats),
            |other| other.first_seat = other.first_seat.next(seats),
            |other| other.players[0].diver = if other.players[0].diver.is_some() { None } else { Some(Diver::ALL[0]) },
            |other| other.players[0].victim = other.players[0].victim.map_or(Some(Seat(1)), |_| None),
            |other| other.exploration.reverse(),
            |other| other.exploration.pop(),
            |other| other.exploration.iter_mut().for_each(|explored| explored.source = Source::OpponentHold),
            |other| other.turned_up ^= true,
            |other| other.squid_demand += 1,
            |other| other.open_nets.pop(),
            |other| other.open_nets.iter_mut().for_each(|net| net.catches += 1),
            |other| other.draw_pile.reverse(),
            |other| other.graveyard.reverse(),
            |other| other.plunder_count += 1,
        ];
        if let Some(card) = self.hold(Seat(0)).iter().next() {
            altered.extend(altered![self, |other| other.hold_mut(Seat(0)).remove(card)]);
        }
        let (drone, map) = (usize::from(self.drone_count), usize::from(self.map_count));
        if drone < self.draw_pile.len() {
            altered.extend(altered![self, |other| other.drone_count += 1, |other| other.draw_pile.pop()]);
        }
        if map < self.graveyard.len() {
            altered.extend(altered![self, |other| other.map_count += 1, |other| other.graveyard.pop()]);
        }
        // Once the game is over the piles are turned up and phases have no meaning.
        if self.phase != Phase::Over {
            let phase = if self.phase == Phase::Explore { Phase::Knife } else { Phase::Explore };
            altered.extend(altered![self, |other| other.phase = phase]);
        }
        altered
    }

    /// Everything is done openly.
    fn looks_the_same(&self, _seat: Seat, _one: &Action, _other: &Action, _viewer: Viewer) -> bool {
        false
    }

    fn landmark(event: &Event) -> Option<&'static str> {
        let twice = |cards: &[Card]| {
            cards.iter().enumerate().any(|(place, card)| cards[..place].iter().any(|other| other.suit() == card.suit()))
        };
        Some(match event {
            Event::VictimNamed { .. } => "victim named",
            Event::DemandVoided { .. } => "demand voided",
            Event::WentStraightToHold { card, .. } if card.suit() == Suit::Squid => "squid straight to hold",
            Event::WentStraightToHold { .. } => "siren straight to hold",
            Event::SquidAsked { asks, squid_demand, .. } if squid_demand > asks => "squid on top of a demand",
            Event::SquidAsked { asks: 4, .. } => "four asked",
            Event::EffectSkipped { suit, skip, .. } => match (suit, skip) {
                (Suit::Map, _) => "map skipped",
                (Suit::Squid, _) => "squid skipped",
                (Suit::Drone, _) => "drone skipped",
                (Suit::Net, _) => "net skipped",
                (Suit::Knife, Skip::EmptyHold) => "misfire skipped",
                (Suit::Knife, _) => "knife skipped",
                (Suit::Harpoon, _) => "harpoon skipped",
                _ => "bonus skipped",
            },
            Event::MapShowed { count: 4.., .. } => "whole graveyard shown",
            Event::DroneShowed { count: 3, .. } => "three cards shown by a drone",
            Event::Knifed { cards, .. } if cards.len() > 1 => "whole stack knifed",
            Event::Knifed { to_hold_of: Some(_), .. } => "scavenged",
            Event::Misfired { .. } => "misfired",
            Event::Netted { second: true, .. } => "second netted",
            Event::HarpoonParried { .. } => "parried",
            Event::Saved { .. } => "saved",
            Event::Lost { to_hold_of: Some(_), .. } => "lost to a hold",
            Event::Surfaced { cards, .. } if cards.is_empty() => "surfaced with nothing",
            Event::Surfaced { cards, .. } if twice(cards) => "a suit twice in a row",
            Event::BonusTaken { .. } => "bonus taken",
            Event::Plundered { .. } => "plundered",
            Event::GameEnded { cause: GameEnd::SuddenDeath, .. } => "sudden death",
            Event::GameEnded { points, winners, .. } => {
                let most = points.iter().max();
                if points.iter().any(|points| *points > MAX_POINTS) {
                    "every card scored"
                } else if points.iter().any(|points| *points < 0) {
                    "missing suits counted"
                } else if winners.iter().all(|seat| points.get(seat.index()) != most) {
                    "too many points to win"
                } else if winners.iter().count() > 1 {
                    "shared win"
                } else {
                    return None;
                }
            }
            _ => return None,
        })
    }
}

/// Deals the cards of these places again among them.
fn permute(mut places: Vec<&mut Card>, chance: &mut dyn Chance) {
    let mut cards: Vec<Card> = places.iter().map(|card| **card).collect();
    shuffle(&mut cards, chance);
    places.iter_mut().zip(cards).for_each(|(place, card)| **place = card);
}

/// The cards that an event shows.
fn shows(event: Event) -> Vec<Card> {
    match event {
        Event::PilesLaid { draw_pile, graveyard, .. } => [draw_pile, graveyard].concat(),
        Event::GraveyardShuffled { order: cards, .. }
        | Event::MapShowed { cards, .. }
        | Event::DroneShowed { cards, .. }
        | Event::Knifed { cards, .. }
        | Event::Saved { cards, .. }
        | Event::Lost { cards, .. }
        | Event::Surfaced { cards, .. }
        | Event::BonusTaken { cards, .. }
        | Event::Plundered { cards, .. } => cards,
        Event::Drew { card, .. }
        | Event::WentStraightToHold { card, .. }
        | Event::Entered { card, .. }
        | Event::PlacedFromMap { card, .. }
        | Event::Misfired { card, .. }
        | Event::Netted { card, .. }
        | Event::Harpooned { card, .. }
        | Event::HarpoonParried { card, .. }
        | Event::IncidentCaused { card, .. } => vec![card],
        Event::DiversGiven { .. }
        | Event::FirstSeatDrawn { .. }
        | Event::VictimNamed { .. }
        | Event::TurnStarted { .. }
        | Event::DemandVoided { .. }
        | Event::SquidAsked { .. }
        | Event::EffectSkipped { .. }
        | Event::BonusEarned { .. }
        | Event::GameEnded { .. } => vec![],
    }
}
