"""A cross-encoder for tests, as a real ONNX file made by hand: the longer the text, the better it answers.

Source of the fields: https://github.com/onnx/onnx/blob/main/onnx/onnx.proto
"""

import shutil
from pathlib import Path

_FILES = ("config.json", "special_tokens_map.json", "tokenizer.json", "tokenizer_config.json")
_FLOAT, _INT64 = 1, 7
_INT, _INTS = 2, 7


def make_cross_encoder(folder: Path, tokenizer: Path) -> Path:
    """A folder with the model and the tokenizer of another."""
    folder.mkdir()
    for name in _FILES:
        shutil.copy(tokenizer / name, folder / name)
    (folder / "model.onnx").write_bytes(_model())
    return folder


def _model() -> bytes:
    """logits = ReduceSum(Cast(token_type_ids)): the number of the text's tokens."""
    to_float = _attribute("to", _number(3, _FLOAT), _INT)
    axes = _attribute("axes", _number(8, 1), _INTS) + _attribute("keepdims", _number(3, 1), _INT)
    nodes = _node("Cast", "token_type_ids", "numbers", to_float) + _node("ReduceSum", "numbers", "logits", axes)
    inputs = [_value(11, name, _INT64, "length") for name in ("input_ids", "attention_mask", "token_type_ids")]
    graph = nodes + _part(2, b"longest") + b"".join(inputs) + _value(12, "logits", _FLOAT, 1)
    return _number(1, 7) + _part(7, graph) + _part(8, _part(1, b"") + _number(2, 11))


def _node(kind: str, source: str, target: str, attributes: bytes) -> bytes:
    return _part(1, _part(1, source.encode()) + _part(2, target.encode()) + _part(4, kind.encode()) + attributes)


def _attribute(name: str, value: bytes, kind: int) -> bytes:
    return _part(5, _part(1, name.encode()) + value + _number(20, kind))


def _value(field: int, name: str, kind: int, width: str | int) -> bytes:
    second = _number(1, width) if isinstance(width, int) else _part(2, width.encode())
    shape = _part(1, _part(2, b"batch")) + _part(1, second)
    return _part(field, _part(1, name.encode()) + _part(2, _part(1, _number(1, kind) + _part(2, shape))))


def _part(field: int, content: bytes) -> bytes:
    return _varint(field << 3 | 2) + _varint(len(content)) + content


def _number(field: int, value: int) -> bytes:
    return _varint(field << 3) + _varint(value)


def _varint(value: int) -> bytes:
    found = bytearray()
    while value > 0x7F:
        found.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes((*found, value))
