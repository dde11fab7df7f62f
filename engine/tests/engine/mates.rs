use crate::process::{Engine, number};

/// Distance to mate in decisions, and the position.
fn cases(file: &str) -> impl Iterator<Item = (i64, &str)> {
    let lines = file.lines().filter(|line| !line.starts_with('#'));
    lines.map(|line| {
        let (distance, position) = line.split_once(' ').unwrap();
        (distance.parse().unwrap(), position)
    })
}

#[test]
fn forced_mates_are_found_and_announced() {
    for (variant, file) in [
        (
            "makruk",
            include_str!("../../../mcts/tests/data/mates/makruk.mates"),
        ),
        (
            "sittuyin",
            include_str!("../../../mcts/tests/data/mates/sittuyin.mates"),
        ),
        (
            "torishogi",
            include_str!("../../../mcts/tests/data/mates/torishogi.mates"),
        ),
    ] {
        let mut engine = Engine::with_variant(variant);
        for (distance, position) in cases(file).filter(|case| case.0 <= 3).take(6) {
            let (lines, best) = engine.search(&format!("position fen {position}\ngo mate 2"));
            let last = lines.iter().rfind(|line| line.contains(" pv ")).unwrap();
            let mate = number(last, "mate").unwrap_or_else(|| panic!("{last}"));
            assert!(mate >= (distance + 1) / 2, "{last}: {position}");
            assert!(distance > 1 || mate == 1, "{last}: {position}");
            assert!(last.contains(&format!(" pv {best}")), "{last}");
        }
    }
}

/// In Eternal chess a turn can consist of two moves; mate scores count turns.
#[test]
fn mate_scores_count_turns_in_eternal_chess() {
    let mut engine = Engine::with_variant("eternal");
    let file = include_str!("../../../mcts/tests/data/mates/eternal.mates");
    for (distance, position) in cases(file).filter(|case| case.0 <= 2).take(5) {
        let (lines, _) = engine.search(&format!("position fen {position}\ngo nodes 20000"));
        let last = lines.iter().rfind(|line| line.contains(" pv ")).unwrap();
        assert!(
            (1..=distance).contains(&number(last, "mate").unwrap()),
            "{last}"
        );
    }
}

#[test]
fn being_mated_has_a_negative_mate_score() {
    let mut engine = Engine::with_variant("torishogi");
    let file = include_str!("../../../mcts/tests/data/mates/torishogi.mates");
    let mut seen = 0;
    for (_, position) in cases(file).filter(|case| case.0 == 3) {
        let (_, best) = engine.search(&format!("position fen {position}\ngo mate 2"));
        let (lines, _) = engine.search(&format!(
            "position fen {position} moves {best}\ngo nodes 20000"
        ));
        // A position with one legal move is not searched.
        if let Some(last) = lines.iter().rfind(|line| line.contains(" pv ")) {
            assert!(
                number(last, "mate").is_some_and(|mate| mate < 0),
                "{last}: {position}"
            );
            seen += 1;
        }
    }
    assert!(seen > 0);
}

#[test]
fn a_finished_game_has_no_move() {
    let mut engine = Engine::with_variant("torishogi");
    let mated = "3k3/3F3/3K3/7/7/7/7[] b - - 0 1";
    let (lines, best) = engine.search(&format!("position fen {mated}\ngo nodes 10"));
    assert_eq!(best, "(none)");
    assert!(
        lines
            .iter()
            .any(|line| line.contains("white has won by checkmate")),
        "{lines:?}"
    );
    engine.send("eval");
    assert!(engine.sync()[0].contains("the game is over"));
    engine.send("go infinite\nstop");
    engine.recv_until("bestmove");
}
