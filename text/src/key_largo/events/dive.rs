//! What happens on the wrecks.

use divelog_proto::games::key_largo::v1::{
    BoatPlaced, CardDrawn, CardKind, DiverFled, DrawCause, MonsterKilled, MonstersReturned, WeightUsed, WreckGone,
    WreckShuffled,
};

use super::{
    super::{card, counted, faces, listed},
    Describer,
};

pub fn boat_placed(placed: &BoatPlaced, describe: Describer) -> String {
    format!("{} places the boat on {}.", describe.who(placed.seat), describe.wreck(placed.wreck))
}

pub fn weight_used(used: &WeightUsed, describe: Describer) -> String {
    format!("{} uses up a {}.", describe.diver(used.seat, used.diver), describe.lang.name("weight", "poids"))
}

pub fn card_drawn(drawn: &CardDrawn, describe: Describer) -> String {
    let (diver, wreck) = (describe.diver(drawn.seat, drawn.diver), describe.wreck(drawn.wreck));
    let found = drawn.card.unwrap_or_default();
    let cause = match drawn.cause() {
        DrawCause::Turn | DrawCause::Weight | DrawCause::Unspecified => "",
        DrawCause::Replacement => " in place of the monster killed",
        DrawCause::Volunteer => " thanks to the volunteer",
        DrawCause::Regular => " in place of the monster sent back",
        DrawCause::AttentiveDiver => " as its last card",
    };
    if found.kind() == CardKind::Monster {
        return format!("{diver} meets a {} in {wreck}{cause}!", describe.lang.name("monster", "monstre"));
    }
    format!("{diver} draws {} from {wreck}{cause}.", card(&found, describe.lang))
}

pub fn monster_killed(killed: &MonsterKilled, describe: Describer) -> String {
    let monster = describe.lang.name("monster", "monstre");
    let diver = describe.diver(killed.seat, killed.trident_of);
    format!("{diver} gives up a trident, which kills the {monster} in {}.", describe.wreck(killed.wreck))
}

pub fn diver_fled(fled: &DiverFled, describe: Describer) -> String {
    let mut lost = Vec::new();
    if fled.hoses > 0 {
        lost.push(counted(fled.hoses, &describe.lang.name("hose", "tuyau"), &describe.lang.name("hoses", "tuyaux")));
    }
    if fled.weight {
        lost.push(format!("a {}", describe.lang.name("weight", "poids")));
    }
    let diver = describe.diver(fled.seat, fled.diver);
    let with = if lost.is_empty() { String::new() } else { format!(", with {}", listed(&lost)) };
    format!("{diver} flees and is lost for good{with}.")
}

pub fn monsters_returned(returned: &MonstersReturned, describe: Describer) -> String {
    let (one, more) = (describe.lang.name("monster", "monstre"), describe.lang.name("monsters", "monstres"));
    let verb = if returned.cards.len() == 1 { "goes" } else { "go" };
    format!("{} {verb} back into {}.", counted(returned.cards.len(), &one, &more), describe.wreck(returned.wreck))
}

pub fn wreck_shuffled(shuffled: &WreckShuffled, describe: Describer) -> String {
    let order = match faces(&shuffled.cards, describe.lang) {
        Some(faces) => format!("; from the top: {faces}"),
        None => String::new(),
    };
    format!("The cards of {} are shuffled{order}.", describe.wreck(shuffled.wreck))
}

pub fn wreck_gone(gone: &WreckGone, describe: Describer) -> String {
    format!("The last card of {} is drawn: it is gone.", describe.wreck(gone.wreck))
}
