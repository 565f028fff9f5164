//! `divelog game create`.

use bytes::Bytes;
use divelog_proto::v1::{CreateGameRequest, NewPlayer};

use crate::{
    args::{CreateArgs, Global},
    commands::game_pairs,
    connect,
    errors::CliError,
    input, options,
    output::{self, Output},
};

/// Creates the game, or only checks that it could be.
pub async fn run(global: &Global, args: &CreateArgs, out: &mut Output) -> Result<(), CliError> {
    let request = request(args)?;
    let connection = connect::open(global).await?;
    let response = connection.call(request).await?;
    match &response.game {
        Some(game) if args.quiet => out.text(&output::clean(&game.game_id)),
        None if args.quiet => Ok(()),
        _ if !out.is_table() => out.message(&response),
        Some(game) => out.text(&game_pairs(game, out.screen().paint)),
        None if args.validate_only => {
            output::note("valid; no game was created");
            Ok(())
        }
        None => Err(CliError::Protocol("it has no game".into())),
    }
}

/// The request that the arguments ask for.
fn request(args: &CreateArgs) -> Result<CreateGameRequest, CliError> {
    let options = options::options(input::kind(&args.kind)?, args.options.as_deref(), &args.option)?;
    let names = match args.players {
        // clap keeps this small.
        Some(count) => vec![String::new(); usize::try_from(count).unwrap_or(usize::MAX)],
        None => args.player.clone(),
    };
    let mut players: Vec<NewPlayer> = names.into_iter().map(|name| NewPlayer { name, entropy: Bytes::new() }).collect();
    let seats = players.len();
    for (seat, entropy) in input::entropy(&args.entropy)? {
        let Some(player) = players.get_mut(seat) else {
            return Err(CliError::usage(format!(
                "entropy is given for seat {seat}, but the seats are 0 to {}",
                seats - 1
            )));
        };
        player.entropy = entropy;
    }
    Ok(CreateGameRequest {
        options: Some(options),
        players,
        labels: input::labels(&args.label)?,
        request_id: args.request.request_id.clone(),
        validate_only: args.validate_only,
        // 0 is the newest.
        rules_version: args.rules_version.unwrap_or(0),
        prepared: args.prepared.as_deref().map(input::promise).transpose()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::{Cli, Command, GameCommand};
    use clap::Parser as _;

    fn parse(line: &str) -> Result<CreateGameRequest, String> {
        let words = ["divelog", "game", "create"].into_iter().chain(line.split_whitespace());
        let cli = Cli::try_parse_from(words).map_err(|error| error.to_string())?;
        match cli.command {
            Command::Game(GameCommand::Create(args)) => request(&args).map_err(|error| error.to_string()),
            other => Err(format!("{other:?}")),
        }
    }

    #[test]
    fn named_players_and_everything_else() {
        let request = parse(
            "deep_sea_adventure --player Ana --player Ben --label a=1 --entropy 1=c0ff --request-id r --validate-only",
        )
        .unwrap();
        assert_eq!(
            request.options,
            Some(options::options(divelog_proto::v1::GameKind::DeepSeaAdventure, None, &[]).unwrap())
        );
        let names: Vec<&str> = request.players.iter().map(|player| player.name.as_str()).collect();
        assert_eq!(names, ["Ana", "Ben"]);
        assert_eq!(request.players[1].entropy, Bytes::from_static(&[0xc0, 0xff]));
        assert_eq!(request.labels["a"], "1");
        assert_eq!(request.request_id, "r");
        assert!(request.validate_only);
    }

    #[test]
    fn a_number_of_players_is_enough() {
        assert_eq!(parse("deep-sea-adventure --players 3").unwrap().players.len(), 3);
    }

    #[test]
    fn without_a_rules_version_the_newest_is_asked_for() {
        assert_eq!(parse("deep_sea_adventure --players 3").unwrap().rules_version, 0);
        assert_eq!(parse("deep_sea_adventure --players 3 --rules-version 2").unwrap().rules_version, 2);
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        for bad in [
            "deep_sea_adventure",
            "deep_sea_adventure --players 2 --player Ana",
            "deep_sea_adventure --players 0",
            "chess --players 2",
            "deep_sea_adventure --players 2 --rules-version 0",
            "deep_sea_adventure --players 2 --entropy 2=00",
            "deep_sea_adventure --players 2 --label x",
            "deep_sea_adventure --players 2 --option air=30",
            "deep_sea_adventure --players 2 --options [1]",
        ] {
            assert!(parse(bad).is_err(), "{bad}");
        }
    }
}
