//! Unary calls: one task per game in flight.

use std::{sync::Arc, time::Instant};

use bytes::Bytes;
use divelog_proto::v1::game_service_client::GameServiceClient;
use tonic::transport::Channel;

use super::{
    PAYLOAD,
    game_pool::GamePool,
    table::Table,
    tally::{Tally, Window},
};
use crate::echo_proto::{EchoRequest, echo_service_client::EchoServiceClient};

/// Echoes one message after another until the window closes.
pub async fn echo(mut client: EchoServiceClient<Channel>, window: Window, tally: Arc<Tally>) {
    let mut sent = Instant::now();
    while !window.is_over(sent) {
        let payload = Bytes::from_static(&PAYLOAD);
        let answer = client.echo(EchoRequest { payload }).await;
        // One reading of the clock per call: the end of one is the beginning of the next.
        let now = Instant::now();
        match answer {
            Ok(_) => tally.answered(&window, sent, now),
            // An echo has nothing to refuse: the connection is gone.
            Err(status) => return tally.failed_call(&status),
        }
        sent = now;
    }
}

/// Plays one game after another until the window closes.
pub async fn play(
    mut client: GameServiceClient<Channel>,
    mut table: Table,
    pool: Arc<GamePool>,
    window: Window,
    tally: Arc<Tally>,
) {
    let mut sent = Instant::now();
    while !window.is_over(sent) {
        let answer = client.submit_action(table.request()).await;
        let now = Instant::now();
        let go_on = match answer {
            Ok(answer) => {
                tally.answered(&window, sent, now);
                table.follow_answer(answer.get_ref());
                !table.is_over()
            }
            Err(status) => {
                tally.failed_call(&status);
                // A refused game is misread from here on: another takes its place.
                false
            }
        };
        sent = now;
        if !go_on {
            table = match pool.take() {
                Some(table) => table,
                None => {
                    tally.waited_for_game();
                    match pool.create().await {
                        Ok(table) => table,
                        Err(status) => return tally.failed_call(&status),
                    }
                }
            };
            sent = Instant::now();
        }
    }
}
