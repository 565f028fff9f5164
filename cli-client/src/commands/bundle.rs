//! `divelog bundle ...`: one game's evidence in one file.

mod export;
mod show;
mod verify;

use crate::{
    args::{BundleCommand, Global},
    bundlefile,
    errors::CliError,
    key,
    output::Output,
};

/// Runs one of the bundle commands.
pub async fn run(global: &Global, command: BundleCommand, out: &mut Output) -> Result<(), CliError> {
    match command {
        BundleCommand::Export(args) => export::run(global, &args, out).await,
        BundleCommand::Verify { file, key } => {
            let key = key::given(&key)?;
            verify::run(&bundlefile::read(&file)?, key.as_ref(), out)
        }
        BundleCommand::Show { file } => show::run(&bundlefile::read(&file)?, out),
    }
}
