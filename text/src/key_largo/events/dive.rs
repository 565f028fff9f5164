//! What happens on the wrecks.

use divelog_proto::games::key_largo::v1::{
    BoatPlaced, CardDrawn, CardKind, DiverFled, DrawCause, MonsterKilled, MonstersReturned, WeightUsed, WreckGone,
    WreckShuffled,
};

use super::{
    super::{card, counted, faces, listed},
    Teller,
};

pub fn boat_placed(placed: &BoatPlaced, tell: Teller) -> String {
    format!("{} places the boat on {}.", tell.who(placed.seat), tell.wreck(placed.wreck))
}

pub fn weight_used(used: &WeightUsed, tell: Teller) -> String {
    format!("{} uses up a {}.", tell.diver(used.seat, used.diver), tell.lang.name("weight", "poids"))
}

pub fn card_drawn(drawn: &CardDrawn, tell: Teller) -> String {
    let (diver, wreck) = (tell.diver(drawn.seat, drawn.diver), tell.wreck(drawn.wreck));
    let found = drawn.card.unwrap_or_default();
    let cause = match drawn.cause() {
        DrawCause::Turn | DrawCause::Weight | DrawCause::Unspecified => "",
        DrawCause::Replacement => " in place of the monster killed",
        DrawCause::Volunteer => " thanks to the volunteer",
        DrawCause::Regular => " in place of the monster sent back",
        DrawCause::AttentiveDiver => " as its last card",
    };
    if found.kind() == CardKind::Monster {
        return format!("{diver} meets a {} in {wreck}{cause}!", tell.lang.name("monster", "monstre"));
    }
    format!("{diver} draws {} from {wreck}{cause}.", card(&found, tell.lang))
}

pub fn monster_killed(killed: &MonsterKilled, tell: Teller) -> String {
    let monster = tell.lang.name("monster", "monstre");
    let diver = tell.diver(killed.seat, killed.trident_of);
    format!("{diver} gives up a trident, which kills the {monster} in {}.", tell.wreck(killed.wreck))
}

pub fn diver_fled(fled: &DiverFled, tell: Teller) -> String {
    let mut lost = Vec::new();
    if fled.hoses > 0 {
        lost.push(counted(fled.hoses, &tell.lang.name("hose", "tuyau"), &tell.lang.name("hoses", "tuyaux")));
    }
    if fled.weight {
        lost.push(format!("a {}", tell.lang.name("weight", "poids")));
    }
    let diver = tell.diver(fled.seat, fled.diver);
    let with = if lost.is_empty() { String::new() } else { format!(", with {}", listed(&lost)) };
    format!("{diver} flees and is lost for good{with}.")
}

pub fn monsters_returned(returned: &MonstersReturned, tell: Teller) -> String {
    let (one, more) = (tell.lang.name("monster", "monstre"), tell.lang.name("monsters", "monstres"));
    let verb = if returned.cards.len() == 1 { "goes" } else { "go" };
    format!("{} {verb} back into {}.", counted(returned.cards.len(), &one, &more), tell.wreck(returned.wreck))
}

pub fn wreck_shuffled(shuffled: &WreckShuffled, tell: Teller) -> String {
    let order = match faces(&shuffled.cards, tell.lang) {
        Some(faces) => format!("; from the top: {faces}"),
        None => String::new(),
    };
    format!("The cards of {} are shuffled{order}.", tell.wreck(shuffled.wreck))
}

pub fn wreck_gone(gone: &WreckGone, tell: Teller) -> String {
    format!("The last card of {} is drawn: it is gone.", tell.wreck(gone.wreck))
}
