//! The screen that text is drawn for.

use crate::{Lang, Paint};

/// What drawing needs to know about the screen.
#[derive(Debug, Clone, Copy)]
pub struct Screen {
    /// The columns there are.
    pub width: usize,
    /// Colours, or none.
    pub paint: Paint,
    /// The language of the names of cards and places.
    pub lang: Lang,
}

impl Screen {
    /// Without colours, in English.
    pub const fn plain(width: usize) -> Self {
        Self { width, paint: Paint::PLAIN, lang: Lang::En }
    }
}
