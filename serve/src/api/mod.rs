//! The API: everything is read with GET and answered in JSON.

mod board;
mod events;
mod explorer;
mod fleet;
mod games;
mod metrics;
mod play;
mod runs;

use std::sync::Arc;

use axum::extract::rejection::{PathRejection, QueryRejection};
use axum::extract::{FromRequestParts, Path, Query, State};
use axum::http::header::{CONTENT_TYPE, ETAG, IF_NONE_MATCH};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, StatusCode, Uri};
use axum::middleware;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Router, body::Body};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::error::ApiError;
use crate::guard::guard;
use crate::{Access, Site, page_files};

type SharedSite = State<Arc<Site>>;
type Answer = Result<Response, ApiError>;

/// The routes of a site.
pub fn router(site: Arc<Site>, access: Access) -> Router {
    Router::new()
        .route("/api/runs", get(runs::runs))
        .route("/api/rules", get(runs::rules))
        .route("/api/players", get(runs::players))
        .route("/api/position", get(play::position))
        .route("/api/move", get(play::engine_move))
        .route("/api/analysis", get(play::analysis))
        .route("/api/board.svg", get(board::board))
        .route("/api/r/{run}/summary", get(runs::summary))
        .route("/api/r/{run}/metrics", get(metrics::metrics))
        .route("/api/r/{run}/events", get(events::events))
        .route("/api/r/{run}/ladder", get(metrics::ladder))
        .route("/api/r/{run}/live", get(runs::live))
        .route("/api/r/{run}/fleet", get(fleet::fleet))
        .route("/api/r/{run}/openings", get(runs::openings))
        .route("/api/r/{run}/explorer", get(explorer::explorer))
        .route("/api/r/{run}/eval", get(explorer::eval))
        .route("/api/r/{run}/games", get(games::games))
        .route("/api/r/{run}/game/{checkpoint}/{number}", get(games::game))
        .route("/metrics", get(metrics::prometheus))
        .fallback(page)
        .with_state(site)
        .layer(middleware::from_fn_with_state(Arc::new(access), guard))
}

/// A file of the page.
async fn page(uri: Uri, headers: HeaderMap) -> Answer {
    let file =
        page_files::find(uri.path()).ok_or_else(|| ApiError::not_found("there is no such page"))?;
    let contents = page_files::contents(file);
    let tag = format!("\"{}\"", &blake3::hash(&contents).to_hex()[..32]);
    let tag = HeaderValue::from_str(&tag).expect("a hash is hexadecimal");
    let mut response = if headers.get(IF_NONE_MATCH) == Some(&tag) {
        StatusCode::NOT_MODIFIED.into_response()
    } else {
        let mut response = Response::new(Body::from(contents));
        let content_type = HeaderValue::from_static(file.content_type);
        response.headers_mut().insert(CONTENT_TYPE, content_type);
        response
    };
    let headers = response.headers_mut();
    headers.insert(ETAG, tag);
    headers.insert("cache-control", HeaderValue::from_static("no-cache"));
    Ok(response)
}

pub(crate) fn json_response(value: &impl Serialize) -> Response {
    let text = serde_json::to_vec(value).expect("answers have only text as keys");
    let mut response = Response::new(Body::from(text));
    let content_type = HeaderValue::from_static("application/json");
    response.headers_mut().insert(CONTENT_TYPE, content_type);
    response
}

/// Runs what reads files or computes where it does not hold up other requests.
async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, ApiError> + Send + 'static,
) -> Result<T, ApiError> {
    match tokio::task::spawn_blocking(work).await {
        Ok(result) => result,
        Err(error) => Err(ApiError::from(anyhow::Error::from(error))),
    }
}

/// Path parameters whose errors are in our words.
struct Params<T>(T);

impl<S: Send + Sync, T: DeserializeOwned + Send> FromRequestParts<S> for Params<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ApiError> {
        let found: Result<Path<T>, PathRejection> = Path::from_request_parts(parts, state).await;
        match found {
            Ok(Path(params)) => Ok(Params(params)),
            Err(error) => Err(ApiError::bad_request(error.body_text())),
        }
    }
}

/// A query whose errors are in our words.
struct Asked<T>(T);

impl<S: Send + Sync, T: DeserializeOwned> FromRequestParts<S> for Asked<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ApiError> {
        let found: Result<Query<T>, QueryRejection> = Query::from_request_parts(parts, state).await;
        match found {
            Ok(Query(query)) => Ok(Asked(query)),
            Err(error) => Err(ApiError::bad_request(error.body_text())),
        }
    }
}
