//! `divelog game kinds`: what the server hosts, and the rule books.

use divelog_proto::v1::{GameKindInfo, ListGameKindsRequest, ListGameKindsResponse};

use crate::{
    args::Global,
    connect,
    errors::CliError,
    input,
    output::{
        Output, Screen,
        table::{self, Table},
    },
};

/// Lists the kinds, or describes one in full.
pub async fn run(global: &Global, kind: Option<&str>, out: &mut Output) -> Result<(), CliError> {
    let connection = connect::open(global).await?;
    let response = connection.call(ListGameKindsRequest {}).await?;
    let screen = out.screen();
    match kind {
        Some(kind) => {
            let info = find(&response, kind)?;
            if out.is_table() { out.text(&in_full(info, screen)) } else { out.message(info) }
        }
        None if out.is_table() => out.text(&overview(&response, screen)),
        None if out.is_jsonl() => response.kinds.iter().try_for_each(|info| out.message(info)),
        None => out.message(&response),
    }
}

fn find<'a>(response: &'a ListGameKindsResponse, kind: &str) -> Result<&'a GameKindInfo, CliError> {
    let code_name = input::normalize(kind);
    response.kinds.iter().find(|info| info.code_name == code_name).ok_or_else(|| {
        let hosted: Vec<&str> = response.kinds.iter().map(|info| info.code_name.as_str()).collect();
        CliError::usage_with(format!("the server does not host {kind:?}"), format!("it hosts: {}", hosted.join(", ")))
    })
}

fn overview(response: &ListGameKindsResponse, screen: Screen) -> String {
    let mut table = Table::new(["kind", "title", "seats", "rules version", "rules"]);
    for info in &response.kinds {
        table.row([
            info.code_name.clone(),
            info.title.clone(),
            seats(info),
            info.rules_version.to_string(),
            info.rules.len().to_string(),
        ]);
    }
    table.render(screen.paint)
}

fn seats(info: &GameKindInfo) -> String {
    format!("{}-{}", info.min_seats, info.max_seats)
}

fn in_full(info: &GameKindInfo, screen: Screen) -> String {
    let facts = table::pairs(
        &[
            ("kind", info.code_name.clone()),
            ("title", info.title.clone()),
            ("seats", seats(info)),
            ("rules version", info.rules_version.to_string()),
        ],
        screen.paint,
    );
    let options: Vec<(String, String)> =
        info.options.iter().map(|option| (option.name.clone(), option.description.clone())).collect();
    let options = if options.is_empty() { "none".into() } else { table::paragraphs(&options, screen) };
    let rules: Vec<(String, String)> = info.rules.iter().map(|rule| (rule.id.clone(), rule.text.clone())).collect();
    let heading = |text| screen.paint.strong(text);
    [
        facts,
        format!("{}\n{options}", heading("Options")),
        format!("{}\n{}", heading("Rules"), table::paragraphs(&rules, screen)),
    ]
    .join("\n\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use divelog_proto::v1::Rule;

    fn response() -> ListGameKindsResponse {
        ListGameKindsResponse {
            kinds: vec![GameKindInfo {
                kind: 1,
                code_name: "deep_sea_adventure".into(),
                title: "Deep Sea Adventure".into(),
                min_seats: 2,
                max_seats: 6,
                rules_version: 1,
                options: vec![],
                rules: vec![
                    Rule { id: "DSA-2".into(), text: "The air starts every round at 25.".into() },
                    Rule { id: "DSA-10".into(), text: "Going up.".into() },
                ],
            }],
        }
    }

    #[test]
    fn an_overview() {
        let screen = Screen::plain(80);
        assert_eq!(
            overview(&response(), screen),
            "\
kind                title               seats  rules version  rules
deep_sea_adventure  Deep Sea Adventure  2-6    1              2"
        );
    }

    #[test]
    fn a_rule_book() {
        let screen = Screen::plain(30);
        let response = response();
        let info = find(&response, "Deep-Sea-Adventure").unwrap();
        assert_eq!(
            in_full(info, screen),
            "\
kind           deep_sea_adventure
title          Deep Sea Adventure
seats          2-6
rules version  1

Options
none

Rules
DSA-2   The air starts every
        round at 25.
DSA-10  Going up."
        );
        assert!(find(&response, "chess").is_err());
    }
}
