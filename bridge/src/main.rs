//! The program `terdut-bridge`.
fn main() {}
