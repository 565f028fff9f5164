//! The table, drawn so that a person can play from it.

use divelog_proto::games::veiled_isles::v1::{ActionCard, Island, Phase, Player, View};

use super::{
    COLOURS, Colour, SAIL, action_sign, action_text, colours_name, counted, deck_label, deck_name, deck_word, hue,
    island_name, island_words, seat_sign, spaced, treasure_sign, treasure_signs, trick, turn,
};
use crate::{
    Paint, Screen, Seating,
    strings::{or_dash, width, wrap, wrap_list},
    table::{Table, paragraphs},
};

const ROUNDS: u32 = 2;

/// Three players leave some treasures out (VI-2).
const MIN_PLAYERS: usize = 3;

/// Draws the whole table. On an abandoned one it is nobody's turn.
pub fn draw(view: &View, abandoned: bool, seating: &Seating, screen: Screen) -> String {
    let asked = turn::seats(view, abandoned);
    let mut parts = vec![
        headline(view, seating, screen),
        decks(view, screen),
        actions(view, screen),
        trick::row(view, asked.first().copied(), screen),
        trick::won(view, screen),
        players(view, &asked, seating, screen),
        piles(view, screen),
    ];
    parts.extend(view.players.iter().map(|player| hand(player, seating, screen)));
    parts.extend([
        islands("Discarded in this round", &view.discarded, screen),
        set_aside(view, screen),
        peeked(view, screen),
        format!("{}\n{}", turn::section(view, abandoned, seating, screen), legend(screen)),
    ]);
    parts.retain(|part| !part.is_empty());
    parts.join("\n\n")
}

fn headline(view: &View, seating: &Seating, screen: Screen) -> String {
    let lang = screen.lang;
    let now = match (view.phase(), view.trick) {
        (Phase::Pass, _) => "islands are passed".into(),
        (Phase::Over, _) => "played to its end".into(),
        (_, number) => format!("{} {number}", lang.name("trick", "pli")),
    };
    let text = format!(
        "Round {} of {ROUNDS}, {now}; {}: {}; {} in the supply: {}",
        view.round,
        lang.name("first player", "Premier joueur"),
        seating.full(view.first_seat),
        lang.name("bonus cards", "Bonus"),
        view.supply
    );
    wrapped(&text, screen, Paint::strong)
}

/// A paragraph that is painted line by line: escape codes have no width.
fn wrapped(text: &str, screen: Screen, paint: fn(Paint, &str) -> String) -> String {
    let lines: Vec<String> = wrap(text, screen.width).iter().map(|line| paint(screen.paint, line)).collect();
    lines.join("\n")
}

fn decks(view: &View, screen: Screen) -> String {
    let mut table = Table::new(["deck", "turned up", "face down"]);
    for deck in &view.decks {
        table.row([
            deck_label(deck.deck(), screen.lang),
            deck.turned_up.as_ref().map_or_else(|| "(taken)".into(), treasure_sign),
            deck.face_down_size.to_string(),
        ]);
    }
    let mut parts = vec![table.render(screen)];
    let known = view.decks.iter().filter(|deck| !deck.face_down.is_empty());
    let orders: Vec<(String, String)> =
        known.map(|deck| (format!("{}, top first", deck_word(deck.deck())), treasure_signs(&deck.face_down))).collect();
    if !orders.is_empty() {
        parts.push(paragraphs(&orders, screen));
    }
    if !view.treasure_values.is_empty() {
        let values = spaced(view.treasure_values.iter().map(u32::to_string));
        let less = if view.players.len() == MIN_PLAYERS { ", less one 2, one 3 and one 4" } else { "" };
        let line = format!("{} of each colour: {values}{less}", screen.lang.name("Treasures", "Trésor"));
        parts.push(wrapped(&line, screen, Paint::faint));
    }
    parts.join("\n")
}

fn actions(view: &View, screen: Screen) -> String {
    let card = |colours: [Colour; 2], action: ActionCard| {
        let colours = colours_name(colours.into_iter(), screen.lang);
        (format!("{}  {colours}", action_sign(action)), action_text(action, screen.lang))
    };
    let cards = [
        card([Colour::Red, Colour::Blue], view.red_blue_action()),
        card([Colour::Green, Colour::Purple], view.green_purple_action()),
    ];
    paragraphs(&cards, screen)
}

fn players(view: &View, asked: &[u32], seating: &Seating, screen: Screen) -> String {
    let mut table = Table::new(["", "seat", "name", "hand", "visible", "pile", "bonus", "round 1", "round 2", "total"])
        .wrapping(&["name"]);
    for player in &view.players {
        let rounds = [1, 2].map(|round| round_points(player, round, view.round));
        let total = rounds.iter().flatten().fold(0u32, |sum, points| sum.saturating_add(*points));
        let [first, second] = rounds.map(|points| or_dash(points.map(|points| points.to_string()).unwrap_or_default()));
        table.row([
            if asked.contains(&player.seat) { ">".into() } else { String::new() },
            seat_sign(player.seat),
            or_dash(seating.name(player.seat).into()),
            player.hand_size.to_string(),
            or_dash(player.treasures.last().map(treasure_sign).unwrap_or_default()),
            player.treasures.len().to_string(),
            player.bonus.to_string(),
            first,
            second,
            total.to_string(),
        ]);
    }
    table.render(screen)
}

/// What a round has brought: scored, or worth now in the round that is played.
fn round_points(player: &Player, round: u32, current: u32) -> Option<u32> {
    let index = usize::try_from(round.checked_sub(1)?).ok()?;
    player.scores.get(index).copied().or_else(|| (round == current).then_some(player.points))
}

/// Whole piles: a stolen treasure uncovers the one before it.
fn piles(view: &View, screen: Screen) -> String {
    let piles: Vec<(String, String)> = view
        .players
        .iter()
        .filter(|player| !player.treasures.is_empty())
        .map(|player| (format!("pile of {}", seat_sign(player.seat)), treasure_signs(&player.treasures)))
        .collect();
    paragraphs(&piles, screen)
}

/// A hand that the viewer may see; empty otherwise.
fn hand(player: &Player, seating: &Seating, screen: Screen) -> String {
    let passing = match &player.passing {
        Some(island) => format!(" (passing {})", island_name(island, screen.lang)),
        None => String::new(),
    };
    islands(&format!("Hand of {}{passing}", seating.full(player.seat)), &player.hand, screen)
}

/// Islands under a title, a line for each colour; empty if there are none.
fn islands(title: &str, islands: &[Island], screen: Screen) -> String {
    if islands.is_empty() {
        return String::new();
    }
    let mut lines = vec![wrapped(&format!("{title}:"), screen, Paint::strong)];
    for colour in COLOURS.into_iter().chain([Colour::Unspecified]) {
        let mut alike: Vec<Island> = islands.iter().filter(|island| island.colour() == colour).copied().collect();
        alike.sort_by_key(|island| island.number);
        if !alike.is_empty() {
            let wrapped = wrap(&island_words(&alike), screen.width.saturating_sub(2));
            lines.extend(wrapped.iter().map(|line| format!("  {}", screen.paint.hue(hue(colour), line))));
        }
    }
    lines.join("\n")
}

fn set_aside(view: &View, screen: Screen) -> String {
    match (view.set_aside_size, view.set_aside.is_empty()) {
        (0, true) => String::new(),
        (size, true) => format!("Set aside unseen: {}", counted(size, "island")),
        (_, false) => islands("Set aside", &view.set_aside, screen),
    }
}

/// The treasures that A3 shows, with the places that `reorder` takes.
fn peeked(view: &View, screen: Screen) -> String {
    if view.peeked.is_empty() {
        return String::new();
    }
    let places =
        view.peeked.iter().enumerate().map(|(place, treasure)| format!("[{place}] {}", treasure_sign(treasure)));
    let title = format!("Next in the {}:", deck_name(view.peeked_deck(), screen.lang));
    let places: Vec<String> = places.collect();
    let text = format!("{title} {}", places.join(" "));
    if width(&text) <= screen.width {
        return format!("{} {}", screen.paint.strong(&title), places.join(" "));
    }
    let lines = wrap_list(&places, " ", screen.width.saturating_sub(2));
    format!("{}\n  {}", wrapped(&title, screen, Paint::strong), lines.join("\n  "))
}

fn legend(screen: Screen) -> String {
    let lang = screen.lang;
    let text = format!(
        "{SAIL} is a {}: red-{SAIL} shows the {} half, {SAIL}-8 the {} half; (8) is under a sail but known to you; [red-8] \
         was taken by A4; red=4 is a {} worth 4, the last of a pile is visible.",
        lang.name("sail", "Voile"),
        lang.name("sea", "Mer"),
        lang.name("coast", "Côte"),
        lang.name("treasure", "Trésor"),
    );
    wrapped(&text, screen, Paint::faint)
}

#[cfg(test)]
mod tests;
