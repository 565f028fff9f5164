//! The closed choice among the games, for code that serves whichever game a log holds.

use alloc::vec::Vec;

use crate::{
    Canonical, Chance, Game, Offer, Outcome, Seat, SeatCount, SeatSet, Sink, Viewer, Violation, captain_carcass,
    deep_sea_adventure, key_largo, veiled_isles,
};

/// Declares the kinds of game once: their order, code names, titles, modules and seats.
macro_rules! games {
    ($( $game:ident = $number:literal, $code:literal, $title:literal, $seat_rule:literal, $module:ident; )*) => {
        /// A kind of game. The number is the one on the wire and in the log.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub enum Kind { $( #[doc = $title] $game = $number, )* }

        impl Kind {
            /// All kinds, in the order of their numbers.
            pub const ALL: &[Kind] = &[ $( Kind::$game, )* ];

            /// The name in code, such as `deep_sea_adventure`.
            pub fn code_name(self) -> &'static str {
                match self { $( Kind::$game => $code, )* }
            }

            /// The name for people.
            pub fn title(self) -> &'static str {
                match self { $( Kind::$game => $title, )* }
            }

            /// The fewest and the most seats.
            pub fn seats(self) -> core::ops::RangeInclusive<u8> {
                match self { $( Kind::$game => $module::SEATS, )* }
            }

            /// The refusal of a number of seats, by the game's rule 0.
            pub fn refuse_seats(self, count: usize) -> Violation {
                match self { $( Kind::$game => Violation::seat_count($seat_rule, $title, $module::SEATS, count), )* }
            }

            /// The options of a game without any variant.
            pub fn default_options(self) -> AnyOptions {
                match self { $( Kind::$game => AnyOptions::$game(Default::default()), )* }
            }

            /// The rules version that new games get.
            pub fn rules_version(self) -> u16 {
                match self { $( Kind::$game => <$module::State as Game>::RULES_VERSION, )* }
            }
        }

        /// The options of any game.
        #[derive(Clone, PartialEq, Eq, Debug)]
        #[allow(clippy::large_enum_variant, reason = "there is one in a game, and a box would show in every match")]
        pub enum AnyOptions { $( #[doc = $title] $game(<$module::State as Game>::Options), )* }

        /// An action of any game.
        #[derive(Clone, PartialEq, Eq, Debug)]
        pub enum AnyAction { $( #[doc = $title] $game(<$module::State as Game>::Action), )* }

        /// A legal action, or family of them, of any game.
        #[derive(Clone, PartialEq, Eq, Debug)]
        pub enum AnyOffer { $( #[doc = $title] $game(<$module::State as Game>::Offer), )* }

        /// An event of any game.
        #[derive(Clone, PartialEq, Eq, Debug)]
        pub enum AnyEvent { $( #[doc = $title] $game(<$module::State as Game>::Event), )* }

        /// A view of any game.
        #[derive(Clone, PartialEq, Eq, Debug)]
        pub enum AnyView { $( #[doc = $title] $game(<$module::State as Game>::View), )* }

        /// The state of any game.
        #[derive(Clone, PartialEq, Eq, Debug)]
        #[allow(clippy::large_enum_variant, reason = "states are copied for each action: without an allocation")]
        pub enum AnyGame { $( #[doc = $title] $game($module::State), )* }

        impl AnyOptions {
            /// The kind they are for.
            pub fn kind(&self) -> Kind {
                match self { $( AnyOptions::$game(_) => Kind::$game, )* }
            }
        }

        impl AnyGame {
            /// Sets a game up; see [`Game::setup`].
            pub fn setup(
                version: u16,
                options: &AnyOptions,
                seats: SeatCount,
                chance: &mut dyn Chance,
            ) -> Result<(AnyGame, Vec<AnyEvent>), Violation> {
                match options { $(
                    AnyOptions::$game(options) => {
                        let step = <$module::State as Game>::setup(version, options, seats, chance)?;
                        Ok((AnyGame::$game(step.next), step.events.into_iter().map(AnyEvent::$game).collect()))
                    }
                )* }
            }

            /// What is played.
            pub fn kind(&self) -> Kind {
                match self { $( AnyGame::$game(_) => Kind::$game, )* }
            }

            /// See [`Game::seats`].
            pub fn seats(&self) -> SeatCount {
                match self { $( AnyGame::$game(state) => state.seats(), )* }
            }

            /// See [`Game::to_act`].
            pub fn to_act(&self) -> SeatSet {
                match self { $( AnyGame::$game(state) => state.to_act(), )* }
            }

            /// See [`Game::admit`].
            pub fn admit(&self, seat: Seat) -> Result<(), Violation> {
                match self { $( AnyGame::$game(state) => state.admit(seat), )* }
            }

            /// See [`Game::legal_actions`].
            pub fn legal_actions(&self, seat: Seat) -> Vec<AnyOffer> {
                match self { $(
                    AnyGame::$game(state) => state.legal_actions(seat).into_iter().map(AnyOffer::$game).collect(),
                )* }
            }

            /// See [`Game::apply`]. An action of another game is malformed.
            pub fn apply(
                &self,
                seat: Seat,
                action: &AnyAction,
                chance: &mut dyn Chance,
            ) -> Result<(AnyGame, Vec<AnyEvent>), Violation> {
                match (self, action) { $(
                    (AnyGame::$game(state), AnyAction::$game(action)) => {
                        let step = state.apply(seat, action, chance)?;
                        Ok((AnyGame::$game(step.next), step.events.into_iter().map(AnyEvent::$game).collect()))
                    }
                    (AnyGame::$game(state), _) => {
                        state.admit(seat)?;
                        Err(Violation::malformed(concat!("this is not an action of ", $title)))
                    }
                )* }
            }

            /// See [`Game::act`]. An action of another game is malformed.
            pub fn act(
                &mut self,
                seat: Seat,
                action: &AnyAction,
                chance: &mut dyn Chance,
            ) -> Result<Vec<AnyEvent>, Violation> {
                match (self, action) { $(
                    (AnyGame::$game(state), AnyAction::$game(action)) => {
                        Ok(Game::act(state, seat, action, chance)?.into_iter().map(AnyEvent::$game).collect())
                    }
                    (AnyGame::$game(state), _) => {
                        state.admit(seat)?;
                        Err(Violation::malformed(concat!("this is not an action of ", $title)))
                    }
                )* }
            }

            /// See [`Game::act`]; writes the canonical bytes of the events as a list, and of the state after them.
            pub fn act_encoded<S: Sink>(
                &mut self,
                seat: Seat,
                action: &AnyAction,
                chance: &mut dyn Chance,
                effects: &mut S,
            ) -> Result<(), Violation> {
                match (self, action) { $(
                    (AnyGame::$game(state), AnyAction::$game(action)) => {
                        Game::act(state, seat, action, chance)?.as_slice().encode(effects);
                        state.encode(effects);
                        Ok(())
                    }
                    (AnyGame::$game(state), _) => {
                        state.admit(seat)?;
                        Err(Violation::malformed(concat!("this is not an action of ", $title)))
                    }
                )* }
            }

            /// How many bytes the state takes. It holds no memory of its own beside them.
            pub fn state_bytes(&self) -> usize {
                match self { $( AnyGame::$game(state) => size_of_val(state), )* }
            }

            /// See [`Game::outcome`].
            pub fn outcome(&self) -> Option<Outcome> {
                match self { $( AnyGame::$game(state) => state.outcome(), )* }
            }

            /// See [`Game::view`].
            pub fn view(&self, viewer: Viewer) -> AnyView {
                match self { $( AnyGame::$game(state) => AnyView::$game(state.view(viewer)), )* }
            }
        }

        impl AnyEvent {
            /// See [`Game::redact`].
            pub fn redact(&self, viewer: Viewer) -> Option<AnyEvent> {
                match self { $(
                    AnyEvent::$game(event) => <$module::State as Game>::redact(event, viewer).map(AnyEvent::$game),
                )* }
            }
        }

        impl AnyOffer {
            /// See [`Offer::count`].
            pub fn count(&self) -> u64 {
                match self { $( AnyOffer::$game(offer) => offer.count(), )* }
            }

            /// See [`Offer::nth`].
            pub fn nth(&self, number: u64) -> AnyAction {
                match self { $( AnyOffer::$game(offer) => AnyAction::$game(offer.nth(number)), )* }
            }
        }

        impl Canonical for AnyGame {
            fn encode<S: Sink>(&self, sink: &mut S) {
                match self { $( AnyGame::$game(state) => state.encode(sink), )* }
            }
        }

        impl Canonical for AnyEvent {
            fn encode<S: Sink>(&self, sink: &mut S) {
                match self { $( AnyEvent::$game(event) => event.encode(sink), )* }
            }
        }
    };
}

impl AnyGame {
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

games! {
    DeepSeaAdventure = 1, "deep_sea_adventure", "Deep Sea Adventure", "DSA-0", deep_sea_adventure;
    CaptainCarcass = 2, "captain_carcass", "Captain Carcass", "CC-0", captain_carcass;
    KeyLargo = 3, "key_largo", "Key Largo", "KL-0", key_largo;
    VeiledIsles = 4, "veiled_isles", "Veiled Isles", "VI-0", veiled_isles;
}
