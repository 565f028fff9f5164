//! `divelog log refusals`: the actions that were refused, so that "I clicked and nothing happened" has an answer.

use divelog_proto::v1::refusal_gap::Cause;
use divelog_proto::v1::{KeptRefusal, ListRefusalsRequest, ListRefusalsResponse, RefusalGap};
use serde_json::{Value, json};

use crate::{
    args::{GameArg, Global},
    commands::print_table,
    connect,
    errors::CliError,
    input,
    output::{self, Output, json, table::Table},
};

/// What an empty list says if nothing speaks against it. It claims no more than what is kept.
const NONE_REFUSED: &str = "no action of this game was refused by the rules, for its revision, for one of its fields or for \
     its request id. Calls that were turned away for any other reason (a busy, stopping or failed server, a message that cannot \
     be read) are not kept";

/// Lists the refusals of a game.
pub async fn run(global: &Global, game: &GameArg, out: &mut Output) -> Result<(), CliError> {
    let game_id = input::game_id(game)?;
    let connection = connect::open(global).await?;
    let response = connection.call(ListRefusalsRequest { game_id }).await?;
    if out.is_jsonl() {
        response.refusals.iter().try_for_each(|refusal| out.message(refusal))?;
        out.value(&summary(response.clone())?)?;
    } else if !out.is_table() {
        return out.message(&response);
    } else if !response.refusals.is_empty() {
        print_table(&table(&response), out)?;
    }
    notes(&response).iter().for_each(|note| output::note(note));
    Ok(())
}

/// The last line for programs: what is known of refusals that are not in the lines before.
fn summary(response: ListRefusalsResponse) -> Result<Value, CliError> {
    let listed = response.refusals.len();
    let mut summary = json::to_value(&ListRefusalsResponse { refusals: Vec::new(), ..response })?;
    summary["refusals"] = listed.into();
    Ok(json!({ "summary": summary }))
}

/// What is to be known beside the list: never more than the server knows.
fn notes(response: &ListRefusalsResponse) -> Vec<String> {
    let ListRefusalsResponse { refusals, dropped, overflowed, gaps, gaps_known_since } = response;
    let mut notes = Vec::new();
    if refusals.is_empty() {
        let is_everything = *dropped == 0 && gaps.is_empty() && gaps_known_since.is_none();
        notes.push(match is_everything {
            true => NONE_REFUSED.to_owned(),
            false => "no refusal of this game is on record".to_owned(),
        });
    }
    let older = dropped.saturating_sub(*overflowed);
    if older > 0 {
        notes.push(format!("{older} older ones are not kept: of each game the newest 256 are"));
    }
    if *overflowed > 0 {
        notes.push(format!(
            "{overflowed} of the newest 256 are not kept: more actions were refused at once than the server holds"
        ));
    }
    if let Some(since) = gaps_known_since {
        notes.push(format!(
            "refusals answered before {since} may be missing: the store was restored, repaired, opened with an accepted loss, \
             changed while no server had it open, or written by an earlier version"
        ));
    }
    notes.extend(gaps.iter().map(gap_words));
    notes
}

fn gap_words(gap: &RefusalGap) -> String {
    let (from, to) = (output::time(gap.from.as_ref()), output::time(gap.to.as_ref()));
    let may_be_missing = format!("refusals answered between {from} and {to} may be missing");
    match gap.cause() {
        Cause::UncleanEnd => format!(
            "{may_be_missing}: the server ended without closing its store, which its next start noticed at {to}"
        ),
        Cause::Overflow => {
            let count = gap.count;
            format!(
                "{may_be_missing}: actions of more games were refused at once than the server holds ({count} in all)"
            )
        }
        Cause::OtherDatabase => format!(
            "{may_be_missing}: the database that was started at {to} is not the one that was closed last, or an earlier version \
             of the server has served it in between"
        ),
        Cause::StoreFailed => format!("{may_be_missing}: the server's store has failed"),
        Cause::Several | Cause::Unspecified => may_be_missing,
    }
}

fn table(response: &ListRefusalsResponse) -> Table {
    let header = ["no", "time", "seat", "action", "rule", "reason", "revision", "request id", "caller", "message"];
    let optional = ["caller", "request id", "revision", "rule", "time"];
    let mut table = Table::new(header).wrapping(&["action"]).optional(&optional).below("message");
    for refusal in &response.refusals {
        table.row(row(refusal));
    }
    table
}

fn row(refusal: &KeptRefusal) -> [String; 10] {
    [
        refusal.number.to_string(),
        output::time(refusal.time.as_ref()),
        if refusal.abandonment { "-".into() } else { refusal.seat.to_string() },
        asked(refusal),
        output::or_dash(refusal.rule.clone()),
        output::or_dash(refusal.reason.clone()),
        refusal.revision.to_string(),
        output::or_dash(refusal.request_id.clone()),
        output::or_dash(refusal.caller.clone()),
        sentence(refusal),
    ]
}

/// What was asked: the action as it can be typed, or why there is none.
fn asked(refusal: &KeptRefusal) -> String {
    match &refusal.action {
        Some(action) => divelog_text::action_words(action),
        None if refusal.abandonment => "(abandon the game)".into(),
        None if refusal.omitted_action_bytes > 0 => format!("(not kept: {} bytes)", refusal.omitted_action_bytes),
        // Whatever was kept has a time.
        None if refusal.time.is_none() => "(cannot be read back)".into(),
        None => "(none)".into(),
    }
}

/// The sentence without the rule and the reason, which have columns of their own.
fn sentence(refusal: &KeptRefusal) -> String {
    let beginning = format!("{} ({}): ", refusal.rule, refusal.reason);
    refusal.sentence.strip_prefix(&beginning).unwrap_or(&refusal.sentence).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::Screen;
    use divelog_proto::v1::GameKind;

    #[test]
    fn a_refusal_on_a_line() {
        let refusal = KeptRefusal {
            number: 4,
            time: Some(prost_types::Timestamp { seconds: 0, nanos: 0 }),
            seat: 1,
            action: Some(divelog_text::parse_action(GameKind::DeepSeaAdventure, 1, &["turn-back".into()]).unwrap()),
            rule: "DSA-7".into(),
            reason: "FIRST_TURN".into(),
            sentence: "DSA-7 (FIRST_TURN): not on the first turn\u{1b}".into(),
            revision: 3,
            request_id: String::new(),
            caller: "127.0.0.1:5".into(),
            ..Default::default()
        };
        let response = ListRefusalsResponse { refusals: vec![refusal], ..Default::default() };
        let text = table(&response).render(Screen::plain(usize::MAX));
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
            "not on the first turn\\u001b",
        ];
        assert_eq!(words, expected);
        let at_80 = "\
no  time                  seat  action     rule   reason      revision
4   1970-01-01T00:00:00Z  1     turn-back  DSA-7  FIRST_TURN  3
    not on the first turn\\u001b";
        assert_eq!(table(&response).render(Screen::plain(80)), at_80);
    }

    #[test]
    fn what_was_asked_is_named_also_where_it_is_no_action() {
        let kept = KeptRefusal { time: Some(prost_types::Timestamp::default()), ..Default::default() };
        let cases = [
            (KeptRefusal { abandonment: true, ..kept.clone() }, "-", "(abandon the game)"),
            (KeptRefusal { omitted_action_bytes: 5_000, ..kept.clone() }, "0", "(not kept: 5000 bytes)"),
            (kept, "0", "(none)"),
            (KeptRefusal::default(), "0", "(cannot be read back)"),
        ];
        for (refusal, seat, action) in cases {
            assert_eq!(row(&refusal)[2..4], [seat.to_owned(), action.to_owned()], "{refusal:?}");
        }
    }

    #[test]
    fn the_last_line_for_programs_says_what_is_not_in_the_others() {
        let gap = RefusalGap { count: 3, ..Default::default() };
        let refusals = vec![KeptRefusal::default(); 2];
        let response =
            ListRefusalsResponse { refusals, dropped: 7, overflowed: 5, gaps: vec![gap], ..Default::default() };
        let value = summary(response).unwrap();
        let summary = &value["summary"];
        assert_eq!(
            (&summary["refusals"], &summary["dropped"], &summary["overflowed"]),
            (&json!(2), &json!(7), &json!(5))
        );
        assert_eq!((&summary["gaps"][0]["count"], summary.get("gaps_known_since")), (&json!(3), None));
    }

    /// What may be missing, one case a line.
    #[test]
    fn the_notes_say_no_more_than_is_known() {
        let at = |seconds| Some(prost_types::Timestamp { seconds, nanos: 0 });
        let gap = |cause: Cause, count| RefusalGap { from: at(3), to: at(10), cause: cause.into(), count };
        let nothing = ListRefusalsResponse::default();
        let one = ListRefusalsResponse { refusals: vec![KeptRefusal::default()], ..nothing.clone() };
        let none_on_record = "no refusal of this game is on record";
        let between = "refusals answered between 1970-01-01T00:00:03Z and 1970-01-01T00:00:10Z may be missing";
        for (response, expected) in [
            (nothing.clone(), vec![NONE_REFUSED.to_owned()]),
            (one.clone(), vec![]),
            (
                ListRefusalsResponse { dropped: 7, overflowed: 5, ..one.clone() },
                vec![
                    "2 older ones are not kept: of each game the newest 256 are".to_owned(),
                    "5 of the newest 256 are not kept: more actions were refused at once than the server holds"
                        .to_owned(),
                ],
            ),
            (
                ListRefusalsResponse { dropped: 3, overflowed: 3, ..nothing.clone() },
                vec![
                    none_on_record.to_owned(),
                    "3 of the newest 256 are not kept: more actions were refused at once than the server holds"
                        .to_owned(),
                ],
            ),
            (
                ListRefusalsResponse { gaps: vec![gap(Cause::UncleanEnd, 0)], ..nothing.clone() },
                vec![
                    none_on_record.to_owned(),
                    format!(
                        "{between}: the server ended without closing its store, which its next start noticed at \
                         1970-01-01T00:00:10Z"
                    ),
                ],
            ),
            (
                ListRefusalsResponse { gaps: vec![gap(Cause::Overflow, 9)], ..one.clone() },
                vec![format!("{between}: actions of more games were refused at once than the server holds (9 in all)")],
            ),
            (
                ListRefusalsResponse { gaps: vec![gap(Cause::StoreFailed, 0), gap(Cause::Several, 0)], ..one },
                vec![format!("{between}: the server's store has failed"), between.to_owned()],
            ),
            (
                ListRefusalsResponse { gaps: vec![gap(Cause::OtherDatabase, 0)], ..nothing.clone() },
                vec![
                    none_on_record.to_owned(),
                    format!(
                        "{between}: the database that was started at 1970-01-01T00:00:10Z is not the one that was closed last, \
                         or an earlier version of the server has served it in between"
                    ),
                ],
            ),
            (
                ListRefusalsResponse { gaps_known_since: at(0), ..nothing },
                vec![
                    none_on_record.to_owned(),
                    "refusals answered before 1970-01-01T00:00:00Z may be missing: the store was restored, repaired, opened \
                     with an accepted loss, changed while no server had it open, or written by an earlier version"
                        .to_owned(),
                ],
            ),
        ] {
            assert_eq!(notes(&response), expected);
        }
    }
}
