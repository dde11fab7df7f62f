use std::net::SocketAddr;
use std::path::PathBuf;

use anyhow::Context;
use garuda_run::{shown_path, write_atomically};
use tracing::warn;

use super::config::{accounts_config, broker_config};
use super::process::{Broker, reachable};
use crate::registry::{BrokerDir, Registry};

/// Where a run's trainer and workers meet.
#[derive(Clone, Debug)]
pub enum BrokerAddress {
    /// The trainer starts a broker there; port 0 for any.
    Listen(SocketAddr),
    /// A broker that others run, as in `tls://broker:4222`.
    Outside {
        url: String,
        /// A file with the authority that signed its certificate, if it is none that machines trust
        /// anyway.
        authority: Option<PathBuf>,
    },
}

/// The broker of a run.
#[derive(Debug)]
pub(crate) struct RunBroker {
    dir: BrokerDir,
    /// The trainer's public key.
    trainer: String,
    place: Place,
}

#[derive(Debug)]
enum Place {
    Own(Broker),
    Outside(String),
}

impl RunBroker {
    /// Starts it, or says who may connect to it. What workers need to trust it is there already.
    pub(crate) fn start(
        dir: &BrokerDir,
        address: &BrokerAddress,
        trainer: String,
        registry: &Registry,
    ) -> anyhow::Result<RunBroker> {
        let place = match address {
            BrokerAddress::Listen(listen) => Place::Own(Broker::start(dir, *listen, |address| {
                broker_config(dir, address, &trainer, registry)
            })?),
            BrokerAddress::Outside { url, .. } => Place::Outside(url.clone()),
        };
        let broker = RunBroker {
            dir: dir.clone(),
            trainer,
            place,
        };
        if let Place::Outside(_) = broker.place {
            broker.write_accounts(registry)?;
        }
        Ok(broker)
    }

    fn accounts(&self) -> PathBuf {
        self.dir.file("accounts.conf")
    }

    fn write_accounts(&self, registry: &Registry) -> anyhow::Result<()> {
        let config = accounts_config(&self.trainer, registry);
        write_atomically(&self.accounts(), config.as_bytes())
    }

    /// How the trainer reaches it.
    pub(crate) fn url(&self) -> String {
        match &self.place {
            Place::Own(broker) => format!("tls://{}", reachable(broker.address())),
            Place::Outside(url) => url.clone(),
        }
    }

    /// How workers reach it.
    pub(crate) fn public_url(&self) -> String {
        match &self.place {
            Place::Own(broker) if broker.address().ip().is_unspecified() => {
                let host = rustix::system::uname();
                let host = host.nodename().to_string_lossy();
                format!("tls://{host}:{}", broker.address().port())
            }
            Place::Own(broker) => format!("tls://{}", broker.address()),
            Place::Outside(url) => url.clone(),
        }
    }

    /// Whether it will be there, so that a connection is tried until there is one.
    pub(crate) fn is_own(&self) -> bool {
        matches!(self.place, Place::Own(_))
    }

    /// Starts a broker of the run's own again if it has ended.
    pub(crate) fn keep_alive(&mut self) {
        if let Place::Own(broker) = &mut self.place {
            broker.keep_alive();
        }
    }

    /// Changes who may connect, without interrupting the others.
    pub(crate) fn reload(&self, registry: &Registry) -> anyhow::Result<()> {
        match &self.place {
            Place::Own(broker) => {
                let config = broker_config(&self.dir, broker.address(), &self.trainer, registry);
                broker.reload(&config)
            }
            Place::Outside(url) => {
                self.write_accounts(registry)?;
                let accounts = shown_path(&self.accounts());
                warn!(
                    "the workers of the run have changed: give {accounts} to the broker at {url}"
                );
                Ok(())
            }
        }
    }

    /// A failure to connect, with what can be done about it.
    pub(crate) fn explained<T>(&self, result: anyhow::Result<T>) -> anyhow::Result<T> {
        result.with_context(|| match &self.place {
            Place::Own(_) => "cannot connect to the run's own broker".to_owned(),
            Place::Outside(url) => format!(
                "cannot connect to the broker at {url}; its configuration must include {}",
                shown_path(&self.accounts())
            ),
        })
    }
}
