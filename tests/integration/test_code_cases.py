"""Cases of code through the whole pipeline, asked as a user would."""

from pathlib import Path

import pytest

from extraction.pipeline import IndexOptions, index_folder
from graph.answers import Direction
from graph.answers import Path as FoundPath
from graph.database import Database
from graph.errors import AmbiguousName
from graph.lookup import get_node
from graph.neighbors import fetch_neighbors
from graph.paths import find_path
from graph.unused import fetch_unused
from tests.raw import Cypher

FIXTURES = Path(__file__).parent.parent / "fixtures" / "code"


async def index(database: Database, name: str) -> None:
    [root] = FIXTURES.glob(f"{name}_*")
    await index_folder(database, root, options=IndexOptions(workers=1))


async def test_same_names_are_told_apart(database: Database, cypher: Cypher) -> None:
    await index(database, "a1")

    calls = await cypher("MATCH (s:Node)-[:CALLS]->(t:Node) RETURN s.node_id AS s, t.node_id AS t")
    assert {(row["s"].split("::")[0], row["t"]) for row in calls} == {
        ("main.py", "a/util.py::run"),
        ("main.py", "b/util.py::run"),
        ("main.py", "main.py::save"),
    }
    [row] = await cypher("MATCH (n:Function) RETURN count(*) AS functions")
    assert row["functions"] == 5
    with pytest.raises(AmbiguousName) as caught:
        await get_node(database, "run")
    assert [candidate.node_id for candidate in caught.value.candidates] == ["a/util.py::run", "b/util.py::run"]
    assert (await get_node(database, "b/util.py::run")).node_id == "b/util.py::run"


async def test_what_calls_a_function_is_found_with_its_line(database: Database) -> None:
    await index(database, "a1")

    around = await fetch_neighbors(database, "a/util.py::run", direction=Direction.INCOMING, relations=["calls"])

    [caller] = around.incoming
    assert (caller.edge.path, caller.edge.evidence_span) == ("main.py", "run_a()")


async def test_a_path_goes_through_a_re_export(database: Database) -> None:
    await index(database, "a2")

    path = await find_path(database, "user.py", "pkg/_impl.py::f", relations=["calls"])

    assert isinstance(path, FoundPath)
    assert path.edges[-1].target == "pkg/_impl.py::f"


async def test_only_the_unused_function_is_listed(database: Database) -> None:
    await index(database, "a9")

    assert [view.name for view in await fetch_unused(database)] == ["unused"]
