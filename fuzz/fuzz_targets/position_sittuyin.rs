#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    garuda_fuzz::position::<garuda_rules::sittuyin::SittuyinPosition<false>>(input);
});
