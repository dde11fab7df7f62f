use axum::body::Body;
use axum::http::HeaderValue;
use axum::http::header::CONTENT_TYPE;
use axum::response::Response;
use garuda_rules::{Color, Position, RuleSet, SvgOptions, svg, with_rule_set};
use serde::Deserialize;

use super::{Answer, Asked};
use crate::error::ApiError;
use crate::position_view::line_of;

#[derive(Deserialize)]
pub(super) struct BoardQuery {
    rules: String,
    #[serde(default)]
    start: String,
    #[serde(default)]
    moves: String,
    #[serde(default)]
    black: bool,
    #[serde(default = "yes")]
    coordinates: bool,
}

fn yes() -> bool {
    true
}

/// A drawing of a position.
pub(super) async fn board(Asked(query): Asked<BoardQuery>) -> Answer {
    let rules: RuleSet =
        (query.rules.parse()).map_err(|error| ApiError::bad_request(format!("{error}")))?;
    let drawing = with_rule_set!(rules, P => drawing::<P>(&query))?;
    let mut response = Response::new(Body::from(drawing));
    let content_type = HeaderValue::from_static("image/svg+xml");
    response.headers_mut().insert(CONTENT_TYPE, content_type);
    Ok(response)
}

fn drawing<P: Position>(query: &BoardQuery) -> Result<String, ApiError> {
    let line = line_of(&query.start, &query.moves, P::start())
        .map_err(|error| ApiError::bad_request(format!("{error:#}")))?;
    let options = SvgOptions {
        last_move: line.moves().last().copied(),
        bottom: if query.black {
            Color::Black
        } else {
            Color::White
        },
        coordinates: query.coordinates,
    };
    Ok(svg(line.position(), &options))
}
