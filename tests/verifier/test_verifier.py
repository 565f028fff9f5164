#!/usr/bin/env python3
"""The verifier itself is right: others' published answers, every golden bundle, and whatever is changed in one.

    test_verifier.py [SEED]
"""

import base64
import contextlib
import io
import pathlib
import random
import sys
import tempfile
import unittest

import ed25519
import merkle
import note
import protobuf
import verify_bundle
from derive import Keys, commitment, sha256

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
BUNDLES = sorted((ROOT / "ledger/golden/bundles").glob("*.bundle"))
OTHERS = sorted((ROOT / "ledger/golden/bundles/others").glob("*.bundle"))
KEY = (ROOT / "ledger/golden/bundles/key.pub").read_text().strip()
SEED = int(sys.argv.pop()) if len(sys.argv) > 1 else random.randrange(1 << 32)


def naive_root(entries):
    """RFC 6962, section 2.1, as it stands there."""
    if len(entries) < 2:
        return sha256(b"\x00" + entries[0]) if entries else sha256(b"")
    k = 1 << (len(entries) - 1).bit_length() - 1
    return merkle.node(naive_root(entries[:k]), naive_root(entries[k:]))


def naive_path(index, entries):
    if len(entries) == 1:
        return []
    k = 1 << (len(entries) - 1).bit_length() - 1
    if index < k:
        return [*naive_path(index, entries[:k]), naive_root(entries[k:])]
    return [*naive_path(index - k, entries[k:]), naive_root(entries[:k])]


def naive_consistency(old, entries, known=True):
    if old == len(entries):
        return [] if known else [naive_root(entries)]
    k = 1 << (len(entries) - 1).bit_length() - 1
    if old <= k:
        return [*naive_consistency(old, entries[:k], known), naive_root(entries[k:])]
    return [*naive_consistency(old - k, entries[k:], False), naive_root(entries[:k])]


def flipped(data, luck):
    at = luck.randrange(len(data))
    return data[:at] + bytes([data[at] ^ 1 << luck.randrange(8)]) + data[at + 1 :]


def run_verifier(data, key=KEY):
    """Whether something is wrong with a bundle's bytes, and what was said."""
    with tempfile.NamedTemporaryFile() as file:
        file.write(data)
        file.flush()
        report, said = verify_bundle.Report(), io.StringIO()
        with contextlib.redirect_stdout(said):
            verify_bundle.verify_bundle(pathlib.Path(file.name), key, report)
        return report.failed, said.getvalue()


class KnownAnswers(unittest.TestCase):
    def test_ed25519_of_rfc_8032(self):
        vectors = [
            (
                "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
                "",
                "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e06522490155"
                "5fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b",
            ),
            (
                "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
                "72",
                "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da"
                "085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00",
            ),
        ]
        for key, message, signature in vectors:
            key, message, signature = map(bytes.fromhex, (key, message, signature))
            self.assertTrue(ed25519.is_valid(key, message, signature))
            self.assertFalse(ed25519.is_valid(key, message + b"x", signature))
            # The same signature with the group's order added: RFC 8032 refuses it.
            answer = int.from_bytes(signature[32:], "little") + ed25519.ORDER
            self.assertFalse(ed25519.is_valid(key, message, signature[:32] + answer.to_bytes(32, "little")))

    def test_a_note_of_go(self):
        key = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW"
        name, hash_, public = note.read_key(key)
        text = (
            "If you think cryptography is the answer to your problem,\nthen you don't know what your problem is.\n"
        ).encode()
        line = "x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM="
        signature = base64.b64decode(line)
        self.assertEqual((name, signature[:4]), ("PeterNeumann", hash_))
        self.assertTrue(ed25519.is_valid(public, text, signature[4:]))

    def test_roots_of_certificate_transparency(self):
        entries = ["", "00", "10", "2021", "3031", "40414243", "5051525354555657", "606162636465666768696a6b6c6d6e6f"]
        root = naive_root([bytes.fromhex(entry) for entry in entries])
        self.assertEqual(root.hex(), "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328")

    def test_derivations_of_the_log_format(self):
        pinned = (ROOT / "ledger/fixtures/pinned.txt").read_text().split()
        game, secret = bytes([7]) * 16, bytes([42]) * 32
        keys = Keys(game, secret, [b"salt", b"", b"pepper"])
        derived = [commitment(game, secret), keys.chance(0), keys.chance(1), keys.nonce(0)]
        self.assertEqual([one.hex() for one in derived], pinned[:4])


class Trees(unittest.TestCase):
    def test_all_small_proofs(self):
        luck = random.Random(SEED)
        entries = [bytes([number]) for number in range(40)]
        roots = [naive_root(entries[:size]) for size in range(41)]
        for size in range(1, 41):
            for index in range(size):
                path = naive_path(index, entries[:size])
                self.assertTrue(merkle.inclusion_holds(entries[index], index, size, path, roots[size]))
                self.assertFalse(merkle.inclusion_holds(b"other", index, size, path, roots[size]))
                self.assertFalse(merkle.inclusion_holds(entries[index], index, size, [*path, bytes(32)], roots[size]))
                if path:
                    at = luck.randrange(len(path))
                    wrong = [*path[:at], flipped(path[at], luck), *path[at + 1 :]]
                    self.assertFalse(merkle.inclusion_holds(entries[index], index, size, wrong, roots[size]))
            for old in range(1, size + 1):
                path = naive_consistency(old, entries[:size])
                self.assertTrue(merkle.consistency_holds(old, roots[old], size, roots[size], path), (old, size))
                rewritten = naive_root([b"x", *entries[1:size]])
                self.assertFalse(merkle.consistency_holds(old, roots[old], size, rewritten, path))
                forged = naive_consistency(old, [b"x", *entries[1:size]])
                self.assertFalse(merkle.consistency_holds(old, roots[old], size, rewritten, forged))


class GoldenBundles(unittest.TestCase):
    def test_every_one_verifies(self):
        self.assertEqual(len(BUNDLES), len({path.name for path in BUNDLES}))
        self.assertGreaterEqual(len(BUNDLES), 4)
        for path in BUNDLES:
            failed, said = run_verifier(path.read_bytes())
            self.assertFalse(failed, said)
            self.assertIn("one chain", said)
            self.assertIn("It covers all", said)
            self.assertIn("is signed by the key of example.com/golden", said)
            failed, said = run_verifier(path.read_bytes(), key=None)
            self.assertFalse(failed, said)
            self.assertIn("No key was given", said)

    def test_a_fork_and_a_running_game_verify(self):
        for path in OTHERS:
            failed, said = run_verifier(path.read_bytes())
            self.assertFalse(failed, said)
        said = {path.stem: run_verifier(path.read_bytes())[1] for path in OTHERS}
        self.assertIn("is a fork of 11111111-", said["fork"])
        self.assertIn("From record 20 on the luck is the fork's own", said["fork"])
        self.assertIn("2 opened draws fit", said["running"])
        self.assertIn("The 6 records after it are not in the log yet", said["running"])
        self.assertIn("Without the secret", said["running"])

    def test_another_key_is_noticed(self):
        other = "EnochRoot+af0cfe78+ATtqJ7zOtqQtYqOo0CpvDXNlMhV3HeJDpjrASKGLWdop"
        failed, said = run_verifier(BUNDLES[0].read_bytes(), key=other)
        self.assertTrue(failed)
        self.assertIn("not signed by the key that you gave", said)

    def test_changed_bits_are_noticed(self):
        luck = random.Random(SEED)
        # Not in the running game: its last record is after the leaf, and the verifier says that nothing covers it.
        for path in (min(BUNDLES, key=lambda path: path.stat().st_size), OTHERS[0]):
            self.check_changed_bits(path.read_bytes(), luck)

    def check_changed_bits(self, data, luck):
        # What the exporter alone claims stands last; without the rules the verifier cannot check all of it.
        *_, (number, _, claims) = protobuf.fields(data[len(verify_bundle.MAGIC) :])
        self.assertEqual(number, 7)
        end = len(data) - len(claims)
        for _ in range(100):
            changed = flipped(data[:end], luck) + data[end:]
            failed, said = run_verifier(changed)
            self.assertTrue(failed, f"seed {SEED}: {said}")

    def test_cut_records_are_noticed(self):
        data = BUNDLES[0].read_bytes()
        bundle, _ = verify_bundle.read_bundle(data)
        last = bundle["records"][-1]
        at = data.index(last)
        start = data.rindex(b"\x12", 0, at)
        failed, said = run_verifier(data[:start] + data[at + len(last) :])
        self.assertTrue(failed)
        self.assertIn("cut off", said)


if __name__ == "__main__":
    print(f"SEED={SEED}")
    unittest.main()
