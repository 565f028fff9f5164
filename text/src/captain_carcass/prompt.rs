//! What is asked, of whom, and the words that can be typed now.

use divelog_proto::games::captain_carcass::v1::{Card, Diver, Phase, Player, Suit, View};

use super::{
    cards::{suit, tokens},
    count,
    words::any_of,
};
use crate::{Screen, Seating, strings::wrap};

/// Before the words.
const INDENT: &str = "  ";

/// The lines at the end of the board.
pub fn prompt(view: &View, seating: &Seating, screen: Screen) -> String {
    let over = || screen.paint.strong("The game is over.");
    let Some(seat) = view.asked else { return over() };
    let Some((task, forms)) = task(view, seat) else { return over() };
    let who = seating.full(seat);
    let headline = wrap(&format!("{who} is to {task}:"), screen.width).join("\n");
    let headline = match headline.strip_prefix(&who) {
        Some(rest) => format!("{}{rest}", screen.paint.strong(&who)),
        None => headline, // A name so long that it was broken.
    };
    let forms = forms.iter().flat_map(|form| wrap(form, screen.width.saturating_sub(INDENT.len())));
    let lines: Vec<String> = std::iter::once(headline).chain(forms.map(|line| format!("{INDENT}{line}"))).collect();
    lines.join("\n")
}

/// What a seat is to do, and the words for it; none when the game is over.
fn task(view: &View, seat: u32) -> Option<(String, Vec<String>)> {
    let Ok(phase) = Phase::try_from(view.phase) else {
        return Some(("act".into(), vec!["see `divelog game legal`, this client does not know the words".into()]));
    };
    let own = view.players.iter().find(|player| player.seat == seat);
    let own_suits = || own.map(suits).unwrap_or_default();
    let one = |text: &str, form: String| Some((text.to_owned(), vec![form]));
    match phase {
        Phase::NameVictim => one("name the victim of the saboteuse", any_of("victim", &seats(view, seat, |_| true))),
        Phase::Explore => one("explore", explore(view).into()),
        Phase::Knife => Some(("use the knife".into(), aims("knife", view, seat, |_, _| true))),
        Phase::Harpoon => Some((
            "use the harpoon".into(),
            aims("harpoon", view, seat, |from, suit| may_harpoon(view, seat, from, suit)),
        )),
        Phase::Net => one("use the net", any_of("net", &suit_words(&own_suits()))),
        Phase::Misfire => one("lose a card to a misfire", any_of("misfire", &suit_words(&own_suits()))),
        Phase::Map => one("place a card of the map", any_of("place", &map_words(&view.map_cards))),
        Phase::Plunder => {
            let task = format!("plunder up to {}", count(view.plunder_count));
            one(&task, any_of("plunder", &seats(view, seat, |player| !player.hold.is_empty())))
        }
        Phase::Over | Phase::Unspecified => None,
    }
}

/// CC-6, CC-10, CC-13
fn explore(view: &View) -> &'static str {
    let may_surface = view.turned_up && view.squid_demand == 0;
    match (view.draw_pile_size > 0, may_surface) {
        (true, true) => "draw or surface",
        (true, false) => "draw",
        (false, _) => "surface",
    }
}

/// The seats of opponents.
fn seats(view: &View, own: u32, eligible: impl Fn(&Player) -> bool) -> String {
    let opponents = view.players.iter().filter(|player| player.seat != own && eligible(player));
    let seats: Vec<String> = opponents.map(|player| player.seat.to_string()).collect();
    seats.join(" ")
}

/// For each opponent the suits that a knife or a harpoon may name.
fn aims(verb: &str, view: &View, own: u32, allowed: impl Fn(&Player, i32) -> bool) -> Vec<String> {
    let opponents = view.players.iter().filter(|player| player.seat != own);
    opponents
        .filter_map(|player| {
            let suits: Vec<i32> = suits(player).into_iter().filter(|suit| allowed(player, *suit)).collect();
            let form = any_of(&format!("{verb} {}", player.seat), &suit_words(&suits));
            (!suits.is_empty()).then_some(form)
        })
        .collect()
}

/// CC-18, CC-D10, CC-D11
fn may_harpoon(view: &View, own: u32, from: &Player, suit: i32) -> bool {
    let parry = view.players.iter().find(|player| player.seat != own && player.diver() == Diver::Parry);
    if let Some(owner) = parry {
        return from.seat == owner.seat && suit == i32::from(Suit::Squid);
    }
    let own = view.players.iter().find(|player| player.seat == own);
    own.is_none_or(|own| own.diver() == Diver::Swordsman || !suits(own).contains(&suit))
}

/// The suits of a hold, in order.
fn suits(player: &Player) -> Vec<i32> {
    let mut suits: Vec<i32> = player.hold.iter().map(|card| card.suit).collect();
    suits.dedup();
    suits
}

fn suit_words(suits: &[i32]) -> String {
    let words: Vec<String> = suits.iter().map(|number| suit(*number)).collect();
    words.join(" ")
}

/// What the viewer may not see is described only by its kind.
fn map_words(cards: &[Card]) -> String {
    if cards.is_empty() { "the cards that the map shows".into() } else { tokens(cards) }
}

#[cfg(test)]
#[path = "prompt_tests.rs"]
mod tests;
