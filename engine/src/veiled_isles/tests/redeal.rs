//! Dealing again what the rule book's table *Who sees what* hides from a viewer: the other hands and what they pass, the
//! covered halves of the others' islands, what is set aside, and the order of the decks.

use alloc::vec::Vec;

use super::super::pass::legal_passes;
use super::super::state::Played;
use super::super::{Deck, Event, Half, Island, IslandSet, Phase, State, Treasure};
use crate::{Chance, Seat, Step, Viewer, shuffle};

pub(super) fn redeal(state: &State, after: Option<&Step<State>>, viewer: Viewer, chance: &mut dyn Chance) -> State {
    let over = |state: &State| state.phase == Phase::Over;
    if viewer == Viewer::Auditor || over(state) || after.is_some_and(|step| over(&step.next)) {
        return state.clone();
    }
    let shown = Shown::of(after.map_or(&[][..], |step| &step.events), viewer);
    let mut dealt = Islands::taken_up(state, viewer, shown);
    dealt.mix(chance);
    let mut other = dealt.laid_down(state, chance);
    for deck in &mut other.decks {
        let fixed = fixed_treasures(state, after, viewer, deck.deck);
        let moves = |place: &usize| !fixed.contains(place);
        let places: Vec<usize> = (0..deck.face_down.len()).filter(moves).collect();
        let mut treasures: Vec<Treasure> = places.iter().map(|place| deck.face_down[*place]).collect();
        shuffle(&mut treasures, chance);
        for (place, treasure) in places.into_iter().zip(treasures) {
            deck.face_down[place] = treasure;
        }
    }
    other
}

/// The places of face-down treasures that the viewer sees, or will see by the step.
fn fixed_treasures(state: &State, after: Option<&Step<State>>, viewer: Viewer, deck: Deck) -> Vec<usize> {
    let top_three = || Vec::from([0, 1, 2]);
    if state.phase == (Phase::Reorder { deck }) && state.turn.map(Viewer::Seat) == Some(viewer) {
        return top_three();
    }
    let mut next_up = 0;
    for event in after.map_or(&[][..], |step| &step.events) {
        match event {
            Event::DeckPeeked { seat, deck: peeked, .. } if *peeked == deck && viewer == Viewer::Seat(*seat) => {
                return top_three();
            }
            Event::DeckReordered { deck: reordered, order: Some(order), .. } if *reordered == deck => {
                next_up = usize::from(order[0]);
            }
            Event::TreasureTurnedUp { deck: turned, .. } if *turned == deck => return Vec::from([next_up]),
            _ => {}
        }
    }
    Vec::new()
}

/// What the step needs or shows of cards that are hidden from the viewer before it.
#[derive(Default)]
struct Shown {
    /// Islands that must stay in the hand they are in, because they are played, passed, given or discarded.
    stay: IslandSet,
    /// Islands that are passed, and must remain a legal pass.
    passed: Vec<(Seat, Island)>,
    /// A hand of which the viewer sees drawn islands: those must be found in the same places.
    drawn: Option<(Seat, Vec<Island>)>,
    /// The sails are lifted.
    lifted: bool,
}

impl Shown {
    fn of(events: &[Event], viewer: Viewer) -> Shown {
        let mut shown = Shown::default();
        for event in events {
            match event {
                Event::PassChosen { seat, island: Some(island) } => shown.passed.push((*seat, *island)),
                Event::IslandPassed { from, to, island: Some(island) } if viewer == Viewer::Seat(*to) => {
                    shown.passed.push((*from, *island));
                }
                Event::IslandPlayed { island, .. } => {
                    let (colour, number) = (island.colour.expect("whole"), island.number.expect("whole"));
                    shown.stay.insert(Island::new(colour, number).expect("an island"));
                }
                Event::SailsLifted { .. } => shown.lifted = true,
                Event::IslandsTaken { seat, from, islands: Some(islands), .. } if viewer == Viewer::Seat(*seat) => {
                    shown.drawn = Some((*from, islands.clone()));
                }
                Event::IslandsGivenBack { islands: Some(islands), .. } => {
                    islands.iter().for_each(|island| shown.stay.insert(*island));
                }
                Event::IslandDiscarded { island, .. } => shown.stay.insert(*island),
                _ => {}
            }
        }
        shown.passed.iter().for_each(|(_, island)| shown.stay.insert(*island));
        shown.drawn.iter().flat_map(|(_, islands)| islands).for_each(|island| shown.stay.insert(*island));
        shown
    }
}

/// Where an island lies that the viewer does not see.
#[derive(Clone, Copy, PartialEq)]
enum Place {
    /// In a hand; while islands are passed, the hand as it was dealt.
    Hand(Seat),
    SetAside,
    /// Under a sail: the open half must stay as it is, and the bonus cards must be allowed with it.
    Veiled(Seat, Played),
}

/// The islands that can move.
struct Islands {
    lying: Vec<(Place, Island)>,
    /// What stays in a hand for this step, by seat.
    staying: Vec<IslandSet>,
    shown: Shown,
    /// Drawn islands with their places in the hand.
    drawn_places: Vec<usize>,
}

/// Where islands stand among those of a hand, ascending.
fn places(hand: IslandSet, islands: &[Island]) -> Vec<usize> {
    islands.iter().map(|island| hand.iter().take_while(|other| other < island).count()).collect()
}

impl Islands {
    fn taken_up(state: &State, viewer: Viewer, shown: Shown) -> Islands {
        let mut lying: Vec<(Place, Island)> = state.set_aside.iter().map(|island| (Place::SetAside, island)).collect();
        let mut staying = Vec::new();
        for (seat, player) in (0..).map(Seat).zip(&state.players) {
            let mut stays = IslandSet::EMPTY;
            if viewer == Viewer::Seat(seat) {
                staying.push(stays);
                continue;
            }
            for island in player.hand.iter().chain(player.passing) {
                if shown.stay.contains(island) {
                    stays.insert(island);
                } else {
                    lying.push((Place::Hand(seat), island));
                }
            }
            staying.push(stays);
            if let Some(played) = player.played.filter(|_| state.phase == Phase::Play && !shown.lifted) {
                lying.push((Place::Veiled(seat, played), played.island));
            }
        }
        let drawn = shown.drawn.iter();
        let drawn_places = drawn.flat_map(|(from, islands)| places(state.player(*from).hand, islands)).collect();
        Islands { lying, staying, shown, drawn_places }
    }

    fn hand(&self, seat: Seat) -> IslandSet {
        let moved = self.lying.iter().filter(|(place, _)| *place == Place::Hand(seat)).map(|(_, island)| *island);
        self.staying[seat.index()].iter().chain(moved).collect()
    }

    /// Whether this place may have the island that is there now.
    fn may_lie(&self, (place, island): (Place, Island)) -> bool {
        match place {
            Place::SetAside => true,
            Place::Veiled(_, played) => match played.show {
                Half::Sea => island.colour() == played.island.colour() && island.number() + played.bonus <= 12,
                Half::Coast => island.number() == played.island.number(),
            },
            Place::Hand(seat) => {
                let mut passed = self.shown.passed.iter().filter(|(from, _)| *from == seat);
                let still_legal = passed.all(|(_, island)| legal_passes(self.hand(seat)).any(|legal| legal == *island));
                let mut drawn = self.shown.drawn.iter().filter(|(from, _)| *from == seat);
                still_legal && drawn.all(|(_, islands)| places(self.hand(seat), islands) == self.drawn_places)
            }
        }
    }

    /// Exchanges pairs of islands, as often as there are islands, where both may then lie there.
    fn mix(&mut self, chance: &mut dyn Chance) {
        let count = self.lying.len();
        for one in 0..count {
            let two = chance.below(count as u32) as usize;
            self.exchange(one, two);
            if !self.may_lie(self.lying[one]) || !self.may_lie(self.lying[two]) {
                self.exchange(one, two);
            }
        }
    }

    fn exchange(&mut self, one: usize, two: usize) {
        (self.lying[one].1, self.lying[two].1) = (self.lying[two].1, self.lying[one].1);
    }

    /// The state with these islands. Whoever has passed has passed something that their hand allows.
    fn laid_down(&self, state: &State, chance: &mut dyn Chance) -> State {
        let mut other = state.clone();
        other.set_aside = self.lying.iter().filter(|(place, _)| *place == Place::SetAside).map(|(_, i)| *i).collect();
        for seat in state.seat_count().seats() {
            let hand = self.hand(seat);
            if hand.is_empty() {
                // The viewer's own, or nothing was there.
                continue;
            }
            other.player_mut(seat).hand = hand;
            if state.player(seat).passing.is_some() {
                let shown = self.shown.passed.iter().find(|(from, _)| *from == seat).map(|(_, island)| *island);
                let legal: Vec<Island> = legal_passes(hand).collect();
                let island = shown.unwrap_or_else(|| legal[chance.below(legal.len() as u32) as usize]);
                other.player_mut(seat).hand.remove(island);
                other.player_mut(seat).passing = Some(island);
            }
        }
        for (place, island) in &self.lying {
            if let Place::Veiled(seat, played) = place {
                other.player_mut(*seat).played = Some(Played { island: *island, ..*played });
            }
        }
        other
    }
}
