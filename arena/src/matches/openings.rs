use std::collections::HashSet;

use garuda_mcts::random_move;
use garuda_rules::{Game, Position};
use garuda_run::seeds;
use rand::RngExt;

use super::MatchSettings;
use crate::players::GameLine;

/// Attempts to find a new opening before one is used twice.
const TRIES: u64 = 50;

/// The openings of a match, one per pair: a few random moves from the start, none of them ending
/// the game, all distinct as long as there are enough. The first ones do not depend on the number
/// of games.
pub fn openings<P: Position>(settings: &MatchSettings<P>) -> Vec<GameLine<P>> {
    let mut seen = HashSet::new();
    (0..settings.games as u64 / 2)
        .map(|number| {
            let mut last = GameLine::new(settings.start);
            for attempt in 0..TRIES {
                let seed = seeds::derive(settings.seed, "opening", &[number, attempt]);
                last = opening(settings, seed);
                if last.game().outcome().is_none() && seen.insert(last.game().state_key()) {
                    return last;
                }
            }
            if last.game().outcome().is_some() {
                last = GameLine::new(settings.start);
            }
            last
        })
        .collect()
}

fn opening<P: Position>(settings: &MatchSettings<P>, seed: u64) -> GameLine<P> {
    let mut rng = seeds::rng(seed);
    let is_varied = settings.varied_start_prob > 0.0 && rng.random_bool(settings.varied_start_prob);
    let mut line = GameLine::new(match is_varied {
        true => settings.start.varied_start(&mut rng),
        false => settings.start,
    });
    for _ in 0..settings.opening_plies {
        match random_move(line.game(), &mut rng) {
            Some(mv) => line.play(mv),
            None => break,
        }
    }
    line
}

#[cfg(test)]
mod tests {
    use garuda_rules::makruk::MakrukPosition;

    use super::*;

    fn lines(games: usize, varied_start_prob: f64) -> Vec<(String, Vec<String>)> {
        let start = MakrukPosition::start();
        let settings = MatchSettings {
            games,
            opening_plies: 3,
            start,
            varied_start_prob,
            seed: 7,
            threads: 1,
            finished: std::collections::BTreeSet::new(),
        };
        (openings(&settings).iter())
            .map(|line| (line.start().to_string(), line.uci_moves()))
            .collect()
    }

    #[test]
    fn openings_are_distinct_and_start_where_settings_say() {
        let ordinary = MakrukPosition::start().to_string();
        for (probability, fewest, most) in [(0.0, 0, 0), (0.5, 20, 80), (1.0, 95, 100)] {
            let found = lines(200, probability);
            let distinct: HashSet<_> = found.iter().collect();
            assert_eq!(distinct.len(), 100);
            assert!(found.iter().all(|(_, moves)| moves.len() == 3));
            let varied = found.iter().filter(|(start, _)| *start != ordinary).count();
            assert!(
                (fewest..=most).contains(&varied),
                "{varied} at {probability}"
            );
            assert_eq!(
                found[..10],
                lines(20, probability),
                "the first openings depend on the number of games"
            );
        }
    }
}
