//! Who may read a data folder: it holds the secrets of all games and the signing key.
//!
//! What divelogd makes is its owner's alone ([`crate::files`]). What an earlier version or somebody else has made is reported
//! and left as it is: others may have been let in on purpose.

use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// Everything that a group or others may do.
const NOT_THE_OWNER: u32 = 0o077;
/// How many names the report's command has at most: a folder has about ten files, unless somebody else puts some there.
const MAX_NAMES: usize = 64;

/// Says in one line what others than the owner may read, and the command that fixes it.
pub fn report(data: &Path, publish: &Path, signing_key: Option<&Path>) {
    if let Some(key) = signing_key.filter(|key| !key.starts_with(data)) {
        report_file(key);
    }
    let open = match open_to_others(data, publish) {
        Ok(open) => open,
        // Opening the store says so, and what to do.
        Err(error) => return tracing::debug!(path = %data.display(), %error, "its permissions cannot be read"),
    };
    let Some((first, mode)) = open.first() else { return };
    let more = match open.len() - 1 {
        0 => String::new(),
        more => format!(" and {more} more in this folder"),
    };
    let names: Vec<String> = open.iter().take(MAX_NAMES).map(|(path, _)| quoted(path)).collect();
    tracing::warn!(
        "others than their owner may read files with the games' secrets: {} has mode {mode:04o}{more}; to fix it: chmod go-rwx {}",
        first.display(),
        names.join(" ")
    );
}

/// One file that only its owner should read: says if that is not so.
pub(crate) fn report_file(path: &Path) {
    if let Ok(mode) = mode(path)
        && mode & NOT_THE_OWNER != 0
    {
        tracing::warn!(
            "others than its owner may read {}, which has mode {mode:04o}; to fix it: chmod go-rwx {}",
            path.display(),
            quoted(path)
        );
    }
}

/// The folder and what lies in it, as far as others than the owner may read it; nothing where there is no folder yet. What is
/// published is for everybody.
fn open_to_others(data: &Path, publish: &Path) -> io::Result<Vec<(PathBuf, u32)>> {
    let entries = match fs::read_dir(data) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    let published = |path: &Path| path == publish || path.file_name().is_some_and(|name| name == "tlog");
    let mut paths = Vec::new();
    for entry in entries {
        paths.push(entry?.path());
    }
    paths.retain(|path| !published(path));
    paths.sort();
    let mut open = Vec::new();
    for path in std::iter::once(data.to_path_buf()).chain(paths) {
        // A file may go while this looks.
        let Ok(mode) = mode(&path) else { continue };
        if mode & NOT_THE_OWNER != 0 {
            open.push((path, mode));
        }
    }
    Ok(open)
}

fn mode(path: &Path) -> io::Result<u32> {
    Ok(fs::metadata(path)?.permissions().mode() & 0o7777)
}

/// As a shell reads it.
fn quoted(path: &Path) -> String {
    let text = path.display().to_string();
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/._-+:@%".contains(&byte);
    match text.bytes().all(is_plain) && !text.starts_with('-') {
        true => text,
        false => format!("'{}'", text.replace('\'', r"'\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(path: &Path, mode: u32) {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    }

    #[test]
    fn what_others_may_read_is_found_and_what_is_published_is_not_meant() {
        let dir = tempfile::tempdir().unwrap();
        let data = dir.path().join("data");
        let found = |publish: &Path| {
            let open = open_to_others(&data, publish).unwrap();
            let name = |path: PathBuf| path.strip_prefix(dir.path()).unwrap().to_str().unwrap().to_owned();
            open.into_iter().map(|(path, mode)| (name(path), mode)).collect::<Vec<_>>()
        };
        assert_eq!(found(&data.join("tlog")), [], "there is no folder yet");
        fs::create_dir_all(data.join("tlog")).unwrap();
        fs::create_dir_all(data.join("public")).unwrap();
        for name in ["db", "journal-0", "signing-key"] {
            fs::write(data.join(name), "").unwrap();
            set(&data.join(name), 0o600);
        }
        set(&data, 0o700);
        assert_eq!(found(&data.join("public")), []);
        set(&data, 0o710);
        set(&data.join("db"), 0o640);
        set(&data.join("journal-0"), 0o604);
        let wanted = [("data", 0o710), ("data/db", 0o640), ("data/journal-0", 0o604)];
        assert_eq!(found(&data.join("public")), wanted.map(|(name, mode)| (name.to_owned(), mode)));
    }

    #[test]
    fn a_shell_reads_the_command_as_it_is_meant() {
        for (path, text) in
            [("/var/lib/a-b_c.d/db", "/var/lib/a-b_c.d/db"), ("a b", "'a b'"), ("it's", r"'it'\''s'"), ("-x", "'-x'")]
        {
            assert_eq!(quoted(Path::new(path)), text);
        }
    }
}
