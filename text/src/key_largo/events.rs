//! What happened, in sentences. What the viewer may not see is left out.

mod dive;
mod trade;

use divelog_proto::games::key_largo::v1::{
    DayStarted, Encounter, EncounterPlayed, Event as Message, GameEnded, GameStarted, Half, Place, PlacesRevealed,
    Programmed, WrecksLaid, event::Event,
};

use super::{
    card, encounters,
    names::{self, PLACES, WARES},
};
use crate::{Lang, Seating};

/// What a sentence needs to know of the table and its reader.
#[derive(Clone, Copy)]
struct Teller<'a> {
    seating: &'a Seating,
    lang: Lang,
}

impl Teller<'_> {
    fn who(self, seat: u32) -> String {
        self.seating.full(seat)
    }

    /// One of a player's divers, at the beginning of a sentence.
    fn diver(self, seat: u32, diver: u32) -> String {
        format!("{} {diver} of {}", self.lang.name("Diver", "scaphandrier"), self.who(seat))
    }

    fn wreck(self, wreck: u32) -> String {
        format!("{} {wreck}", self.lang.name("wreck", "épave"))
    }

    /// The day of the week; the first day is a Friday (KL-3).
    fn weekday(self, day: u32) -> String {
        super::weekday(day, self.lang)
    }

    fn half(self, half: Half) -> String {
        super::half(half, self.lang)
    }

    /// An encounter card as the object of a sentence.
    fn encounter(self, encounter: Encounter) -> String {
        format!("the {}", encounters::text(encounter, self.lang))
    }
}

/// The sentence of an event; none if it is newer than this client.
pub fn sentence(event: &Message, seating: &Seating, lang: Lang) -> Option<String> {
    let tell = Teller { seating, lang };
    let place = |place| names::text(&PLACES, place, lang);
    Some(match event.event.as_ref()? {
        Event::GameStarted(started) => game_started(started, lang),
        Event::WrecksLaid(laid) => wrecks_laid(laid, lang),
        Event::EncountersShuffled(shuffled) => {
            format!("The {} {} are shuffled.", shuffled.deck.len(), lang.name("encounter cards", "cartes rencontre"))
        }
        Event::DayStarted(started) => day_started(started, tell),
        Event::Programmed(programmed) => self::programmed(programmed, tell),
        Event::PlacesRevealed(revealed) => places_revealed(revealed, tell),
        Event::SabotagePassed(passed) => {
            format!("{} plays no {}.", tell.who(passed.seat), encounters::text(Encounter::Saboteur, lang))
        }
        Event::EncounterPlayed(played) => encounter_played(played, tell),
        Event::EncounterDrawn(drawn) => match encounters::find(drawn.encounter()) {
            Some(info) => format!("{} meets {}.", tell.who(drawn.seat), tell.encounter(info.card)),
            None => format!("{} draws an {}.", tell.who(drawn.seat), lang.name("encounter card", "carte rencontre")),
        },
        Event::VisitEnded(ended) => format!("{} leaves the {}.", tell.who(ended.seat), place(ended.place())),
        Event::HalfDayEnded(ended) => format!("The {} is over, and the boats leave.", tell.half(ended.half())),
        Event::GameEnded(ended) => game_ended(ended, tell),

        Event::BoatPlaced(placed) => dive::boat_placed(placed, tell),
        Event::DiveLost(lost) => format!("{} finds no wreck to dive on: the action is lost.", tell.who(lost.seat)),
        Event::WeightUsed(used) => dive::weight_used(used, tell),
        Event::CardDrawn(drawn) => dive::card_drawn(drawn, tell),
        Event::MonsterKilled(killed) => dive::monster_killed(killed, tell),
        Event::DiverFled(fled) => dive::diver_fled(fled, tell),
        Event::MonstersReturned(returned) => dive::monsters_returned(returned, tell),
        Event::WreckShuffled(shuffled) => dive::wreck_shuffled(shuffled, tell),
        Event::WreckGone(gone) => dive::wreck_gone(gone, tell),
        Event::Surfaced(surfaced) => {
            format!("{} ends the dive on {}.", tell.who(surfaced.seat), tell.wreck(surfaced.wreck))
        }

        Event::Recruited(recruited) => trade::recruited(recruited, tell),
        Event::PickpocketHired(hired) => trade::pickpocket_hired(hired, tell),
        Event::CardStolen(stolen) => trade::card_stolen(stolen, tell),
        Event::RoundBought(bought) => trade::round_bought(bought, tell),
        Event::WreckSeen(seen) => trade::wreck_seen(seen, tell),
        Event::DolphinsPaid(paid) => format!("{} earns ${} with the dolphins.", tell.who(paid.seat), paid.amount),
        Event::Bought(bought) => trade::bought(bought, tell),
        Event::CardsSold(sold) => trade::cards_sold(sold, tell),
    })
}

fn game_started(started: &GameStarted, lang: Lang) -> String {
    let with = if started.encounters { "with" } else { "without" };
    format!("Ten days on Key Largo begin, {with} {}.", lang.name("encounter cards", "cartes rencontre"))
}

fn wrecks_laid(laid: &WrecksLaid, lang: Lang) -> String {
    let wrecks = lang.name("wrecks", "épaves");
    format!("The {wrecks} are laid out: {} shallow, {} medium and {} deep.", laid.shallow, laid.medium, laid.deep)
}

fn day_started(started: &DayStarted, tell: Teller) -> String {
    let (day, weekday) = (started.day, tell.weekday(started.day));
    format!("Day {day} begins, a {weekday}; {} goes first.", tell.who(started.first_seat))
}

fn programmed(programmed: &Programmed, tell: Teller) -> String {
    let who = tell.who(programmed.seat);
    let part = |chosen: bool, place, half| {
        chosen.then(|| format!("{} for the {}", names::text(&PLACES, place, tell.lang), tell.half(half)))
    };
    let parts = [
        part(programmed.morning.is_some(), programmed.morning(), Half::Morning),
        part(programmed.afternoon.is_some(), programmed.afternoon(), Half::Afternoon),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    if parts.is_empty() {
        return format!("{who} has chosen the places of the day.");
    }
    format!("{who} chooses {}.", super::listed(&parts))
}

fn places_revealed(revealed: &PlacesRevealed, tell: Teller) -> String {
    // By number: the generated list of enums leaves out unknown ones, and the seats after them would move up.
    let places: Vec<String> = (0u32..)
        .zip(&revealed.places)
        .map(|(seat, number)| {
            let place = Place::try_from(*number).unwrap_or_default();
            format!("{} {}", tell.who(seat), names::text(&PLACES, place, tell.lang))
        })
        .collect();
    format!("The places of the {}: {}.", tell.half(revealed.half()), places.join(", "))
}

fn encounter_played(played: &EncounterPlayed, tell: Teller) -> String {
    let plays = format!("{} plays {}", tell.who(played.seat), tell.encounter(played.encounter()));
    match (played.target_seat, played.diver, played.wreck, &played.dupe) {
        (Some(target), Some(diver), _, _) => {
            format!("{plays}: diver {diver} of {} misses this dive.", tell.who(target))
        }
        (None, Some(diver), _, _) => format!("{plays} with diver {diver}."),
        (_, _, Some(wreck), _) => format!("{plays} on {}.", tell.wreck(wreck)),
        (_, _, _, Some(dupe)) => {
            let ware = names::text(&WARES, played.ware(), tell.lang);
            format!("{plays}: {} counts as {ware}.", card(dupe, tell.lang))
        }
        _ => format!("{plays}."),
    }
}

fn game_ended(ended: &GameEnded, tell: Teller) -> String {
    let fortunes: Vec<String> =
        (0u32..).zip(&ended.fortunes).map(|(seat, fortune)| format!("{} ${fortune}", tell.who(seat))).collect();
    let over = format!("The game is over: {}.", super::listed(&fortunes));
    let verb = match ended.winners.len() {
        0 => return over,
        1 => "wins",
        _ => "share the win",
    };
    format!("{over} {} {verb}.", tell.seating.list(&ended.winners))
}

#[cfg(test)]
mod tests;
