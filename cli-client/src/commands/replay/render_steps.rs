//! A step of a replay in words: the record's line, what happened, the board, what could be done.

use divelog_proto::v1::{GameStatus, ReplayGameResponse, SeatLegalActions, viewer::Role};
use divelog_text::Seating;

use super::super::sentences;
use crate::output::{self, Screen, strings};

/// How steps are rendered.
#[derive(Clone, Copy)]
pub struct StepRenderer<'a> {
    /// Who sits where.
    pub seating: &'a Seating,
    /// The screen to draw for.
    pub screen: Screen,
    /// The columns that sentences have to fit into.
    pub text_width: usize,
    /// Whether to say what could be done next.
    pub what_next: bool,
}

impl StepRenderer<'_> {
    /// One step in full.
    pub fn step(&self, step: &ReplayGameResponse) -> String {
        let Self { seating, screen, text_width, .. } = *self;
        let fit = |text: String| strings::fit(&text, text_width).join("\n");
        let mut parts = vec![screen.paint.strong(&fit(headline(step, seating)))];
        let could = |legal: &SeatLegalActions| format!("{} could: {}", seating.full(legal.seat), words(legal));
        parts.extend(step.legal_before.iter().map(could).map(fit));
        parts.extend(sentences(&step.events, step.status(), seating, screen.lang).into_iter().map(fit));
        if let Some(view) = &step.view {
            // What can be done next is added below, in the past tense.
            parts.push(format!(
                "\n{}",
                divelog_text::draw(view, step.status(), step.outcome.as_ref(), &[], seating, screen)
            ));
        }
        for seen in &step.seen_by {
            let Some(view) = &seen.view else { continue };
            let who = match &seen.viewer {
                Some(viewer) if viewer.role() == Role::Seat => seating.full(viewer.seat),
                _ => "a spectator".into(),
            };
            parts.push(format!("\n{}", screen.paint.strong(&fit(format!("-- As {who} saw it")))));
            parts.extend(sentences(&seen.events, step.status(), seating, screen.lang).into_iter().map(fit));
            parts.push(format!(
                "\n{}",
                divelog_text::draw(view, step.status(), step.outcome.as_ref(), &[], seating, screen)
            ));
        }
        if self.what_next {
            let lines: Vec<String> = what_next(step, seating).into_iter().map(fit).collect();
            parts.push(format!("\n{}", lines.join("\n")));
        }
        parts.join("\n")
    }

    /// The board alone, with what the viewer could type then.
    pub fn board(&self, step: &ReplayGameResponse) -> Option<String> {
        let Self { seating, screen, .. } = *self;
        let (status, outcome) = (step.status(), step.outcome.as_ref());
        step.view.as_ref().map(|view| divelog_text::draw(view, status, outcome, &step.legal_after, seating, screen))
    }
}

fn words(legal: &SeatLegalActions) -> String {
    let words: Vec<String> = legal.legal_actions.iter().map(divelog_text::legal_words).collect();
    words.join(", ")
}

/// Who was asked then, and what the viewer could choose from.
fn what_next(step: &ReplayGameResponse, seating: &Seating) -> Vec<String> {
    if step.to_act.is_empty() {
        return vec!["Nobody was asked to act then: the game was over.".into()];
    }
    let mut lines = vec![format!("To act: {}.", seating.list(&step.to_act))];
    let legal = step.legal_after.iter();
    lines.extend(legal.map(|legal| format!("{} could then: {}", seating.full(legal.seat), words(legal))));
    lines
}

/// Which record it is.
pub fn headline(step: &ReplayGameResponse, seating: &Seating) -> String {
    let who = match step.seat {
        Some(seat) => seating.full(seat),
        None if step.status() == GameStatus::Abandoned => "abandonment".into(),
        None => "set-up".into(),
    };
    let action =
        step.action.as_ref().map(|action| format!(": {}", divelog_text::action_words(action))).unwrap_or_default();
    let hash = output::short_hash(&step.record_hash);
    let fork = if seating.fork().is_some() { "  FORK" } else { "" };
    format!("== Revision {}  {}  {who}{action}  ({hash}){fork}", step.revision, output::time(step.time.as_ref()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use divelog_proto::v1::{ForkOrigin, GameKind, LegalAction};

    fn step() -> ReplayGameResponse {
        ReplayGameResponse {
            revision: 2,
            record_hash: vec![0xab; 32].into(),
            time: Some(prost_types::Timestamp { seconds: 0, nanos: 0 }),
            seat: Some(0),
            action: Some(divelog_text::parse_action(GameKind::DeepSeaAdventure, 1, &["dive".into()]).unwrap()),
            ..Default::default()
        }
    }

    fn renderer(seating: &Seating, what_next: bool) -> StepRenderer<'_> {
        StepRenderer { seating, screen: Screen::plain(80), text_width: usize::MAX, what_next }
    }

    #[test]
    fn a_step_has_its_action_where_known() {
        let seating = Seating::new(["Ana"]);
        let mut step = step();
        assert_eq!(
            renderer(&seating, false).step(&step),
            "== Revision 2  1970-01-01T00:00:00Z  Ana (seat 0): dive  (abababababab)"
        );
        (step.seat, step.action) = (None, None);
        assert_eq!(headline(&step, &seating), "== Revision 2  1970-01-01T00:00:00Z  set-up  (abababababab)");
        let fork = seating.forked(Some(&ForkOrigin { game_id: "g".into(), revision: 1, ..Default::default() }));
        assert!(headline(&step, &fork).ends_with("(abababababab)  FORK"));
    }

    #[test]
    fn sentences_and_headlines_fit() {
        let seating = Seating::new(["Maximilian ".repeat(5)]);
        let text = StepRenderer { text_width: 40, ..renderer(&seating, false) }.step(&step());
        assert!(text.lines().count() > 2 && text.lines().all(|line| line.len() <= 40), "{text}");
    }

    #[test]
    fn what_could_be_done_then_is_added_on_request() {
        let seating = Seating::new(["Ana", "Ben"]);
        let mut step = step();
        step.to_act = vec![1];
        step.legal_after = vec![SeatLegalActions { seat: 1, legal_actions: vec![LegalAction::default(); 2] }];
        let unknown = divelog_text::legal_words(&LegalAction::default());
        let text = renderer(&seating, true).step(&step);
        let expected = format!("To act: Ben (seat 1).\nBen (seat 1) could then: {unknown}, {unknown}");
        assert!(text.ends_with(&expected), "{text}");
        step.to_act.clear();
        step.legal_after.clear();
        assert!(renderer(&seating, true).step(&step).ends_with("the game was over."));
        assert!(!renderer(&seating, false).step(&step).contains("then"));
    }
}
