//! `divelog game fork`: a new game that begins as another did and goes its own way from there.

use divelog_proto::v1::ForkGameRequest;

use crate::{
    args::{ForkArgs, Global},
    commands::print_game,
    connect::{self, required},
    errors::CliError,
    input,
    output::{self, Output},
    repeat::Repeat,
};

/// Makes the fork.
pub async fn run(global: &Global, args: &ForkArgs, out: &mut Output) -> Result<(), CliError> {
    let game_id = input::game_id(&args.game)?;
    let repeat = Repeat::new(global, &args.request, args.game.read_from_stdin(&game_id))?;
    let call = ForkGameRequest {
        game_id,
        at_revision: args.at,
        same_seed: args.same_seed,
        labels: input::labels(&args.label)?,
        request_id: repeat.request_id.clone(),
    };
    let connection = connect::open(global).await?;
    let response = connection.call(call).await.map_err(|error| repeat.attach(error))?;
    if let Some(fork) = &response.game {
        out.done(format!("the fork {} was made", fork.game_id));
    }
    if !out.is_table() && !args.quiet {
        return out.message(&response);
    }
    let game = required(response.game, "it has no game")?;
    if args.quiet {
        return out.text(&output::clean(&game.game_id));
    }
    print_game(&game, out)
}
