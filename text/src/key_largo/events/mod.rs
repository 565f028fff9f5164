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
struct Describer<'a> {
    seating: &'a Seating,
    lang: Lang,
}

impl Describer<'_> {
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
    let describe = Describer { seating, lang };
    let place = |place| names::text(&PLACES, place, lang);
    Some(match event.event.as_ref()? {
        Event::GameStarted(started) => game_started(started, lang),
        Event::WrecksLaid(laid) => wrecks_laid(laid, lang),
        Event::EncountersShuffled(shuffled) => {
            format!("The {} {} are shuffled.", shuffled.deck.len(), lang.name("encounter cards", "cartes rencontre"))
        }
        Event::DayStarted(started) => day_started(started, describe),
        Event::Programmed(programmed) => self::programmed(programmed, describe),
        Event::PlacesRevealed(revealed) => places_revealed(revealed, describe),
        Event::SabotagePassed(passed) => {
            format!("{} plays no {}.", describe.who(passed.seat), encounters::text(Encounter::Saboteur, lang))
        }
        Event::EncounterPlayed(played) => encounter_played(played, describe),
        Event::EncounterDrawn(drawn) => match encounters::find(drawn.encounter()) {
            Some(info) => format!("{} meets {}.", describe.who(drawn.seat), describe.encounter(info.card)),
            None => {
                format!("{} draws an {}.", describe.who(drawn.seat), lang.name("encounter card", "carte rencontre"))
            }
        },
        Event::VisitEnded(ended) => format!("{} leaves the {}.", describe.who(ended.seat), place(ended.place())),
        Event::HalfDayEnded(ended) => format!("The {} is over, and the boats leave.", describe.half(ended.half())),
        Event::GameEnded(ended) => game_ended(ended, describe),

        Event::BoatPlaced(placed) => dive::boat_placed(placed, describe),
        Event::DiveLost(lost) => format!("{} finds no wreck to dive on: the action is lost.", describe.who(lost.seat)),
        Event::WeightUsed(used) => dive::weight_used(used, describe),
        Event::CardDrawn(drawn) => dive::card_drawn(drawn, describe),
        Event::MonsterKilled(killed) => dive::monster_killed(killed, describe),
        Event::DiverFled(fled) => dive::diver_fled(fled, describe),
        Event::MonstersReturned(returned) => dive::monsters_returned(returned, describe),
        Event::WreckShuffled(shuffled) => dive::wreck_shuffled(shuffled, describe),
        Event::WreckGone(gone) => dive::wreck_gone(gone, describe),
        Event::Surfaced(surfaced) => {
            format!("{} ends the dive on {}.", describe.who(surfaced.seat), describe.wreck(surfaced.wreck))
        }

        Event::Recruited(recruited) => trade::recruited(recruited, describe),
        Event::PickpocketHired(hired) => trade::pickpocket_hired(hired, describe),
        Event::CardStolen(stolen) => trade::card_stolen(stolen, describe),
        Event::RoundBought(bought) => trade::round_bought(bought, describe),
        Event::SecondWreckNamed(named) => {
            format!("{} asks about {} as well.", describe.who(named.seat), describe.wreck(named.wreck))
        }
        Event::SecondWreckDeclined(declined) => {
            format!("{} asks about no second {}.", describe.who(declined.seat), lang.name("wreck", "épave"))
        }
        Event::WreckSeen(seen) => trade::wreck_seen(seen, describe),
        Event::DolphinsPaid(paid) => format!("{} earns ${} with the dolphins.", describe.who(paid.seat), paid.amount),
        Event::Bought(bought) => trade::bought(bought, describe),
        Event::CardsSold(sold) => trade::cards_sold(sold, describe),
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

fn day_started(started: &DayStarted, describe: Describer) -> String {
    let (day, weekday) = (started.day, describe.weekday(started.day));
    format!("Day {day} begins, a {weekday}; {} goes first.", describe.who(started.first_seat))
}

fn programmed(programmed: &Programmed, describe: Describer) -> String {
    let who = describe.who(programmed.seat);
    let part = |chosen: bool, place, half| {
        chosen.then(|| format!("{} for the {}", names::text(&PLACES, place, describe.lang), describe.half(half)))
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

fn places_revealed(revealed: &PlacesRevealed, describe: Describer) -> String {
    // By number: the generated list of enums leaves out unknown ones, and the seats after them would move up.
    let places: Vec<String> = (0u32..)
        .zip(&revealed.places)
        .map(|(seat, number)| {
            let place = Place::try_from(*number).unwrap_or_default();
            format!("{} {}", describe.who(seat), names::text(&PLACES, place, describe.lang))
        })
        .collect();
    format!("The places of the {}: {}.", describe.half(revealed.half()), places.join(", "))
}

fn encounter_played(played: &EncounterPlayed, describe: Describer) -> String {
    let plays = format!("{} plays {}", describe.who(played.seat), describe.encounter(played.encounter()));
    match (played.target_seat, played.diver, played.wreck, &played.dupe) {
        (Some(target), Some(diver), _, _) => {
            format!("{plays}: diver {diver} of {} misses this dive.", describe.who(target))
        }
        (None, Some(diver), _, _) => format!("{plays} with diver {diver}."),
        (_, _, Some(wreck), _) => format!("{plays} on {}.", describe.wreck(wreck)),
        (_, _, _, Some(dupe)) => {
            let ware = names::text(&WARES, played.ware(), describe.lang);
            format!("{plays}: {} counts as {ware}.", card(dupe, describe.lang))
        }
        _ => format!("{plays}."),
    }
}

fn game_ended(ended: &GameEnded, describe: Describer) -> String {
    let fortunes: Vec<String> =
        (0u32..).zip(&ended.fortunes).map(|(seat, fortune)| format!("{} ${fortune}", describe.who(seat))).collect();
    let over = format!("The game is over: {}.", super::listed(&fortunes));
    let verb = match ended.winners.len() {
        0 => return over,
        1 => "wins",
        _ => "share the win",
    };
    format!("{over} {} {verb}.", describe.seating.list(&ended.winners))
}

#[cfg(test)]
mod tests;
