//! Encryption between the broker and those who connect to it.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, ensure};
use async_nats::ConnectOptions;
use async_nats::rustls::client::WebPkiServerVerifier;
use async_nats::rustls::client::danger::{
    HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier,
};
use async_nats::rustls::crypto::ring::default_provider;
use async_nats::rustls::pki_types::pem::PemObject;
use async_nats::rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use async_nats::rustls::{
    CertificateError, ClientConfig, DigitallySignedStruct, Error, RootCertStore, SignatureScheme,
};
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, DnType, IsCa, KeyPair};

use crate::keys::write_secret;
use crate::registry::BrokerDir;

/// What the certificate of a run's own broker is made out to: it has no other name that holds
/// wherever workers find it, behind tunnels and address translation too.
const BROKER_NAME: &str = "broker.garuda.internal";

/// The files of a broker's certificate.
#[derive(Clone, Debug)]
pub(crate) struct Certificate {
    pub(crate) chain: PathBuf,
    pub(crate) key: PathBuf,
}

impl BrokerDir {
    /// The authority that signed the broker's certificate.
    pub(crate) fn ca(&self) -> PathBuf {
        self.file("ca.pem")
    }

    pub(crate) fn certificate(&self) -> Certificate {
        Certificate {
            chain: self.file("broker.pem"),
            key: self.file("broker.key"),
        }
    }

    /// Makes a certificate for the broker, and an authority for this one alone: its key is forgotten.
    pub(crate) fn make_certificate(&self) -> anyhow::Result<()> {
        let Certificate { chain, key } = self.certificate();
        if [&chain, &key, &self.ca()].iter().all(|file| file.exists()) {
            return Ok(());
        }
        let made = || -> Result<_, rcgen::Error> {
            let mut authority = CertificateParams::default();
            (authority.distinguished_name).push(DnType::CommonName, "Garuda broker's authority");
            authority.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
            let authority = CertifiedIssuer::self_signed(authority, KeyPair::generate()?)?;
            let mut broker = CertificateParams::new([BROKER_NAME.to_owned()])?;
            (broker.distinguished_name).push(DnType::CommonName, "Garuda broker");
            let key = KeyPair::generate()?;
            let signed = broker.signed_by(&key, &authority)?;
            Ok((authority.pem(), signed.pem(), key.serialize_pem()))
        };
        let (authority, signed, secret) = made().context("cannot make a certificate")?;
        write_secret(&key, &secret)?;
        write_secret(&chain, &signed)?;
        write_secret(&self.ca(), &authority)
    }

    /// Goes by the certificate of a broker that others run.
    pub(crate) fn use_authority(&self, authority: Option<&Path>) -> anyhow::Result<()> {
        let given = authority.map(|path| {
            let text = fs::read_to_string(path);
            text.with_context(|| format!("cannot read {}", path.display()))
        });
        let given = given.transpose()?;
        if let Some(text) = &given {
            secured(ConnectOptions::new(), Some(text))?;
        }
        let Certificate { chain, key } = self.certificate();
        for file in [&chain, &key, &self.ca()] {
            let _ = fs::remove_file(file);
        }
        match given {
            Some(text) => write_secret(&self.ca(), &text),
            None => Ok(()),
        }
    }

    /// The text of the authority, for keys.
    pub(crate) fn read_ca(&self) -> anyhow::Result<Option<String>> {
        let path = self.ca();
        match path.exists() {
            true => {
                let text = fs::read_to_string(&path);
                Ok(Some(text.with_context(|| {
                    format!("cannot read {}", path.display())
                })?))
            }
            false => Ok(None),
        }
    }
}

/// Connects only to a broker whose certificate an authority signed. Without one, as the address says:
/// encrypted for `tls://`, by the authorities that this machine trusts.
pub(crate) fn secured(
    options: ConnectOptions,
    authority: Option<&str>,
) -> anyhow::Result<ConnectOptions> {
    let Some(authority) = authority else {
        return Ok(options);
    };
    let mut roots = RootCertStore::empty();
    for certificate in CertificateDer::pem_slice_iter(authority.as_bytes()) {
        let added = certificate.map_err(|e| e.to_string()).and_then(|found| {
            let added = roots.add(found);
            added.map_err(|e| e.to_string())
        });
        added.map_err(|e| {
            anyhow::anyhow!("the certificate of the broker's authority is damaged: {e}")
        })?;
    }
    ensure!(
        !roots.is_empty(),
        "there is no certificate of the broker's authority"
    );
    let provider = Arc::new(default_provider());
    let verifier =
        WebPkiServerVerifier::builder_with_provider(Arc::new(roots), Arc::clone(&provider))
            .build()
            .context("the certificate of the broker's authority cannot be used")?;
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()?
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(BrokerVerifier(verifier)))
        .with_no_client_auth();
    Ok(options.tls_client_config(config).require_tls(true))
}

/// Takes a certificate for the address, or for any run's own broker: an authority of the latter kind
/// has signed one certificate only.
#[derive(Debug)]
struct BrokerVerifier(Arc<WebPkiServerVerifier>);

impl ServerCertVerifier for BrokerVerifier {
    fn verify_server_cert(
        &self,
        certificate: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        address: &ServerName<'_>,
        ocsp: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        let verify =
            |name| (self.0).verify_server_cert(certificate, intermediates, name, ocsp, now);
        match verify(address) {
            Err(Error::InvalidCertificate(
                CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. },
            )) => {
                let own = ServerName::try_from(BROKER_NAME).expect("it is a name");
                verify(&own)
            }
            verified => verified,
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.0.verify_tls12_signature(message, certificate, signed)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.0.verify_tls13_signature(message, certificate, signed)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.supported_verify_schemes()
    }
}

/// What is wrong with the broker's certificate, if that is why a connection failed.
pub(crate) fn certificate_error(error: &(dyn std::error::Error + 'static)) -> Option<String> {
    let mut cause = Some(error);
    while let Some(error) = cause {
        // An error of the system gives what it wraps as its source's source only.
        let wrapped = error.downcast_ref::<std::io::Error>();
        let wrapped = wrapped.and_then(|io| io.get_ref());
        let found = wrapped.and_then(|inner| inner.downcast_ref::<Error>());
        if let Some(found) = found.or_else(|| error.downcast_ref::<Error>()) {
            return Some(found.to_string());
        }
        cause = error.source();
    }
    None
}
