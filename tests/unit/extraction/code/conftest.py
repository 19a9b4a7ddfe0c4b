"""Folders and texts as resolved projects."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from extraction.code.projects import CONFIG_FILES, read_config
from extraction.code.results import ResolvedFile
from extraction.registry import get_language
from graph.model import Document, DocumentId, ExtractionResult

FIXTURES = Path(__file__).parents[3] / "fixtures" / "code"


@dataclass(frozen=True)
class Project:
    texts: dict[str, str]
    files: dict[str, ResolvedFile]
    results: dict[str, ExtractionResult]

    def edges(self, *relations: str) -> set[tuple[str, str, str]]:
        return {
            (edge.source, edge.relation, edge.target)
            for result in self.results.values()
            for edge in result.edges
            if not relations or edge.relation in relations
        }

    def calls(self, source: str) -> set[str]:
        return {target for start, _, target in self.edges("calls") if start == source}

    def unresolved(self) -> set[tuple[str, str, str, str]]:
        return {
            (item.source, item.relation, item.name, item.reason)
            for result in self.results.values()
            for item in result.unresolved
        }

    def nodes(self) -> dict[str, object]:
        return {node.node_id: node for result in self.results.values() for node in result.nodes if node.declared}

    def kinds(self) -> set[tuple[str, str]]:
        return {(node.node_id, node.kind) for node in self.nodes().values()}


def resolve_texts(texts: Mapping[str, str]) -> Project:
    language = get_language("python")
    sources = {path: text for path, text in texts.items() if path.endswith((".py", ".pyi"))}
    facts = {path: language.extract_facts(path, text) for path, text in sources.items()}
    config = read_config({path: text for path, text in texts.items() if path.rpartition("/")[2] in CONFIG_FILES})
    files = {file.path: file for file in language.resolve(facts, config)}
    results = {path: file.result(Document(DocumentId(path), path, ""), sources[path]) for path, file in files.items()}
    return Project(dict(sources), files, results)


def read_folder(folder: Path) -> dict[str, str]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes().decode("utf-8", "replace")
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.suffix in (".py", ".toml", ".cfg")
    }


@pytest.fixture(scope="session")
def project() -> Callable[..., Project]:
    """Resolve texts given as a mapping, or by name (`m="..."` is m.py)."""

    def resolve(texts: Mapping[str, str] | None = None, **modules: str) -> Project:
        return resolve_texts({**(texts or {}), **{f"{name}.py": text for name, text in modules.items()}})

    return resolve


@pytest.fixture(scope="session")
def folder() -> Callable[[str | Path], Project]:
    """Resolve a folder of fixtures, or any other by its path."""
    return lambda name: resolve_texts(read_folder(FIXTURES / name))
