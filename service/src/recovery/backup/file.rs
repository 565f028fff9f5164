//! The backup file. `docs/backup-format.md` describes it.
//!
//! It begins with a magic line and consists of frames, each with its checksum: a header, blocks, and an end that counts
//! the blocks and holds the SHA-256 of everything before it. A later run adds a header, blocks and an end. Whatever
//! follows the last end was cut off in the writing.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{BufReader, Read, Write};
use std::path::{Path, PathBuf};

use divelog_proto::v1 as pb;
use prost::Message;
use sha2::{Digest, Sha256};

use crate::recovery::{Progress, RecoveryError};

/// How a backup file begins.
pub const MAGIC: &[u8] = b"DLBACKUP1\n";
/// The largest payload of a frame: a block and its secrets, with room to spare.
const MAX_PAYLOAD: usize = 1024 * 1024;
/// Kind and length before the payload.
const HEAD: usize = 1 + 4;
const CRC: usize = 4;

const HEADER: u8 = b'H';
const BLOCK: u8 = b'B';
const END: u8 = b'E';
const END_BYTES: usize = 8 + 32;

/// What a backup file is found to hold.
#[derive(Clone, Debug, Default)]
pub struct Facts {
    /// Where it is.
    pub path: PathBuf,
    /// Why it is not whole.
    pub problem: Option<String>,
    /// Bytes up to the last sound end: a later run goes on from there.
    pub sound_bytes: u64,
    /// The hash's state after them.
    hash: Sha256,
    /// Block frames up to there.
    pub blocks: u64,
    /// The number after the last block that the whole runs cover.
    pub end_block: u64,
    /// The last block with contents up to there, to see that a server is the same.
    pub last_block: Option<(u64, pb::BackupBlock)>,
    /// Blocks that the server could not give back.
    pub missing: BTreeSet<u64>,
    /// Of these, blocks up to this one are lost for good, and that was accepted.
    pub accepted: Option<u64>,
    /// The server's key, as of the last run.
    pub signing_key: Option<String>,
    /// The newest checkpoint of its transparency log; empty if no run has one.
    pub checkpoint: Vec<u8>,
    /// The first block of which no frame was read.
    next: u64,
}

impl Facts {
    /// The blocks that the file lacks, without those whose loss was accepted.
    pub fn not_accepted(&self) -> impl Iterator<Item = u64> + '_ {
        self.missing.iter().copied().filter(|number| Some(*number) > self.accepted)
    }
}

/// Reads a backup file and checks all of it. An error is one of reading; damage is in the facts.
pub fn inspect(path: &Path, progress: &Progress) -> Result<Facts, RecoveryError> {
    let file = File::open(path).map_err(RecoveryError::io("opening", path))?;
    let bytes = file.metadata().map_err(RecoveryError::io("reading", path))?.len();
    progress.begin(format!("checking the backup {}", path.display()), bytes);
    let mut reader =
        Reader { file: BufReader::with_capacity(1 << 20, file), hash: Sha256::new(), at: 0, payload: Vec::new() };
    let mut facts = Facts { path: path.to_path_buf(), ..Facts::default() };
    // As of the frames read; the facts follow at each sound end.
    let mut run = facts.clone();
    let problem = loop {
        progress.at(reader.at);
        let before = reader.hash.clone();
        match reader.next(path)? {
            Next::Frame(HEADER) => match pb::BackupHeader::decode(&*reader.payload) {
                Ok(header) if header.from_block <= run.end_block => {
                    run.end_block = header.end_block;
                    run.accepted = run.accepted.max(header.accepted_block);
                    if !header.checkpoint.is_empty() {
                        run.checkpoint = header.checkpoint.to_vec();
                    }
                    run.signing_key = Some(header.signing_key).filter(|key| !key.is_empty()).or(run.signing_key);
                }
                Ok(_) => break Some("a run does not continue the one before".to_owned()),
                Err(error) => break Some(format!("a header cannot be read: {error}")),
            },
            Next::Frame(BLOCK) => match pb::BackupBlock::decode(&*reader.payload) {
                Ok(block) if block.number > run.next || block.number >= run.end_block => {
                    break Some(format!("it goes on with block {} instead of {}", block.number, run.next));
                }
                Ok(block) => {
                    run.blocks += 1;
                    run.next = run.next.max(block.number + 1);
                    if block.block.is_empty() {
                        run.missing.insert(block.number);
                    } else {
                        run.missing.remove(&block.number);
                        if run.last_block.as_ref().is_none_or(|(last, _)| *last <= block.number) {
                            run.last_block = Some((block.number, block));
                        }
                    }
                }
                Err(error) => break Some(format!("a block cannot be read: {error}")),
            },
            Next::Frame(END) => {
                let expected = end_payload(run.blocks, before);
                if reader.payload != expected || run.next < run.end_block {
                    break Some("its end does not fit what it holds".to_owned());
                }
                run.sound_bytes = reader.at;
                run.hash = reader.hash.clone();
                facts = run.clone();
            }
            Next::Frame(_) => break Some("it holds a frame of an unknown kind".to_owned()),
            Next::Damaged(problem) => break Some(problem.to_owned()),
            Next::Nothing if facts.sound_bytes == 0 => break Some("it ends before its first run does".to_owned()),
            Next::Nothing if facts.sound_bytes < reader.at => break Some("it is cut off in its last run".to_owned()),
            Next::Nothing => break None,
        }
    };
    let missing = facts.not_accepted().next().map(|first| {
        let count = facts.not_accepted().count();
        format!("the server could not give {count} blocks to it, the first of them block {first}")
    });
    facts.problem = problem
        .map(|problem| format!("{problem} (byte {}); all blocks before {} are in it", reader.at, facts.end_block))
        .or(missing)
        .map(|problem| format!("the backup {}: {problem}", path.display()));
    Ok(facts)
}

fn end_payload(blocks: u64, before: Sha256) -> Vec<u8> {
    let mut payload = Vec::with_capacity(END_BYTES);
    payload.extend_from_slice(&blocks.to_be_bytes());
    payload.extend_from_slice(&before.finalize());
    payload
}

enum Next {
    /// A sound frame; its payload is in the reader.
    Frame(u8),
    Nothing,
    Damaged(&'static str),
}

struct Reader {
    file: BufReader<File>,
    hash: Sha256,
    at: u64,
    payload: Vec<u8>,
}

impl Reader {
    fn next(&mut self, path: &Path) -> Result<Next, RecoveryError> {
        let io = |error| RecoveryError::io("reading", path)(error);
        if self.at == 0 {
            let mut magic = [0; MAGIC.len()];
            if read_up_to(&mut self.file, &mut magic).map_err(io)? < magic.len() || magic != MAGIC {
                return Ok(Next::Damaged("it does not begin as a backup"));
            }
            self.pass(&magic);
        }
        let mut head = [0; HEAD];
        match read_up_to(&mut self.file, &mut head).map_err(io)? {
            0 => return Ok(Next::Nothing),
            HEAD => {}
            _ => return Ok(Next::Damaged("it is cut off")),
        }
        let length = u32::from_be_bytes([head[1], head[2], head[3], head[4]]) as usize;
        if length > MAX_PAYLOAD {
            return Ok(Next::Damaged("a frame is longer than any can be"));
        }
        let mut rest = vec![0; length + CRC];
        if read_up_to(&mut self.file, &mut rest).map_err(io)? < rest.len() {
            return Ok(Next::Damaged("it is cut off"));
        }
        let (payload, crc) = rest.split_at(length);
        if checksum(&head, payload).to_be_bytes() != crc {
            return Ok(Next::Damaged("a frame fails its checksum"));
        }
        self.pass(&head);
        self.pass(&rest);
        rest.truncate(length);
        self.payload = rest;
        Ok(Next::Frame(head[0]))
    }

    fn pass(&mut self, bytes: &[u8]) {
        self.hash.update(bytes);
        self.at += bytes.len() as u64;
    }
}

/// Reads until the buffer is full or the file ends.
fn read_up_to(file: &mut impl Read, buffer: &mut [u8]) -> std::io::Result<usize> {
    let mut filled = 0;
    while filled < buffer.len() {
        match file.read(&mut buffer[filled..]) {
            Ok(0) => break,
            Ok(count) => filled += count,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
}

fn checksum(head: &[u8], payload: &[u8]) -> u32 {
    let mut crc = crc32fast::Hasher::new();
    crc.update(head);
    crc.update(payload);
    crc.finalize()
}

/// Writes runs.
pub(super) struct Writer<W> {
    out: W,
    hash: Sha256,
    blocks: u64,
}

impl<W: Write> Writer<W> {
    /// A file from its beginning.
    pub fn begin(mut out: W) -> std::io::Result<Writer<W>> {
        out.write_all(MAGIC)?;
        Ok(Writer { out, hash: Sha256::new().chain_update(MAGIC), blocks: 0 })
    }

    /// A file that goes on after its last sound end.
    pub fn go_on(out: W, facts: &Facts) -> Writer<W> {
        Writer { out, hash: facts.hash.clone(), blocks: facts.blocks }
    }

    pub fn header(&mut self, header: &pb::BackupHeader) -> std::io::Result<()> {
        self.frame(HEADER, &header.encode_to_vec())
    }

    pub fn block(&mut self, block: &pb::BackupBlock) -> std::io::Result<()> {
        self.blocks += 1;
        self.frame(BLOCK, &block.encode_to_vec())
    }

    /// Ends the run, and gives the file back.
    pub fn end(mut self) -> std::io::Result<W> {
        let payload = end_payload(self.blocks, self.hash.clone());
        self.frame(END, &payload)?;
        self.out.flush()?;
        Ok(self.out)
    }

    fn frame(&mut self, kind: u8, payload: &[u8]) -> std::io::Result<()> {
        let length = u32::try_from(payload.len()).unwrap_or(u32::MAX).to_be_bytes();
        let head = [kind, length[0], length[1], length[2], length[3]];
        let crc = checksum(&head, payload).to_be_bytes();
        for part in [&head[..], payload, &crc] {
            self.hash.update(part);
            self.out.write_all(part)?;
        }
        Ok(())
    }
}
