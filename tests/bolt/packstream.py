"""PackStream, as far as a router reads and writes it; what it only passes on stays as it came.

Source: https://neo4j.com/docs/bolt/current/packstream/
"""

import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

_INTS = {0xC8: ">b", 0xC9: ">h", 0xCA: ">i", 0xCB: ">q"}
_SIZES = {0xCC: 1, 0xCD: 2, 0xCE: 4, 0xD0: 1, 0xD1: 2, 0xD2: 4, 0xD4: 1, 0xD5: 2, 0xD6: 4, 0xD8: 1, 0xD9: 2, 0xDA: 4}
_CONSTANTS = {0xC0: None, 0xC2: False, 0xC3: True}
_STRINGS, _LISTS, _MAPS, _STRUCTURES, _BYTES = 0x80, 0x90, 0xA0, 0xB0, 0xCC
_WIDE = {0xCC: _BYTES, 0xD0: _STRINGS, 0xD4: _LISTS, 0xD8: _MAPS}


@dataclass(frozen=True, slots=True)
class Raw:
    """A value as it came."""

    data: bytes


def decode(data: bytes, at: int = 0) -> tuple[object, int]:
    """Return the value that begins at a place, and where it ends. A structure is a tuple of its tag and its fields."""
    marker = data[at]
    if marker < 0x80 or marker >= 0xF0:
        return (marker if marker < 0x80 else marker - 0x100), at + 1
    if marker in _CONSTANTS:
        return _CONSTANTS[marker], at + 1
    if marker == 0xC1:
        return struct.unpack_from(">d", data, at + 1)[0], at + 9
    if marker in _INTS:
        form = _INTS[marker]
        return struct.unpack_from(form, data, at + 1)[0], at + 1 + struct.calcsize(form)
    kind, size, at = _read_size(data, at)
    match kind:
        case 0x80:
            return data[at : at + size].decode(), at + size
        case 0xCC:
            return data[at : at + size], at + size
        case 0x90:
            return _decode_many(data, at, size)
        case 0xA0:
            flat, at = _decode_many(data, at, 2 * size)
            return dict(zip(flat[::2], flat[1::2], strict=True)), at
        case _:
            fields, end = _decode_many(data, at + 1, size)
            return (data[at], *fields), end


def split_map(data: bytes, at: int) -> tuple[dict[str, Raw], int]:
    """Return the entries of a map, their values as they came, and where it ends."""
    _, size, at = _read_size(data, at)
    entries: dict[str, Raw] = {}
    for _ in range(size):
        key, start = decode(data, at)
        _, at = decode(data, start)
        entries[str(key)] = Raw(data[start:at])
    return entries, at


def encode(value: object) -> bytes:
    """Return a value's bytes."""
    match value:
        case Raw():
            return value.data
        case None:
            return b"\xc0"
        case bool():
            return b"\xc3" if value else b"\xc2"
        case int():
            return struct.pack(">b", value) if -16 <= value < 128 else b"\xcb" + struct.pack(">q", value)
        case str():
            text = value.encode()
            return _header(0x80, 0xD0, len(text)) + text
        case Mapping():
            entries = [encode(part) for entry in value.items() for part in entry]
            return _header(0xA0, 0xD8, len(value)) + b"".join(entries)
        case Sequence():
            return _header(0x90, 0xD4, len(value)) + b"".join(map(encode, value))
        case _:
            raise TypeError(f"no router sends {type(value).__name__}")


def message(tag: int, *fields: object) -> bytes:
    """Return a message with its fields."""
    return bytes([_STRUCTURES | len(fields), tag]) + b"".join(map(encode, fields))


def _decode_many(data: bytes, at: int, count: int) -> tuple[list[object], int]:
    values: list[object] = []
    for _ in range(count):
        value, at = decode(data, at)
        values.append(value)
    return values, at


def _read_size(data: bytes, at: int) -> tuple[int, int, int]:
    """What kind of value begins at a place, how much it holds, and where that begins."""
    marker = data[at]
    if marker < 0xC0:
        return marker & 0xF0, marker & 0x0F, at + 1
    width = _SIZES[marker]
    start = at + 1 + width
    return _WIDE[marker & 0xFC], int.from_bytes(data[at + 1 : start]), start


def _header(tiny: int, wide: int, size: int) -> bytes:
    return bytes([tiny | size]) if size < 16 else bytes([wide + 2]) + struct.pack(">I", size)
