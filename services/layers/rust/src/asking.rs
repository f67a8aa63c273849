//! A layer's side towards the next one: over HTTP with JSON, or over gRPC.

mod grpc;
mod http;

pub use grpc::OverGrpc;
pub use http::OverHttp;
