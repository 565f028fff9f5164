"""What a game's secret and its players' entropy determine: section 2 of docs/log-format.md."""

import hashlib
import hmac
import struct


def sha256(data):
    return hashlib.sha256(data).digest()


def mac(key, data):
    return hmac.new(key, data, hashlib.sha256).digest()


def commitment(game, secret):
    """What record 0 says of the secret."""
    return sha256(b"divelog/commitment/v1" + game + secret)


def seed_of(game, secret, entropy):
    """The joint seed: the server's secret, and what each seat added."""
    parts = b"".join(bytes([len(part)]) + part for part in entropy)
    return mac(secret, b"divelog/seed/v1" + game + bytes([len(entropy)]) + parts)


class Keys:
    """A game's keys; a fork has the luck of other games before its own."""

    def __init__(self, game, secret, entropy, fork=None):
        self.seed = seed_of(game, secret, entropy)
        self.nonce_key = mac(secret, b"divelog/nonce/v1" + game)
        self.borrowed = []
        for place, luck in enumerate(fork["luck"] if fork is not None else []):
            pad = mac(secret, b"divelog/fork/v1" + game + struct.pack(">I", place))
            self.borrowed.append((luck["until"], bytes(one ^ other for one, other in zip(luck["sealed_seed"], pad))))

    def chance(self, sequence):
        """The key of one record's luck."""
        seed = next((seed for until, seed in self.borrowed if sequence < until), self.seed)
        return mac(seed, b"divelog/chance/v1" + struct.pack(">Q", sequence))

    def nonce(self, sequence):
        """One record's blinding nonce."""
        return mac(self.nonce_key, struct.pack(">Q", sequence))[:16]
