//! The checks on one state, and on the end of a game.

use alloc::vec::Vec;
use core::fmt::Debug;

use super::chance::Counted;
use super::{Failure, UnderTest, hold};
use crate::{Chance, Game, MAX_SEATS, Offer, Outcome, Seat, SeatCount, SeatSet};

/// An offer with this many actions or fewer is tried in full; of a larger one this many are sampled.
const TRIED_OF_AN_OFFER: u64 = 24;

/// Where a check stands: the state, and chance for its own choices.
pub(super) struct Here<'a, G> {
    pub(super) state: &'a G,
    pub(super) chance: &'a mut dyn Chance,
    /// Chance for the actions that are tried: a fresh one for each.
    pub(super) action_chance: &'a dyn Fn() -> Counted,
}

/// The seats of the table and one beyond it.
pub(super) fn seats_and_one_beyond(seats: SeatCount) -> impl Iterator<Item = Seat> {
    (0..=seats.get()).map(Seat)
}

pub(super) fn seat_counts_outside_are_refused<G: UnderTest>(
    rules: G::Rules,
    options: &G::Options,
    chance: &mut Counted,
) -> Result<(), Failure> {
    for count in (1..=MAX_SEATS).filter(|count| !G::SEATS.contains(count)) {
        let seats = SeatCount::new(usize::from(count)).expect("from 1 to MAX_SEATS");
        let answer = G::setup(rules, options, seats, chance).map(|_| ()).map_err(|violation| violation.rule);
        let by_rule_0 = answer.is_err_and(|rule| rule.ends_with("-0"));
        hold!(SeatCount, by_rule_0, "{count} seats: {answer:?}");
        hold!(SeatCount, chance.draws == 0, "{count} seats were refused after {} draws", chance.draws);
    }
    Ok(())
}

impl<G: UnderTest> Here<'_, G> {
    /// Everything about legal and illegal actions, for every seat.
    pub(super) fn legality(&mut self) -> Result<(), Failure> {
        let before = self.state.canonical_bytes();
        for seat in seats_and_one_beyond(self.state.seats()) {
            let offers = self.state.legal_actions(seat);
            let asked = self.state.to_act().contains(seat);
            hold!(OnlyAskedSeatsAreOffered, asked != offers.is_empty(), "{seat} (asked: {asked}) has {offers:?}");
            let bound = G::MAX_OFFERS;
            hold!(ListIsBounded, offers.len() <= bound, "{} offers to {seat}, more than {bound}", offers.len());
            for offer in &offers {
                for action in check_offer(offer, self.chance)? {
                    self.try_action(seat, &action, true)?;
                }
            }
            for action in self.state.near_misses(seat, self.chance) {
                let admitted = offers.iter().any(|offer| offer.admits(&action));
                self.try_action(seat, &action, admitted)?;
            }
        }
        hold!(RefusalChangesNothing, before == self.state.canonical_bytes(), "tried actions changed {:?}", self.state);
        Ok(())
    }

    fn try_action(&mut self, seat: Seat, action: &G::Action, listed: bool) -> Result<(), Failure> {
        let mut chance = (self.action_chance)();
        let answer = self.state.apply(seat, action, &mut chance).map(|_| ());
        if listed {
            hold!(ListedIsAccepted, answer.is_ok(), "{seat} was offered {action:?}: {answer:?}");
            return Ok(());
        }
        let Err(violation) = answer else {
            hold!(UnlistedIsRefused, false, "{seat} was not offered {action:?}, and may do it");
            return Ok(());
        };
        hold!(RefusalDrawsNothing, chance.draws == 0, "{action:?} of {seat} drew chance: {violation}");
        let common = expected_common_refusal(self.state, seat);
        let named = ["OVER", "TURN"].into_iter().find(|rule| *rule == violation.rule);
        hold!(CommonRefusals, named == common, "{action:?} of {seat}: {violation}, expected {common:?}");
        let admitted = self.state.admit(seat).map_err(|violation| violation.rule).err();
        hold!(CommonRefusals, admitted == common, "admit({seat}) gives {admitted:?}, expected {common:?}");
        Ok(())
    }

    /// Outcome and the question who is asked.
    pub(super) fn outcome(&self) -> Result<(), Failure> {
        let asked = self.state.to_act();
        let outcome = self.state.outcome();
        let table: SeatSet = self.state.seats().seats().collect();
        let strangers = asked.bits() & !table.bits();
        hold!(OnlyAskedSeatsAreOffered, strangers == 0, "seats beyond the table are asked: {asked:?}");
        hold!(OutcomeWhenNobodyIsAsked, asked.is_empty() == outcome.is_some(), "asked {asked:?}, {outcome:?}");
        outcome.map_or(Ok(()), |outcome| ranks(&outcome, self.state.seats()))
    }
}

/// The actions of an offer, or a sample of them: the offer admits them, and they differ.
pub(super) fn check_offer<O: Offer>(offer: &O, chance: &mut dyn Chance) -> Result<Vec<O::Action>, Failure>
where
    O::Action: Eq + Debug,
{
    let count = offer.count();
    hold!(OffersCountTheirActions, count > 0, "{offer:?} stands for no action");
    let numbers: Vec<u64> = if count <= TRIED_OF_AN_OFFER {
        (0..count).collect()
    } else {
        let below = u32::try_from(count).unwrap_or(u32::MAX);
        let sampled = (2..TRIED_OF_AN_OFFER).map(|_| u64::from(chance.below(below)));
        let mut numbers: Vec<u64> = sampled.chain([0, count - 1]).collect();
        numbers.sort_unstable();
        numbers.dedup();
        numbers
    };
    let actions: Vec<O::Action> = numbers.iter().map(|number| offer.nth(*number)).collect();
    for (place, action) in actions.iter().enumerate() {
        hold!(OffersCountTheirActions, offer.admits(action), "{offer:?} does not admit its own {action:?}");
        hold!(OffersCountTheirActions, !actions[..place].contains(action), "{offer:?} has {action:?} twice");
    }
    Ok(actions)
}

/// The common refusal that a seat gets whatever it asks for.
fn expected_common_refusal<G: Game>(state: &G, seat: Seat) -> Option<&'static str> {
    if state.outcome().is_some() {
        Some("OVER")
    } else if !state.to_act().contains(seat) {
        Some("TURN")
    } else {
        None
    }
}

fn ranks(outcome: &Outcome, seats: SeatCount) -> Result<(), Failure> {
    let standings = &outcome.standings;
    let in_order = standings.iter().map(|standing| standing.seat).eq(seats.seats());
    hold!(RanksFitTogether, in_order, "not one standing for each seat: {outcome:?}");
    for standing in standings {
        let better = standings.iter().filter(|other| other.rank < standing.rank).count();
        hold!(RanksFitTogether, usize::from(standing.rank) == better + 1, "rank of {}: {outcome:?}", standing.seat);
        // A variant may let nobody win, but who wins is first, and so is everybody who shares that rank.
        let wins = outcome.winners.contains(standing.seat);
        let should = standing.rank == 1 && !outcome.winners.is_empty();
        hold!(RanksFitTogether, wins == should, "{} wins: {wins}: {outcome:?}", standing.seat);
    }
    Ok(())
}
