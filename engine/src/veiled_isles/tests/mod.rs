//! The rules by their ids: a test's name begins with the rule, ruling or worked example that it proves.

mod actions;
mod colours;
mod encoding;
mod examples;
mod options;
mod pass;
mod play;
mod redeal;
mod refusals;
mod rulings;
mod scoring;
mod secret_choices;
mod setup;
mod table;
mod treasure;
mod under_test;
mod visibility;
