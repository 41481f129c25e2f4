//! Counts.
