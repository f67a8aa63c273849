//! The layer that has the users.

use std::process::ExitCode;

use layers_rust::layer::{Part, serving};
use layers_rust::store::Store;

const MOST_USERS: usize = 100_000;

fn main() -> ExitCode {
    let settings = [("PORT", "8082"), ("PORT_GRPC", "9092"), ("USERS", "100")];
    serving("layers-repository", &settings, |settings| {
        Ok(Part::Repository(Store::made(settings.number("USERS", 1, MOST_USERS)?)))
    })
}
