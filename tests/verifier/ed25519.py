"""Checks Ed25519 signatures: RFC 8032, section 5.1, with Python's big integers.

Written out so that the verifier needs nothing but Python itself. It only checks: timing does not matter, nothing is secret.
"""

import hashlib

P = 2**255 - 19
ORDER = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, P - 2, P) % P
ROOT_OF_MINUS_ONE = pow(2, (P - 1) // 4, P)


def add(one, other):
    """The sum of two points in extended coordinates."""
    x1, y1, z1, t1 = one
    x2, y2, z2, t2 = other
    a, b = (y1 - x1) * (y2 - x2) % P, (y1 + x1) * (y2 + x2) % P
    c, d = 2 * t1 * t2 * D % P, 2 * z1 * z2 % P
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % P, g * h % P, f * g % P, e * h % P


def multiply(number, point):
    result = (0, 1, 1, 0)
    while number:
        if number & 1:
            result = add(result, point)
        point, number = add(point, point), number >> 1
    return result


def same(one, other):
    return (one[0] * other[2] - other[0] * one[2]) % P == 0 and (one[1] * other[2] - other[1] * one[2]) % P == 0


def point_at(y, odd):
    """The point with this y whose x is odd or even; none if there is none."""
    if y >= P:
        return None
    square = (y * y - 1) * pow(D * y * y + 1, P - 2, P) % P
    x = pow(square, (P + 3) // 8, P)
    if (x * x - square) % P:
        x = x * ROOT_OF_MINUS_ONE % P
    if (x * x - square) % P or (x == 0 and odd):
        return None
    if x & 1 != odd:
        x = P - x
    return x, y, 1, x * y % P


def read_point(data):
    number = int.from_bytes(data, "little")
    return point_at(number & ((1 << 255) - 1), number >> 255)


BASE = point_at(4 * pow(5, P - 2, P) % P, 0)


def is_valid(public_key, message, signature):
    """Whether the holder of the key signed the message."""
    if len(public_key) != 32 or len(signature) != 64:
        return False
    key, commitment = read_point(public_key), read_point(signature[:32])
    answer = int.from_bytes(signature[32:], "little")
    if key is None or commitment is None or answer >= ORDER:
        return False
    hash_ = hashlib.sha512(signature[:32] + public_key + message).digest()
    challenge = int.from_bytes(hash_, "little") % ORDER
    return same(multiply(answer, BASE), add(commitment, multiply(challenge, key)))
