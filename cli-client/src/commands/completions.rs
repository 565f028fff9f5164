//! `divelog completions`: scripts for shells.

use clap::CommandFactory as _;
use clap_complete::Shell;

use crate::{args::Cli, errors::CliError, output::Output};

/// Prints the script. Written to memory first: the generator panics when stdout breaks.
pub fn run(shell: Shell, out: &mut Output) -> Result<(), CliError> {
    out.text(&script(shell))
}

fn script(shell: Shell) -> String {
    let mut bytes = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "divelog", &mut bytes);
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::ValueEnum as _;

    #[test]
    fn every_shell_has_a_script() {
        for shell in Shell::value_variants() {
            assert!(script(*shell).contains("divelog"), "{shell}");
        }
    }
}
