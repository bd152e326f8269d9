//! Tests of the create machine.
