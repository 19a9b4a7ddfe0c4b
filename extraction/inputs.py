"""The inputs of an index run: every file's content by hash, and one hash over all of them."""

import hashlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from extraction.code.projects import CONFIG_FILES
from extraction.documents.reading import document_suffixes
from extraction.registry import LANGUAGES, find_language, get_language
from extraction.report import FileOutcome
from extraction.scan import Scan
from extraction.source import MAX_BYTES, SourceFailed, SourceSkipped, read_bytes, read_text
from graph.model import DocumentStatus

CHANGED_MEANWHILE: Final = "changed while it was being indexed: index again"
MAX_DOCUMENT_BYTES: Final = 100_000_000
DATA_SUFFIXES: Final = frozenset({".csv", ".tsv", ".json", ".jsonl", ".xlsx"})
"""Tables and records, which a folder of code is full of: read where documents are asked for."""

_TELL_EVERY: Final = 100


@dataclass(frozen=True, slots=True)
class Input:
    """A file to index: what its bytes are, or why they can't be had.

    `path` is its document's path, with the folder's prefix; `language` is None for a document; `content_hash` is the
    hex sha256 of its bytes, empty when they were not read.
    """

    path: str
    absolute: Path
    language: str | None
    size: int
    content_hash: str
    status: DocumentStatus = DocumentStatus.DONE
    reason: str | None = None

    @property
    def cache_key(self) -> str:
        """What the facts of this file of code depend on."""
        assert self.language is not None  # noqa: S101 - documents have no facts that could be kept
        return facts_key(self.language, self.content_hash, self.path)


def facts_key(language: str, content_hash: str, path: str) -> str:
    """The key under which the facts of a file are kept."""
    return f"{language} {get_language(language).version} {content_hash} {path}"


def suffixes_of(content_type: str) -> frozenset[str]:
    """The suffixes of the files that are read of a folder: `code`, `docs`, or `auto` for all but plain data."""
    code = frozenset(suffix for language in LANGUAGES for suffix in language.suffixes)
    match content_type:
        case "code":
            return code
        case "docs":
            return document_suffixes()
        case _:
            return code | (document_suffixes() - DATA_SUFFIXES)


def read_inputs(scan: Scan, prefix: str, tell: Callable[[int, int], None]) -> dict[str, Input]:
    """Hash every file of a scan. `tell` hears how many are done, of how many."""
    inputs: dict[str, Input] = {}
    for number, file in enumerate(scan.files):
        language = find_language(file.path)
        path = f"{prefix}/{file.path}" if prefix else file.path
        inputs[path] = _read_input(path, file.absolute, None if language is None else language.name, file.size)
        if number % _TELL_EVERY == 0:
            tell(number, len(scan.files))
    tell(len(scan.files), len(scan.files))
    return inputs


def _read_input(path: str, absolute: Path, language: str | None, size: int) -> Input:
    try:
        limit, text = (MAX_DOCUMENT_BYTES, False) if language is None else (MAX_BYTES, True)
        digest = hashlib.sha256(read_bytes(absolute, max_bytes=limit, text=text)).hexdigest()
    except SourceSkipped as exc:
        return Input(path, absolute, language, size, "", DocumentStatus.SKIPPED, str(exc))
    except SourceFailed as exc:
        return Input(path, absolute, language, size, "", DocumentStatus.FAILED, str(exc))
    return Input(path, absolute, language, size, digest)


def read_config_texts(inputs: Mapping[str, Input], root: Path) -> dict[str, str]:
    """The texts, by path, of those configuration files beside and above the inputs, up to `root`, that can be read."""
    texts: dict[str, str] = {}
    seen: set[Path] = {root.parent}
    for given in inputs.values():
        folder, place = given.absolute.parent, given.path.rpartition("/")[0]
        while folder not in seen:
            seen.add(folder)
            texts |= _config_of(folder, f"{place}/" if place else "")
            folder, place = folder.parent, place.rpartition("/")[0]
    return texts


def _config_of(folder: Path, place: str) -> dict[str, str]:
    texts: dict[str, str] = {}
    for name in CONFIG_FILES:
        try:
            texts[f"{place}{name}"] = read_text(folder / name).text
        except (SourceSkipped, SourceFailed):
            continue
    return texts


def snapshot(
    inputs: Mapping[str, Input], config_texts: Mapping[str, str], unread: Iterable[FileOutcome], *, models: str = ""
) -> str:
    """One hex hash over everything that the folder's documents are made from: equal inputs, equal documents.

    `models` stands for what reads documents, where there are any.
    """
    digest = hashlib.sha256()
    parts = [(language.name, language.version) for language in LANGUAGES]
    parts += [("models", models)] if models else []
    parts += sorted(config_texts.items())
    parts += [(one.path, f"{one.content_hash} {one.status} {one.reason}") for one in _by_path(inputs)]
    parts += [(outcome.path, outcome.reason) for outcome in unread]
    for part in parts:
        for text in part:
            data = text.encode("utf-8", "surrogateescape")
            digest.update(len(data).to_bytes(8, "big") + data)
    return digest.hexdigest()


def _by_path(inputs: Mapping[str, Input]) -> list[Input]:
    return [inputs[path] for path in sorted(inputs)]
