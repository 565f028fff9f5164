//! `divelog log refusals`: the actions that were refused, so that "I clicked and nothing happened" has an answer.

use divelog_proto::v1::{KeptRefusal, ListRefusalsRequest, ListRefusalsResponse};

use crate::{
    args::{GameArg, Global},
    connect,
    errors::CliError,
    input,
    output::{self, Output, Paint, table::Table},
};

/// Lists the refusals of a game.
pub async fn run(global: &Global, game: &GameArg, out: &mut Output) -> Result<(), CliError> {
    let game_id = input::game_id(game)?;
    let connection = connect::open(global).await?;
    let response = connection.call(ListRefusalsRequest { game_id }).await?;
    if out.is_jsonl() {
        response.refusals.iter().try_for_each(|refusal| out.message(refusal))?;
    } else if !out.is_table() {
        return out.message(&response);
    } else if !response.refusals.is_empty() {
        out.text(&table(&response, out.screen().paint))?;
    }
    if response.refusals.is_empty() {
        output::note("no action of this game was refused");
    }
    if response.dropped > 0 {
        output::note(&format!("{} older ones are not kept any more", response.dropped));
    }
    Ok(())
}

fn table(response: &ListRefusalsResponse, paint: Paint) -> String {
    let header = ["no", "time", "seat", "action", "rule", "reason", "revision", "request id", "caller", "message"];
    let mut table = Table::new(header);
    for refusal in &response.refusals {
        table.row(row(refusal));
    }
    table.render(paint)
}

fn row(refusal: &KeptRefusal) -> [String; 10] {
    [
        refusal.number.to_string(),
        output::time(refusal.time.as_ref()),
        refusal.seat.to_string(),
        refusal.action.as_ref().map_or_else(|| "(unreadable)".into(), divelog_text::action_words),
        output::or_dash(refusal.rule.clone()),
        output::or_dash(refusal.reason.clone()),
        refusal.revision.to_string(),
        output::or_dash(refusal.request_id.clone()),
        output::or_dash(refusal.caller.clone()),
        refusal.sentence.clone(),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use divelog_proto::v1::GameKind;

    #[test]
    fn a_refusal_on_a_line() {
        let refusal = KeptRefusal {
            number: 4,
            time: Some(prost_types::Timestamp { seconds: 0, nanos: 0 }),
            seat: 1,
            action: Some(divelog_text::parse_action(GameKind::DeepSeaAdventure, &["turn-back".into()]).unwrap()),
            rule: "DSA-7".into(),
            reason: "FIRST_TURN".into(),
            sentence: "not on the first turn\u{1b}".into(),
            revision: 3,
            request_id: String::new(),
            caller: "127.0.0.1:5".into(),
        };
        let response = ListRefusalsResponse { refusals: vec![refusal], dropped: 0 };
        let text = table(&response, Paint::PLAIN);
        let line = text.lines().nth(1).unwrap();
        let words: Vec<&str> = line.split("  ").map(str::trim).filter(|word| !word.is_empty()).collect();
        let expected = [
            "4",
            "1970-01-01T00:00:00Z",
            "1",
            "turn-back",
            "DSA-7",
            "FIRST_TURN",
            "3",
            "-",
            "127.0.0.1:5",
            "not on the first turn",
        ];
        assert_eq!(words, expected);
    }
}
