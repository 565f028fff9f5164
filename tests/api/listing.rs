//! ListGames: newest first, filters by kind, status and labels, and pages that together are exactly the list.

use divelog_proto::v1 as pb;
use divelog_tests::player::new_game;
use divelog_tests::{Player, Server};

async fn all(player: &mut Player, request: &pb::ListGamesRequest) -> Vec<pb::GameSummary> {
    let (mut games, mut page_token) = (Vec::new(), String::new());
    loop {
        let request = pb::ListGamesRequest { page_token, ..request.clone() };
        let page = player.client.list_games(request.clone()).await.unwrap().into_inner();
        assert!(page.games.len() <= if request.page_size == 0 { 50 } else { request.page_size as usize });
        games.extend(page.games);
        page_token = page.next_page_token;
        if page_token.is_empty() {
            return games;
        }
    }
}

fn ids(games: &[pb::GameSummary]) -> Vec<String> {
    games.iter().map(|game| game.game_id.clone()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn pages_and_filters_give_exactly_the_games() {
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().join("data");
    let mut server = Server::start(&data);
    let mut client = server.games().await;
    let mut expected = Vec::new();
    for number in 0..60usize {
        let mut request = new_game(2 + number % 5);
        request.labels.insert("table".into(), (number % 3).to_string());
        if number.is_multiple_of(2) {
            request.labels.insert("even".into(), String::new());
        }
        let game = client.create_game(request).await.unwrap().into_inner().game.unwrap();
        let status = match number % 10 {
            0 => {
                let mut player = Player::of(client.clone(), game.game_id.clone(), 3);
                player.play(usize::MAX).await;
                pb::GameStatus::Finished
            }
            1 | 2 => {
                let abandon = pb::AbandonGameRequest { game_id: game.game_id.clone(), ..Default::default() };
                client.abandon_game(abandon).await.unwrap();
                pb::GameStatus::Abandoned
            }
            _ => pb::GameStatus::Running,
        };
        let get = pb::GetGameRequest { game_id: game.game_id.clone(), viewer: None };
        let now = client.get_game(get).await.unwrap().into_inner().game.unwrap();
        assert_eq!(now.status(), status);
        expected.push((number, now));
    }
    expected.reverse();
    for restarted in [false, true] {
        if restarted {
            server.stop();
            server = Server::start(&data);
        }
        let mut player = Player::of(server.games().await, String::new(), 0);
        let list = all(&mut player, &pb::ListGamesRequest::default()).await;
        assert_eq!(list.len(), 60);
        for (summary, (_, game)) in list.iter().zip(&expected) {
            let expected = pb::GameSummary {
                game_id: game.game_id.clone(),
                kind: game.kind,
                seat_count: game.players.len() as u32,
                labels: game.labels.clone(),
                status: game.status,
                revision: game.revision,
                head_hash: game.head_hash.clone(),
                create_time: game.create_time,
                update_time: game.update_time,
                fork_of: String::new(),
            };
            assert_eq!(summary, &expected);
        }
        let wanted = |keep: &dyn Fn(usize, &pb::Game) -> bool| -> Vec<String> {
            let kept = expected.iter().filter(|(number, game)| keep(*number, game));
            kept.map(|(_, game)| game.game_id.clone()).collect()
        };
        let label = |key: &str, value: &str| (key.to_owned(), value.to_owned());
        let request = pb::ListGamesRequest::default;
        for page_size in [0, 1, 7, 59, 60, 61, 1000, 5000] {
            let request = || pb::ListGamesRequest { page_size, ..request() };
            assert_eq!(ids(&all(&mut player, &request()).await), wanted(&|_, _| true));
            for status in [pb::GameStatus::Running, pb::GameStatus::Finished, pb::GameStatus::Abandoned] {
                let filter = pb::ListGamesRequest { status: status.into(), ..request() };
                assert_eq!(ids(&all(&mut player, &filter).await), wanted(&|_, game| game.status() == status));
            }
            let kind = pb::GameKind::DeepSeaAdventure.into();
            let filter = pb::ListGamesRequest {
                kind,
                status: pb::GameStatus::Running.into(),
                labels: [label("table", "1"), label("even", "")].into(),
                ..request()
            };
            let keep = |number: usize, _: &pb::Game| number % 3 == 1 && number.is_multiple_of(2) && number % 10 > 2;
            assert_eq!(ids(&all(&mut player, &filter).await), wanted(&keep));
            let nobody = pb::ListGamesRequest { labels: [label("table", "9")].into(), ..request() };
            assert_eq!(all(&mut player, &nobody).await, []);
        }
    }
    server.stop();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_token_goes_on_exactly_where_its_page_ended() {
    let dir = tempfile::tempdir().unwrap();
    let server = Server::start(&dir.path().join("data"));
    let mut player = Player::create(server.games().await, 2, 0).await;
    for _ in 0..9 {
        player.client.create_game(new_game(2)).await.unwrap();
    }
    let request = pb::ListGamesRequest { page_size: 4, ..Default::default() };
    let whole = ids(&all(&mut player, &request).await);
    let first = player.client.list_games(request.clone()).await.unwrap().into_inner();
    // Games that are created in between are newer: they neither shift the next page nor show on it.
    for _ in 0..5 {
        player.client.create_game(new_game(2)).await.unwrap();
    }
    let next = pb::ListGamesRequest { page_token: first.next_page_token.clone(), ..request };
    for _ in 0..2 {
        let second = player.client.list_games(next.clone()).await.unwrap().into_inner();
        assert_eq!(ids(&second.games), whole[4..8], "a token may be used again");
    }
    server.stop();
}
