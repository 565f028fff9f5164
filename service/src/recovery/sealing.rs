//! The file `tlog-state`: how far the transparency log had sealed the store's blocks (docs/transparency.md).
//!
//! A restored server goes on from it. The file also says what block came last; where that block had to be written anew it
//! is another one now, and the file says that it cannot be told.

use std::path::Path;

use divelog_ledger::Hash;

/// Its name in a data folder.
pub(super) const STATE: &str = "tlog-state";
/// A state is much shorter; more is not ours.
const MAX_BYTES: u64 = 4 * 1024;
const NEXT_BLOCK: &str = "next_block ";
const LAST_BLOCK: &str = "last_block ";
const CHECKSUM: &str = "crc ";

/// A state whose checksum holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SealingState {
    /// The lines before the checksum's.
    lines: Vec<String>,
    /// The first block that is not sealed.
    pub next_block: u64,
}

impl SealingState {
    /// None: there is none, or none that can be used.
    pub fn read(data: &Path) -> Option<SealingState> {
        let path = data.join(STATE);
        if std::fs::metadata(&path).ok()?.len() > MAX_BYTES {
            return None;
        }
        SealingState::parse(&std::fs::read_to_string(path).ok()?)
    }

    fn parse(text: &str) -> Option<SealingState> {
        let lines: Vec<String> = text.lines().map(str::to_owned).collect();
        let (_, lines) = lines.split_last()?;
        let next_block = lines.iter().find_map(|line| line.strip_prefix(NEXT_BLOCK))?.parse().ok()?;
        let state = SealingState { lines: lines.to_vec(), next_block };
        (state.to_text() == text).then_some(state)
    }

    /// The state for a store whose last sealed block has this hash; none if it has no such block.
    pub fn for_last_block(mut self, hash: Option<Hash>) -> SealingState {
        let line = self.lines.iter_mut().find(|line| line.starts_with(LAST_BLOCK));
        let as_it_was = |line: &str| hash.is_some_and(|hash| line[LAST_BLOCK.len()..] == hex(&hash));
        if let Some(line) = line.filter(|line| !as_it_was(line)) {
            *line = format!("{LAST_BLOCK}{}", hex(&[0; 32]));
        }
        self
    }

    pub fn to_text(&self) -> String {
        let text: String = self.lines.iter().flat_map(|line| [line, "\n"]).collect();
        let crc = crc32fast::hash(text.as_bytes());
        format!("{text}{CHECKSUM}{crc:08x}\n")
    }
}

fn hex(hash: &Hash) -> String {
    hash.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(last: &Hash) -> String {
        let text = format!("divelog-tlog 1\nkey k\nsize 3\nnext_block 9\nlast_block {}\npromised 3 00\n", hex(last));
        let crc = crc32fast::hash(text.as_bytes());
        format!("{text}crc {crc:08x}\n")
    }

    #[test]
    fn a_last_block_that_is_another_one_now_is_not_vouched_for() {
        let state = SealingState::parse(&text(&[5; 32])).expect("as it was written");
        assert_eq!(state.next_block, 9);
        assert_eq!(state.clone().for_last_block(Some([5; 32])).to_text(), text(&[5; 32]));
        assert_eq!(state.clone().for_last_block(Some([6; 32])).to_text(), text(&[0; 32]));
        assert_eq!(state.for_last_block(None).to_text(), text(&[0; 32]));
        assert_eq!(SealingState::parse(&text(&[5; 32]).replace("size 3", "size 4")), None);
    }
}
