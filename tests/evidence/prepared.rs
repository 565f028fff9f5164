//! Promises of future games: the server's secret is fixed before the players say what they add to the seed.

use divelog_proto::v1 as pb;
use divelog_tests::Server;
use prost::Message;
use tonic::{Code, Status};

use crate::api::details_of;

async fn prepare(server: &Server) -> pb::PreparedGame {
    let response = server.games().await.prepare_game(pb::PrepareGameRequest {}).await;
    response.unwrap().into_inner().prepared.unwrap()
}

async fn create(
    server: &Server,
    prepared: &pb::PreparedGame,
    entropy: &'static [u8],
    request_id: &str,
) -> Result<pb::Game, Status> {
    let mut request = divelog_tests::player::new_game(2);
    request.players[1].entropy = entropy.into();
    request.prepared = Some(prepared.clone());
    request.request_id = request_id.into();
    Ok(server.games().await.create_game(request).await?.into_inner().game.unwrap())
}

fn reason(refused: Result<pb::Game, Status>) -> (Code, String) {
    let status = refused.unwrap_err();
    (status.code(), details_of(&status).reason)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_promised_game_has_the_promised_secret_whatever_the_players_add() {
    let dir = tempfile::tempdir().unwrap();
    let server = Server::start(&dir.path().join("data"));
    let (first, second) = (prepare(&server).await, prepare(&server).await);
    assert_ne!(first.game_id, second.game_id);
    let game = create(&server, &first, b"pepper", "a-promise").await.unwrap();
    assert_eq!((&game.game_id, &game.seed_commitment), (&first.game_id, &first.seed_commitment));
    // The same request again is the same game; another request for it is refused.
    assert_eq!(create(&server, &first, b"pepper", "a-promise").await.unwrap().game_id, game.game_id);
    let reused = (Code::AlreadyExists, "REQUEST_ID_REUSED".to_owned());
    assert_eq!(reason(create(&server, &second, b"pepper", "a-promise").await), reused);
    let exists = (Code::AlreadyExists, "PREPARED_GAME_EXISTS".to_owned());
    assert_eq!(reason(create(&server, &first, b"salt", "").await), exists);
    // Of many at once one gets it.
    let calls: Vec<_> = (0..8).map(|_| create(&server, &second, b"salt", "")).collect();
    let mut created = 0;
    for answer in futures(calls).await {
        match answer {
            Ok(_) => created += 1,
            refused => assert_eq!(reason(refused), exists),
        }
    }
    assert_eq!(created, 1);

    let export = pb::ExportBundleRequest { game_id: game.game_id.clone(), include_secret: true, ..Default::default() };
    let bundle = server.audit().await.export_bundle(export).await.unwrap().into_inner().bundle.unwrap();
    assert!(divelog_ledger::bundle::verify(&bundle, None).ok());
    let record = pb::Record::decode(&bundle.records[0][..]).unwrap();
    let Some(pb::record::Body::Setup(setup)) = record.body else { panic!("record 0 sets the game up") };
    assert_eq!(setup.seed_commitment, first.seed_commitment);
    server.stop();
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_not_promised_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().join("data");
    let server = Server::start(&data);
    let promise = prepare(&server).await;
    let mut forged = promise.clone();
    forged.seed_commitment = vec![7; 32].into();
    let unknown = (Code::FailedPrecondition, "NOT_PREPARED".to_owned());
    assert_eq!(reason(create(&server, &forged, b"", "").await), unknown);
    let check = pb::CreateGameRequest {
        prepared: Some(forged.clone()),
        validate_only: true,
        ..divelog_tests::player::new_game(2)
    };
    assert_eq!(server.games().await.create_game(check).await.unwrap_err().code(), Code::FailedPrecondition);
    forged.seed_commitment.truncate(31);
    assert_eq!(reason(create(&server, &forged, b"", "").await).1, "INVALID_FIELD");
    forged.game_id = "no id".into();
    assert_eq!(reason(create(&server, &forged, b"", "").await).1, "INVALID_FIELD");
    server.stop();
    // A restart forgets what it promised, and says so.
    let server = Server::start(&data);
    assert_eq!(reason(create(&server, &promise, b"", "").await), unknown);
    server.stop();
}

/// All of them at once.
async fn futures<F: Future>(calls: Vec<F>) -> Vec<F::Output> {
    let mut calls: Vec<_> = calls.into_iter().map(Box::pin).collect();
    let mut answers: Vec<Option<F::Output>> = calls.iter().map(|_| None).collect();
    std::future::poll_fn(|context| {
        for (call, answer) in calls.iter_mut().zip(&mut answers) {
            if answer.is_none()
                && let std::task::Poll::Ready(ready) = call.as_mut().poll(context)
            {
                *answer = Some(ready);
            }
        }
        if answers.iter().all(Option::is_some) { std::task::Poll::Ready(()) } else { std::task::Poll::Pending }
    })
    .await;
    answers.into_iter().flatten().collect()
}
