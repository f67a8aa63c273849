//! Generates the stubs of the contract. protox compiles it, so no machine needs protoc, and no stub can be older than
//! its contract.

use std::{env, error::Error, fs, path::PathBuf};

use prost::Message;

fn main() -> Result<(), Box<dyn Error>> {
    let contracts = "../../../proto";
    let contract = "layers/v1/layers.proto";
    println!("cargo::rerun-if-changed={contracts}/{contract}");
    let descriptors = protox::compile([contract], [contracts])?;
    fs::write(
        PathBuf::from(env::var("OUT_DIR")?).join("descriptors.bin"),
        descriptors.encode_to_vec(),
    )?;
    tonic_prost_build::configure().compile_fds(descriptors)?;
    Ok(())
}
