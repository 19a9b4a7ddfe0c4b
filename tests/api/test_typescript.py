"""A front-end's view: types from the schema, and pages merged by Apollo's and urql's caches without adapters."""

import asyncio
import json
import re
import shutil
from pathlib import Path

import pytest

from api.config import Settings
from tests.api.conftest import TENANT, Api
from tests.node import ROOT, copy_project, run_npm

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]

SOURCE = "examples/typescript"
UNION = "union NeighborsResult = Neighborhood | Problem"


@pytest.fixture(scope="module")
def example(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The example with its packages, in a folder of its own beside a copy of the schema."""
    place = tmp_path_factory.mktemp("typescript")
    folder = copy_project(SOURCE, place)
    (place / "api").mkdir()
    shutil.copy(ROOT / "api/schema.graphql", place / "api")
    return folder


def test_the_example_compiles_and_pages_are_merged_as_recorded(example: Path) -> None:
    done = run_npm(example, "run", "check", COGNIVERSE_URL="")

    assert done.returncode == 0, done.stdout
    assert re.search(r"^4 lists of \d+ nodes, merged as recorded lists them$", done.stdout, re.MULTILINE), done.stdout


def test_a_pagination_that_loses_a_node_is_noticed(example: Path) -> None:
    recorded = example / "recorded.json"
    before = recorded.read_text(encoding="utf-8")
    answers = json.loads(before)
    page = next(one["answer"]["data"]["tenant"]["nodes"] for one in answers if one["variables"].get("after"))
    page["edges"].pop()
    recorded.write_text(json.dumps(answers), encoding="utf-8")
    try:
        done = run_npm(example, "run", "pages", COGNIVERSE_URL="")
    finally:
        recorded.write_text(before, encoding="utf-8")

    assert done.returncode != 0
    assert "merged other nodes than the server lists" in done.stdout


def test_a_new_member_of_a_union_does_not_compile_until_it_is_handled(example: Path) -> None:
    schema = example.parents[1] / "api/schema.graphql"
    before = schema.read_text(encoding="utf-8")
    assert before.count(UNION) == 1
    schema.write_text(before.replace(UNION, f"{UNION} | NoPath"), encoding="utf-8")
    try:
        done = run_npm(example, "run", "build")
    finally:
        schema.write_text(before, encoding="utf-8")

    assert done.returncode != 0
    assert re.search(r"main\.ts\(\d+,\d+\): error TS2345: .*NoPath.*'never'", done.stdout), done.stdout


@pytest.mark.parametrize("folder", [SOURCE, "api/pages/bundle"])
def test_lock_files_name_no_server(folder: str) -> None:
    lock = json.loads((ROOT / folder / "package-lock.json").read_text(encoding="utf-8"))

    assert not [name for name, package in lock["packages"].items() if "resolved" in package]
    assert all("integrity" in package for name, package in lock["packages"].items() if name)


async def test_pages_of_a_running_server_are_merged(example: Path, api: Api) -> None:
    nodes = [{"name": f"Node {number}", "kind": "entity"} for number in range(12)]
    upserted = await api.query(
        "mutation($input: UpsertGraphInput!) { upsertGraph(input: $input) { __typename } }",
        input={"tenant": TENANT, "sourceDocId": "pages", "nodes": nodes},
    )
    assert upserted["upsertGraph"]["__typename"] == "UpsertReport"

    done = await asyncio.to_thread(run_npm, example, "run", "check", **_reach(api))

    assert done.returncode == 0, done.stdout
    assert f"4 lists of 12 nodes, merged as {api.base_url}/graphql lists them" in done.stdout


async def test_the_program_ingests_a_file_and_shows_what_is_in_it(example: Path, api: Api, tmp_path: Path) -> None:
    file = tmp_path / "greetings.py"
    file.write_text("def greet():\n    return shout()\n\n\ndef shout():\n    return 1\n", encoding="utf-8")

    done = await asyncio.to_thread(run_npm, example, "start", "--", TENANT, "greet", str(file), **_reach(api))

    assert done.returncode == 0, done.stdout
    assert "greetings.py: 3 nodes" in done.stdout
    assert "greet (function, greetings.py:1)\n  → calls shout (function, greetings.py:5)" in done.stdout


async def test_the_program_follows_the_job_of_a_large_file(
    example: Path, api: Api, api_settings: Settings, tmp_path: Path
) -> None:
    file = tmp_path / "large.py"
    padding = "# a line that says nothing\n" * (api_settings.large_file_bytes // 20)
    file.write_text(f"def greet():\n    return 1\n\n\n{padding}", encoding="utf-8")

    done = await asyncio.to_thread(run_npm, example, "start", "--", TENANT, "greet", str(file), **_reach(api))

    assert done.returncode == 0, done.stdout
    assert "DONE: 1 of 1 files" in done.stdout
    assert "greet (function, large.py:1)" in done.stdout


async def test_the_program_says_what_is_wrong_without_a_trace(example: Path, api: Api) -> None:
    done = await asyncio.to_thread(run_npm, example, "start", "--", "nowhere", "greet", **_reach(api))

    assert done.returncode == 1
    assert done.stdout.splitlines()[-1] == "There is no tenant nowhere, or it isn't yours to see."


def _reach(api: Api) -> dict[str, str]:
    return {"COGNIVERSE_URL": f"{api.base_url}/graphql", "COGNIVERSE_TENANT": TENANT}
