//! Attacks by watching: thousands of watchers of one game, each of which is sent every action.

use std::time::{Duration, Instant};

use divelog_proto::v1::{self, game_service_client::GameServiceClient, watch_game_response::Message};
use tokio::{sync::watch, task::JoinSet};
use tonic::transport::Channel;

use super::{
    AttackContext,
    floods::channels,
    repeat::{Setback, forever, keep_doing},
};
use crate::fairness::{data, long_game::LongGame};

/// Watchers in all.
const WATCHERS: usize = 10_000;
/// Connections over which they are spread.
const CONNECTIONS: usize = 20;
/// How often somebody acts in the game that is watched.
const ACTION_INTERVAL: Duration = Duration::from_millis(20);
/// How long a connection of the player may take that is opened again.
const RECONNECT: Duration = Duration::from_millis(500);

/// Watches a game in which this process acts itself.
pub fn of_a_busy_game(context: &AttackContext, tasks: &mut JoinSet<()>) -> Result<(), String> {
    let (announce, game) = watch::channel(String::new());
    let player = context.clone();
    // A thread of its own: beside so many streams the player would hardly get a turn. It ends with the process.
    std::thread::spawn(move || {
        let Ok(runtime) = tokio::runtime::Builder::new_current_thread().enable_all().build() else { return };
        runtime.block_on(forever(&player, async |context| act(context, &announce).await));
    });
    watchers(context, game, tasks)
}

/// Watches a game that others play.
pub fn of_game(context: &AttackContext, game_id: String, tasks: &mut JoinSet<()>) -> Result<(), String> {
    let (_, game) = watch::channel(game_id);
    watchers(context, game, tasks)
}

/// Plays one game to its end.
async fn act(context: &AttackContext, announce: &watch::Sender<String>) -> Result<(), Setback> {
    let channel = tokio::time::timeout(RECONNECT, data::connect(context.address)).await;
    let channel = channel.map_err(|_| Setback::CutOff("no connection for the player".to_owned()))?;
    let mut client = GameServiceClient::new(channel.map_err(Setback::CutOff)?);
    let answer = client.create_game(LongGame::create()).await?.into_inner();
    let mut game =
        LongGame::created(answer).ok_or_else(|| Setback::Refused("a game without anybody to act".to_owned()))?;
    announce.send_replace(game.id().to_owned());
    let mut due = Instant::now();
    while !game.is_over() {
        tokio::time::sleep_until(due.into()).await;
        let answer = client.submit_action(game.request(String::new())).await?;
        game.follow_answer(answer.get_ref());
        due = (due + ACTION_INTERVAL).max(Instant::now());
    }
    Ok(())
}

fn watchers(context: &AttackContext, game: watch::Receiver<String>, tasks: &mut JoinSet<()>) -> Result<(), String> {
    for channel in channels(context, CONNECTIONS)?.into_iter().cycle().take(WATCHERS) {
        let (client, mut game) = (GameServiceClient::new(channel), game.clone());
        keep_doing(tasks, context, async move |context| {
            // Until there is a game. One that nobody will announce any more is the one there is.
            let known = game.wait_for(|id| !id.is_empty()).await.map(|id| id.clone());
            let game_id = known.unwrap_or_else(|_| game.borrow().clone());
            watch_game(context, client.clone(), game_id).await
        });
    }
    Ok(())
}

/// Watches a game until it is over.
async fn watch_game(
    context: &AttackContext,
    mut client: GameServiceClient<Channel>,
    game_id: String,
) -> Result<(), Setback> {
    let request = v1::WatchGameRequest { game_id, include_views: true, ..Default::default() };
    let mut updates = client.watch_game(request).await?.into_inner();
    context.counts.begin(1);
    while let Some(update) = updates.message().await? {
        context.counts.answer(1);
        if let Some(Message::End(_)) = update.message {
            return Err(Setback::Refused("the game that was watched is over".to_owned()));
        }
    }
    Err(Setback::CutOff("a watch ended without saying why".to_owned()))
}
