//! What happens to a record when the disk has it or has refused it: it is shown and answered, or this copy of the game ends.

use std::sync::Arc;

use super::LiveGame;
use super::state::Pending;
use crate::session::{Accepted, Error, Step};

/// How many steps are kept for watchers; one who is further behind is served from the log.
const RECENT_STEPS: usize = 8;

impl LiveGame {
    /// A record is on disk: swap, publish, reply.
    pub(in crate::session) fn advanced(&self, step: &Arc<Step>) {
        let mut state = self.state();
        let Some((_, pending)) = state.take_pending(step) else { return };
        state.durable = pending.step.position.clone();
        state.newest = Some(Arc::clone(&pending.step));
        let followed = self.followers.any();
        if followed {
            if state.recent.len() == RECENT_STEPS {
                state.recent.pop_front();
            }
            state.recent.push_back(Arc::clone(&pending.step));
        } else {
            state.recent.clear();
        }
        if followed {
            self.followers.notify(&self.fan_out);
        }
        // Still under the lock: what is asked now may be answered at once, and must not overtake these.
        (pending.reply)(Ok(Accepted::Done(pending.step)));
        for (reply, answer) in pending.later {
            reply(answer);
        }
    }

    /// A record was not written. This copy of the game, whose tip rests on it, takes nothing any more and must be loaded
    /// again; what is still on its way gets its own answer from the writer.
    pub(in crate::session) fn failed(&self, step: &Arc<Step>, error: &Error) {
        let mut state = self.state();
        state.superseded = true;
        let Some((at, Pending { reply, later, .. })) = state.take_pending(step) else { return };
        let durable = state.durable.revision();
        // The record before, which a writer that refuses this one alone answers later.
        let before = at.checked_sub(1).and_then(|before| state.pending.get_mut(before));
        let reach = before.as_ref().map_or(durable, |before| before.step.position.revision());
        let later = later.into_iter().map(|(reply, answer)| match answer {
            // The answer to a repeated request or a dry run, which only waited for its turn: what it rests on is on disk, or
            // comes with the record before.
            Ok(found) if found.revision() <= reach => (reply, Ok(found)),
            _ => (reply, Err(error.clone())),
        });
        let answers = std::iter::once((reply, Err(error.clone()))).chain(later);
        match before {
            Some(before) => before.later.extend(answers),
            None => answers.for_each(|(reply, answer)| reply(answer)),
        }
    }
}
