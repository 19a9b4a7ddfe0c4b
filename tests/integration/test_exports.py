"""Exports of hostile graphs: Cypher and JSON that rebuild them, GraphML that keeps its rules, equal bytes."""

import asyncio
import gzip
import hashlib
import json
import math
import re
import xml.etree.ElementTree as ET
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from lxml import etree
from neo4j import AsyncGraphDatabase

from graph.answers import ExportFormat
from graph.backends.base import Endpoint
from graph.database import Database
from graph.errors import Conflict, NotAvailable
from graph.exports import write_export
from graph.fingerprint import get_graph_hash
from graph.folders import Folder, upsert_folder
from graph.identity import entity_id
from graph.merges import merge_nodes
from graph.statements import load_text, statement_names
from graph.store import upsert_documents
from tests.builders import document
from tests.graphml_schema import load_schema
from tests.hostile import FACTS, HOSTILE, LONG, fill_with_everything, hostile_documents
from tests.raw import Cypher

NAMESPACE = "{http://graphml.graphdrawing.org/xmlns}"
OURS = "NOT n:Migration AND NOT n:MigrationLock AND NOT n:Job AND NOT n:JobFile"


async def fill(database: Database, cypher: Cypher) -> None:
    await upsert_documents(database, hostile_documents())
    await upsert_folder(database, Folder("folder", "/tmp/'\\u0027`\n", "", "snapshot", json.dumps(HOSTILE), HOSTILE))  # noqa: S108
    await upsert_documents(database, [document("merged.txt", ("Mme Curie", "won", "Nobel Prize"))])
    await merge_nodes(database, entity_id("Marie Curie"), [entity_id("Mme Curie")])
    await cypher(
        "MATCH (n:Node {node_id: 'radium'}) SET n.big = $big, n.small = -9223372036854775808, n.floats = $floats, "
        "n.none = [], n.yes = true, n.at = datetime('2026-11-30T07:23:19.123456789+02:00'), n += $odd",
        odd={"odd \\u0060` name\n": 1},
        big=2**63 - 1,
        floats=[0.1, -0.0, 5e-324, 1.7e308, math.inf, -math.inf, 1e-7],
    )
    await cypher("CREATE (:Job {job_id: 'j'})-[:HAS_FILE]->(:JobFile {path: 'x'})")


@pytest.fixture
async def filled(database: Database, cypher: Cypher) -> Database:
    await fill(database, cypher)
    return database


async def dump(cypher: Cypher) -> list[str]:
    """All that there is, behind the product's back."""
    nodes = await cypher(f"MATCH (n) WHERE {OURS} RETURN labels(n) AS l, properties(n) AS p")  # type: ignore[arg-type]
    links = await cypher(
        f"MATCH (n)-[r]->(m) WHERE {OURS} RETURN labels(n) AS a, properties(n) AS ap, type(r) AS t, "  # type: ignore[arg-type]
        "properties(r) AS p, labels(m) AS b, properties(m) AS bp"
    )

    def plain(value: Any) -> Any:
        if isinstance(value, dict):
            return {name: plain(value[name]) for name in sorted(value)}
        return value.iso_format() if hasattr(value, "iso_format") else value

    def shown(key: str, value: Any) -> str:
        return repr(sorted(value) if key in "lab" and isinstance(value, list) else plain(value))

    return sorted(repr([shown(key, row[key]) for key in sorted(row)]) for row in (*nodes, *links))


async def export(database: Database, wanted: ExportFormat, folder: Path) -> bytes:
    file = folder / "export"
    summary = await write_export(database, wanted, file)
    data = await asyncio.to_thread(file.read_bytes)
    assert summary.bytes == len(data)
    assert summary.hash == await get_graph_hash(database)
    return data


# What cypher-shell tells apart: strings and quoted names, in which nothing ends, and comments; `;` ends a statement.
TOKEN = re.compile(r"'(?:\\.|[^'\\])*'|`[^`]*`|//[^\n]*|;|[^'`/;]+|/", re.DOTALL)


def statements(script: str) -> list[str]:
    """The statements of a script, as cypher-shell and Neo4j Browser find them."""
    assert "".join(TOKEN.findall(script)) == script
    kept = ("\0" if token == ";" else token for token in TOKEN.findall(script) if not token.startswith("//"))
    return [part.strip() for part in "".join(kept).split("\0") if part.strip()]


@pytest.mark.parametrize("language", ["CYPHER 5 ", "CYPHER 25 "])
async def test_cypher_rebuilds_the_graph(filled: Database, cypher: Cypher, tmp_path: Path, language: str) -> None:
    before, graph_hash = await dump(cypher), await get_graph_hash(filled)
    script = (await export(filled, ExportFormat.CYPHER, tmp_path)).decode()
    await cypher.clear()

    for statement in statements(script):
        await cypher(language + statement)

    assert await get_graph_hash(filled) == graph_hash
    assert await dump(cypher) == before
    assert statements(script)[0].startswith("CREATE CONSTRAINT")
    assert graph_hash in script.splitlines()[-1]


async def test_cypher_rebuilds_all_that_a_tenant_has(database: Database, cypher: Cypher, tmp_path: Path) -> None:
    await fill_with_everything(database, tmp_path)
    before = await dump(cypher)
    script = (await export(database, ExportFormat.CYPHER, tmp_path)).decode()
    await cypher.clear()

    for statement in statements(script):
        await cypher(statement)

    assert await dump(cypher) == before


async def test_every_line_of_cypher_is_a_statement_or_a_comment(filled: Database, tmp_path: Path) -> None:
    script = (await export(filled, ExportFormat.CYPHER, tmp_path)).decode()

    data = [line for line in script.split("\n") if line.startswith("UNWIND [")]
    assert data
    assert all(line.endswith(";") for line in data)
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029]", script)


async def test_json_lines_rebuild_the_graph(filled: Database, cypher: Cypher, tmp_path: Path) -> None:
    before, graph_hash = await dump(cypher), await get_graph_hash(filled)
    text = (await export(filled, ExportFormat.JSON, tmp_path)).decode("ascii")
    header, *records, end = [json.loads(line) for line in text.splitlines()]
    await cypher.clear()

    for record in records:
        await rebuild(cypher, record)

    assert header == {"record": "header", "format": "cogniverse-graph", "version": 1}
    assert end["hash"] == graph_hash == await get_graph_hash(filled)
    assert end["sha256"] == hashlib.sha256(text[: text.rindex("\n", 0, -1) + 1].encode()).hexdigest()
    assert sum(end["counts"].values()) == len(records)
    assert await dump(cypher) == before


async def rebuild(cypher: Cypher, record: dict[str, Any]) -> None:
    links = {
        "segment": ("Document {source_doc_id: $document}", "HAS_SEGMENT"),
        "mention": ("Segment {segment_id: $segment}", "HAS_MENTION"),
        "unresolved": ("Document {source_doc_id: $document}", "HAS_UNRESOLVED"),
    }
    kind = record.pop("record")
    times = {n: v["datetime"] for n, v in record["properties"].items() if isinstance(v, dict)}
    record["properties"] = {n: numbers(v) for n, v in record["properties"].items() if n not in times}
    if kind in ("edge", "origin_link"):
        ends = {"edge": ("Node", "source", "Node", "target"), "origin_link": ("Mention", "mention", "Origin", "origin")}
        start, source, end, target = ends[kind]
        key = {"Node": "node_id", "Mention": "mention_id", "Origin": "node_id"}
        await cypher(
            f"MATCH (a:{start} {{{key[start]}: ${source}}}) MATCH (b:{end} {{{key[end]}: ${target}}}) "  # type: ignore[arg-type]
            "CREATE (a)-[r:$($type)]->(b) SET r = $properties",
            **{"type": "ORIGIN"} | record,
        )
        return
    label = "".join(part.capitalize() for part in kind.split("_"))
    holder = f"MATCH (h:{links[kind][0]}) CREATE (h)-[:{links[kind][1]}]->(n) WITH n " if kind in links else ""
    last = "WITH n MATCH (o:Node {node_id: $node}) CREATE (n)-[:OF]->(o)" if record.get("node") is not None else ""
    labels = [one for one in record.get("labels", [label]) if one]
    await cypher(
        f"CREATE (n) WITH n {holder} SET n = $properties, n:$($labels) "  # type: ignore[arg-type]
        f"FOREACH (name IN keys($times) | SET n[name] = datetime($times[name])) {last}",
        **record | {"labels": labels, "times": times},
    )


def numbers(value: Any) -> Any:
    if isinstance(value, list):
        return [float(item["float"]) if isinstance(item, dict) else item for item in value]
    return value


async def test_graphml_keeps_its_rules(filled: Database, cypher: Cypher, tmp_path: Path) -> None:
    root = ET.fromstring(await export(filled, ExportFormat.GRAPHML, tmp_path))  # noqa: S314 - our own

    desc, *keys, graph = root
    assert (root.tag, desc.tag, graph.tag) == (f"{NAMESPACE}graphml", f"{NAMESPACE}desc", f"{NAMESPACE}graph")
    assert {key.tag for key in keys} == {f"{NAMESPACE}key"}
    assert graph.get("edgedefault") == "directed"
    types = {"boolean", "int", "long", "float", "double", "string"}
    assert all(key.get("attr.type") in types and key.get("for") in ("node", "edge") for key in keys)
    ids = [one.get("id") for one in root.iter() if one.get("id") is not None]
    assert len(ids) == len(set(ids))
    assert all(re.fullmatch(r"[A-Za-z_][\w.-]*", str(one)) for one in ids)
    nodes = {one.get("id") for one in graph.findall(f"{NAMESPACE}node")}
    edges = graph.findall(f"{NAMESPACE}edge")
    assert all(edge.get("source") in nodes and edge.get("target") in nodes for edge in edges)
    declared = {key.get("id"): key.get("for") for key in keys}
    for element in graph:
        used = [data.get("key") for data in element]
        assert len(used) == len(set(used))
        assert all(element.tag == f"{NAMESPACE}{declared[key]}" for key in used)
    [counted] = await cypher(f"MATCH (n) WHERE {OURS} RETURN count(n) AS nodes")  # type: ignore[arg-type]
    [linked] = await cypher(f"MATCH (n)-[r]->() WHERE {OURS} RETURN count(r) AS links")  # type: ignore[arg-type]
    assert (len(nodes), len(edges)) == (counted["nodes"], linked["links"])


async def test_graphml_is_valid_by_its_schema(database: Database, tmp_path: Path) -> None:
    await fill_with_everything(database, tmp_path)
    data = await export(database, ExportFormat.GRAPHML, tmp_path)
    schema = await asyncio.to_thread(load_schema, tmp_path)

    schema.assertValid(etree.fromstring(data))

    assert not schema.validate(etree.fromstring(data.replace(b'attr.type="long"', b'attr.type="big"')))


async def test_graphml_brings_values_back(filled: Database, tmp_path: Path) -> None:
    root = ET.fromstring(await export(filled, ExportFormat.GRAPHML, tmp_path))  # noqa: S314 - our own
    names = {key.get("id"): str(key.get("attr.name")) for key in root.iter(f"{NAMESPACE}key")}

    shown = [{names[data.get("key")]: data.text or "" for data in node} for node in root.iter(f"{NAMESPACE}node")]
    things = [node for node in shown if "Node" in node["labels"].split(":")]
    found = {json.loads(node["name_json"]) if "name_json" in node else node["name"] for node in things}

    assert set(HOSTILE) <= found
    odd = next(node for node in things if node["name"] == "]]>")
    assert json.loads(odd["description_json"]) == f"]]> {LONG}"
    assert json.loads(odd["aliases"]) == list(HOSTILE)


@pytest.mark.parametrize("wanted", list(ExportFormat))
async def test_the_same_graph_is_the_same_bytes(
    database: Database, cypher: Cypher, tmp_path: Path, wanted: ExportFormat
) -> None:
    documents = [document(f"{number}.txt", fact) for number, fact in enumerate(FACTS)] + hostile_documents()
    exported = []
    for turn in (1, -1):
        await cypher.clear()
        for stored in documents[::turn]:
            await upsert_documents(database, [stored])
        await cypher("MATCH (d:Document) SET d.ingested_at = datetime('2026-11-30T07:23:19Z')")
        exported.append(await export(database, wanted, tmp_path))

    assert exported[0] == exported[1]


@pytest.mark.parametrize("wanted", list(ExportFormat))
async def test_an_empty_graph_is_exported(database: Database, tmp_path: Path, wanted: ExportFormat) -> None:
    data = await export(database, wanted, tmp_path)

    assert data.endswith(b"\n")
    if wanted is ExportFormat.GRAPHML:
        assert len(ET.fromstring(data)) == 2  # noqa: S314 - our own


@pytest.mark.parametrize("wanted", list(ExportFormat))
async def test_a_compressed_export_is_the_same_export(filled: Database, tmp_path: Path, wanted: ExportFormat) -> None:
    file = tmp_path / "export.gz"
    plain = await export(filled, wanted, tmp_path)

    summary = await write_export(filled, wanted, file)

    packed = await asyncio.to_thread(file.read_bytes)
    assert gzip.decompress(packed) == plain
    assert summary.bytes == len(packed) < len(plain)


async def test_a_summary_counts_and_the_file_is_its_owners(filled: Database, tmp_path: Path) -> None:
    file = tmp_path / "export"
    seen: list[int] = []

    summary = await write_export(filled, ExportFormat.JSON, file, seen.append)

    assert (summary.documents, summary.edges) == (4, len(HOSTILE) + 3)
    assert file.stat().st_mode & 0o777 == 0o600
    assert seen == sorted(seen)
    assert names_in(tmp_path) == ["export"]


def names_in(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir()]


async def write_on(cypher: Cypher, text: str) -> AsyncIterator[None]:
    while True:
        await cypher(text)
        yield


async def interfere(cypher: Cypher, text: str) -> None:
    async for _ in write_on(cypher, text):
        await asyncio.sleep(0)


@pytest.mark.parametrize(
    ("text", "outcome"),
    [
        ("MERGE (n:Node {node_id: 'radium'}) SET n.count = coalesce(n.count, 0) + 1", Conflict),
        ("MERGE (n:Job {job_id: 'j'}) SET n.files_done = coalesce(n.files_done, 0) + 1", None),
    ],
)
async def test_a_graph_that_changes_is_refused_and_a_job_is_no_change(
    filled: Database, cypher: Cypher, tmp_path: Path, text: str, outcome: type[Exception] | None
) -> None:
    file = tmp_path / "export"
    await asyncio.to_thread(file.write_text, "before")
    writer = asyncio.create_task(interfere(cypher, text))
    try:
        if outcome is None:
            await write_export(filled, ExportFormat.JSON, file)
        else:
            with pytest.raises(outcome, match="changed during"):
                await write_export(filled, ExportFormat.JSON, file)
    finally:
        writer.cancel()
        await asyncio.wait([writer])

    kept = await asyncio.to_thread(file.read_text)
    assert (kept == "before") == (outcome is not None)
    assert names_in(tmp_path) == ["export"]


async def test_a_folder_that_is_not_there_is_told(database: Database, tmp_path: Path) -> None:
    with pytest.raises(NotAvailable, match="No such file"):
        await write_export(database, ExportFormat.JSON, tmp_path / "missing" / "export")


@pytest.mark.parametrize("name", [name for name in statement_names() if name.startswith("exports/")])
async def test_order_comes_from_indexes(filled: Database, endpoint: Endpoint, name: str) -> None:
    async with AsyncGraphDatabase.driver(endpoint.uri, auth=(endpoint.user, endpoint.password)) as driver:
        _, summary, _ = await driver.execute_query("EXPLAIN " + load_text(name), database_=endpoint.database)

    def operators(plan: dict[str, Any]) -> list[str]:
        return [plan["operatorType"], *(one for child in plan.get("children", []) for one in operators(child))]

    found = [one.split("@")[0] for one in operators(summary.plan)]
    assert "Sort" not in found
    assert [one for one in found if "IndexSeek" in one or "IndexScan" in one]
