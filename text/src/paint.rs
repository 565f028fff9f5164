//! Colours, or none. Text is padded before it is painted: escape codes have no width.

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
        self.code("1", text)
    }

    /// For what is there but seldom read.
    pub fn faint(self, text: &str) -> String {
        self.code("2", text)
    }

    /// For danger.
    pub fn alarm(self, text: &str) -> String {
        self.code("1;31", text)
    }

    /// For what went well.
    pub fn good(self, text: &str) -> String {
        self.code("32", text)
    }

    /// One of a few hues that are easy to tell apart.
    pub fn hue(self, hue: u32, text: &str) -> String {
        const HUES: [&str; 6] = ["36", "32", "33", "35", "34", "31"];
        let at = usize::try_from(hue).unwrap_or(0) % HUES.len();
        self.code(HUES[at], text)
    }

    fn code(self, code: &str, text: &str) -> String {
        if self.on && !text.is_empty() { format!("\u{1b}[{code}m{text}\u{1b}[0m") } else { text.to_owned() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn off_means_plain() {
        assert_eq!(Paint::new(false).alarm("x"), "x");
        assert_eq!(Paint::new(true).alarm("x"), "\u{1b}[1;31mx\u{1b}[0m");
        assert_eq!(Paint::new(true).hue(99, ""), "");
    }
}
