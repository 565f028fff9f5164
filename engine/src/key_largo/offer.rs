//! The entries of a list of legal actions: single actions, and families where there would be too many.

use alloc::{vec, vec::Vec};

use super::{Action, CardId, CardSet, Play, Ware};

/// One entry of a list of legal actions. Sets of cards are listed ascending, and admitted in any order.
#[derive(Clone, PartialEq, Eq, Debug)]
#[allow(missing_docs, reason = "the fields' meanings stand in the proto of the same name")]
pub enum Offer {
    /// One action.
    Single(Action),
    /// [`Action::BuyRound`] with any two different of these wrecks, in any order (KL-18, version 1).
    BuyRound { wrecks: Vec<u8> },
    /// [`Action::Sell`] with `required`, if it is there, and any of the other cards; at least one card (KL-22, KL-E21).
    Sell { ware: Ware, required: Option<CardId>, cards: CardSet },
    /// [`Play::Dupe`] with any of these cards, as either of the two wares that it is not (KL-E21).
    Dupe { treasures: Vec<(CardId, Ware)> },
    /// [`Play::Trafficker`] with one to `most` of these cards (KL-E22).
    Trafficker { treasures: CardSet, most: u8 },
    /// [`Play::Jeweller`] with any of these diamonds (KL-E23).
    Jeweller { diamonds: CardSet },
}

impl crate::Offer for Offer {
    type Action = Action;

    fn count(&self) -> u64 {
        match self {
            Offer::Single(_) => 1,
            Offer::BuyRound { wrecks } => (wrecks.len() * wrecks.len().saturating_sub(1)) as u64,
            Offer::Sell { required, cards, .. } => {
                let subsets = 1u64.checked_shl(cards.len() as u32);
                // Without a required card the empty set is none of them.
                subsets.map_or(u64::MAX, |subsets| subsets - u64::from(required.is_none()))
            }
            Offer::Dupe { treasures } => treasures.len() as u64 * 2,
            Offer::Trafficker { treasures, most } => {
                (1..=u64::from(*most)).map(|size| choose(treasures.len() as u64, size)).sum()
            }
            Offer::Jeweller { diamonds } => diamonds.len() as u64,
        }
    }

    fn nth(&self, number: u64) -> Action {
        match self {
            Offer::Single(action) => action.clone(),
            Offer::BuyRound { wrecks } => {
                let others = wrecks.len().saturating_sub(1).max(1);
                let (first, second) = (number as usize / others, number as usize % others);
                // The second is counted among the others than the first.
                let second = second + usize::from(second >= first);
                Action::BuyRound { wrecks: vec![wrecks[first].into(), wrecks[second].into()] }
            }
            Offer::Sell { required, cards, .. } => {
                let bits = if required.is_some() { number } else { number + 1 };
                let chosen = cards.iter().take(64).enumerate().filter(|(place, _)| bits >> place & 1 == 1);
                let cards: CardSet = chosen.map(|(_, card)| card).chain(*required).collect();
                Action::Sell { cards: ids(cards.iter()) }
            }
            Offer::Dupe { treasures } => {
                let (card, ware) = treasures[number as usize / 2];
                let mut others = Ware::ALL.into_iter().filter(|other| *other != ware);
                let ware = others.nth(number as usize % 2).unwrap_or(ware);
                Action::PlayEncounter(Play::Dupe { treasure: card.0.into(), ware })
            }
            Offer::Trafficker { treasures, .. } => {
                let treasures: Vec<CardId> = treasures.iter().collect();
                let chosen = combination(treasures.len(), number).into_iter().map(|place| treasures[place]);
                Action::PlayEncounter(Play::Trafficker { treasures: ids(chosen) })
            }
            Offer::Jeweller { diamonds } => {
                let diamond = diamonds.iter().nth(number as usize).map_or(u32::MAX, |card| card.0.into());
                Action::PlayEncounter(Play::Jeweller { diamond })
            }
        }
    }

    fn admits(&self, action: &Action) -> bool {
        match (self, action) {
            (Offer::Single(single), action) => single == action,
            (Offer::BuyRound { wrecks: offered }, Action::BuyRound { wrecks }) => {
                let known = |wreck: &u32| offered.iter().any(|offered| u32::from(*offered) == *wreck);
                matches!(wrecks[..], [first, second] if first != second) && wrecks.iter().all(known)
            }
            (Offer::Sell { required, cards: offered, .. }, Action::Sell { cards }) => {
                let Some(mut cards) = card_set(cards).filter(|cards| !cards.is_empty()) else { return false };
                let complete = required.is_none_or(|required| cards.contains(required));
                required.iter().for_each(|required| cards.remove(*required));
                complete && cards.is_within(*offered)
            }
            (Offer::Dupe { treasures }, Action::PlayEncounter(Play::Dupe { treasure, ware })) => {
                treasures.iter().any(|(card, own)| u32::from(card.0) == *treasure && own != ware)
            }
            (Offer::Trafficker { treasures: offered, most }, Action::PlayEncounter(Play::Trafficker { treasures })) => {
                card_set(treasures)
                    .is_some_and(|cards| cards.is_within(*offered) && (1..=usize::from(*most)).contains(&cards.len()))
            }
            (Offer::Jeweller { diamonds }, Action::PlayEncounter(Play::Jeweller { diamond })) => {
                diamonds.iter().any(|card| u32::from(card.0) == *diamond)
            }
            _ => false,
        }
    }
}

fn ids(cards: impl Iterator<Item = CardId>) -> Vec<u32> {
    cards.map(|card| card.0.into()).collect()
}

/// The cards with these ids, if every id exists and none is there twice.
pub(super) fn card_set(ids: &[u32]) -> Option<CardSet> {
    let cards: Option<Vec<CardId>> = ids.iter().map(|id| CardId::of(*id)).collect();
    let set: CardSet = cards?.into_iter().collect();
    (set.len() == ids.len()).then_some(set)
}

/// The number of subsets of a size.
fn choose(items: u64, size: u64) -> u64 {
    // Every product of consecutive numbers divides without rest.
    (0..size).fold(1, |ways, taken| ways * items.saturating_sub(taken) / (taken + 1))
}

/// The subset with this number: smaller subsets come first, those of one size in the order of their places.
fn combination(items: usize, mut number: u64) -> Vec<usize> {
    let mut size = 1;
    while size < items as u64 && number >= choose(items as u64, size) {
        number -= choose(items as u64, size);
        size += 1;
    }
    let mut chosen = Vec::new();
    for place in 0..items {
        let missing = size - chosen.len() as u64;
        if missing == 0 {
            break;
        }
        let with_this = choose((items - place - 1) as u64, missing - 1);
        if number < with_this {
            chosen.push(place);
        } else {
            number -= with_this;
        }
    }
    chosen
}
