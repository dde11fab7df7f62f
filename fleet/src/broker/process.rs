use std::env;
use std::fs;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use garuda_run::{ChildGroup, write_atomically};
use rustix::process::{Pid, Signal, kill_process};
use tracing::{info, warn};

use crate::registry::BrokerDir;

/// The variable that names the server's program.
const VARIABLE: &str = "NATS_SERVER";
const CONFIG: &str = "nats.conf";
/// How long the server may take to start or to end.
const PATIENCE: Duration = Duration::from_secs(10);
/// Pause before a server that ended is started again.
const RESTART_PAUSE: Duration = Duration::from_millis(500);

/// A nats-server that this process started. It ends with this value.
#[derive(Debug)]
pub(crate) struct Broker {
    dir: BrokerDir,
    server: PathBuf,
    address: SocketAddr,
    child: Option<Child>,
    /// Ends the server with a trainer that is interrupted twice.
    group: Option<ChildGroup>,
    ended: Option<Instant>,
}

/// The server's program: the one that the variable names, or where it was when this program was
/// built.
fn find_server() -> anyhow::Result<PathBuf> {
    let named = env::var_os(VARIABLE).map(PathBuf::from);
    let candidates: Vec<_> = match named {
        Some(path) => vec![path],
        None => {
            let beside = env::current_exe()
                .ok()
                .and_then(|program| Some(program.parent()?.join("nats-server")));
            let built_with = option_env!("NATS_SERVER").map(PathBuf::from);
            beside.into_iter().chain(built_with).collect()
        }
    };
    match candidates.iter().find(|path| path.is_file()) {
        Some(path) => Ok(path.clone()),
        None => bail!(
            "nats-server is not there. Use scripts/garuda train … --listen, which fetches it, or \
             set {VARIABLE} to the program (2.15 or newer)"
        ),
    }
}

impl Broker {
    /// Starts the server with a configuration for an address, whose port may be 0 for any.
    pub(crate) fn start(
        dir: &BrokerDir,
        listen: SocketAddr,
        config: impl Fn(SocketAddr) -> String,
    ) -> anyhow::Result<Broker> {
        let server = find_server()?;
        end_orphan(dir);
        let address = free_address(listen)?;
        let mut broker = Broker {
            dir: dir.clone(),
            server,
            address,
            child: None,
            group: None,
            ended: None,
        };
        broker.write_config(&config(address))?;
        broker.spawn()?;
        broker.wait_until_ready()?;
        write_atomically(&dir.file("address"), address.to_string().as_bytes())?;
        Ok(broker)
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    fn write_config(&self, config: &str) -> anyhow::Result<()> {
        write_atomically(&self.dir.file(CONFIG), config.as_bytes())
    }

    fn spawn(&mut self) -> anyhow::Result<()> {
        let child = Command::new(&self.server)
            .arg("--config")
            .arg(self.dir.file(CONFIG))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            // Ctrl-C goes to everyone in the terminal's group. The broker must outlive the trainer's
            // last messages; the trainer ends it.
            .process_group(0)
            .spawn()
            .with_context(|| format!("cannot start {}", self.server.display()))?;
        self.group = Some(ChildGroup::of(&child));
        self.child = Some(child);
        Ok(())
    }

    /// Whether the server does not run.
    fn has_ended(&mut self) -> bool {
        let Some(child) = &mut self.child else {
            return true;
        };
        // Not while the child may be waited for, after which its id can be another's.
        self.group = None;
        let has_ended = matches!(child.try_wait(), Ok(Some(_)));
        if !has_ended {
            self.group = Some(ChildGroup::of(child));
        }
        has_ended
    }

    fn wait_until_ready(&mut self) -> anyhow::Result<()> {
        let started = Instant::now();
        let near = reachable(self.address);
        while TcpStream::connect_timeout(&near, Duration::from_secs(1)).is_err() {
            if self.has_ended() || started.elapsed() > PATIENCE {
                bail!(
                    "nats-server does not start: {}",
                    last_line(&self.dir.file("log"))
                );
            }
            thread::sleep(Duration::from_millis(20));
        }
        Ok(())
    }

    /// Changes who may connect, without interrupting the others.
    pub(crate) fn reload(&self, config: &str) -> anyhow::Result<()> {
        self.write_config(config)?;
        if let Some(child) = &self.child {
            signal(child.id(), Signal::HUP);
        }
        Ok(())
    }

    /// Starts the server again if it has ended.
    pub(crate) fn keep_alive(&mut self) {
        if self.ended.is_none() && !self.has_ended() {
            return;
        }
        let since = *self.ended.get_or_insert_with(Instant::now);
        if since.elapsed() < RESTART_PAUSE {
            return;
        }
        self.ended = None;
        self.child = None;
        warn!("the broker has ended: it is started again");
        if let Err(e) = self.spawn() {
            self.child = None;
            warn!("{e:#}");
        }
    }
}

impl Drop for Broker {
    fn drop(&mut self) {
        self.group = None;
        let Some(child) = &mut self.child else {
            return;
        };
        signal(child.id(), Signal::TERM);
        let started = Instant::now();
        while matches!(child.try_wait(), Ok(None)) {
            if started.elapsed() > PATIENCE {
                let _ = child.kill();
                let _ = child.wait();
                return;
            }
            thread::sleep(Duration::from_millis(20));
        }
    }
}

fn signal(pid: u32, signal: Signal) {
    if let Some(pid) = i32::try_from(pid).ok().and_then(Pid::from_raw) {
        let _ = kill_process(pid, signal);
    }
}

/// Ends a server that a trainer of this run left when it was killed. The caller holds the run's
/// lock: no other trainer needs it.
fn end_orphan(dir: &BrokerDir) {
    let Ok(text) = fs::read_to_string(dir.file("pid")) else {
        return;
    };
    let Ok(pid) = text.trim().parse::<u32>() else {
        return;
    };
    let config = dir.file(CONFIG);
    if !runs_with(pid, &config) {
        return;
    }
    info!("ending the broker that an earlier trainer of this run left");
    signal(pid, Signal::TERM);
    let started = Instant::now();
    while runs_with(pid, &config) {
        if started.elapsed() > PATIENCE {
            signal(pid, Signal::KILL);
            return;
        }
        thread::sleep(Duration::from_millis(20));
    }
}

/// Whether a process is a server with this configuration: its number may be another's by now.
fn runs_with(pid: u32, config: &Path) -> bool {
    let arguments = match fs::read(format!("/proc/{pid}/cmdline")) {
        Ok(arguments) => arguments,
        Err(_) if Path::new("/proc/self").exists() => return false,
        Err(_) => {
            let number = pid.to_string();
            match Command::new("ps")
                .args(["-o", "args=", "-p", &number])
                .output()
            {
                Ok(listed) => listed.stdout,
                Err(_) => return false,
            }
        }
    };
    let arguments = String::from_utf8_lossy(&arguments);
    arguments.contains("--config") && arguments.contains(&*config.to_string_lossy())
}

/// The address with a port that nobody listens on.
fn free_address(listen: SocketAddr) -> anyhow::Result<SocketAddr> {
    let bound = TcpListener::bind(listen).and_then(|listener| listener.local_addr());
    bound.with_context(|| {
        format!("cannot listen on {listen} for workers; choose another address with --listen")
    })
}

/// How this machine reaches an address that it listens on.
pub(crate) fn reachable(listen: SocketAddr) -> SocketAddr {
    let mut near = listen;
    if listen.ip().is_unspecified() {
        near.set_ip(match listen {
            SocketAddr::V4(_) => std::net::Ipv4Addr::LOCALHOST.into(),
            SocketAddr::V6(_) => std::net::Ipv6Addr::LOCALHOST.into(),
        });
    }
    near
}

fn last_line(log: &Path) -> String {
    let text = fs::read_to_string(log).unwrap_or_default();
    let line = text.lines().rev().find(|line| !line.trim().is_empty());
    line.map_or_else(
        || "it says nothing".to_owned(),
        |line| line.trim().to_owned(),
    )
}
