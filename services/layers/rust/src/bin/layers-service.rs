//! The layer in the middle. It checks requests, and calls the repository.

use std::process::ExitCode;

use layers_rust::layer::{Next, Part, serving};
use layers_rust::users::Checked;

fn main() -> ExitCode {
    let settings = [
        ("PORT", "8081"),
        ("PORT_GRPC", "9091"),
        ("WAY", "grpc"),
        ("NEXT_URL", "http://127.0.0.1:8082"),
        ("NEXT_TARGET", "127.0.0.1:9092"),
        ("IDLE_CONNECTIONS", "1000"),
    ];
    serving("layers-service", &settings, |settings| {
        Ok(Part::Service(Checked(Next::of(settings)?)))
    })
}
