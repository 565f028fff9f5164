//! Small file systems of a test's own: an ext4 image that can be copied as a power cut would leave it, and a tmpfs that
//! can run full. Both need root.

use std::path::{Path, PathBuf};
use std::process::Command;

/// A mounted file system; unmounted when dropped, also by a panic.
pub struct Mounted {
    /// Where it is mounted.
    pub path: PathBuf,
}

impl Drop for Mounted {
    fn drop(&mut self) {
        // Lazily as a last resort: a server that a panic has left behind may still hold it.
        if run("umount", &[self.path.as_os_str()]).is_err() {
            drop(run("umount", &["-l".as_ref(), self.path.as_os_str()]));
        }
    }
}

/// Runs a command; its error is what it wrote.
fn run(command: &str, args: &[&std::ffi::OsStr]) -> Result<(), String> {
    let output = Command::new(command).args(args).output().map_err(|error| format!("{command}: {error}"))?;
    match output.status.success() {
        true => Ok(()),
        false => Err(format!("{command}: {}", String::from_utf8_lossy(&output.stderr).trim())),
    }
}

fn mount(args: &[&std::ffi::OsStr], at: &Path) -> Result<Mounted, String> {
    std::fs::create_dir_all(at).map_err(|error| error.to_string())?;
    let mut all = args.to_vec();
    all.push(at.as_os_str());
    run("mount", &all)?;
    Ok(Mounted { path: at.to_path_buf() })
}

/// A tmpfs of so many bytes.
pub fn tmpfs(at: &Path, bytes: u64) -> Result<Mounted, String> {
    let size = format!("size={bytes}");
    mount(&["-t".as_ref(), "tmpfs".as_ref(), "-o".as_ref(), size.as_ref(), "tmpfs".as_ref()], at)
}

impl Mounted {
    /// Gives a tmpfs another size.
    pub fn resize(&self, bytes: u64) {
        let options = format!("remount,size={bytes}");
        run("mount", &["-o".as_ref(), options.as_ref(), self.path.as_os_str()]).unwrap();
    }

    /// How many bytes are taken.
    pub fn used(&self) -> u64 {
        let stat = rustix::fs::statvfs(&self.path).unwrap();
        (stat.f_blocks - stat.f_bfree) * stat.f_frsize
    }
}

/// Makes an empty ext4 image.
pub fn ext4_image(image: &Path, bytes: u64) -> Result<(), String> {
    let file = std::fs::File::create(image).map_err(|error| error.to_string())?;
    file.set_len(bytes).map_err(|error| error.to_string())?;
    run("mkfs.ext4", &["-q".as_ref(), "-F".as_ref(), image.as_os_str()])
}

/// Mounts an image so that nothing but an explicit sync commits its journal: what was only written, not synced, stays in
/// memory for an hour.
pub fn mount_image(image: &Path, at: &Path) -> Result<Mounted, String> {
    mount(&["-o".as_ref(), "loop,commit=3600".as_ref(), image.as_os_str()], at)
}

/// Copies an image as the disk has received it so far.
pub fn copy_image(from: &Path, to: &Path) {
    run("cp", &["--sparse=always".as_ref(), from.as_os_str(), to.as_os_str()]).unwrap();
}
