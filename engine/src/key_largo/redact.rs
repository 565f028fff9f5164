//! Who sees what of an event. Auditors see all of it; for everybody else each event says what it keeps back.

use super::{Card, Event};
use crate::{Seat, Viewer};

impl Event {
    /// The event as a viewer sees it. No event is kept back as a whole: everybody sees that something happened.
    pub(super) fn for_viewer(&self, viewer: Viewer) -> Event {
        let mut event = self.clone();
        if viewer != Viewer::Auditor {
            event.hide_from(viewer);
        }
        event
    }

    fn hide_from(&mut self, viewer: Viewer) {
        let is = |seat: &Seat| viewer == Viewer::Seat(*seat);
        match self {
            Event::WrecksLaid { cards, .. } | Event::WreckShuffled { cards, .. } => hide_all(cards),
            Event::EncountersShuffled { deck } => deck.fill(None),
            Event::Programmed { seat, morning, afternoon } if !is(seat) => (*morning, *afternoon) = (None, None),
            Event::EncounterPlayed { seat, dupe, .. } if !is(seat) => *dupe = dupe.map(Card::hidden),
            Event::CardDrawn { seat, card, .. } => match card.face {
                // A monster shows itself to everybody, but monsters look alike.
                Some(face) if !face.is_treasure() => *card = card.without_id(),
                _ if is(seat) => {}
                _ => *card = card.hidden(),
            },
            Event::MonsterKilled { card, .. } => *card = card.without_id(),
            Event::MonstersReturned { cards, .. } => cards.iter_mut().for_each(|card| *card = card.without_id()),
            Event::CardStolen { thief, victim, card } if !is(thief) && !is(victim) => *card = card.hidden(),
            Event::WreckSeen { seat, cards, .. } if !is(seat) => hide_all(cards),
            Event::EncounterDrawn { seat, encounter } if !is(seat) => *encounter = None,
            Event::CardsSold { seat, cards, .. } if !is(seat) => {
                // An id would tell from which wreck a card came, and so would the order of the ids.
                cards.iter_mut().for_each(|card| *card = card.without_id());
                cards.sort_unstable();
            }
            Event::Programmed { .. }
            | Event::EncounterPlayed { .. }
            | Event::CardStolen { .. }
            | Event::WreckSeen { .. }
            | Event::EncounterDrawn { .. }
            | Event::CardsSold { .. }
            | Event::GameStarted { .. }
            | Event::DayStarted { .. }
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
            | Event::Bought { .. }
            | Event::VisitEnded { .. }
            | Event::HalfDayEnded { .. }
            | Event::GameEnded { .. } => {}
        }
    }
}

fn hide_all(cards: &mut [Card]) {
    cards.iter_mut().for_each(|card| *card = card.hidden());
}
