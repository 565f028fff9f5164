//! The treasure cards that the viewer may see in hands.

use divelog_proto::games::key_largo::v1::{Card, CardKind};

use super::{
    super::{
        mark,
        names::{self, DEPTHS, KINDS},
        prices,
    },
    BoardContext,
};
use crate::{strings::or_dash, table::Table};

pub fn section(context: BoardContext) -> String {
    let lang = context.screen.lang;
    let mut table = Table::new(["hand", "card", "treasure", "units", "depth", "unsold"]);
    let mut known = 0;
    for player in &context.view.players {
        let mut cards: Vec<&Card> = player.hand.iter().filter(|card| card.kind() != CardKind::Unspecified).collect();
        // A sale is of one kind, so kinds stand together.
        cards.sort_by_key(|card| (card.kind, card.id));
        known += cards.len();
        for card in cards {
            let diamond = card.kind() == CardKind::Diamond;
            let units = card.value.filter(|_| !diamond);
            table.row([
                mark(player.seat),
                or_dash(card.id.map(|id| id.to_string()).unwrap_or_default()),
                names::text(&KINDS, card.kind(), lang),
                or_dash(units.map(|units| units.to_string()).unwrap_or_default()),
                names::word(&DEPTHS, card.depth()).into(),
                or_dash(card.value.map(|value| unsold(context, value, diamond)).unwrap_or_default()),
            ]);
        }
    }
    if known == 0 { String::new() } else { table.render(context.screen) }
}

/// KL-24
fn unsold(context: BoardContext, value: u32, diamond: bool) -> String {
    let unit = if diamond { 1 } else { prices::unsold_unit(context.tables) };
    format!("${}", u64::from(value) * u64::from(unit))
}
