//! What is hidden from a viewer, dealt again: programmes, treasure cards with their ids and the wrecks that they come from,
//! encounter cards.

use alloc::{sync::Arc, vec::Vec};

use super::super::cards::CARDS;
use super::super::{Card, CardId, CardSet, Depth, Encounter, Event, Face, Half, Phase, Place, Rules, State};
use crate::{Chance, Seat, Step, Viewer, shuffle};

/// What must stay as it is because the viewer sees it, or because the action that follows shows it.
struct Kept {
    /// Cards that keep their face.
    faces: CardSet,
    /// Cards that keep their id.
    ids: CardSet,
    /// Cards that stay treasures, whichever.
    treasures: CardSet,
    /// Encounter cards that stay where they lie.
    encounters: Vec<Encounter>,
    /// Whether the places of morning and afternoon are known.
    places: [bool; 2],
}

impl State {
    pub(super) fn dealt_again(&self, after: Option<&Step<State>>, viewer: Viewer, chance: &mut dyn Chance) -> State {
        let mut other = self.clone();
        let over = |state: &State| state.phase == Phase::Over;
        if viewer == Viewer::Auditor || over(self) || after.is_some_and(|step| over(&step.next)) {
            return other;
        }
        let mut kept = self.kept_for(viewer);
        if let Some(step) = after {
            kept.keep_for_step(self, step, viewer);
        }
        other.deal_programmes(&kept, viewer, chance);
        other.deal_faces(&kept, chance);
        if after.is_none() {
            // Whoever has looked into a wreck knows what lies in it, but no order.
            for wreck in self.look.iter().flat_map(|look| &look.wrecks) {
                shuffle(&mut other.wrecks[usize::from(*wreck)].cards, chance);
            }
        }
        other.deal_ids(&kept, chance);
        other.deal_encounters(&kept, chance);
        other
    }

    fn kept_for(&self, viewer: Viewer) -> Kept {
        let revealed = self.phase != Phase::Program;
        let mut kept = Kept {
            // Sold cards and monsters lie open; who sold a card knows its id.
            faces: self.sold,
            ids: self.sold,
            treasures: CardSet::EMPTY,
            encounters: Vec::new(),
            places: [revealed, revealed && self.half == Half::Afternoon],
        };
        let monsters = self.dive.set_aside.iter().chain(&self.dive.monster).copied();
        kept.faces.insert_all(monsters.chain(self.killed.iter()).collect());
        self.players.iter().for_each(|player| kept.treasures.insert_all(player.hand));
        // The rules count on it that this card is saleable.
        if let Some((dupe, _)) = self.visit.dupe {
            kept.faces.insert(dupe);
        }
        if let Viewer::Seat(seat) = viewer {
            let own = self.player(seat);
            kept.faces.insert_all(own.hand);
            kept.ids.insert_all(own.hand);
            kept.encounters.extend(&own.encounters);
        }
        if let Some(look) = self.look.as_ref().filter(|look| viewer == Viewer::Seat(look.seat)) {
            let cards = look.wrecks.iter().flat_map(|wreck| self.wrecks[usize::from(*wreck)].cards.clone());
            kept.faces.insert_all(cards.collect());
        }
        kept
    }

    fn deal_programmes(&mut self, kept: &Kept, viewer: Viewer, chance: &mut dyn Chance) {
        for seat in self.seat_count().seats().filter(|seat| viewer != Viewer::Seat(*seat)) {
            let Some([morning, afternoon]) = &mut self.player_mut(seat).programme else { continue };
            if !kept.places[0] {
                *morning = Place::ALL[chance.below(5) as usize];
            }
            if !kept.places[1] {
                let others = Place::ALL.into_iter().filter(|place| place != morning);
                *afternoon = others.cycle().nth(chance.below(4) as usize).expect("there are four others");
            }
        }
    }

    /// Faces change places among the cards of a depth; what stays a treasure stays one.
    fn deal_faces(&mut self, kept: &Kept, chance: &mut dyn Chance) {
        let hidden = |id: &CardId| !kept.faces.contains(*id);
        for depth in Depth::ALL {
            let ids: Vec<CardId> =
                (0..CARDS as u8).map(CardId).filter(|id| id.depth() == depth).filter(hidden).collect();
            let faces = ids.iter().map(|id| self.face(*id));
            let (mut treasures, monsters): (Vec<Face>, Vec<Face>) = faces.partition(|face| face.is_treasure());
            shuffle(&mut treasures, chance);
            let all = Arc::make_mut(&mut self.faces);
            for id in ids.iter().filter(|id| kept.treasures.contains(**id)) {
                all[id.index()] = treasures.pop().expect("a treasure was there before");
            }
            treasures.extend(monsters);
            shuffle(&mut treasures, chance);
            for id in ids.iter().filter(|id| !kept.treasures.contains(**id)) {
                all[id.index()] = treasures.pop().expect("a card was there before");
            }
        }
    }

    /// Cards change their ids, wherever they lie, and keep their faces. In version 1 those removed have the ids of their
    /// places.
    fn deal_ids(&mut self, kept: &Kept, chance: &mut dyn Chance) {
        let removed = if self.rules == Rules::V1 { self.removed() } else { CardSet::EMPTY };
        let mut new_ids: [CardId; CARDS] = core::array::from_fn(|id| CardId(id as u8));
        for depth in Depth::ALL {
            let free = |id: &CardId| id.depth() == depth && !kept.ids.contains(*id) && !removed.contains(*id);
            let old: Vec<CardId> = (0..CARDS as u8).map(CardId).filter(free).collect();
            let mut new = old.clone();
            shuffle(&mut new, chance);
            old.into_iter().zip(new).for_each(|(old, new)| new_ids[old.index()] = new);
        }
        let renamed = |id: CardId| new_ids[id.index()];
        let renamed_set = |set: CardSet| set.iter().map(renamed).collect::<CardSet>();
        let old_faces = self.faces.clone();
        let faces = Arc::make_mut(&mut self.faces);
        (0..CARDS).for_each(|id| faces[new_ids[id].index()] = old_faces[id]);
        let wrecks = self.wrecks.iter_mut().flat_map(|wreck| &mut wreck.cards);
        wrecks.chain(&mut self.dive.set_aside).chain(&mut self.dive.monster).for_each(|id| *id = renamed(*id));
        self.players.iter_mut().for_each(|player| player.hand = renamed_set(player.hand));
        self.dive.drawn = renamed_set(self.dive.drawn);
        self.killed = renamed_set(self.killed);
        self.visit.dupe = self.visit.dupe.map(|(id, ware)| (renamed(id), ware));
    }

    fn deal_encounters(&mut self, kept: &Kept, chance: &mut dyn Chance) {
        let hands = self.players.iter_mut().flat_map(|player| &mut player.encounters);
        let mut places: Vec<&mut Encounter> =
            hands.chain(&mut self.encounter_deck).filter(|card| !kept.encounters.contains(card)).collect();
        let mut cards: Vec<Encounter> = places.iter().map(|card| **card).collect();
        shuffle(&mut cards, chance);
        places.iter_mut().zip(cards).for_each(|(place, card)| **place = card);
    }
}

impl Kept {
    /// What an action shows, by its events; and what it could not have been done without.
    fn keep_for_step(&mut self, state: &State, step: &Step<State>, viewer: Viewer) {
        let sees = |seat: &Seat| viewer == Viewer::Seat(*seat);
        for event in &step.events {
            match event {
                Event::PlacesRevealed { half, .. } => self.places[*half as usize - 1] = true,
                Event::CardDrawn { seat, card, .. } => match sees(seat) {
                    true => self.keep_whole(card),
                    false => self.keep_kind(card),
                },
                Event::CardStolen { thief, victim, card } if sees(thief) => {
                    // Chance counts the victim's cards by their ids.
                    self.ids.insert_all(state.player(*victim).hand);
                    self.keep_whole(card);
                }
                Event::WreckSeen { seat, wreck, .. } if sees(seat) => {
                    let cards = &state.wrecks[usize::from(*wreck)].cards;
                    self.faces.insert_all(cards.iter().copied().collect());
                }
                Event::CardsSold { cards, .. } => cards.iter().for_each(|card| self.keep_whole(card)),
                Event::EncounterDrawn { seat, encounter } if sees(seat) => self.encounters.extend(encounter),
                Event::EncounterPlayed { encounter, .. } => self.encounters.push(*encounter),
                _ => {}
            }
        }
        if state.phase == Phase::Market {
            // What a player may do here depends on their hand, and so says something of it.
            let hand = state.player(state.turn).hand;
            self.faces.insert_all(hand);
            self.ids.insert_all(hand);
        }
    }

    fn keep_whole(&mut self, card: &Card) {
        self.ids.extend_by(card);
        self.faces.extend_by(card);
    }

    /// A monster shows itself, and what is no monster is a treasure.
    fn keep_kind(&mut self, card: &Card) {
        match card.face {
            Some(face) if face.is_treasure() => self.treasures.extend_by(card),
            _ => self.faces.extend_by(card),
        }
    }
}

trait ExtendBy {
    fn extend_by(&mut self, card: &Card);
}

impl ExtendBy for CardSet {
    fn extend_by(&mut self, card: &Card) {
        self.insert(card.id.expect("events as the rules make them show the id"));
    }
}
