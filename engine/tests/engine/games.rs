use garuda_mcts::random_move;
use garuda_rules::{Game, GameState, Position, RuleSet, with_rule_set};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use crate::process::Engine;

/// Games at a time, and plies of each at most.
const GAMES: usize = 400;
const PLIES: usize = 100;

/// A game, where it started and the moves since.
struct Table<P> {
    game: GameState<P>,
    start: String,
    moves: Vec<String>,
}

/// Games against a player of random moves, all at once with one engine: every move it makes is
/// legal, whatever it is asked about before and after.
fn play<P: Position>(rules: RuleSet) {
    let mut engine = Engine::of(rules.name());
    engine.send("setoption name Hash value 16");
    let mut rng = ChaCha8Rng::seed_from_u64(7);
    let table = |n: usize| {
        let (_, start) = P::STARTS[n % P::STARTS.len()];
        Table {
            game: GameState::<P>::from_fen(start).unwrap(),
            start: start.to_owned(),
            moves: Vec::new(),
        }
    };
    let mut tables: Vec<_> = (0..GAMES).map(table).collect();
    let (mut asked, mut ended) = (0, 0);
    for ply in 0..PLIES {
        for (n, table) in tables.iter_mut().enumerate() {
            if (n + ply) % 2 == 0 {
                let mv = random_move(&table.game, &mut rng).unwrap();
                table.moves.push(table.game.position().uci(mv));
                table.game.play(mv);
            }
        }
        ended += tables.len();
        tables.retain(|table| table.game.outcome().is_none());
        ended -= tables.len();
        for (n, table) in tables.iter().enumerate() {
            // Long lists of moves take long to read: most games are told by their position.
            if n % 10 == 0 {
                let moves = table.moves.join(" ");
                engine.send(&format!("position fen {} moves {moves}", table.start));
            } else {
                engine.send(&format!("position fen {}", table.game.position()));
            }
            engine.send("go nodes 1");
        }
        for table in &mut tables {
            let lines = engine.hear_until("bestmove");
            assert!(
                lines.iter().all(|line| !line.contains("error")),
                "{lines:?}"
            );
            let best = lines.last().unwrap().split(' ').nth(1).unwrap();
            table.game.play_uci(best).unwrap();
            table.moves.push(best.to_owned());
            asked += 1;
        }
        ended += tables.len();
        tables.retain(|table| table.game.outcome().is_none());
        ended -= tables.len();
    }
    println!("{rules}: {asked} moves, {ended} of {GAMES} games ended");
    assert!(asked > 1000, "{rules}: {asked}");
}

macro_rules! rule_sets {
    ($($name:ident: $rules:expr;)*) => {
        $(#[test]
        fn $name() {
            with_rule_set!($rules, P => play::<P>($rules));
        })*
    };
}

rule_sets! {
    all_moves_are_legal_in_makruk: RuleSet::Makruk;
    all_moves_are_legal_in_sittuyin: RuleSet::Sittuyin;
    all_moves_are_legal_in_booklet_sittuyin: RuleSet::SittuyinBooklet;
    all_moves_are_legal_in_tori_shogi: RuleSet::ToriShogi;
    all_moves_are_legal_in_eternal_chess: RuleSet::Eternal;
}
