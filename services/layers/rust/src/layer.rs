//! Common parts of the three programs: their addresses, and their calls to the next one.

use std::{error::Error, pin::Pin, process::ExitCode};

use tokio_util::sync::CancellationToken;

use crate::answering::{Places, serve};
use crate::asking::{OverGrpc, OverHttp};
use crate::program::{Program, Settings, run};
use crate::store::Store;
use crate::users::{Checked, Failure, List, Source, User};

type Outcome<T> = Result<T, Box<dyn Error + Send + Sync>>;

/// Exceeds the number of connections that one address has ports for.
const MOST_IDLE: usize = 65_535;

/// Serves a layer by its settings; `own` has them with their defaults.
pub fn serving(
    name: &'static str,
    own: &[(&'static str, &str)],
    open: impl FnOnce(&Settings) -> Outcome<Part>,
) -> ExitCode {
    let mut defaults = vec![("HOST", "127.0.0.1")];
    defaults.extend(own);
    run(
        &Program { name, defaults },
        async |settings: Settings, stop: CancellationToken| {
            let source = open(&settings)?;
            let grpc = settings.listen("PORT_GRPC").await?;
            let http = settings.listen("PORT").await?;
            served(Places { http, grpc }, source, stop).await
        },
    )
}

/// Boxed, so that it is compiled here, once for all three programs.
fn served(at: Places, source: Part, stop: CancellationToken) -> Pin<Box<dyn Future<Output = Outcome<()>>>> {
    Box::pin(serve(at, source, stop))
}

/// Source of each program's answers: one type, for which the servers are compiled once.
pub enum Part {
    Controller(Next),
    Service(Checked<Next>),
    Repository(Store),
}

impl Source for Part {
    async fn get(&self, id: &str) -> Result<User, Failure> {
        match self {
            Self::Controller(next) => next.get(id).await,
            Self::Service(checked) => checked.get(id).await,
            Self::Repository(store) => store.get(id).await,
        }
    }

    async fn list(&self, page: i32, size: i32) -> Result<List, Failure> {
        match self {
            Self::Controller(next) => next.list(page, size).await,
            Self::Service(checked) => checked.list(page, size).await,
            Self::Repository(store) => store.list(page, size).await,
        }
    }
}

/// The next layer, over one of the protocols.
pub enum Next {
    OverGrpc(OverGrpc),
    OverHttp(OverHttp),
}

impl Next {
    /// The next layer over the protocol in the settings.
    pub fn of(settings: &Settings) -> Outcome<Self> {
        match settings.text("WAY") {
            "grpc" => Ok(Self::OverGrpc(OverGrpc::new(settings.text("NEXT_TARGET"))?)),
            "http" => {
                let idle = settings.number("IDLE_CONNECTIONS", 1, MOST_IDLE)?;
                Ok(Self::OverHttp(OverHttp::new(settings.text("NEXT_URL"), idle)?))
            }
            way => Err(format!("WAY is {way:?}, and must be grpc or http").into()),
        }
    }
}

impl Source for Next {
    async fn get(&self, id: &str) -> Result<User, Failure> {
        match self {
            Self::OverGrpc(next) => next.get(id).await,
            Self::OverHttp(next) => next.get(id).await,
        }
    }

    async fn list(&self, page: i32, size: i32) -> Result<List, Failure> {
        match self {
            Self::OverGrpc(next) => next.list(page, size).await,
            Self::OverHttp(next) => next.list(page, size).await,
        }
    }
}
