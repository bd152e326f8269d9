//! `cargo fuzz run duration`: the body is `terdut_fuzz::duration`.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| terdut_fuzz::duration(data));
