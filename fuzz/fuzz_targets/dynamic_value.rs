//! `cargo fuzz run dynamic_value`: the body is `terdut_fuzz::dynamic_value`.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| terdut_fuzz::dynamic_value(data));
