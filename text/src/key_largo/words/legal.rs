//! The words of a legal action. Families come as what is typed, a colon, and what there is to choose from.

use divelog_proto::games::key_largo::v1::{LegalAction, SellFamily, legal_action::LegalAction as Legal};

use super::super::{
    names::{self, WARES},
    numbers,
};

/// The words of a legal action; none if it is newer than this client.
pub fn of_legal(legal: &LegalAction) -> Option<String> {
    let list = |ids: &[u32]| numbers(ids.iter().copied());
    Some(match legal.legal_action.as_ref()? {
        Legal::Action(action) => super::of(action),
        Legal::BuyRound(family) => format!("round WRECK WRECK: any two of {}", list(&family.wrecks)),
        Legal::Sell(family) => format!("sell CARD ...: {}", sale(family)),
        Legal::Dupe(family) => {
            format!("play dupe CARD KIND: any of {}, as a kind that it is not", list(&family.treasures))
        }
        Legal::Trafficker(family) if family.most == 1 => {
            format!("play trafficker CARD: any of {}", list(&family.treasures))
        }
        Legal::Trafficker(family) => {
            format!("play trafficker CARD ...: 1 to {} of {}", family.most, list(&family.treasures))
        }
        Legal::Jeweller(family) => format!("play jeweller CARD: any of {}", list(&family.diamonds)),
    })
}

fn sale(family: &SellFamily) -> String {
    let (ware, cards) = (names::word(&WARES, family.ware()), numbers(family.cards.iter().copied()));
    match (family.required, family.cards.is_empty()) {
        (None, _) => format!("{ware}, any of {cards}"),
        (Some(required), true) => format!("{required}, as {ware}"),
        (Some(required), false) => format!("{required}, as {ware}, and any of {cards}"),
    }
}
