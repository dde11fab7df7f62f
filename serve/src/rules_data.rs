//! What the page knows of every game: its board, its pieces and how they move, its starts.

use garuda_rules::{Mark, Position, Purpose, RuleSet, Step, TileMarks, with_rule_set};
use serde_json::{Value, json};

/// All games, in the order of the table of rule sets.
pub(crate) fn all() -> Value {
    RuleSet::ALL
        .into_iter()
        .map(|rules| with_rule_set!(rules, P => game::<P>(rules)))
        .collect()
}

fn game<P: Position>(rules: RuleSet) -> Value {
    let pieces: Vec<_> = (P::PIECE_TYPES.iter())
        .map(|piece_type| {
            let (character, native) = native_name(rules, piece_type.letter);
            let TileMarks {
                discs,
                filled,
                outlined,
            } = TileMarks::of(piece_type);
            json!({
                "letter": piece_type.letter,
                "name": english_name(rules, piece_type.letter).unwrap_or(piece_type.name),
                "character": character,
                "native": native,
                "royal": piece_type.royal,
                "discs": discs,
                "filled": filled,
                "outlined": outlined,
                "steps": piece_type.steps.iter().map(step).collect::<Vec<_>>(),
            })
        })
        .collect();
    let starts: Vec<_> = (P::STARTS.iter())
        .map(|(name, fen)| json!({ "name": name, "fen": fen }))
        .collect();
    json!({
        "rules": P::NAME,
        "title": P::TITLE,
        "files": P::BOARD.files,
        "ranks": P::BOARD.ranks,
        "marks": P::MARKS.iter().map(mark).collect::<Vec<_>>(),
        "pieces": pieces,
        "placeable": P::PLACEABLE,
        "has_hands": !P::PLACEABLE.is_empty() && P::DECISIONS_PER_TURN == 1,
        "has_setup": P::HAS_SETUP,
        "winning_points": P::WINNING_POINTS,
        "starts": starts,
        // Whether moves are written with the squares of shogi: files from the right, ranks from the top.
        "shogi_squares": matches!(rules, RuleSet::ToriShogi),
        "sides": sides(rules),
        "language": language(rules),
    })
}

fn step(step: &Step) -> Value {
    let purpose = match step.purpose {
        Purpose::Any => "any",
        Purpose::MoveOnly => "move",
        Purpose::CaptureOnly => "capture",
        Purpose::OverScreen => "over-screen",
        Purpose::Hop => "hop",
        Purpose::Copy => "copy",
    };
    let reach = if step.reach == Step::SLIDE {
        0
    } else {
        step.reach
    };
    json!({ "files": step.files, "ranks": step.ranks, "reach": reach, "purpose": purpose })
}

fn mark(mark: &Mark) -> Value {
    let (kind, from, to) = match *mark {
        Mark::Line { from, to } => ("line", from, to),
        Mark::Zone { from, to } => ("zone", from, to),
        Mark::River { from, to } => ("river", from, to),
    };
    json!({ "kind": kind, "from": [from.0, from.1], "to": [to.0, to.1] })
}

/// What the sides are called, the one that moves first before the other.
const fn sides(rules: RuleSet) -> [&'static str; 2] {
    match rules {
        RuleSet::Sittuyin | RuleSet::SittuyinBooklet | RuleSet::Eternal => ["Red", "Black"],
        RuleSet::ToriShogi => ["Sente", "Gote"],
        RuleSet::Makruk | RuleSet::MiniMakruk => ["White", "Black"],
    }
}

/// The language of the names that players know.
const fn language(rules: RuleSet) -> &'static str {
    match rules {
        RuleSet::Makruk | RuleSet::MiniMakruk => "th",
        RuleSet::Sittuyin | RuleSet::SittuyinBooklet => "my",
        RuleSet::ToriShogi => "ja",
        RuleSet::Eternal => "zh",
    }
}

/// The English name of a piece whose name in the rules is that of its own language.
fn english_name(rules: RuleSet, letter: &str) -> Option<&'static str> {
    let is_sittuyin = match rules {
        RuleSet::Sittuyin | RuleSet::SittuyinBooklet => true,
        RuleSet::Makruk | RuleSet::MiniMakruk => false,
        RuleSet::ToriShogi | RuleSet::Eternal => return None,
    };
    match letter {
        "K" => Some("king"),
        "M" | "F" => Some("general"),
        "S" => Some("elephant"),
        "N" => Some("horse"),
        "R" if is_sittuyin => Some("chariot"),
        "R" => Some("rook"),
        "P" => Some("pawn"),
        _ => None,
    }
}

/// The character on a piece, where pieces have one, and its name in the game's own language.
fn native_name(rules: RuleSet, letter: &str) -> (Option<&'static str>, &'static str) {
    match (rules, letter) {
        (RuleSet::ToriShogi, "K") => (Some("鵬"), "鵬 ōtori"),
        (RuleSet::ToriShogi, "S") => (Some("燕"), "燕 tsubame"),
        (RuleSet::ToriShogi, "F") => (Some("鷹"), "鷹 taka"),
        (RuleSet::ToriShogi, "C") => (Some("鶴"), "鶴 tsuru"),
        (RuleSet::ToriShogi, "P") => (Some("雉"), "雉 kiji"),
        (RuleSet::ToriShogi, "L" | "R") => (Some("鶉"), "鶉 uzura"),
        (RuleSet::ToriShogi, "+S") => (Some("雁"), "雁 kari"),
        (RuleSet::ToriShogi, "+F") => (Some("鵰"), "鵰 kumataka"),
        (RuleSet::Eternal, "R") => (Some("车"), "车 jū"),
        (RuleSet::Eternal, "N") => (Some("马"), "马 mǎ"),
        (RuleSet::Eternal, "C") => (Some("炮"), "炮 pào"),
        (RuleSet::Eternal, "B") => (Some("象"), "象 xiàng"),
        (RuleSet::Eternal, "A") => (Some("士"), "士 shì"),
        (RuleSet::Eternal, "P") => (Some("兵"), "兵 bīng"),
        (RuleSet::Makruk | RuleSet::MiniMakruk, "K") => (None, "ขุน khun"),
        (RuleSet::Makruk | RuleSet::MiniMakruk, "M") => (None, "เม็ด met"),
        (RuleSet::Makruk | RuleSet::MiniMakruk, "S") => (None, "โคน khon"),
        (RuleSet::Makruk | RuleSet::MiniMakruk, "N") => (None, "ม้า ma"),
        (RuleSet::Makruk | RuleSet::MiniMakruk, "R") => (None, "เรือ ruea"),
        (RuleSet::Makruk | RuleSet::MiniMakruk, "P") => (None, "เบี้ย bia"),
        (RuleSet::Sittuyin | RuleSet::SittuyinBooklet, "K") => (None, "မင်းကြီး min-gyi"),
        (RuleSet::Sittuyin | RuleSet::SittuyinBooklet, "F") => (None, "စစ်ကဲ sit-ke"),
        (RuleSet::Sittuyin | RuleSet::SittuyinBooklet, "S") => (None, "ဆင် sin"),
        (RuleSet::Sittuyin | RuleSet::SittuyinBooklet, "N") => (None, "မြင်း myin"),
        (RuleSet::Sittuyin | RuleSet::SittuyinBooklet, "R") => (None, "ရထား yahhta"),
        (RuleSet::Sittuyin | RuleSet::SittuyinBooklet, "P") => (None, "နယ် ne"),
        _ => (None, ""),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_piece_has_a_name_in_its_own_language() {
        for rules in RuleSet::ALL {
            with_rule_set!(rules, P => {
                for piece_type in P::PIECE_TYPES {
                    let (character, native) = native_name(rules, piece_type.letter);
                    assert!(!native.is_empty(), "{rules} {}", piece_type.letter);
                    assert!(character.is_none_or(|c| native.starts_with(c)), "{native}");
                }
            });
        }
    }
}
