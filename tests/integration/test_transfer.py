"""`cogniverse export` and `import` as their users meet them."""

import asyncio
import json
import os
import signal
import subprocess
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from graph.answers import ExportFormat
from graph.database import Database
from graph.exports import write_export
from graph.fingerprint import get_graph_hash
from graph.store import upsert_documents
from tests.builders import document
from tests.integration.test_cli import PROGRAM, ROOT
from tests.raw import Cypher

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif("NEO4J_TEST_URI" in os.environ, reason="the program's own process works on the embedded server"),
]

DOCUMENTS = 4_000


async def run(env: dict[str, str], *arguments: str, given: bytes | None = None) -> "subprocess.CompletedProcess[bytes]":
    command = [*PROGRAM, *arguments]
    return await asyncio.to_thread(
        subprocess.run, command, env=env, cwd=ROOT, capture_output=True, input=given, check=False, timeout=240
    )


async def fill(database: Database, count: int) -> None:
    facts = [(f"Thing {number}", "part_of", "The Whole") for number in range(count)]
    await upsert_documents(database, [document(f"{fact[0]}.txt", fact) for fact in facts])


async def test_a_graph_goes_out_and_in_through_pipes(
    database: Database, cypher: Cypher, cli_env: dict[str, str]
) -> None:
    await fill(database, 20)
    graph_hash = await get_graph_hash(database)
    exported = await run(cli_env, "export", "-o", "-")
    await cypher.clear()

    imported = await run(cli_env, "import", "-", "--json", given=exported.stdout)

    assert (exported.returncode, imported.returncode) == (0, 0), exported.stderr + imported.stderr
    assert json.loads(imported.stdout)["hash"] == graph_hash == await get_graph_hash(database)


async def test_a_file_that_is_there_is_replaced_only_by_force(
    database: Database, cli_env: dict[str, str], tmp_path: Path
) -> None:
    await fill(database, 3)
    file = tmp_path / "graph.graphml"
    await asyncio.to_thread(file.write_text, "mine")

    kept = await run(cli_env, "export", "--format", "graphml", "-o", str(file))
    assert (kept.returncode, await asyncio.to_thread(file.read_text)) == (1, "mine")
    assert b"--force" in kept.stderr
    replaced = await run(cli_env, "export", "--format", "graphml", "-o", str(file), "--force", "--json")

    assert replaced.returncode == 0, replaced.stderr
    summary = json.loads(replaced.stdout)
    assert (summary["documents"], summary["nodes"], summary["edges"]) == (3, 4, 3)
    assert summary["hash"] == await get_graph_hash(database)
    assert summary["bytes"] == file.stat().st_size
    refused = await run(cli_env, "import", str(file))
    assert refused.returncode == 2
    assert b"Gephi" in refused.stderr


async def test_an_export_that_was_stopped_leaves_no_file(
    database: Database, cli_env: dict[str, str], tmp_path: Path
) -> None:
    await fill(database, DOCUMENTS)
    for place in map(tmp_path.joinpath, "abcde"):  # one may end before it is stopped
        place.mkdir()
        process = await asyncio.to_thread(start, cli_env, "export", "-o", str(place / "graph.jsonl"))
        async for name in names_in(place):
            if name.endswith(".part.jsonl") or process.poll() is not None:
                process.send_signal(signal.SIGINT)
                break
        if await asyncio.to_thread(process.wait, 120) == 130:
            assert await asyncio.to_thread(os.listdir, place) == []
            return
    raise AssertionError("no export could be stopped")


async def test_an_import_that_was_killed_goes_on(
    database: Database, cypher: Cypher, cli_env: dict[str, str], tmp_path: Path
) -> None:
    await fill(database, DOCUMENTS)
    file = tmp_path / "graph.jsonl"
    graph_hash = (await write_export(database, ExportFormat.JSON, file)).hash
    await cypher.clear()

    process = await asyncio.to_thread(start, cli_env, "import", str(file))
    try:
        while not await cypher("MATCH (i:Import) WHERE i.position > 0 RETURN i.position AS position"):
            assert process.poll() is None, "it ended before it could be killed"
            await asyncio.sleep(0.02)
    finally:
        process.kill()
        await asyncio.to_thread(process.wait)

    refused = await run(cli_env, "graph", "stats")
    assert refused.returncode == 1
    assert b"is not finished" in refused.stderr
    done = await run(cli_env, "import", str(file), "--json")
    assert done.returncode == 0, done.stderr
    summary = json.loads(done.stdout)
    assert summary["hash"] == graph_hash == await get_graph_hash(database)
    assert summary["resumed_from"] > 0


def start(env: dict[str, str], *arguments: str) -> "subprocess.Popen[bytes]":
    # Whoever runs tests in the background of a shell has SIGINT ignored, and with it all that they start.
    return subprocess.Popen(
        [*PROGRAM, *arguments],
        env=env,
        cwd=ROOT,
        stderr=subprocess.DEVNULL,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # noqa: PLW1509 - it only sets a flag
    )


async def names_in(folder: Path) -> AsyncIterator[str]:
    """The name of the one file in a folder, empty while there is none, again and again."""
    while True:
        yield next((path.name for path in await asyncio.to_thread(lambda: list(folder.iterdir()))), "")
        await asyncio.sleep(0.01)
