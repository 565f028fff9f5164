"""Checkpoints: C2SP signed notes (https://c2sp.org/signed-note) with a tree's size and root (https://c2sp.org/tlog-checkpoint)."""

import base64
import binascii

import ed25519
from derive import sha256

ED25519 = 1


def unbase64(text):
    """Base64 in its one canonical form."""
    try:
        data = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        raise ValueError("this is not base64") from None
    if base64.b64encode(data).decode() != text:
        raise ValueError("this is not canonical base64")
    return data


def key_hash(name, key):
    return sha256(name.encode() + b"\n" + key)[:4]


def read_key(text):
    """A public key `name+hash+data`: its name, hash and 32 bytes."""
    parts = text.strip().split("+", 2)
    if len(parts) != 3 or not parts[0] or any(letter.isspace() for letter in parts[0]):
        raise ValueError("a public key is a text such as name+hash+data")
    name, hash_, key = parts[0], parts[1], unbase64(parts[2])
    if len(key) != 33 or key[0] != ED25519 or key_hash(name, key).hex() != hash_:
        raise ValueError("the public key is not an Ed25519 key, or its hash is wrong")
    return name, bytes.fromhex(hash_), key[1:]


class Checkpoint:
    """A note's text and signatures; nothing of it is checked by being read."""

    def __init__(self, note):
        if len(note) > 64 << 10:
            raise ValueError("the checkpoint is too long")
        text = note.decode()
        if any(letter < " " and letter != "\n" for letter in text):
            raise ValueError("the checkpoint holds control characters")
        self.text, blank, signatures = text.rpartition("\n\n")
        if not blank or not signatures.endswith("\n"):
            raise ValueError("the checkpoint is not a signed note")
        self.text += "\n"
        self.signatures = [self.read_signature(line) for line in signatures[:-1].split("\n")]
        lines = self.text[:-1].split("\n")
        if len(lines) < 3 or "" in lines:
            raise ValueError("the checkpoint's text is not a name, a size and a root")
        self.origin, size, root = lines[:3]
        if not (size.isascii() and size.isdigit()) or str(int(size)) != size or int(size) > 1 << 40:
            raise ValueError("the checkpoint's size is not a number")
        self.size, self.root = int(size), unbase64(root)
        if len(self.root) != 32:
            raise ValueError("the checkpoint's root is not 32 bytes")

    @staticmethod
    def read_signature(line):
        parts = line.split(" ")
        if len(parts) != 3 or parts[0] != "\u2014" or not parts[1]:
            raise ValueError("a signature line of the checkpoint cannot be read")
        data = unbase64(parts[2])
        if len(data) < 5:
            raise ValueError("a signature of the checkpoint is too short")
        return parts[1], data[:4], data[4:]

    def is_signed_by(self, key_text):
        """Whether the log that the key belongs to signed this. Other signatures may be there too."""
        name, hash_, key = read_key(key_text)
        own = [signature for signer, id_, signature in self.signatures if (signer, id_) == (name, hash_)]
        return name == self.origin and bool(own) and ed25519.is_valid(key, self.text.encode(), own[0])
