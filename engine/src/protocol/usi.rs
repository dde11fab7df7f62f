//! USI notation of positions and moves: files are numbered from the right, ranks are letters from
//! the top, the first player is `b`.

use garuda_rules::Board;

use super::parse::quote;

/// Converts a move from UCI to USI: on 7×7 squares `e4e5+` becomes `3d3c+` and `S@c4` `S*5d`.
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

/// Converts a move from USI to UCI. Invalid input gives text that is no move in UCI either.
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

/// Converts an SFEN `board turn hands number` to FEN; its number counts plies from 1.
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
    let hands = expand_hands(hands)?;
    let number = ply.saturating_add(1) / 2;
    Ok(format!("{board}[{hands}] {turn} - - 0 {number}"))
}

/// Expands the counts of pieces in hand: `2Sp3s` becomes `SSpsss`.
fn expand_hands(hands: &str) -> Result<String, String> {
    /// More than any hand can hold.
    const MAX_COUNT: usize = 99;
    let mut pieces = String::new();
    let mut count = None;
    for c in hands.chars().filter(|&c| c != '-') {
        if let Some(digit) = c.to_digit(10) {
            count = Some(count.unwrap_or(0) * 10 + digit as usize).map(|n: usize| n.min(MAX_COUNT));
        } else {
            pieces.extend(std::iter::repeat_n(c, count.take().unwrap_or(1)));
        }
    }
    match count {
        Some(count) => Err(format!(
            "the hands of an sfen end with the count {count}: {:?}",
            quote(hands)
        )),
        None => Ok(pieces),
    }
}

/// Converts a FEN with hands to SFEN.
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
        let after = rest.trim_start_matches(c);
        let count = rest.len() - after.len();
        if count > 1 {
            short.push_str(&count.to_string());
        }
        short.push(c);
        rest = after;
    }
    let hands = if short.is_empty() { "-" } else { &short };
    Some(format!("{board} {turn} {hands} {ply}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TORI: Board = Board { files: 7, ranks: 7 };

    /// The expected values are those of Fairy-Stockfish.
    #[test]
    fn moves_are_converted_both_ways() {
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
    fn invalid_moves_stay_invalid() {
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
    fn positions_are_converted_both_ways() {
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
