//! What goes in comes out, and what cannot be read is refused with a sentence.

mod action;
mod options;
mod view;
