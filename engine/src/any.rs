//! Whichever game a log holds: what [`Game`] does, on the closed choice among the games.

use alloc::{format, vec::Vec};
use core::ops::RangeInclusive;

use crate::games::Listed;
use crate::{
    AnyAction, AnyEvent, AnyGame, AnyOffer, AnyOptions, AnyView, Canonical, Chance, Game, Kind, Offer, Outcome,
    RulesVersion, Seat, SeatCount, SeatSet, Sink, Viewer, Violation, match_game,
};

impl Kind {
    /// The name in code, such as `deep_sea_adventure`.
    pub fn code_name(self) -> &'static str {
        match_game!(self, Kind, G => G::CODE_NAME)
    }

    /// The name for people.
    pub fn title(self) -> &'static str {
        match_game!(self, Kind, G => G::TITLE)
    }

    /// The fewest and the most seats.
    pub fn seats(self) -> RangeInclusive<u8> {
        match_game!(self, Kind, G => G::SEATS)
    }

    /// The refusal of a number of seats, by the game's rule 0.
    pub fn refuse_seats(self, count: usize) -> Violation {
        match_game!(self, Kind, G => Violation::seat_count(G::SEAT_RULE, G::TITLE, G::SEATS, count))
    }

    /// The options of a game without any variant.
    pub fn default_options(self) -> AnyOptions {
        match_game!(self, Kind, G => <G as Game>::Options::default().into())
    }

    /// The rules version that new games get.
    pub fn rules_version(self) -> u16 {
        match_game!(self, Kind, G => G::NEWEST_RULES.number())
    }

    /// Whether this build has a rules version.
    pub fn has_rules_version(self, version: u32) -> bool {
        (1..=u32::from(self.rules_version())).contains(&version)
    }

    /// The refusal of a rules version that this build does not have.
    pub fn refuse_rules_version(self, version: u32) -> Violation {
        let (title, newest) = (self.title(), self.rules_version());
        Violation::malformed(format!("{title} has rules versions 1 to {newest}, not {version}"))
    }
}

impl AnyOptions {
    /// The kind they are for.
    pub fn kind(&self) -> Kind {
        match_game!(self, AnyOptions, G(_options) => G::KIND)
    }
}

impl AnyView {
    /// See [`Game::without_to_act`].
    pub fn without_to_act(self) -> AnyView {
        match_game!(self, AnyView, G(view) => G::without_to_act(view).into())
    }
}

impl AnyGame {
    /// Sets a game up; see [`Game::setup`]. A version that this build does not have is refused, before anything is drawn.
    pub fn setup(
        version: u16,
        options: &AnyOptions,
        seats: SeatCount,
        chance: &mut dyn Chance,
    ) -> Result<(AnyGame, Vec<AnyEvent>), Violation> {
        match_game!(options, AnyOptions, G(options) => {
            let Some(rules) = <G as Game>::Rules::of(version) else {
                return Err(G::KIND.refuse_rules_version(version.into()));
            };
            let step = G::setup(rules, options, seats, chance)?;
            Ok((step.next.into(), step.events.into_iter().map(AnyEvent::from).collect()))
        })
    }

    /// What is played.
    pub fn kind(&self) -> Kind {
        match_game!(self, AnyGame, G(_state) => G::KIND)
    }

    /// See [`Game::seats`].
    pub fn seats(&self) -> SeatCount {
        match_game!(self, AnyGame, G(state) => state.seats())
    }

    /// See [`Game::to_act`].
    pub fn to_act(&self) -> SeatSet {
        match_game!(self, AnyGame, G(state) => state.to_act())
    }

    /// See [`Game::admit`].
    pub fn admit(&self, seat: Seat) -> Result<(), Violation> {
        match_game!(self, AnyGame, G(state) => state.admit(seat))
    }

    /// See [`Game::legal_actions`].
    pub fn legal_actions(&self, seat: Seat) -> Vec<AnyOffer> {
        match_game!(self, AnyGame, G(state) => state.legal_actions(seat).into_iter().map(AnyOffer::from).collect())
    }

    /// See [`Game::apply`]. An action of another game is malformed.
    pub fn apply(
        &self,
        seat: Seat,
        action: &AnyAction,
        chance: &mut dyn Chance,
    ) -> Result<(AnyGame, Vec<AnyEvent>), Violation> {
        match_game!(self, AnyGame, G(state) => {
            let Some(action) = G::own_action(action) else { return Err(other_game(state, seat)) };
            let step = state.apply(seat, action, chance)?;
            Ok((step.next.into(), step.events.into_iter().map(AnyEvent::from).collect()))
        })
    }

    /// See [`Game::act`]. An action of another game is malformed.
    pub fn act(&mut self, seat: Seat, action: &AnyAction, chance: &mut dyn Chance) -> Result<Vec<AnyEvent>, Violation> {
        match_game!(self, AnyGame, G(state) => {
            let Some(action) = G::own_action(action) else { return Err(other_game(state, seat)) };
            Ok(Game::act(state, seat, action, chance)?.into_iter().map(AnyEvent::from).collect())
        })
    }

    /// See [`Game::act`]; writes the canonical bytes of the events as a list, and of the state after them.
    pub fn act_encoded<S: Sink>(
        &mut self,
        seat: Seat,
        action: &AnyAction,
        chance: &mut dyn Chance,
        effects: &mut S,
    ) -> Result<(), Violation> {
        match_game!(self, AnyGame, G(state) => {
            let Some(action) = G::own_action(action) else { return Err(other_game(state, seat)) };
            let events = Game::act(state, seat, action, chance)?;
            encode_list(state, events.iter(), effects);
            state.encode(effects);
            Ok(())
        })
    }

    /// How many bytes the state takes. It holds no memory of its own beside them.
    pub fn state_bytes(&self) -> usize {
        match_game!(self, AnyGame, G(state) => size_of_val(state))
    }

    /// The rules version that this game is played by.
    pub fn rules_version(&self) -> u16 {
        match_game!(self, AnyGame, G(state) => state.rules().number())
    }

    /// An event of this game as a viewer may see it; see [`Game::redact`]. Nobody sees another game's.
    pub fn redact(&self, event: &AnyEvent, viewer: Viewer) -> Option<AnyEvent> {
        match_game!(self, AnyGame, G(state) => {
            G::redact(state.rules(), G::own_event(event)?, viewer).map(AnyEvent::from)
        })
    }

    /// Writes the canonical bytes of events of this game as a list; see [`Game::encode_event`].
    pub fn encode_events<S: Sink>(&self, events: &[AnyEvent], sink: &mut S) {
        match_game!(self, AnyGame, G(state) => {
            let own = |event| G::own_event(event).expect("the events are this game's");
            encode_list(state, events.iter().map(own), sink);
        })
    }

    /// See [`Game::outcome`].
    pub fn outcome(&self) -> Option<Outcome> {
        match_game!(self, AnyGame, G(state) => state.outcome())
    }

    /// See [`Game::view`].
    pub fn view(&self, viewer: Viewer) -> AnyView {
        match_game!(self, AnyGame, G(state) => state.view(viewer).into())
    }

    /// Any choice of any seat that is asked, as a player without a plan would make it; none when the game is over.
    /// Every offer is equally likely, whether it stands for one action or for many.
    pub fn any_choice(&self, chance: &mut dyn Chance) -> Option<(Seat, AnyAction)> {
        let asked = self.to_act();
        let seats = asked.iter().count() as u32;
        let seat = (seats > 0).then(|| chance.below(seats)).and_then(|place| asked.iter().nth(place as usize))?;
        let offers = self.legal_actions(seat);
        let offer = &offers[chance.below(offers.len() as u32) as usize];
        let count = u32::try_from(offer.count()).unwrap_or(u32::MAX);
        Some((seat, offer.nth(chance.below(count).into())))
    }
}

/// The refusal of another game's action: that the seat may not act at all comes first.
fn other_game<G: Listed>(state: &G, seat: Seat) -> Violation {
    match state.admit(seat) {
        Err(violation) => violation,
        Ok(()) => Violation::malformed(format!("this is not an action of {}", G::TITLE)),
    }
}

/// The canonical bytes of a list of events: its length, then each.
fn encode_list<'a, G: Game, S: Sink>(state: &G, events: impl ExactSizeIterator<Item = &'a G::Event>, sink: &mut S)
where
    G::Event: 'a,
{
    sink.len(events.len());
    events.for_each(|event| G::encode_event(state.rules(), event, sink));
}

impl AnyOffer {
    /// See [`Offer::count`].
    pub fn count(&self) -> u64 {
        match_game!(self, AnyOffer, G(offer) => offer.count())
    }

    /// See [`Offer::nth`].
    pub fn nth(&self, number: u64) -> AnyAction {
        match_game!(self, AnyOffer, G(offer) => offer.nth(number).into())
    }
}

impl Canonical for AnyGame {
    fn encode<S: Sink>(&self, sink: &mut S) {
        match_game!(self, AnyGame, G(state) => state.encode(sink))
    }
}
