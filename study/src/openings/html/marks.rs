use garuda_run::HumanCount;
use maud::{Markup, html};

use crate::GameResults;
use crate::format::signed;
use crate::openings::report::{MoveSearch, OpeningNode};

/// A move in UCI notation, and as people of the game write it where that differs.
pub(super) fn move_name(uci: &str, notation: &str) -> Markup {
    html! {
        code { (uci) }
        @if notation != uci && !notation.is_empty() { " " span.notation { (notation) } }
    }
}

/// Marks a good move.
pub(super) fn good_badge() -> Markup {
    html! { span.badge { "good" } }
}

/// A bar in three parts, with a label for those who do not see it. Empty without games.
pub(super) fn result_bar(results: &GameResults) -> Markup {
    let label = format!(
        "{} won, {} drawn, {} lost",
        HumanCount(results.wins.into()),
        HumanCount(results.draws.into()),
        HumanCount(results.losses.into())
    );
    let widths = permille([results.wins, results.draws, results.losses]);
    html! {
        span.bar role="img" title=(label) aria-label=(label) {
            @for (class, width) in ["w", "d", "l"].into_iter().zip(widths) {
                @if width > 0 {
                    i class=(class) style=(format!("width:{}.{}%", width / 10, width % 10)) {}
                }
            }
        }
    }
}

/// Shares in tenths of a per cent that add up to 100 %: what is missing after rounding down goes to
/// the shares that lost most.
fn permille(counts: [u32; 3]) -> [u64; 3] {
    let total: u64 = counts.iter().map(|&n| u64::from(n)).sum();
    if total == 0 {
        return [0; 3];
    }
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

/// The range of values in which the values of a position's moves are drawn.
pub(super) struct ValueScale {
    low: f64,
    high: f64,
}

impl ValueScale {
    pub(super) fn of(node: &OpeningNode) -> ValueScale {
        let lows = node.moves.iter().filter_map(|mv| mv.searched.value_low);
        let highs = node.moves.iter().filter_map(|mv| mv.searched.value_high);
        let low = lows.reduce(f64::min).unwrap_or(-1.0);
        let high = highs.reduce(f64::max).unwrap_or(1.0);
        let middle = f64::midpoint(low, high);
        let half = ((high - low) / 2.0).max(0.01);
        ValueScale {
            low: middle - half,
            high: middle + half,
        }
    }
}

/// A search's interval with a dot at the value.
pub(super) fn value_mark(search: &MoveSearch, scale: &ValueScale) -> Markup {
    let (Some(value), Some(low), Some(high)) = (search.value, search.value_low, search.value_high)
    else {
        return html! {};
    };
    let label = if search.proven {
        format!("{} proven", signed(value))
    } else {
        format!("{} to {}", signed(low), signed(high))
    };
    range_mark([low, value, high], [scale.low, scale.high], &label)
}

/// An interval (low end, value, high end) with a dot at the value, on a scale.
pub(super) fn range_mark(interval: [f64; 3], scale: [f64; 2], label: &str) -> Markup {
    let [from, to] = scale;
    // A scale of width 0 has everything at its start.
    let place = |value: f64| 4.0 + 92.0 * (value - from) / (to - from).max(1e-9);
    let [low, value, high] = interval.map(place);
    html! {
        svg.mark viewBox="0 0 100 12" role="img" aria-label=(label) {
            title { (label) }
            path.axis d="M0 6H100" {}
            path.range d=(format!("M{low:.1} 6H{high:.1}M{low:.1} 3V9M{high:.1} 3V9")) {}
            circle cx=(format!("{value:.1}")) cy="6" r="3.2" {}
        }
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
            let widths = permille(counts);
            assert_eq!(widths.iter().sum::<u64>(), 1000, "{counts:?}");
        }
        assert_eq!(permille([1, 1, 2]), [250, 250, 500]);
        assert_eq!(permille([0, 0, 0]), [0, 0, 0]);
    }
}
