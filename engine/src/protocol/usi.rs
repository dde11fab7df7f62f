//! Positions and moves as shogi programs write them: files are counted from the right, ranks are
//! letters from the top, the first player is `b`.

use garuda_rules::Board;

use super::parse::quote;

/// A move in USI of one in UCI: `e4e5+` is `3d3c+`, `S@c4` is `S*5d` on 7×7 squares.
pub(crate) fn move_from_uci(board: Board, uci: &str) -> String {
    let mut chars = uci.chars();
    let mut usi = String::with_capacity(uci.len());
    while let Some(c) = chars.next() {
        match c {
            '@' => usi.push('*'),
            'a'..='z' => {
                let rank = chars.next().and_then(|c| c.to_digit(10)).unwrap_or(0) as u8;
                let file = c as u8 - b'a';
                usi.push(char::from(b'0' + board.files.saturating_sub(file)));
                usi.push(char::from(b'a' + board.ranks.saturating_sub(rank)));
            }
            _ => usi.push(c),
        }
    }
    usi
}

/// The move in UCI of one in USI. What makes no sense comes out as something that is no move.
pub(crate) fn move_to_uci(board: Board, usi: &str) -> String {
    let mut chars = usi.chars();
    let mut uci = String::with_capacity(usi.len());
    while let Some(c) = chars.next() {
        match c {
            '*' => uci.push('@'),
            '1'..='9' => {
                let rank = chars.next().unwrap_or('?');
                let file = board.files.wrapping_sub(c as u8 - b'0');
                let rank = board
                    .ranks
                    .wrapping_sub((rank as u32).wrapping_sub(97) as u8);
                if file >= board.files || !(1..=board.ranks).contains(&rank) {
                    uci.push('?');
                    continue;
                }
                uci.push(char::from(b'a' + file));
                uci.push(char::from(b'0' + rank));
            }
            _ => uci.push(c),
        }
    }
    uci
}

/// The FEN of an SFEN: `board turn hands number`, the number counted in plies from 1.
pub(crate) fn fen_of_sfen(sfen: &str) -> Result<String, String> {
    let fields: Vec<_> = sfen.split_whitespace().collect();
    let (&[board, turn, hands], number) = match fields.as_slice() {
        [rest @ .., number] if fields.len() == 4 => {
            (rest.first_chunk().expect("four less one"), *number)
        }
        rest if fields.len() == 3 => (rest.first_chunk().expect("three"), "1"),
        _ => {
            return Err(format!(
                "an sfen has 3 or 4 fields, not {}: {:?}",
                fields.len(),
                quote(sfen)
            ));
        }
    };
    let turn = match turn {
        "b" => "w",
        "w" => "b",
        _ => {
            return Err(format!(
                "the turn of an sfen must be b or w, not {:?}",
                quote(turn)
            ));
        }
    };
    let ply: u32 = number.parse().map_err(|_| {
        format!(
            "the number of an sfen must be a number, not {:?}",
            quote(number)
        )
    })?;
    let hands = expanded(hands)?;
    let number = ply.saturating_add(1) / 2;
    Ok(format!("{board}[{hands}] {turn} - - 0 {number}"))
}

/// Hands with every piece written out: `2Sp3s` is `SSpsss`.
fn expanded(hands: &str) -> Result<String, String> {
    /// More than any hand holds.
    const MOST: usize = 99;
    let mut pieces = String::new();
    let mut count = None;
    for c in hands.chars().filter(|&c| c != '-') {
        if let Some(digit) = c.to_digit(10) {
            count = Some(count.unwrap_or(0) * 10 + digit as usize).map(|n: usize| n.min(MOST));
        } else {
            pieces.extend(std::iter::repeat_n(c, count.take().unwrap_or(1)));
        }
    }
    match count {
        Some(count) => Err(format!(
            "the hands of an sfen end with {count}: {:?}",
            quote(hands)
        )),
        None => Ok(pieces),
    }
}

/// The SFEN of a FEN with hands.
pub(crate) fn sfen_of_fen(fen: &str) -> Option<String> {
    let mut fields = fen.split(' ');
    let (board, hands) = fields.next()?.strip_suffix(']')?.split_once('[')?;
    let turn = fields.next()?;
    let number: u32 = fields.next_back()?.parse().ok()?;
    let (turn, ply) = match turn {
        "w" => ("b", 2 * number - 1),
        _ => ("w", 2 * number),
    };
    let mut short = String::new();
    let mut rest = hands;
    while let Some(c) = rest.chars().next() {
        let others = rest.trim_start_matches(c);
        let count = rest.len() - others.len();
        if count > 1 {
            short.push_str(&count.to_string());
        }
        short.push(c);
        rest = others;
    }
    let hands = if short.is_empty() { "-" } else { &short };
    Some(format!("{board} {turn} {hands} {ply}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TORI: Board = Board { files: 7, ranks: 7 };

    /// As Fairy-Stockfish's USI writes them.
    #[test]
    fn moves_are_written_as_others_write_them() {
        for (uci, usi) in [
            ("e4e5", "3d3c"),
            ("c4c3", "5d5e"),
            ("d6e5", "4b3c"),
            ("S@d6", "S*4b"),
            ("e5e6+", "3c3b+"),
            ("a1g7", "7g1a"),
        ] {
            assert_eq!(move_from_uci(TORI, uci), usi);
            assert_eq!(move_to_uci(TORI, usi), uci);
        }
    }

    #[test]
    fn nonsense_is_no_move_and_no_panic() {
        for text in [
            "", "9", "8a8b", "1z1z", "1", "**", "é1é", "0a0a", "S*", "7h7g", "1a1",
        ] {
            let uci = move_to_uci(TORI, text);
            assert!(
                TORI.parse(uci.get(..2).unwrap_or_default()).is_none() || uci.len() < 4,
                "{text} {uci}"
            );
        }
    }

    #[test]
    fn positions_are_written_as_others_write_them() {
        for (fen, sfen) in [
            (
                "rpckcpl/3f3/sssssss/2s1S2/SSSSSSS/3F3/LPCKCPR[] w - - 0 1",
                "rpckcpl/3f3/sssssss/2s1S2/SSSSSSS/3F3/LPCKCPR b - 1",
            ),
            (
                "rpckcpl/3f3/ssssSss/2s4/SSSSSSS/3F3/LPCKCPR[S] b - - 0 1",
                "rpckcpl/3f3/ssssSss/2s4/SSSSSSS/3F3/LPCKCPR w S 2",
            ),
            (
                "rpckcpl/3f3/sssss1s/2s1Ss1/SSSS1SS/3F3/LPCKCPR[SSpsss] b - - 0 2",
                "rpckcpl/3f3/sssss1s/2s1Ss1/SSSS1SS/3F3/LPCKCPR w 2Sp3s 4",
            ),
        ] {
            assert_eq!(fen_of_sfen(sfen).unwrap(), fen);
            assert_eq!(sfen_of_fen(fen).unwrap(), sfen);
        }
        for wrong in [
            "",
            "7/7 b",
            "7/7 x - 1",
            "7/7 b 3 1",
            "7/7 b - x",
            "a b c d e",
        ] {
            assert!(fen_of_sfen(wrong).is_err(), "{wrong}");
        }
    }
}
