"""Tenants can't see each other: every field of the schema is asked of one tenant while another has the same names.

What only the other tenant has bears the word `zebra`. A new field fails `test_every_field_is_asked` until a query here
asks for it.
"""

import json
import re

import pytest
import pytest_asyncio
from graphql import GraphQLObjectType, TypeInfo, TypeInfoVisitor, Visitor, build_schema, get_named_type, parse, visit

from api.auth.access import Role
from api.auth.keys import KeyStore
from api.config import Settings
from api.graphql.schema import print_sdl
from graph.assertions import EdgeAssertion, NodeAssertion, upsert_graph
from graph.database import Database
from graph.fingerprint import get_graph_hash
from graph.jobs import create_job, make_job_id
from graph.listing import fetch_edge_page
from graph.lookup import get_node
from graph.store import upsert_documents
from tests.api.conftest import OTHER, TENANT, Api, serving
from tests.builders import document

SECRET = "zebra"
SCHEMA = build_schema(print_sdl(Settings()))

NODE = "id name kind description aliases location { path lineStart lineEnd signature } degree"
DOCUMENT = "id path modality status reason contentHash ingestedAt nodeCount edgeCount"
EDGE = f"id relation provenance confidence evidenceSpan source {{ {NODE} }} target {{ {NODE} }}"
SEGMENT = f"id label text modality tsStart tsEnd page heading document {{ {DOCUMENT} }}"
MENTION = f"id modality tsStart tsEnd charStart charEnd evidenceSpan verified kind term validFrom validTo wording description document {{ {DOCUMENT} }} segment {{ {SEGMENT} }}"
PAGE = "totalCount pageInfo { hasNextPage hasPreviousPage startCursor endCursor }"
PROBLEM = f"... on Problem {{ code message field candidates {{ {NODE} }} }}"
JOB = (
    "id status filesTotal filesDone filesSkipped filesFailed startedAt finishedAt etaSeconds error "
    "files(first: 5) { path status reason }"
)
TENANT_FIELDS = "id displayName state createdAt"


def page(selection: str) -> str:
    return f"nodes {{ {selection} }} edges {{ cursor node {{ id }} }} {PAGE}"


# On the first tenant alone, in its own words.
QUERIES = {
    "tenant": f"tenant(id: $t) {{ {TENANT_FIELDS} stats {{ nodes edges mentions documents nodesByKind {{ kind count }}"
    f" edgesByRelation {{ relation count }} topNodes {{ score node {{ {NODE} }} }} }} }}",
    "quota": "tenant(id: $t) { quota { documents { limit used } nodes { limit used } bytes { limit used }"
    " jobs { limit used } } }",
    "tenants": f"tenants {{ nodes {{ {TENANT_FIELDS} }} edges {{ cursor node {{ id }} }} {PAGE} }}",
    "node": f'tenant(id: $t) {{ node(id: "Marie Curie") {{ {NODE} mentions {{ {page(MENTION)} }} edges {{ {page(EDGE)} }}'
    f" neighbors {{ {NODE} }} documents {{ {DOCUMENT} }} community {{ id label size topNodes {{ score node {{ {NODE} }} }}"
    f" members {{ {page(NODE)} }} }} }} }}",
    "nodesByName": f'tenant(id: $t) {{ nodesByName(name: "marie curie") {{ {NODE} }} }}',
    "nodes": f"tenant(id: $t) {{ nodes {{ {page(NODE)} }} }}",
    "edges": f"tenant(id: $t) {{ edges {{ {page(EDGE)} nodes {{ mentions {{ {page('id')} }} }} }} }}",
    "edge": f"tenant(id: $t) {{ edges {{ nodes {{ id }} }} edge(id: $edge) {{ {EDGE} }} }}",
    "document": f'tenant(id: $t) {{ document(id: "a.txt") {{ {DOCUMENT} segments(first: 3) {{ {page(SEGMENT)} nodes {{'
    f" entities(first: 9) {{ {NODE} }} relations(first: 9) {{ {EDGE} }} claims(first: 9) {{ {EDGE} }} }} }} }} }}",
    "documents": f"tenant(id: $t) {{ documents {{ {page(DOCUMENT)} }} }}",
    "search": f'tenant(id: $t) {{ search(query: "curie zebra") {{ truncated degraded {{ part reason }} hits {{ score textRank'
    f" textScore vectorRank vectorScore exactName node {{ {NODE} }} }} }} }}",
    "searchSegments": f'tenant(id: $t) {{ searchSegments(query: "discovered zebra") {{ truncated degraded {{ part reason }}'
    f" hits {{ score textRank vectorRank segment {{ {SEGMENT} }} }} }} }}",
    "neighbors": f'tenant(id: $t) {{ neighbors(node: "Marie Curie", depth: 3) {{ ... on Neighborhood {{ truncated center'
    f" {{ {NODE} }} outgoing {{ distance edge {{ {EDGE} }} node {{ {NODE} }} }} incoming {{ distance edge {{ {EDGE} }}"
    f" node {{ {NODE} }} }} }} {PROBLEM} }} }}",
    "path": f'tenant(id: $t) {{ path(from: "Marie Curie", to: "Radium") {{ ... on Path {{ length nodes {{ {NODE} }} edges'
    f" {{ {EDGE} }} }} ... on NoPath {{ reason searchedDepth }} {PROBLEM} }} }}",
    "noPath": f'tenant(id: $t) {{ path(from: "Radium", to: "Polonium") {{ ... on NoPath {{ reason searchedDepth }} {PROBLEM} }} }}',
    "hubs": f"tenant(id: $t) {{ hubs {{ by computedAt nodes {{ score node {{ {NODE} }} }} }} }}",
    "communities": f"tenant(id: $t) {{ communities {{ {page(f'id label size topNodes {{ score node {{ {NODE} }} }}')} }} }}",
    "duplicates": f"tenant(id: $t) {{ duplicates(minScore: 0.01) {{ pairs {{ a {{ {NODE} }} b {{ {NODE} }} score reasons }}"
    f" truncated degraded {{ part reason }} }} }}",
    "jobs": f"tenant(id: $t) {{ jobs {{ {page(JOB)} }} job(id: $job) {{ {JOB} }} }}",
    "export": "tenant(id: $t) { export(format: JSON) { url format hash expiresAt } }",
    "federatedSearch": f'federatedSearch(tenants: [$t], query: "curie") {{ degraded {{ part reason }} hits {{ tenant'
    f" {{ {TENANT_FIELDS} }} hit {{ score node {{ {NODE} }} }} }} }}",
    "compareTenants": 'compareTenants(tenants: [$t], name: "Marie Curie") { name'
    + "".join(f" {part} {{ tenants edge {{ {EDGE} }} }}" for part in ("shared", "onlyIn", "conflicting"))
    + " }",
    "health": "health { status version neo4j gds backend checks { name ok detail } }",
}
MUTATIONS = {
    "createTenant": f"createTenant(input: {{id: $t}}) {{ ... on Tenant {{ id }} {PROBLEM} }}",
    "deleteTenant": f"deleteTenant(id: $t, confirm: $t) {{ ... on Tenant {{ id }} {PROBLEM} }}",
    "setTenantQuota": f"setTenantQuota(input: {{tenant: $t, documents: 7}}) {{ ... on Tenant {{ id }} {PROBLEM} }}",
    "ingestFile": f'ingestFile(input: {{tenant: $t, text: "x = 1", name: "b.py"}}) {{ ... on IngestReport {{ graphNodes'
    f" graphEdges mentions segments unchanged elapsedSeconds degraded {{ part reason }} dropped {{ what reason count }}"
    f" document {{ {DOCUMENT} }} }} ... on Job {{ {JOB} }} {PROBLEM} }}",
    "ingestFolder": f'ingestFolder(input: {{tenant: $t, path: "nowhere"}}) {{ ... on Job {{ {JOB} }} {PROBLEM} }}',
    "upsertGraph": f'upsertGraph(input: {{tenant: $t, sourceDocId: "mine", nodes: [{{name: "Marie Curie"}}]}}) {{'
    f" ... on UpsertReport {{ nodesUpserted edgesUpserted document {{ {DOCUMENT} }} }} {PROBLEM} }}",
    "deleteDocument": f"deleteDocument(tenant: $t, id: $document) {{ ... on DeleteReport {{ id nodesRemoved edgesRemoved"
    f" mentionsRemoved }} {PROBLEM} }}",
    "mergeNodes": f'mergeNodes(tenant: $t, into: "Marie Curie", nodes: [$node]) {{ ... on MergeRecord {{ id merged at undone'
    f" into {{ {NODE} }} }} {PROBLEM} }}",
    "undoMerge": f"undoMerge(tenant: $t, id: $merge) {{ ... on MergeRecord {{ id merged at undone into {{ {NODE} }} }} {PROBLEM} }}",
    "cancelJob": f"cancelJob(tenant: $t, id: $job) {{ ... on Job {{ {JOB} }} {PROBLEM} }}",
}
SUBSCRIPTIONS = {
    "jobProgress": f"jobProgress(tenant: $t, job: $job) {{ job {{ {JOB} }} file {{ path status reason }} }}",
}
VARIABLES = ("t", "edge", "job", "document", "node", "merge")


def operation(kind: str, selection: str) -> str:
    declared = ", ".join(f"${name}: ID!" for name in VARIABLES if re.search(rf"\${name}\b", selection))
    return f"{kind}({declared}) {{ {selection} }}" if declared else f"{kind} {{ {selection} }}"


def all_operations() -> list[str]:
    return [
        *(operation("query", one) for one in QUERIES.values()),
        *(operation("mutation", one) for one in MUTATIONS.values()),
        *(operation("subscription", one) for one in SUBSCRIPTIONS.values()),
    ]


class Fields(Visitor):
    """Notes each field that is visited."""

    def __init__(self, info: TypeInfo, asked: set[str]) -> None:
        super().__init__()
        self._info, self._asked = info, asked

    def enter_field(self, node, *_):
        self._asked.add(f"{get_named_type(self._info.get_parent_type()).name}.{node.name.value}")


def test_every_field_is_asked() -> None:
    asked: set[str] = set()

    for text in all_operations():
        info = TypeInfo(SCHEMA)

        visit(parse(text), TypeInfoVisitor(info, Fields(info, asked)))

    every = {
        f"{one.name}.{field}"
        for one in SCHEMA.type_map.values()
        if isinstance(one, GraphQLObjectType) and not one.name.startswith("__")
        for field in one.fields
    }
    assert every - asked == set()


FACTS = [("Marie Curie", "discovered", "Radium"), ("Marie Curie", "born_in", "Warsaw")]


@pytest_asyncio.fixture
async def both(graph: Database, other: Database) -> dict[str, str]:
    """Both tenants filled with the same names; the ids that only the other one has."""
    await upsert_documents(graph, [document("a.txt", *FACTS, alone=("Polonium",))])
    await upsert_documents(
        other, [document("a.txt", *FACTS), document("zebra.txt", ("Marie Curie", "won", "Zebra Prize"))]
    )
    await upsert_graph(
        other,
        "zebra/asserted",
        [NodeAssertion("Radium", "substance", "a zebra thing", ("zebra dust",))],
        [EdgeAssertion("Zebra Prize", "Radium", "contains")],
    )
    edges = await fetch_edge_page(other, first=100)
    (won,) = [one.edge.edge_id for one in edges.items if one.edge.relation == "won"]
    job = await create_job(other, job_id=make_job_id(), kind="folder", lane="zebra", params='{"path": "zebra"}')
    return {
        "edge": won,
        "job": job.job_id,
        "document": "zebra.txt",
        "node": (await get_node(other, "Zebra Prize")).node_id,
        "merge": "0" * 16,
    }


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def limited(api_settings: Settings, running: Api):
    """A server with keys, and clients whose keys see the first tenant alone."""
    kept = api_settings.data_dir / "keys.json"
    kept.unlink(missing_ok=True)
    store = KeyStore(api_settings.data_dir)
    keys = {role: store.create(tenants=(TENANT,), role=role, name="", expires_at=None)[0] for role in Role}
    async with serving(api_settings) as api:
        api.keys = keys
        api.client.headers["Authorization"] = f"Bearer {keys[Role.ADMIN]}"
        yield api
    kept.unlink()


@pytest.mark.parametrize("name", QUERIES)
async def test_nothing_of_the_other_tenant_is_in_an_answer(limited: Api, both: dict[str, str], name: str) -> None:
    text = operation("query", QUERIES[name])
    answer = await limited.post(text, {"t": TENANT} | both)

    assert "errors" not in answer
    assert SECRET not in json.dumps(answer).lower()
    assert OTHER not in [one["id"] for one in (answer["data"].get("tenants") or {"nodes": []})["nodes"]]


@pytest.mark.parametrize("name", [name for name in QUERIES if "$t" in QUERIES[name]])
async def test_the_other_tenant_looks_like_none(limited: Api, both: dict[str, str], name: str) -> None:
    text = operation("query", QUERIES[name])
    theirs = json.dumps(await limited.post(text, {"t": OTHER} | both))
    nobodys = json.dumps(await limited.post(text, {"t": "nobody"} | both))

    assert theirs.replace(OTHER, "nobody") == nobodys


@pytest.mark.parametrize("name", [name for name in MUTATIONS if name != "createTenant"])
async def test_the_other_tenant_can_t_be_changed(
    limited: Api, both: dict[str, str], other: Database, name: str
) -> None:
    before = await get_graph_hash(other)
    text = operation("mutation", MUTATIONS[name])
    theirs = json.dumps(await limited.post(text, {"t": OTHER} | both))
    nobodys = json.dumps(await limited.post(text, {"t": "nobody"} | both))

    assert theirs.replace(OTHER, "nobody") == nobodys
    assert '"NOT_FOUND"' in theirs
    assert await get_graph_hash(other) == before


async def test_a_tenant_of_somebody_else_can_t_be_made(limited: Api, both: dict[str, str]) -> None:
    text = operation("mutation", MUTATIONS["createTenant"])
    theirs = json.dumps(await limited.post(text, {"t": OTHER}))
    assert theirs.replace(OTHER, "nobody") == json.dumps(await limited.post(text, {"t": "nobody"}))


@pytest.mark.parametrize("name", ["deleteDocument", "mergeNodes", "undoMerge", "cancelJob"])
async def test_ids_of_the_other_tenant_are_unknown_in_this_one(
    limited: Api, both: dict[str, str], graph: Database, other: Database, name: str
) -> None:
    before = await get_graph_hash(graph), await get_graph_hash(other)
    answer = await limited.post(operation("mutation", MUTATIONS[name]), {"t": TENANT} | both)

    assert answer["data"][name]["code"] == "NOT_FOUND"
    assert (await get_graph_hash(graph), await get_graph_hash(other)) == before


async def test_a_federated_search_names_the_other_like_an_unknown_one(limited: Api, both: dict[str, str]) -> None:
    text = 'query($ids: [ID!]!) { federatedSearch(tenants: $ids, query: "zebra") { degraded { part reason } hits { hit { score } } } }'
    theirs = json.dumps(await limited.post(text, {"ids": [TENANT, OTHER]}))
    assert theirs.replace(OTHER, "nobody") == json.dumps(await limited.post(text, {"ids": [TENANT, "nobody"]}))


REST = [
    "/graph/search?q=curie",
    "/graph/neighbors?node=marie curie",
    "/graph/path?from=marie curie&to=radium",
    "/graph/stats?",
]


@pytest.mark.parametrize("path", REST)
async def test_rest_shows_nothing_of_the_other_tenant(limited: Api, both: dict[str, str], path: str) -> None:
    own = await limited.client.get(f"{path}&tenant={TENANT}")
    theirs = await limited.client.get(f"{path}&tenant={OTHER}")
    nobodys = await limited.client.get(f"{path}&tenant=nobody")

    assert own.status_code == 200
    assert SECRET not in own.text.lower()
    assert (theirs.status_code, theirs.text.replace(OTHER, "nobody")) == (404, nobodys.text)
