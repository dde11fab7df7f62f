use std::fmt::Display;
use std::ops::RangeInclusive;

/// All that is wrong with a configuration.
#[derive(Default, Debug)]
pub(super) struct Problems(Vec<String>);

impl Problems {
    pub(super) fn add(&mut self, problem: impl Into<String>) {
        self.0.push(problem.into());
    }

    pub(super) fn into_vec(self) -> Vec<String> {
        self.0
    }
}

/// A value that can be held against a range.
pub(super) trait InRange<B> {
    fn check_range(&self, range: &RangeInclusive<B>, key: &str, problems: &mut Problems);
}

fn check<B: PartialOrd + Display>(
    value: &B,
    range: &RangeInclusive<B>,
    key: &str,
    problems: &mut Problems,
) {
    // Written so that a NaN is outside.
    if !range.contains(value) {
        let (low, high) = (range.start(), range.end());
        problems.add(format!("{key} must be from {low} to {high}, not {value}"));
    }
}

macro_rules! impl_in_range {
    ($($number:ty),*) => { $(
        impl InRange<$number> for $number {
            fn check_range(
                &self,
                range: &RangeInclusive<$number>,
                key: &str,
                problems: &mut Problems,
            ) {
                check(self, range, key, problems);
            }
        }
    )* };
}

impl_in_range!(u32, u64, f64);

impl<B: InRange<B>> InRange<B> for Vec<B> {
    fn check_range(&self, range: &RangeInclusive<B>, key: &str, problems: &mut Problems) {
        for (i, value) in self.iter().enumerate() {
            value.check_range(range, &format!("{key}[{i}]"), problems);
        }
    }
}
