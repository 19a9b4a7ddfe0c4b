"""What the configuration files in a folder say about its code."""

import configparser
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, cast

CONFIG_FILES = ("pyproject.toml", "setup.cfg")
"""The names of the files that `read_config` wants, at any depth: a folder may hold many projects."""

_ENTRY_POINT = re.compile(r"[\w.]+(?::[\w.]+)")


@dataclass(frozen=True, slots=True, order=True)
class EntryPoint:
    """Something that an installed program calls: `target` is `module:attribute`, as the file at `path` sees it."""

    path: str
    target: str


@dataclass(frozen=True, slots=True)
class ProjectConfig:
    """`entry_points` are sorted; `source_roots` are folders that imports start from."""

    entry_points: tuple[EntryPoint, ...] = ()
    source_roots: tuple[str, ...] = ()


def read_config(texts: Mapping[str, str]) -> ProjectConfig:
    """Read configuration files, given as texts by path; unreadable ones say nothing."""
    found = {EntryPoint(path, target) for path, text in texts.items() for target in _entries(path, text)}
    return ProjectConfig(entry_points=tuple(sorted(found)))


def _entries(path: str, text: str) -> Iterator[str]:
    return _setup_entries(text) if path.endswith(".cfg") else _pyproject_entries(text)


def _pyproject_entries(text: str) -> Iterator[str]:
    try:
        data = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError):
        return
    project = _table(data.get("project"))
    poetry = _table(_table(data.get("tool")).get("poetry"))
    groups = _table(project.get("entry-points")).values()
    for table in (project.get("scripts"), project.get("gui-scripts"), poetry.get("scripts"), *groups):
        for value in _table(table).values():
            yield from _entry(value)


def _setup_entries(text: str) -> Iterator[str]:
    parser = configparser.RawConfigParser(strict=False)
    try:
        parser.read_string(text)
    except configparser.Error:
        return
    if parser.has_section("options.entry_points"):
        for value in dict(parser.items("options.entry_points")).values():
            for line in value.splitlines():
                yield from _entry(line.rpartition("=")[2])


def _entry(value: object) -> Iterator[str]:
    match = _ENTRY_POINT.match(value.strip()) if isinstance(value, str) else None
    if match is not None:
        yield match[0]


def _table(value: object) -> dict[str, Any]:
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}
