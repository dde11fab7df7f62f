use garuda_run::thousands;

use super::{ValueScale, percent, signed};
use crate::openings::GameResults;
use crate::openings::report::MoveSearch;
use crate::openings::text::game_count;

/// Three parts, together as wide as the bar, with what they mean for those who do not see it.
pub(super) fn result_bar(results: &GameResults) -> String {
    let words = format!(
        "{} won, {} drawn, {} lost",
        thousands(results.wins.into()),
        thousands(results.draws.into()),
        thousands(results.losses.into())
    );
    let mut out =
        format!("<span class=\"bar\" role=\"img\" title=\"{words}\" aria-label=\"{words}\">");
    let widths = tenths([results.wins, results.draws, results.losses]);
    for (class, width) in ["w", "d", "l"].into_iter().zip(widths) {
        if width > 0 {
            let (whole, tenth) = (width / 10, width % 10);
            out += &format!("<i class=\"{class}\" style=\"width:{whole}.{tenth}%\"></i>");
        }
    }
    out + "</span>"
}

/// Shares in tenths of a per cent that add up to a hundred per cent: what is lost by rounding
/// down goes to those that lost most.
fn tenths(counts: [u32; 3]) -> [u64; 3] {
    let total: u64 = counts.iter().map(|&n| u64::from(n)).sum();
    let mut shares = counts.map(|n| u64::from(n) * 1000 / total);
    let lost = |i: usize| u64::from(counts[i]) * 1000 % total;
    let mut order = [0, 1, 2];
    order.sort_by_key(|&i| std::cmp::Reverse(lost(i)));
    let missing = 1000 - shares.iter().sum::<u64>();
    for &i in order.iter().take(missing as usize) {
        shares[i] += 1;
    }
    shares
}

/// An interval with a dot at the value.
pub(super) fn value_mark(found: &MoveSearch, scale: &ValueScale) -> String {
    let (Some(value), Some(low), Some(high)) = (found.value, found.value_low, found.value_high)
    else {
        return String::new();
    };
    let words = if found.proven {
        format!("{} proven", signed(value))
    } else {
        format!("{} to {}", signed(low), signed(high))
    };
    let [value, low, high] = [value, low, high].map(|v| 4.0 + 0.92 * scale.place(v));
    format!(
        "<svg class=\"mark\" viewBox=\"0 0 100 12\" role=\"img\" aria-label=\"{words}\"><title>{words}</title><path class=\"axis\" d=\"M0 6H100\"/><path class=\"range\" d=\"M{low:.1} 6H{high:.1}M{low:.1} 3V9M{high:.1} 3V9\"/><circle cx=\"{value:.1}\" cy=\"6\" r=\"3.2\"/></svg>"
    )
}

/// What became of a move's share of the games in each part of the run.
pub(super) fn part_words(games: u32, score: Option<f64>) -> String {
    match score {
        Some(score) => format!("{}, {}", game_count(games), percent(score)),
        None => "no games".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn widths_add_up() {
        for counts in [
            [1, 1, 1],
            [0, 0, 7],
            [1, 0, 2],
            [333, 333, 335],
            [1, 99_999, 1],
        ] {
            let widths = tenths(counts);
            assert_eq!(widths.iter().sum::<u64>(), 1000, "{counts:?}");
        }
        assert_eq!(tenths([1, 1, 2]), [250, 250, 500]);
    }
}
