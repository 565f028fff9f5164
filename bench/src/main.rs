//! `divelog-bench`: how many durable actions per second divelog does, beside a gRPC echo on the same machine.
//!
//! One run starts three kinds of process: the server under test (`divelogd`), an echo server and, for each
//! measurement, a load generator. The last two are this binary again, so that nothing else has to be installed. A rate
//! says little by itself, as it moves with the machine and its neighbours; the ratio to an echo measured seconds
//! before or after says what rules and durability cost.
//!
//! The part `fairness` asks another question, what one caller can do to another, and has processes of its own.

mod args;
mod disk;
mod echo;
mod engine;
mod fairness;
mod load;
mod lock;
mod machine;
mod plan;
mod replay;
mod report;
mod results;
mod run;
mod servers;

use std::process::ExitCode;

use clap::Parser;

use crate::args::{Args, Command};

/// The allocator of all processes, as in `divelogd`: with the default one the echo would be slower and look easier to
/// keep up with.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// The generated code of the plain echo.
mod echo_proto {
    #![allow(missing_docs, clippy::all, clippy::unwrap_used)]
    tonic::include_proto!("divelog.bench.v1");
}

fn main() -> ExitCode {
    let args = Args::parse();
    // One thread each for servers and load: on a small machine more workers only wake each other up.
    let runtime = match tokio::runtime::Builder::new_current_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => return fail(&format!("cannot start the runtime: {error}")),
    };
    let done = match args.command {
        Some(Command::EchoServer(spec)) => runtime.block_on(echo::serve(&spec)),
        Some(Command::Load(spec)) => runtime.block_on(load::main(&spec)),
        Some(Command::Victim(spec)) => runtime.block_on(fairness::play_victim(&spec)),
        Some(Command::Attack(spec)) => runtime.block_on(fairness::attack(&spec)),
        Some(Command::Burn(spec)) => runtime.block_on(fairness::burn(&spec)),
        None if args.run.wants_fairness() => runtime.block_on(fairness::main(&args.run)),
        None => runtime.block_on(run::main(&args.run)),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => fail(&error),
    }
}

/// Prints what went wrong; the exit code is 1.
fn fail(message: &str) -> ExitCode {
    eprintln!("divelog-bench: {message}");
    ExitCode::FAILURE
}
