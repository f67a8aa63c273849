use std::{future::Future, sync::Arc, time::Duration, time::Instant};

use axum::extract::rejection::PathRejection;
use axum::extract::{Path, Query, State};
use axum::http::{StatusCode, header::CONTENT_TYPE};
use axum::response::{IntoResponse, Response};
use axum::{Router, routing::get};
use serde::Serialize;
use tokio::time::timeout;

use super::Layer;
use crate::users::{Failure, Source, USUAL_SIZE, or_usual};

/// Time limit of the layers below.
const ANSWER_LIMIT: Duration = Duration::from_secs(5);

/// Answers the paths of the study, and those for health and metrics.
pub fn router<S: Source>(layer: Arc<Layer<S>>) -> Router {
    Router::new()
        .route("/api/v1/users/{id}", get(user))
        .route("/api/v1/users", get(users))
        .route(
            "/health",
            get(|| async { json(StatusCode::OK, r#"{"status":"SERVING"}"#) }),
        )
        .route("/metrics", get(metrics))
        .with_state(layer)
}

async fn user<S: Source>(State(layer): State<Arc<Layer<S>>>, id: Result<Path<String>, PathRejection>) -> Response {
    layer
        .request("GetUser", async {
            // An id that is not UTF-8 cannot be requested from the next layer.
            let Path(id) =
                id.map_err(|_| Failure::invalid("the id of a user is a whole number from 1 to 2147483647"))?;
            layer.source.get(&id).await
        })
        .await
}

/// Pairs, since the first of several values counts.
type Pairs = Vec<(String, String)>;

async fn users<S: Source>(State(layer): State<Arc<Layer<S>>>, Query(query): Query<Pairs>) -> Response {
    layer
        .request("ListUsers", async {
            let page = number(&query, "page", 1)?;
            let size = number(&query, "page_size", USUAL_SIZE)?;
            layer.source.list(page, size).await
        })
        .await
}

fn number(query: &Pairs, name: &str, usual: i32) -> Result<i32, Failure> {
    match query.iter().find(|(given, _)| given == name) {
        Some((_, text)) if !text.is_empty() => match text.parse() {
            Ok(number) => Ok(or_usual(number, usual)),
            Err(_) => Err(Failure::invalid("page and page_size are whole numbers")),
        },
        _ => Ok(usual),
    }
}

async fn metrics<S: Source>(State(layer): State<Arc<Layer<S>>>) -> Response {
    match layer.figures.page() {
        Ok(page) => ([(CONTENT_TYPE, prometheus::TEXT_FORMAT)], page).into_response(),
        Err(error) => (StatusCode::INTERNAL_SERVER_ERROR, error.to_string()).into_response(),
    }
}

#[derive(Serialize)]
struct Refused {
    error: String,
}

impl<S: Source> Layer<S> {
    /// Answers a request and counts it.
    async fn request<Answer: Serialize>(
        &self,
        operation: &str,
        ask: impl Future<Output = Result<Answer, Failure>>,
    ) -> Response {
        let start = Instant::now();
        let asked = timeout(ANSWER_LIMIT, ask).await;
        let (status, text) = match asked.unwrap_or_else(|_| Err(late())) {
            Ok(answer) => (StatusCode::OK, serde_json::to_vec(&answer)),
            Err(failure) => refused(failure),
        };
        let answer = match text {
            Ok(text) => json(status, text),
            Err(error) => (StatusCode::INTERNAL_SERVER_ERROR, error.to_string()).into_response(),
        };
        self.figures
            .request(operation, answer.status().as_str(), start.elapsed());
        answer
    }
}

fn late() -> Failure {
    Failure::Broken(format!("no answer within {} s", ANSWER_LIMIT.as_secs()))
}

fn refused(failure: Failure) -> (StatusCode, serde_json::Result<Vec<u8>>) {
    let (status, error) = match failure {
        Failure::Unknown(text) => (StatusCode::NOT_FOUND, text),
        Failure::Invalid(text) => (StatusCode::BAD_REQUEST, text),
        Failure::Broken(text) => (StatusCode::BAD_GATEWAY, text),
    };
    (status, serde_json::to_vec(&Refused { error }))
}

fn json(status: StatusCode, text: impl IntoResponse) -> Response {
    (status, [(CONTENT_TYPE, "application/json")], text).into_response()
}
