#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| garuda_fuzz::run_files(input));
