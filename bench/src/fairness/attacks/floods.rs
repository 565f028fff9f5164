//! Attacks with ordinary calls, only too many of them: replays, creations and reads.

use divelog_proto::v1::{
    self, audit_service_client::AuditServiceClient, game_service_client::GameServiceClient, viewer::Role,
};
use tokio::task::JoinSet;
use tonic::{Streaming, transport::Channel};

use super::{
    AttackContext,
    repeat::{Setback, keep_doing},
};
use crate::fairness::{data, long_game::LongGame};

/// Connections of each of these attacks.
const CONNECTIONS: usize = 8;
/// Replays at once.
const REPLAYS: usize = 160;
/// Creations at once on each connection.
const CREATIONS: usize = 256;
/// Calls of each reading method at once.
const READS: usize = 16;
/// The largest page of a list.
const PAGE: u32 = 1_000;

/// Connections that are opened when they are needed, and reopened when they have ended.
pub fn channels(context: &AttackContext, count: usize) -> Result<Vec<Channel>, String> {
    let endpoint = data::endpoint(context.address)?;
    Ok((0..count).map(|_| endpoint.connect_lazy()).collect())
}

/// A viewer who sees everything.
pub fn auditor() -> Option<v1::Viewer> {
    Some(v1::Viewer { role: Role::Auditor as i32, seat: 0 })
}

/// A replay with everything that can be asked for.
pub fn full_replay(game_id: &str) -> v1::ReplayGameRequest {
    v1::ReplayGameRequest {
        game_id: game_id.to_owned(),
        viewer: auditor(),
        include_views: true,
        include_all_views: true,
        include_legal_actions: true,
        include_legal_after: true,
        ..Default::default()
    }
}

/// Reads a stream to its end.
async fn drain<T>(context: &AttackContext, mut stream: Streaming<T>) -> Result<(), Setback> {
    while stream.message().await?.is_some() {
        context.counts.answer(1);
    }
    Ok(())
}

/// Replays a long game over and over.
pub fn replays(context: &AttackContext, tasks: &mut JoinSet<()>) -> Result<(), String> {
    let channels = channels(context, CONNECTIONS)?;
    for channel in channels.into_iter().cycle().take(REPLAYS) {
        let mut client = AuditServiceClient::new(channel);
        keep_doing(tasks, context, async move |context| {
            context.counts.begin(1);
            let replay = client.replay_game(full_replay(&context.finished)).await?;
            drain(context, replay.into_inner()).await
        });
    }
    Ok(())
}

/// Creates games.
pub fn creations(context: &AttackContext, tasks: &mut JoinSet<()>) -> Result<(), String> {
    for channel in channels(context, CONNECTIONS)? {
        for _ in 0..CREATIONS {
            let mut client = GameServiceClient::new(channel.clone());
            keep_doing(tasks, context, async move |context| {
                context.counts.begin(1);
                client.create_game(LongGame::create()).await?;
                context.counts.answer(1);
                Ok(())
            });
        }
    }
    Ok(())
}

/// Reads with each of four methods, each in tasks of its own.
pub fn reads(context: &AttackContext, tasks: &mut JoinSet<()>) -> Result<(), String> {
    let channels = channels(context, CONNECTIONS)?;
    for (channel, number) in channels.into_iter().cycle().zip(0..4 * READS) {
        let mut games = GameServiceClient::new(channel.clone()).max_decoding_message_size(usize::MAX);
        let mut audit = AuditServiceClient::new(channel);
        keep_doing(tasks, context, async move |context| {
            context.counts.begin(1);
            let game_id = context.finished.clone();
            match number / READS {
                0 => drop(games.get_game(v1::GetGameRequest { game_id, viewer: auditor() }).await?),
                1 => drop(games.list_games(filtered()).await?),
                2 => {
                    let request = v1::ReadLogRequest { game_id, include_secret: false };
                    return drain(context, audit.read_log(request).await?.into_inner()).await;
                }
                _ => drop(audit.verify_game(v1::VerifyGameRequest { game_id }).await?),
            }
            context.counts.answer(1);
            Ok(())
        });
    }
    Ok(())
}

/// A list that looks at every game and finds none.
fn filtered() -> v1::ListGamesRequest {
    v1::ListGamesRequest {
        page_size: PAGE,
        kind: v1::GameKind::DeepSeaAdventure as i32,
        status: v1::GameStatus::Running as i32,
        labels: [("nobody".to_owned(), "has this".to_owned())].into(),
        ..Default::default()
    }
}
