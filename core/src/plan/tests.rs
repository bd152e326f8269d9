//! Tests of plans over all kinds.
