//! `divelog game fork`: a new game that begins as another did and goes its own way from there.

use divelog_proto::v1::ForkGameRequest;

use crate::{
    args::{ForkArgs, Global},
    commands::game_pairs,
    connect::{self, required},
    errors::CliError,
    input,
    output::{self, Output},
};

/// Makes the fork.
pub async fn run(global: &Global, args: &ForkArgs, out: &mut Output) -> Result<(), CliError> {
    let call = ForkGameRequest {
        game_id: input::game_id(&args.game)?,
        at_revision: args.at,
        same_seed: args.same_seed,
        labels: input::labels(&args.label)?,
        request_id: args.request.request_id.clone(),
    };
    let connection = connect::open(global).await?;
    let response = connection.call(call).await?;
    if !out.is_table() && !args.quiet {
        return out.message(&response);
    }
    let game = required(response.game, "it has no game")?;
    if args.quiet {
        return out.text(&output::clean(&game.game_id));
    }
    out.text(&game_pairs(&game, out.screen().paint))
}
