"""Two tenants with the same names, ids and relations: whatever is asked of one, nothing of the other shows or changes.

Every public function that takes a database is called here; one that is new fails the first test until it is, too.
"""

import dataclasses
import importlib
import inspect
import pkgutil
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest

import graph
from graph import (
    analytics,
    assertions,
    communities,
    comparison,
    drift,
    duplicates,
    files,
    folders,
    jobs,
    listing,
    lookup,
    merges,
    migrate,
    neighbors,
    origins,
    paths,
    quotas,
    retraction,
    search,
    segments,
    stats,
    store,
    support,
    unused,
    version,
    views,
)
from graph.answers import Direction, ExportFormat
from graph.backends.embedded import EmbeddedBackend, EmbeddedSettings
from graph.database import Database, Transaction, connect
from graph.exports import export, records
from graph.filters import NODE_FIELDS, compile_condition
from graph.fingerprint import get_graph_hash
from graph.folders import FILES_FOLDER, Folder
from graph.identity import edge_id, entity_id, segment_id
from graph.imports.importing import import_file
from graph.imports.mark import check_finished
from graph.imports.reading import check_file
from graph.merges import merge_nodes
from graph.model import DocumentId, Statement
from graph.rows import StoredDocument
from graph.stated import EdgeAssertion, NodeAssertion
from graph.tenants import parse_tenant
from graph.vectors import query, state, writing
from graph.vectors.query import QueryVector
from tests.builders import document
from tests.embedders import HashingEmbedder
from tests.raw import Cypher

ALPHA, BRAVO = "alpha", "bravo"
FACT = ("Marie Curie", "discovered", "Radium")
CURIE, RADIUM = entity_id("Marie Curie"), entity_id("Radium")
ONLY = [entity_id(f"{mark} only") for mark in (ALPHA, BRAVO)]
EDGE = edge_id(CURIE, "discovered", RADIUM)
SEGMENT = segment_id(DocumentId("same.txt"), "L1")
SEGMENTS = [SEGMENT, *(segment_id(DocumentId(f"{mark}.txt"), "L1") for mark in (ALPHA, BRAVO))]
EVERY_NODE = compile_condition(None, NODE_FIELDS)
DOCUMENTS = ["same.txt", "alpha.txt", "bravo.txt"]
EMBEDDERS = {ALPHA: HashingEmbedder(64), BRAVO: HashingEmbedder(32)}
MERGES: dict[str, str] = {}
Call = Callable[[Database], Awaitable[object]]


async def near(database: Database, text: str) -> QueryVector:
    """The vector of a text by the model of the tenant's vectors."""
    found = await state.find_vectors(database)
    assert found is not None
    embedder = HashingEmbedder(found.dimension, found.model)
    return QueryVector(embedder.model, tuple(embedder.embed([text])[0]))


def pages(*parents: str) -> list[support.PageRequest]:
    return [support.PageRequest(parent, 50) for parent in parents]


async def everything(database: Database, where: ExportFormat, folder: Path) -> str:
    await export.write_export(database, where, folder / "graph")
    return (folder / "graph").read_text()


async def projected(database: Database) -> object:
    async with analytics.project(database, communities._PROJECT) as projection:
        return projection and (projection.nodes, projection.relationships)


async def found_nodes(database: Database) -> object:
    return await search.search_nodes(database, "only", vector=await near(database, "only"))


async def found_segments(database: Database) -> object:
    return await segments.search_segments(database, "only", vector=await near(database, "only"))


async def near_nodes(database: Database) -> object:
    return await query.search_near_nodes(database, await near(database, "only"), limit=50, passing=EVERY_NODE)


async def near_segments(database: Database) -> object:
    return await query.search_near_segments(database, await near(database, "only"), limit=50)


async def all_communities(database: Database) -> object:
    return (await communities.compute_communities(database)).page(50)


async def streamed(database: Database) -> object:
    return [one async for one in records.stream_records(database)]


READS: dict[str, Call] = {
    "analytics.fetch_hubs": lambda one: analytics.fetch_hubs(one, limit=50),
    "analytics.project": projected,
    "communities.compute_communities": all_communities,
    "comparison.fetch_facts": lambda one: comparison.fetch_facts(one, "Marie Curie"),
    "drift.find_drift": lambda one: drift.find_drift(one, versions={"reader": "now"}, texts="text now", vectors=None),
    "duplicates.find_duplicates": lambda one: duplicates.find_duplicates(one, min_score=0.1),
    "exports.records.stream_records": streamed,
    "files.fetch_files": files.fetch_files,
    "files.find_file": lambda one: files.find_file(one, "file.txt"),
    "files.fetch_texts": lambda one: files.fetch_texts(one, DOCUMENTS),
    "fingerprint.get_graph_hash": get_graph_hash,
    "folders.fetch_folders": folders.fetch_folders,
    "folders.fetch_foreign_documents": lambda one: folders.fetch_foreign_documents(
        one, [DocumentId(name) for name in DOCUMENTS], own="none"
    ),
    "folders.count_named_nodes": lambda one: folders.count_named_nodes(one, "folder"),
    "jobs.find_job": lambda one: jobs.find_job(one, "job-same"),
    "jobs.get_job": lambda one: jobs.get_job(one, "job-same"),
    "jobs.fetch_job_page": lambda one: jobs.fetch_job_page(one, first=50),
    "jobs.count_jobs": jobs.count_jobs,
    "jobs.fetch_job_files": lambda one: jobs.fetch_job_files(one, "job-same", limit=50),
    "jobs.fetch_active_jobs": jobs.fetch_active_jobs,
    "listing.fetch_node_page": lambda one: listing.fetch_node_page(one, first=50),
    "listing.count_nodes": listing.count_nodes,
    "listing.fetch_edge_page": lambda one: listing.fetch_edge_page(one, first=50),
    "listing.count_edges": listing.count_edges,
    "listing.find_edge": lambda one: listing.find_edge(one, EDGE),
    "listing.fetch_document_page": lambda one: listing.fetch_document_page(one, first=50),
    "listing.count_documents": listing.count_documents,
    "lookup.get_node": lambda one: lookup.get_node(one, "Marie Curie"),
    "lookup.fetch_named_nodes": lambda one: lookup.fetch_named_nodes(one, "Marie Curie"),
    "merges.find_merge": lambda one: merges.find_merge(one, MERGES[BRAVO]),
    "neighbors.fetch_neighbors": lambda one: neighbors.fetch_neighbors(one, "Radium", depth=3),
    "paths.find_path": lambda one: paths.find_path(one, "Marie Curie", "Radium"),
    "quotas.get_quota": quotas.get_quota,
    "quotas.get_usage": quotas.get_usage,
    "search.search_nodes": found_nodes,
    "segments.search_segments": found_segments,
    "stats.get_stats": stats.get_stats,
    "store.fetch_document_states": lambda one: store.fetch_document_states(one, "folder"),
    "support.fetch_node_support": lambda one: support.fetch_node_support(
        one, pages(CURIE, RADIUM, *ONLY), pages(CURIE, RADIUM, *ONLY)
    ),
    "support.fetch_edge_mentions": lambda one: support.fetch_edge_mentions(one, pages(EDGE)),
    "support.fetch_node_edges": lambda one: support.fetch_node_edges(
        one, [support.EdgesRequest(RADIUM, Direction.BOTH, (), 50)]
    ),
    "support.fetch_node_neighbors": lambda one: support.fetch_node_neighbors(
        one, [support.NeighborsRequest(RADIUM, Direction.BOTH, (), 50)]
    ),
    "support.fetch_document_segments": lambda one: support.fetch_document_segments(one, pages(*DOCUMENTS)),
    "support.fetch_segment_entities": lambda one: support.fetch_segment_entities(one, pages(*SEGMENTS)),
    "support.fetch_segment_edges": lambda one: support.fetch_segment_edges(one, [(SEGMENT, False, 50)]),
    "support.fetch_segment_texts": lambda one: support.fetch_segment_texts(one, SEGMENTS),
    "support.fetch_document_views": lambda one: support.fetch_document_views(one, DOCUMENTS),
    "support.count_node_mentions": lambda one: support.count_node_mentions(one, [CURIE, *ONLY]),
    "support.count_edge_mentions": lambda one: support.count_edge_mentions(one, [EDGE]),
    "support.count_document_segments": lambda one: support.count_document_segments(one, DOCUMENTS),
    "support.count_node_edges": lambda one: support.count_node_edges(one, [(RADIUM, Direction.BOTH, ())]),
    "support.count_node_degrees": lambda one: support.count_node_degrees(one, [(RADIUM, Direction.BOTH)]),
    "unused.fetch_unused": unused.fetch_unused,
    "vectors.query.search_near_nodes": near_nodes,
    "vectors.query.search_near_segments": near_segments,
    "vectors.query.fetch_node_vectors": lambda one: query.fetch_node_vectors(one, [CURIE, *ONLY]),
    "vectors.query.fetch_segment_vectors": lambda one: query.fetch_segment_vectors(one, SEGMENTS),
    "vectors.state.find_vectors": state.find_vectors,
    "version.get_graph_version": version.get_graph_version,
    "views.fetch_node_views": lambda one: views.fetch_node_views(one, [CURIE, RADIUM, *ONLY]),
    "views.fetch_edge_views": lambda one: views.fetch_edge_views(
        one, [{"edge_id": EDGE, "source": CURIE, "target": RADIUM}]
    ),
}


async def touch(transaction: Transaction) -> None:
    await transaction.run(migrate._LOCK)


async def make_all_vectors(database: Database, mark: str = ALPHA) -> None:
    made_by = EMBEDDERS[mark]
    await writing.embed_missing(database, made_by.embed, model=made_by.model, dimension=made_by.dimension)


WRITES: dict[str, Call] = {
    "assertions.upsert_graph": lambda one: assertions.upsert_graph(
        one, "stated", [NodeAssertion("Radium", aliases=("Ra",))], [EdgeAssertion("Marie Curie", "Paris", "studied")]
    ),
    "folders.upsert_folder": lambda one: folders.upsert_folder(one, Folder("folder", "/new", "", "", "", [])),
    "folders.move_folder": lambda one: folders.move_folder(one, "folder", "other"),
    "jobs.create_job": lambda one: jobs.create_job(one, job_id="job-new", kind="file", lane="lane", params="{}"),
    "jobs.claim_job": lambda one: jobs.claim_job(one, owner="one"),
    "jobs.report_job": lambda one: jobs.report_job(one, "job-same", owner="one", progress=jobs.JobProgress()),
    "jobs.requeue_job": lambda one: jobs.requeue_job(one, "job-same", owner="one", crashed=True),
    "jobs.cancel_job": lambda one: jobs.cancel_job(one, "job-same"),
    "jobs.finish_job": lambda one: jobs.finish_job(one, "job-new", owner="one", status=jobs.JobStatus.DONE),
    "jobs.prune_jobs": lambda one: jobs.prune_jobs(one, keep=0),
    "migrate.apply_migrations": migrate.apply_migrations,
    "migrate.check_migrations": migrate.check_migrations,
    "migrate.prepare_database": migrate.prepare_database,
    "merges.undo_merge": lambda one: merges.undo_merge(one, MERGES[ALPHA]),
    "merges.merge_nodes": lambda one: merge_nodes(one, CURIE, [entity_id("Mme Curie")]),
    "origins.write_stable": lambda one: origins.write_stable(one, touch),
    "quotas.set_quota": lambda one: quotas.set_quota(one, quotas.Quota(documents=100)),
    "quotas.measure_texts": quotas.measure_texts,
    "segments.index_segments": segments.index_segments,
    "store.upsert_documents": lambda one: store.upsert_documents(one, [document("same.txt", alone=("Radium",))]),
    "store.upsert_fitting": lambda one: store.upsert_fitting(one, [document("fit.txt", alone=("Radium",))]),
    "store.delete_documents": lambda one: store.delete_documents(
        one, [DocumentId("bravo.txt"), DocumentId("same.txt")]
    ),
    "retraction.delete_document": lambda one: retraction.delete_document(one, DocumentId("file.txt")),
    "vectors.state.ensure_vectors": lambda one: state.ensure_vectors(one, model="hashing", dimension=64),
    "vectors.writing.embed_missing": make_all_vectors,
    "vectors.state.reset_vectors": state.reset_vectors,
}
ELSEWHERE = {
    "exports.export.write_export",  # with each format, below
    "imports.importing.import_file",  # below, and with it what an import stands on
    "imports.mark.begin_import",
    "imports.mark.check_finished",
    "imports.mark.is_importing",
    "imports.mark.finish_import",
}


@pytest.fixture(scope="module")
async def other(cli_env: dict[str, str]) -> AsyncIterator[tuple[Database, Cypher]]:
    """A second tenant on a server of its own."""
    settings = EmbeddedSettings(
        Path(cli_env["COGNIVERSE_DATA_DIR"]), Path(cli_env["COGNIVERSE_CACHE_DIR"]), train_aot=False
    )
    endpoint = await EmbeddedBackend(settings).open(parse_tenant("other"), create=True)
    async with connect(endpoint) as database, Cypher(endpoint) as cypher:
        await migrate.apply_migrations(database)
        yield database, cypher


def stating(stored: StoredDocument) -> StoredDocument:
    """The document, with what it says of each thing that it names."""
    names = {node.node_id: node.name for node in stored.result.nodes}
    mentions = tuple(
        dataclasses.replace(mention, stated=Statement(names[mention.node_id], "entity")) if mention.node_id else mention
        for mention in stored.result.mentions
    )
    return dataclasses.replace(stored, result=dataclasses.replace(stored.result, mentions=mentions))


async def fill(database: Database, cypher: Cypher, mark: str) -> None:
    """The same names and ids in each tenant; all that can be told apart says whose it is."""
    await cypher.clear()
    confidence = 0.25 if mark == BRAVO else 0.5
    same = document("same.txt", FACT, alone=(f"{mark} only",), confidence=confidence)
    described = tuple(dataclasses.replace(node, description=f"{node.name} of {mark}") for node in same.result.nodes)
    same = dataclasses.replace(same, result=dataclasses.replace(same.result, nodes=described))
    own = stating(document(f"{mark}.txt", ("Radium", "part_of", f"{mark} only"), alone=("Mme Curie",)))
    file = document("file.txt", alone=(f"file of {mark}",), folder=FILES_FOLDER)
    await store.upsert_documents(database, [same, own, dataclasses.replace(file, facts_hash=f"text {mark}")])
    if mark == BRAVO:
        more = document("more.txt", ("Radium", "part_of", "bravo more"), FACT, alone=("bravo most",))
        await store.upsert_documents(database, [stating(more)])
        await quotas.set_quota(database, quotas.Quota(documents=1_000))
    code = document("run.py", alone=(f"run_{mark}",), kind="function")
    placed = tuple(dataclasses.replace(node, path="run.py", line_start=1, line_end=1) for node in code.result.nodes)
    code = dataclasses.replace(code, result=dataclasses.replace(code.result, nodes=placed))
    await store.upsert_documents(database, [code])
    MERGES[mark] = (await merge_nodes(database, CURIE, [entity_id("Mme Curie")])).merge_id
    await folders.upsert_folder(database, Folder("folder", f"/{mark}", "", "", "", [f"reader: {mark}"]))
    await segments.index_segments(database)
    await make_all_vectors(database, mark)
    await jobs.create_job(database, job_id="job-same", kind="file", lane=mark, params=f'"{mark}"')
    await cypher(
        "MATCH (j:Job) CREATE (j)-[:HAS_FILE]->(:JobFile {job_id: j.job_id, path: $mark, status: 'DONE', ordinal: 0})",
        mark=mark,
    )
    if mark == BRAVO:
        await jobs.create_job(database, job_id="job-bravo", kind="file", lane=mark, params='"bravo"')


@pytest.fixture(scope="module")
async def tenants(connected: Database, cypher: Cypher, other: tuple[Database, Cypher]) -> tuple[Database, Database]:
    await fill(connected, cypher, ALPHA)
    await fill(*other, BRAVO)
    return connected, other[0]


def public_functions() -> set[str]:
    """All that a caller may give a database to."""
    found: set[str] = set()
    for module in pkgutil.walk_packages(graph.__path__, "graph."):
        for name, function in inspect.getmembers(importlib.import_module(module.name), inspect.isroutine):
            if name.startswith("_") or getattr(function, "__module__", "") != module.name:
                continue
            given = list(inspect.signature(function).parameters.values())
            if given and given[0].annotation in (Database, "Database"):
                found.add(f"{module.name.removeprefix('graph.')}.{name}")
    return found


def test_every_function_that_takes_a_database_is_called_here() -> None:
    assert public_functions() == {*READS, *WRITES, *ELSEWHERE}


def shown(answer: object) -> str:
    """An answer as text, without the keys that were asked for."""
    parts = answer if isinstance(answer, tuple) else (answer,)
    return repr([list(part.values()) if isinstance(part, dict) else part for part in parts])


@pytest.mark.parametrize("name", READS)
async def test_an_answer_holds_nothing_of_another_tenant(tenants: tuple[Database, Database], name: str) -> None:
    alpha, bravo = [shown(await READS[name](database)) for database in tenants]

    assert BRAVO not in alpha
    assert ALPHA not in bravo
    assert alpha != bravo  # else they would not show whose they are


@pytest.mark.parametrize("wanted", ExportFormat)
async def test_an_export_holds_nothing_of_another_tenant(
    tenants: tuple[Database, Database], tmp_path: Path, wanted: ExportFormat
) -> None:
    alpha, bravo = [await everything(database, wanted, tmp_path) for database in tenants]

    assert BRAVO not in alpha
    assert ALPHA not in bravo
    assert ALPHA in alpha
    assert BRAVO in bravo


async def test_what_only_another_tenant_has_is_unknown(tenants: tuple[Database, Database]) -> None:
    alpha, _ = tenants

    assert await merges.find_merge(alpha, MERGES[BRAVO]) is None
    assert await views.fetch_node_views(alpha, [entity_id("bravo only")]) == {}
    assert await listing.find_edge(alpha, edge_id(RADIUM, "part_of", entity_id("bravo only"))) is None
    assert await jobs.find_job(alpha, "job-bravo") is None
    assert await support.fetch_document_views(alpha, ["more.txt"]) == {}


async def test_a_write_changes_nothing_of_another_tenant(
    tenants: tuple[Database, Database], other: tuple[Database, Cypher]
) -> None:
    alpha, _ = tenants
    before = await look(other[1])

    for name, write in WRITES.items():
        await write(alpha)
        assert await look(other[1]) == before, name


async def test_an_import_changes_nothing_of_another_tenant(
    tenants: tuple[Database, Database], cypher: Cypher, other: tuple[Database, Cypher], tmp_path: Path
) -> None:
    alpha, _ = tenants
    before = await look(other[1])
    await export.write_export(alpha, ExportFormat.JSON, tmp_path / "alpha.jsonl")
    expected = await get_graph_hash(alpha)
    await cypher.clear()

    file = tmp_path / "alpha.jsonl"
    summary = await import_file(alpha, file, check_file(file, file.name), name=file.name)
    await check_finished(alpha)

    assert summary is not None
    assert summary.hash == expected == await get_graph_hash(alpha)
    assert await look(other[1]) == before


async def look(cypher: Cypher) -> list[object]:
    """All that a database holds, schema included."""
    statements = (
        "MATCH (n) RETURN labels(n) AS labels, properties(n) AS properties ORDER BY elementId(n)",
        "MATCH ()-[r]->() RETURN type(r) AS type, properties(r) AS properties ORDER BY elementId(r)",
        "SHOW INDEXES YIELD name, type, state ORDER BY name",
        "SHOW CONSTRAINTS YIELD name, type ORDER BY name",
    )
    return [await cypher(statement) for statement in statements]
