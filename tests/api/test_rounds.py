"""No N+1: the number of statements that a query sends does not depend on how much it returns."""

from graph.database import Database
from graph.store import upsert_documents
from tests.api.conftest import Api
from tests.builders import document

FACTS = [(f"person {n:03}", "wrote", f"book {n:03}") for n in range(50)]

NESTED = """
nodes(first: 100) { nodes {
  id name kind
  mentions(first: 10) { nodes { evidenceSpan verified document { path } segment { label } } }
  documents(first: 5) { path status }
  edges(first: 10) { nodes { relation source { name } target { name } evidenceSpan } }
} }
"""


async def fill(graph: Database) -> None:
    await upsert_documents(graph, [document("a.txt", *FACTS), document("b.txt", *FACTS[:10])])


async def test_a_hundred_nodes_with_mentions_documents_and_edges_take_three(api: Api, graph: Database) -> None:
    await fill(graph)
    api.statements.names.clear()

    found = await api.tenant(NESTED)

    nodes = found["nodes"]["nodes"]
    assert len(nodes) == 100
    assert all(node["mentions"]["nodes"] and node["documents"] and node["edges"]["nodes"] for node in nodes)
    assert len(api.statements.names) <= 3, api.statements.names


async def test_segment_texts_take_one_more(api: Api, graph: Database) -> None:
    await fill(graph)
    api.statements.names.clear()

    await api.tenant("nodes(first: 100) { nodes { mentions(first: 3) { nodes { segment { text } } } } }")

    assert len(api.statements.names) <= 3, api.statements.names


async def test_totals_are_counted_only_when_asked(api: Api, graph: Database) -> None:
    await fill(graph)
    api.statements.names.clear()

    found = await api.tenant("nodes(first: 2) { nodes { edges(first: 1) { totalCount } } }")

    assert [node["edges"]["totalCount"] for node in found["nodes"]["nodes"]] == [1, 1]
    assert len(api.statements.names) <= 3, api.statements.names


async def test_degrees_and_neighbors_are_one_each(api: Api, graph: Database) -> None:
    await fill(graph)
    api.statements.names.clear()

    await api.tenant("nodes(first: 100) { nodes { degree neighbors(first: 3) { name } } }")

    assert len(api.statements.names) == 3, api.statements.names
