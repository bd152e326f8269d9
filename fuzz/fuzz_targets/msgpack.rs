//! `cargo fuzz run msgpack`: the body is `terdut_fuzz::msgpack`.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| terdut_fuzz::msgpack(data));
