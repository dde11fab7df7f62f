use garuda_mcts::random_move;
use garuda_rules::{Game, GameState, Position, RuleSet, with_rule_set};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use crate::process::Engine;

/// Number of parallel games.
const GAMES: usize = 400;
/// Maximum length of a game.
const PLIES: usize = 100;

/// A game with its start position and moves.
struct TestGame<P> {
    game: GameState<P>,
    start: String,
    moves: Vec<String>,
}

/// Plays parallel games against random moves with one engine and checks that all its moves are
/// legal.
fn play<P: Position>(rules: RuleSet) {
    let mut engine = Engine::with_variant(rules.name());
    engine.send("setoption name Hash value 16");
    let mut rng = ChaCha8Rng::seed_from_u64(7);
    let new_game = |n: usize| {
        let (_, start) = P::STARTS[n % P::STARTS.len()];
        TestGame {
            game: GameState::<P>::from_fen(start).unwrap(),
            start: start.to_owned(),
            moves: Vec::new(),
        }
    };
    let mut games: Vec<_> = (0..GAMES).map(new_game).collect();
    let (mut searches, mut ended) = (0, 0);
    for ply in 0..PLIES {
        for (n, test) in games.iter_mut().enumerate() {
            if (n + ply) % 2 == 0 {
                let mv = random_move(&test.game, &mut rng).unwrap();
                test.moves.push(test.game.position().uci(mv));
                test.game.play(mv);
            }
        }
        ended += games.len();
        games.retain(|test| test.game.outcome().is_none());
        ended -= games.len();
        for (n, test) in games.iter().enumerate() {
            // Long lists of moves are slow to replay: most games are set up by their FEN.
            if n % 10 == 0 {
                let moves = test.moves.join(" ");
                engine.send(&format!("position fen {} moves {moves}", test.start));
            } else {
                engine.send(&format!("position fen {}", test.game.position()));
            }
            engine.send("go nodes 1");
        }
        for test in &mut games {
            let lines = engine.recv_until("bestmove");
            assert!(
                lines.iter().all(|line| !line.contains("error")),
                "{lines:?}"
            );
            let best = lines.last().unwrap().split(' ').nth(1).unwrap();
            test.game.play_uci(best).unwrap();
            test.moves.push(best.to_owned());
            searches += 1;
        }
        ended += games.len();
        games.retain(|test| test.game.outcome().is_none());
        ended -= games.len();
    }
    println!("{rules}: {searches} moves, {ended} of {GAMES} games ended");
    assert!(searches > 1000, "{rules}: {searches}");
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
