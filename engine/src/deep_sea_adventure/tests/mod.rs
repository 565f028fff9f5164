//! The rules by their ids: a test's name begins with the rule, ruling or worked example that it proves.

mod encoding;
mod examples;
mod game_end;
mod lists;
mod refusals;
mod round_end;
mod rulings;
mod search;
mod setup;
mod table;
mod turns;
mod under_test;
mod visibility;
