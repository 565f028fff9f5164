//! From one version of the rules to a newer one: what the same game would have been by the newer rules.
//!
//! This answers what a new version means for games that were played by older ones, and nothing else: no log is read in this
//! way. A game says in its own folder how its actions and events are carried over, where their form has changed.

use alloc::vec::Vec;

use crate::games::Listed;
use crate::{AnyAction, AnyEvent, AnyGame, AnyOptions, Chance, Game, Outcome, Seat, SeatCount, Violation, match_game};

/// The set-ups of one game by two versions of the rules with the same chance. What they have in common, such as the order in
/// which cards were laid, says which pieces of the two games are the same.
#[derive(Clone, Copy, Debug)]
pub struct SetUps<'a, E> {
    /// The events by the older version.
    pub older: &'a [E],
    /// The events by the newer version.
    pub newer: &'a [E],
}

/// A step of a game by older rules.
#[derive(Clone, Copy, Debug)]
pub struct OlderStep<'a, G: Game> {
    /// Who did it.
    pub seat: Seat,
    /// What was asked.
    pub action: &'a G::Action,
    /// What happened.
    pub events: &'a [G::Event],
}

/// What a step came to by newer rules.
#[derive(Clone, Debug)]
pub struct CarriedStep<G: Game> {
    /// What was done instead: the same action in the newer form, or several that come to the same.
    pub actions: Vec<G::Action>,
    /// What happened.
    pub events: Vec<G::Event>,
}

/// How a game's older versions are carried over to the version of a state. The defaults suit a game whose actions, events and
/// legal actions have the same form in every version.
pub trait CarryOver: Game {
    /// Does on this game, which has newer rules, what a step did on the same game by older ones. A refused step has changed
    /// nothing.
    fn carry_step(
        &mut self,
        _set_ups: SetUps<'_, Self::Event>,
        step: OlderStep<'_, Self>,
        chance: &mut dyn Chance,
    ) -> Result<CarriedStep<Self>, Violation> {
        let events = self.act(step.seat, step.action, chance)?;
        Ok(CarriedStep { actions: [step.action.clone()].into(), events })
    }

    /// Events of the game by older rules as the rules of this game would have put them.
    fn carry_events(&self, _set_ups: SetUps<'_, Self::Event>, older: Vec<Self::Event>) -> Vec<Self::Event> {
        older
    }

    /// Legal actions of the game by older rules as the rules of this game would list them. Their order does not matter.
    fn carry_offers(&self, _set_ups: SetUps<'_, Self::Event>, older: Vec<Self::Offer>) -> Vec<Self::Offer> {
        older
    }
}

/// A game by older rules that is done again by the newest ones, step by step beside the old one.
#[derive(Clone, Debug)]
pub struct CarriedGame {
    game: AnyGame,
    begun: Begun,
}

/// The events of both set-ups.
#[derive(Clone, Debug)]
struct Begun {
    older: Vec<AnyEvent>,
    newer: Vec<AnyEvent>,
}

impl Begun {
    fn with<G: Listed, T>(&self, then: impl FnOnce(SetUps<'_, G::Event>) -> T) -> T {
        then(SetUps { older: &own::<G>(&self.older), newer: &own::<G>(&self.newer) })
    }
}

/// What happened in a step, by both versions of the rules.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Compared {
    /// What was done by the newest rules.
    pub actions: Vec<AnyAction>,
    /// The first event that differs, if one does.
    pub difference: Option<OtherEvent>,
}

/// An event that the newest rules make another one, or that only one of the two versions has.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OtherEvent {
    /// By the older version, as the newest would put it.
    pub older: Option<AnyEvent>,
    /// By the newest version.
    pub newest: Option<AnyEvent>,
}

impl CarriedGame {
    /// Sets the game up by the newest version, with the chance that it had by the older one.
    pub fn set_up(
        options: &AnyOptions,
        seats: SeatCount,
        chance: &mut dyn Chance,
        older: Vec<AnyEvent>,
    ) -> Result<(CarriedGame, Compared), Violation> {
        let (game, newer) = AnyGame::setup(options.kind().rules_version(), options, seats, chance)?;
        let carried = CarriedGame { game, begun: Begun { older, newer } };
        let difference = carried.difference(&carried.begun.older, &carried.begun.newer);
        Ok((carried, Compared { actions: Vec::new(), difference }))
    }

    /// The game by the newest version.
    pub fn game(&self) -> &AnyGame {
        &self.game
    }

    /// The result by the newest version, once the game has ended.
    pub fn outcome(&self) -> Option<Outcome> {
        self.game.outcome()
    }

    /// Does what a step did by the older version. It is refused where the newest rules do not allow it.
    pub fn follow(
        &mut self,
        seat: Seat,
        action: &AnyAction,
        older: &[AnyEvent],
        chance: &mut dyn Chance,
    ) -> Result<Compared, Violation> {
        let (actions, newest) = match_game!(&mut self.game, AnyGame, G(state) => {
            let Some(action) = G::own_action(action) else {
                return Err(Violation::malformed("this is an action of another game"));
            };
            let step = OlderStep { seat, action, events: &own::<G>(older) };
            let CarriedStep { actions, events } =
                self.begun.with::<G, _>(|set_ups| state.carry_step(set_ups, step, chance))?;
            let actions: Vec<AnyAction> = actions.into_iter().map(AnyAction::from).collect();
            let events: Vec<AnyEvent> = events.into_iter().map(AnyEvent::from).collect();
            (actions, events)
        });
        let difference = self.difference(older, &newest);
        Ok(Compared { actions, difference })
    }

    /// The first event in which the versions differ.
    fn difference(&self, older: &[AnyEvent], newest: &[AnyEvent]) -> Option<OtherEvent> {
        let older: Vec<AnyEvent> = match_game!(&self.game, AnyGame, G(state) => {
            let older = self.begun.with::<G, _>(|set_ups| state.carry_events(set_ups, own::<G>(older)));
            older.into_iter().map(AnyEvent::from).collect()
        });
        let place = (0..older.len().max(newest.len())).find(|place| older.get(*place) != newest.get(*place))?;
        Some(OtherEvent { older: older.get(place).cloned(), newest: newest.get(place).cloned() })
    }

    /// Whether a seat may do by the newest version what it may do by the older one.
    pub fn may_do_the_same(&self, seat: Seat, older: &AnyGame) -> bool {
        match_game!(&self.game, AnyGame, G(state) => {
            let Some(older) = G::own_game(older) else { return false };
            let older = self.begun.with::<G, _>(|set_ups| state.carry_offers(set_ups, older.legal_actions(seat)));
            let newest = state.legal_actions(seat);
            // No list has an entry twice.
            older.len() == newest.len() && newest.iter().all(|offer| older.contains(offer))
        })
    }
}

/// Events as those of their own game.
fn own<G: Listed>(events: &[AnyEvent]) -> Vec<G::Event> {
    events.iter().filter_map(G::own_event).cloned().collect()
}
