//! The rules by their ids: a test's name begins with the rule, diver, variant, ruling or worked example that it proves.

mod bonus;
mod choices;
mod divers;
mod encoding;
mod events;
mod examples;
mod incidents;
mod interactions;
mod looks;
mod nets;
mod refusals;
mod rulings;
mod scoring;
mod setup;
mod squids;
mod sudden_death;
mod table;
mod turns;
mod under_test;
mod variants;
mod visibility;
