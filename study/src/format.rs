//! Numbers as reports show them.

/// `12.3 %`
pub(crate) fn percent(share: f64) -> String {
    format!("{:.1} %", 100.0 * share)
}

/// `12.3 %`, or a dash where there is nothing to show.
pub(crate) fn percent_or_dash(share: Option<f64>) -> String {
    share.map_or_else(|| "–".to_owned(), percent)
}

/// `12.3 ± 0.4 %`, or a dash where there is nothing to show.
pub(crate) fn percent_with_error(share: Option<f64>, error: Option<f64>) -> String {
    match share.zip(error) {
        Some((share, error)) => format!("{:.1} ± {:.1} %", 100.0 * share, 100.0 * error),
        None => "–".to_owned(),
    }
}

/// `+0.123`
pub(crate) fn signed(value: f64) -> String {
    // No minus before a zero.
    let value = (value * 1000.0).round() / 1000.0 + 0.0;
    format!("{value:+.3}")
}

/// A move in UCI notation, and as people of the game write it where that differs: `e4e5 Sx33`.
pub(crate) fn with_notation(uci: &str, notation: &str) -> String {
    match notation == uci || notation.is_empty() {
        true => uci.to_owned(),
        false => format!("{uci} {notation}"),
    }
}

/// `four`, `17`.
pub(crate) fn in_words(n: usize) -> String {
    const WORDS: [&str; 13] = [
        "no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
        "eleven", "twelve",
    ];
    (WORDS.get(n)).map_or_else(|| n.to_string(), |&word| word.to_owned())
}

/// `a, b and c`; whole turns, which have spaces, in quotes.
pub(crate) fn list(items: &[&str]) -> String {
    let quoted: Vec<_> = (items.iter())
        .map(|item| match item.contains(' ') {
            true => format!("“{item}”"),
            false => (*item).to_owned(),
        })
        .collect();
    match quoted.as_slice() {
        [] => "none".to_owned(),
        [only] => only.clone(),
        [firsts @ .., last] => format!("{} and {last}", firsts.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounded_zero_has_no_minus() {
        assert_eq!(signed(-0.0001), "+0.000");
        assert_eq!(signed(-0.25), "-0.250");
    }

    #[test]
    fn lists_and_numbers_are_spelled_out() {
        assert_eq!(list(&["a"]), "a");
        assert_eq!(list(&["a", "b"]), "a and b");
        assert_eq!(list(&["a", "b c", "d"]), "a, “b c” and d");
        assert_eq!(in_words(4), "four");
        assert_eq!(in_words(17), "17");
    }
}
