"""Checks a log without any of divelog's code: chain, commitments, nonces, and every die from the revealed secret.

Written from the documents: the record's comments in proto/divelog/v1/record.proto, the derivations of the log format,
and the section "Randomness" of the rule book. Python's standard library does the hashing; ChaCha20 is written out below.
The derivations are shared with the verifier of bundles, which has no code of divelog either.
"""

import pathlib
import struct
import sys
import uuid

from divelog.v1 import record_pb2

sys.path.append(str(pathlib.Path(__file__).parent.parent / "verifier"))

from derive import Keys, commitment, sha256  # noqa: E402


def chacha20_words(key):
    """The key stream of ChaCha20 (RFC 8439's rounds, 64-bit counter, nonce 0) as 32-bit words."""
    mask = 0xFFFFFFFF
    counter = 0

    def quarter(x, a, b, c, d):
        for target, other, source, shift in ((a, b, d, 16), (c, d, b, 12), (a, b, d, 8), (c, d, b, 7)):
            x[target] = (x[target] + x[other]) & mask
            mixed = x[source] ^ x[target]
            x[source] = ((mixed << shift) | (mixed >> (32 - shift))) & mask

    while True:
        start = [0x61707865, 0x3320646E, 0x79622D32, 0x6B206574, *struct.unpack("<8I", key)]
        start += [counter & mask, counter >> 32, 0, 0]
        x = list(start)
        for _ in range(10):
            for column in range(4):
                quarter(x, column, 4 + column, 8 + column, 12 + column)
            for at in range(4):
                quarter(x, at, 4 + (at + 1) % 4, 8 + (at + 2) % 4, 12 + (at + 3) % 4)
        yield from ((a + b) & mask for a, b in zip(x, start))
        counter += 1


class Chance:
    """Draws of one record."""

    def __init__(self, key):
        self.words = chacha20_words(key)

    def below(self, bound):
        """Lemire's draw: multiply, and reject the few words that would be unfair."""
        while True:
            product = next(self.words) * bound
            if product & 0xFFFFFFFF >= (1 << 32) % bound:
                return product >> 32


def expected_path(chance):
    """The set-up's four shuffles: values by space, nearest first."""
    path = []
    for level in range(4):
        chips = [value for value in range(level * 4, level * 4 + 4) for _ in range(2)]
        for place in range(8, 1, -1):
            draw = chance.below(place)
            chips[place - 1], chips[draw] = chips[draw], chips[place - 1]
        path += chips
    return path


def check(header, stored, game):
    """Checks a finished game's log against itself, its header and what GetGame says; returns the records."""
    game_id = uuid.UUID(header.game_id).bytes
    assert commitment(game_id, header.secret) == game.seed_commitment, "commitment"
    records, previous, keys = [], b"", None
    for sequence, entry in enumerate(stored):
        assert sha256(entry.record) == entry.hash, f"record {sequence}: hash"
        record = record_pb2.Record.FromString(entry.record)
        assert record.game_id == game_id and record.sequence == sequence, f"record {sequence}: place"
        assert record.previous_hash == previous, f"record {sequence}: chain"
        if sequence == 0:
            assert record.WhichOneof("body") == "setup"
            keys = Keys(game_id, header.secret, [player.entropy for player in record.setup.players])
            assert record.setup.seed_commitment == game.seed_commitment
            assert record.setup.chance_commitment == sha256(keys.chance(0))
        else:
            assert record.time_ms >= records[-1].time_ms, f"record {sequence}: time"
        assert record.nonce == keys.nonce(sequence), f"record {sequence}: nonce"
        assert record.next_chance_commitment == sha256(keys.chance(sequence + 1)), f"record {sequence}: next chance"
        assert len(record.effects_digest) == 32
        records.append(record)
        previous = entry.hash
    assert previous == header.head_hash == game.head_hash, "head"
    assert len(stored) == header.revision == game.revision, "revision"
    return records, keys


def check_luck(records, keys, steps):
    """Foresees the set-up and every roll from the secret, and compares them with what was shown to the auditor."""
    chance = Chance(keys.chance(0))
    path = expected_path(chance)
    first = chance.below(len(records[0].setup.players))
    events = [event.deep_sea_adventure for event in steps[0].events]
    laid = next(event.path_laid for event in events if event.WhichOneof("event") == "path_laid")
    assert [chip.value for space in laid.spaces for chip in space.chips] == path, "the chips were dealt otherwise"
    started = next(event.round_started for event in events if event.WhichOneof("event") == "round_started")
    assert started.first_seat == first, "somebody else began"
    rolls = 0
    for record, step in zip(records[1:], steps[1:], strict=True):
        for event in step.events:
            moved = event.deep_sea_adventure
            if moved.WhichOneof("event") == "moved":
                chance = Chance(keys.chance(record.sequence))
                dice = [chance.below(6) // 2 + 1 for _ in range(2)]
                assert [moved.moved.dice.first, moved.moved.dice.second] == dice, f"record {record.sequence}: dice"
                rolls += 1
    assert rolls > 0
    return rolls


def self_test():
    """The published first words of ChaCha20 for the zero key: a checker must itself be right."""
    words = chacha20_words(bytes(32))
    assert struct.pack("<4I", *(next(words) for _ in range(4))).hex() == "76b8e0ada0f13d90405d6ae55386bd28"
