"""Every Cypher file, planned by a real server on the real schema: columns, mode, parameters, names, products."""

import pytest

from graph.database import Database
from graph.errors import DatabaseFailed
from graph.statements import CYPHER_ROOT, load_text, read_header, statement_names
from graph.vocabulary import KIND_LABELS, RELATION_TYPES
from tests.raw import Cypher

MISSING_PARAMETER = "01N60"
UNKNOWN_NAMES = {"01N50", "01N51", "01N52"}
CARTESIAN_PRODUCT = "03N90"
# Statements whose two starting points are meant to be unrelated.
MEANT_PRODUCTS = {"paths/fetch_directed_paths", "paths/fetch_undirected_paths"}
# Commands that a Community server doesn't even plan; tests/integration/test_multi.py sends them.
ADMINISTRATION = {
    "tenants/create_database",
    "tenants/create_database_plainly",
    "tenants/drop_database",
    "tenants/drop_database_plainly",
    "tenants/fetch_privileges",
}
# The way of vectors to servers that know Cypher 25; to others they go as lists, by other statements.
FAST_PATHS = {
    "vectors/probe_native",
    "vectors/probe_sent",
    "vectors/set_node_vectors",
    "vectors/set_segment_vectors",
}
MODES = {"r": "read", "rw": "write", "w": "write", "s": "write"}


@pytest.fixture(scope="module")
async def seeded(connected: Database, cypher: Cypher) -> Database:
    """A database that knows every label, relationship type and property that statements speak of."""
    await cypher.clear()
    await cypher(
        "MERGE (d:Document:Folder:Segment:Mention:Unresolved:Node:Merge:MergeState:Origin:Job:JobFile:Import:"
        "VectorState:Tenant:Quota "
        "{tenant_id: '', database: '', generation: 0, display_name: '', state: '', source_doc_id: '', segment_id: '', "
        "mention_id: '', folder_id: '', node_id: '', edge_id: '', content_hash: '', facts_hash: '', status: '', "
        "reason: '', path: '', prefix: '', snapshot: '', summary: '', name: 'seed', name_key: '', kind: '', "
        "description: '', aliases: [''], exposed: [''], line_start: 1, line_end: 1, signature: '', nodes: 1, "
        "edges: 1, mentions: 1, source: '', target: '', relation: '', provenance: '', confidence: 1.0, count: 1, "
        "label: '', text: '', char_start: 0, char_end: 0, evidence_span: '', verified: true, modality: '', "
        "version: 0, checksum: '', taken_at: datetime(), ingested_at: datetime(), "
        "root: '', parent: '', merge_id: '', into: '', merged: [''], at: datetime(), undone: false, epoch: 0, "
        "active: 0, origin_node: '', origin_edge: '', origin_source: '', origin_target: '', explicit: true, "
        "locked: true, job_id: '', lane: '', params: '', owner: '', error: '', run: 0, crashes: 0, "
        "cancel_requested: false, eta_s: 0.0, files_total: 0, files_done: 0, files_skipped: 0, files_failed: 0, "
        "created_at: datetime(), "
        "started_at: datetime(), finished_at: datetime(), heartbeat_at: datetime(), "
        "name_terms: '', text_terms: '', line: 1, ordinal: 0, ts_start: 0.0, ts_end: 0.0, language: '', "
        "model: '', dimension: 0, similarity: '', storage: '', ready: true, embedding: [1.0], embedding_of: '', "
        "file: '', sha256: '', position: 0, made_by: [], "
        "char_offset: 0, page: 1, heading: '', states: true, stated_kind: '', weight: 1, term: '', valid_from: '', "
        "valid_to: '', wording: '', derived: '', text_bytes: 0, documents: 1, bytes: 1, jobs: 1})"
    )
    for link in ("HAS_FILE", "HAS_SEGMENT", "HAS_MENTION", "HAS_UNRESOLVED", "OF", "ORIGIN", *RELATION_TYPES.values()):
        await cypher(
            "MATCH (d:Document) CREATE (d)-[r:$($type)]->(d) "
            "SET r.edge_id = '', r.relation = '', r.provenance = '', r.confidence = 1.0, r.derived = ''",
            type=link,
        )
    for label in KIND_LABELS.values():
        await cypher("MATCH (d:Document) SET d:$($label)", label=label)
    yield connected
    await cypher.clear()


async def test_the_plan_tells_what_is_wrong(seeded: Database) -> None:
    _, _, notes = await seeded.plan("MATCH (a:Nod {x: $missing}), (b:Segment) RETURN a.y, b.text", {})

    assert {MISSING_PARAMETER, "01N50", "01N52", CARTESIAN_PRODUCT} <= {status for status, _ in notes}


def test_there_are_statements() -> None:
    assert len(statement_names()) > 30


@pytest.mark.parametrize("name", statement_names())
async def test_statement_keeps_its_header(seeded: Database, name: str) -> None:
    header = read_header(name)
    if name in ADMINISTRATION:
        with pytest.raises(DatabaseFailed, match="UnsupportedAdministrationCommand"):
            await seeded.plan(load_text(name), {"name": "x"})
        return
    if name in FAST_PATHS and not await _knows_cypher_25(seeded):
        pytest.skip("no Cypher 25 on this server")

    columns, query_type, notes = await seeded.plan(load_text(name), dict.fromkeys(header.params))

    assert tuple(columns) == header.returns
    assert MODES[query_type] == header.mode
    faults = {(status, text) for status, text in notes if status in {MISSING_PARAMETER, *UNKNOWN_NAMES}}
    assert not faults
    if name not in MEANT_PRODUCTS:
        assert CARTESIAN_PRODUCT not in {status for status, _ in notes}


async def _knows_cypher_25(database: Database) -> bool:
    try:
        await database.plan("CYPHER 25 RETURN 1", {})
    except DatabaseFailed:
        return False
    return True


def test_no_other_statement_asks_for_a_version_of_cypher() -> None:
    assert {name for name in statement_names() if load_text(name).startswith("CYPHER")} == FAST_PATHS


@pytest.mark.parametrize("name", statement_names())
def test_header_names_each_parameter_of_the_text(name: str) -> None:
    import re

    text = load_text(name)
    used = set(re.findall(r"\$([a-z_][a-z0-9_]*)", text))
    assert used == set(read_header(name).params)


def test_no_statement_is_left_without_a_loader() -> None:
    sources = "".join(path.read_text() for path in CYPHER_ROOT.parent.glob("graph/**/*.py"))
    assert [name for name in statement_names() if f'"{name}"' not in sources] == []
