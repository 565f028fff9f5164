//! The games for people: action words, event sentences and drawn boards.
//!
//! Pure functions: language, width and colours come in as values, and text goes out. Nothing here reads a terminal or the
//! environment, and nothing is printed. Each game of the engine's list has a folder, and
//! implements `GameText` and `RuleBook` there.

mod captain_carcass;
mod deep_sea_adventure;
mod error;
mod games;
mod key_largo;
mod lang;
mod legal;
mod outcome;
mod paint;
pub mod rule_book;
mod screen;
mod seating;
pub mod spelling;
pub mod strings;
pub mod table;
mod veiled_isles;

pub use error::ParseError;
pub use games::{
    action_words, code_name, code_names, draw, event_sentence, kind_by_code_name, legal_words, parse_action,
};
pub use lang::Lang;
pub use paint::Paint;
pub use screen::Screen;
pub use seating::{Seating, fork_mark};
