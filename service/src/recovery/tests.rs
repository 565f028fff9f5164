//! Tests of salvage and restore on real stores in temporary folders.
