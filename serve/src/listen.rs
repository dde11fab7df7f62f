use std::net::{IpAddr, SocketAddr, TcpListener};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use anyhow::{Context, anyhow};
use tracing::warn;

use crate::players::ShippedNetwork;
use crate::{Access, Site, router};

/// Without `--port` the first free one from here on.
const DEFAULT_PORT: u16 = 8642;
const PORTS_TRIED: u16 = 20;
/// How often runs are looked at for new games.
const INDEX_INTERVAL: Duration = Duration::from_secs(2);

/// What `garuda serve` was asked for.
#[derive(Debug)]
pub struct ServeOptions {
    /// Runs and network files.
    pub sources: Vec<PathBuf>,
    /// Networks that come with the program.
    pub shipped: Vec<ShippedNetwork>,
    pub bind: IpAddr,
    /// `None` for any free one, beginning with the usual one.
    pub port: Option<u16>,
    pub token: Option<String>,
    /// Names of this machine that browsers may use.
    pub hosts: Vec<String>,
    /// Whether to open the page in a browser.
    pub open: bool,
}

/// Serves the page until the process ends. `announce` gets its address once it can be opened.
pub fn serve(options: ServeOptions, announce: impl FnOnce(&str)) -> anyhow::Result<()> {
    let access = Access::new(options.bind, &options.hosts, options.token)
        .map_err(|problem| anyhow!("{}: {problem}", options.bind))?;
    let site = Arc::new(Site::new(&options.sources, options.shipped)?);
    let listener = listen(options.bind, options.port)?;
    let address = page_address(listener.local_addr()?, access.token());
    let indexed = Arc::clone(&site);
    thread::Builder::new()
        .name("index".to_owned())
        .spawn(move || {
            loop {
                indexed.update_indexes_in_use();
                thread::sleep(INDEX_INTERVAL);
            }
        })
        .context("cannot start a thread")?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .max_blocking_threads(16)
        .enable_io()
        .enable_time()
        .build()
        .context("cannot start the server")?;
    announce(&address);
    if options.open {
        open_in_browser(&address);
    }
    runtime.block_on(async {
        listener.set_nonblocking(true)?;
        let listener = tokio::net::TcpListener::from_std(listener)?;
        axum::serve(listener, router(site, access)).await
    })?;
    Ok(())
}

fn listen(bind: IpAddr, port: Option<u16>) -> anyhow::Result<TcpListener> {
    let ports = match port {
        Some(port) => port..=port,
        None => DEFAULT_PORT..=DEFAULT_PORT + PORTS_TRIED - 1,
    };
    let mut problem = None;
    for port in ports {
        let address = SocketAddr::new(bind, port);
        match TcpListener::bind(address) {
            Ok(listener) => return Ok(listener),
            Err(error) => problem = Some((address, error)),
        }
    }
    let (address, error) = problem.expect("at least one port was tried");
    Err(error).with_context(|| format!("cannot listen on {address}; --port chooses another one"))
}

/// What to open in a browser on this machine.
fn page_address(mut address: SocketAddr, token: Option<&str>) -> String {
    if address.ip().is_unspecified() {
        let loopback: IpAddr = match address {
            SocketAddr::V4(_) => [127, 0, 0, 1].into(),
            SocketAddr::V6(_) => [0, 0, 0, 0, 0, 0, 0, 1].into(),
        };
        address.set_ip(loopback);
    }
    match token {
        Some(token) => format!("http://{address}/?token={token}"),
        None => format!("http://{address}/"),
    }
}

fn open_in_browser(address: &str) {
    let program = if cfg!(target_os = "macos") {
        "open"
    } else {
        "xdg-open"
    };
    let started = Command::new(program)
        .arg(address)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    if let Err(error) = started {
        warn!("cannot open a browser with {program}: {error}; open {address} yourself");
    }
}
