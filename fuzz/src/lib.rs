//! What must hold for any input, however broken.

mod fleet;
mod rules;
mod run_files;
mod web;

use std::collections::{BTreeMap, HashMap};
use std::io::{self, Write};
use std::sync::{Arc, Mutex, OnceLock};

use garuda_arena::uci::Score;
use garuda_engine::Command;
use garuda_mcts::{Evaluations, Evaluator, Wdl};
use garuda_model::nnue::{HIDDEN_1, HIDDEN_2, NnueLayout, NnueNetwork, NnueStack, STACKS, WIDTH};
use garuda_model::sparse::{FeatureLayout, SparseShape};
use garuda_model::{Architecture, Network, NetworkError};
use garuda_rules::eternal::EternalPosition;
use garuda_rules::makruk::MakrukPosition;
use garuda_rules::sittuyin::SittuyinPosition;
use garuda_rules::tori::ToriPosition;
use garuda_rules::{
    Game, GameState, Move, MoveList, OpeningBook, Outcome, Position, RuleSet, Termination,
    with_rule_set,
};
use garuda_run::PlayerSpec;
use garuda_run::config::Config;
use garuda_run::labels::{decode_label_file, encode_label_file};
use garuda_run::records::{
    Decision, DecisionKind, GameHead, GameRecord, decode_record_file, encode_record_file, verify,
};
use safetensors::tensor::{Dtype, SafeTensors, TensorView};

pub use fleet::{envelope, messages};
pub use rules::rules;
pub use run_files::run_files;
pub use web::{index, web};

/// What feeds a target with an input.
pub type Target = fn(&[u8]);

/// The targets by the names that they have in fuzz_targets/.
pub const TARGETS: [(&str, Target); 19] = [
    ("position_makruk", position::<MakrukPosition>),
    ("position_sittuyin", position::<SittuyinPosition<false>>),
    (
        "position_sittuyin_booklet",
        position::<SittuyinPosition<true>>,
    ),
    ("position_torishogi", position::<ToriPosition>),
    ("position_eternal", position::<EternalPosition>),
    ("moves", moves),
    ("uci", uci),
    ("records", records),
    ("config", config),
    ("network", network),
    ("nnue", nnue),
    ("labels", labels),
    ("web", web),
    ("index", index),
    ("envelope", envelope),
    ("messages", messages),
    ("run_files", run_files),
    ("book", book),
    ("rules", rules),
];

/// Number of plies played from an accepted position.
const PLIES: usize = 30;

/// A FEN is refused with a message, or it is a position that survives a round trip through its own
/// FEN, rotation and mirroring, and can be played on.
pub fn position<P: Position>(input: &[u8]) {
    let Ok(text) = str::from_utf8(input) else {
        return;
    };
    let position = match text.parse::<P>() {
        Ok(position) => position,
        Err(error) => {
            assert!(!error.to_string().is_empty());
            return;
        }
    };
    let written = position.to_string();
    let again: P = written
        .parse()
        .unwrap_or_else(|error| panic!("own FEN refused: {error}"));
    assert_eq!(again, position);
    assert_eq!(again.to_string(), written);
    assert_eq!(position.rotated().rotated(), position);
    if let Some(image) = position.mirrored() {
        assert_eq!(image.mirrored(), Some(position));
    }
    play(GameState::from_position(position), input);
}

/// Each line is refused with a message or played. Two bytes choose the rule set and the start.
pub fn moves(input: &[u8]) {
    let Some((&[rule_set, start], rest)) = input.split_first_chunk() else {
        return;
    };
    let Ok(lines) = str::from_utf8(rest) else {
        return;
    };
    let rule_set = RuleSet::ALL[usize::from(rule_set) % RuleSet::ALL.len()];
    with_rule_set!(rule_set, P => moves_of::<P>(start, lines));
}

fn moves_of<P: Position>(start: u8, lines: &str) {
    let (_, text) = P::STARTS[usize::from(start) % P::STARTS.len()];
    let mut game = GameState::<P>::from_fen(text).expect("a built-in start position is valid");
    for line in lines.lines() {
        let before = *game.position();
        match game.play_uci(line) {
            Ok(mv) => assert_eq!(before.uci(mv), line),
            Err(error) => assert!(!error.to_string().is_empty()),
        }
        check(game.position());
    }
}

/// An opening book is refused with a message, or survives a round trip, and its moves are legal. The
/// first byte chooses the rule set.
pub fn book(input: &[u8]) {
    let Some((&rule_set, text)) = input.split_first() else {
        return;
    };
    let Ok(text) = str::from_utf8(text) else {
        return;
    };
    let rule_set = RuleSet::ALL[usize::from(rule_set) % RuleSet::ALL.len()];
    with_rule_set!(rule_set, P => book_of::<P>(text));
}

fn book_of<P: Position>(text: &str) {
    let book = match text.parse::<OpeningBook<P>>() {
        Ok(book) => book,
        Err(error) => {
            assert!(!error.to_string().is_empty());
            return;
        }
    };
    let again = book.to_string().parse::<OpeningBook<P>>();
    assert_eq!(again.as_ref(), Ok(&book));
    let start = P::start();
    let mut legal = MoveList::new();
    start.legal_moves(&mut legal);
    for random in [0, 1, u64::MAX] {
        let chosen = book.choose(&start, random);
        assert!(chosen.is_none_or(|mv| legal.contains(&mv)));
    }
}

/// The engine survives any input and stops at its end, gives one `bestmove` for every `go`, and
/// never reports that it failed.
pub fn uci(input: &[u8]) {
    let text = String::from_utf8_lossy(input);
    // What another engine could have said.
    for line in text.lines() {
        let _ = Score::of(line);
    }
    // Commands that take long by their nature or open files are left out.
    let lines: Vec<_> = text
        .lines()
        .filter(|line| match Command::parse(line) {
            Ok(Some(Command::Perft(depth))) => depth < 3,
            Ok(Some(Command::SetOption { name, .. })) => name.to_lowercase().contains("variant"),
            _ => true,
        })
        .collect();
    let searches = lines
        .iter()
        .take_while(|line| !matches!(Command::parse(line), Ok(Some(Command::Quit))))
        .filter(|line| matches!(Command::parse(line), Ok(Some(Command::Go(_)))))
        .count();
    let output = Output::default();
    garuda_engine::run(lines.join("\n").as_bytes(), output.clone()).expect("memory can be read");
    let written = output.0.lock().expect("the engine has ended").clone();
    let written = String::from_utf8(written).expect("engines write text");
    assert!(!written.contains("the engine failed"), "{written}");
    let answers = written
        .lines()
        .filter(|line| line.starts_with("bestmove ") || line.starts_with("checkmate "))
        .count();
    assert_eq!(answers, searches, "{written}");
}

/// Bytes are refused with a message as a record file, or survive a round trip; and moves are refused
/// as a game, or are one.
pub fn records(input: &[u8]) {
    if let Some((&rule_set, moves)) = input.split_first() {
        let rule_set = RuleSet::ALL[usize::from(rule_set) % RuleSet::ALL.len()];
        with_rule_set!(rule_set, P => game_of::<P>(moves));
    }
    // With a valid checksum: without one nothing behind it would be reached.
    let payload = zstd::bulk::compress(input, 1).expect("memory can be written");
    let checked = [&(input.len() as u32).to_le_bytes(), &payload[..]].concat();
    let hash = blake3::hash(&checked);
    let bytes = [&b"garuda\x00\x01"[..], hash.as_bytes(), &checked].concat();
    for bytes in [input, &bytes] {
        match decode_record_file(bytes) {
            Ok(records) => {
                let written =
                    encode_record_file(&records).expect("it was no larger when it was read");
                assert_eq!(decode_record_file(&written).expect("own bytes"), records);
                for record in &records {
                    let _ = verify::<ToriPosition>(record);
                }
            }
            Err(error) => assert!(!error.to_string().is_empty()),
        }
    }
}

/// The bytes choose moves, most of them legal, and the claimed result.
fn game_of<P: Position>(bytes: &[u8]) {
    let mut game = GameState::<P>::start();
    let mut legal = MoveList::new();
    let mut decisions = Vec::new();
    for &byte in bytes {
        game.legal_moves(&mut legal);
        let is_legal = game.outcome_given(&legal).is_none() && byte < 250;
        let mv = match is_legal {
            true => legal[usize::from(byte) % legal.len()],
            false => Move::from_code(u16::from(byte) * 31),
        };
        decisions.push(unsearched(mv));
        if !is_legal {
            break;
        }
        game.play(mv);
    }
    let found = game.outcome();
    let claimed = found.unwrap_or(Outcome::draw(Termination::LengthLimit));
    let record = GameRecord::new(head::<P>(0), &decisions, claimed).expect("there are no policies");
    if verify::<P>(&record).is_ok() {
        assert_eq!(found, Some(claimed));
    }
}

/// A game whose moves follow from its number.
fn random_game<P: Position>(number: u64) -> GameRecord {
    let mut game = GameState::<P>::start();
    let mut legal = MoveList::new();
    let mut decisions = Vec::new();
    let outcome = loop {
        game.legal_moves(&mut legal);
        if let Some(outcome) = game.outcome_given(&legal) {
            break outcome;
        }
        let choice = (number + 7) * (decisions.len() as u64 + 3) % 101;
        let mv = legal[choice as usize % legal.len()];
        decisions.push(unsearched(mv));
        game.play(mv);
    };
    GameRecord::new(head::<P>(number), &decisions, outcome).expect("there are no policies")
}

fn unsearched(mv: Move) -> Decision {
    Decision {
        mv,
        kind: DecisionKind::Unsearched,
        wdl: Wdl::UNKNOWN,
        policy: Vec::new(),
    }
}

fn head<P: Position>(number: u64) -> GameHead {
    GameHead {
        rules: P::NAME.to_owned(),
        start: P::start().to_string(),
        checkpoint: 0,
        number,
        sides: [0; 2],
        seed: 0,
    }
}

/// A configuration is refused with a message, or reads back equal from its own TOML.
pub fn config(input: &[u8]) {
    let text = String::from_utf8_lossy(input);
    let (settings, text) = text.split_once("---").unwrap_or(("", &text));
    let settings: Vec<_> = settings.lines().map(str::to_owned).collect();
    for line in &settings {
        match line.parse::<PlayerSpec>() {
            Ok(player) => assert!(line.is_empty() || !player.to_string().is_empty()),
            Err(error) => assert!(!error.to_string().is_empty()),
        }
    }
    match Config::parse("fuzz", text, &settings) {
        Ok(config) => {
            let again = Config::parse("fuzz", &config.to_toml(), &[]);
            assert_eq!(again.as_ref(), Ok(&config));
        }
        Err(error) => assert!(!error.problems().is_empty()),
    }
}

/// Bytes are refused with a message as a network, or are one with a content hash; a sparse one, which
/// our own code runs, evaluates positions of its game.
///
/// The same holds for the bytes laid over a sound sparse file, at the place that the first bytes say.
pub fn network(input: &[u8]) {
    network_of(input);
    static SOUND: OnceLock<Vec<u8>> = OnceLock::new();
    let sound = SOUND.get_or_init(sound_sparse::<ToriPosition>);
    let Some((place, overlay)) = input.split_first_chunk() else {
        return;
    };
    let place = u32::from_le_bytes(*place) as usize;
    // Every other time in the header, which is small.
    let place = match place % 2 {
        0 => place / 2 % 2000,
        _ => place / 2 % sound.len(),
    };
    let mut bytes = sound.clone();
    let length = overlay.len().min(bytes.len() - place);
    bytes[place..place + length].copy_from_slice(&overlay[..length]);
    network_of(&bytes);
    network_of(&bytes[..place]);
}

/// The file of a sparse network whose weights are zero.
fn sound_sparse<P: Position>() -> Vec<u8> {
    let layout = FeatureLayout::of::<P>();
    let shape = SparseShape::new(32, 8).expect("the smallest width");
    let (width, hidden) = (shape.width(), shape.hidden());
    let tensors = [
        ("bias", Dtype::I16, vec![width]),
        ("hidden", Dtype::I16, vec![hidden, width]),
        ("hidden_bias", Dtype::F32, vec![hidden]),
        ("moves", Dtype::F32, vec![layout.moves()]),
        ("policy", Dtype::I16, vec![layout.actions(), width]),
        ("rows", Dtype::I16, vec![layout.features(), width]),
        ("value", Dtype::F32, vec![3, hidden]),
        ("value_bias", Dtype::F32, vec![3]),
    ];
    let zeros = vec![0; 4 * width * layout.features().max(layout.actions()).max(layout.moves())];
    let mut info = shipped_metadata(P::NAME);
    info.insert(
        "garuda.architecture".to_owned(),
        format!("sparse {width}x{hidden}"),
    );
    let file = |info: &BTreeMap<String, String>| {
        let views = tensors.iter().map(|(name, dtype, shape)| {
            let bytes = shape.iter().product::<usize>() * dtype.bitsize() / 8;
            let view = TensorView::new(*dtype, shape.clone(), &zeros[..bytes]);
            (*name, view.expect("the bytes are of the shape's size"))
        });
        let info = serde_json::to_string(info).expect("a map of texts has a JSON form");
        let metadata = HashMap::from([("garuda".to_owned(), info)]);
        safetensors::serialize(views, Some(metadata)).expect("tensors can be written")
    };
    // The error names the hash that the file should have.
    if let Err(NetworkError::Hash { found, .. }) = Network::from_bytes(&file(&info)) {
        info.insert("garuda.hash".to_owned(), found);
    }
    let file = file(&info);
    Network::from_bytes(&file).expect("it is sound");
    file
}

/// The metadata of the network that is shipped for a rule set.
fn shipped_metadata(rules: &str) -> BTreeMap<String, String> {
    let rule_set = rules.parse().expect("it is one");
    let network = Network::shipped(rule_set).expect("every game has a network");
    let network = network.expect("it is sound");
    let (_, header) = SafeTensors::read_metadata(network.bytes()).expect("it is sound");
    let text = header
        .metadata()
        .as_ref()
        .and_then(|data| data.get("garuda"));
    serde_json::from_str(text.expect("it has metadata")).expect("a map of texts")
}

fn network_of(input: &[u8]) {
    let network = match Network::from_bytes(input) {
        Ok(network) => network,
        Err(error) => {
            assert!(!error.to_string().is_empty());
            return;
        }
    };
    let info = network.info();
    assert!(!info.hash.is_empty());
    if let (Ok(rule_set), Architecture::Sparse(_)) = (info.rules.parse(), info.architecture) {
        with_rule_set!(rule_set, P => evaluate::<P>(&network));
    }
}

fn evaluate<P: Position>(network: &Network) {
    let Ok(mut evaluator) = network.evaluator::<P>(1) else {
        return;
    };
    let game = GameState::<P>::start();
    let mut legal = MoveList::new();
    game.legal_moves(&mut legal);
    let mut evaluations = Evaluations::default();
    evaluator.push(&game, &legal);
    if evaluator.run(&mut evaluations).is_ok() {
        let (_, logits) = evaluations.get(0);
        assert_eq!(logits.len(), legal.len());
    }
}

/// Bytes are refused with a message as a network of Fairy-Stockfish, or survive a round trip; both by
/// themselves and laid over a sound file at the place that the first bytes say.
pub fn nnue(input: &[u8]) {
    const FEATURES: usize = 2;
    let read = |bytes: &[u8]| match NnueNetwork::read("fuzz", FEATURES, bytes) {
        Ok(network) => {
            let again = NnueNetwork::read("fuzz", FEATURES, &network.to_bytes());
            assert_eq!(again.expect("own bytes"), network);
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    };
    read(input);
    let Some((place, overlay)) = input.split_first_chunk() else {
        return;
    };
    let mut bytes = sound_nnue(FEATURES);
    let place = u32::from_le_bytes(*place) as usize % bytes.len();
    let length = overlay.len().min(bytes.len() - place);
    bytes[place..place + length].copy_from_slice(&overlay[..length]);
    read(&bytes);
    read(&bytes[..place]);
}

/// Bytes are refused with a message as a file of labels, or survive a round trip.
pub fn labels(input: &[u8]) {
    let payload = zstd::bulk::compress(input, 1).expect("memory can be written");
    let checked = [&(input.len() as u32).to_le_bytes(), &payload[..]].concat();
    let hash = blake3::hash(&checked);
    let bytes = [&b"garuda\x01\x01"[..], hash.as_bytes(), &checked].concat();
    for layout in [
        NnueLayout::of::<ToriPosition>(),
        NnueLayout::of::<MakrukPosition>(),
    ] {
        let layout = layout.expect("the engine plays it");
        for bytes in [input, &bytes] {
            match decode_label_file(&layout, bytes) {
                Ok(labels) => {
                    let written = encode_label_file(&layout, &labels).expect("it was read");
                    let again = decode_label_file(&layout, &written).expect("own bytes");
                    assert_eq!(again, labels);
                }
                Err(error) => assert!(!error.to_string().is_empty()),
            }
        }
    }
}

/// The file of a network whose weights are zero.
fn sound_nnue(features: usize) -> Vec<u8> {
    let stack = NnueStack {
        bias_1: vec![0; HIDDEN_1],
        weights_1: vec![0; HIDDEN_1 * 2 * WIDTH],
        bias_2: vec![0; HIDDEN_2],
        weights_2: vec![0; HIDDEN_2 * HIDDEN_2],
        bias_3: 0,
        weights_3: vec![0; HIDDEN_2],
    };
    let network = NnueNetwork {
        description: String::new(),
        bias: vec![0; WIDTH],
        rows: vec![0; features * WIDTH],
        psqt: vec![0; features * STACKS],
        stacks: vec![stack; STACKS],
    };
    network.to_bytes()
}

/// Collects the output of an engine.
#[derive(Clone, Default)]
struct Output(Arc<Mutex<Vec<u8>>>);

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().expect("nobody panics").extend(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Plays moves chosen by the bytes.
fn play<P: Position>(mut game: GameState<P>, bytes: &[u8]) {
    let mut legal = MoveList::new();
    for &byte in bytes.iter().rev().cycle().take(PLIES) {
        check(game.position());
        game.legal_moves(&mut legal);
        if game.outcome_given(&legal).is_some() {
            return;
        }
        let mv = legal[usize::from(byte) % legal.len()];
        assert!(!game.position().display_move(mv).is_empty());
        assert_eq!(game.position().parse_uci(&game.position().uci(mv)), Ok(mv));
        game.play(mv);
    }
}

fn check<P: Position>(position: &P) {
    assert_eq!(position.key(), position.key_from_scratch(), "{position}");
    let mut legal = MoveList::new();
    position.legal_moves(&mut legal);
    assert_eq!(position.count_legal_moves(), legal.len(), "{position}");
}
