//! From an older version of the rules to a newer one: ids by the order in which the cards were laid, and a round by its wrecks.

use alloc::{sync::Arc, vec, vec::Vec};

use super::cards::CARDS;
use super::{Action, Card, CardId, CardSet, Event, Offer, Play, State, Tables};
use crate::{CarriedStep, CarryOver, Chance, Game, OlderStep, SetUps, Violation};

impl CarryOver for State {
    fn carry_step(
        &mut self,
        set_ups: SetUps<'_, Event>,
        step: OlderStep<'_, State>,
        chance: &mut dyn Chance,
    ) -> Result<CarriedStep<State>, Violation> {
        let ids = Ids::between(set_ups);
        let actions = self.carry_action(&ids, step.action);
        let mut next = self.clone();
        let mut events = Vec::new();
        for action in &actions {
            let same_card = next.place_of_the_stolen_card(&ids, step.events);
            events.extend(match same_card {
                Some(place) => next.act(step.seat, action, &mut Given(place))?,
                None => next.act(step.seat, action, chance)?,
            });
        }
        *self = next;
        Ok(CarriedStep { actions, events })
    }

    fn carry_events(&self, set_ups: SetUps<'_, Event>, older: Vec<Event>) -> Vec<Event> {
        let ids = Ids::between(set_ups);
        let mut carried = Vec::with_capacity(older.len());
        let mut second_wreck = None;
        for mut event in older {
            ids.carry_event(&mut event);
            match &mut event {
                Event::GameStarted { tables, .. } if self.rules.unsold_unit_is_a_figure() => {
                    let unsold_unit = Some(tables.unsold_unit());
                    *tables = Arc::new(Tables { unsold_unit, ..Tables::clone(tables) });
                }
                // KL-18: two wrecks at once are one and then the other.
                Event::RoundBought { wrecks, .. } if self.rules.second_wreck_is_named_after_the_first() => {
                    second_wreck = wrecks.get(1).copied();
                    wrecks.truncate(1);
                }
                Event::WreckSeen { seat, wreck, .. } if second_wreck == Some(*wreck) => {
                    carried.push(Event::SecondWreckNamed { seat: *seat, wreck: *wreck });
                    second_wreck = None;
                }
                _ => {}
            }
            carried.push(event);
        }
        carried
    }

    fn carry_offers(&self, set_ups: SetUps<'_, Event>, older: Vec<Offer>) -> Vec<Offer> {
        let ids = Ids::between(set_ups);
        older.into_iter().flat_map(|offer| self.carry_offer(&ids, offer)).collect()
    }
}

impl State {
    /// An action in the form of this version. KL-18: a round with two wrecks is a round and its second wreck.
    fn carry_action(&self, ids: &Ids, action: &Action) -> Vec<Action> {
        match action {
            Action::BuyRound { wrecks } if self.rules.second_wreck_is_named_after_the_first() => {
                let first = wrecks.first().map(|wreck| Action::FirstWreck { wreck: *wreck });
                let second = wrecks.iter().skip(1).map(|wreck| Action::SecondWreck { wreck: *wreck });
                first.into_iter().chain(second).collect()
            }
            _ => vec![ids.carry_action(action)],
        }
    }

    fn carry_offer(&self, ids: &Ids, offer: Offer) -> Vec<Offer> {
        let one_wreck = |wreck: u32| Offer::Single(Action::FirstWreck { wreck });
        vec![match offer {
            Offer::BuyRound { wrecks } if self.rules.second_wreck_is_named_after_the_first() => {
                return wrecks.into_iter().map(|wreck| one_wreck(wreck.into())).collect();
            }
            Offer::Single(action) => {
                return self.carry_action(ids, &action).into_iter().map(Offer::Single).collect();
            }
            Offer::BuyRound { .. } => offer,
            Offer::Sell { ware, required, cards } => {
                Offer::Sell { ware, required: required.map(|card| ids.of(card)), cards: ids.set(cards) }
            }
            Offer::Dupe { mut treasures } => {
                treasures.iter_mut().for_each(|(card, _)| *card = ids.of(*card));
                treasures.sort_unstable();
                Offer::Dupe { treasures }
            }
            Offer::Trafficker { treasures, most } => Offer::Trafficker { treasures: ids.set(treasures), most },
            Offer::Jeweller { diamonds } => Offer::Jeweller { diamonds: ids.set(diamonds) },
        }]
    }

    /// KL-17: where the card that was stolen by the older version lies among those of which chance now takes one. They are
    /// counted by their ids, so the same draw would take another card, for no reason but its id.
    fn place_of_the_stolen_card(&self, ids: &Ids, older: &[Event]) -> Option<u32> {
        let stolen = older.iter().find_map(|event| match event {
            Event::CardStolen { victim, card, .. } => Some((*victim, ids.of(card.id?))),
            _ => None,
        });
        let (victim, card) = stolen?;
        let place = self.player(victim).hand.of_depth(card.depth()).iter().position(|other| other == card)?;
        u32::try_from(place).ok()
    }
}

/// An answer that is known.
struct Given(u32);

impl Chance for Given {
    fn below(&mut self, bound: u32) -> u32 {
        self.0.min(bound - 1)
    }
}

/// KL-R16: which ids the cards of an older version have by a newer one. A card is known by the place where it was laid: by equal
/// chance the same faces lie there in every version.
struct Ids([CardId; CARDS]);

impl Ids {
    fn between(set_ups: SetUps<'_, Event>) -> Ids {
        let mut ids = core::array::from_fn(|id| CardId(id as u8));
        for (older, newer) in laid(set_ups.older).zip(laid(set_ups.newer)) {
            ids[older.index()] = newer;
        }
        Ids(ids)
    }

    fn of(&self, card: CardId) -> CardId {
        self.0[card.index()]
    }

    /// An id as an action names it. One that no card has stays what it is.
    fn named(&self, id: u32) -> u32 {
        CardId::of(id).map_or(id, |card| self.of(card).0.into())
    }

    fn all_named(&self, ids: &[u32]) -> Vec<u32> {
        ids.iter().map(|id| self.named(*id)).collect()
    }

    fn set(&self, cards: CardSet) -> CardSet {
        cards.iter().map(|card| self.of(card)).collect()
    }

    fn carry_action(&self, action: &Action) -> Action {
        match action {
            Action::Sell { cards } => Action::Sell { cards: self.all_named(cards) },
            Action::PlayEncounter(play) => Action::PlayEncounter(match play {
                Play::HastyBuyer { treasure } => Play::HastyBuyer { treasure: self.named(*treasure) },
                Play::Dupe { treasure, ware } => Play::Dupe { treasure: self.named(*treasure), ware: *ware },
                Play::Trafficker { treasures } => Play::Trafficker { treasures: self.all_named(treasures) },
                Play::Jeweller { diamond } => Play::Jeweller { diamond: self.named(*diamond) },
                Play::Plain(_) | Play::Volunteer { .. } | Play::Saboteur { .. } | Play::Drunkard { .. } => play.clone(),
            }),
            Action::Program { .. }
            | Action::PlaceBoat { .. }
            | Action::Pass
            | Action::DrawCard { .. }
            | Action::UseWeight { .. }
            | Action::Surface
            | Action::UseTrident { .. }
            | Action::Flee
            | Action::Recruit
            | Action::HirePickpocket { .. }
            | Action::BuyRound { .. }
            | Action::FirstWreck { .. }
            | Action::SecondWreck { .. }
            | Action::NoSecondWreck
            | Action::Buy { .. }
            | Action::Done => action.clone(),
        }
    }

    fn carry_event(&self, event: &mut Event) {
        let carry = |card: &mut Card| card.id = card.id.map(|id| self.of(id));
        match event {
            Event::CardDrawn { card, .. } | Event::MonsterKilled { card, .. } | Event::CardStolen { card, .. } => {
                carry(card);
            }
            Event::EncounterPlayed { dupe, .. } => dupe.iter_mut().for_each(carry),
            Event::WrecksLaid { cards, .. }
            | Event::MonstersReturned { cards, .. }
            | Event::WreckShuffled { cards, .. }
            | Event::WreckSeen { cards, .. } => cards.iter_mut().for_each(carry),
            Event::CardsSold { cards, .. } => {
                cards.iter_mut().for_each(carry);
                cards.sort_unstable_by_key(|card| card.id);
            }
            Event::GameStarted { .. }
            | Event::EncountersShuffled { .. }
            | Event::DayStarted { .. }
            | Event::Programmed { .. }
            | Event::PlacesRevealed { .. }
            | Event::BoatPlaced { .. }
            | Event::DiveLost { .. }
            | Event::SabotagePassed { .. }
            | Event::WeightUsed { .. }
            | Event::DiverFled { .. }
            | Event::WreckGone { .. }
            | Event::Surfaced { .. }
            | Event::Recruited { .. }
            | Event::PickpocketHired { .. }
            | Event::RoundBought { .. }
            | Event::SecondWreckNamed { .. }
            | Event::SecondWreckDeclined { .. }
            | Event::DolphinsPaid { .. }
            | Event::EncounterDrawn { .. }
            | Event::Bought { .. }
            | Event::VisitEnded { .. }
            | Event::HalfDayEnded { .. }
            | Event::GameEnded { .. } => {}
        }
    }
}

/// The ids of the cards in the order in which they were laid.
fn laid(set_up: &[Event]) -> impl Iterator<Item = CardId> {
    let cards = set_up.iter().flat_map(|event| match event {
        Event::WrecksLaid { cards, .. } => cards.as_slice(),
        _ => &[],
    });
    cards.filter_map(|card| card.id)
}
