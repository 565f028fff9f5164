//! What a bundle proves.
