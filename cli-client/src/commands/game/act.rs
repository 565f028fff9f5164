//! `divelog game act`.

use divelog_proto::v1::{GameAction, GameKind, GameStatus, SubmitActionRequest, SubmitActionResponse};
use divelog_text::{Lang, Seating};

use crate::{
    args::{ActArgs, Global},
    commands::{sentences, status_word},
    connect,
    errors::CliError,
    input, natural,
    output::{
        self, Output,
        json::{self, Named as _},
    },
    repeat::{FromStdin, Repeat},
};

/// Submits the action and prints what happened.
pub async fn run(global: &Global, args: &ActArgs, out: &mut Output) -> Result<(), CliError> {
    if args.game.game == "-" && args.json.as_deref() == Some("-") {
        return Err(CliError::usage("stdin cannot be both the game and the action"));
    }
    let game_id = input::game_id(&args.game)?;
    let from_json = args.json.as_deref().map(json_action).transpose()?;
    let json = match &from_json {
        Some(action) if args.json.as_deref() == Some("-") => Some(json::compact(action)?),
        _ => None,
    };
    let from_stdin = match &json {
        Some(text) => Some(FromStdin { argument: "json", text }),
        None => args.game.read_from_stdin(&game_id),
    };
    let repeat = Repeat::new(global, &args.request, from_stdin)?;
    let connection = connect::open(global).await?;
    // Words mean different things in different games and rules versions, and sentences need names: both take a look at the
    // game first.
    let game =
        if from_json.is_none() || out.is_table() { Some(connect::game(&connection, &game_id).await?) } else { None };
    let (kind, version) = game.as_ref().map_or((GameKind::Unspecified, 0), |game| (game.kind(), game.rules_version));
    let action = match from_json {
        Some(action) => action,
        None => divelog_text::parse_action(kind, version, &args.action)?,
    };
    let request = request(args, game_id, action, &repeat.request_id);
    let response = connection.call(request).await.map_err(|error| repeat.attach(error))?;
    if !args.validate_only {
        out.done(format!("the action, which brought the game to revision {}", response.revision));
    }
    if !out.is_table() {
        return out.message(&response);
    }
    if args.validate_only {
        output::note(&format!("legal at revision {}; nothing was done", response.revision));
        return Ok(());
    }
    let seating = game.as_ref().map(Seating::of).unwrap_or_default();
    let text = describe(&response, &seating, out.screen().lang);
    let width = out.table_screen().width;
    let lines: Vec<String> = text.lines().flat_map(|line| output::strings::fit(line, width)).collect();
    out.text(&lines.join("\n"))
}

fn json_action(arg: &str) -> Result<GameAction, CliError> {
    let not_an_action = |error: String| {
        CliError::usage_with(
            format!("the JSON is not an action: {error}"),
            "it looks like {\"deep_sea_adventure\":{\"dive\":{}}}; `divelog game legal GAME --seat N -o json` has more",
        )
    };
    let text = input::json_action_text(arg)?;
    let fields = serde_json::from_str(&text).map_err(|error| not_an_action(error.to_string()))?;
    let descriptor = json::descriptor(GameAction::NAME).map_err(CliError::Protocol)?;
    let action = natural::message(fields, &descriptor, "").map_err(|mismatch| not_an_action(mismatch.to_string()))?;
    json::from_value(action).map_err(not_an_action)
}

fn request(args: &ActArgs, game_id: String, action: GameAction, request_id: &str) -> SubmitActionRequest {
    SubmitActionRequest {
        game_id,
        seat: args.seat,
        action: Some(action),
        expected_revision: args.expected_revision,
        request_id: request_id.to_owned(),
        validate_only: args.validate_only,
    }
}

/// What happened, and who is next.
fn describe(response: &SubmitActionResponse, seating: &Seating, lang: Lang) -> String {
    let mut lines = sentences(&response.events, response.status(), seating, lang);
    let next = match response.status() {
        GameStatus::Running => format!("to act: {}", seating.list(&response.to_act)),
        status => format!("the game is {}", status_word(status)),
    };
    lines.push(format!("Revision {}; {next}.", response.revision));
    lines.join("\n")
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
    use divelog_proto::{
        games::deep_sea_adventure::v1 as dsa,
        v1::{Game, GameEvent, game_event},
    };
    use tonic::Status;

    fn parse(line: &[&str]) -> Result<ActArgs, String> {
        let words = ["divelog", "game", "act"].iter().chain(line);
        let cli = Cli::try_parse_from(words).map_err(|error| error.to_string())?;
        match cli.command {
            Command::Game(GameCommand::Act(args)) => Ok(args),
            other => Err(format!("{other:?}")),
        }
    }

    #[test]
    fn words_and_flags_become_a_request() {
        let args =
            parse(&["g", "--seat", "1", "put-down", "2", "--expected-revision", "0", "--request-id", "r"]).unwrap();
        let action = divelog_text::parse_action(GameKind::DeepSeaAdventure, 1, &args.action).unwrap();
        let request = request(&args, "g".into(), action, "r");
        assert_eq!(divelog_text::action_words(&request.action.unwrap()), "put-down 2");
        assert_eq!((request.seat, request.expected_revision), (1, Some(0)));
        assert_eq!(request.request_id, "r");
    }

    #[test]
    fn words_or_json_but_not_both() {
        assert!(parse(&["g", "--seat", "0", "--json", "{}"]).is_ok());
        assert!(parse(&["g", "--seat", "0"]).is_err());
        assert!(parse(&["g", "--seat", "0", "dive", "--json", "{}"]).is_err());
        assert!(parse(&["g", "dive"]).is_err());
    }

    #[test]
    fn bad_json_is_a_usage_error() {
        let error = json_action(r#"{"deep_sea_adventure":{"dive":{"turn_back":"maybe"}}}"#).unwrap_err();
        assert_eq!(error.exit(), Exit::Usage);
        assert!(error.to_string().contains("maybe"), "{error}");
    }

    #[test]
    fn the_answer_says_who_is_next() {
        let event = dsa::Event { event: Some(dsa::event::Event::LeftSpace(dsa::LeftSpace { seat: 0 })) };
        let mut response = SubmitActionResponse {
            revision: 9,
            events: vec![GameEvent { event: Some(game_event::Event::DeepSeaAdventure(event)) }],
            status: GameStatus::Running.into(),
            to_act: vec![1],
            ..Default::default()
        };
        let seating = Seating::new(["Ana", "Ben"]);
        assert_eq!(
            describe(&response, &seating, Lang::En),
            "Ana (seat 0) leaves the space as it is.\nRevision 9; to act: Ben (seat 1)."
        );
        response.status = GameStatus::Finished.into();
        assert!(describe(&response, &seating, Lang::En).ends_with("Revision 9; the game is finished."));
    }

    const ID: &str = "0197f3a2-5d0c-7c31-9c1e-2f6d3b8a4e10";

    #[tokio::test]
    async fn words_are_read_by_the_kind_of_the_game() {
        let game = Game { kind: GameKind::DeepSeaAdventure.into(), players: vec!["Ana".into()], ..Default::default() };
        let answer = SubmitActionResponse { revision: 2, status: 1, to_act: vec![0], ..Default::default() };
        let server = TestServer::start(Script { game, submit: Some(Ok(answer)), ..Default::default() }).await;
        let (mut out, captured) = capture::output(Format::Table);
        run(&server.global(), &parse(&[ID, "--seat", "0", "turn-back"]).unwrap(), &mut out).await.unwrap();
        assert_eq!(captured.text(), "Revision 2; to act: Ana (seat 0).\n");
        let submitted = server.script.lock().unwrap().submitted.remove(0);
        assert_eq!(divelog_text::action_words(&submitted.action.unwrap()), "turn-back");

        // Words that the game does not know are never sent.
        let error = run(&server.global(), &parse(&[ID, "--seat", "0", "fly"]).unwrap(), &mut out).await.unwrap_err();
        assert_eq!(error.exit(), Exit::Usage);
        assert!(server.script.lock().unwrap().submitted.is_empty());
    }

    #[test]
    fn json_may_name_things_in_any_spelling() {
        let plain = json_action(r#"{"veiled_isles":{"pass":{"island":{"colour":"COLOUR_RED","number":8}}}}"#).unwrap();
        for typed in [
            r#"{"Veiled-Isles":{"Pass":{"island":{"colour":"red","number":8}}}}"#,
            r#"{"veiledIsles":{"pass":{"island":{"colour":"Colour-Red","number":"8"}}}}"#,
        ] {
            assert_eq!(json_action(typed).unwrap(), plain, "{typed}");
        }
        let error = json_action(r#"{"veiled_isles":{"pass":{"island":{"colour":"pink","number":8}}}}"#).unwrap_err();
        assert!(error.to_string().contains("it takes one of red, "), "{error}");
    }

    /// What the server received is the id that the error names.
    #[tokio::test]
    async fn a_write_that_is_not_answered_can_be_repeated() {
        let script = || Script { submit: Some(Err(Status::cancelled("gone"))), ..Default::default() };
        let json = r#"{"deep_sea_adventure":{"leave":{}}}"#;
        let line = [ID, "--seat", "0", "--json", json];
        for given in [None, Some("mine")] {
            let server = TestServer::start(script()).await;
            let given: Vec<&str> = given.map(|id| ["--request-id", id]).into_iter().flatten().collect();
            let line = [&line[..], &given].concat();
            let typed = ["divelog", "game", "act"].iter().chain(&line).map(|word| word.to_string()).collect();
            let (mut out, _) = capture::output(Format::Json);
            let global = Global { typed, ..server.global() };
            let error = run(&global, &parse(&line).unwrap(), &mut out).await.unwrap_err();
            let CliError::Repeatable { repeat, .. } = &error else { panic!("{error:?}") };
            let sent = server.script.lock().unwrap().submitted.remove(0).request_id;
            assert!(repeat.request_id == sent && !sent.is_empty(), "{sent}");
            assert_eq!(repeat.command.matches("--request-id").count(), 1, "{repeat:?}");
            assert!(repeat.command.contains(&format!(" --request-id {sent}")), "{repeat:?}");
            assert!(repeat.command.contains(&format!(" --server {}", global.server)), "{repeat:?}");
            assert!(repeat.command.contains(&format!("'{json}'")), "{repeat:?}");
        }
    }

    #[tokio::test]
    async fn a_refusal_is_exit_1() {
        let submit = Some(Err(Status::failed_precondition("not now")));
        let server = TestServer::start(Script { submit, ..Default::default() }).await;
        let (mut out, _) = capture::output(Format::Jsonl);
        let args = parse(&[ID, "--seat", "0", "--json", r#"{"deep_sea_adventure":{"leave":{}}}"#]).unwrap();
        let error = run(&server.global(), &args, &mut out).await.unwrap_err();
        assert_eq!(error.exit(), Exit::Refused);
    }
}
