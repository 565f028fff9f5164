//! Where somebody who steps through a game is, and what each key does: without a terminal, so that it can be tested.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use divelog_ledger::Revision;
use divelog_proto::v1::{Viewer, viewer::Role};

/// The longest number that is taken after `g`.
const MAX_DIGITS: usize = 9;

/// How many lines a page key scrolls.
const PAGE: usize = 10;

/// What to do after a key.
#[derive(Debug, PartialEq, Eq)]
pub enum Next {
    /// Nothing has changed.
    Wait,
    /// The same step is drawn again.
    Draw,
    /// Another step is to be shown.
    Show,
    /// The newest step is to be shown, which may be newer than the last one known.
    Newest,
    /// The user has had enough.
    Quit,
}

/// Where the reader is.
#[derive(Debug)]
pub struct Stepper {
    /// The viewer whose view is shown.
    pub viewer: Viewer,
    /// The revision that is shown.
    pub revision: Revision,
    /// The first one to be shown.
    pub first: Revision,
    /// The last one known, or wanted.
    pub last: Revision,
    /// The table's seats.
    pub seats: u32,
    /// How many lines are scrolled away.
    pub scroll: usize,
    /// The digits typed after `g`.
    pub typed: Option<String>,
}

impl Stepper {
    /// Handles a key press.
    pub fn press(&mut self, key: KeyEvent) -> Next {
        if key.modifiers.contains(KeyModifiers::CONTROL) {
            // Raw mode delivers Ctrl-C and Ctrl-D as keys.
            return if matches!(key.code, KeyCode::Char('c' | 'd')) { Next::Quit } else { Next::Wait };
        }
        if self.typed.is_some() {
            return self.type_number(key.code);
        }
        match key.code {
            KeyCode::Char('q') | KeyCode::Esc => Next::Quit,
            KeyCode::Right | KeyCode::Enter | KeyCode::Char(' ' | 'n') => self.forward(),
            KeyCode::Left | KeyCode::Backspace | KeyCode::Char('p') => self.go_to(self.revision.previous()),
            KeyCode::Home => self.go_to(self.first),
            KeyCode::End => Next::Newest,
            KeyCode::Up | KeyCode::Char('k') => self.scroll_to(self.scroll.saturating_sub(1)),
            KeyCode::Down | KeyCode::Char('j') => self.scroll_to(self.scroll + 1),
            KeyCode::PageUp => self.scroll_to(self.scroll.saturating_sub(PAGE)),
            KeyCode::PageDown => self.scroll_to(self.scroll + PAGE),
            KeyCode::Char('g') => {
                self.typed = Some(String::new());
                Next::Draw
            }
            KeyCode::Char('s') => self.look_as(Viewer { role: Role::Spectator.into(), seat: 0 }),
            KeyCode::Char('a') => self.look_as(Viewer { role: Role::Auditor.into(), seat: 0 }),
            KeyCode::Char(digit) => match digit.to_digit(10) {
                Some(seat) if seat < self.seats => self.look_as(Viewer { role: Role::Seat.into(), seat }),
                _ => Next::Wait,
            },
            _ => Next::Wait,
        }
    }

    fn forward(&mut self) -> Next {
        // The game may have gone on by now.
        if self.revision >= self.last { Next::Newest } else { self.go_to(self.revision.next()) }
    }

    /// Goes to a revision, or as near as there is one.
    pub fn go_to(&mut self, revision: Revision) -> Next {
        let revision = revision.clamp(self.first, self.last.max(self.first));
        if revision == self.revision {
            return Next::Wait;
        }
        self.revision = revision;
        Next::Show
    }

    fn look_as(&mut self, viewer: Viewer) -> Next {
        if viewer == self.viewer {
            return Next::Wait;
        }
        self.viewer = viewer;
        Next::Show
    }

    fn scroll_to(&mut self, line: usize) -> Next {
        self.scroll = line;
        Next::Draw
    }

    fn type_number(&mut self, code: KeyCode) -> Next {
        let Some(typed) = &mut self.typed else { return Next::Wait };
        match code {
            KeyCode::Char(digit) if digit.is_ascii_digit() && typed.len() < MAX_DIGITS => typed.push(digit),
            KeyCode::Backspace => drop(typed.pop()),
            KeyCode::Enter => {
                let wanted = typed.parse().map(Revision::new);
                self.typed = None;
                if let Ok(revision) = wanted {
                    self.go_to(revision);
                    return Next::Show;
                }
            }
            KeyCode::Esc | KeyCode::Char('q') => self.typed = None,
            _ => return Next::Wait,
        }
        Next::Draw
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stepper() -> Stepper {
        let viewer = Viewer { role: Role::Spectator.into(), seat: 0 };
        let (first, last) = (Revision::BEGUN, Revision::new(12));
        Stepper { viewer, revision: first, first, last, seats: 3, scroll: 0, typed: None }
    }

    fn press(stepper: &mut Stepper, keys: &[KeyCode]) -> Next {
        keys.iter().fold(Next::Wait, |_, key| stepper.press(KeyEvent::from(*key)))
    }

    #[test]
    fn steps_stay_within_the_game() {
        let mut stepper = stepper();
        assert_eq!(press(&mut stepper, &[KeyCode::Left]), Next::Wait, "before the first there is nothing");
        assert_eq!(press(&mut stepper, &[KeyCode::Right, KeyCode::Char(' '), KeyCode::Char('n')]), Next::Show);
        assert_eq!(stepper.revision.get(), 4);
        press(&mut stepper, &[KeyCode::Char('p')]);
        assert_eq!(stepper.revision.get(), 3);
        assert_eq!(press(&mut stepper, &[KeyCode::Home]), Next::Show);
        assert_eq!(stepper.revision.get(), 1);
        assert_eq!(press(&mut stepper, &[KeyCode::End]), Next::Newest);
        stepper.go_to(Revision::MAX);
        assert_eq!(stepper.revision.get(), 12);
        assert_eq!(press(&mut stepper, &[KeyCode::Right]), Next::Newest, "a running game may have gone on");
    }

    #[test]
    fn a_number_after_g_leads_there() {
        let mut stepper = stepper();
        let g_7 = [KeyCode::Char('g'), KeyCode::Char('9'), KeyCode::Backspace, KeyCode::Char('7'), KeyCode::Enter];
        assert_eq!(press(&mut stepper, &g_7), Next::Show);
        assert_eq!((stepper.revision.get(), stepper.typed.is_none()), (7, true));
        press(&mut stepper, &[KeyCode::Char('g'), KeyCode::Char('2'), KeyCode::Esc]);
        assert_eq!((stepper.revision.get(), stepper.typed.is_none()), (7, true), "Esc cancels it");
        press(&mut stepper, &[KeyCode::Char('g'), KeyCode::Enter]);
        assert_eq!(stepper.revision.get(), 7);
    }

    #[test]
    fn digits_and_letters_change_the_viewer() {
        let mut stepper = stepper();
        assert_eq!(press(&mut stepper, &[KeyCode::Char('2')]), Next::Show);
        assert_eq!((stepper.viewer.role(), stepper.viewer.seat), (Role::Seat, 2));
        assert_eq!(press(&mut stepper, &[KeyCode::Char('3')]), Next::Wait, "there is no seat 3");
        press(&mut stepper, &[KeyCode::Char('a')]);
        assert_eq!(stepper.viewer.role(), Role::Auditor);
        press(&mut stepper, &[KeyCode::Char('s')]);
        assert_eq!(stepper.viewer.role(), Role::Spectator);
        assert_eq!(stepper.revision.get(), 1, "at the same revision");
    }

    #[test]
    fn there_are_many_ways_out() {
        for key in [KeyCode::Char('q'), KeyCode::Esc] {
            assert_eq!(press(&mut stepper(), &[key]), Next::Quit);
        }
        assert_eq!(stepper().press(KeyEvent::new(KeyCode::Char('c'), KeyModifiers::CONTROL)), Next::Quit);
        assert_eq!(stepper().press(KeyEvent::new(KeyCode::Char('n'), KeyModifiers::CONTROL)), Next::Wait);
    }
}
