//! What a player may do: one judgement, from which both the list of legal actions and the refusals come.

use alloc::{format, string::String, vec, vec::Vec};

use super::cards::Suit;
use super::{Action, Diver, Offer, Phase, State};
use crate::{Seat, Violation};

/// What the game's own rules have against an action of the right phase.
#[derive(Clone, Copy)]
enum Fault {
    EmptyDrawPile,
    NothingTurnedUp,
    SquidDemand,
    /// A choice among opponents names the player.
    OwnSeat,
    NotInHold(Seat, Suit),
    /// CC-D11, with the parry's owner.
    Parried(Seat),
    SuitYouHave(Suit),
    NotShown,
    EmptyHold(Seat),
}

impl State {
    /// What the seat that is asked may do.
    pub(super) fn offers(&self, seat: Seat) -> Vec<Offer> {
        let seats = || self.seat_count().seats();
        let aims = || seats().flat_map(|seat| Suit::ALL.map(|suit| (seat, suit)));
        let candidates: Vec<Action> = match self.phase {
            Phase::Over => vec![],
            Phase::NameVictim => seats().map(|seat| Action::NameVictim { seat }).collect(),
            Phase::Explore => vec![Action::Draw, Action::Surface],
            Phase::Knife => aims().map(|(seat, suit)| Action::Knife { seat, suit }).collect(),
            Phase::Harpoon => aims().map(|(seat, suit)| Action::Harpoon { seat, suit }).collect(),
            Phase::Net => Suit::ALL.map(|suit| Action::Net { suit }).to_vec(),
            Phase::Misfire => Suit::ALL.map(|suit| Action::Misfire { suit }).to_vec(),
            Phase::Map => {
                let mut cards = self.shown_by_map().to_vec();
                cards.sort_unstable();
                return vec![Offer::PlaceAnyFromMap { cards }];
            }
            Phase::Plunder => seats().map(|seat| Action::Plunder { seat }).collect(),
        };
        let legal = candidates.into_iter().filter(|action| self.check_action(seat, action).is_ok());
        legal.map(Offer::Single).collect()
    }

    /// CC-18: whether the player whose turn it is could use a harpoon.
    pub(super) fn harpoon_has_a_target(&self) -> bool {
        let may_take = |seat, suit| self.judge_harpoon(self.turn, seat, suit).is_ok();
        self.opponents(self.turn).any(|seat| Suit::ALL.into_iter().any(|suit| may_take(seat, suit)))
    }

    /// Whether the seat that is asked may do this: `MALFORMED`, `PHASE`, then the game's own rules.
    pub(super) fn check(&self, seat: Seat, action: &Action) -> Result<(), Violation> {
        if let Some(named) = named_seat(action).filter(|named| !self.seat_count().contains(*named)) {
            let last = self.seat_count().get() - 1;
            return Err(Violation::malformed(format!("there is no {named}: seats are 0 to {last}")));
        }
        if self.phase != phase_of(action) {
            return Err(Violation::phase(what_is_asked(self.phase)));
        }
        self.check_action(seat, action).map_err(|fault| self.violation(fault, seat, action))
    }

    /// The game's own rules on an action of this phase.
    fn check_action(&self, seat: Seat, action: &Action) -> Result<(), Fault> {
        let require = |holds: bool, fault: Fault| if holds { Ok(()) } else { Err(fault) };
        match *action {
            Action::Draw => require(!self.draw_pile.is_empty(), Fault::EmptyDrawPile),
            Action::Surface => {
                require(self.turned_up, Fault::NothingTurnedUp)?;
                require(self.squid_demand == 0, Fault::SquidDemand)
            }
            Action::NameVictim { seat: victim } => require(victim != seat, Fault::OwnSeat),
            Action::Knife { seat: victim, suit } => {
                require(victim != seat, Fault::OwnSeat)?;
                require(self.hold(victim).has(suit), Fault::NotInHold(victim, suit))
            }
            Action::Harpoon { seat: victim, suit } => self.judge_harpoon(seat, victim, suit),
            Action::Net { suit } | Action::Misfire { suit } => {
                require(self.hold(seat).has(suit), Fault::NotInHold(seat, suit))
            }
            Action::PlaceFromMap { card } => require(self.shown_by_map().contains(&card), Fault::NotShown),
            Action::Plunder { seat: victim } => {
                require(victim != seat, Fault::OwnSeat)?;
                require(!self.hold(victim).is_empty(), Fault::EmptyHold(victim))
            }
        }
    }

    /// CC-18, CC-D10, CC-D11
    fn judge_harpoon(&self, seat: Seat, victim: Seat, suit: Suit) -> Result<(), Fault> {
        if victim == seat {
            return Err(Fault::OwnSeat);
        }
        if let Some(owner) = self.opponent_with(Diver::Parry, seat) {
            return if (victim, suit) == (owner, Suit::Squid) { Ok(()) } else { Err(Fault::Parried(owner)) };
        }
        if !self.hold(victim).has(suit) {
            return Err(Fault::NotInHold(victim, suit));
        }
        if self.hold(seat).has(suit) && !self.has_diver(seat, Diver::Swordsman) {
            return Err(Fault::SuitYouHave(suit));
        }
        Ok(())
    }

    fn violation(&self, fault: Fault, seat: Seat, action: &Action) -> Violation {
        let rule = rule_of(action);
        let whose = |of: Seat| if of == seat { String::from("your hold") } else { format!("the hold of {of}") };
        match fault {
            Fault::EmptyDrawPile => {
                Violation::new("CC-10", "EMPTY_DRAW_PILE", "the draw pile is empty: surface, and the game ends")
            }
            Fault::NothingTurnedUp => {
                Violation::new("CC-6", "NOTHING_TURNED_UP", "a turn starts with a card turned up: draw first")
            }
            Fault::SquidDemand => {
                let cards = if self.squid_demand == 1 { "card" } else { "cards" };
                let sentence =
                    format!("a squid asks for {} more {cards} before you may surface: draw", self.squid_demand);
                Violation::new("CC-13", "SQUID_DEMAND", sentence)
            }
            Fault::OwnSeat => Violation::new(rule, "OWN_SEAT", format!("{seat} is your own: this is for an opponent")),
            Fault::NotInHold(of, suit) => {
                let sentence = format!("{} has no {suit}: choose a suit that is there", whose(of));
                Violation::new(rule, "NOT_IN_HOLD", sentence)
            }
            Fault::Parried(owner) => {
                let sentence = format!("{owner} has the parry: your harpoon can only take their squid");
                Violation::new("CC-D11", "PARRIED", sentence)
            }
            Fault::SuitYouHave(suit) => {
                let sentence = format!("your hold has the suit {suit}: a harpoon takes a suit that you do not have");
                Violation::new("CC-18", "SUIT_YOU_HAVE", sentence)
            }
            Fault::NotShown => Violation::new(
                "CC-12",
                "NOT_SHOWN",
                "this card is not among those that the map shows: place one of them",
            ),
            Fault::EmptyHold(of) => {
                Violation::new(rule, "EMPTY_HOLD", format!("{} is empty: choose an opponent with cards", whose(of)))
            }
        }
    }
}

/// The seat that an action names.
fn named_seat(action: &Action) -> Option<Seat> {
    match *action {
        Action::NameVictim { seat } | Action::Plunder { seat } => Some(seat),
        Action::Knife { seat, .. } | Action::Harpoon { seat, .. } => Some(seat),
        Action::Draw | Action::Surface => None,
        Action::Net { .. } | Action::Misfire { .. } | Action::PlaceFromMap { .. } => None,
    }
}

fn phase_of(action: &Action) -> Phase {
    match action {
        Action::Draw | Action::Surface => Phase::Explore,
        Action::NameVictim { .. } => Phase::NameVictim,
        Action::Knife { .. } => Phase::Knife,
        Action::Harpoon { .. } => Phase::Harpoon,
        Action::Net { .. } => Phase::Net,
        Action::Misfire { .. } => Phase::Misfire,
        Action::PlaceFromMap { .. } => Phase::Map,
        Action::Plunder { .. } => Phase::Plunder,
    }
}

/// The rule by which an action chooses.
fn rule_of(action: &Action) -> &'static str {
    match action {
        Action::Draw | Action::Surface => "CC-6",
        Action::NameVictim { .. } => "CC-D17",
        Action::Knife { .. } => "CC-15",
        Action::Harpoon { .. } => "CC-18",
        Action::Net { .. } => "CC-17",
        Action::Misfire { .. } => "CC-D8",
        Action::PlaceFromMap { .. } => "CC-12",
        Action::Plunder { .. } => "CC-D3",
    }
}

fn what_is_asked(phase: Phase) -> &'static str {
    match phase {
        Phase::NameVictim => "now you name the opponent whose lost cards you get",
        Phase::Explore => "now you draw or surface",
        Phase::Knife => "now you use the knife: choose an opponent and a suit of their hold",
        Phase::Harpoon => "now you use the harpoon: choose an opponent and a suit of their hold",
        Phase::Net => "now you use the net: choose a suit of your hold",
        Phase::Misfire => "now your knife misfires: choose a suit of your hold",
        Phase::Map => "now you use the map: place one of the cards that it shows",
        Phase::Plunder => "now you plunder: choose an opponent with cards",
        Phase::Over => "the game has ended",
    }
}
