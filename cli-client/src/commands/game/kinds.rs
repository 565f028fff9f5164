//! `divelog game kinds`: what the server hosts, and the rule books.

use divelog_proto::v1::{GameKindInfo, ListGameKindsRequest, ListGameKindsResponse, OptionInfo, Rule};
use divelog_text::rule_book;
use serde_json::Value;

use crate::{
    args::Global,
    connect,
    errors::CliError,
    input, options,
    output::{
        Output, Screen, clean_line, strings,
        table::{self, Table},
    },
    repeat,
};

/// Before each line about an option.
const INDENT: &str = "  ";

const EXAMPLE: &str = "example";
const OPTION: &str = "--option";

/// Lists the kinds, or describes one in full, by its newest rules or those of a version.
pub async fn run(
    global: &Global,
    kind: Option<&str>,
    rules_version: Option<u32>,
    out: &mut Output,
) -> Result<(), CliError> {
    let connection = connect::open(global).await?;
    let response = connection.call(ListGameKindsRequest {}).await?;
    let (screen, width) = (out.screen(), out.table_screen().width);
    match kind {
        Some(kind) => {
            let info = find(&response, kind)?;
            let shown = as_of(info, rules_version)?;
            if out.is_table() {
                out.text(&in_full(&shown, info.rules_version, screen, width))
            } else {
                out.message(&shown)
            }
        }
        None if out.is_table() => out.text(&overview(&response, out.table_screen())),
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

/// The kind by the rules of a version; by its newest without one.
fn as_of(info: &GameKindInfo, rules_version: Option<u32>) -> Result<GameKindInfo, CliError> {
    let Some(version) = rules_version else { return Ok(info.clone()) };
    rule_book::as_of(info, version).ok_or_else(|| {
        let known = format!("it has rules versions 1 to {}", info.rules_version);
        CliError::usage_with(format!("{} has no rules version {version}", info.title), known)
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
    table.render(screen)
}

fn seats(info: &GameKindInfo) -> String {
    format!("{}-{}", info.min_seats, info.max_seats)
}

/// A word as a shell takes it, broken into lines that can be copied together: only JSON in quotes can, which has room for
/// spaces behind its commas.
fn folded(word: &str, width: usize) -> Vec<String> {
    let whole = vec![word.to_owned()];
    let json = |text: &str| -> Option<Value> {
        serde_json::from_str(text.strip_prefix('\'')?.strip_suffix('\'')?.split_once('=')?.1).ok()
    };
    if strings::width(word) <= width || json(word).is_none() {
        return whole;
    }
    let mut lines = vec![String::new()];
    for part in word.split_inclusive(',') {
        match lines.last_mut() {
            Some(line) if line.is_empty() || strings::width(line) + strings::width(part) <= width => {
                line.push_str(part)
            }
            _ => lines.push(part.to_owned()),
        }
    }
    // A comma may stand in a text, where no line ends.
    if json(&lines.join("\n")) == json(word) { lines } else { whole }
}

/// One option: what it does, what it takes, and something to copy, which is on one line where nothing says how wide that may be.
fn in_words(code_name: &str, option: &OptionInfo, screen: Screen, width: usize) -> String {
    let mut lines = vec![(strings::pad("does", EXAMPLE.len()), option.description.clone())];
    // One that is newer than this client has no more than the server says of it.
    if let Some(shape) = options::shape(code_name, &option.name) {
        lines.push(("takes".into(), shape));
        let default = options::default_words(code_name, &option.name);
        // JSON may be broken where it has a space.
        let default = default.map(|default| default.replace(",\"", ", \"")).unwrap_or_else(|| "not set".into());
        lines.push(("default".into(), default));
    }
    let inside = Screen { width: screen.width.saturating_sub(INDENT.len()), ..screen };
    let text = table::paragraphs(&lines, inside);
    let mut lines: Vec<String> = text.lines().map(|line| format!("{INDENT}{line}")).collect();
    if !option.example.is_empty() {
        let before = format!("{INDENT}{}  {OPTION} ", strings::pad("", EXAMPLE.len()));
        let example = folded(&clean_line(&repeat::quoted(&option.example)), width.saturating_sub(before.len()));
        let gap = format!("\n{}", " ".repeat(before.len()));
        lines.push(format!("{INDENT}{}  {OPTION} {}", screen.paint.strong(EXAMPLE), example.join(&gap)));
    }
    format!("{}\n{}", screen.paint.strong(&clean_line(&option.name)), lines.join("\n"))
}

fn in_full(info: &GameKindInfo, newest: u32, screen: Screen, width: usize) -> String {
    let version = match info.rules_version {
        version if version < newest => format!("{version}; new games get {newest}"),
        version => version.to_string(),
    };
    let facts = table::pairs(
        &[
            ("kind", info.code_name.clone()),
            ("title", info.title.clone()),
            ("seats", seats(info)),
            ("rules version", version),
        ],
        screen,
    );
    let options: Vec<String> =
        info.options.iter().map(|option| in_words(&info.code_name, option, screen, width)).collect();
    let options = if options.is_empty() { "none".into() } else { options.join("\n") };
    let rules: Vec<(String, String)> = info.rules.iter().map(|rule| (rule.id.clone(), text(rule))).collect();
    let heading = |text| screen.paint.strong(text);
    [
        facts,
        format!("{}\n{options}", heading("Options")),
        format!("{}\n{}", heading("Rules"), table::paragraphs(&rules, screen)),
    ]
    .join("\n\n")
}

/// A rule's text, and since which version it is that, where it has not always been.
fn text(rule: &Rule) -> String {
    match rule.rules_version {
        0 | 1 => rule.text.clone(),
        version => format!("(since version {version}) {}", rule.text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rule(id: &str, rules_version: u32, text: &str) -> Rule {
        Rule { id: id.into(), text: text.into(), rules_version }
    }

    fn response() -> ListGameKindsResponse {
        ListGameKindsResponse {
            kinds: vec![GameKindInfo {
                kind: 1,
                code_name: "deep_sea_adventure".into(),
                title: "Deep Sea Adventure".into(),
                min_seats: 2,
                max_seats: 6,
                rules_version: 2,
                options: vec![OptionInfo {
                    name: "currents".into(),
                    description: "Currents.".into(),
                    example: "currents=true".into(),
                    rules_version: 2,
                }],
                rules: vec![
                    rule("DSA-2", 1, "The air starts every round at 25."),
                    rule("DSA-10", 2, "Going up at once."),
                ],
                earlier_rules: vec![rule("DSA-10", 1, "Going up.")],
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
deep_sea_adventure  Deep Sea Adventure  2-6    2              2"
        );
    }

    /// The rule book that is shown.
    fn shown(rules_version: Option<u32>) -> Result<String, CliError> {
        let response = response();
        let info = find(&response, "Deep-Sea-Adventure")?;
        Ok(in_full(&as_of(info, rules_version)?, info.rules_version, Screen::plain(30), 30))
    }

    #[test]
    fn an_option_shows_what_it_takes() {
        let option = OptionInfo {
            name: "dolphins".into(),
            description: "The pay of each day.".into(),
            example: "dolphins=1,2".into(),
            rules_version: 1,
        };
        let expected = "\
dolphins
  does     The pay of each day.
  takes    a list of 10 with commas
           between, each a whole number
  default  40,50,60,20,20,20,20,40,50,60
  example  --option dolphins=1,2";
        assert_eq!(in_words("key_largo", &option, Screen::plain(42), 42), expected);
        let newer = OptionInfo { name: "sharks".into(), description: "Sharks.".into(), ..Default::default() };
        assert_eq!(in_words("key_largo", &newer, Screen::plain(42), 42), "sharks\n  does     Sharks.");
    }

    #[test]
    fn json_to_copy_is_broken_where_json_may_be() {
        let option = OptionInfo {
            name: "bar".into(),
            description: "Prices.".into(),
            example: r#"bar={"diver":[100,80,60],"pickpocket":[50,40]}"#.into(),
            ..Default::default()
        };
        let example = |width| {
            let text = in_words("key_largo", &option, Screen::plain(80), width);
            text[text.find("--option").unwrap()..].to_owned()
        };
        assert_eq!(example(usize::MAX), r#"--option 'bar={"diver":[100,80,60],"pickpocket":[50,40]}'"#);
        let broken = example(46);
        assert_eq!(broken, "--option 'bar={\"diver\":[100,80,60],\n                    \"pickpocket\":[50,40]}'");
        // What a shell makes of it is the same option.
        let word = broken.trim_start_matches("--option ").trim_matches('\'').to_owned();
        let kind = divelog_proto::v1::GameKind::KeyLargo;
        let typed = |text: &str| options::options(kind, serde_json::Map::new(), &[text.to_owned()]).unwrap();
        assert_eq!(typed(&word), typed(&option.example));
        // No text is broken, and nothing that is not JSON.
        for whole in [r#"'name=["a,b","c,d"]'"#, "dolphins=1,2,3,4,5,6", "'names=a b,c d,e f'"] {
            assert_eq!(folded(whole, 8).concat(), whole);
        }
        assert_eq!(folded(r#"'name=["a,b"]'"#, 8).len(), 1);
    }

    #[test]
    fn a_rule_book() {
        let book = "\
kind           deep_sea_adventure
title          Deep Sea
               Adventure
seats          2-6
rules version  2

Options
currents
  does     Currents.
  example  --option currents=true

Rules
DSA-2   The air starts every
        round at 25.
DSA-10  (since version 2)
        Going up at once.";
        assert_eq!(shown(None).unwrap(), book);
        assert_eq!(shown(Some(2)).unwrap(), book);
        assert!(find(&response(), "chess").is_err());
    }

    #[test]
    fn the_rule_book_of_an_older_version() {
        let book = "\
kind           deep_sea_adventure
title          Deep Sea
               Adventure
seats          2-6
rules version  1; new games
               get 2

Options
none

Rules
DSA-2   The air starts every
        round at 25.
DSA-10  Going up.";
        assert_eq!(shown(Some(1)).unwrap(), book);
        let refused = shown(Some(3)).unwrap_err();
        assert!(refused.to_string().contains("Deep Sea Adventure has no rules version 3"), "{refused}");
    }
}
