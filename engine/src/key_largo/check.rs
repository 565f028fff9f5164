//! Whether an action is allowed: first that all it names exists, then the phase, then the rules of its place.

use alloc::{format, string::String, vec::Vec};

use super::offer::card_set;
use super::pieces::TEAM;
use super::{Action, CardId, Encounter, Phase, Play, State};
use crate::{RulesVersion, Seat, Violation};

impl State {
    /// Whether the seat that is asked may do this.
    pub(super) fn check(&self, seat: Seat, action: &Action) -> Result<(), Violation> {
        self.must_exist(action)?;
        if !belongs_to(self.phase, action) {
            return Err(Violation::phase(what_is_asked(self.phase)));
        }
        match action {
            Action::Program { morning, afternoon } => self.may_program(*morning, *afternoon),
            Action::PlaceBoat { wreck } => self.may_place_boat(seat, *wreck as usize),
            Action::Pass => Ok(()),
            Action::DrawCard { diver } => self.may_draw_card(*diver),
            Action::UseWeight { diver } => self.may_use_weight(*diver),
            Action::Surface => self.may_surface(),
            Action::UseTrident { diver } => self.may_use_trident(*diver),
            Action::Flee => self.may_flee(),
            Action::Recruit => self.may_recruit(),
            Action::HirePickpocket { seat, depth } => self.may_hire_pickpocket(Seat(*seat as u8), *depth),
            Action::BuyRound { wrecks } => self.may_buy_round(wrecks),
            Action::FirstWreck { wreck } => self.may_name_first_wreck(*wreck),
            Action::SecondWreck { wreck } => self.may_name_second_wreck(*wreck),
            Action::NoSecondWreck => Ok(()),
            Action::Buy { item, diver } => self.may_buy(*item, *diver),
            Action::Sell { cards } => self.may_sell(cards),
            Action::PlayEncounter(play) => self.may_play(seat, play),
            Action::Done if self.phase == Phase::Market => self.may_leave_market(),
            Action::Done => Ok(()),
        }
    }

    /// What an action names must exist in this game, so that the rules can count on it.
    fn must_exist(&self, action: &Action) -> Result<(), Violation> {
        match action {
            Action::PlaceBoat { wreck } => self.wreck_exists(*wreck),
            Action::DrawCard { diver }
            | Action::UseWeight { diver }
            | Action::UseTrident { diver }
            | Action::Buy { diver, .. } => diver_exists(*diver),
            Action::HirePickpocket { seat, .. } => self.seat_exists(*seat),
            Action::BuyRound { wrecks } => {
                self.round_is_of_this_version(false)?;
                wrecks.iter().try_for_each(|wreck| self.wreck_exists(*wreck))?;
                let mut different: Vec<u32> = wrecks.clone();
                different.sort_unstable();
                different.dedup();
                holds(different.len() == wrecks.len(), || "a wreck is named twice: name different ones".into())
            }
            Action::FirstWreck { wreck } | Action::SecondWreck { wreck } => {
                self.round_is_of_this_version(true)?;
                self.wreck_exists(*wreck)
            }
            Action::NoSecondWreck => self.round_is_of_this_version(true),
            Action::Sell { cards } => cards_exist(cards),
            Action::PlayEncounter(play) => self.play_exists(play),
            Action::Program { .. } | Action::Pass | Action::Surface | Action::Flee | Action::Recruit | Action::Done => {
                Ok(())
            }
        }
    }

    fn play_exists(&self, play: &Play) -> Result<(), Violation> {
        holds(self.encounters, || "this game is played without encounter cards".into())?;
        match play {
            Play::Plain(encounter) => match need(*encounter) {
                Some(need) => Err(Violation::malformed(format!("the {} needs {need}", encounter.name()))),
                None => Ok(()),
            },
            Play::Volunteer { diver } => diver_exists(*diver),
            Play::Saboteur { seat, diver } => {
                self.seat_exists(*seat)?;
                diver_exists(*diver)
            }
            Play::Drunkard { wreck } => self.wreck_exists(*wreck),
            Play::HastyBuyer { treasure } | Play::Dupe { treasure, .. } => card_exists(*treasure),
            Play::Trafficker { treasures } => cards_exist(treasures),
            Play::Jeweller { diamond } => card_exists(*diamond),
        }
    }

    /// KL-18: a round is bought in the form of the game's own rules version.
    fn round_is_of_this_version(&self, one_after_the_other: bool) -> Result<(), Violation> {
        let here = self.rules.second_wreck_is_named_after_the_first();
        holds(one_after_the_other == here, || {
            let version = self.rules.number();
            match here {
                true => format!(
                    "by rules version {version} a round is bought with one wreck, and the second is named after that: \
                     `wreck`, not `wrecks`"
                ),
                false => {
                    format!("by rules version {version} a round names all its wrecks at once: `wrecks`, no second one")
                }
            }
        })
    }

    fn wreck_exists(&self, wreck: u32) -> Result<(), Violation> {
        let last = self.wrecks.len() - 1;
        holds(wreck as usize <= last, || format!("there is no wreck {wreck}: wrecks are 0 to {last}"))
    }

    fn seat_exists(&self, seat: u32) -> Result<(), Violation> {
        let last = self.players.len() - 1;
        holds(seat as usize <= last, || format!("there is no seat {seat}: seats are 0 to {last}"))
    }
}

/// KL-26: what an encounter card needs beyond its name.
fn need(encounter: Encounter) -> Option<&'static str> {
    match encounter {
        Encounter::Volunteer => Some("a diver"),
        Encounter::HastyBuyer => Some("a treasure"),
        Encounter::Saboteur => Some("a seat and a diver"),
        Encounter::Drunkard => Some("a wreck"),
        Encounter::Dupe => Some("a treasure and a kind"),
        Encounter::Trafficker => Some("treasures"),
        Encounter::Jeweller => Some("a diamond"),
        _ => None,
    }
}

fn holds(condition: bool, sentence: impl FnOnce() -> String) -> Result<(), Violation> {
    if condition { Ok(()) } else { Err(Violation::malformed(sentence())) }
}

fn diver_exists(diver: u32) -> Result<(), Violation> {
    let last = TEAM - 1;
    holds(diver as usize <= last, || format!("there is no diver {diver}: divers of a team are 0 to {last}"))
}

fn card_exists(card: u32) -> Result<(), Violation> {
    holds(CardId::of(card).is_some(), || format!("there is no card {card}: cards are 0 to 79"))
}

fn cards_exist(cards: &[u32]) -> Result<(), Violation> {
    cards.iter().try_for_each(|card| card_exists(*card))?;
    holds(card_set(cards).is_some(), || "a card is named twice: name different ones".into())
}

/// Whether an action can be one of a phase.
fn belongs_to(phase: Phase, action: &Action) -> bool {
    match action {
        Action::Program { .. } => phase == Phase::Program,
        Action::PlaceBoat { .. } => phase == Phase::PlaceBoat,
        Action::Pass => phase == Phase::Sabotage,
        Action::DrawCard { .. } | Action::UseWeight { .. } | Action::Surface => phase == Phase::Dive,
        Action::UseTrident { .. } | Action::Flee => phase == Phase::Monster,
        Action::Recruit | Action::HirePickpocket { .. } | Action::BuyRound { .. } | Action::FirstWreck { .. } => {
            phase == Phase::Bar
        }
        Action::SecondWreck { .. } | Action::NoSecondWreck => phase == Phase::SecondWreck,
        Action::Buy { .. } => phase == Phase::Shop,
        Action::Sell { .. } => phase == Phase::Market,
        Action::PlayEncounter(_) => {
            !matches!(phase, Phase::Program | Phase::PlaceBoat | Phase::SecondWreck | Phase::Over)
        }
        Action::Done => matches!(phase, Phase::Bar | Phase::Dolphins | Phase::Shop | Phase::Market),
    }
}

fn what_is_asked(phase: Phase) -> &'static str {
    match phase {
        Phase::Program => "the places of the day are chosen now: program",
        Phase::PlaceBoat => "a wreck is chosen now: place the boat",
        Phase::Sabotage => "this is the moment for a saboteur: play one or pass",
        Phase::Dive => "you are diving: draw a card, use a weight, play an encounter card or surface",
        Phase::Monster => "a monster waits: use a trident, play a regular or flee",
        Phase::Bar => "you are at the bar: recruit, hire a pickpocket, buy a round, play an encounter card or be done",
        Phase::SecondWreck => "you have bought a round: name its second wreck, or none",
        Phase::Dolphins => "you are at the dolphins: play an encounter card or be done",
        Phase::Shop => "you are in the shop: buy, play an encounter card or be done",
        Phase::Market => "you are at the market: sell, play an encounter card or be done",
        Phase::Over => "the game has ended",
    }
}
