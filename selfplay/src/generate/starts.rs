use garuda_rules::{Game, Played, Position, eternal};
use rand::seq::IndexedRandom;
use rand::{Rng, RngExt};

/// How often a start is tried before the ordinary one is taken.
const TRIES: usize = 20;
/// Most men taken off in all.
const MAX_REMOVED: usize = 6;

/// A start that is not the ordinary one: a handicap, a random array, or armies that lack some
/// men, the same on both sides or not.
pub fn varied_start<P: Position>(start: &P, rng: &mut impl Rng) -> P {
    if P::WINNING_POINTS > 0 {
        // Men never leave Eternal chess, so only their places vary.
        let text = eternal::random_start(rng).to_string();
        return text.parse().unwrap_or(*start);
    }
    for _ in 0..TRIES {
        let handicaps = &P::STARTS[1..];
        let text = match handicaps.choose(rng) {
            Some((_, text)) if rng.random_bool(0.3) => (*text).to_owned(),
            _ => thinned(&start.to_string(), rng),
        };
        if let Ok(position) = text.parse::<P>()
            && Played::from_position(position).outcome().is_none()
        {
            return position;
        }
    }
    *start
}

/// A text form with some men taken off. It need not be a valid position.
fn thinned(text: &str, rng: &mut impl Rng) -> String {
    let (men, rest) = text.split_once(' ').unwrap_or((text, ""));
    let mut men: Vec<String> = spread(men);
    let symmetric = rng.random_bool(0.5);
    let mut removals = rng.random_range(1..=MAX_REMOVED / 2);
    while removals > 0 {
        removals -= 1;
        let letters: Vec<_> = (men.iter())
            .filter(|m| m.chars().all(char::is_alphabetic))
            .cloned()
            .collect();
        let Some(letter) = letters.choose(rng).cloned() else {
            break;
        };
        remove(&mut men, &letter, rng);
        if symmetric {
            let other = if letter.chars().all(char::is_uppercase) {
                letter.to_lowercase()
            } else {
                letter.to_uppercase()
            };
            remove(&mut men, &other, rng);
        }
    }
    format!("{} {rest}", gathered(&men))
}

/// Every square and every other sign of a board and hand by itself; an empty square is "1".
fn spread(men: &str) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    let mut promoted = false;
    for c in men.chars() {
        match c.to_digit(10) {
            Some(n) => out.extend((0..n).map(|_| "1".to_owned())),
            None if promoted => out.last_mut().expect("a '+' came first").push(c),
            None => out.push(c.to_string()),
        }
        promoted = c == '+';
    }
    out
}

fn gathered(men: &[String]) -> String {
    let mut out = String::new();
    let mut empty = 0;
    for man in men {
        if man == "1" {
            empty += 1;
            continue;
        }
        if empty > 0 {
            out.push_str(&empty.to_string());
            empty = 0;
        }
        out.push_str(man);
    }
    if empty > 0 {
        out.push_str(&empty.to_string());
    }
    out
}

/// Takes one man with this letter off: from the board, or from a hand where it leaves no gap.
fn remove(men: &mut Vec<String>, letter: &str, rng: &mut impl Rng) {
    let places: Vec<_> = (0..men.len()).filter(|&i| men[i] == letter).collect();
    let Some(&place) = places.choose(rng) else {
        return;
    };
    if men[..place].iter().any(|m| m == "[") {
        men.remove(place);
    } else {
        men[place] = "1".to_owned();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spreading_and_gathering_are_inverse() {
        for text in [
            "rpckcpl/3f3/sssssss/2s1S2/SS+SSSSS/3F3/LPCKCPR[Ss]",
            "8/2+f5[]",
        ] {
            assert_eq!(gathered(&spread(text)), text);
        }
    }
}
