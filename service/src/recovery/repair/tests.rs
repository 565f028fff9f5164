//! What a repair does to the folder and to what lies beside it.

use std::collections::BTreeSet;
use std::os::unix::fs::{PermissionsExt, symlink};

use super::super::report::DatabaseCheck;
use super::super::tests::{Game, JOURNAL_BYTES, block, game, records, secrets, stored, write};
use super::*;
use crate::recovery::open_copy;
use crate::store::StoreError;
use crate::store::block::NO_BLOCK;

/// A folder whose `db` is no store any more, and still holds the blocks of a game.
fn damaged(data: &Path) -> Game {
    let game = game(1, 2, 1);
    fs::create_dir(data).unwrap();
    write(data, "db", &[secrets(0, &[&game]), block(0, &[(&game, 0, NO_BLOCK), (&game, 1, 0)])]);
    game
}

/// The names in a folder.
fn names(dir: &Path) -> BTreeSet<String> {
    fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o7777
}

/// It has no watermark, so nobody can say that nothing is lost.
fn run(data: &Path) -> Result<PathBuf, RecoveryError> {
    Repair::begin(data)?.run(Options { publish: &data.join("tlog"), accept_loss: true })
}

#[test]
fn one_repair_of_a_folder_at_a_time() {
    let dir = tempfile::tempdir().unwrap();
    let (data, other) = (dir.path().join("data"), dir.path().join("other"));
    fs::create_dir(&data).unwrap();
    fs::create_dir(&other).unwrap();
    let first = Repair::begin(&data).unwrap();
    let second = Repair::begin(&data).err().unwrap();
    assert!(matches!(second, RecoveryError::UnderRepair { .. }), "{second}");
    drop(Repair::begin(&other).unwrap());
    drop(first);
    drop(Repair::begin(&data).unwrap());
}

#[test]
fn a_repaired_folder_has_the_permissions_of_the_damaged_one_and_is_its_owners_alone() {
    for (before, wanted) in [(0o700, 0o700), (0o755, 0o700), (0o2770, 0o2700)] {
        let dir = tempfile::tempdir().unwrap();
        let data = dir.path().join("data");
        let game = damaged(&data);
        fs::set_permissions(&data, fs::Permissions::from_mode(before)).unwrap();
        let aside = run(&data).unwrap();
        assert_eq!((mode(&data), mode(&aside)), (wanted, before));
        assert_eq!(stored(&data, &game), records(&game, 2));
        assert_eq!(names(dir.path()), [".data.divelog-repair", "data", "data.damaged-1"].map(String::from).into());
    }
}

#[test]
fn a_folder_that_is_a_link_is_repaired_where_it_lies() {
    let (here, there) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let (link, data) = (here.path().join("link"), there.path().join("data"));
    let game = damaged(&data);
    symlink(&data, &link).unwrap();
    let aside = run(&link).unwrap();
    assert_eq!(fs::read_link(&link).unwrap(), data);
    assert_eq!(aside, fs::canonicalize(there.path()).unwrap().join("data.damaged-1"));
    assert_eq!(names(here.path()), ["link".to_owned()].into());
    assert_eq!(stored(&data, &game), records(&game, 2));
}

#[test]
fn nobody_opens_or_replaces_the_damaged_store_unnoticed() {
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().join("data");
    open_copy::open(&data, JOURNAL_BYTES).unwrap().close();
    let seen = Seen::hold(&data).unwrap();
    assert!(matches!(open_copy::open(&data, JOURNAL_BYTES), Err(StoreError::InUse { .. })));
    seen.check().unwrap();
    fs::rename(data.join("db"), dir.path().join("old")).unwrap();
    for with in [None, Some("another")] {
        if let Some(text) = with {
            fs::write(data.join("db"), text).unwrap();
        }
        assert!(matches!(seen.check(), Err(RecoveryError::Changed { .. })));
    }
    fs::rename(dir.path().join("old"), data.join("db")).unwrap();
    seen.check().unwrap();
    fs::rename(&data, dir.path().join("away")).unwrap();
    damaged(&data);
    assert!(matches!(seen.check(), Err(RecoveryError::Changed { .. })));
}

#[test]
fn what_a_killed_repair_has_left_is_removed_where_it_cannot_be_the_damaged_folder() {
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().join("data");
    damaged(&data);
    for left in [".data.divelog-repair-x", ".data.2.divelog-repair-x", ".divelog-restore-x", "data.repaired-1"] {
        fs::create_dir(dir.path().join(left)).unwrap();
        fs::write(dir.path().join(left).join("db"), "half").unwrap();
    }
    run(&data).unwrap();
    // Those of another folder, and of a `restore` that may be under way, are not its own.
    let left = [".data.2.divelog-repair-x", ".divelog-restore-x", "data.repaired-1"];
    let own = [".data.divelog-repair", "data", "data.damaged-1"];
    assert_eq!(names(dir.path()), left.into_iter().chain(own).map(String::from).collect());
}

#[test]
fn a_repair_that_is_refused_leaves_nothing_but_its_lock() {
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().join("data");
    damaged(&data);
    let before = fs::read(data.join("db")).unwrap();
    let repair = Repair::begin(&data).unwrap();
    let error = repair.run(Options { publish: &data.join("tlog"), accept_loss: false }).unwrap_err();
    assert!(matches!(error, RecoveryError::NotAll { .. }), "{error}");
    drop(repair);
    // What has no file of a store is not searched for one in the folders within.
    let other = dir.path().join("other");
    fs::create_dir(&other).unwrap();
    fs::write(other.join("numbers"), "").unwrap();
    damaged(&other.join("copy"));
    assert!(matches!(run(&other), Err(RecoveryError::NoSource { .. })));
    let expected = [".data.divelog-repair", ".other.divelog-repair", "data", "other"];
    assert_eq!(names(dir.path()), expected.map(String::from).into());
    assert_eq!((fs::read(data.join("db")).unwrap(), names(&data)), (before, ["db".to_owned()].into()));
}

#[test]
fn folders_that_differ_after_a_dot_change_places_each_by_itself_and_back_if_they_cannot() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name);
    let made = |path: &Path, text: &str| {
        fs::create_dir(path).unwrap();
        fs::write(path.join("text"), text).unwrap();
    };
    for name in ["games.v1", "games.v2"] {
        made(&at(name), "old");
        let folder = RepairFolder::lock(&at(name)).unwrap();
        let (new, aside) = (folder.free_name("repaired").unwrap(), folder.free_name("damaged").unwrap());
        folder::in_two_steps(&folder.data, &new, &aside).unwrap_err();
        assert_eq!(fs::read_to_string(at(name).join("text")).unwrap(), "old");
        made(&new, "new");
        folder::in_two_steps(&folder.data, &new, &aside).unwrap();
        assert_eq!(fs::read_to_string(at(name).join("text")).unwrap(), "new");
        assert_eq!(fs::read_to_string(aside.join("text")).unwrap(), "old");
        assert!(aside.ends_with(format!("{name}.damaged-1")) && !new.exists());
    }
}

#[test]
fn a_store_that_does_not_give_its_games_back_is_no_loss_to_accept() {
    let database =
        |sound| Some(DatabaseCheck { sound, sentence: "the new store does not give 1 of 2 games back".into() });
    let report = Report { database: database(false), ..Report::default() };
    for accept_loss in [false, true] {
        let error = check_report(&report, accept_loss).unwrap_err().to_string();
        assert!(error.contains("does not give 1 of 2 games back"), "{error}");
    }
    assert!(check_report(&Report { database: database(true), ..Report::default() }, true).is_ok());
    assert!(check_report(&Report { whole: true, database: database(true), ..Report::default() }, false).is_ok());
}

#[test]
fn a_log_that_is_published_in_the_folder_is_known_by_any_name() {
    let dir = tempfile::tempdir().unwrap();
    let (data, link) = (fs::canonicalize(dir.path()).unwrap().join("data"), dir.path().join("link"));
    let (inside, outside) = (data.join("tlog"), dir.path().join("published"));
    for log in [&inside, &outside] {
        fs::create_dir_all(log).unwrap();
        fs::write(log.join(CHECKPOINT), "signed").unwrap();
    }
    symlink(&data, &link).unwrap();
    for publish in [inside, link.join("tlog"), link.join("..").join("data").join("tlog"), dir.path().join("nowhere")] {
        assert!(!published_elsewhere(&data, &publish), "{}", publish.display());
    }
    assert!(published_elsewhere(&data, &outside));
}
