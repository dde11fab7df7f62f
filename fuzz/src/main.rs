//! Runs a fuzz target for some seconds on the files of a folder and on mutations of them. Nothing guides
//! the mutations; in return any build of the workspace can do it, in any profile.
//!
//!     garuda-fuzz TARGET SECONDS LONGEST CORPUS ARTIFACTS
//!
//! LONGEST is the length of the longest input in bytes. Prints the number of inputs. An input that fails
//! is written to ARTIFACTS, and ends the program.

mod mutate;

use std::path::{Path, PathBuf};
use std::process::exit;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};
use std::{env, fs, io, panic};

use garuda_fuzz::TARGETS;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

/// Inputs that are tried however long they take.
const FEWEST: usize = 20;

fn main() {
    let arguments: Vec<_> = env::args().skip(1).collect();
    let [target, seconds, longest, corpus, artifacts] = &arguments[..] else {
        fail("usage: garuda-fuzz TARGET SECONDS LONGEST CORPUS ARTIFACTS");
    };
    let Some(&(_, run)) = TARGETS.iter().find(|(name, _)| name == target) else {
        fail(&format!("there is no target {target}"));
    };
    let (Ok(seconds), Ok(longest)) = (seconds.parse(), longest.parse()) else {
        fail("SECONDS and LONGEST are numbers");
    };
    let corpus = match read_corpus(Path::new(corpus), longest) {
        Ok(corpus) => corpus,
        Err(error) => fail(&format!("cannot read {corpus}: {error}")),
    };

    let current = Arc::new(Mutex::new(Vec::new()));
    keep_what_fails(
        Arc::clone(&current),
        Path::new(artifacts).join(format!("{target}-crash")),
    );
    // Other inputs every time: one that fails is kept.
    let since_epoch = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    let mut rng = ChaCha8Rng::seed_from_u64(since_epoch.map_or(0, |time| time.as_nanos() as u64));
    let end = Instant::now() + Duration::from_secs(seconds);
    let mut tried = 0;
    while tried < FEWEST || Instant::now() < end {
        // What the corpus has and what comes of it, in turns: the corpus may be large.
        let input = match corpus.get(tried / 2) {
            Some(input) if tried % 2 == 0 => input.clone(),
            _ => mutate::mutated(&corpus, longest, &mut rng),
        };
        current
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone_from(&input);
        run(&input);
        tried += 1;
    }
    println!("{tried}");
}

fn fail(problem: &str) -> ! {
    eprintln!("{problem}");
    exit(2);
}

/// The files of a folder, cut to a length.
fn read_corpus(folder: &Path, longest: usize) -> io::Result<Vec<Vec<u8>>> {
    let mut paths = fs::read_dir(folder)?
        .map(|entry| Ok(entry?.path()))
        .collect::<io::Result<Vec<PathBuf>>>()?;
    paths.sort();
    let read = |path: &PathBuf| {
        let mut bytes = fs::read(path)?;
        bytes.truncate(longest);
        Ok(bytes)
    };
    paths.iter().map(read).collect()
}

/// A panic, in whichever thread, writes the current input and ends the program.
fn keep_what_fails(current: Arc<Mutex<Vec<u8>>>, prefix: PathBuf) {
    let report = panic::take_hook();
    panic::set_hook(Box::new(move |panic| {
        report(panic);
        let input = current.lock().unwrap_or_else(PoisonError::into_inner);
        let hash = blake3::hash(&input).to_hex();
        let path = format!("{}-{}", prefix.display(), &hash[..16]);
        match fs::write(&path, &*input) {
            Ok(()) => eprintln!("the input is {path}"),
            Err(error) => eprintln!("cannot write {path}: {error}; the input is {input:?}"),
        }
        exit(1);
    }));
}
