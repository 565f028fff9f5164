//! The table, drawn so that a person can play from it.

use std::collections::BTreeSet;

use divelog_proto::games::captain_carcass::v1::{Card, Diver, OpenNet, Phase, Player, Source, View};

use super::{
    cards::{SUITS, card_name, list, suit_name},
    count, divers,
    grid::Grid,
    turn,
};
use crate::{
    Screen, Seating,
    strings::{width, wrap},
    table::{Table, paragraphs},
};

/// A stack without cards.
const NO_CARDS: &str = "-";

/// Draws the whole table. On an abandoned one it is nobody's turn.
pub fn draw(view: &View, abandoned: bool, seating: &Seating, screen: Screen) -> String {
    let view = &View { asked: view.asked.filter(|_| !abandoned), ..view.clone() };
    let parts = [
        headline(view, seating, screen),
        exploration(view, screen),
        notes(view, seating, screen),
        players(view, seating, screen),
        holds(view, screen),
        powers(view, seating, screen),
        format!("{}\n{}", turn::section(view, seating, screen), legend(screen)),
    ];
    let parts: Vec<String> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    parts.join("\n\n")
}

fn legend(screen: Screen) -> String {
    let hold = screen.lang.name("hold", "Cale");
    let legend = format!("A card is suit-value; a {hold} lists the values of each suit, the highest first.");
    let lines: Vec<String> = wrap(&legend, screen.width).iter().map(|line| screen.paint.faint(line)).collect();
    lines.join("\n")
}

fn marker(seat: u32) -> String {
    format!("#{seat}")
}

fn headline(view: &View, seating: &Seating, screen: Screen) -> String {
    let turn = match (view.phase(), view.asked) {
        (Phase::NameVictim, _) => "First turn:",
        (Phase::Over, _) | (_, None) => "Last turn:",
        _ => "Turn of",
    };
    let turn = format!("{turn} {}", seating.full(view.turn));
    let piles = [
        format!("{} {}", screen.lang.name("draw pile", "pioche Butin"), view.draw_pile_size),
        format!("{} {}", screen.lang.name("graveyard", "Cimetière marin"), view.graveyard_size),
        format!("{} began", marker(view.first_seat)),
    ];
    let one_line = width(&turn) + piles.iter().map(|pile| 3 + width(pile)).sum::<usize>();
    let between = if one_line <= screen.width { "   " } else { "\n" };
    format!("{}{between}{}", screen.paint.strong(&turn), piles.join(between))
}

/// The row of cards turned up, in order.
fn exploration(view: &View, screen: Screen) -> String {
    let title = screen.paint.strong("Exploration");
    if view.exploration.is_empty() {
        return format!("{title}\n(empty)");
    }
    let suits: Vec<i32> = view.exploration.iter().map(|explored| explored.card.unwrap_or_default().suit).collect();
    let columns = (1u32..).zip(&view.exploration).map(|(place, explored)| {
        let card = explored.card.map_or_else(|| "?".into(), |card| card_name(&card, screen.lang));
        vec![place.to_string(), card, source(explored.source()).into()]
    });
    let grid = Grid { labels: ["place", "card", "from"].map(str::to_owned).to_vec(), columns: columns.collect() };
    let rows = grid.render(screen, |row, column, text| match (row, column.and_then(|at| suits.get(at))) {
        (1, Some(suit)) => hue(*suit, text, screen),
        _ => screen.paint.faint(text),
    });
    format!("{title}\n{rows}")
}

fn source(source: Source) -> &'static str {
    match source {
        Source::DrawPile => "draw pile",
        Source::Graveyard => "graveyard",
        Source::OwnHold => "own hold",
        Source::OpponentHold => "opponent",
        Source::Unspecified => "?",
    }
}

fn hue(suit: i32, text: &str, screen: Screen) -> String {
    screen.paint.hue(u32::try_from(suit.saturating_sub(1)).unwrap_or(0), text)
}

/// What binds the player whose turn it is, what they are shown, and what else the viewer may see.
fn notes(view: &View, seating: &Seating, screen: Screen) -> String {
    let who = seating.full(view.turn);
    let shown = |of: &str, size: u32, cards: &[Card]| match (size, cards) {
        (0, []) => String::new(),
        (size, []) => format!("shows {who} {} of the {of}", count(size)),
        (_, cards) => format!("shows {}", list(cards, screen.lang)),
    };
    let some = |cards: &[Card]| if cards.is_empty() { String::new() } else { list(cards, screen.lang) };
    let squid = match view.squid_demand {
        0 => String::new(),
        left => format!("asks for {} more before {who} may surface", count(left)),
    };
    let nets: Vec<String> = view.open_nets.iter().rev().map(|net| open_net(net, screen)).collect();
    let notes = [
        ("squid", squid),
        ("nets", nets.join("; then ")),
        ("drone", shown("draw pile", view.drone_count, &view.drone_cards)),
        ("map", shown("graveyard", view.map_count, &view.map_cards)),
        ("draw pile", some(&view.draw_pile)),
        ("graveyard", some(&view.graveyard)),
    ];
    let notes: Vec<(String, String)> =
        notes.into_iter().filter(|(_, note)| !note.is_empty()).map(|(name, note)| (name.to_owned(), note)).collect();
    paragraphs(&notes, screen)
}

/// A net that is not done yet.
fn open_net(net: &OpenNet, screen: Screen) -> String {
    let name = net.card.as_ref().map_or_else(|| "a net".into(), |card| list(std::slice::from_ref(card), screen.lang));
    format!("{name} still brings in {}", count(net.catches))
}

fn players(view: &View, seating: &Seating, screen: Screen) -> String {
    let mut table = Table::new(["", "seat", "name", "points", "cards"]).wrapping(&["name"]);
    for player in &view.players {
        let name = seating.name(player.seat);
        table.row([
            if view.asked == Some(player.seat) { ">".into() } else { String::new() },
            marker(player.seat),
            if name.is_empty() { "-".into() } else { name.into() },
            player.points.to_string(),
            player.hold.len().to_string(),
        ]);
    }
    table.render(screen)
}

/// The stacks of all players, a row for each suit: what one lacks and another has is seen at once.
fn holds(view: &View, screen: Screen) -> String {
    let known = SUITS.iter().map(|(suit, ..)| i32::from(*suit));
    let held = view.players.iter().flat_map(|player| &player.hold).map(|card| card.suit);
    let suits: Vec<i32> = known.chain(held).collect::<BTreeSet<i32>>().into_iter().collect();
    let title = screen.lang.name("hold", "Cale");
    let names = suits.iter().map(|suit| suit_name(*suit, screen.lang));
    let column = |player: &Player| {
        let stacks = suits.iter().map(|suit| stack(&player.hold, *suit));
        std::iter::once(marker(player.seat)).chain(stacks).collect()
    };
    let grid = Grid {
        labels: std::iter::once(title).chain(names).collect(),
        columns: view.players.iter().map(column).collect(),
    };
    grid.render(screen, |row, _, text| match row.checked_sub(1).and_then(|at| suits.get(at)) {
        Some(_) if text.trim_end() == NO_CARDS => screen.paint.faint(text),
        Some(suit) => hue(*suit, text, screen),
        None => screen.paint.strong(text),
    })
}

/// The values of one suit, or a dash.
fn stack(hold: &[Card], suit: i32) -> String {
    let values: Vec<String> = hold.iter().filter(|card| card.suit == suit).map(|card| card.value.to_string()).collect();
    if values.is_empty() { NO_CARDS.into() } else { values.join(" ") }
}

/// The divers and the variant, with what they do.
fn powers(view: &View, seating: &Seating, screen: Screen) -> String {
    let divers = view.players.iter().filter_map(|player| {
        let (name, effect) = divers::diver(player.diver)?;
        let effect = match player.victim {
            Some(victim) if player.diver() == Diver::Saboteuse => {
                format!("gets what {} loses in incidents", seating.full(victim))
            }
            _ => effect.into(),
        };
        Some((marker(player.seat), format!("{name}: {effect}")))
    });
    let variant = divers::variant(view.variant).map(|(name, effect)| ("variant".into(), format!("{name}: {effect}")));
    let items: Vec<(String, String)> = divers.chain(variant).collect();
    paragraphs(&items, screen)
}

#[cfg(test)]
mod tests;
