"""What tests of crashes share: a corpus that changes, an ingest to be killed, and what must hold afterwards."""

import asyncio
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Self

from tests.raw import Cypher

PROJECT = Path(__file__).parent.parent


class Ingest:
    """A running `tests.ingest`. `acknowledged` are the documents that it has been told are stored."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process
        self.acknowledged: set[str] = set()

    @classmethod
    async def start(cls, root: Path, env: Mapping[str, str], *, prefix: str = "") -> Self:
        return cls(
            await asyncio.create_subprocess_exec(
                sys.executable,
                *("-m", "tests.ingest", str(root), prefix),
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
                cwd=PROJECT,
                env=dict(env),
            )
        )

    async def read(self, count: int | None = None) -> None:
        """Wait until `count` documents are acknowledged, or until the end."""
        assert self.process.stdout
        while count is None or len(self.acknowledged) < count:
            line = await self.process.stdout.readline()
            if not line:
                return
            self.acknowledged.add(line.decode().rstrip("\n"))

    async def end(self) -> tuple[int, str]:
        """Wait for the end and return the exit code and what was said on standard error."""
        assert self.process.stderr
        _, said, code = await asyncio.gather(self.read(), self.process.stderr.read(), self.process.wait())
        return code, said.decode()


def write_corpus(root: Path, generation: int, *, modules: int, texts: int) -> None:
    """Modules that call each other, and texts. Each file says which generation it is of."""
    root.mkdir(exist_ok=True)
    for number in range(modules):
        other = (number * 7 + generation) % modules
        called = f"m{other:03}.f{other}_{generation}"
        (root / f"m{number:03}.py").write_text(
            f"import m{other:03}\n\n\nclass C{number}:\n    def f(self):\n        return {called}()\n\n\n"
            f"def f{number}_{generation}():\n    return C{number}().f()  # {marker(generation)}\n"
        )
    for number in range(texts):
        (root / f"t{number:03}.md").write_text(
            f"# Text {number}\n\n" + f"What module m{number:03} does, {marker(generation)}.\n\n" * 5
        )


def marker(generation: int) -> str:
    return f"generation {generation} of all"


async def documents_of(cypher: Cypher, generation: int) -> set[str]:
    rows = await cypher(
        "MATCH (d:Document)-[:HAS_SEGMENT]->(s:Segment) WHERE s.text CONTAINS $marker "
        "RETURN DISTINCT d.source_doc_id AS id",
        marker=marker(generation),
    )
    return {row["id"] for row in rows}


async def half_written(cypher: Cypher) -> list[dict[str, object]]:
    """Documents that say DONE and do not have all the mentions that they say they have."""
    return await cypher(
        "MATCH (d:Document) "
        "OPTIONAL MATCH (d)-[:HAS_SEGMENT]->(:Segment)-[:HAS_MENTION]->(m:Mention) "
        "WITH d, count(m) AS mentions WHERE mentions <> d.mentions OR d.status <> 'DONE' "
        "RETURN d.source_doc_id AS id, mentions, d.mentions AS stated"
    )


def environment(data_dir: Path, **settings: str) -> dict[str, str]:
    """The environment of a program whose tenants live in a folder of the test's own."""
    from api.config import load_settings

    return os.environ | {
        "COGNIVERSE_DATA_DIR": str(data_dir),
        "COGNIVERSE_CACHE_DIR": str(load_settings().cache_dir),
        "COGNIVERSE_TENANT": "crashes",
        "COGNIVERSE_TRAIN_AOT": "false",
        "COGNIVERSE_HEAP": "512m",
        "COGNIVERSE_PAGE_CACHE": "64m",
        "COGNIVERSE_ENTITY_ENGINE": "off",
        "COGNIVERSE_EMBEDDING_ENGINE": "off",
        **settings,
    }
