#![no_main]

use garuda_rules::{RuleSet, with_rule_set};

// Two bytes choose the rule set and the start; the rest are moves, one a line.
libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    let Some((&[rule_set, start], rest)) = input.split_first_chunk() else {
        return;
    };
    let Ok(lines) = str::from_utf8(rest) else {
        return;
    };
    let rule_set = RuleSet::ALL[usize::from(rule_set) % RuleSet::ALL.len()];
    with_rule_set!(rule_set, P => garuda_fuzz::moves::<P>(start, lines));
});
