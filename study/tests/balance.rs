//! Balance of games, compared with counts made by hand.

use garuda_rules::eternal::EternalPosition;
use garuda_rules::makruk::MakrukPosition;
use garuda_rules::sittuyin::SittuyinPosition;
use garuda_rules::tori::ToriPosition;
use garuda_rules::{Color, GameState, Outcome, Position, Termination};
use garuda_run::records::GameRecord;
use garuda_run::testing::{head, unsearched};
use garuda_study::VersionedReport;
use garuda_study::balance::{self, BalanceReport, GameFacts, game_facts};

fn facts<P: Position>(start: &str, moves: &str, outcome: Outcome) -> GameFacts {
    let mut game = GameState::<P>::from_fen(start).unwrap();
    let decisions: Vec<_> = (moves.split_whitespace())
        .map(|text| unsearched(game.play_uci(text).unwrap()))
        .collect();
    let record = GameRecord::new(head::<P>(start, 5, 6), &decisions, outcome).unwrap();
    game_facts::<P>(&record, &P::start().to_string()).unwrap()
}

#[test]
fn a_game_is_counted_exactly() {
    let white = Outcome::win(Color::White, Termination::Checkmate);
    let start = ToriPosition::start().to_string();
    assert_eq!(
        facts::<ToriPosition>(&start, "e4e5 d6e5 S@e4", white),
        GameFacts {
            id: (5, 6),
            ordinary: true,
            first_mover: 1,
            termination: Termination::Checkmate,
            length: 3,
            captures: 2,
            promotions: 0,
            drops: 1,
            counted: false,
        }
    );
    // A handicap, whose giver moves first and loses; and a promotion.
    let start = "3k3/7/2S4/7/7/7/3K3[] b - - 0 1";
    let game = facts::<ToriPosition>(start, "d7e7 c5c6+", white);
    assert_eq!((game.ordinary, game.first_mover), (false, -1));
    assert_eq!((game.captures, game.promotions, game.drops), (0, 1, 0));

    let start = "8/3k4/8/2K1S1P1/8/8/8/8 w - - 0 1";
    let draw = Outcome::draw(Termination::PiecesHonour);
    let game = facts::<MakrukPosition>(start, "g5g6m", draw);
    assert_eq!(
        (game.promotions, game.counted, game.first_mover),
        (1, true, 0)
    );

    // Setting up is not dropping.
    let start = SittuyinPosition::<false>::start().to_string();
    let game = facts::<SittuyinPosition<false>>(&start, "K@a1 K@a8", draw);
    assert_eq!((game.drops, game.length), (0, 2));

    // Capturing a piece and putting it back is two decisions and one turn.
    let start = "2a2R2/a3p3/r4Bc1/bn1n1C1c/8/2A1b2p/B1CPN2N/1r1P1A2/2R5 r - 2 1";
    let game = facts::<EternalPosition>(start, "a3b2 R@a9", white);
    assert_eq!((game.length, game.captures, game.drops), (1, 1, 1));
    assert_eq!(game.promotions, 0);
}

fn game(
    checkpoint: u32,
    number: u64,
    first_mover: i8,
    termination: Termination,
    length: u32,
) -> GameFacts {
    GameFacts {
        id: (checkpoint, number),
        ordinary: true,
        first_mover,
        termination,
        length,
        captures: 2,
        promotions: u32::from(first_mover > 0),
        drops: 3,
        counted: termination == Termination::PiecesHonour,
    }
}

#[test]
fn games_are_summed_up_exactly() {
    let mut games = vec![
        game(0, 0, 1, Termination::Checkmate, 10),
        game(0, 1, 1, Termination::Checkmate, 20),
        game(1, 0, -1, Termination::Checkmate, 30),
        game(1, 1, 0, Termination::PiecesHonour, 40),
        game(2, 0, 1, Termination::Stalemate, 50),
        game(2, 1, 0, Termination::LengthLimit, 60),
        game(3, 0, 0, Termination::PiecesHonour, 70),
        game(3, 1, -1, Termination::Checkmate, 80),
    ];
    games.push(GameFacts {
        ordinary: false,
        ..game(3, 2, -1, Termination::Checkmate, 6)
    });
    let report = BalanceReport::new::<MakrukPosition>(&games);
    let stats = &report.ordinary;
    assert_eq!(
        (stats.games, stats.wins, stats.draws, stats.losses),
        (8, 3, 3, 2)
    );
    assert_eq!(stats.score, Some(4.5 / 8.0));
    // Three at 7/16, three at −1/16, two at −9/16 from the mean.
    let variance = (3.0 * 49.0 + 3.0 + 2.0 * 81.0) / 256.0 / 8.0;
    let error = 1.96 * f64::sqrt(variance / 8.0);
    assert!((stats.score_error.unwrap() - error).abs() < 1e-12);
    assert_eq!(stats.draw_share, Some(3.0 / 8.0));
    assert_eq!(stats.decided_by_counting, Some(2.0 / 8.0));
    assert_eq!(stats.counted, Some(2.0 / 8.0));
    assert_eq!(stats.promotions, Some(3.0 / 8.0));
    assert_eq!((stats.captures, stats.drops), (Some(2.0), Some(3.0)));
    let ends: Vec<_> = (stats.terminations.iter())
        .map(|end| {
            (
                end.termination.as_str(),
                end.games,
                end.wins,
                end.draws,
                end.losses,
            )
        })
        .collect();
    assert_eq!(
        ends,
        [
            ("checkmate", 4, 2, 0, 2),
            ("pieces-honour", 2, 0, 2, 0),
            ("stalemate", 1, 1, 0, 0),
            ("length-limit", 1, 0, 1, 0),
        ]
    );
    let lengths = stats.lengths.as_ref().unwrap();
    assert_eq!(lengths.mean, 45.0);
    assert_eq!((lengths.shortest, lengths.longest), (10, 80));
    assert_eq!((lengths.p25, lengths.median, lengths.p75), (20, 40, 60));
    assert_eq!(lengths.histogram.width, 5);
    let games = [0, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1];
    assert_eq!(lengths.histogram.games, games);

    assert_eq!((report.varied.games, report.varied.score), (1, Some(0.0)));
    let bands: Vec<_> = (report.bands.iter())
        .map(|band| {
            let range = band.checkpoints;
            (range.from, range.to, band.stats.games, band.stats.score)
        })
        .collect();
    assert_eq!(
        bands,
        [
            (0, 0, 2, Some(1.0)),
            (1, 1, 2, Some(0.25)),
            (2, 2, 2, Some(0.75)),
            (3, 3, 2, Some(0.25)),
        ]
    );
}

#[test]
fn balance_is_rendered_and_read_back() {
    let games = [
        game(0, 0, 1, Termination::Checkmate, 10),
        game(7, 1, 0, Termination::PiecesHonour, 20),
    ];
    let report = BalanceReport::new::<MakrukPosition>(&games);
    let text = balance::text(&report);
    assert!(text.contains("75.0 ±"), "{text}");
    assert!(
        text.contains("ran in 50.0 % of games and ended 50.0 %"),
        "{text}"
    );
    let html = balance::html(&report);
    let page = roxmltree::Document::parse(&html).unwrap();
    let cells =
        |row: roxmltree::Node<'_, '_>| row.children().filter(roxmltree::Node::is_element).count();
    for table in page.descendants().filter(|node| node.has_tag_name("table")) {
        let rows: Vec<_> = table
            .descendants()
            .filter(|n| n.has_tag_name("tr"))
            .collect();
        assert!(
            rows.iter().all(|&row| cells(row) == cells(rows[0])),
            "{html}"
        );
    }
    let read = BalanceReport::from_json(report.to_json().as_bytes()).unwrap();
    assert_eq!(read, report);

    let empty = BalanceReport::new::<EternalPosition>(&[]);
    assert_eq!(empty.ordinary.score, None);
    assert!(empty.bands.is_empty());
    assert!(balance::html(&empty).contains("</section>"));
    assert_eq!(balance::text(&empty), "");
}
