//! A controller, a service and a repository that call each other over gRPC or over HTTP with JSON: the same as
//! `services/layers/go` in Go.

pub mod answering;
pub mod asking;
pub mod layer;
pub mod message;
pub mod program;
pub mod store;
pub mod users;

/// The stubs of the contract, which build.rs makes.
#[allow(clippy::all)]
pub mod layersv1 {
    tonic::include_proto!("layers.v1");

    /// The contract, for reflection.
    pub const DESCRIPTORS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/descriptors.bin"));
}
