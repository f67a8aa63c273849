//! A layer's side towards the one above it: the same users over HTTP with JSON, and over gRPC.

mod connections;
mod figures;
mod grpc;
mod http;

use std::{error::Error, future::IntoFuture, sync::Arc, time::Duration};

use tokio::net::TcpListener;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use crate::users::Source;
use connections::{CountedListener, counted};
use figures::Figures;

/// Time for requests in flight at the end.
const GRACE: Duration = Duration::from_secs(1);

/// Addresses of a layer.
pub struct Places {
    pub http: TcpListener,
    pub grpc: TcpListener,
}

/// A layer as seen by both of its servers.
struct Layer<S> {
    source: S,
    figures: Arc<Figures>,
}

/// Serves both of them until it is stopped.
pub async fn serve(
    at: Places,
    source: impl Source,
    stop: CancellationToken,
) -> Result<(), Box<dyn Error + Send + Sync>> {
    let figures = Arc::new(Figures::new()?);
    let (requests, calls) = (figures.connections("http"), figures.connections("grpc"));
    let layer = Arc::new(Layer { source, figures });
    let over_http = axum::serve(CountedListener::new(at.http, requests), http::router(layer.clone()))
        .with_graceful_shutdown(stop.clone().cancelled_owned());
    let over_grpc = grpc::router(layer)
        .await?
        .serve_with_incoming_shutdown(counted(at.grpc, calls), stop.clone().cancelled_owned());
    let both = async {
        tokio::try_join!(
            async {
                over_http
                    .into_future()
                    .await
                    .map_err(Box::<dyn Error + Send + Sync>::from)
            },
            async { over_grpc.await.map_err(Into::into) },
        )
    };
    let late = async {
        stop.cancelled().await;
        sleep(GRACE).await;
    };
    tokio::select! {
        ended = both => ended.map(|_| ()),
        () = late => Ok(()),
    }
}
