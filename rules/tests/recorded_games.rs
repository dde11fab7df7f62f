//! Whole games recorded with other programs, one JSON object a line in `data/games`:
//! `{"start": text or null, "moves", "plies": [{"fen", "legal": how many, "check"}, …],
//! "legal": {ply: [sorted moves]}, "end": null or {"result", "why"}}`. `plies[i]` is the position
//! after i moves; `result` is 1, 0 or -1 for the side to move at the end.

use garuda_rules::makruk::MakrukPosition;
use garuda_rules::sittuyin::SittuyinPosition;
use garuda_rules::tori::ToriPosition;
use garuda_rules::{FenError, Game, GameState, MoveList, Outcome, Position, Termination};
use serde_json::Value;

fn check<P: Position>(files: &[&str]) {
    for line in files.iter().flat_map(|file| file.lines()) {
        let record: Value = serde_json::from_str(line).expect("a JSON object a line");
        check_game::<P>(&record).unwrap_or_else(|error| panic!("{error}"));
    }
}

fn check_game<P: Position>(record: &Value) -> Result<(), FenError> {
    let mut game: GameState<P> = match record["start"].as_str() {
        Some(text) => GameState::from_fen(text)?,
        None => GameState::start(),
    };
    let moves = record["moves"].as_array().expect("moves");
    let plies = record["plies"].as_array().expect("plies");
    assert_eq!(plies.len(), moves.len() + 1);
    for (i, ply) in plies.iter().enumerate() {
        let text = game.position().to_string();
        assert_eq!(text, ply["fen"].as_str().expect("fen"), "after {i} moves");
        let mut legal = MoveList::new();
        game.legal_moves(&mut legal);
        let count = ply["legal"].as_u64().expect("legal");
        assert_eq!(legal.len() as u64, count, "moves in {text}");
        let check = ply["check"].as_bool().expect("check");
        assert_eq!(game.position().is_check(), check, "check in {text}");
        if let Some(listed) = record["legal"][i.to_string()].as_array() {
            let mut found: Vec<_> = legal.iter().map(|&mv| game.position().uci(mv)).collect();
            found.sort();
            assert_eq!(&found, listed, "moves in {text}");
        }
        match moves.get(i) {
            Some(mv) => {
                // Only our own length limits may come earlier than the recorded end.
                let early = game.outcome_given(&legal);
                assert!(
                    early.is_none_or(|end| end.termination == Termination::LengthLimit),
                    "{early:?} in {text}"
                );
                let uci = mv.as_str().expect("a move");
                game.play_uci(uci).unwrap_or_else(|error| panic!("{error}"));
            }
            None => check_end(&game, game.outcome_given(&legal), &record["end"]),
        }
    }
    Ok(())
}

fn check_end<P: Position>(game: &GameState<P>, found: Option<Outcome>, recorded: &Value) {
    let text = game.position().to_string();
    let Some(why) = recorded["why"].as_str() else {
        assert!(
            found.is_none_or(|end| end.termination == Termination::LengthLimit),
            "{found:?} in {text}"
        );
        return;
    };
    let found = found.unwrap_or_else(|| panic!("the game should be over ({why}): {text}"));
    let winner = match recorded["result"].as_i64().expect("result") {
        1 => Some(game.turn()),
        0 => None,
        _ => Some(!game.turn()),
    };
    assert_eq!(found.winner, winner, "{found:?} in {text}");
    let group = match found.termination {
        Termination::Checkmate | Termination::Stalemate | Termination::SwallowDropMate => {
            "no-moves"
        }
        Termination::Material => "insufficient",
        _ => "optional",
    };
    assert_eq!(group, why, "{found:?} in {text}");
}

#[test]
fn makruk() {
    check::<MakrukPosition>(&[
        include_str!("data/games/makruk.jsonl"),
        include_str!("data/games/makruk-endings.jsonl"),
    ]);
}

#[test]
fn sittuyin() {
    check::<SittuyinPosition<false>>(&[
        include_str!("data/games/sittuyin.jsonl"),
        include_str!("data/games/sittuyin-endings.jsonl"),
    ]);
}

#[test]
fn torishogi() {
    check::<ToriPosition>(&[
        include_str!("data/games/torishogi.jsonl"),
        include_str!("data/games/torishogi-endings.jsonl"),
    ]);
}
