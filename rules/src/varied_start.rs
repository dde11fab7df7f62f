//! Starts with handicaps and thinned armies, so that a network sees more than one opening.

use rand::seq::{IndexedRandom, SliceRandom};
use rand::{Rng, RngExt};

use crate::{Game, GameState, Position};

/// How often a start is tried before the ordinary one is taken.
const TRIES: usize = 20;
/// Most pieces taken off in all.
const MAX_REMOVED: usize = 6;
/// Share of endgames, where there are any.
const ENDGAMES: f64 = 0.4;

/// One of the game's other named starts, or `start` with some pieces taken off.
pub(crate) fn handicap_or_thinned<P: Position>(start: &P, rng: &mut impl Rng) -> P {
    for _ in 0..TRIES {
        let handicaps = &P::STARTS[1..];
        let text = match handicaps.choose(rng) {
            Some((_, text)) if rng.random_bool(0.3) => (*text).to_owned(),
            _ => thinned(&start.to_string(), rng),
        };
        if let Ok(position) = text.parse::<P>()
            && GameState::from_position(position).outcome().is_none()
        {
            return position;
        }
    }
    *start
}

/// For games in which it is hard to mate before a count ends: an endgame, or a start as above.
pub(crate) fn endgame_or_thinned<P: Position>(start: &P, rng: &mut impl Rng) -> P {
    if rng.random_bool(ENDGAMES) {
        for _ in 0..TRIES {
            if let Ok(position) = endgame::<P>(&start.to_string(), rng).parse::<P>()
                && GameState::from_position(position).outcome().is_none()
            {
                return position;
            }
        }
    }
    handicap_or_thinned(start, rng)
}

/// A FEN with a few pieces on random squares, more on one side than on the other. Both have one
/// besides the king: counting starts when the last one is captured. It need not be a valid position.
fn endgame<P: Position>(start: &str, rng: &mut impl Rng) -> String {
    let kinds: Vec<_> = (P::PIECE_TYPES.iter())
        .filter(|kind| !kind.royal)
        .map(|kind| kind.letter)
        .collect();
    let mut armies = [rng.random_range(3..=5), rng.random_range(1..=2)];
    armies.shuffle(rng);
    let mut pieces = vec!["1".to_owned(); P::BOARD.squares()];
    let mut squares: Vec<_> = (0..pieces.len()).collect();
    squares.shuffle(rng);
    let mut squares = squares.into_iter();
    for (side, count) in armies.into_iter().enumerate() {
        let kings = P::PIECE_TYPES.iter().filter(|kind| kind.royal);
        let mut army: Vec<_> = kings.map(|kind| kind.letter).collect();
        army.extend((0..count).filter_map(|_| kinds.choose(rng)));
        for (letter, square) in army.into_iter().zip(squares.by_ref()) {
            pieces[square] = match side {
                0 => letter.to_owned(),
                _ => letter.to_lowercase(),
            };
        }
    }
    let ranks: Vec<_> = pieces
        .chunks(usize::from(P::BOARD.files))
        .map(gathered)
        .collect();
    let (board, rest) = start.split_once(' ').unwrap_or((start, ""));
    let hands = if board.contains('[') { "[]" } else { "" };
    let rest = match rest.strip_prefix('w') {
        Some(others) if rng.random_bool(0.5) => format!("b{others}"),
        _ => rest.to_owned(),
    };
    format!("{}{hands} {rest}", ranks.join("/"))
}

/// A FEN with some pieces taken off. It need not be a valid position.
fn thinned(text: &str, rng: &mut impl Rng) -> String {
    let (pieces, rest) = text.split_once(' ').unwrap_or((text, ""));
    let mut pieces: Vec<String> = spread(pieces);
    let symmetric = rng.random_bool(0.5);
    let mut removals = rng.random_range(1..=MAX_REMOVED / 2);
    while removals > 0 {
        removals -= 1;
        let letters: Vec<_> = (pieces.iter())
            .filter(|m| m.chars().all(char::is_alphabetic))
            .cloned()
            .collect();
        let Some(letter) = letters.choose(rng).cloned() else {
            break;
        };
        remove(&mut pieces, &letter, rng);
        if symmetric {
            let other = if letter.chars().all(char::is_uppercase) {
                letter.to_lowercase()
            } else {
                letter.to_uppercase()
            };
            remove(&mut pieces, &other, rng);
        }
    }
    format!("{} {rest}", gathered(&pieces))
}

/// Every square and every other sign of a board and hand by itself; an empty square is "1".
fn spread(pieces: &str) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    let mut promoted = false;
    for c in pieces.chars() {
        match c.to_digit(10) {
            Some(n) => out.extend((0..n).map(|_| "1".to_owned())),
            None if promoted => out.last_mut().expect("a '+' came first").push(c),
            None => out.push(c.to_string()),
        }
        promoted = c == '+';
    }
    out
}

fn gathered(pieces: &[String]) -> String {
    let mut out = String::new();
    let mut empty = 0;
    for piece in pieces {
        if piece == "1" {
            empty += 1;
            continue;
        }
        if empty > 0 {
            out.push_str(&empty.to_string());
            empty = 0;
        }
        out.push_str(piece);
    }
    if empty > 0 {
        out.push_str(&empty.to_string());
    }
    out
}

/// Takes one piece with this letter off: from the board, or from a hand where it leaves no gap.
fn remove(pieces: &mut Vec<String>, letter: &str, rng: &mut impl Rng) {
    let places: Vec<_> = (0..pieces.len()).filter(|&i| pieces[i] == letter).collect();
    let Some(&place) = places.choose(rng) else {
        return;
    };
    if pieces[..place].iter().any(|m| m == "[") {
        pieces.remove(place);
    } else {
        pieces[place] = "1".to_owned();
    }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;

    use super::*;
    use crate::Square;
    use crate::makruk::MakrukPosition;
    use crate::sittuyin::SittuyinPosition;

    #[test]
    fn spreading_and_gathering_are_inverse() {
        for text in [
            "rpckcpl/3f3/sssssss/2s1S2/SS+SSSSS/3F3/LPCKCPR[Ss]",
            "8/2+f5[]",
        ] {
            assert_eq!(gathered(&spread(text)), text);
        }
    }

    /// Most tries are positions, and they have few pieces.
    #[test]
    fn endgames_can_be_played() {
        fn check<P: Position>() {
            let mut rng = ChaCha8Rng::seed_from_u64(1);
            let start = P::start().to_string();
            let valid: Vec<P> = (0..200)
                .filter_map(|_| endgame::<P>(&start, &mut rng).parse().ok())
                .collect();
            assert!(valid.len() > 40, "{} of 200", valid.len());
            for position in valid {
                let squares = (0..P::BOARD.squares() as u8).map(Square);
                let pieces = squares.filter(|&s| position.occupant(s).is_some()).count();
                assert!((6..=9).contains(&pieces), "{position}");
            }
        }
        check::<MakrukPosition>();
        check::<SittuyinPosition<false>>();
        check::<SittuyinPosition<true>>();
    }
}
