//! The checks on secrets. What is hidden from a viewer is dealt again: nothing that the viewer is shown may change.

use alloc::{format, string::String, vec::Vec};

use super::checks::Here;
use super::{Failure, UnderTest, hold};
use crate::{Chance, Game, Offer, Seat, SeatCount, SeatSet, Step, Viewer};

/// In one of so many states everything is altered: that is many more states than there are to begin with.
const ALTERED_ONE_IN: u32 = 8;

/// What re-dealing changed for an auditor in a run.
#[derive(Default)]
pub(super) struct Seen {
    pub(super) views: u64,
    pub(super) events: u64,
    /// How often a secret choice was compared with another one.
    pub(super) choices: u64,
}

/// The viewers that are tried in one state: the seats that are asked, any other seat, a spectator. A run has so many states
/// that every seat comes to be the other one in every phase.
fn viewers(asked: SeatSet, seats: SeatCount, chance: &mut dyn Chance) -> Vec<Viewer> {
    let others: Vec<Seat> = seats.seats().filter(|seat| !asked.contains(*seat)).collect();
    let other = (!others.is_empty()).then(|| others[chance.below(others.len() as u32) as usize]);
    asked.iter().chain(other).map(Viewer::Seat).chain([Viewer::Spectator]).collect()
}

impl<G: UnderTest> Here<'_, G> {
    /// The state at rest: view, who is asked, own legal actions and the texts of refusals.
    pub(super) fn secrets(&mut self, seen: &mut Seen) -> Result<(), Failure> {
        for viewer in viewers(self.state.to_act(), self.state.seats(), self.chance) {
            let other = self.state.redeal(None, viewer, self.chance);
            let (asked, asked_other) = (self.state.to_act(), other.to_act());
            hold!(AskedKeepsSecrets, asked == asked_other, "{asked:?} or {asked_other:?}, by what is hidden");
            self.same_view(&other, viewer)?;
            if let Viewer::Seat(seat) = viewer {
                self.same_answers(&other, seat)?;
            }
            self.auditor_distinguishes(&other)?;
            seen.views += u64::from(self.state.view(Viewer::Auditor) != other.view(Viewer::Auditor));
        }
        if self.chance.below(ALTERED_ONE_IN) == 0 {
            self.state.altered().iter().try_for_each(|other| self.auditor_distinguishes(other))?;
        }
        Ok(())
    }

    /// An auditor's view is the whole state.
    fn auditor_distinguishes(&self, other: &G) -> Result<(), Failure> {
        let is_same = self.state.canonical_bytes() == other.canonical_bytes();
        let looks_same = self.state.view(Viewer::Auditor) == other.view(Viewer::Auditor);
        hold!(AuditorSeesAll, is_same || !looks_same, "an auditor cannot tell {:?} from {other:?}", self.state);
        Ok(())
    }

    fn same_view(&self, other: &G, viewer: Viewer) -> Result<(), Failure> {
        let (view, view_other) = (self.state.view(viewer), other.view(viewer));
        hold!(ViewKeepsSecrets, view == view_other, "{viewer:?} can tell {view:?} from {view_other:?}");
        Ok(())
    }

    fn same_answers(&mut self, other: &G, seat: Seat) -> Result<(), Failure> {
        let (offers, offers_other) = (self.state.legal_actions(seat), other.legal_actions(seat));
        hold!(OffersKeepSecrets, offers == offers_other, "{seat} can tell {offers:?} from {offers_other:?}");
        for action in self.state.near_misses(seat, self.chance) {
            let text = self.refusal(self.state, seat, &action);
            let text_other = self.refusal(other, seat, &action);
            hold!(RefusalsKeepSecrets, text == text_other, "{seat}, {action:?}: {text:?} or {text_other:?}");
        }
        Ok(())
    }

    fn refusal(&self, state: &G, seat: Seat, action: &G::Action) -> Option<String> {
        let mut chance = (self.action_chance)();
        state.apply(seat, action, &mut chance).err().map(|violation| format!("{violation}"))
    }

    /// An action: the events and the view after it.
    pub(super) fn secrets_of_step(
        &mut self,
        seat: Seat,
        action: &G::Action,
        step: &Step<G>,
        seen: &mut Seen,
    ) -> Result<(), Failure> {
        for viewer in viewers(self.state.to_act(), self.state.seats(), self.chance) {
            let other = self.state.redeal(Some(step), viewer, self.chance);
            let answer = other.apply(seat, action, &mut (self.action_chance)());
            let Ok(step_other) = answer else {
                hold!(
                    OffersKeepSecrets,
                    false,
                    "{action:?} of {seat} depends on what {viewer:?} cannot see: {answer:?}"
                );
                continue;
            };
            let (events, events_other) = (
                redacted::<G>(self.state.rules(), &step.events, viewer),
                redacted::<G>(self.state.rules(), &step_other.events, viewer),
            );
            hold!(EventsKeepSecrets, events == events_other, "{viewer:?} can tell {events:?} from {events_other:?}");
            let (view, view_other) = (step.next.view(viewer), step_other.next.view(viewer));
            hold!(
                ViewKeepsSecrets,
                view == view_other,
                "after {action:?} {viewer:?} can tell {view:?}, {view_other:?}"
            );
            seen.events += u64::from(step.events != step_other.events);
        }
        Ok(())
    }
}

impl<G: UnderTest> Here<'_, G> {
    /// An action beside another one that the seat might have chosen: whoever must not tell them apart cannot. Nothing is
    /// hidden any more once the game is over.
    pub(super) fn secret_choices(
        &mut self,
        seat: Seat,
        action: &G::Action,
        step: &Step<G>,
        seen: &mut Seen,
    ) -> Result<(), Failure> {
        let offers = self.state.legal_actions(seat);
        let offer = &offers[self.chance.below(offers.len() as u32) as usize];
        let below = u32::try_from(offer.count()).unwrap_or(u32::MAX);
        let other = offer.nth(self.chance.below(below).into());
        let seats = self.state.seats().seats().map(Viewer::Seat);
        let viewers: Vec<Viewer> = seats
            .chain([Viewer::Spectator])
            .filter(|viewer| self.state.looks_the_same(seat, action, &other, *viewer))
            .collect();
        if other == *action || viewers.is_empty() {
            return Ok(());
        }
        let answer = self.state.apply(seat, &other, &mut (self.action_chance)());
        let Ok(step_other) = answer else {
            hold!(ListedIsAccepted, false, "{seat} was offered {other:?}: {answer:?}");
            return Ok(());
        };
        if step.next.outcome().is_some() || step_other.next.outcome().is_some() {
            return Ok(());
        }
        for viewer in viewers {
            let shown = |step: &Step<G>| {
                (redacted::<G>(self.state.rules(), &step.events, viewer), step.next.view(viewer), step.next.to_act())
            };
            let (one, two) = (shown(step), shown(&step_other));
            hold!(
                ChoicesKeepSecrets,
                one == two,
                "{viewer:?} can tell {action:?} of {seat} from {other:?}: {one:?} or {two:?}"
            );
            seen.choices += 1;
        }
        Ok(())
    }
}

/// Events as a viewer gets them.
pub(super) fn redacted<G: Game>(rules: G::Rules, events: &[G::Event], viewer: Viewer) -> Vec<G::Event> {
    events.iter().filter_map(|event| G::redact(rules, event, viewer)).collect()
}

/// An auditor gets every event as it is.
pub(super) fn auditor_sees_events<G: Game>(rules: G::Rules, events: &[G::Event]) -> Result<(), Failure> {
    let redacted = redacted::<G>(rules, events, Viewer::Auditor);
    hold!(AuditorSeesEvents, redacted == events, "{events:?} became {redacted:?}");
    Ok(())
}
