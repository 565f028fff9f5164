//! `divelog bundle ...`: one game's evidence in one file.

mod export;
mod show;
mod verify;

use crate::{
    args::{BundleCommand, Global},
    bundle_file,
    errors::CliError,
    input, key,
    output::Output,
};

/// Runs one of the bundle commands.
pub async fn run(global: &Global, command: BundleCommand, out: &mut Output) -> Result<(), CliError> {
    match command {
        BundleCommand::Export(args) => export::run(global, &args, out).await,
        BundleCommand::Verify { file, key, promise } => {
            let key = key::given(&key)?;
            let promise = promise.as_deref().map(input::promise).transpose()?;
            verify::run(&bundle_file::read(&file)?, key.as_ref(), promise.as_ref(), out)
        }
        BundleCommand::Show { file } => show::run(&bundle_file::read(&file)?, out),
    }
}
