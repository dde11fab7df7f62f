use garuda_rules::{Game, ToriShogi};

use crate::process::{Engine, number};

fn start() -> Engine {
    let mut engine = Engine::start();
    engine.send("usi");
    engine.recv_until("usiok");
    engine
}

#[test]
fn options_are_announced_in_usi() {
    let mut engine = Engine::start();
    engine.send("usi");
    let lines = engine.recv_until("usiok");
    for option in [
        "option name USI_Variant type combo default torishogi var torishogi",
        "option name USI_Ponder type check default false",
        "option name Move_Overhead type spin default 50 min 0 max 5000",
    ] {
        assert!(
            lines.iter().any(|line| line == option),
            "{option}: {lines:?}"
        );
    }
    engine.send("setoption name USI_Variant value torishogi\nsetoption name USI_Hash value 16");
    let lines = engine.sync();
    assert!(
        lines.len() == 1 && lines[0].contains("playing torishogi with the network"),
        "{lines:?}"
    );
    engine.send("setoption name USI_Variant value makruk");
    assert!(engine.sync()[0].contains("USI plays torishogi only"));
    engine.send("usinewgame\nposition startpos");
    assert_eq!(engine.sync(), [] as [&str; 0]);
    engine.send("gameover win\nquit");
}

/// Both notations lead to the same positions throughout a game.
#[test]
fn games_are_played_in_usi_notation() {
    let mut engine = start();
    let mut moves = Vec::new();
    let mut game = ToriShogi::start();
    while game.outcome().is_none() && moves.len() < 80 {
        let (_, best) = engine.search(&format!(
            "position startpos moves {}\ngo nodes 30",
            moves.join(" ")
        ));
        let file = |c: char| char::from(b'a' + 7 - c.to_digit(10).unwrap() as u8);
        let rank = |c: char| char::from(b'0' + 7 - (c as u8 - b'a'));
        let chars: Vec<_> = best.chars().collect();
        let uci = match chars[..] {
            [piece, '*', f, r] => format!("{piece}@{}{}", file(f), rank(r)),
            [f, r, g, s] => format!("{}{}{}{}", file(f), rank(r), file(g), rank(s)),
            [f, r, g, s, '+'] => format!("{}{}{}{}+", file(f), rank(r), file(g), rank(s)),
            _ => panic!("{best}"),
        };
        game.play_uci(&uci).unwrap();
        moves.push(best);
        engine.send(&format!("position startpos moves {}\nd", moves.join(" ")));
        let fen = format!("Fen: {}", game.position());
        assert!(engine.sync().contains(&fen), "{fen}");
    }
    assert!(moves.len() > 20);
}

#[test]
fn sfens_are_parsed() {
    let mut engine = start();
    engine
        .send("position sfen rpckcpl/3f3/s1s1s1s/2s1S2/SSSS1SS/3F3/LPCKCPR w S2s 4 moves S*6d\nd");
    let lines = engine.sync();
    let fen = "Fen: rpckcpl/3f3/s1s1s1s/1ss1S2/SSSS1SS/3F3/LPCKCPR[Ss] w - - 0 3";
    assert!(
        lines.iter().any(|line| line.starts_with(&fen[..60])),
        "{lines:?}"
    );
    engine.send("position sfen nonsense");
    assert!(engine.sync()[0].starts_with("info string error"));
}

/// `b` is the first player in USI, so that `btime` is its clock.
#[test]
fn clocks_belong_to_the_right_side() {
    let mut engine = start();
    engine.sync();
    let started = std::time::Instant::now();
    engine.search("position startpos\ngo btime 100 wtime 10000000 byoyomi 0");
    engine.search("position startpos moves 3d3c\ngo btime 10000000 wtime 100");
    assert!(started.elapsed().as_secs() < 20);
    let started = std::time::Instant::now();
    engine.search("position startpos\ngo btime 0 wtime 0 byoyomi 500");
    assert!(started.elapsed().as_millis() >= 100);
}

#[test]
fn the_end_of_the_game_is_reported_as_in_usi() {
    let mut engine = start();
    let (lines, best) = engine.search("position sfen 3k3/7/3K3/7/7/7/7 b F 1\ngo nodes 100");
    assert_eq!(best, "F*4b");
    assert!(lines.iter().any(|line| number(line, "mate") == Some(1)));
    let (_, best) = engine.search("position sfen 3k3/7/3K3/7/7/7/7 b F 1 moves F*4b\ngo nodes 100");
    assert_eq!(best, "resign");
    // Mate by a dropped swallow loses, so the mated side wins.
    let trap = "rk5/pl5/1K5/7/7/7/7 b S 1";
    engine.send(&format!("position sfen {trap}\nd"));
    let lines = engine.sync();
    assert!(
        lines.iter().any(|line| line.starts_with("Fen: rk5")),
        "{lines:?}"
    );
    engine.send("go mate infinite");
    engine.recv_until("checkmate");
}
