"""Random requests made from the schemas, for a bounded time: every answer is an answer, and no fault is logged."""

import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from api.auth.access import Role
from api.auth.keys import KeyStore
from graph.database import Database
from graph.store import upsert_documents
from tests.api.conftest import TENANT, Api
from tests.builders import document

BUDGET_S = 25
ROOT = Path(__file__).parents[2]


pytestmark = pytest.mark.slow


@pytest.fixture
def outside(api: Api, cli_env: dict[str, str], tmp_path: Path) -> Iterator[tuple[str, str, Path]]:
    """A server in a process of its own, a writer's key, and the server's log."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    kept = api.services.settings.data_dir / "keys.json"
    key, _ = KeyStore(kept.parent).create(tenants=(TENANT,), role=Role.WRITER, name="fuzzing", expires_at=None)
    log = tmp_path / "log.jsonl"
    command = [sys.executable, "-m", "api.cli.app", "serve", "--port", str(port)]
    with log.open("wb") as stderr:
        server = subprocess.Popen(command, env=cli_env | {"COGNIVERSE_LOG_LEVEL": "INFO"}, stderr=stderr)
    url = f"http://127.0.0.1:{port}"
    try:
        deadline = time.monotonic() + 60
        while True:
            try:
                httpx.get(f"{url}/health/live").raise_for_status()
                break
            except httpx.HTTPError:
                assert server.poll() is None, log.read_text()
                assert time.monotonic() < deadline
                time.sleep(0.2)
        yield url, key, log
    finally:
        server.terminate()
        server.wait(60)
        kept.unlink()


def fuzz(url: str, key: str, schema: str, tmp_path: Path) -> dict:
    report = tmp_path / "report.json"
    done = subprocess.run(
        [
            *(str(Path(sys.executable).parent / "schemathesis"), "run", f"{url}/{schema}"),
            *("--checks", "no_fault", "--max-time", str(BUDGET_S), "--seed", "7"),
            *("--header", f"Authorization: Bearer {key}", "--request-timeout", "40", "--no-shrink"),
            *("--report", "json", "--report-json-path", str(report), "--generation-database", "none"),
        ],
        cwd=tmp_path,
        env=os.environ | {"SCHEMATHESIS_HOOKS": "tests.api.fuzzing_hooks", "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]
    return json.loads(report.read_text())


@pytest.mark.parametrize("schema", ["openapi.json", "graphql"])
async def test_random_requests_meet_no_fault(
    outside: tuple[str, str, Path], graph: Database, tmp_path: Path, schema: str
) -> None:
    url, key, log = outside
    await upsert_documents(graph, [document("a.txt", ("Marie Curie", "discovered", "Radium"))])

    fuzz(url, key, schema, tmp_path)

    lines = [json.loads(line) for line in log.read_text().splitlines() if line.startswith("{")]
    answered = [line for line in lines if line.get("status")]
    assert [line for line in lines if "fault_id" in line] == []
    assert len(answered) > 50
