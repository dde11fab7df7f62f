use garuda_arena::matches::pgn_text;
use garuda_rules::{Color, Position};

use super::GameRow;

/// A game in the format that matches are written in.
pub(super) fn game<P: Position>(game: &GameRow<'_>) -> String {
    let record = game.record;
    let result = match record.winner() {
        Some(Color::White) => "1-0",
        Some(Color::Black) => "0-1",
        None => "1/2-1/2",
    };
    let player = |color| format!("checkpoint {}", record.side(color));
    let mut tags = vec![
        ("Event", "garuda self-play".to_owned()),
        ("Site", "?".to_owned()),
        ("Date", "????.??.??".to_owned()),
        (
            "Round",
            format!("{}.{}", record.checkpoint(), record.number()),
        ),
        ("White", player(Color::White)),
        ("Black", player(Color::Black)),
        ("Result", result.to_owned()),
        ("Variant", P::NAME.to_owned()),
    ];
    if record.start() != P::start().to_string() {
        tags.push(("SetUp", "1".to_owned()));
        tags.push(("FEN", record.start().to_owned()));
    }
    tags.push(("PlyCount", record.plies().to_string()));
    tags.push(("Termination", record.termination_name().to_owned()));
    let words = game.decisions.iter().map(|decision| decision.mv.as_str());
    pgn_text(&tags, words.chain([result]))
}
