use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use garuda_mcts::Signal;
use garuda_model::Network;
use garuda_rules::{RuleSet, with_rule_set};

use crate::options::{Announced, Name, Options};
use crate::output::Output;
use crate::protocol::{Command, Go, Protocol};
use crate::thinker::{Choice, OutputContext, Think, Thinker};

/// A command that can be stopped, as the reader of lines knows it.
#[derive(Debug)]
pub(crate) struct Ticket {
    pub(crate) signal: Signal,
    /// Whether it goes on until it is stopped.
    pub(crate) endless: bool,
    pub(crate) is_search: bool,
    pub(crate) done: AtomicBool,
}

pub(crate) struct Job {
    pub(crate) command: Command,
    pub(crate) ticket: Arc<Ticket>,
}

/// Does, one after the other, all that takes time: owns the options, the position and the search.
pub(crate) struct Worker {
    options: Options,
    protocol: Protocol,
    rules: RuleSet,
    /// The network of the option, whichever game it plays.
    network: Option<Network>,
    thinker: Box<dyn Think>,
    out: Output,
    /// Whether it was said that there is no network.
    said_material: bool,
}

impl Worker {
    pub(crate) fn new(out: Output) -> Worker {
        let options = Options::default();
        let rules = RuleSet::Makruk;
        Worker {
            thinker: thinker(rules, &options),
            options,
            protocol: Protocol::default(),
            rules,
            network: None,
            out,
            said_material: false,
        }
    }

    /// Does a job. Whatever goes wrong, it is answered, and the next one can be done.
    pub(crate) fn work(&mut self, job: &Job) {
        let done = catch_unwind(AssertUnwindSafe(|| self.obey(job)));
        if done.is_err() {
            self.out.error("the engine failed; its search starts anew");
            let renewed = catch_unwind(AssertUnwindSafe(|| {
                self.thinker.renew(&self.options);
                self.thinker.use_material();
                self.equip();
            }));
            if renewed.is_err() {
                self.thinker = thinker(self.rules, &self.options);
            }
            if matches!(job.command, Command::Go(_)) {
                let choice = self.thinker.any_move(self.protocol);
                self.tell(&choice);
            }
        }
        job.ticket.done.store(true, Ordering::Release);
    }

    fn obey(&mut self, job: &Job) {
        let signal = &job.ticket.signal;
        match &job.command {
            Command::Uci => self.introduce(Protocol::Uci),
            Command::Usi => self.introduce(Protocol::Usi),
            Command::IsReady => self.out.line("readyok"),
            Command::NewGame => self.thinker.new_game(),
            Command::Position { start, moves } => {
                let set = self.thinker.set_position(start, moves, self.protocol);
                if let Err(error) = set {
                    self.out
                        .error(format_args!("{error}; the last position stays"));
                }
            }
            Command::Go(go) => self.go(go, signal),
            Command::SetOption { name, value } => self.set_option(name, value),
            Command::Display => self.out.line(self.thinker.display()),
            Command::Eval => match self.thinker.eval(self.protocol) {
                Ok(text) => self.out.line(text),
                Err(error) => self.out.error(format_args!("{error:#}")),
            },
            Command::Perft(depth) => {
                let (thinker, context) = self.split();
                thinker.perft(*depth, signal, &context);
            }
            Command::Stop | Command::PonderHit | Command::Quit => {}
        }
    }

    /// The thinker and how it speaks.
    fn split(&mut self) -> (&mut dyn Think, OutputContext<'_>) {
        let context = OutputContext {
            options: &self.options,
            protocol: self.protocol,
            out: &self.out,
        };
        (self.thinker.as_mut(), context)
    }

    fn introduce(&mut self, protocol: Protocol) {
        self.protocol = protocol;
        if protocol == Protocol::Usi && self.rules != RuleSet::ToriShogi {
            self.play(RuleSet::ToriShogi);
        }
        let ok = match protocol {
            Protocol::Uci => "uciok",
            Protocol::Usi => "usiok",
        };
        let version = env!("CARGO_PKG_VERSION");
        let options = Announced(protocol);
        self.out.line(format_args!(
            "id name Garuda {version}\nid author the Garuda developers\n{options}{ok}"
        ));
    }

    fn go(&mut self, go: &Go, signal: &Signal) {
        if self.protocol == Protocol::Usi && go.mate {
            self.out.line("checkmate notimplemented");
            return;
        }
        if !self.has_network() && !std::mem::replace(&mut self.said_material, true) {
            self.out.send(format_args!(
                "no network for {} (option EvalFile): pieces are counted instead",
                self.rules
            ));
        }
        let (thinker, context) = self.split();
        let choice = thinker.go(go, signal, &context);
        // Whoever lets an engine think for ever, or ponder, wants no answer before saying so.
        let patient = || go.infinite || go.ponder && signal.elapsed().is_none();
        while patient() && !signal.is_stopped() {
            thread::sleep(Duration::from_millis(1));
        }
        let choice = choice.unwrap_or_else(|error| {
            self.out.error(format_args!("{error:#}"));
            self.thinker.any_move(self.protocol)
        });
        self.tell(&choice);
    }

    fn tell(&self, choice: &Choice) {
        match (choice, self.protocol) {
            (Choice::Play { best, ponder: None }, _) => {
                self.out.line(format_args!("bestmove {best}"));
            }
            (
                Choice::Play {
                    best,
                    ponder: Some(ponder),
                },
                _,
            ) => {
                self.out
                    .line(format_args!("bestmove {best} ponder {ponder}"));
            }
            (Choice::Won, Protocol::Usi) => self.out.line("bestmove win"),
            (Choice::Nothing, Protocol::Usi) => self.out.line("bestmove resign"),
            (Choice::Won | Choice::Nothing, Protocol::Uci) => self.out.line("bestmove (none)"),
        }
    }

    fn set_option(&mut self, name: &str, value: &str) {
        let before = self.options.clone();
        match self.options.set(name, value) {
            Err(error) => self.out.error(error),
            Ok(_) if self.options == before => {}
            Ok(Name::Variant) => self.set_variant(before),
            Ok(Name::EvalFile) => self.set_eval_file(before),
            Ok(Name::Threads) => self.equip(),
            Ok(Name::Hash) => self.thinker.renew(&self.options),
            Ok(Name::MultiPv | Name::ShowWdl | Name::Overhead | Name::Ponder) => {}
        }
    }

    fn set_variant(&mut self, before: Options) {
        let Some(rules) = self.options.variant else {
            return;
        };
        if self.protocol == Protocol::Usi && rules != RuleSet::ToriShogi {
            self.out
                .error(format_args!("USI plays torishogi only, not {rules}"));
            self.options = before;
        } else if rules != self.rules {
            self.play(rules);
        }
    }

    /// Turns to another game, with the network if it plays that.
    fn play(&mut self, rules: RuleSet) {
        self.rules = rules;
        self.thinker = thinker(rules, &self.options);
        if let Some(network) = &self.network
            && network.info().rules != rules
        {
            let found = network.info().rules;
            self.out.error(format_args!(
                "the network of EvalFile plays {found}, not {rules}: it is not used"
            ));
        }
        self.equip();
    }

    fn set_eval_file(&mut self, before: Options) {
        let Some(path) = &self.options.eval_file else {
            self.network = None;
            self.equip();
            return;
        };
        let fixed = match self.protocol {
            Protocol::Uci => self.options.variant,
            Protocol::Usi => Some(RuleSet::ToriShogi),
        };
        let network = match Network::read(path) {
            Ok(network) => network,
            Err(error) => {
                self.out
                    .error(format_args!("{:#}", anyhow::Error::new(error)));
                self.options = before;
                return;
            }
        };
        let found = network.info().rules;
        if let Some(rules) = fixed.filter(|&rules| rules != found) {
            self.out.error(format_args!(
                "the network {} plays {found}, but the variant is {rules}: it is not used",
                path.display()
            ));
            self.options = before;
            return;
        }
        if let Err(error) = self.install(network) {
            self.out
                .error(format_args!("the network is not used: {error:#}"));
            self.options = before;
        }
    }

    /// Takes up a network and its game, or changes nothing.
    fn install(&mut self, network: Network) -> anyhow::Result<()> {
        let found = network.info().rules;
        if found == self.rules {
            self.thinker.use_network(&network, self.options.threads)?;
        } else {
            let mut thinker = thinker(found, &self.options);
            thinker.use_network(&network, self.options.threads)?;
            self.thinker = thinker;
            self.rules = found;
        }
        self.out.send(described(&network, &self.options));
        self.network = Some(network);
        Ok(())
    }

    fn has_network(&self) -> bool {
        let network = self.network.as_ref();
        network.is_some_and(|network| network.info().rules == self.rules)
    }

    /// Gives the thinker the network, if there is one for the game.
    fn equip(&mut self) {
        let Some(network) = self.network.as_ref().filter(|_| self.has_network()) else {
            self.thinker.use_material();
            return;
        };
        match self.thinker.use_network(network, self.options.threads) {
            Ok(()) => self.out.send(described(network, &self.options)),
            Err(error) => self
                .out
                .error(format_args!("{error:#}; all stays as it was")),
        }
    }
}

fn described(network: &Network, options: &Options) -> String {
    let info = network.info();
    let threads = options.threads;
    format!(
        "playing {} by a network of {}, step {} of {}; threads: {threads}",
        info.rules, info.architecture, info.step, info.run
    )
}

fn thinker(rules: RuleSet, options: &Options) -> Box<dyn Think> {
    with_rule_set!(rules, P => Box::new(Thinker::<P>::new(options)))
}

#[cfg(test)]
mod tests {
    use std::io::{self, Write};
    use std::sync::Mutex;

    use garuda_mcts::{EvalError, Evaluations, Evaluator};
    use garuda_rules::tori::ToriPosition;
    use garuda_rules::{GameState, Move};

    use super::*;
    use crate::rooted::Judge;

    /// What was written, for those who wrote it to read.
    #[derive(Clone, Default)]
    struct Sheet(Arc<Mutex<Vec<u8>>>);

    impl Write for Sheet {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().extend(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    /// Fails at its third batch, in one way or another.
    struct Failing {
        panics: bool,
        runs: u32,
    }

    impl Evaluator<GameState<ToriPosition>> for Failing {
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

    fn job(line: &str) -> Job {
        let ticket = Ticket {
            signal: Signal::new(),
            endless: false,
            is_search: true,
            done: AtomicBool::new(false),
        };
        Job {
            command: Command::parse(line).unwrap().unwrap(),
            ticket: Arc::new(ticket),
        }
    }

    #[test]
    fn whatever_fails_a_move_is_answered_and_the_next_search_works() {
        for panics in [false, true] {
            let sheet = Sheet::default();
            let mut worker = Worker::new(Output::new(sheet.clone()));
            worker.work(&job("setoption name UCI_Variant value torishogi"));
            let mut thinker = Thinker::<ToriPosition>::new(&worker.options);
            thinker.use_judge(Judge::new(Failing { panics, runs: 0 }), 1);
            worker.thinker = Box::new(thinker);
            for _ in 0..3 {
                let go = job("go nodes 50");
                worker.work(&go);
                assert!(go.ticket.done.load(Ordering::Acquire));
            }
            worker.work(&job("setoption name EvalFile value <empty>"));
            worker.thinker.use_material();
            worker.work(&job("go nodes 50"));
            let bytes = sheet.0.lock().unwrap().clone();
            let text = String::from_utf8(bytes).unwrap();
            let errors = text.matches("info string error").count();
            assert_eq!(errors, 3, "{text}");
            assert_eq!(text.matches("bestmove").count(), 4, "{text}");
            assert_eq!(text.contains("the engine failed"), panics, "{text}");
            assert!(!text.contains("(none)"), "{text}");
            assert!(text.contains("nodes 50 "), "{text}");
        }
    }
}
