//! What happened, in sentences. Cards that the viewer may not see are simply not named.

use divelog_proto::games::veiled_isles::v1::{
    ActionCard, BonusTaken, ColourWon, DeckReordered, Event as Message, GameEnded, Half, Island, IslandPlayed,
    IslandsSetAside, LiftedIsland, PlayedTaken, RoundScored, Treasure, TrickCleared, colour_won, event::Event,
};

use super::{
    UNKNOWN, action_sign, action_text, colour_word, colours_name, counted, deck_name, french_colour, island_name,
    spaced, treasure_name, treasure_signs,
};
use crate::{Lang, Seating};

/// The sentence of an event; none if it is newer than this client.
pub fn sentence(event: &Message, seating: &Seating, lang: Lang) -> Option<String> {
    let who = |seat: u32| seating.full(seat);
    let deck = |deck| deck_name(deck, lang);
    let treasure = |treasure: &Option<Treasure>| treasure_name(treasure.as_ref(), lang);
    Some(match event.event.as_ref()? {
        Event::DeckShuffled(shuffled) => {
            let size = counted(shuffled.size, "card");
            format!("The {} of {size} is shuffled{}.", deck(shuffled.deck()), top_first(&shuffled.order))
        }
        Event::TreasureTurnedUp(turned) => {
            format!("A {} is turned up on the {}.", treasure(&turned.treasure), deck(turned.deck()))
        }
        Event::IslandsShuffled(shuffled) => {
            format!("The {} are shuffled{}.", lang.name("islands", "Île"), named(&shuffled.order, lang))
        }
        Event::HandDealt(dealt) => {
            let islands = counted(dealt.count, "island");
            format!("{} is dealt {islands}{}.", who(dealt.seat), named(&dealt.islands, lang))
        }
        Event::IslandsSetAside(aside) => set_aside(aside, lang),
        Event::RoundStarted(started) => {
            let first = lang.name("first player", "Premier joueur");
            format!("Round {} begins; {} is {first}.", started.round, who(started.first_seat))
        }
        Event::PassChosen(chosen) => {
            format!("{} chooses {} to pass.", who(chosen.seat), an_island(chosen.island.as_ref(), lang))
        }
        Event::IslandPassed(passed) => {
            let island = an_island(passed.island.as_ref(), lang);
            format!("{} passes {island} to {}.", who(passed.from), who(passed.to))
        }
        Event::TrickStarted(started) => {
            format!("{} {} begins; {} plays first.", lang.name("Trick", "pli"), started.trick, who(started.first_seat))
        }
        Event::IslandPlayed(played) => play(played, seating, lang),
        Event::SailsLifted(lifted) => {
            let islands: Vec<String> = lifted.islands.iter().map(|island| lift(island, seating, lang)).collect();
            format!("The {} are lifted: {}.", lang.name("sails", "Voile"), islands.join(", "))
        }
        Event::ColourWon(won) => win(won, seating, lang),
        Event::TreasureTaken(taken) => {
            format!("{} takes the {} from the {}.", who(taken.seat), treasure(&taken.treasure), deck(taken.deck()))
        }
        Event::TreasureStolen(stolen) => {
            format!("{} steals the {} from {}.", who(stolen.seat), treasure(&stolen.treasure), who(stolen.from))
        }
        Event::BonusTaken(taken) => bonus_taken(taken, seating, lang),
        Event::ActionActivated(activated) => {
            let action = activated.action();
            let text = action_text(action, lang);
            format!("{} activates action {}: {text}.", who(activated.seat), action_sign(action))
        }
        Event::ActionSkipped(skipped) => {
            let action = action_sign(skipped.action());
            format!("{} has won action {action}, but it can do nothing and is skipped.", who(skipped.seat))
        }
        Event::BonusStolen(stolen) => {
            format!("{} steals {} from {}.", who(stolen.seat), bonus_cards(stolen.count, lang), who(stolen.from))
        }
        Event::BonusDrawn(drawn) => {
            format!("{} draws {} from the supply.", who(drawn.seat), bonus_cards(drawn.count, lang))
        }
        Event::IslandsTaken(taken) => {
            let islands = counted(taken.count, "island");
            let from = who(taken.from);
            format!("{} takes {islands} at random from {from}{}.", who(taken.seat), named(&taken.islands, lang))
        }
        Event::IslandsGivenBack(given) => {
            let islands = counted(given.count, "island");
            format!("{} gives {islands} to {}{}.", who(given.seat), who(given.to), named(&given.islands, lang))
        }
        Event::DeckPeeked(peeked) => {
            let top = format!("top face-down {} of the {}", lang.name("treasures", "Trésor"), deck(peeked.deck()));
            format!("{} looks at the {top}{}.", who(peeked.seat), top_first(&peeked.treasures))
        }
        Event::DeckReordered(reordered) => reorder(reordered, seating, lang),
        Event::PlayedTaken(taken) => played_taken(taken, seating, lang),
        Event::IslandDiscarded(discarded) => {
            format!("{} discards {}.", who(discarded.seat), an_island(discarded.island.as_ref(), lang))
        }
        Event::TreasurePutUnder(put) => {
            format!("The {} goes under the {}.", treasure(&put.treasure), deck(put.deck()))
        }
        Event::TrickCleared(cleared) => clear(cleared, seating, lang),
        Event::RoundScored(scored) => score(scored, seating),
        Event::GameEnded(ended) => end(ended, seating),
    })
}

fn an_island(island: Option<&Island>, lang: Lang) -> String {
    island.map_or_else(|| lang.name("an island", "Île"), |island| island_name(island, lang))
}

fn names(islands: &[Island], lang: Lang) -> String {
    let names: Vec<String> = islands.iter().map(|island| island_name(island, lang)).collect();
    names.join(", ")
}

/// The end of a sentence for those who may know which islands it is about.
fn named(islands: &[Island], lang: Lang) -> String {
    if islands.is_empty() { String::new() } else { format!(": {}", names(islands, lang)) }
}

/// The end of a sentence for those who may know the order of treasures.
fn top_first(treasures: &[Treasure]) -> String {
    if treasures.is_empty() { String::new() } else { format!(": {} (top first)", treasure_signs(treasures)) }
}

fn bonus_cards(count: u32, lang: Lang) -> String {
    lang.name(&counted(count, "bonus card"), "Bonus")
}

fn set_aside(aside: &IslandsSetAside, lang: Lang) -> String {
    match aside.count {
        0 => "No islands are left to set aside.".into(),
        1 => format!("1 island is set aside unseen{}.", named(&aside.islands, lang)),
        count => format!("{count} islands are set aside unseen{}.", named(&aside.islands, lang)),
    }
}

/// The player and auditors see the island whole, all others its open half.
fn play(played: &IslandPlayed, seating: &Seating, lang: Lang) -> String {
    let island = played.island.unwrap_or_default();
    let (sea, coast) = (lang.name("sea", "Mer"), lang.name("coast", "Côte"));
    let sail = lang.name("sail", "Voile");
    let colour = island.colour();
    let what = match (island.colour.is_some(), island.number) {
        (true, Some(number)) => {
            let covered = match played.show() {
                Half::Sea => coast,
                Half::Coast => sea,
                Half::Unspecified => UNKNOWN.into(),
            };
            let whole = Island { colour: colour.into(), number };
            format!("{} with a {sail} over the {covered}", island_name(&whole, lang))
        }
        (true, None) => {
            let colour = lang.name(colour_word(colour), french_colour(colour));
            format!("a {colour} island with a {sail} over the {coast}")
        }
        (false, Some(number)) => format!("an island numbered {number} with a {sail} over the {sea}"),
        (false, None) => format!("an island under a {sail}"),
    };
    let bonus = match played.bonus {
        0 => String::new(),
        count => format!(", and {}", bonus_cards(count, lang)),
    };
    format!("{} plays {what}{bonus}.", seating.full(played.seat))
}

fn lift(lifted: &LiftedIsland, seating: &Seating, lang: Lang) -> String {
    let island = an_island(lifted.island.as_ref(), lang);
    let value = match lifted.bonus {
        0 => String::new(),
        bonus => format!(" +{bonus} = {}", lifted.value),
    };
    format!("{} {island}{value}", seating.full(lifted.seat))
}

fn win(won: &ColourWon, seating: &Seating, lang: Lang) -> String {
    let colours = colours_name(won.colours(), lang);
    let prize = match won.prize {
        Some(colour_won::Prize::Treasure(_)) => format!("a {}", lang.name("treasure", "Trésor")),
        Some(colour_won::Prize::Action(action)) => {
            format!("action {}", action_sign(ActionCard::try_from(action).unwrap_or_default()))
        }
        None => UNKNOWN.into(),
    };
    let lowest = match won.lowest {
        Some(seat) => format!("; {} is the lowest of {}", seating.full(seat), won.islands),
        None => String::new(),
    };
    format!("{} wins {colours} with {}, for {prize}{lowest}.", seating.full(won.winner), won.value)
}

fn bonus_taken(taken: &BonusTaken, seating: &Seating, lang: Lang) -> String {
    let cards = bonus_cards(taken.taken, lang);
    let short = if taken.taken < taken.due {
        format!(": {} due, but the supply has no more", taken.due)
    } else {
        String::new()
    };
    format!("{} takes {cards}{short}.", seating.full(taken.seat))
}

fn reorder(reordered: &DeckReordered, seating: &Seating, lang: Lang) -> String {
    let order = match reordered.order.as_slice() {
        [] => String::new(),
        order => format!(": old places {}, the new top first", spaced(order.iter().map(u32::to_string))),
    };
    let deck = deck_name(reordered.deck(), lang);
    format!("{} puts them back on the {deck}{order}.", seating.full(reordered.seat))
}

fn played_taken(taken: &PlayedTaken, seating: &Seating, lang: Lang) -> String {
    let (taker, island) = (seating.full(taken.seat), an_island(taken.island.as_ref(), lang));
    if taken.seat == taken.from {
        format!("{taker} takes {island} back into the hand.")
    } else {
        format!("{taker} takes {island} of {} into the hand.", seating.full(taken.from))
    }
}

fn clear(cleared: &TrickCleared, seating: &Seating, lang: Lang) -> String {
    let trick = lang.name("trick", "pli");
    let islands = match cleared.islands.as_slice() {
        [] => "no islands are discarded".into(),
        [island] => format!("{} is discarded", island_name(island, lang)),
        islands => format!("{} are discarded", names(islands, lang)),
    };
    let bonus = match cleared.bonus {
        0 => String::new(),
        1 => format!(" and {} goes back to the supply", bonus_cards(1, lang)),
        count => format!(" and {} go back to the supply", bonus_cards(count, lang)),
    };
    let first = lang.name("first player", "Premier joueur");
    format!("The {trick} is over: {islands}{bonus}; {} becomes {first}.", seating.full(cleared.first_seat))
}

fn score(scored: &RoundScored, seating: &Seating) -> String {
    let scores: Vec<String> = scored
        .scores
        .iter()
        .map(|score| {
            let (treasure, bonus) = (score.treasure_points, score.bonus_points);
            let points = treasure.saturating_add(bonus);
            format!("{} {points} ({treasure} treasure + {bonus} bonus)", seating.full(score.seat))
        })
        .collect();
    format!("Round {} is scored: {}.", scored.round, scores.join(", "))
}

fn end(ended: &GameEnded, seating: &Seating) -> String {
    let totals: Vec<String> =
        (0u32..).zip(&ended.totals).map(|(seat, total)| format!("{} {total}", seating.full(seat))).collect();
    let verb = match ended.winners.len() {
        0 => return format!("The game is over: {}.", totals.join(", ")),
        1 => "wins",
        _ => "share the win",
    };
    format!("The game is over: {}. {} {verb}.", totals.join(", "), seating.list(&ended.winners))
}

#[cfg(test)]
mod tests;
