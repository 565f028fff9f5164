//! The options, which go into record 0 of a log with every default filled in: they always mean the same, also once a
//! later build has other defaults.

use divelog_engine::veiled_isles::{ActionCard, Options};
use divelog_proto::games::veiled_isles::v1 as pb;

use super::cards::{action_card_from_proto, action_card_to_proto};

/// VI-R2: the actions of a game that chooses none.
const RED_BLUE: ActionCard = ActionCard::A1;
const GREEN_PURPLE: ActionCard = ActionCard::A3;
/// VI-R1: what the treasures of a colour are worth where a game does not say.
const VALUES: [u32; 8] = [1, 2, 2, 3, 3, 4, 4, 5];

pub(super) fn options_to_proto(options: &Options) -> pb::Options {
    pb::Options {
        red_blue_action: action_card_to_proto(options.red_blue_action.unwrap_or(RED_BLUE)).into(),
        green_purple_action: action_card_to_proto(options.green_purple_action.unwrap_or(GREEN_PURPLE)).into(),
        treasure_values: options.treasure_values.clone().unwrap_or_else(|| VALUES.to_vec()),
    }
}

pub(super) fn options_from_proto(options: &pb::Options) -> Result<Options, String> {
    Ok(Options {
        red_blue_action: action_card_from_proto(options.red_blue_action, "red_blue_action")?,
        green_purple_action: action_card_from_proto(options.green_purple_action, "green_purple_action")?,
        // Absent and empty are the same on the wire; how many numbers there must be is the rules' to say.
        treasure_values: Some(options.treasure_values.clone()).filter(|values| !values.is_empty()),
    })
}
