"""Hubs by PageRank and betweenness against plain computations of them, and the version of a graph."""

import asyncio
from collections import deque

import pytest

from graph.analytics import MAX_BETWEENNESS_STEPS, fetch_hubs
from graph.answers import Centrality
from graph.database import Database, deadline
from graph.errors import CogniverseError
from graph.store import upsert_documents
from graph.version import get_graph_version
from tests.builders import document
from tests.raw import Cypher

EDGES = [("a", "b"), ("b", "c"), ("c", "d"), ("d", "b"), ("d", "e"), ("e", "f"), ("g", "c"), ("h", "c"), ("f", "f")]
FACTS = [(source, "references", target) for source, target in EDGES]


def betweenness(edges: list[tuple[str, str]]) -> dict[str, float]:
    """Brandes, undirected, each pair once."""
    around: dict[str, set[str]] = {}
    for source, target in edges:
        around.setdefault(source, set()).add(target)
        around.setdefault(target, set()).add(source)
    scores = dict.fromkeys(around, 0.0)
    for start in around:
        distance, paths, before = {start: 0}, {start: 1.0}, {node: [] for node in around}
        order, queue = [], deque([start])
        while queue:
            node = queue.popleft()
            order.append(node)
            for other in around[node] - {node}:
                if other not in distance:
                    distance[other] = distance[node] + 1
                    queue.append(other)
                if distance[other] == distance[node] + 1:
                    paths[other] = paths.get(other, 0.0) + paths[node]
                    before[other].append(node)
        shares = dict.fromkeys(around, 0.0)
        for node in reversed(order):
            for earlier in before[node]:
                shares[earlier] += paths[earlier] / paths[node] * (1 + shares[node])
            if node != start:
                scores[node] += shares[node] / 2
    return scores


def pagerank(edges: list[tuple[str, str]]) -> dict[str, float]:
    kept = [(source, target) for source, target in edges if source != target]
    nodes = {end for edge in kept for end in edge}
    degree = {node: sum(1 for source, _ in kept if source == node) for node in nodes}
    scores = dict.fromkeys(nodes, 0.15)
    for _ in range(200):
        scores = {
            node: 0.15 + 0.85 * sum(scores[source] / degree[source] for source, target in kept if target == node)
            for node in nodes
        }
    return scores


async def ranking(database: Database, by: Centrality, limit: int = 10) -> list[tuple[str, float]]:
    return [(hub.node.node_id, hub.score) for hub in (await fetch_hubs(database, by=by, limit=limit)).nodes]


def best_first(scores: dict[str, float]) -> list[tuple[str, float]]:
    return sorted(((node, round(score, 5)) for node, score in scores.items()), key=lambda pair: (-pair[1], pair[0]))


async def test_pagerank_is_pagerank(database: Database) -> None:
    await upsert_documents(database, [document("d", *FACTS)])

    found = await ranking(database, Centrality.PAGERANK)

    assert [(node, round(score, 5)) for node, score in found] == best_first(pagerank(EDGES))
    assert found == await ranking(database, Centrality.PAGERANK)


async def test_betweenness_is_betweenness(database: Database) -> None:
    await upsert_documents(database, [document("d", *FACTS)])

    found = await ranking(database, Centrality.BETWEENNESS)

    expected = [(node, score) for node, score in best_first(betweenness(EDGES)) if score]
    assert [(node, round(score, 5)) for node, score in found] == expected


async def test_scores_are_of_the_whole_graph_whatever_kinds_are_shown(database: Database) -> None:
    await upsert_documents(
        database, [document("d", *FACTS), document("e", ("a", "references", "p"), alone=("p",), kind="person")]
    )
    every = dict(await ranking(database, Centrality.PAGERANK))

    shown = await fetch_hubs(database, by=Centrality.PAGERANK, kinds=["person"])

    assert {hub.node.kind for hub in shown.nodes} == {"person"}
    assert all(hub.score == every[hub.node.node_id] for hub in shown.nodes)
    assert shown.by == Centrality.PAGERANK
    assert shown.computed_at.tzinfo is not None


async def test_betweenness_of_a_big_graph_is_a_stable_estimate(database: Database, cypher: Cypher) -> None:
    # Two stars, joined by one node: every path from one to the other leads through it and the centres.
    leaves = 1_500
    await cypher(
        "UNWIND ['left', 'right', 'bridge'] AS id CREATE (:Node {node_id: id, name: id, kind: 'entity', "
        "description: '', aliases: []})"
    )
    for side in ("left", "right"):
        await cypher(
            "MATCH (c:Node {node_id: $side}), (b:Node {node_id: 'bridge'}) "
            "CREATE (c)-[:REFERENCES {edge_id: $side}]->(b) "
            "WITH c UNWIND range(1, $leaves) AS n CREATE (l:Node {node_id: $side + n, name: 'x', kind: 'entity', "
            "description: '', aliases: []})-[:REFERENCES {edge_id: toString(n * 7919 % 10007) + $side}]->(c)",
            side=side,
            leaves=leaves,
        )
    nodes = 2 * leaves + 3
    assert nodes * (nodes + 2 * (nodes - 1)) > MAX_BETWEENNESS_STEPS

    found = await ranking(database, Centrality.BETWEENNESS, limit=3)

    assert found == await ranking(database, Centrality.BETWEENNESS, limit=3)
    assert {node for node, _ in found} == {"left", "right", "bridge"}
    exact = {"bridge": (leaves + 1) ** 2, "left": leaves * (leaves - 1) / 2 + leaves * (leaves + 2)}
    exact["right"] = exact["left"]
    assert all(0.6 < score / exact[node] < 1.6 for node, score in found)


@pytest.mark.parametrize("by", list(Centrality))
async def test_no_projection_is_left_behind(database: Database, cypher: Cypher, by: Centrality) -> None:
    assert (await fetch_hubs(database, by=by)).nodes == ()
    await upsert_documents(database, [document("d", *FACTS)])
    await asyncio.gather(*(fetch_hubs(database, by=by) for _ in range(4)))

    async def hurried(timeout_s: float) -> None:
        try:
            async with deadline(timeout_s):
                await fetch_hubs(database, by=by)
        except CogniverseError:
            pass

    for timeout_s in (0.001, 0.01, 0.03, 0.1):
        await hurried(timeout_s)

    # What was given up is dropped by the server in its own time.
    for _ in range(100):
        left = await cypher("CALL gds.graph.list() YIELD graphName RETURN graphName")
        if not left:
            break
        await asyncio.sleep(0.1)
    assert left == []


async def test_the_version_changes_with_writes_and_with_nothing_else(database: Database, cypher: Cypher) -> None:
    await upsert_documents(database, [document("d", *FACTS)])
    first = await get_graph_version(database)
    await fetch_hubs(database)
    await cypher("MATCH (n:Node {node_id: 'nobody'}) DELETE n")
    assert await get_graph_version(database) == first

    seen = {first}
    for text in ("MATCH (n:Node {node_id: 'a'}) SET n.name = 'A'", "MATCH ()-[r:REFERENCES]->() DELETE r"):
        await cypher(text)
        seen.add(await get_graph_version(database))
    await upsert_documents(database, [document("d", *FACTS)])
    seen.add(await get_graph_version(database))

    assert len(seen) == 4
    assert await get_graph_version(database) in seen
