"""The transparency log's tree: leaves as in docs/transparency.md, proofs as in RFC 9162, sections 2.1.3.2 and 2.1.4.2."""

import struct

from derive import sha256

LEAF_TAG = b"divelog/leaf/v1"
RUNNING, FINISHED, ABANDONED = 1, 2, 3


def read_leaf(data):
    """A leaf's game, revision, record hash and status."""
    if len(data) != 72 or data[:15] != LEAF_TAG or data[71] not in (RUNNING, FINISHED, ABANDONED):
        raise ValueError("the leaf cannot be read")
    (revision,) = struct.unpack(">Q", data[31:39])
    if revision == 0:
        raise ValueError("the leaf is of a game without records")
    return data[15:31], revision, data[39:71], data[71]


def node(left, right):
    return sha256(b"\x01" + left + right)


def inclusion_holds(leaf, index, size, path, root):
    """Whether the path leads from the leaf at this index to the root of a tree of this size."""
    if index >= size or any(len(step) != 32 for step in path):
        return False
    here, last, hash_ = index, size - 1, sha256(b"\x00" + leaf)
    for step in path:
        if last == 0:
            return False
        if here & 1 or here == last:
            hash_ = node(step, hash_)
            while not here & 1 and here != 0:
                here, last = here >> 1, last >> 1
        else:
            hash_ = node(hash_, step)
        here, last = here >> 1, last >> 1
    return last == 0 and hash_ == root


def consistency_holds(old_size, old_root, new_size, new_root, path):
    """Whether the new tree begins with all leaves of the old one."""
    if old_size > new_size or any(len(step) != 32 for step in path):
        return False
    if old_size == 0:
        return not path and old_root == sha256(b"")
    if old_size == new_size:
        return not path and old_root == new_root
    if not path:
        return False
    steps = list(path)
    if old_size & (old_size - 1) == 0:
        steps.insert(0, old_root)
    here, last = old_size - 1, new_size - 1
    while here & 1:
        here, last = here >> 1, last >> 1
    old = new = steps[0]
    for step in steps[1:]:
        if last == 0:
            return False
        if here & 1 or here == last:
            old, new = node(step, old), node(step, new)
            while not here & 1 and here != 0:
                here, last = here >> 1, last >> 1
        else:
            new = node(new, step)
        here, last = here >> 1, last >> 1
    return last == 0 and old == old_root and new == new_root
