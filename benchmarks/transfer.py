# pyright: basic
"""How fast a graph goes into files and comes back, beside the floor, and how much memory that takes.

    .venv/bin/python -m benchmarks.transfer --edges 1000000

A made-up graph of documents, segments, nodes, edges and mentions (two mentions of nodes and one of an edge for each
edge, as code has them) is written to a file of JSON lines. In one run on one machine it measures

* floor-write: the same rows by the plain driver in bare UNWIND batches with CREATE, into an empty database with the
  same schema, nothing checked;
* import: `check_file` and `import_file` of the file into an empty database;
* floor-read: the same statements that an export runs, streamed by the plain driver, every row dropped;
* export: `write_export` in each format.

Each of them is a process of its own, so that its peak memory is its own. The goals are import >= 0.5 x floor-write
and export >= 0.5 x floor-read, and a peak that does not grow with the graph.
"""

import argparse
import asyncio
import json
import random
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import psutil
from neo4j import AsyncGraphDatabase, GraphDatabase

from api.config import Settings
from graph.answers import ExportFormat
from graph.backends.base import Endpoint
from graph.backends.embedded import EmbeddedBackend, EmbeddedSettings
from graph.database import connect
from graph.exports import write_export
from graph.exports.lines import JsonWriter
from graph.exports.records import Record, Section, hash_records
from graph.fingerprint import GraphHash
from graph.identity import edge_id, mention_id, name_key, segment_id
from graph.imports import importing
from graph.imports.importing import import_file
from graph.imports.reading import check_file
from graph.migrate import apply_migrations
from graph.model import DocumentId, NodeId, SegmentId
from graph.statements import load_text
from graph.tenants import parse_tenant
from graph.terms import index_terms

EDGES_A_NODE: Final = 5
EDGES_A_DOCUMENT: Final = 50
FORMATS: Final = tuple(ExportFormat)
STEPS: Final = ("floor-write", "import", "floor-read", *(f"export {wanted}" for wanted in FORMATS))


def make_records(edges: int) -> Iterator[tuple[Section, Record]]:
    """The records of the made-up graph, in the order of an export; the same for each number of edges."""
    node_count, document_count = max(2, edges // EDGES_A_NODE), max(1, edges // EDGES_A_DOCUMENT)
    nodes = sorted(f"package/module_{place // 20:06}.py::function_{place:07}" for place in range(node_count))
    documents = sorted(f"package/module_{place:06}.py" for place in range(document_count))
    for document in documents:
        yield Section.DOCUMENT, Record(None, None, ["Document"], _document(document))
    for document in sorted(documents, key=_segment_id):
        yield Section.SEGMENT, Record(document, None, ["Segment"], _segment(document))
    for node in nodes:
        yield Section.NODE, Record(None, None, ["Function", "Node"], _node(node))
    chance = random.Random(6)  # noqa: S311 - no secret
    for place, source in enumerate(nodes):
        count = EDGES_A_NODE if place else edges - EDGES_A_NODE * (node_count - 1)
        targets = {chance.randrange(node_count) for _ in range(count * 2)} if count < node_count else set(range(count))
        ids = sorted(
            (edge_id(NodeId(source), "calls", NodeId(nodes[target])), target) for target in sorted(targets)[:count]
        )
        for own, target in ids:
            yield Section.EDGE, Record(source, nodes[target], ["CALLS"], _edge(own))
    yield from _mentions(nodes, documents, edges)


def _mentions(nodes: list[str], documents: list[str], edges: int) -> Iterator[tuple[Section, Record]]:
    """Three mentions for each edge, by their ids."""
    keys = []
    for place in range(3 * edges):
        document = documents[place % len(documents)]
        keys.append((mention_id(_segment_id(document), str(place), place, place + 20), place))
    keys.sort()
    for own, place in keys:
        document = documents[place % len(documents)]
        node = nodes[place % len(nodes)]
        segment = _segment_id(document)
        shared = {
            "char_end": place + 20,
            "char_start": place,
            "evidence_span": f"function_{place:07}(it)",
            "line_end": place % 900 + 3,
            "line_start": place % 900,
            "mention_id": own,
            "modality": "CODE",
            "verified": True,
        }
        if place % 3:
            properties = {**shared, "node_id": node}
        else:
            other = nodes[(place * 7) % len(nodes)]
            properties = {
                **shared,
                "confidence": 1.0,
                "edge_id": edge_id(NodeId(node), "calls", NodeId(other)),
                "provenance": "EXTRACTED",
                "relation": "calls",
                "source": node,
                "target": other,
            }
        yield Section.MENTION, Record(segment, node if place % 3 else None, ["Mention"], properties, document)


def _segment_id(document: str) -> SegmentId:
    return segment_id(DocumentId(document), "L1")


def _document(path: str) -> dict[str, Any]:
    return {
        "content_hash": "0" * 64,
        "edges": EDGES_A_DOCUMENT,
        "facts_hash": "1" * 64,
        "folder_id": "made-up",
        "language": "python",
        "mentions": 3 * EDGES_A_DOCUMENT,
        "modality": "CODE",
        "nodes": 10,
        "path": path,
        "source_doc_id": path,
        "status": "DONE",
    }


def _segment(path: str) -> dict[str, Any]:
    text = "".join(f"def function_{line}(it):\n    return other_{line}(it)\n\n" for line in range(40))
    return {
        "char_offset": 0,
        "label": "L1",
        "line_start": 1,
        "modality": "CODE",
        "ordinal": 0,
        "segment_id": _segment_id(path),
        "text": text,
        "text_terms": index_terms(text),
    }


def _node(node_id: str) -> dict[str, Any]:
    path, _, name = node_id.partition("::")
    description = f"Take the things that {name} is given and say what there is to say of them."
    return {
        "aliases": [],
        "description": description,
        "exposed": [],
        "kind": "function",
        "line_end": 40,
        "line_start": 30,
        "name": name,
        "name_key": name_key(name),
        "name_terms": index_terms(name),
        "node_id": node_id,
        "path": path,
        "signature": f"def {name}(it: Thing) -> Answer",
        "text_terms": index_terms(description),
    }


def _edge(own: str) -> dict[str, Any]:
    return {"confidence": 1.0, "edge_id": own, "provenance": "EXTRACTED", "relation": "calls"}


def write_file(file: Path, edges: int) -> int:
    """Write the made-up graph; returns the number of records."""
    total, count = GraphHash(), 0
    with file.open("wb") as stream:
        writer = JsonWriter(stream)
        writer.begin()
        for section, record in make_records(edges):
            writer.write(section, [record])
            hash_records(total, section, [record])
            count += 1
        writer.end(total.hexdigest())
    return count


async def floor_write(endpoint: Endpoint, file: Path) -> float:
    """Seconds in the server for all rows of the file; making them is not counted."""
    taken = 0.0
    async with AsyncGraphDatabase.driver(endpoint.uri, auth=(endpoint.user, endpoint.password)) as driver:
        for batch in importing._batches(file, "file", skip=0):
            begun = time.perf_counter()
            for statement, rows in batch.rows.items():
                async with driver.session(database=endpoint.database) as session:
                    await (await session.run(load_text(statement.name), rows=rows)).consume()
            taken += time.perf_counter() - begun
    return taken


def floor_read(endpoint: Endpoint) -> float:
    """Seconds for all rows that an export reads, by the blocking driver, the faster one."""
    begun = time.perf_counter()
    with GraphDatabase.driver(endpoint.uri, auth=(endpoint.user, endpoint.password)) as driver:
        for section in Section:
            with driver.session(database=endpoint.database) as session:
                for _ in session.run(load_text(f"exports/stream_{section}s".replace("unresolveds", "unresolved"))):
                    pass
    return time.perf_counter() - begun


async def run_step(step: str, endpoint: Endpoint, folder: Path) -> dict[str, float]:
    """Do one step on an open database; its seconds, the bytes of its file and the peak of this process in MB."""
    file, size = folder / "graph.jsonl", 0
    begun = time.perf_counter()
    if step == "floor-write":
        seconds = await floor_write(endpoint, file)
    elif step == "floor-read":
        seconds = await asyncio.to_thread(floor_read, endpoint)
    else:
        async with connect(endpoint) as database:
            if step == "import":
                await import_file(database, file, check_file(file, file.name), name=file.name)
                size = file.stat().st_size
            else:
                out = folder / "export"
                size = (await write_export(database, ExportFormat(step.split()[1]), out)).bytes
                out.unlink()
        seconds = time.perf_counter() - begun
    return {"seconds": seconds, "bytes": size, "peak_mb": read_peak_mb()}


def read_peak_mb() -> float:
    """The most memory that this program has had; getrusage would count that of its parent at the fork, too."""
    [line] = (line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM:"))
    return int(line.split()[1]) / 1024


async def measure(args: argparse.Namespace) -> None:
    """Make the graph, run each step in a process of its own and print the figures."""
    folder: Path = args.folder
    records = await asyncio.to_thread(write_file, folder / "graph.jsonl", args.edges)
    size_mb = (folder / "graph.jsonl").stat().st_size / 1e6
    print(f"{args.edges:,} edges, {records:,} records, {size_mb:,.0f} MB of JSON", flush=True)
    backend = EmbeddedBackend(
        EmbeddedSettings(
            folder / "data", Settings().cache_dir, heap=args.heap, page_cache="1g", start_timeout_s=600, train_aot=False
        )
    )
    floors: dict[str, float] = {}
    for step in args.steps:
        tenant = parse_tenant("floor" if step == "floor-write" else "ours")
        endpoint = await backend.open(tenant, create=True)
        async with connect(endpoint) as database:
            await apply_migrations(database)
        command = [sys.executable, "-m", "benchmarks.transfer", "--step", step, "--folder", str(folder)]
        task = {
            "uri": endpoint.uri,
            "user": endpoint.user,
            "password": endpoint.password,
            "database": endpoint.database,
        }
        done = subprocess.run(command, input=json.dumps(task), capture_output=True, text=True, check=False)
        if done.returncode:
            sys.exit(done.stderr)
        figures = json.loads(done.stdout)
        jvm = (await backend.status(tenant)).jvm_pid
        server_mb = psutil.Process(jvm).memory_info().rss / 1e6 if jvm else 0
        kind = "floor-write" if step in ("floor-write", "import") else "floor-read"
        floors.setdefault(kind, figures["seconds"])
        ratio = floors[kind] / figures["seconds"]
        print(
            f"{step:<16} {figures['seconds']:8.1f} s  {args.edges / figures['seconds']:9,.0f} edges/s "
            f"{records / figures['seconds']:9,.0f} records/s  {figures['bytes'] / 1e6:8,.0f} MB  peak "
            f"{figures['peak_mb']:6,.0f} MB (server {server_mb:,.0f} MB)  {ratio:.2f} of the floor",
            flush=True,
        )
        if step == "floor-write":
            await backend.delete(tenant)
    await backend.stop(parse_tenant("ours"))


def main() -> None:
    """Run all steps, or be the process of one."""
    parser = argparse.ArgumentParser(description="How fast a graph goes into files and comes back.")
    parser.add_argument("--edges", type=int, default=1_000_000)
    parser.add_argument("--folder", type=Path, required=True, help="an empty folder for files and databases")
    parser.add_argument("--heap", default="2g")
    parser.add_argument("--steps", nargs="+", default=STEPS, choices=STEPS)
    parser.add_argument("--step", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.step is None:
        args.folder.mkdir(parents=True, exist_ok=True)
        asyncio.run(measure(args))
        return
    endpoint = Endpoint(**json.loads(sys.stdin.read()))
    print(json.dumps(asyncio.run(run_step(args.step, endpoint, args.folder))))


if __name__ == "__main__":
    main()
