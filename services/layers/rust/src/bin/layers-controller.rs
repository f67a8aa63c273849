//! The layer that gets the requests of clients. It parses them, and calls the service.

use std::process::ExitCode;

use layers_rust::layer::{Next, Part, serving};

fn main() -> ExitCode {
    let settings = [
        ("PORT", "8080"),
        ("PORT_GRPC", "9090"),
        ("WAY", "grpc"),
        ("NEXT_URL", "http://127.0.0.1:8081"),
        ("NEXT_TARGET", "127.0.0.1:9091"),
        ("IDLE_CONNECTIONS", "1000"),
    ];
    serving("layers-controller", &settings, |settings| {
        Ok(Part::Controller(Next::of(settings)?))
    })
}
