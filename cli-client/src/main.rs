//! `divelog`: the command-line client of the divelog service.
//!
//! Arguments are parsed raw ([`args`]), checked into requests ([`input`], [`commands`]), sent ([`connect`]) and
//! printed ([`output`], with the words and boards of [`divelog_text`]). Data goes to stdout, everything
//! else to stderr. The process exits only here, with the codes of [`exit`].

mod args;
mod bundle_file;
mod commands;
mod connect;
mod errors;
mod exit;
#[cfg(test)]
mod fixtures;
mod input;
mod interrupt;
mod key;
mod log_file;
mod natural;
mod options;
mod output;
mod pages;
mod parallel;
mod progress;
mod repeat;
mod status;
#[cfg(test)]
mod test_server;
mod verify;

use std::{io::Write as _, process::ExitCode};

use clap::Parser;

use crate::{
    args::{Cli, Format},
    errors::{CliError, Exit},
    output::Output,
};

fn main() -> ExitCode {
    let mut cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(instead) => return ExitCode::from(explain(&instead) as u8),
    };
    cli.global.typed = std::env::args_os().map(|word| word.to_string_lossy().into_owned()).collect();
    let format = cli.global.output;
    let mut out = Output::stdout(format, cli.global.color, cli.global.lang);
    let exit = match run(cli, &mut out) {
        Ok(()) => Exit::Done,
        Err(error) => {
            error.report(format);
            if let Some(interruption) = error.interruption() {
                interruption.end_process();
            }
            error.exit()
        }
    };
    ExitCode::from(exit as u8)
}

/// What clap prints instead of running a command: help, the version, or what is wrong with the arguments.
fn explain(instead: &clap::Error) -> Exit {
    let printed = instead.print().and_then(|()| std::io::stdout().flush());
    if instead.use_stderr() {
        return Exit::Usage;
    }
    let Err(source) = printed else { return Exit::Done };
    let error = CliError::unwritten("cannot write to standard output", source);
    error.report(Format::Table);
    error.exit()
}

fn run(cli: Cli, out: &mut Output) -> Result<(), CliError> {
    // Calls mostly wait: a single thread is enough and starts faster. Computing is left to the threads of [`parallel`].
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|source| CliError::io("cannot start the runtime", source))?;
    let result = runtime.block_on(commands::run(cli, out));
    out.end(result)
}
