//! Who sees what: no seat and no spectator is shown the value of a chip before it is scored or the game is over, by any
//! call; the auditor is shown all of them.

use std::collections::BTreeMap;

use divelog_proto::games::deep_sea_adventure::v1 as dsa;
use divelog_proto::v1 as pb;
use divelog_tests::{Player, Server};
use dsa::event::Event;

use super::{open, to_the_end, watch_of};

fn everybody(seats: u32) -> Vec<pb::Viewer> {
    let mut viewers = vec![
        pb::Viewer { role: pb::viewer::Role::Unspecified.into(), seat: 0 },
        pb::Viewer { role: pb::viewer::Role::Spectator.into(), seat: 0 },
    ];
    viewers.extend((0..seats).map(|seat| pb::Viewer { role: pb::viewer::Role::Seat.into(), seat }));
    viewers
}

fn auditor() -> pb::Viewer {
    pb::Viewer { role: pb::viewer::Role::Auditor.into(), seat: 0 }
}

fn view_of(view: &pb::GameView) -> &dsa::View {
    let Some(pb::game_view::View::DeepSeaAdventure(view)) = &view.view else { panic!("{view:?}") };
    view
}

/// The chips of a view that are not scored.
fn open_chips(view: &dsa::View) -> Vec<dsa::Chip> {
    let stacks = view.path.iter().chain(view.explorers.iter().flat_map(|explorer| &explorer.load));
    stacks.flat_map(|stack| stack.chips.clone()).collect()
}

/// The chips that events show, apart from those that were just scored.
fn chips_of(events: &[pb::GameEvent]) -> (Vec<dsa::Chip>, Vec<dsa::Chip>) {
    let (mut hidden, mut scored) = (Vec::new(), Vec::new());
    for event in events {
        let Some(pb::game_event::Event::DeepSeaAdventure(event)) = &event.event else { panic!("{event:?}") };
        match event.event.as_ref().unwrap() {
            Event::PathLaid(laid) => hidden.extend(laid.spaces.iter().flat_map(|stack| stack.chips.clone())),
            Event::PickedUp(picked) => hidden.extend(picked.stack.iter().flat_map(|stack| stack.chips.clone())),
            Event::PutDown(put) => hidden.extend(put.stack.iter().flat_map(|stack| stack.chips.clone())),
            Event::Lost(lost) => hidden.extend(lost.chips.clone()),
            Event::PilesLaid(laid) => hidden.extend(laid.piles.iter().flat_map(|stack| stack.chips.clone())),
            Event::Scored(turned) => scored.extend(turned.chips.clone()),
            _ => {}
        }
    }
    (hidden, scored)
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_but_the_auditor_sees_a_value_before_its_time() {
    let dir = tempfile::tempdir().unwrap();
    let server = Server::start(&dir.path().join("data"));
    let (mut hidden_total, mut scored_total) = (0, 0);
    for seed in 0..4 {
        let seats = 2 + seed as u32 % 3;
        let mut player = Player::create(server.games().await, seats as usize, seed).await;
        let mut watches = Vec::new();
        for viewer in everybody(seats).into_iter().chain([auditor()]) {
            let request = pb::WatchGameRequest {
                viewer: Some(viewer),
                after_revision: Some(0),
                include_views: true,
                ..watch_of(&player.game_id)
            };
            watches.push((viewer, tokio::spawn(to_the_end(open(&player, request).await))));
        }
        // The answers to the acting seats, as they come.
        while let Some(done) = player.step().await.unwrap() {
            let (hidden, scored) = chips_of(&done.events);
            assert!(hidden.iter().all(|chip| chip.value.is_none()), "an answer shows a value: {done:?}");
            assert!(scored.iter().all(|chip| chip.value.is_some()));
        }
        let mut all = BTreeMap::new();
        for (viewer, watch) in watches {
            let (updates, _) = watch.await.unwrap();
            let audits = viewer == auditor();
            for update in &updates {
                let (hidden, scored) = chips_of(&update.events);
                assert!(hidden.iter().all(|chip| chip.value.is_some() == audits), "{viewer:?}: {update:?}");
                assert!(scored.iter().all(|chip| chip.value.is_some()), "what is scored is shown to all");
                let view = view_of(update.view.as_ref().unwrap());
                let over = update.status() == pb::GameStatus::Finished;
                let open = open_chips(view);
                assert!(open.iter().all(|chip| chip.value.is_some() == (audits || over)), "{viewer:?}: {view:?}");
                assert!(view.explorers.iter().flat_map(|explorer| &explorer.scored).all(|chip| chip.value.is_some()));
                hidden_total += hidden.len();
                scored_total += scored.len();
            }
            let replay = pb::ReplayGameRequest {
                game_id: player.game_id.clone(),
                viewer: Some(viewer),
                include_views: true,
                ..Default::default()
            };
            let mut replay = server.audit().await.replay_game(replay).await.unwrap().into_inner();
            for update in &updates {
                let step = replay.message().await.unwrap().unwrap();
                let again = pb::Update {
                    revision: step.revision,
                    record_hash: step.record_hash,
                    time: step.time,
                    seat: step.seat,
                    events: step.events,
                    status: step.status,
                    to_act: step.to_act,
                    view: step.view,
                };
                assert_eq!(&again, update, "a replay shows what was seen");
                let own = viewer.role() == pb::viewer::Role::Seat && step.seat == Some(viewer.seat);
                assert_eq!(step.action.is_some(), step.seat.is_some() && (own || audits), "{viewer:?}");
            }
            assert!(replay.message().await.unwrap().is_none());
            all.insert((viewer.role, viewer.seat), updates);
        }
        let spectator = &all[&(pb::viewer::Role::Spectator.into(), 0)];
        for ((role, _), updates) in &all {
            if *role != i32::from(pb::viewer::Role::Auditor) {
                assert_eq!(updates, spectator, "all seats and spectators see the same in this game");
            }
        }
    }
    assert!(hidden_total > 0 && scored_total > 0, "nothing was hidden or scored: this test has seen nothing");
    server.stop();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_running_game_keeps_its_secret() {
    let dir = tempfile::tempdir().unwrap();
    let server = Server::start(&dir.path().join("data"));
    let mut player = Player::create(server.games().await, 2, 1).await;
    player.play(5).await;
    for viewer in everybody(2).into_iter().chain([auditor()]) {
        let get = pb::GetGameRequest { game_id: player.game_id.clone(), viewer: Some(viewer) };
        let shown = player.client.get_game(get).await.unwrap().into_inner();
        assert!(shown.game.unwrap().revealed_secret.is_empty());
        let chips = open_chips(view_of(shown.view.as_ref().unwrap()));
        assert_eq!(chips.len(), 32);
        assert!(chips.iter().all(|chip| chip.value.is_some() == (viewer == auditor())), "{viewer:?}");
    }
    for include_secret in [false, true] {
        let request = pb::ReadLogRequest { game_id: player.game_id.clone(), include_secret };
        let mut log = server.audit().await.read_log(request).await.unwrap().into_inner();
        let Some(pb::read_log_response::Message::Header(header)) = log.message().await.unwrap().unwrap().message else {
            panic!("no header");
        };
        assert_eq!(header.secret.is_empty(), !include_secret);
    }
    server.stop();
}
