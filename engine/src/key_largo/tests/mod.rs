//! The rules by their ids: a test's name begins with the rule, ruling, encounter or worked example that it proves.

mod bar;
mod bar_encounters;
mod day;
mod dive;
mod dive_encounters;
mod dolphins;
mod encoding;
mod end;
mod examples;
mod market;
mod market_encounters;
mod monster;
mod near_misses;
mod offers;
mod redeal;
mod refusals;
mod rounds;
mod sabotage;
mod setup;
mod shop;
mod shop_encounters;
mod table;
mod tables;
mod theft;
mod under_test;
mod visibility;
