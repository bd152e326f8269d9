//! `cargo fuzz run http_body`: the body is `terdut_fuzz::http_body`.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| terdut_fuzz::http_body(data));
