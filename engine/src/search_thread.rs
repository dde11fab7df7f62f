use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use garuda_mcts::SearchControl;
use garuda_model::Network;
use garuda_rules::{RuleSet, with_rule_set};

use crate::book_file::read_book;
use crate::options::{OptionList, OptionName, Options};
use crate::output::Output;
use crate::protocol::{Command, Go, Protocol};
use crate::searcher::{BestMove, GameSearcher, OutputContext, Searcher};

/// The reader's handle of a queued command.
#[derive(Debug)]
pub(crate) struct CommandHandle {
    pub(crate) control: SearchControl,
    pub(crate) is_search: bool,
    pub(crate) done: AtomicBool,
}

pub(crate) struct QueuedCommand {
    pub(crate) command: Command,
    pub(crate) handle: Arc<CommandHandle>,
}

/// Executes the queued commands one after the other: owns the options, the position and the
/// search.
pub(crate) struct SearchThread {
    options: Options,
    protocol: Protocol,
    rules: RuleSet,
    /// The network of `EvalFile`, which may be for another rule set.
    network: Option<Network>,
    searcher: Box<dyn Searcher>,
    out: Output,
    /// Whether the missing network has been reported.
    warned_no_network: bool,
    /// Whether an evaluator was chosen for the rule set: not before the first command that needs
    /// it, so that the engine starts at once.
    is_loaded: bool,
}

impl SearchThread {
    pub(crate) fn new(out: Output) -> SearchThread {
        let options = Options::default();
        let rules = Protocol::default().rule_sets()[0];
        SearchThread {
            searcher: new_searcher(rules, &options, &out),
            options,
            protocol: Protocol::default(),
            rules,
            network: None,
            out,
            warned_no_network: false,
            is_loaded: false,
        }
    }

    /// Executes a command. Even after a panic a `go` gets its `bestmove`, and the next command can
    /// be executed.
    pub(crate) fn execute(&mut self, queued: &QueuedCommand) {
        let result = catch_unwind(AssertUnwindSafe(|| self.dispatch(queued)));
        if result.is_err() {
            self.out.error("the engine failed; its search was reset");
            let recovered = catch_unwind(AssertUnwindSafe(|| {
                self.searcher.reset_hash();
                self.searcher.use_material();
                allocate_hash(self.searcher.as_mut(), &self.options, &self.out);
                self.load_evaluator();
            }));
            if recovered.is_err() {
                self.searcher = new_searcher(self.rules, &self.options, &self.out);
            }
            if matches!(queued.command, Command::Go(_)) {
                let best = self.searcher.fallback_move(self.protocol);
                self.send_best_move(&best);
            }
        }
        queued.handle.done.store(true, Ordering::Release);
    }

    fn dispatch(&mut self, queued: &QueuedCommand) {
        let control = &queued.handle.control;
        let needs_evaluator = matches!(
            queued.command,
            Command::IsReady | Command::Go(_) | Command::Eval
        );
        if needs_evaluator && !self.is_loaded {
            self.load_evaluator();
        }
        match &queued.command {
            Command::Uci => self.identify(Protocol::Uci),
            Command::Usi => self.identify(Protocol::Usi),
            Command::IsReady => self.out.line("readyok"),
            Command::NewGame => self.searcher.new_game(),
            Command::Position { start, moves } => {
                let result = self.searcher.set_position(start, moves, self.protocol);
                if let Err(error) = result {
                    self.out
                        .error(format_args!("{error}; the last position is kept"));
                }
            }
            Command::Go(go) => self.go(go, control),
            Command::SetOption { name, value } => self.set_option(name, value),
            Command::Display => self.out.line(self.searcher.display()),
            Command::Eval => match self.searcher.eval(self.protocol) {
                Ok(text) => self.out.line(text),
                Err(error) => self.out.error(format_args!("{error:#}")),
            },
            Command::Perft(depth) => {
                let (searcher, context) = self.searcher_and_context();
                searcher.perft(*depth, control, &context);
            }
            Command::Stop | Command::PonderHit | Command::Quit => {}
        }
    }

    fn searcher_and_context(&mut self) -> (&mut dyn Searcher, OutputContext<'_>) {
        let context = OutputContext {
            options: &self.options,
            protocol: self.protocol,
            out: &self.out,
        };
        (self.searcher.as_mut(), context)
    }

    fn identify(&mut self, protocol: Protocol) {
        self.protocol = protocol;
        let rule_sets = protocol.rule_sets();
        if !rule_sets.contains(&self.rules) {
            self.switch_rules(rule_sets[0]);
        }
        let ok = match protocol {
            Protocol::Uci => "uciok",
            Protocol::Usi => "usiok",
        };
        let version = env!("CARGO_PKG_VERSION");
        let options = OptionList(protocol);
        self.out.line(format_args!(
            "id name Garuda {version}\nid author the Garuda developers\n{options}{ok}"
        ));
    }

    fn go(&mut self, go: &Go, control: &SearchControl) {
        if self.protocol == Protocol::Usi && go.mate {
            self.out.line("checkmate notimplemented");
            return;
        }
        let has_network = self.has_network() || Network::is_shipped(self.rules);
        if !has_network && !std::mem::replace(&mut self.warned_no_network, true) {
            self.out.info_string(format_args!(
                "no network for {} (option EvalFile): playing with the material evaluator",
                self.rules
            ));
        }
        let is_analysis = go.is_endless() || go.ponder || !go.searchmoves.is_empty();
        if let Some(best) = self
            .searcher
            .book_move(self.protocol)
            .filter(|_| !is_analysis)
        {
            self.out.info_string("a move of the book");
            self.send_best_move(&best);
            return;
        }
        let (searcher, context) = self.searcher_and_context();
        let result = searcher.go(go, control, &context);
        // `go infinite` and `go ponder` get no `bestmove` before `stop` or `ponderhit`.
        let must_wait = || go.infinite || go.ponder && control.elapsed().is_none();
        while must_wait() && !control.is_stopped() {
            thread::sleep(Duration::from_millis(1));
        }
        let best = result.unwrap_or_else(|error| {
            self.out.error(format_args!("{error:#}"));
            self.searcher.fallback_move(self.protocol)
        });
        self.send_best_move(&best);
    }

    fn send_best_move(&self, best: &BestMove) {
        match (best, self.protocol) {
            (BestMove::Move { best, ponder: None }, _) => {
                self.out.line(format_args!("bestmove {best}"));
            }
            (
                BestMove::Move {
                    best,
                    ponder: Some(ponder),
                },
                _,
            ) => {
                self.out
                    .line(format_args!("bestmove {best} ponder {ponder}"));
            }
            (BestMove::Won, Protocol::Usi) => self.out.line("bestmove win"),
            (BestMove::None, Protocol::Usi) => self.out.line("bestmove resign"),
            (BestMove::Won | BestMove::None, Protocol::Uci) => self.out.line("bestmove (none)"),
        }
    }

    fn set_option(&mut self, name: &str, value: &str) {
        let before = self.options.clone();
        match self.options.set(name, value) {
            Err(error) => self.out.error(error),
            Ok(_) if self.options == before => {}
            Ok(OptionName::Variant) => self.set_variant(before),
            Ok(OptionName::EvalFile) => self.set_eval_file(before),
            Ok(OptionName::Book) => self.set_book(before),
            Ok(OptionName::Threads) => self.load_evaluator(),
            Ok(
                OptionName::Hash
                | OptionName::Cpuct
                | OptionName::FpuReduction
                | OptionName::PolicyTemperature,
            ) => self.new_tree(before),
            Ok(
                OptionName::MultiPv
                | OptionName::ShowWdl
                | OptionName::MoveOverhead
                | OptionName::Ponder,
            ) => {}
        }
    }

    fn set_book(&mut self, before: Options) {
        if let Err(error) = self.load_book() {
            self.out
                .error(format_args!("{error:#}; the book is not used"));
            self.options = before;
        }
    }

    /// Reads the book of the option, for the present rule set. On an error nothing changes.
    fn load_book(&mut self) -> anyhow::Result<()> {
        let text = match &self.options.book {
            Some(path) => read_book(path)?,
            None => String::new(),
        };
        self.searcher.use_book(&text)
    }

    /// Replaces the tree and the cache by ones for the new options.
    fn new_tree(&mut self, before: Options) {
        if let Err(error) = self.searcher.resize_hash(&self.options) {
            let old = before.hash_mib;
            self.out
                .error(format_args!("{error:#}; Hash remains {old} MiB"));
            self.options = before;
        }
    }

    fn set_variant(&mut self, before: Options) {
        let Some(rules) = self.options.variant else {
            return;
        };
        let rule_sets = self.protocol.rule_sets();
        if !rule_sets.contains(&rules) {
            let names: Vec<_> = rule_sets.iter().map(|rules| rules.name()).collect();
            let names = names.join(", ");
            self.out
                .error(format_args!("USI plays {names} only, not {rules}"));
            self.options = before;
        } else if rules != self.rules {
            self.switch_rules(rules);
        }
    }

    /// Switches to another rule set, with the network if it is for that.
    fn switch_rules(&mut self, rules: RuleSet) {
        self.rules = rules;
        self.searcher = new_searcher(rules, &self.options, &self.out);
        self.is_loaded = false;
        self.reload_book();
        if let Some(network) = &self.network
            && network.info().rules != rules.name()
        {
            let found = &network.info().rules;
            self.out.error(format_args!(
                "the network of EvalFile is for {found}, not {rules}: it is not used"
            ));
        }
        if self.network.is_some() {
            self.load_evaluator();
        }
    }

    fn set_eval_file(&mut self, before: Options) {
        let Some(path) = &self.options.eval_file else {
            self.network = None;
            self.load_evaluator();
            return;
        };
        let required = match self.protocol {
            Protocol::Uci => self.options.variant,
            Protocol::Usi => Some(self.rules),
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
        let found = &network.info().rules;
        if let Some(rules) = required.filter(|rules| rules.name() != found) {
            self.out.error(format_args!(
                "the network {} is for {found}, but the variant is {rules}: it is not used",
                path.display()
            ));
            self.options = before;
            return;
        }
        if let Err(error) = self.use_network(network) {
            self.out
                .error(format_args!("the network is not used: {error:#}"));
            self.options = before;
        }
    }

    /// Reads the book again for another rule set, whose positions it may have.
    fn reload_book(&mut self) {
        if let Err(error) = self.load_book() {
            let rules = self.rules;
            self.out
                .error(format_args!("{error:#}; the book is not used for {rules}"));
        }
    }

    /// Uses a network and switches to its rule set. On an error nothing changes.
    fn use_network(&mut self, network: Network) -> anyhow::Result<()> {
        let found = network.info().rule_set()?;
        if found == self.rules {
            self.searcher.use_network(&network, self.options.threads)?;
        } else {
            let mut searcher = new_searcher(found, &self.options, &self.out);
            searcher.use_network(&network, self.options.threads)?;
            self.searcher = searcher;
            self.rules = found;
            self.reload_book();
        }
        self.out
            .info_string(network_summary(&network, &self.options));
        self.network = Some(network);
        self.is_loaded = true;
        Ok(())
    }

    fn has_network(&self) -> bool {
        let network = self.network.as_ref();
        network.is_some_and(|network| network.info().rules == self.rules.name())
    }

    /// Uses the network of `EvalFile` if it is for the rule set, or else the shipped one, or else
    /// the material evaluator.
    fn load_evaluator(&mut self) {
        self.is_loaded = true;
        let own = self.network.clone().filter(|_| self.has_network());
        let shipped = || match Network::shipped(self.rules)? {
            Ok(network) => Some(network),
            Err(error) => {
                let error = anyhow::Error::new(error);
                self.out
                    .error(format_args!("the shipped network is not used: {error:#}"));
                None
            }
        };
        let Some(network) = own.or_else(shipped) else {
            self.searcher.use_material();
            return;
        };
        match self.searcher.use_network(&network, self.options.threads) {
            Ok(()) => self
                .out
                .info_string(network_summary(&network, &self.options)),
            Err(error) => self
                .out
                .error(format_args!("{error:#}; nothing was changed")),
        }
    }
}

fn network_summary(network: &Network, options: &Options) -> String {
    let info = network.info();
    let threads = options.threads;
    format!(
        "playing {} with the network {}, step {} of run {}; threads: {threads}",
        info.rules, info.architecture, info.step, info.run
    )
}

/// A searcher with the hash of the options or, without enough memory, a small one.
fn new_searcher(rules: RuleSet, options: &Options, out: &Output) -> Box<dyn Searcher> {
    let mut searcher: Box<dyn Searcher> =
        with_rule_set!(rules, P => Box::new(GameSearcher::<P>::new()));
    allocate_hash(searcher.as_mut(), options, out);
    searcher
}

fn allocate_hash(searcher: &mut dyn Searcher, options: &Options, out: &Output) {
    if let Err(error) = searcher.resize_hash(options) {
        out.error(format_args!("{error:#}; playing with a small one"));
    }
}

#[cfg(test)]
mod tests;
