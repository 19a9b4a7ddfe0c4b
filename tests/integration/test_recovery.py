"""An index run that is killed in the middle: nothing half done is seen, and the next run ends in a clean build."""

import asyncio
import signal
import sys
from pathlib import Path

from extraction.pipeline import IndexOptions, index_folder
from graph.backends.base import Endpoint
from graph.database import Database
from graph.fingerprint import get_graph_hash
from graph.stats import get_stats
from tests.crashes import half_written
from tests.raw import Cypher

# Small batches, so that the kill falls between two of them; stdin has the password.
INDEX = """
import asyncio, sys
from pathlib import Path
import extraction.batches
from extraction.pipeline import IndexOptions, index_folder
from extraction.report import Stage
from graph.backends.base import Endpoint
from graph.database import connect

extraction.batches.ROWS_PER_BATCH = 40

def tell(progress):
    if progress.stage is Stage.WRITE:
        print(progress.done, flush=True)

async def main(root, uri, user, database):
    async with connect(Endpoint(uri, user, sys.stdin.readline().strip(), database)) as opened:
        await index_folder(opened, Path(root), options=IndexOptions(workers=1), on_progress=tell)

asyncio.run(main(*sys.argv[1:]))
"""
FILES = 120


async def test_a_killed_run_leaves_whole_documents_and_is_made_good(
    database: Database, endpoint: Endpoint, cypher: Cypher, tmp_path: Path
) -> None:
    for number in range(FILES):
        previous = f"from m{number - 1:03} import f{number - 1}\n" if number else ""
        called = f"f{number - 1}()" if number else "0"
        (tmp_path / f"m{number:03}.py").write_text(f"{previous}\n\ndef f{number}():\n    return {called}\n")

    for kill_after in (10, 45, 80):
        await run_and_kill(endpoint, tmp_path, kill_after)
        stats = await get_stats(database)
        assert 0 < stats.documents < FILES
        assert await half_written(cypher) == []

    report = await index_folder(database, tmp_path, options=IndexOptions(workers=1))
    assert report.files_unchanged > 0
    assert report.files_indexed + report.files_unchanged == FILES
    resumed = await get_graph_hash(database)
    await cypher.clear()
    await index_folder(database, tmp_path, options=IndexOptions(workers=1))
    assert await get_graph_hash(database) == resumed


async def run_and_kill(endpoint: Endpoint, root: Path, kill_after: int) -> None:
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        *("-c", INDEX, str(root), endpoint.uri, endpoint.user, endpoint.database),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        cwd=Path(__file__).parent.parent.parent,
    )
    assert process.stdin
    assert process.stdout
    process.stdin.write(f"{endpoint.password}\n".encode())
    await process.stdin.drain()
    async for line in process.stdout:
        if int(line) >= kill_after:
            break
    process.kill()
    assert await process.wait() == -signal.SIGKILL
