//! Colours, or none. Text is padded before it is painted: escape codes have no width.

use anstyle::{AnsiColor, Style};

/// Paints text when colours are on.
#[derive(Debug, Clone, Copy)]
pub struct Paint {
    on: bool,
}

impl Paint {
    /// No colours.
    pub const PLAIN: Self = Self { on: false };

    /// With or without colours.
    pub fn new(on: bool) -> Self {
        Self { on }
    }

    /// For what the eye should find first.
    pub fn strong(self, text: &str) -> String {
        self.style(Style::new().bold(), text)
    }

    /// For what is there but seldom read.
    pub fn faint(self, text: &str) -> String {
        self.style(Style::new().dimmed(), text)
    }

    /// For danger.
    pub fn alarm(self, text: &str) -> String {
        self.style(AnsiColor::Red.on_default().bold(), text)
    }

    /// For what went well.
    pub fn good(self, text: &str) -> String {
        self.style(AnsiColor::Green.on_default(), text)
    }

    /// One of a few hues that are easy to tell apart.
    pub fn hue(self, hue: u32, text: &str) -> String {
        use AnsiColor::{Blue, Cyan, Green, Magenta, Red, Yellow};
        const HUES: [AnsiColor; 6] = [Cyan, Green, Yellow, Magenta, Blue, Red];
        let at = usize::try_from(hue).unwrap_or(0) % HUES.len();
        self.style(HUES[at].on_default(), text)
    }

    fn style(self, style: Style, text: &str) -> String {
        if self.on && !text.is_empty() { format!("{style}{text}{style:#}") } else { text.to_owned() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn off_means_plain() {
        assert_eq!(Paint::new(false).alarm("x"), "x");
        assert_eq!(Paint::new(true).alarm("x"), "\u{1b}[1m\u{1b}[31mx\u{1b}[0m");
        assert_eq!(Paint::new(true).hue(99, ""), "");
    }
}
