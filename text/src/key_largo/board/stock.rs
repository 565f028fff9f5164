//! What is in the game beside what the players have: the wreck cards by depth (KL-T1), those that are out, and the reserve.

use divelog_proto::games::key_largo::v1::{Card, CardKind, Depth, DepthCards, Stock};

use super::{
    super::{
        counted, faces,
        names::{DEPTHS, KINDS},
        numbers,
    },
    BoardContext,
};
use crate::table;

pub fn section(context: BoardContext) -> String {
    let mut rows = Vec::new();
    for depth in DEPTHS {
        if let Some(cards) = in_game(context, depth.value) {
            rows.push((depth.text(context.screen.lang), cards));
        }
        rows.extend(out(context, depth.value).map(|cards| (String::new(), cards)));
    }
    if let Some(removed) = faces(&context.view.removed, context.screen.lang) {
        rows.push(("removed".into(), removed));
    }
    // KL-24; by version 1 of the rules it is no figure of the tables.
    rows.extend(context.tables.unsold_unit.map(|unit| ("unsold".into(), format!("${unit} a unit at the end"))));
    rows.extend(context.view.reserve.as_ref().map(|stock| ("reserve".into(), reserve(stock))));
    let gone = context.view.gone.filter(|gone| *gone != Stock::default());
    rows.extend(gone.as_ref().map(|stock| ("lost".into(), lost(stock))));
    table::paragraphs(&rows, context.screen)
}

/// All cards of a depth at the set-up.
fn in_game(context: BoardContext, depth: Depth) -> Option<String> {
    let cards = context.tables.wreck_cards.as_ref()?;
    let cards = match depth {
        Depth::Shallow => cards.shallow.as_ref(),
        Depth::Medium => cards.medium.as_ref(),
        Depth::Deep => cards.deep.as_ref(),
        Depth::Unspecified => None,
    }?;
    let parts: Vec<String> = KINDS.iter().filter_map(|kind| kind_in_game(cards, kind.value, kind.word)).collect();
    let lists = [&cards.diamonds, &cards.gold, &cards.goods, &cards.antiques];
    let monsters = usize::try_from(cards.monsters).unwrap_or(usize::MAX);
    let all = lists.iter().fold(monsters, |sum, list| sum.saturating_add(list.len()));
    // KL-2: what was removed unseen could be any of them.
    let removed = context.view.removed.iter().filter(|card| card.depth() == depth).count();
    Some(format!("{} of {all} cards: {}", all.saturating_sub(removed), parts.join("; ")))
}

fn kind_in_game(cards: &DepthCards, kind: CardKind, word: &str) -> Option<String> {
    let values = match kind {
        CardKind::Monster if cards.monsters == 0 => return None,
        CardKind::Monster => return Some(counted(cards.monsters, "monster", "monsters")),
        CardKind::Diamond => &cards.diamonds,
        CardKind::Gold => &cards.gold,
        CardKind::Goods => &cards.goods,
        CardKind::Antiques => &cards.antiques,
        CardKind::Unspecified => return None,
    };
    (!values.is_empty()).then(|| format!("{word} {}", numbers(values.iter().copied())))
}

/// The cards of a depth that were sold or killed.
fn out(context: BoardContext, depth: Depth) -> Option<String> {
    let of_depth = |card: &&Card| card.depth() == depth;
    let killed = context.view.monsters_killed.iter().filter(of_depth).count();
    let mut parts = Vec::new();
    if killed > 0 {
        parts.push(counted(killed, "monster killed", "monsters killed"));
    }
    let sold: Vec<&Card> = context.view.sold.iter().filter(of_depth).collect();
    for kind in KINDS {
        let values: Vec<u32> =
            sold.iter().filter(|card| card.kind() == kind.value).filter_map(|card| card.value).collect();
        if !values.is_empty() {
            parts.push(format!("{} {} sold", kind.word, numbers(values)));
        }
    }
    (!parts.is_empty()).then(|| format!("out: {}", parts.join("; ")))
}

fn stock(stock: &Stock) -> [(u32, String); 4] {
    [
        (stock.divers, counted(stock.divers, "diver", "divers")),
        (stock.hoses, counted(stock.hoses, "hose", "hoses")),
        (stock.tridents, counted(stock.tridents, "trident", "tridents")),
        (stock.weights, counted(stock.weights, "weight", "weights")),
    ]
}

fn reserve(reserve: &Stock) -> String {
    stock(reserve).map(|(_, text)| text).join(", ")
}

/// Only what has been lost.
fn lost(gone: &Stock) -> String {
    let lost: Vec<String> = stock(gone).into_iter().filter(|(count, _)| *count > 0).map(|(_, text)| text).collect();
    lost.join(", ")
}
