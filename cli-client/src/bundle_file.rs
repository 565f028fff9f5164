//! Bundles as files: read within bounds, written without replacing anything by accident.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, Read, Write as _},
    path::{Path, PathBuf},
};

use divelog_ledger::bundle::{self, BundleError};
use divelog_proto::v1::Bundle;

use crate::errors::CliError;

/// How a bundle's file name ends.
pub const EXTENSION: &str = "dlbundle";

/// How deep folders of bundles may be nested.
const MAX_DEPTH: usize = 16;

/// The most bundles that are taken from folders.
const MAX_FILES: usize = 1_000_000;

/// Reads a bundle; `-` is stdin.
pub fn read(path: &Path) -> Result<Bundle, CliError> {
    let shown = path.display();
    let failed = |source| CliError::io(format!("cannot read {shown}"), source);
    let bytes = if path == Path::new("-") {
        read_bounded(io::stdin().lock()).map_err(failed)?
    } else {
        read_bounded(File::open(path).map_err(failed)?).map_err(failed)?
    };
    bundle::from_file(&bytes).map_err(|problem| match problem {
        BundleError::NotABundle | BundleError::TooLarge => {
            CliError::usage_with(format!("{shown}: {problem}"), "`divelog bundle export GAME` writes one")
        }
        // It begins like a bundle, so it was damaged or altered.
        damaged => CliError::disproved(format!("{shown}: {damaged}"), "get the file again from its source"),
    })
}

/// All bytes up to just beyond the limit, which the format then refuses.
fn read_bounded(reader: impl Read) -> io::Result<Vec<u8>> {
    let limit = u64::try_from(bundle::MAX_BUNDLE_BYTES).unwrap_or(u64::MAX);
    let mut bytes = Vec::new();
    reader.take(limit.saturating_add(1)).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Writes a file that is not there yet, or any with `replace`; the hint says what to do if there is one. A reader never
/// finds half of it.
pub fn write(path: &Path, bytes: &[u8], replace: bool, hint: &str) -> Result<(), CliError> {
    let shown = path.display();
    let failed = |source: io::Error| match source.kind() {
        io::ErrorKind::AlreadyExists => CliError::usage_with(format!("{shown} already exists"), hint),
        _ => CliError::unwritten(format!("cannot write {shown}"), source),
    };
    if !replace {
        // Taken at once, so that two exports cannot both believe that the name is free.
        OpenOptions::new().write(true).create_new(true).open(path).map_err(failed)?;
    }
    replace_file(path, bytes).map_err(failed)
}

/// Replaces a file as a whole: after a crash there is the old one or the new one.
fn replace_file(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}.tmp", std::process::id()));
    let temporary = path.with_file_name(name);
    let written = File::create(&temporary)
        .and_then(|mut file| file.write_all(bytes).and_then(|()| file.sync_all()))
        .and_then(|()| fs::rename(&temporary, path));
    if written.is_err() {
        // A file that is only half written is not left behind.
        let _ = fs::remove_file(&temporary);
    }
    written
}

/// The bundles that paths stand for: files as they are, and from folders every file that is named like a bundle, sorted.
pub fn find(paths: &[PathBuf]) -> Result<Vec<PathBuf>, CliError> {
    let mut found = Vec::new();
    for path in paths {
        let failed = |source| CliError::io(format!("cannot read {}", path.display()), source);
        if fs::metadata(path).map_err(failed)?.is_dir() {
            search(path, MAX_DEPTH, &mut found).map_err(failed)?;
        } else {
            found.push(path.clone());
        }
    }
    if found.len() > MAX_FILES {
        return Err(CliError::usage(format!("there are more than {MAX_FILES} bundles: give fewer folders at once")));
    }
    if found.is_empty() {
        return Err(CliError::usage_with(
            "there is no bundle in these folders",
            format!("the names of bundles end in .{EXTENSION}; `divelog bundle export GAME` writes one"),
        ));
    }
    Ok(found)
}

fn search(folder: &Path, depth: usize, found: &mut Vec<PathBuf>) -> io::Result<()> {
    let mut entries = fs::read_dir(folder)?.collect::<io::Result<Vec<_>>>()?;
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let (path, kind) = (entry.path(), entry.file_type()?);
        if kind.is_dir() && depth > 0 {
            search(&path, depth - 1, found)?;
        } else if !kind.is_dir() && path.extension().is_some_and(|extension| extension == EXTENSION) {
            found.push(path);
        }
        if found.len() > MAX_FILES {
            break;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::errors::Exit;

    #[test]
    fn files_are_not_replaced_by_accident() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.dlbundle");
        write(&path, b"one", false, "").unwrap();
        let error = write(&path, b"two", false, "").unwrap_err();
        assert_eq!((error.exit(), fs::read(&path).unwrap().as_slice()), (Exit::Usage, b"one".as_slice()));
        write(&path, b"two", true, "").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"two");
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1, "nothing else is left");
    }

    #[test]
    fn folders_are_searched_for_bundles() {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join("deep")).unwrap();
        for name in ["b.dlbundle", "a.dlbundle", "deep/c.dlbundle", "readme.txt"] {
            fs::write(dir.path().join(name), b"").unwrap();
        }
        let found = find(&[dir.path().to_path_buf(), dir.path().join("readme.txt")]).unwrap();
        let names: Vec<_> = found.iter().map(|path| path.file_name().unwrap().to_str().unwrap()).collect();
        assert_eq!(names, ["a.dlbundle", "b.dlbundle", "c.dlbundle", "readme.txt"], "a file that is named counts");
        let empty = tempfile::tempdir().unwrap();
        assert_eq!(find(&[empty.path().to_path_buf()]).unwrap_err().exit(), Exit::Usage);
    }

    #[test]
    fn what_is_not_a_bundle_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("x");
        fs::write(&path, b"something else").unwrap();
        let error = read(&path).unwrap_err();
        assert!(error.exit() == Exit::Usage && error.to_string().contains("is not a bundle"), "{error}");
        fs::write(&path, [bundle::MAGIC, b"\xff"].concat()).unwrap();
        assert_eq!(read(&path).unwrap_err().exit(), Exit::Unverified, "a damaged one is no evidence");
    }
}
