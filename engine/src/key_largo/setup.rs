//! KL-1 to KL-3, KL-25: what a game begins with.

use alloc::{sync::Arc, vec, vec::Vec};

use arrayvec::ArrayVec;

use super::cards::CARDS;
use super::pieces::WRECK;
use super::state::{Player, Wreck};
use super::{CardId, CardKind, CardSet, Depth, DepthCards, Diver, Encounter, Event, Face, Half, Options, Phase};
use super::{Rules, SEATS, State, Stock, Tables};
use crate::{Chance, Kind, Seat, SeatCount, Step, Violation, shuffle};

/// KL-1: the money of each player.
const CASH: u32 = 100;
/// KL-1: all divers there are.
const DIVERS: u8 = 15;
/// KL-1: all hoses, tridents and weights there are.
const ITEMS: [u8; 3] = [20, 10, 10];

impl State {
    pub(super) fn set_up(
        rules: Rules,
        options: &Options,
        seats: SeatCount,
        chance: &mut dyn Chance,
    ) -> Result<Step<State>, Violation> {
        if !SEATS.contains(&seats.get()) {
            return Err(Kind::KeyLargo.refuse_seats(seats.get().into()));
        }
        let tables = Arc::new(Tables::of(rules, options)?);
        let faces_laid = shuffled_faces(&tables, chance);
        let mut encounter_deck = ArrayVec::new();
        if options.encounters {
            encounter_deck = ArrayVec::from(Encounter::ALL);
            shuffle(&mut encounter_deck, chance);
        }
        let first_seat = Seat(chance.below(u32::from(seats.get())) as u8);
        let mut laid: [CardId; CARDS] = core::array::from_fn(|id| CardId(id as u8));
        if rules.ids_are_shuffled() {
            Depth::ALL.into_iter().for_each(|depth| shuffle(&mut laid[ids_of(depth)], chance));
        }
        let mut faces = faces_laid;
        laid.iter().zip(faces_laid).for_each(|(id, face)| faces[id.index()] = face);
        let new_player =
            |_| Player { cash: CASH, divers: [Diver::default()].into_iter().collect(), ..Player::default() };
        let mut state = State {
            rules,
            tables,
            faces: Arc::new(faces),
            encounters: options.encounters,
            day: 1,
            half: Half::Morning,
            phase: Phase::Program,
            first_seat,
            turn: first_seat,
            wrecks: lay_wrecks(seats, &laid),
            players: seats.seats().map(new_player).collect(),
            reserve: Stock { divers: DIVERS - seats.get(), items: ITEMS },
            gone: Stock::default(),
            encounter_deck,
            encounters_played: ArrayVec::new(),
            sold: Default::default(),
            killed: Default::default(),
            dive: Default::default(),
            visit: Default::default(),
            look: None,
        };
        let mut events = vec![
            Event::GameStarted { encounters: state.encounters, tables: state.tables.clone() },
            Event::WrecksLaid { wrecks: wreck_counts(seats), cards: laid.iter().map(|id| state.card(*id)).collect() },
        ];
        if state.encounters {
            let deck = state.encounter_deck.iter().map(|encounter| Some(*encounter)).collect();
            events.push(Event::EncountersShuffled { deck });
        }
        state.start_day(&mut events);
        Ok(Step { next: state, events })
    }

    /// KL-2: the cards removed unseen: those that are nowhere else.
    pub(super) fn removed(&self) -> CardSet {
        let mut removed: CardSet = (0..CARDS as u8).map(CardId).collect();
        let wrecks = self.wrecks.iter().flat_map(|wreck| &wreck.cards);
        wrecks.chain(&self.dive.set_aside).chain(&self.dive.monster).for_each(|card| removed.remove(*card));
        self.players.iter().for_each(|player| removed.remove_all(player.hand));
        removed.remove_all(self.sold);
        removed.remove_all(self.killed);
        removed
    }
}

/// KL-2: how many wrecks there are of each depth.
fn wreck_counts(seats: SeatCount) -> [u8; 3] {
    match seats.get() {
        ..=3 => [3, 4, 4],
        4 => [4, 5, 5],
        5.. => [4, 6, 6],
    }
}

/// The ids of the cards of a depth, which are also the places where they are laid, counted over all depths.
pub(super) fn ids_of(depth: Depth) -> core::ops::Range<usize> {
    let first = [0, 20, 50][depth.index()];
    first..first + depth.cards()
}

/// KL-2: the faces in the order in which the cards are laid, each depth shuffled, shallow first.
fn shuffled_faces(tables: &Tables, chance: &mut dyn Chance) -> [Face; CARDS] {
    let mut faces = [Face { kind: CardKind::Monster, value: 0 }; CARDS];
    for (cards, depth) in tables.wreck_cards.iter().zip(Depth::ALL) {
        let place = &mut faces[ids_of(depth)];
        // As many as there are places, because the table is checked.
        place.copy_from_slice(&in_order(cards));
        shuffle(place, chance);
    }
    faces
}

/// The faces of a depth before the shuffle: by columns of KL-T1, and within a column as it lists them.
fn in_order(cards: &DepthCards) -> Vec<Face> {
    let monsters = (0..cards.monsters).map(|_| Face { kind: CardKind::Monster, value: 0 });
    let columns = [
        (CardKind::Diamond, &cards.diamonds),
        (CardKind::Gold, &cards.gold),
        (CardKind::Goods, &cards.goods),
        (CardKind::Antiques, &cards.antiques),
    ];
    // A checked figure fits: the largest is 10,000.
    let treasures = columns
        .into_iter()
        .flat_map(|(kind, values)| values.iter().map(move |value| Face { kind, value: *value as u16 }));
    monsters.chain(treasures).collect()
}

/// KL-2: five cards to a wreck, shallow first.
fn lay_wrecks(seats: SeatCount, laid: &[CardId; CARDS]) -> ArrayVec<Wreck, { super::pieces::WRECKS }> {
    let mut wrecks = ArrayVec::new();
    for (depth, count) in Depth::ALL.into_iter().zip(wreck_counts(seats)) {
        let piles = laid[ids_of(depth)].chunks_exact(WRECK).take(count.into());
        wrecks.extend(piles.map(|pile| Wreck { depth, cards: pile.iter().copied().collect() }));
    }
    wrecks
}
