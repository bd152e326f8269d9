//! `cargo fuzz run matcher`: the body is `terdut_fuzz::matcher`.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| terdut_fuzz::matcher(data));
