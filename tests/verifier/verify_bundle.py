#!/usr/bin/env python3
"""An independent verifier of divelog's evidence, written from docs/bundle-format.md, docs/log-format.md and
docs/transparency.md. It shares no code with divelog and needs nothing but Python 3.10.

    verify_bundle.py bundle FILE [--key KEY]
    verify_bundle.py consistency OLD_CHECKPOINT NEW_CHECKPOINT PROOF [--key KEY]

KEY is the log's public key, name+hash+data, from a source other than the file. PROOF holds one hash a line, in hex.
It checks chain, commitments, derivations, proofs and signatures. It does not know the games' rules and does not replay
them: that every action was legal is what `divelog bundle verify` shows. Exit code 0: nothing is wrong; 4: something is.
"""

import argparse
import pathlib
import sys
import uuid

import merkle
import note
from derive import Keys, commitment, sha256
from protobuf import Malformed, read

MAGIC = b"DLBUNDLE1\n"
MAX_BYTES = 64 << 20
MAX_RECORDS = 100_000
MAX_RECORD_BYTES = 32 << 10
MAX_BORROWED_SEEDS = 64

FORK = {
    1: ("game_id", "bytes", False),
    2: ("revision", "int", False),
    3: ("head_hash", "bytes", False),
    4: ("same_seed", "int", False),
    5: ("luck", {1: ("until", "int", False), 2: ("sealed_seed", "bytes", False)}, True),
}
SETUP = {
    1: ("kind", "int", False),
    2: ("rules_version", "int", False),
    4: ("players", {2: ("entropy", "bytes", False)}, True),
    6: ("seed_commitment", "bytes", False),
    7: ("chance_commitment", "bytes", False),
    8: ("fork", FORK, False),
}
RECORD = {
    1: ("game_id", "bytes", False),
    2: ("sequence", "int", False),
    3: ("time_ms", "int", False),
    4: ("request_id", "text", False),
    5: ("setup", SETUP, False),
    6: ("move", {}, False),
    7: ("abandonment", {}, False),
    8: ("effects_digest", "bytes", False),
    9: ("next_chance_commitment", "bytes", False),
    10: ("nonce", "bytes", False),
    11: ("previous_hash", "bytes", False),
}
INCLUSION = {
    1: ("leaf", "bytes", False),
    2: ("leaf_index", "int", False),
    3: ("tree_size", "int", False),
    4: ("hashes", "bytes", True),
}
CLAIMS = {
    1: ("kind", "int", False),
    2: ("rules_version", "int", False),
    3: ("status", "int", False),
    4: ("outcome", "bytes", False),
    5: ("producer", "text", False),
    6: ("legal_digests", "bytes", True),
    7: ("verifier_key", "text", False),
}
BUNDLE = {
    1: ("game_id", "text", False),
    2: ("records", "bytes", True),
    3: ("secret", "bytes", False),
    4: ("opened_draws", {1: ("sequence", "int", False), 2: ("chance_key", "bytes", False)}, True),
    5: ("inclusion", INCLUSION, False),
    6: ("checkpoint", "bytes", False),
    7: ("claims", CLAIMS, False),
}


class Wrong(Exception):
    """A check that shows that something is wrong."""


class Report:
    """Sentences, and whether one of them says that something is wrong."""

    def __init__(self):
        self.failed = False

    def proved(self, sentence):
        print(f"proved      {sentence}")

    def not_proved(self, sentence):
        print(f"not proved  {sentence}")

    def wrong(self, problem):
        self.failed = True
        text = str(problem)
        print(f"WRONG       {text[0].upper()}{text[1:].rstrip('.')}.")

    def check(self, function, *arguments):
        """Runs one check, which returns what is proved or raises what is wrong; None where it has said it itself."""
        try:
            sentence = function(*arguments)
        except (Wrong, Malformed, ValueError) as problem:
            self.wrong(problem)
            return False
        if sentence:
            self.proved(sentence)
        return True


def read_bundle(data):
    """A file's bundle."""
    if len(data) > MAX_BYTES or not data.startswith(MAGIC):
        raise Wrong("this is not a bundle, or too large a one")
    bundle = read(BUNDLE, data[len(MAGIC) :], strict=True)
    if not 0 < len(bundle["records"]) <= MAX_RECORDS or any(len(one) > MAX_RECORD_BYTES for one in bundle["records"]):
        raise Wrong("the bundle has no records, too many, or too large ones")
    if len(bundle["secret"]) not in (0, 32):
        raise Wrong("the bundle's secret does not have 32 bytes")
    if bundle["inclusion"] is not None and not bundle["checkpoint"]:
        raise Wrong("the bundle has an inclusion proof and no checkpoint")
    game = uuid.UUID(bundle["game_id"])
    if str(game) != bundle["game_id"]:
        raise Wrong("the bundle's game id is not in its one form")
    return bundle, game.bytes


def read_chain(game, stored):
    """The records, which must be one chain."""
    records, request_ids = [], set()
    for sequence, data in enumerate(stored):
        try:
            record = read(RECORD, data)
        except Malformed as problem:
            raise Wrong(f"record {sequence} cannot be read: {problem}") from None
        bodies = [name for name in ("setup", "move", "abandonment") if record[name] is not None]
        if record["game_id"] != game or record["sequence"] != sequence:
            raise Wrong(f"record {sequence} belongs elsewhere")
        if len(bodies) != 1 or (bodies == ["setup"]) != (sequence == 0):
            raise Wrong(f"record {sequence} has not the body that it must have")
        if record["previous_hash"] != (sha256(stored[sequence - 1]) if sequence else b""):
            raise Wrong(f"record {sequence} does not hold the hash of the one before: one of them was altered")
        if records and (record["time_ms"] < records[-1]["time_ms"] or records[-1]["abandonment"] is not None):
            raise Wrong(f"record {sequence} is older than the one before, or comes after the end")
        lengths = [len(record[name]) for name in ("effects_digest", "next_chance_commitment", "nonce")]
        if lengths != [32, 32, 16]:
            raise Wrong(f"record {sequence} has a digest, commitment or nonce of a wrong length")
        if record["request_id"] and record["request_id"] in request_ids:
            raise Wrong(f"record {sequence} has the request id of an earlier one")
        request_ids.add(record["request_id"])
        records.append(record)
    setup = records[0]["setup"]
    if len(setup["players"]) > 255 or any(len(player["entropy"]) > 255 for player in setup["players"]):
        raise Wrong("record 0 has more seats or longer entropy than a seed can be derived from")
    fork = setup["fork"]
    if fork is not None:
        if (len(fork["game_id"]), len(fork["head_hash"])) != (16, 32) or fork["revision"] == 0:
            raise Wrong("record 0 names a source that cannot be")
        ends = [luck["until"] for luck in fork["luck"]]
        own_from = 2**64 - 1 if fork["same_seed"] else fork["revision"]
        if ends != sorted(set(ends)) or ends[-1:] != [own_from] or len(ends) > MAX_BORROWED_SEEDS:
            raise Wrong("the luck that record 0 borrows does not reach to where the fork's own begins")
        if any(len(luck["sealed_seed"]) != 32 for luck in fork["luck"]):
            raise Wrong("a sealed seed in record 0 does not have 32 bytes")
    return records


def check_secret(game, secret, records):
    """The commitment to the secret, and what derives from it."""
    setup = records[0]["setup"]
    if commitment(game, secret) != setup["seed_commitment"]:
        raise Wrong("the secret is not the one that record 0 committed to")
    keys = Keys(game, secret, [player["entropy"] for player in setup["players"]], setup["fork"])
    if sha256(keys.chance(0)) != setup["chance_commitment"]:
        raise Wrong("the luck of record 0 does not derive from the secret and what the seats added")
    for record in records:
        sequence = record["sequence"]
        if record["nonce"] != keys.nonce(sequence):
            raise Wrong(f"the nonce of record {sequence} does not derive from the secret")
        if record["next_chance_commitment"] != sha256(keys.chance(sequence + 1)):
            raise Wrong(f"the luck of record {sequence + 1} does not derive from the secret and what the seats added")
    return "The secret is the one that record 0 committed to; nonces and luck derive from it and what the seats added."


def report_entropy(report, setup):
    """Who had a part in the luck."""
    fork, since = setup["fork"], ""
    if fork is not None:
        if fork["same_seed"]:
            return report.not_proved("All luck is that of seeds sealed in record 0: that they are the source's true ones.")
        since = f" From record {fork['revision']} on the luck is the fork's own."
    added = [f"seat {seat}" for seat, player in enumerate(setup["players"]) if player["entropy"]]
    if not added:
        return report.not_proved("No seat added to the seed: that the server did not choose among many secrets.")
    report.proved(f"The seed holds what these added: {', '.join(added)}.{since}")


def report_fork(report, setup):
    fork = setup["fork"]
    source = uuid.UUID(bytes=fork["game_id"])
    report.not_proved(
        f"This game is a fork of {source} at revision {fork['revision']}, not an original; {source} is not proved here."
    )


def check_draws(draws, records):
    """Single draws against the commitments made before them."""
    last = -1
    for draw in draws:
        sequence = draw["sequence"]
        if sequence <= last or sequence >= len(records) or len(draw["chance_key"]) != 32:
            raise Wrong("an opened draw is out of order, not of this game, or has no key")
        record = records[max(sequence - 1, 0)]
        committed = record["next_chance_commitment"] if sequence else record["setup"]["chance_commitment"]
        if sha256(draw["chance_key"]) != committed:
            raise Wrong(f"the opened key of record {sequence} does not fit the commitment made before it")
        last = sequence
    return f"{len(draws)} opened draws fit the commitments that were made before them."


def check_claims(claims, records):
    """What can be compared without the rules."""
    setup = records[0]["setup"]
    if (claims["kind"], claims["rules_version"]) != (setup["kind"], setup["rules_version"]):
        raise Wrong("the exporter claims another kind or rules version than record 0 says")
    abandoned = records[-1]["abandonment"] is not None
    if abandoned != (claims["status"] == merkle.ABANDONED):
        raise Wrong("the exporter claims that the game was abandoned where it was not, or the other way round")


def check_inclusion(bundle, game, report):
    """The leaf: that it is about these records, and that it is in the checkpoint's tree."""
    proof, stored = bundle["inclusion"], bundle["records"]
    checkpoint = note.Checkpoint(bundle["checkpoint"])
    leaf_game, revision, record_hash, status = merkle.read_leaf(proof["leaf"])
    if leaf_game != game:
        raise Wrong("the leaf is of another game")
    if revision > len(stored):
        raise Wrong(f"the log knows {revision} records and the bundle has {len(stored)}: records were cut off")
    if record_hash != sha256(stored[revision - 1]):
        raise Wrong(f"record {revision - 1} is not the one that the log holds: it was altered")
    last = read(RECORD, stored[revision - 1])
    if (status == merkle.ABANDONED) != (last["abandonment"] is not None):
        raise Wrong("the leaf's status is not the game's")
    if revision < len(stored) and status != merkle.RUNNING:
        raise Wrong("the leaf says that the game was over, and records follow")
    place = (proof["leaf_index"], proof["tree_size"], proof["hashes"], checkpoint.root)
    if proof["tree_size"] != checkpoint.size or not merkle.inclusion_holds(proof["leaf"], *place):
        raise Wrong("the proof does not lead from the leaf to the checkpoint's root")
    report.proved(f"The head at revision {revision} is leaf {place[0]} of the checkpoint's tree of {place[1]} leaves.")
    if revision < len(stored):
        report.not_proved(f"The {len(stored) - revision} records after it are not in the log yet.")
    else:
        report.proved(f"It covers all {revision} records of the bundle.")


def check_signature(report, name, checkpoint, key):
    """Who signed. Without a key from elsewhere nobody did."""
    if key is None:
        report.not_proved(f"No key was given: the signature of the {name} proves nothing.")
    elif checkpoint.is_signed_by(key):
        report.proved(f"The {name} of {checkpoint.size} leaves is signed by the key of {checkpoint.origin} that you gave.")
    else:
        raise Wrong(f"The {name} is not signed by the key that you gave")


def verify_bundle(path, key, report):
    """Everything that a bundle shows without the rules."""
    try:
        bundle, game = read_bundle(path.read_bytes())
    except (Wrong, Malformed, ValueError) as problem:
        return report.wrong(problem)
    stored, records, claims = bundle["records"], None, bundle["claims"]
    try:
        records = read_chain(game, stored)
        report.proved(f"The {len(stored)} records are one chain; the last one's hash is {sha256(stored[-1]).hex()}.")
    except Wrong as problem:
        report.wrong(problem)
    if records:
        setup = records[0]["setup"]
        if setup["fork"] is not None:
            report_fork(report, setup)
        if not bundle["secret"]:
            report.not_proved("Without the secret the commitment stays closed.")
        elif report.check(check_secret, game, bundle["secret"], records):
            report_entropy(report, setup)
        report.not_proved("This verifier does not know the rules: that the actions were legal and the result is right.")
        if claims is not None:
            report.check(check_claims, claims, records)
        if bundle["opened_draws"]:
            report.check(check_draws, bundle["opened_draws"], records)
    if bundle["inclusion"] is None:
        report.not_proved("There is no inclusion proof: that the game is in the transparency log.")
    else:
        report.check(check_inclusion, bundle, game, report)
    if bundle["checkpoint"]:
        report.check(check_checkpoint, bundle["checkpoint"], claims, key, report)
    else:
        report.not_proved("There is no checkpoint: nobody has signed anything.")


def check_checkpoint(data, claims, key, report):
    checkpoint = note.Checkpoint(data)
    claimed = claims["verifier_key"] if claims else ""
    if claimed and not checkpoint.is_signed_by(claimed):
        raise Wrong("the checkpoint is not even signed by the key that the bundle itself names")
    check_signature(report, "checkpoint", checkpoint, key)


def verify_consistency(old_path, new_path, proof_path, key, report):
    """That a later checkpoint continues an earlier one."""
    try:
        old, new = note.Checkpoint(old_path.read_bytes()), note.Checkpoint(new_path.read_bytes())
        proof = [bytes.fromhex(line) for line in proof_path.read_text().split()]
    except ValueError as problem:
        return report.wrong(problem)
    for name, checkpoint in (("earlier checkpoint", old), ("later checkpoint", new)):
        report.check(check_signature, report, name, checkpoint, key)
    if old.origin == new.origin and merkle.consistency_holds(old.size, old.root, new.size, new.root, proof):
        report.proved(f"The tree of {new.size} leaves begins with all {old.size} leaves of the earlier one.")
    else:
        report.wrong("The later tree does not continue the earlier one: history was rewritten, or the proof is wrong.")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    bundle = commands.add_parser("bundle")
    bundle.add_argument("file", type=pathlib.Path)
    consistency = commands.add_parser("consistency")
    for name in ("old", "new", "proof"):
        consistency.add_argument(name, type=pathlib.Path)
    for command in (bundle, consistency):
        command.add_argument("--key")
    arguments = parser.parse_args()
    report = Report()
    try:
        if arguments.command == "bundle":
            verify_bundle(arguments.file, arguments.key, report)
        else:
            verify_consistency(arguments.old, arguments.new, arguments.proof, arguments.key, report)
    except OSError as problem:
        parser.error(str(problem))
    sys.exit(4 if report.failed else 0)


if __name__ == "__main__":
    main()
