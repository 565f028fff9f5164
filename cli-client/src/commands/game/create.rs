//! `divelog game create`.

use bytes::Bytes;
use divelog_proto::v1::{CreateGameRequest, CreateGameResponse, Game, NewPlayer, PreparedGame};
use serde_json::{Map, Value};

use crate::{
    args::{CreateArgs, Global},
    commands::print_game,
    connect,
    errors::CliError,
    input, options,
    output::{self, Output},
    repeat::{FromStdin, Repeat},
};

/// Creates the game, or only checks that it could be.
pub async fn run(global: &Global, args: &CreateArgs, out: &mut Output) -> Result<(), CliError> {
    let document = args.options.as_deref().map(options::read_document).transpose()?.unwrap_or_default();
    let from_stdin = (args.options.as_deref() == Some("-")).then(|| Value::Object(document.clone()).to_string());
    let from_stdin = from_stdin.as_deref().map(|text| FromStdin { argument: "options", text });
    let repeat = Repeat::new(global, &args.request, from_stdin)?;
    let request = request(args, document, &repeat.request_id)?;
    let promise = request.prepared.clone();
    let connection = connect::open(global).await?;
    let response = connection.call(request).await.map_err(|error| repeat.attach(error))?;
    if let Some(game) = &response.game {
        out.done(format!("the game {} was created", game.game_id));
    }
    let verdict = match (&promise, &response.game) {
        (Some(promise), Some(game)) => is_promise_kept(promise, game),
        _ => Ok(()),
    };
    out.judged(verdict, |out| print(args, &response, out))
}

fn print(args: &CreateArgs, response: &CreateGameResponse, out: &mut Output) -> Result<(), CliError> {
    match &response.game {
        Some(game) if args.quiet => out.text(&output::clean(&game.game_id)),
        None if args.quiet => Ok(()),
        _ if !out.is_table() => out.message(response),
        Some(game) => print_game(game, out),
        None if args.validate_only => {
            output::note("valid; no game was created");
            Ok(())
        }
        None => Err(CliError::Protocol("it has no game".into())),
    }
}

/// That the game is the promised one: otherwise the server was free to choose its secret by what the seats added.
fn is_promise_kept(promise: &PreparedGame, game: &Game) -> Result<(), CliError> {
    let broken = match (promise.game_id == game.game_id, promise.seed_commitment == game.seed_commitment) {
        (true, true) => return Ok(()),
        (false, _) => format!("another game, {}, was created", game.game_id),
        (true, false) => format!("its commitment is {}", hex::encode(&game.seed_commitment)),
    };
    Err(CliError::disproved(
        format!("the server broke its promise: {broken}"),
        "do not play it: the server may have chosen its secret by what the players added; keep the promise and this answer",
    ))
}

/// The request that the arguments ask for.
fn request(args: &CreateArgs, document: Map<String, Value>, request_id: &str) -> Result<CreateGameRequest, CliError> {
    let options = options::options(input::kind(&args.kind)?, document, &args.option)?;
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
        request_id: request_id.to_owned(),
        validate_only: args.validate_only,
        // 0 is the newest.
        rules_version: args.rules_version.unwrap_or(0),
        prepared: args.prepared.as_deref().map(input::promise).transpose()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        args::{Cli, Command, Format, GameCommand},
        errors::Exit,
        output::capture,
        test_server::{Script, TestServer},
    };
    use clap::Parser as _;

    fn parse(line: &str) -> Result<CreateGameRequest, String> {
        let words = ["divelog", "game", "create"].into_iter().chain(line.split_whitespace());
        let cli = Cli::try_parse_from(words).map_err(|error| error.to_string())?;
        match cli.command {
            Command::Game(GameCommand::Create(args)) => {
                let document = args.options.as_deref().map(options::read_document).transpose();
                let request = document.and_then(|document| request(&args, document.unwrap_or_default(), "r"));
                request.map_err(|error| error.to_string())
            }
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
            Some(options::options(divelog_proto::v1::GameKind::DeepSeaAdventure, Map::new(), &[]).unwrap())
        );
        let names: Vec<&str> = request.players.iter().map(|player| player.name.as_str()).collect();
        assert_eq!(names, ["Ana", "Ben"]);
        assert_eq!(request.players[1].entropy, Bytes::from_static(&[0xc0, 0xff]));
        assert_eq!(request.labels["a"], "1");
        assert_eq!(request.request_id, "r");
        assert!(request.validate_only);
    }

    #[tokio::test]
    async fn the_answer_must_be_the_promised_game() {
        let promised = PreparedGame { game_id: "g".into(), seed_commitment: vec![0xab; 32].into() };
        let kept = Game { game_id: "g".into(), seed_commitment: vec![0xab; 32].into(), ..Default::default() };
        let other_game = Game { game_id: "h".into(), ..kept.clone() };
        let other_secret = Game { seed_commitment: vec![0xcd; 32].into(), ..kept.clone() };
        for (game, exit) in [(kept, None), (other_game, Some(Exit::Unverified)), (other_secret, Some(Exit::Unverified))]
        {
            let created = CreateGameResponse { game: Some(game.clone()) };
            let server = TestServer::start(Script { created: Some(created), ..Default::default() }).await;
            let promise = format!("g:{}", hex::encode(&promised.seed_commitment));
            let line = ["divelog", "game", "create", "deep_sea_adventure", "--players", "2", "--prepared", &promise];
            let Command::Game(GameCommand::Create(args)) = Cli::try_parse_from(line).unwrap().command else { panic!() };
            let (mut out, captured) = capture::output(Format::Table);
            let result = run(&server.global(), &args, &mut out).await;
            assert_eq!(result.as_ref().err().map(CliError::exit), exit, "{result:?}");
            assert!(captured.text().contains(&game.game_id), "what was created is shown");
        }
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
