//! A flipped bit anywhere in sled's file: the server refuses to start, or each game is whole or refused. A
//! shorter or another game is never returned as the true one.

use divelog_proto::v1 as pb;
use divelog_tests::Server;
use tonic::Code;

use super::Filled;
use crate::faults::{SharedChoices, reconcile, setting};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_flipped_bit_anywhere_never_passes_for_the_truth() {
    let choices = SharedChoices::from_environment("damage");
    let flips = setting("DIVELOG_DAMAGE_FLIPS", 12);
    let mut filled = Filled::new(12, 40).await;
    // sled looks at everything since its last start when it starts, and at the rest when it is asked for it: there
    // must be both.
    filled.play_on(3).await;
    let good = std::fs::read(filled.data().join("db")).unwrap();
    // The file ends in unused room; damage there shows nothing.
    let used = good.iter().rposition(|byte| *byte != 0).unwrap() as u64;
    let (mut refused, mut damaged, mut harmless) = (0, 0, 0);
    for flip in 0..flips {
        let data = filled.copy(&format!("flip-{flip}"));
        let (at, bit) = (choices.below(used) as usize, choices.below(8));
        let mut bytes = good.clone();
        bytes[at] ^= 1 << bit;
        std::fs::write(data.join("db"), bytes).unwrap();
        let server = match Server::try_start(&data, &[]) {
            Ok(server) => server,
            Err((status, log)) => {
                assert_eq!(status.code(), Some(1), "byte {at}, bit {bit}: {log}");
                let last = log.lines().last().unwrap();
                assert!(last.starts_with("divelogd: the store in ") && last.contains("backup"), "{log}");
                println!("byte {at} of {used}, bit {bit}: {last}");
                refused += 1;
                continue;
            }
        };
        let mut sound = 0;
        for (game_id, hashes) in &filled.logs {
            let get = pb::GetGameRequest { game_id: game_id.clone(), viewer: None };
            match server.games().await.get_game(get).await {
                Ok(game) => {
                    let game = game.into_inner().game.unwrap();
                    assert_eq!(Some(&game.head_hash), hashes.last(), "byte {at}, bit {bit}: game {game_id}");
                    let log = reconcile::read_log(&mut server.audit().await, game_id).await;
                    assert_eq!(log.hashes, *hashes, "byte {at}, bit {bit}: game {game_id}");
                    sound += 1;
                }
                Err(status) => {
                    let named = matches!(status.code(), Code::DataLoss | Code::Unavailable);
                    assert!(named, "byte {at}, bit {bit}: game {game_id}: {status:?}: {}", server.log());
                }
            }
        }
        match sound == filled.logs.len() {
            true => harmless += 1,
            false => damaged += 1,
        }
        server.kill();
        std::fs::remove_dir_all(&data).unwrap();
    }
    println!(
        "damage: {flips} flipped bits: {refused} refused at the start, {damaged} damaged games, {harmless} harmless"
    );
}
