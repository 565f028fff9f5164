//! The one list of games, and the way from a choice among them to a game's own type.
//!
//! [`with_games!`] holds the list. [`match_game!`] is what other code uses: it goes from a [`Kind`], a value such as
//! [`AnyGame`], or a `oneof` of the wire, to the game's state type, on which every layer implements its trait: [`Game`] and
//! [`CarryOver`] here, the wire's in the ledger, the words' and the rule book's in the text crate. A game without one of
//! them does not compile, and no match has an arm for the rest.

use core::ops::RangeInclusive;

use crate::{CarryOver, Game};

/// The list: the name of the wire's and our choices, the number on the wire and in the log, the module and code name.
///
/// A new game is one line here. Hands the list to another macro, after that one's own arguments.
#[doc(hidden)]
#[macro_export]
macro_rules! with_games {
    ([$($then:tt)+], $arguments:tt) => {
        $($then)+! {
            $arguments
            DeepSeaAdventure = 1, deep_sea_adventure;
            CaptainCarcass = 2, captain_carcass;
            KeyLargo = 3, key_largo;
            VeiledIsles = 4, veiled_isles;
        }
    };
}

/// Goes from a choice among the games to the game's state type.
///
/// The arms for the choices that are no game (`Unspecified`) have to be named: a game that is missing does not compile.
///
/// ```
/// use divelog_engine::{AnyGame, Game, Kind, SeatCount, match_game};
///
/// fn newest(kind: Kind) -> usize {
///     match_game!(kind, Kind, G => size_of::<G>())
/// }
/// fn seats(game: &AnyGame) -> SeatCount {
///     match_game!(game, AnyGame, G(state) => G::seats(state))
/// }
/// # let _ = (newest, seats);
/// ```
#[macro_export]
macro_rules! match_game {
    ($value:expr, $choice:ty, $game:ident => $body:expr $(, $other:ident => $otherwise:expr)* $(,)?) => {
        $crate::with_games!([$crate::match_game_arms], ($value, $choice, $game, (), $body, [$($other => $otherwise,)*]))
    };
    ($value:expr, $choice:ty, $game:ident ($held:ident) => $body:expr $(,)?) => {
        $crate::with_games!([$crate::match_game_arms], ($value, $choice, $game, (($held)), $body, []))
    };
}

/// The match that [`match_game!`] stands for.
#[doc(hidden)]
#[macro_export]
macro_rules! match_game_arms {
    (
        ($value:expr, $choice:ty, $game:ident, (), $body:expr, [$($other:ident => $otherwise:expr,)*])
        $( $name:ident = $number:literal, $module:ident; )*
    ) => {{
        type Choice = $choice;
        match $value {
            $(
                Choice::$name => {
                    #[allow(dead_code, reason = "not every match needs the type")]
                    type $game = $crate::$module::State;
                    $body
                }
            )*
            $( Choice::$other => $otherwise, )*
        }
    }};
    (
        ($value:expr, $choice:ty, $game:ident, (($held:ident)), $body:expr, [])
        $( $name:ident = $number:literal, $module:ident; )*
    ) => {{
        type Choice = $choice;
        match $value {
            $(
                Choice::$name($held) => {
                    #[allow(dead_code, reason = "not every match needs the type")]
                    type $game = $crate::$module::State;
                    $body
                }
            )*
        }
    }};
}

/// What the list knows of a game, and the way between its types and those of any game.
pub trait Listed: CarryOver {
    /// Its kind.
    const KIND: Kind;
    /// The name in code, such as `deep_sea_adventure`.
    const CODE_NAME: &'static str;
    /// The name for people.
    const TITLE: &'static str;
    /// The fewest and the most seats.
    const SEATS: RangeInclusive<u8>;
    /// The rule that says so.
    const SEAT_RULE: &'static str;

    /// A state, if it is one of this game.
    fn own_game(game: &AnyGame) -> Option<&Self>;

    /// An action, if it is one of this game.
    fn own_action(action: &AnyAction) -> Option<&Self::Action>;

    /// An event, if it is one of this game.
    fn own_event(event: &AnyEvent) -> Option<&Self::Event>;
}

/// Declares a choice among the games that holds a type of each.
macro_rules! choice {
    ($(#[$attribute:meta])* $choice:ident($held:ident): $( $name:ident $module:ident, )*) => {
        $(#[$attribute])*
        pub enum $choice { $( #[doc = concat!("See [`", stringify!($module), "`](crate::", stringify!($module), ").")] $name(<crate::$module::State as Game>::$held), )* }

        $(
            impl From<<crate::$module::State as Game>::$held> for $choice {
                fn from(held: <crate::$module::State as Game>::$held) -> $choice {
                    $choice::$name(held)
                }
            }
        )*
    };
}

/// Declares the choices, and what each game has by being on the list.
macro_rules! declare {
    (() $( $name:ident = $number:literal, $module:ident; )*) => {
        /// A kind of game. The number is the one on the wire and in the log.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub enum Kind { $( #[doc = concat!("See [`", stringify!($module), "`](crate::", stringify!($module), ").")] $name = $number, )* }

        impl Kind {
            /// All kinds, in the order of their numbers.
            pub const ALL: &[Kind] = &[ $( Kind::$name, )* ];
        }

        choice! {
            /// The options of any game.
            #[derive(Clone, PartialEq, Eq, Debug)]
            #[allow(clippy::large_enum_variant, reason = "there is one in a game, and a box would show in every match")]
            AnyOptions(Options): $( $name $module, )*
        }
        choice! {
            /// An action of any game.
            #[derive(Clone, PartialEq, Eq, Debug)]
            AnyAction(Action): $( $name $module, )*
        }
        choice! {
            /// A legal action, or family of them, of any game.
            #[derive(Clone, PartialEq, Eq, Debug)]
            AnyOffer(Offer): $( $name $module, )*
        }
        choice! {
            /// An event of any game.
            #[derive(Clone, PartialEq, Eq, Debug)]
            AnyEvent(Event): $( $name $module, )*
        }
        choice! {
            /// A view of any game.
            #[derive(Clone, PartialEq, Eq, Debug)]
            AnyView(View): $( $name $module, )*
        }

        /// The state of any game.
        #[derive(Clone, PartialEq, Eq, Debug)]
        #[allow(clippy::large_enum_variant, reason = "states are copied for each action: without an allocation")]
        pub enum AnyGame { $( #[doc = concat!("See [`", stringify!($module), "`](crate::", stringify!($module), ").")] $name(crate::$module::State), )* }

        $(
            impl From<crate::$module::State> for AnyGame {
                fn from(state: crate::$module::State) -> AnyGame {
                    AnyGame::$name(state)
                }
            }

            impl Listed for crate::$module::State {
                const KIND: Kind = Kind::$name;
                const CODE_NAME: &'static str = stringify!($module);
                const TITLE: &'static str = crate::$module::TITLE;
                const SEATS: RangeInclusive<u8> = crate::$module::SEATS;
                const SEAT_RULE: &'static str = crate::$module::SEAT_RULE;

                fn own_game(game: &AnyGame) -> Option<&Self> {
                    if let AnyGame::$name(state) = game { Some(state) } else { None }
                }

                fn own_action(action: &AnyAction) -> Option<&Self::Action> {
                    if let AnyAction::$name(action) = action { Some(action) } else { None }
                }

                fn own_event(event: &AnyEvent) -> Option<&Self::Event> {
                    if let AnyEvent::$name(event) = event { Some(event) } else { None }
                }
            }
        )*
    };
}

with_games!([declare], ());
