"""Cypher files as typed statements.

Each file under `cypher/` holds one statement below a header of `//` lines: a summary, then `params`, `returns`,
`mode` (read or write) and, where it leans on one, `uses` (indexes, procedures). `load_statement` is the only place
where text becomes a LiteralString, so the type checker refuses any query that was put together from parts.
"""

from dataclasses import dataclass, fields, is_dataclass
from functools import cache
from pathlib import Path
from typing import Final, Generic, Literal, LiteralString, TypeVar, cast

CYPHER_ROOT: Final = Path(__file__).parent.parent / "cypher"
MIGRATIONS_ROOT: Final = Path(__file__).parent.parent / "migrations"

Row = TypeVar("Row")
Mode = Literal["read", "write"]
_KEYS: Final = ("params", "returns", "mode", "uses")


@dataclass(frozen=True, slots=True)
class Header:
    """What a Cypher file says of itself."""

    summary: str
    params: tuple[str, ...]
    returns: tuple[str, ...]
    mode: Mode
    uses: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Statement(Generic[Row]):
    """A statement and the dataclass that its rows become."""

    name: str
    text: LiteralString
    header: Header
    row: type[Row]


@dataclass(frozen=True, slots=True)
class Nothing:
    """The row of statements that return none."""


class MalformedStatement(Exception):
    """A Cypher file that breaks the header contract: a fault of the program, not of its user."""


def load_statement(name: str, row: type[Row]) -> Statement[Row]:
    """Return the statement `cypher/<name>.cypher`, checked against the fields of `row`, in order."""
    header, text = _read(name)
    if not is_dataclass(row):
        raise MalformedStatement(f"{name}: {row.__name__} is not a dataclass")
    expected = tuple(field.name for field in fields(row))
    if header.returns != expected:
        raise MalformedStatement(f"{name} returns {header.returns}, {row.__name__} has {expected}")
    return Statement(name, text, header, row)


def statement_names() -> tuple[str, ...]:
    """The names of all statements, sorted."""
    return tuple(
        sorted(path.relative_to(CYPHER_ROOT).with_suffix("").as_posix() for path in CYPHER_ROOT.rglob("*.cypher"))
    )


def split_script(text: str) -> tuple[LiteralString, ...]:
    """The statements of a migration: each ends with `;` at the end of a line; `//` lines are comments."""
    kept = "\n".join(line for line in text.splitlines() if not line.lstrip().startswith("//"))
    return tuple(cast("LiteralString", part.strip()) for part in f"{kept}\n".split(";\n") if part.strip())


def read_header(name: str) -> Header:
    """The header of a statement, as the contract test wants it."""
    return _read(name)[0]


def load_text(name: str) -> LiteralString:
    """The text of a statement without its header."""
    return _read(name)[1]


@cache
def _read(name: str) -> tuple[Header, LiteralString]:
    lines = (CYPHER_ROOT / f"{name}.cypher").read_text(encoding="utf-8").splitlines()
    comments = [line[2:].strip() for line in lines if line.startswith("//")]
    body = "\n".join(line for line in lines if not line.startswith("//")).strip()
    entries = dict(_entry(line) for line in comments if _entry(line)[0] in _KEYS)
    summary = " ".join(line for line in comments if _entry(line)[0] not in _KEYS)
    if not summary or not body or not {"params", "returns", "mode"} <= entries.keys():
        raise MalformedStatement(f"{name}: a summary, params, returns, mode and a statement are needed")
    mode = entries["mode"]
    if mode not in ("read", "write"):
        raise MalformedStatement(f"{name}: mode is read or write, not {mode!r}")
    header = Header(
        summary, _names(entries["params"]), _names(entries["returns"]), mode, _names(entries.get("uses", ""))
    )
    return header, cast("LiteralString", body)


def _entry(line: str) -> tuple[str, str]:
    key, _, value = line.partition(":")
    return key.strip(), value.strip()


def _names(value: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in value.split(",") if part.strip() and part.strip() != "none")
