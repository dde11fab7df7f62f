//! The start, its handicaps, and how squares and moves are called.

use garuda_rules::tori::ToriPosition;
use garuda_rules::{Color, Position};

use super::{legal, position};

#[test]
fn white_has_seventeen_first_moves() {
    let moves: Vec<String> = legal(&ToriPosition::start()).into_iter().collect();
    assert_eq!(
        moves.join(" "),
        "a1a2 a3a4 b3b4 c1b2 c1c2 c3c4 d1c2 d1e2 d2c2 d2e2 d3d4 e1e2 e1f2 e4e5 f3f4 g1g2 g3g4"
    );
}

#[test]
fn the_giver_of_a_handicap_lacks_pieces_and_moves_first() {
    let handicaps: Vec<_> = ToriPosition::STARTS[1..]
        .iter()
        .map(|&(name, text)| {
            let start = position(text);
            assert_eq!(start.turn(), Color::Black, "{name}");
            assert_eq!(start.to_string(), text);
            // Without what the giver lacks it is the ordinary start.
            let missing: Vec<String> = ToriPosition::BOARD
                .all()
                .filter(|&square| start.occupant(square) != ToriPosition::start().occupant(square))
                .map(|square| {
                    assert_eq!(start.occupant(square), None);
                    ToriPosition::BOARD.name(square)
                })
                .collect();
            format!("{name}: {}", missing.join(" "))
        })
        .collect();
    assert_eq!(
        handicaps,
        [
            "left-quail: g7",
            "falcon: d6",
            "falcon-left-quail: d6 g7",
            "falcon-both-quails: d6 a7 g7",
        ]
    );
}

fn shown(text: &str, uci: &str) -> String {
    let position = position(text);
    let mv = position
        .parse_uci(uci)
        .unwrap_or_else(|error| panic!("{error}"));
    position.display_move(mv)
}

#[test]
fn squares_are_counted_from_the_upper_right_file_first() {
    let text = "3k3/7/7/7/7/7/3K3[] w - - 0 1";
    assert_eq!(shown(text, "d1d2"), "K-46");
    let black = "3k3/7/7/7/7/7/3K3[] b - - 0 1";
    assert_eq!(shown(black, "d7d6"), "K-42");
}

#[test]
fn moves_are_shown_in_the_style_of_shogi() {
    let start = ToriPosition::STARTS[0].1;
    assert_eq!(shown(start, "a3a4"), "S-74");
    assert_eq!(shown(start, "c3c4"), "Sx54");
    let text = "k6/7/4S2/7/7/7/6K[S] w - - 0 1";
    assert_eq!(shown(text, "S@c4"), "S*54");
    assert_eq!(shown(text, "e5e6+"), "S-32+");
    let promoted = "k6/7/4+S2/7/7/4+F2/6K[] w - - 0 1";
    assert_eq!(shown(promoted, "e5g7"), "+S-11");
    assert_eq!(shown(promoted, "e2d2"), "+F-46");
}

#[test]
fn the_square_is_told_where_two_pieces_of_a_kind_could_go() {
    let text = "3k3/7/7/2C1C2/7/7/3K3[] w - - 0 1";
    assert_eq!(shown(text, "c4d3"), "C54-45");
    assert_eq!(shown(text, "e4d5"), "C34-43");
    assert_eq!(shown(text, "c4b3"), "C-65");
    // A goose is no swallow.
    let text = "3k3/7/7/3S3/7/3+S3/3K3[S] w - - 0 1";
    assert_eq!(shown(text, "d4d5"), "S-43");
    assert_eq!(shown(text, "S@d5"), "S*43");
}
