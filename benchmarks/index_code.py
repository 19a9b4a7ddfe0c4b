# pyright: basic
"""How fast a folder of code becomes a graph, beside the floor: a bare parse and a bare load of the same rows.

    .venv/bin/python benchmarks/index_code.py django==5.2.8 --subfolder django

CORPUS is a folder or a PyPI requirement whose sdist is fetched. Each round, in one process on one machine, measures

* parse-only: tree-sitter over the same files, one process, nothing kept;
* floor-load: the same rows, sent by the plain driver in bare UNWIND batches with CREATE, into an empty database with
  the same schema;
* ours: `index_folder` into an empty database, and again on the unchanged folder.

The figures are medians over the rounds; the goal is total <= 2 x (parse-only + floor-load) and unchanged <= 5 %.
"""

import argparse
import asyncio
import os
import statistics
import subprocess
import sys
import tarfile
import tempfile
import threading
import time
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Final, LiteralString

import psutil
from neo4j import Driver, GraphDatabase
from tree_sitter import Parser
from tree_sitter_language_pack import get_language

from api.config import Settings
from extraction.inputs import suffixes_of
from extraction.pipeline import IndexOptions, index_folder
from extraction.report import IndexReport
from extraction.scan import scan_folder
from graph.backends.base import Endpoint
from graph.backends.embedded import EmbeddedBackend, EmbeddedSettings
from graph.database import Database, Transaction, connect
from graph.migrate import apply_migrations
from graph.tenants import parse_tenant

ROUNDS: Final = 5
FLOOR_ROWS: Final = 5_000
Recorded = list[tuple[str, list[dict[str, Any]]]]

# The same rows as ours, but with nothing looked up, locked, checked or kept in one transaction.
_NODES: Final[LiteralString] = (
    "UNWIND $rows AS row MERGE (n:Node {node_id: row.node_id}) SET n += row.properties, n:$(row.label)"
)
FLOOR: Final[dict[str, LiteralString]] = {
    "nodes/upsert_nodes": _NODES,
    "nodes/ensure_nodes": _NODES,
    "edges/create_edges": "UNWIND $rows AS row MATCH (s:Node {node_id: row.source}) "
    "MATCH (t:Node {node_id: row.target}) "
    "CREATE (s)-[r:$(row.type)]->(t) SET r = row.properties",
    "documents/upsert_documents": "UNWIND $rows AS row CREATE (d:Document) SET d = row",
    "documents/create_segments": "UNWIND $rows AS row MATCH (d:Document {source_doc_id: row.document_id}) "
    "CREATE (d)-[:HAS_SEGMENT]->(s:Segment) SET s = row.properties",
    "documents/create_node_mentions": "UNWIND $rows AS row MATCH (s:Segment {segment_id: row.segment_id}) "
    "MATCH (n:Node {node_id: row.node_id}) CREATE (s)-[:HAS_MENTION]->(m:Mention)-[:OF]->(n) SET m = row.properties",
    "documents/create_edge_mentions": "UNWIND $rows AS row MATCH (s:Segment {segment_id: row.segment_id}) "
    "CREATE (s)-[:HAS_MENTION]->(m:Mention) SET m = row.properties",
    "documents/create_unresolved": "UNWIND $rows AS row MATCH (d:Document {source_doc_id: row.document_id}) "
    "CREATE (d)-[:HAS_UNRESOLVED]->(u:Unresolved) SET u = row.properties",
}
ORDER: Final = tuple(FLOOR)


@dataclass(frozen=True)
class Round:
    """Seconds of one round."""

    parse_only: float
    floor_load: float
    extract: float
    resolve: float
    write: float
    total: float
    unchanged: float

    @property
    def ratio(self) -> float:
        """Ours over the floor."""
        return self.total / (self.parse_only + self.floor_load)


def fetch_corpus(corpus: str, subfolder: str, into: Path) -> Path:
    """The corpus as a folder: itself, or the unpacked sdist of a requirement."""
    if Path(corpus).is_dir():
        return Path(corpus) / subfolder
    command = [
        sys.executable,
        "-m",
        "pip",
        "download",
        "--no-deps",
        "--no-binary",
        ":all:",
        "-q",
        "-d",
        str(into),
        corpus,
    ]
    subprocess.run(command, check=True)
    [archive] = into.glob("*.tar.gz")
    with tarfile.open(archive) as tar:
        tar.extractall(into, filter="data")
    [root] = [path for path in into.iterdir() if path.is_dir()]
    return root / subfolder


def parse_only(root: Path) -> tuple[float, int, int]:
    """Seconds of a bare parse of all files, their number and their bytes."""
    scan = scan_folder(root, suffixes=suffixes_of("code"))
    parser = Parser(get_language("python"))
    size = 0
    began = time.perf_counter()
    for file in scan.files:
        data = file.absolute.read_bytes()
        size += len(data)
        parser.parse(data)
    return time.perf_counter() - began, len(scan.files), size


def floor_load(driver: Driver, recorded: Recorded) -> float:
    """Seconds to load the recorded rows without any of our care."""
    merged: dict[str, list[dict[str, Any]]] = {name: [] for name in ORDER}
    for name, rows in recorded:
        merged[name].extend(rows)
    began = time.perf_counter()
    with driver.session() as session:
        for name in ORDER:
            rows = merged[name]
            for start in range(0, len(rows), FLOOR_ROWS):
                session.run(FLOOR[name], rows=rows[start : start + FLOOR_ROWS]).consume()
    return time.perf_counter() - began


def empty(driver: Driver) -> None:
    """Take everything out but the record of the schema."""
    with driver.session() as session:
        session.run(
            "MATCH (n) WHERE NOT n:Migration AND NOT n:MigrationLock "
            "CALL { WITH n DETACH DELETE n } IN TRANSACTIONS OF 5000 ROWS"
        ).consume()


async def index(database: Database, root: Path) -> IndexReport:
    """One run of ours, with nothing cached."""
    return await index_folder(database, root, options=IndexOptions())


async def record(database: Database, root: Path) -> tuple[Recorded, IndexReport]:
    """Index once and note every row that is written."""
    recorded: Recorded = []
    run = Transaction.run

    async def noting(self: Transaction, statement: Any, **params: Any) -> list[Any]:
        if statement.name in FLOOR:
            recorded.append((statement.name, list(params["rows"])))
        return await run(self, statement, **params)

    Transaction.run = noting
    try:
        report = await index(database, root)
    finally:
        Transaction.run = run
    return recorded, report


@asynccontextmanager
async def server() -> AsyncGenerator[Endpoint]:
    """An embedded server of its own, stopped and removed at the end."""
    with tempfile.TemporaryDirectory(prefix="cogniverse-benchmark-") as folder:
        backend = EmbeddedBackend(
            EmbeddedSettings(data_dir=Path(folder), cache_dir=Settings().cache_dir, heap="2g", train_aot=False)
        )
        tenant = parse_tenant("benchmark")
        endpoint = await backend.open(tenant, create=True)
        try:
            yield endpoint
        finally:
            await backend.stop(tenant)


def peak_memory(command: Sequence[str], **variables: str) -> int:
    """The most bytes that a process and its children have resident at once; variables go into its environment."""
    with subprocess.Popen(command, env=os.environ | variables) as process:
        peak = 0
        top = psutil.Process(process.pid)
        while process.poll() is None:
            resident = 0
            for one in (top, *top.children(recursive=True)):
                try:
                    resident += one.memory_info().rss
                except psutil.NoSuchProcess:
                    continue
            peak = max(peak, resident)
            threading.Event().wait(0.05)
    return peak


async def only_index(root: Path, endpoint: Endpoint) -> None:
    """What the process runs whose memory is measured."""
    async with connect(endpoint) as database:
        await index(database, root)


async def measure(root: Path, rounds: int) -> None:
    """All rounds, and the table."""
    async with server() as endpoint, connect(endpoint) as database:
        await apply_migrations(database)
        driver = GraphDatabase.driver(
            endpoint.uri, auth=(endpoint.user, endpoint.password), notifications_min_severity="OFF"
        )
        recorded, report = await record(database, root)
        rows = sum(len(part) for _, part in recorded)
        results: list[Round] = []
        files = size = 0
        for number in range(rounds):
            parsed, files, size = parse_only(root)
            empty(driver)
            loaded = floor_load(driver, recorded)
            empty(driver)
            first = await index(database, root)
            second = await index(database, root)
            stages = {name: first.timings_s[name] for name in ("extract", "resolve", "write")}
            results.append(Round(parsed, loaded, **stages, total=first.elapsed_s, unchanged=second.elapsed_s))
            print(f"round {number + 1}: ratio {results[-1].ratio:.2f}", file=sys.stderr)
        empty(driver)
        place = [endpoint.uri, endpoint.user, endpoint.database]
        command = [sys.executable, __file__, str(root), "--only-index", *place]
        peak = peak_memory(command, BENCHMARK_PASSWORD=endpoint.password)
        driver.close()
    print(f"{files} files, {size / 1e6:.1f} MB; {report.nodes} nodes, {report.edges} edges, {report.mentions} mentions")
    print(f"{rows} rows; median of {rounds}, seconds (min to max)")
    for field in fields(Round):
        values = [getattr(result, field.name) for result in results]
        print(f"  {field.name:12} {statistics.median(values):8.2f}  ({min(values):.2f} to {max(values):.2f})")
    ratios = [result.ratio for result in results]
    again = [result.unchanged / result.total for result in results]
    print(
        f"total / (parse-only + floor-load)  {statistics.median(ratios):.2f}  ({min(ratios):.2f} to {max(ratios):.2f})"
    )
    print(f"unchanged / first                  {statistics.median(again):.1%}")
    print(f"peak memory, Python side           {peak / 1e6:.0f} MB")


def main() -> None:
    """Read the arguments and run."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus", help="a folder, or a PyPI requirement such as django==5.2.8")
    parser.add_argument("--subfolder", default="", help="the part of it to index")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--only-index", nargs=3, metavar=("URI", "USER", "DATABASE"), help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.only_index:
        uri, user, name = args.only_index
        endpoint = Endpoint(uri, user, os.environ["BENCHMARK_PASSWORD"], name)
        asyncio.run(only_index(Path(args.corpus), endpoint))
        return
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(measure(fetch_corpus(args.corpus, args.subfolder, Path(folder)), args.rounds))


if __name__ == "__main__":
    main()
