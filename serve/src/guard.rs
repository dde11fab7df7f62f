//! What every request must pass before anything is read, and the headers of every answer.

use std::net::IpAddr;
use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::header::{
    ALLOW, CACHE_CONTROL, CONTENT_SECURITY_POLICY, COOKIE, HOST, LOCATION, REFERRER_POLICY,
    SET_COOKIE, X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, Uri};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use crate::error::ApiError;

/// Bytes of path and query together: room for the moves of the longest game.
const MAX_URI: usize = 24 << 10;

const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; \
    img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; \
    frame-ancestors 'none'";

const TOKEN_COOKIE: &str = "garuda_token";

/// Who may use the page.
///
/// A page of another site can make a browser send requests here, also under a name that it lets
/// point to this machine (DNS rebinding). The name is in the header `Host`, so that only known ones
/// are answered.
#[derive(Clone, Debug)]
pub struct Access {
    /// The address that is listened on.
    bind: IpAddr,
    /// Names of this machine that were allowed explicitly, in lower case.
    names: Vec<String>,
    /// What has to be known beyond loopback.
    token: Option<String>,
}

impl Access {
    /// Access from this machine alone.
    pub fn local() -> Access {
        Access {
            bind: IpAddr::from([127, 0, 0, 1]),
            names: Vec::new(),
            token: None,
        }
    }

    /// Access by the address `bind`; beyond loopback a token is required.
    pub fn new(
        bind: IpAddr,
        names: &[String],
        token: Option<String>,
    ) -> Result<Access, &'static str> {
        match &token {
            None if !bind.is_loopback() => {
                return Err("an address that others can reach needs --token");
            }
            Some(token) if token.len() < 12 => {
                return Err("the token must have at least 12 characters");
            }
            Some(token) if !token.bytes().all(|b| b.is_ascii_alphanumeric()) => {
                return Err("the token may have only letters and digits");
            }
            _ => {}
        }
        Ok(Access {
            bind,
            names: names.iter().map(|name| name.to_ascii_lowercase()).collect(),
            token,
        })
    }

    pub fn token(&self) -> Option<&str> {
        self.token.as_deref()
    }

    /// Whether a `Host` header, with or without a port, names this machine.
    fn knows(&self, host: &str) -> bool {
        let name = match host.strip_prefix('[') {
            Some(rest) => match rest.split_once(']') {
                Some((name, port)) if is_port(port) => name,
                _ => return false,
            },
            None => match host.split_once(':') {
                Some((name, port)) if is_port(&format!(":{port}")) => name,
                Some(_) => return false,
                None => host,
            },
        };
        let name = name.to_ascii_lowercase();
        match name.parse::<IpAddr>() {
            Ok(address) => {
                address.is_loopback() || address == self.bind || self.bind.is_unspecified()
            }
            Err(_) => name == "localhost" || self.names.contains(&name),
        }
    }

    fn knows_token(&self, headers: &HeaderMap) -> bool {
        let Some(token) = &self.token else {
            return true;
        };
        (headers.get_all(COOKIE).iter())
            .filter_map(|value| value.to_str().ok())
            .flat_map(|value| value.split(';'))
            .filter_map(|pair| pair.trim().strip_prefix(TOKEN_COOKIE)?.strip_prefix('='))
            .any(|given| same_secret(given, token))
    }
}

fn is_port(text: &str) -> bool {
    text.is_empty()
        || text
            .strip_prefix(':')
            .is_some_and(|port| port.parse::<u16>().is_ok())
}

/// Compares in a time that says nothing of where the two differ.
fn same_secret(a: &str, b: &str) -> bool {
    blake3::hash(a.as_bytes()) == blake3::hash(b.as_bytes())
}

/// The token in a query such as `?token=…`.
fn token_of(uri: &Uri) -> Option<&str> {
    let pairs = uri.query()?.split('&');
    pairs.filter_map(|pair| pair.strip_prefix("token=")).next()
}

pub(crate) async fn guard(
    State(access): State<Arc<Access>>,
    request: Request,
    next: Next,
) -> Response {
    let mut response = match check(&access, &request) {
        Ok(()) => next.run(request).await,
        Err(response) => *response,
    };
    let headers = response.headers_mut();
    let fixed = [
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (REFERRER_POLICY, "no-referrer"),
        (
            HeaderName::from_static("cross-origin-resource-policy"),
            "same-origin",
        ),
        (
            HeaderName::from_static("cross-origin-opener-policy"),
            "same-origin",
        ),
    ];
    for (name, value) in fixed {
        headers.insert(name, HeaderValue::from_static(value));
    }
    for (name, value) in [
        (CONTENT_SECURITY_POLICY, POLICY),
        (CACHE_CONTROL, "no-store"),
    ] {
        headers
            .entry(name)
            .or_insert(HeaderValue::from_static(value));
    }
    response
}

/// The answer to a request that is refused, or to one that brings the token.
fn check(access: &Access, request: &Request) -> Result<(), Box<Response>> {
    let refuse =
        |status, message: &str| Err(Box::new(ApiError::new(status, message).into_response()));
    let headers = request.headers();
    let host = headers.get(HOST).and_then(|value| value.to_str().ok());
    let authority = request
        .uri()
        .authority()
        .map(axum::http::uri::Authority::as_str);
    let known = host.is_some_and(|host| access.knows(host))
        && authority.is_none_or(|authority| access.knows(authority))
        && headers.get_all(HOST).iter().count() == 1;
    if !known {
        return refuse(
            StatusCode::MISDIRECTED_REQUEST,
            "this is not a name of this machine; --allow-host allows another one",
        );
    }
    if ![Method::GET, Method::HEAD].contains(request.method()) {
        let mut response = ApiError::new(
            StatusCode::METHOD_NOT_ALLOWED,
            "everything here is read with GET",
        )
        .into_response();
        (response.headers_mut()).insert(ALLOW, HeaderValue::from_static("GET, HEAD"));
        return Err(Box::new(response));
    }
    let uri = request.uri();
    if uri.path_and_query().map_or(0, |text| text.as_str().len()) > MAX_URI {
        return refuse(StatusCode::URI_TOO_LONG, "the request is too long");
    }
    let site = headers.get("sec-fetch-site").map(HeaderValue::as_bytes);
    if uri.path().starts_with("/api") && matches!(site, Some(b"cross-site" | b"same-site")) {
        return refuse(StatusCode::FORBIDDEN, "pages of other sites are refused");
    }
    if let Some(token) = &access.token
        && uri.path() == "/"
        && token_of(uri).is_some_and(|given| same_secret(given, token))
    {
        // The address with the token does not stay in the browser's history.
        let cookie = format!("{TOKEN_COOKIE}={token}; Path=/; HttpOnly; SameSite=Strict");
        let cookie = HeaderValue::from_str(&cookie).expect("a token has only letters and digits");
        let mut response = StatusCode::SEE_OTHER.into_response();
        let headers = response.headers_mut();
        headers.insert(SET_COOKIE, cookie);
        headers.insert(LOCATION, HeaderValue::from_static("/"));
        return Err(Box::new(response));
    }
    if !access.knows_token(headers) {
        return refuse(
            StatusCode::UNAUTHORIZED,
            "open the address that the program printed, with its token",
        );
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts() {
        let local = Access::local();
        let known = [
            "localhost",
            "localhost:8642",
            "LOCALHOST:1",
            "127.0.0.1:80",
            "127.9.9.9",
            "[::1]:8642",
            "[::1]",
        ];
        for host in known {
            assert!(local.knows(host), "{host}");
        }
        let foreign = [
            "",
            "evil.example",
            "localhost.evil.example",
            "127.0.0.1.evil.example",
            "10.0.0.1",
            "[::2]",
            "[::1",
            "localhost:port",
            "localhost:1:2",
            "::1",
        ];
        for host in foreign {
            assert!(!local.knows(host), "{host}");
        }
        let token = Some("abcdefghijkl".to_owned());
        let wide = Access::new([0, 0, 0, 0].into(), &["Box.lan".to_owned()], token).unwrap();
        for host in ["192.0.2.7:8642", "box.lan", "localhost"] {
            assert!(wide.knows(host), "{host}");
        }
        assert!(!wide.knows("evil.example"));
    }

    #[test]
    fn tokens() {
        let everywhere = IpAddr::from([0, 0, 0, 0]);
        for token in [None, Some("short"), Some("with spaces and more")] {
            assert!(Access::new(everywhere, &[], token.map(str::to_owned)).is_err());
        }
        assert!(Access::new(IpAddr::from([127, 0, 0, 1]), &[], None).is_ok());
    }
}
