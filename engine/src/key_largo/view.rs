//! Who sees what.

use alloc::{sync::Arc, vec::Vec};

use super::state::Wreck;
use super::{Card, CardId, CardSet, Depth, Diver, Encounter, Half, Phase, Place, State, Stock, Tables, Ware};
use crate::{Game, Seat, SeatSet, Viewer};

/// The table as one viewer sees it. Hidden cards show their backs.
#[derive(Clone, PartialEq, Eq, Debug)]
#[allow(missing_docs, reason = "the fields' meanings stand in the proto of the same name")]
pub struct View {
    pub encounters: bool,
    pub tables: Arc<Tables>,
    pub day: u8,
    pub half: Half,
    pub phase: Phase,
    pub first_seat: Seat,
    pub turn: Option<Seat>,
    pub to_act: SeatSet,
    pub wrecks: Vec<WreckView>,
    pub players: Vec<PlayerView>,
    pub reserve: Stock,
    pub gone: Stock,
    pub encounter_deck: Vec<Option<Encounter>>,
    pub encounters_played: Vec<Encounter>,
    pub sold: Vec<Card>,
    pub monsters_killed: Vec<Card>,
    pub removed: Vec<Card>,
    pub dive: Option<DiveView>,
    pub visit: Option<VisitView>,
    pub looks: Vec<LookView>,
}

/// A wreck as a viewer sees it.
#[derive(Clone, PartialEq, Eq, Debug)]
#[allow(missing_docs, reason = "the fields' meanings stand in the proto of the same name")]
pub struct WreckView {
    pub wreck: u8,
    pub depth: Depth,
    pub cards: Vec<Card>,
    pub boat: Option<Seat>,
}

/// A player as a viewer sees them.
#[derive(Clone, PartialEq, Eq, Debug)]
#[allow(missing_docs, reason = "the fields' meanings stand in the proto of the same name")]
pub struct PlayerView {
    pub seat: Seat,
    pub cash: u32,
    pub programmed: bool,
    pub morning: Option<Place>,
    pub afternoon: Option<Place>,
    pub place: Option<Place>,
    pub boat: Option<u8>,
    pub divers: Vec<Diver>,
    pub hand: Vec<Card>,
    pub encounters: Vec<Option<Encounter>>,
    pub encounter_played: Option<Encounter>,
    pub fortune: Option<u64>,
}

/// The dive under way.
#[derive(Clone, PartialEq, Eq, Debug)]
#[allow(missing_docs, reason = "the fields' meanings stand in the proto of the same name")]
pub struct DiveView {
    pub wreck: u8,
    pub drawn: Vec<Card>,
    pub last_was_treasure: bool,
    pub diver_fled: bool,
    pub last_diver: Option<u8>,
    pub monster: Option<Card>,
    pub set_aside: Vec<Card>,
}

/// The visit to bar, shop or market under way.
#[derive(Clone, PartialEq, Eq, Debug)]
#[allow(missing_docs, reason = "the fields' meanings stand in the proto of the same name")]
pub struct VisitView {
    pub present: u8,
    pub recruits: u8,
    pub pickpockets: u8,
    pub round_bought: bool,
    pub bought: [u8; 3],
    pub sold: bool,
    pub dupe: Option<(Card, Ware)>,
}

/// A wreck that a player has just looked into.
#[derive(Clone, PartialEq, Eq, Debug)]
#[allow(missing_docs, reason = "the fields' meanings stand in the proto of the same name")]
pub struct LookView {
    pub seat: Seat,
    pub wreck: u8,
    pub cards: Vec<Card>,
}

impl State {
    /// A wreck card with all that can be seen of it.
    pub(super) fn card(&self, id: CardId) -> Card {
        Card { depth: id.depth(), face: Some(self.face(id)), id: Some(id) }
    }

    /// What lies in a wreck, in an order that tells nothing of the pile's.
    pub(super) fn seen_in(&self, wreck: u8) -> Vec<Card> {
        let cards = self.wrecks[usize::from(wreck)].cards.iter();
        let mut cards: Vec<Card> = cards.map(|card| self.card(*card).without_id()).collect();
        cards.sort_unstable();
        cards
    }
}

/// What a viewer may see of a state, part by part.
struct ViewBuilder<'a> {
    state: &'a State,
    viewer: Viewer,
    /// An auditor, or anybody once the game is over.
    see_all: bool,
}

impl ViewBuilder<'_> {
    fn see(&self, seat: Seat) -> bool {
        self.see_all || self.viewer == Viewer::Seat(seat)
    }

    /// Cards that lie where only auditors look.
    fn nobodys(&self, cards: impl IntoIterator<Item = CardId>) -> Vec<Card> {
        let cards = cards.into_iter().map(|card| self.state.card(card));
        cards.map(|card| if self.see_all { card } else { card.hidden() }).collect()
    }

    /// Cards in a player's hand: ascending ids, and so ascending depths.
    fn of_seat(&self, seat: Seat, cards: impl IntoIterator<Item = CardId>) -> Vec<Card> {
        let cards = cards.into_iter().map(|card| self.state.card(card));
        cards.map(|card| if self.see(seat) { card } else { card.hidden() }).collect()
    }

    /// Cards that lie open. Their ids would tell which of those alike they are.
    fn open(&self, cards: impl IntoIterator<Item = CardId>) -> Vec<Card> {
        let cards = cards.into_iter().map(|card| self.state.card(card));
        cards.map(|card| if self.see_all { card } else { card.without_id() }).collect()
    }

    fn open_sorted(&self, cards: CardSet) -> Vec<Card> {
        let mut cards = self.open(cards.iter());
        if !self.see_all {
            cards.sort_unstable();
        }
        cards
    }

    fn player(&self, seat: Seat) -> PlayerView {
        let (state, player) = (self.state, self.state.player(seat));
        let [morning, afternoon] = player.programme.map_or([None; 2], |programme| programme.map(Some));
        let revealed = state.place_of(seat).is_some();
        let afternoon_revealed = revealed && state.half == Half::Afternoon;
        let hidden = |encounter: &Encounter| Some(*encounter).filter(|_| self.see(seat));
        PlayerView {
            seat,
            cash: player.cash,
            programmed: player.programme.is_some(),
            morning: morning.filter(|_| revealed || self.see(seat)),
            afternoon: afternoon.filter(|_| afternoon_revealed || self.see(seat)),
            place: state.place_of(seat),
            boat: player.boat,
            divers: player.divers.to_vec(),
            hand: self.of_seat(seat, player.hand.iter()),
            encounters: player.encounters.iter().map(hidden).collect(),
            encounter_played: player.played,
            fortune: self.see(seat).then(|| state.fortune(seat)),
        }
    }

    fn wreck(&self, wreck: usize) -> WreckView {
        let Wreck { depth, cards } = &self.state.wrecks[wreck];
        let cards = self.nobodys(cards.iter().copied());
        WreckView { wreck: wreck as u8, depth: *depth, cards, boat: self.state.boat_on(wreck) }
    }

    fn dive(&self) -> Option<DiveView> {
        let (state, dive) = (self.state, &self.state.dive);
        matches!(state.phase, Phase::Dive | Phase::Monster).then(|| DiveView {
            wreck: state.dive_wreck() as u8,
            drawn: self.of_seat(state.turn, dive.drawn.iter()),
            last_was_treasure: dive.last_was_treasure,
            diver_fled: dive.diver_fled,
            last_diver: dive.last_diver,
            monster: self.open(dive.monster).pop(),
            set_aside: self.open(dive.set_aside.iter().copied()),
        })
    }

    fn visit(&self) -> Option<VisitView> {
        let (state, visit) = (self.state, self.state.visit);
        let place = match state.phase {
            Phase::Bar | Phase::SecondWreck => Place::Bar,
            Phase::Shop => Place::Shop,
            Phase::Market => Place::Market,
            _ => return None,
        };
        let dupe = visit.dupe.and_then(|(card, ware)| Some((self.of_seat(state.turn, [card]).pop()?, ware)));
        Some(VisitView {
            present: state.present(place),
            recruits: visit.recruits,
            pickpockets: visit.pickpockets,
            round_bought: visit.round_bought,
            bought: visit.bought,
            sold: visit.sold,
            dupe,
        })
    }

    fn looks(&self) -> Vec<LookView> {
        let look = self.state.look.iter();
        let each = look.flat_map(|look| look.wrecks.iter().map(|wreck| (look.seat, *wreck)));
        each.map(|(seat, wreck)| {
            let cards = self.state.seen_in(wreck).into_iter();
            let cards = cards.map(|card| if self.see(seat) { card } else { card.hidden() }).collect();
            LookView { seat, wreck, cards }
        })
        .collect()
    }
}

impl View {
    pub(super) fn of(state: &State, viewer: Viewer) -> View {
        let over = state.phase == Phase::Over;
        let see_all = match viewer {
            Viewer::Auditor => true,
            Viewer::Seat(_) | Viewer::Spectator => over,
        };
        let builder = ViewBuilder { state, viewer, see_all };
        View {
            encounters: state.encounters,
            tables: state.tables.clone(),
            day: state.day,
            half: state.half,
            phase: state.phase,
            first_seat: state.first_seat,
            turn: (!over && state.phase != Phase::Program).then_some(state.turn),
            to_act: state.to_act(),
            wrecks: (0..state.wrecks.len()).map(|wreck| builder.wreck(wreck)).collect(),
            players: state.seat_count().seats().map(|seat| builder.player(seat)).collect(),
            reserve: state.reserve,
            gone: state.gone,
            encounter_deck: state.encounter_deck.iter().map(|card| Some(*card).filter(|_| see_all)).collect(),
            encounters_played: state.encounters_played.to_vec(),
            sold: builder.open_sorted(state.sold),
            monsters_killed: builder.open_sorted(state.killed),
            removed: builder.nobodys(state.removed().iter()),
            dive: builder.dive(),
            visit: builder.visit(),
            looks: builder.looks(),
        }
    }
}
