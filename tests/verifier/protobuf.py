"""Reads protobuf messages by hand: https://protobuf.dev/programming-guides/encoding/ in forty lines.

A schema is {field number: (name, type, repeated)}; types are "int", "bytes", "text" or another schema.
"""


class Malformed(Exception):
    """Bytes that are not what they should be."""


def varint(data, at):
    """A number and where it ends. Only its shortest form is read, so that a message has one encoding."""
    value = shift = 0
    while True:
        if at >= len(data) or shift > 63:
            raise Malformed("a number does not end")
        byte = data[at]
        value |= (byte & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if byte < 0x80:
            break
    if value >= 1 << 64 or (byte == 0 and shift > 7):
        raise Malformed("a number is not in its shortest form")
    return value, at


def fields(data):
    """Each field's number and value, in the order in which they stand."""
    at = 0
    while at < len(data):
        key, at = varint(data, at)
        number, kind = key >> 3, key & 7
        if kind == 0:
            value, at = varint(data, at)
        elif kind in (1, 2, 5):
            length, at = varint(data, at) if kind == 2 else ({1: 8, 5: 4}[kind], at)
            if at + length > len(data):
                raise Malformed("a field does not end")
            value, at = data[at : at + length], at + length
        else:
            raise Malformed(f"a field has the unknown type {kind}")
        yield number, kind, value


def read(schema, data, strict=False):
    """A message as a dictionary; a field that is missing has its default. Strict: nothing unknown, in order, no defaults."""
    empty = {"int": 0, "bytes": b"", "text": ""}
    message = {
        name: [] if repeated else empty.get(kind) if isinstance(kind, str) else None
        for name, kind, repeated in schema.values()
    }
    last, seen = 0, set()
    for number, wire, value in fields(data):
        if strict and (number not in schema or number < last):
            raise Malformed(f"field {number} is unknown or out of order")
        last = number
        if number not in schema:
            continue
        name, kind, repeated = schema[number]
        if wire != (0 if kind == "int" else 2):
            raise Malformed(f"{name} has a wrong type")
        if strict and not repeated and isinstance(kind, str) and not value:
            raise Malformed(f"{name} is written although it is empty")
        if kind == "text":
            try:
                value = value.decode()
            except UnicodeDecodeError:
                raise Malformed(f"{name} is not text") from None
        elif not isinstance(kind, str):
            value = read(kind, value, strict)
        if repeated:
            message[name].append(value)
        elif number in seen:
            raise Malformed(f"{name} stands twice")
        else:
            message[name] = value
        seen.add(number)
    return message
