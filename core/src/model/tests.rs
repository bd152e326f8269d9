//! Tests of the models together.
