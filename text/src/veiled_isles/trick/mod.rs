//! The trick as a row of islands, and what it brought.

use divelog_proto::games::veiled_isles::v1::{
    ActionCard, Colour, Deck, Half, Phase, PlayedIsland, Player, VeiledIsland, View, colour_won,
};

use super::{SAIL, UNKNOWN, action_sign, colour_word, colours_name, deck_name, hue, seat_sign};
use crate::{
    Screen,
    strings::{or_dash, pad, pad_left, width},
    table::Table,
};

/// The labels before the lines of the trick, and their width.
const LABELS: [&str; 3] = ["seat", "island", "bonus"];
const LABEL_WIDTH: usize = 6;

/// Spaces between islands.
const GAP: usize = 3;

/// One player's place in the trick, as three cells above each other.
struct Place {
    seat: String,
    island: String,
    bonus: String,
    /// As far as it is seen.
    colour: Option<Colour>,
    asked: bool,
}

impl Place {
    fn of(player: &Player, turn: Option<u32>) -> Self {
        let played = player.played.as_ref();
        let bonus = played.map_or(0, |played| played.bonus);
        Self {
            seat: seat_sign(player.seat),
            island: played.map(island).unwrap_or_else(|| "...".into()),
            bonus: if bonus == 0 { String::new() } else { format!("+{bonus}") },
            colour: played
                .and_then(|played| played.island)
                .filter(|island| island.colour.is_some())
                .map(|i| i.colour()),
            asked: turn == Some(player.seat),
        }
    }

    fn width(&self) -> usize {
        [&self.seat, &self.island, &self.bonus].map(|cell| width(cell)).into_iter().max().unwrap_or(0)
    }
}

/// An island on the table: `red-△` under a sail, `red-(8)` if the viewer knows what is under it, `red-8` when it is
/// lifted, `[red-8]` when A4 has taken it.
fn island(played: &PlayedIsland) -> String {
    let VeiledIsland { number, .. } = played.island.unwrap_or_default();
    let colour = played.island.filter(|island| island.colour.is_some()).map(|island| colour_word(island.colour()));
    let mut sea = colour.map_or_else(|| SAIL.into(), str::to_owned);
    let mut coast = number.map_or_else(|| SAIL.into(), |number| number.to_string());
    // The player and auditors see through the sail.
    if played.veiled && colour.is_some() && number.is_some() {
        let covered = if played.show() == Half::Sea { &mut coast } else { &mut sea };
        *covered = format!("({covered})");
    }
    if played.taken { format!("[{sea}-{coast}]") } else { format!("{sea}-{coast}") }
}

/// The trick in as many rows as the screen needs, the first player first; empty outside a trick.
pub fn row(view: &View, turn: Option<u32>, screen: Screen) -> String {
    let is_under_way = view.phase() == Phase::Play || view.players.iter().any(|player| player.played.is_some());
    if !is_under_way {
        return String::new();
    }
    let first = view.players.iter().position(|player| player.seat == view.first_seat).unwrap_or(0);
    let (before, from_first) = view.players.split_at(first);
    let places: Vec<Place> = from_first.iter().chain(before).map(|player| Place::of(player, turn)).collect();
    let cell = places.iter().map(Place::width).max().unwrap_or(0) + GAP;
    let per_row = (screen.width.saturating_sub(LABEL_WIDTH) / cell).max(1);
    let rows: Vec<String> = places.chunks(per_row).map(|row| lines(row, cell, screen)).collect();
    rows.join("\n\n")
}

fn lines(row: &[Place], cell: usize, screen: Screen) -> String {
    let paint = screen.paint;
    let [mut seats, mut islands, mut bonus] = LABELS.map(|label| paint.faint(&pad(label, LABEL_WIDTH)));
    for place in row {
        // Padded first: escape codes have no width.
        let seat = pad_left(&place.seat, cell);
        seats.push_str(&if place.asked { paint.strong(&seat) } else { paint.faint(&seat) });
        let island = pad_left(&place.island, cell);
        islands.push_str(&match place.colour {
            Some(colour) => paint.hue(hue(colour), &island),
            None => island,
        });
        bonus.push_str(&pad_left(&place.bonus, cell));
    }
    [seats, islands, bonus].map(|line| line.trim_end().to_owned()).join("\n")
}

/// While a trick is resolved: who won what.
pub fn won(view: &View, screen: Screen) -> String {
    if view.colours_won.is_empty() {
        return String::new();
    }
    let mut table = Table::new(["won", "by", "value", "prize", "islands", "lowest"]).wrapping(&["prize"]);
    for won in &view.colours_won {
        let prize = match won.prize {
            Some(colour_won::Prize::Treasure(deck)) => {
                format!("treasure, {}", deck_name(Deck::try_from(deck).unwrap_or_default(), screen.lang))
            }
            Some(colour_won::Prize::Action(action)) => {
                format!("action {}", action_sign(ActionCard::try_from(action).unwrap_or_default()))
            }
            None => UNKNOWN.into(),
        };
        table.row([
            colours_name(won.colours(), screen.lang),
            seat_sign(won.winner),
            won.value.to_string(),
            prize,
            won.islands.to_string(),
            or_dash(won.lowest.map(seat_sign).unwrap_or_default()),
        ]);
    }
    table.render(screen)
}

#[cfg(test)]
mod tests;
