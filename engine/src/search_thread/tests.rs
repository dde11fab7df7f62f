use std::io::{self, Write};
use std::sync::Mutex;

use garuda_mcts::{EvalError, Evaluations, Evaluator};
use garuda_rules::tori::ToriPosition;
use garuda_rules::{GameState, Move};

use super::*;
use crate::evaluators::Evaluators;
use crate::searchmoves::BoxedEvaluator;

/// An output that can be read.
#[derive(Clone, Default)]
struct SharedBuffer(Arc<Mutex<Vec<u8>>>);

impl Write for SharedBuffer {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Returns an error for the first two batches, then too few evaluations or a panic.
struct FailingEvaluator {
    panics: bool,
    runs: u32,
}

impl Evaluator<GameState<ToriPosition>> for FailingEvaluator {
    fn capacity(&self) -> usize {
        1
    }

    fn push(&mut self, _: &GameState<ToriPosition>, legal: &[Move]) {
        assert!(!legal.is_empty());
    }

    fn run(&mut self, evaluations: &mut Evaluations) -> Result<(), EvalError> {
        self.runs += 1;
        evaluations.clear();
        if self.runs < 3 {
            return Err(EvalError::Backend("not today".into()));
        }
        assert!(!self.panics, "a bug");
        Ok(())
    }
}

fn queued(line: &str) -> QueuedCommand {
    let handle = CommandHandle {
        control: SearchControl::new(),
        is_search: true,
        done: AtomicBool::new(false),
    };
    QueuedCommand {
        command: Command::parse(line).unwrap().unwrap(),
        handle: Arc::new(handle),
    }
}

#[test]
fn a_failing_evaluator_gets_a_move_and_the_next_search_works() {
    for panics in [false, true] {
        let buffer = SharedBuffer::default();
        let mut thread = SearchThread::new(Output::new(buffer.clone()));
        thread.execute(&queued("setoption name UCI_Variant value torishogi"));
        let mut searcher = GameSearcher::<ToriPosition>::new();
        let failing = BoxedEvaluator::new(FailingEvaluator { panics, runs: 0 });
        searcher.set_evaluators(Evaluators::single(failing));
        thread.searcher = Box::new(searcher);
        thread.is_loaded = true;
        for _ in 0..3 {
            let go = queued("go nodes 50");
            thread.execute(&go);
            assert!(go.handle.done.load(Ordering::Acquire));
        }
        thread.execute(&queued("setoption name EvalFile value <empty>"));
        thread.searcher.use_material();
        thread.execute(&queued("go nodes 50"));
        let bytes = buffer.0.lock().unwrap().clone();
        let text = String::from_utf8(bytes).unwrap();
        let errors = text.matches("info string error").count();
        assert_eq!(errors, 3, "{text}");
        assert_eq!(text.matches("bestmove").count(), 4, "{text}");
        assert_eq!(text.contains("the engine failed"), panics, "{text}");
        assert!(!text.contains("(none)"), "{text}");
        assert!(text.contains("nodes 50 "), "{text}");
    }
}
