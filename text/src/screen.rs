//! What text is drawn for.

use crate::{Lang, Paint};

/// What drawing needs to know of the screen.
#[derive(Debug, Clone, Copy)]
pub struct Screen {
    /// The columns there are.
    pub width: usize,
    /// Colours, or none.
    pub paint: Paint,
    /// Whose names cards and places carry.
    pub lang: Lang,
}

impl Screen {
    /// Without colours, in English.
    pub const fn plain(width: usize) -> Self {
        Self { width, paint: Paint::PLAIN, lang: Lang::En }
    }
}
