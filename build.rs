//! Turns `proto/` into Rust and a descriptor set with protox, so that no `protoc` has to be installed.

use std::{env, fs, path::PathBuf};

const PROTOS: &[&str] = &[
    "divelog/v1/admin_service.proto",
    "divelog/v1/audit_service.proto",
    "divelog/v1/game_service.proto",
    "divelog/v1/record.proto",
    "divelog/v1/transparency_service.proto",
];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("cargo:rerun-if-changed=proto");
    let files = protox::compile(PROTOS, ["proto"])?;
    {
        use protox::prost_reflect::prost::Message;
        let out = PathBuf::from(env::var("OUT_DIR")?).join("descriptor.bin");
        fs::write(out, files.encode_to_vec())?;
    }
    // Without the feature there are messages only, and nothing depends on a transport.
    let services = env::var_os("CARGO_FEATURE_SERVICES").is_some();
    tonic_prost_build::configure()
        .bytes(".")
        .btree_map(".")
        // Modules for all packages, nested like their names, so that no list of games is needed here.
        .include_file("packages.rs")
        .build_client(services)
        .build_server(false)
        .compile_fds(files.clone())?;
    if services {
        servers(files)?;
    }
    Ok(())
}

/// The services for servers, on the same messages but for the streams that many may read at once: a server encodes such a
/// message where it is made, once for all who get the same, and hands on its bytes.
fn servers(files: prost_types::FileDescriptorSet) -> Result<(), Box<dyn std::error::Error>> {
    let out = PathBuf::from(env::var("OUT_DIR")?).join("servers");
    fs::create_dir_all(&out)?;
    let mut config =
        tonic_prost_build::configure().out_dir(out).build_client(false).codec_path("crate::encoded::ServerCodec");
    for shared in ["WatchGameResponse", "ReplayGameResponse"] {
        config = config.extern_path(format!(".divelog.v1.{shared}"), format!("crate::encoded::{shared}"));
    }
    config.extern_path(".divelog.v1", "crate::v1").extern_path(".divelog.games", "crate::games").compile_fds(files)?;
    Ok(())
}
