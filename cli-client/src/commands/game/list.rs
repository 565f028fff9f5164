//! `divelog game list`: pages are followed until there are enough games.

use divelog_proto::v1::{ListGamesRequest, ListGamesResponse};

use crate::{
    args::{Global, ListArgs},
    commands::{print_table, status_word},
    connect,
    errors::CliError,
    output::{self, Output, table::Table},
    pages::{MAX_PAGE, Pages},
    parallel,
};

/// Lists the games.
pub async fn run(global: &Global, args: &ListArgs, out: &mut Output) -> Result<(), CliError> {
    let mut pages = Pages::of(request(args)?);
    let connection = connect::open(global).await?;
    let mut all = ListGamesResponse::default();
    loop {
        let size = page_size(args.limit, all.games.len());
        let page = if size > 0 { pages.next(&connection, size).await? } else { None };
        let Some(page) = page else { break };
        all.games.extend(page.games);
        all.next_page_token = page.next_page_token;
    }
    if out.is_table() {
        print_table(&table(&all), out)?;
    } else if out.is_jsonl() {
        all.games.iter().try_for_each(|game| out.message(game))?;
    } else {
        out.message(&all)?;
    }
    if all.games.is_empty() && all.next_page_token.is_empty() {
        output::note("no games");
    }
    if !all.next_page_token.is_empty() {
        let token = output::clean(&all.next_page_token);
        output::note(&format!(
            "there are more games: --page-token {token} continues here, --limit N shows more at once"
        ));
    }
    Ok(())
}

/// The request of the first page, without its size.
fn request(args: &ListArgs) -> Result<ListGamesRequest, CliError> {
    Ok(ListGamesRequest { page_size: 0, page_token: args.page_token.clone(), ..parallel::filtered(&args.filter)? })
}

/// How many games to ask for next; 0 when there are enough.
fn page_size(limit: u32, have: usize) -> u32 {
    let have = u32::try_from(have).unwrap_or(u32::MAX);
    limit.saturating_sub(have).min(MAX_PAGE)
}

/// Ids stand in full on every screen: commands take nothing shorter.
fn table(response: &ListGamesResponse) -> Table {
    let header = ["game", "kind", "status", "rev", "seats", "updated", "created", "labels", "fork of"];
    let mut table = Table::new(header).optional(&["fork of", "labels", "created", "updated", "seats"]);
    for game in &response.games {
        // Beside its kind, where nobody who looks for games of that kind can miss it.
        let fork = if game.fork_of.is_empty() { "" } else { " FORK" };
        table.row([
            game.game_id.clone(),
            format!("{}{fork}", divelog_text::code_name(game.kind())),
            status_word(game.status()).into(),
            game.revision.to_string(),
            game.seat_count.to_string(),
            output::time(game.update_time.as_ref()),
            output::time(game.create_time.as_ref()),
            output::labels(&game.labels),
            output::or_dash(game.fork_of.clone()),
        ]);
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        args::{FilterArgs, Format, Status},
        output::{Screen, capture},
        test_server::{Script, TestServer},
    };
    use divelog_proto::v1::{GameKind, GameStatus, GameSummary};

    #[test]
    fn filters_become_a_request() {
        let args = ListArgs {
            filter: FilterArgs {
                kind: Some("deep-sea-adventure".into()),
                status: Some(Status::Finished),
                label: vec!["a=1".into()],
            },
            limit: 50,
            page_token: "t".into(),
        };
        let request = request(&args).unwrap();
        assert_eq!(request.kind(), GameKind::DeepSeaAdventure);
        assert_eq!(request.status(), GameStatus::Finished);
        assert_eq!(request.labels["a"], "1");
        assert_eq!(request.page_token, "t");
    }

    #[test]
    fn pages_shrink_towards_the_limit() {
        assert_eq!(page_size(50, 0), 50);
        assert_eq!(page_size(2_500, 0), 1_000);
        assert_eq!(page_size(2_500, 2_000), 500);
        assert_eq!(page_size(50, 50), 0);
        assert_eq!(page_size(50, 60), 0);
    }

    #[test]
    fn games_in_a_table() {
        let game = GameSummary {
            game_id: "g".into(),
            kind: 1,
            seat_count: 2,
            labels: [("league".to_string(), "north\u{1b}".to_string())].into(),
            status: 1,
            revision: 3,
            create_time: Some(prost_types::Timestamp { seconds: 0, nanos: 0 }),
            ..Default::default()
        };
        let fork = GameSummary { game_id: "f".into(), fork_of: "g".into(), create_time: None, ..game.clone() };
        let response = ListGamesResponse { games: vec![game], next_page_token: String::new() };
        let expected = "\
game  kind                status   rev  seats  updated  created               labels              fork of
g     deep_sea_adventure  running  3    2      -        1970-01-01T00:00:00Z  league=north\\u001b  -";
        assert_eq!(table(&response).render(Screen::plain(usize::MAX)), expected);
        let response = ListGamesResponse { games: vec![fork], next_page_token: String::new() };
        let text = table(&response).render(Screen::plain(usize::MAX));
        assert!(text.contains("f     deep_sea_adventure FORK  running") && text.ends_with("  g"), "{text}");
    }

    #[test]
    fn ids_kinds_and_statuses_fit_80_columns() {
        let time = Some(prost_types::Timestamp { seconds: 1_700_000_000, nanos: 123_000_000 });
        let games = ["deep_sea_adventure", "captain_carcass"].map(|kind| GameSummary {
            game_id: "0197f3a2-5d0c-7c31-9c1e-2f6d3b8a4e10".into(),
            kind: divelog_text::kind_by_code_name(kind).unwrap().into(),
            fork_of: "0197f3a2-5d0c-7c31-9c1e-2f6d3b8a4e11".into(),
            status: GameStatus::Abandoned.into(),
            revision: 1234,
            labels: [("league".to_string(), "north".to_string())].into(),
            create_time: time,
            update_time: time,
            ..Default::default()
        });
        let table = table(&ListGamesResponse { games: games.to_vec(), next_page_token: String::new() });
        let screen = Screen::plain(80);
        let expected = "\
game                                  kind                     status     rev
0197f3a2-5d0c-7c31-9c1e-2f6d3b8a4e10  deep_sea_adventure FORK  abandoned  1234
0197f3a2-5d0c-7c31-9c1e-2f6d3b8a4e10  captain_carcass FORK     abandoned  1234";
        assert_eq!(table.render(screen), expected);
        assert!(expected.lines().all(|line| line.len() <= 80));
    }

    #[tokio::test]
    async fn pages_are_followed_up_to_the_limit() {
        let page = |count: usize, token: &str| ListGamesResponse {
            games: vec![GameSummary::default(); count],
            next_page_token: token.into(),
        };
        let pages = [page(2, "a"), page(0, "b"), page(1, "c")];
        let server = TestServer::start(Script { pages: pages.into(), ..Default::default() }).await;
        let (mut out, captured) = capture::output(Format::Json);
        let args = ListArgs { filter: FilterArgs::default(), limit: 3, page_token: String::new() };
        run(&server.global(), &args, &mut out).await.unwrap();
        let value: serde_json::Value = serde_json::from_str(&captured.text()).unwrap();
        assert_eq!(value["games"].as_array().unwrap().len(), 3);
        assert_eq!(value["next_page_token"], "c");
        assert_eq!(server.script.lock().unwrap().page_sizes, [3, 1, 1]);
    }
}
