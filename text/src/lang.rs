//! The language of names.

/// The names of cards and places.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lang {
    /// English.
    En,
    /// English, and French beside it.
    Fr,
}

impl Lang {
    /// A name, with the French one beside it where that is asked for.
    pub fn name(self, english: &str, french: &str) -> String {
        match self {
            Lang::En => english.to_owned(),
            Lang::Fr => format!("{english} ({french})"),
        }
    }
}
