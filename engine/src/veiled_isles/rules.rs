//! The game as a whole: set-up, who is asked, and which rule answers an action. The rules themselves stand in `round`,
//! `pass`, `play`, `resolve` and `action_cards`.

use alloc::{format, vec::Vec};

use super::state::{BONUS_CARDS, Player};
use super::{Action, ColourSet, Deck, Event, IslandSet, Offer, Options, Phase, Rules, SEATS, State, View};
use crate::{Chance, Game, Kind, Outcome, Seat, SeatCount, SeatSet, Step, Viewer, Violation};

impl Game for State {
    type Options = Options;
    type Action = Action;
    type Offer = Offer;
    type Event = Event;
    type View = View;
    type Rules = Rules;

    fn setup(
        rules: Rules,
        options: &Options,
        seats: SeatCount,
        chance: &mut dyn Chance,
    ) -> Result<Step<State>, Violation> {
        if !SEATS.contains(&seats.get()) {
            return Err(Kind::VeiledIsles.refuse_seats(seats.get().into()));
        }
        let options = options.check()?;
        let mut state = State {
            rules,
            red_blue_action: options.red_blue,
            green_purple_action: options.green_purple,
            treasure_values: options.values,
            round: 1,
            trick: 0,
            phase: Phase::Pass,
            turn: None,
            first_seat: Seat(0),
            decks: Default::default(),
            supply: BONUS_CARDS,
            players: seats.seats().map(|_| Player::default()).collect(),
            discarded: IslandSet::EMPTY,
            set_aside: IslandSet::EMPTY,
            prize_colours: ColourSet::EMPTY,
        };
        let mut events = Vec::new();
        state.deal_round(chance, &mut events);
        state.first_seat = Seat(chance.below(u32::from(seats.get())) as u8); // VI-5
        state.begin_passing(&mut events);
        Ok(Step { next: state, events })
    }

    fn rules(&self) -> Rules {
        self.rules
    }

    fn seats(&self) -> SeatCount {
        self.seat_count()
    }

    fn to_act(&self) -> SeatSet {
        match self.phase {
            Phase::Pass => self.seat_count().seats().filter(|seat| self.player(*seat).passing.is_none()).collect(),
            _ => self.turn.into_iter().collect(),
        }
    }

    fn legal_actions(&self, seat: Seat) -> Vec<Offer> {
        if self.admit(seat).is_err() {
            return Vec::new();
        }
        match self.phase {
            Phase::Pass => self.pass_offers(seat),
            Phase::Play => self.play_offers(seat),
            Phase::Treasure => self.treasure_offers(seat),
            Phase::StealBonus => self.steal_bonus_offers(seat),
            Phase::SwapWith => self.swap_offers(seat),
            Phase::GiveBack { count, .. } => self.give_back_offers(seat, count),
            Phase::PeekDeck => self.peek_offers(),
            Phase::Reorder { .. } => State::reorder_offers(),
            Phase::TakePlayed => self.take_played_offers(),
            Phase::DiscardIsland => self.discard_offers(seat),
            Phase::Over => Vec::new(),
        }
    }

    fn apply(&self, seat: Seat, action: &Action, chance: &mut dyn Chance) -> Result<Step<State>, Violation> {
        self.admit(seat)?;
        self.check_form(action)?;
        let mut next = self.clone();
        let mut events = Vec::with_capacity(4);
        next.act(seat, action, chance, &mut events)?;
        Ok(Step { next, events })
    }

    fn outcome(&self) -> Option<Outcome> {
        (self.phase == Phase::Over).then(|| self.final_outcome())
    }

    fn view(&self, viewer: Viewer) -> View {
        View::of(self, viewer)
    }

    fn without_to_act(view: View) -> View {
        View { turn: None, ..view }
    }

    fn redact(_rules: Rules, event: &Event, viewer: Viewer) -> Option<Event> {
        Some(event.for_viewer(viewer))
    }
}

impl State {
    /// Whether everything that an action names exists at this table.
    fn check_form(&self, action: &Action) -> Result<(), Violation> {
        match action {
            Action::StealTreasure { seat }
            | Action::StealBonus { seat }
            | Action::SwapWith { seat }
            | Action::TakePlayed { seat } => self.check_seat(*seat),
            Action::GiveBack { islands } => {
                let different: IslandSet = islands.iter().copied().collect();
                if usize::from(different.len()) == islands.len() {
                    return Ok(());
                }
                Err(Violation::malformed("an island is named twice: give_back needs different islands"))
            }
            Action::PeekDeck { deck } => self.check_deck(*deck),
            Action::Reorder { order } => State::check_order(order).map(|_| ()),
            Action::Pass { .. }
            | Action::Play { .. }
            | Action::TakeTreasure
            | Action::DrawBonus
            | Action::DiscardIsland { .. } => Ok(()),
        }
    }

    fn check_seat(&self, seat: Seat) -> Result<(), Violation> {
        let seats = self.seat_count();
        if seats.contains(seat) {
            return Ok(());
        }
        let sentence = format!("there is no {seat} at this table: seats are 0 to {}", seats.get() - 1);
        Err(Violation::malformed(sentence))
    }

    fn check_deck(&self, deck: Deck) -> Result<(), Violation> {
        if self.decks.iter().any(|on_table| on_table.deck == deck) {
            return Ok(());
        }
        let right = if deck == Deck::Single { "the red/blue or the green/purple deck" } else { "the single deck" };
        Err(Violation::malformed(format!("there is no {deck} at this table: {right} is meant")))
    }

    /// Hands an action to its rule, which refuses it or does it, and goes on in the order of VI-13 where that ends a
    /// decision of the trick. An action of another phase has no rule.
    fn act(
        &mut self,
        seat: Seat,
        action: &Action,
        chance: &mut dyn Chance,
        events: &mut Vec<Event>,
    ) -> Result<(), Violation> {
        match (self.phase, action) {
            (Phase::Pass, Action::Pass { island }) => return self.pass(seat, *island, events),
            (Phase::Play, Action::Play { island, show, bonus }) => {
                self.play(seat, *island, *show, *bonus, events)?;
                self.play_goes_on(seat, chance, events);
            }
            (Phase::Treasure, Action::TakeTreasure) => {
                self.take_treasure(seat, events);
                self.resolve_treasures(Some(seat), chance, events);
            }
            (Phase::Treasure, Action::StealTreasure { seat: from }) => {
                self.steal_treasure(seat, *from, events)?;
                self.resolve_treasures(Some(seat), chance, events);
            }
            (Phase::StealBonus, Action::StealBonus { seat: from }) => {
                self.steal_bonus(seat, *from, events)?;
                self.resolve_actions(Some(seat), chance, events);
            }
            (Phase::StealBonus, Action::DrawBonus) => {
                self.draw_bonus(seat, events)?;
                self.resolve_actions(Some(seat), chance, events);
            }
            (Phase::SwapWith, Action::SwapWith { seat: with }) => return self.swap_with(seat, *with, chance, events),
            (Phase::GiveBack { to, count }, Action::GiveBack { islands }) => {
                self.give_back(seat, (to, count), islands, events)?;
                self.resolve_actions(Some(seat), chance, events);
            }
            (Phase::PeekDeck, Action::PeekDeck { deck }) => self.peek_deck(seat, *deck, events),
            (Phase::Reorder { deck }, Action::Reorder { order }) => {
                self.reorder(seat, deck, order, events)?;
                self.resolve_actions(Some(seat), chance, events);
            }
            (Phase::TakePlayed, Action::TakePlayed { seat: from }) => self.take_played(seat, *from, events),
            (Phase::DiscardIsland, Action::DiscardIsland { island }) => {
                self.discard_island(seat, *island, events)?;
                self.resolve_actions(Some(seat), chance, events);
            }
            (phase, _) => return Err(Violation::phase(format!("this belongs to another phase: now {}", phase.asks()))),
        }
        Ok(())
    }
}
