"""`cogniverse tenant` as its users call it."""

import json
import os
import pty
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from graph.database import Database
from graph.quotas import Quota, get_quota, get_usage
from graph.store import upsert_documents
from graph.tenants import directory_name, parse_tenant
from tests.builders import document
from tests.conftest import TENANT

pytestmark = pytest.mark.slow
FRESH = "acme:fresh"


class Commands:
    """Runs `cogniverse tenant` on the run's own data folder."""

    def __init__(self, env: dict[str, str]) -> None:
        self.env = env

    def __call__(self, *arguments: str, typed: str | None = None) -> "subprocess.CompletedProcess[str]":
        """Run a command; with `typed`, at a terminal into which that is typed."""
        command = [sys.executable, "-m", "api.cli.app", "tenant", *arguments]
        if typed is None:
            return subprocess.run(
                command, capture_output=True, text=True, check=False, env=self.env, stdin=subprocess.DEVNULL
            )
        master, slave = pty.openpty()
        with os.fdopen(master, "wb", buffering=0) as terminal, os.fdopen(slave, "rb") as stdin:
            terminal.write(typed.encode() + b"\n")
            return subprocess.run(command, capture_output=True, text=True, check=False, env=self.env, stdin=stdin)

    def folder(self, tenant: str) -> Path:
        return Path(self.env["COGNIVERSE_DATA_DIR"]) / "tenants" / directory_name(parse_tenant(tenant))


@pytest.fixture
def tenant(cli_env: dict[str, str]) -> Iterator[Commands]:
    commands = Commands(cli_env)
    yield commands
    commands("delete", FRESH, "--yes")


def test_a_tenant_is_made_shown_and_deleted(tenant: Commands) -> None:
    made = tenant("create", FRESH, "--display-name", "Acmé [b]", "--json")
    again = tenant("create", FRESH, "--json")
    listed = json.loads(tenant("list", "--json").stdout)["tenants"]
    shown = tenant("list").stdout

    assert json.loads(made.stdout)["state"] == "READY"
    assert (again.returncode, json.loads(again.stderr)["error"]["code"]) == (1, "Conflict")
    assert ("acme:fresh", "Acmé [b]", "READY") in [
        (one["tenant_id"], one["display_name"], one["state"]) for one in listed
    ]
    assert "Acmé [b]" in shown

    refused = tenant("delete", FRESH)
    mistyped = tenant("delete", FRESH, typed="acme:Fresh")
    assert (refused.returncode, refused.stdout) == (2, "")
    assert "--yes" in refused.stderr
    assert (mistyped.returncode, mistyped.stdout.strip()) == (1, "")
    assert "Nothing was deleted" in mistyped.stderr
    assert tenant.folder(FRESH).exists()

    deleted = tenant("delete", FRESH, typed=FRESH)
    gone = tenant("delete", FRESH, "--yes", "--json")
    assert deleted.returncode == 0
    assert "deleted" in deleted.stdout
    assert not tenant.folder(FRESH).exists()
    assert (gone.returncode, json.loads(gone.stderr)["error"]["code"]) == (3, "UnknownTenant")
    assert FRESH not in tenant("list").stdout


async def test_a_tenant_is_described_with_its_graph_and_limits(tenant: Commands, database: Database) -> None:
    await upsert_documents(database, [document("a.txt", ("A", "won", "B"))])
    set_ = tenant("limit", TENANT, "--documents", "2", "--bytes", "1.5k")
    assert set_.returncode == 2
    set_ = tenant("limit", TENANT, "--documents", "2", "--bytes", "3 kB", "--json")

    described = json.loads(tenant("describe", TENANT, "--json").stdout)
    shown = tenant("describe", TENANT).stdout

    assert json.loads(set_.stdout) == {
        "quota": {"documents": 2, "nodes": None, "bytes": 3000, "jobs": None},
        "usage": {"documents": 1, "nodes": 2, "bytes": 9, "jobs": 0},
    }
    assert (described["tenant"]["tenant_id"], described["tenant"]["state"]) == (TENANT, "READY")
    assert described["stats"]["mentions"] == 3
    assert described["quota"]["documents"] == 2
    assert described["usage"]["documents"] == 1
    assert described["backend"] == "embedded"
    assert described["disk_bytes"] > 0
    assert "of 2" in shown
    assert "no limit" in shown


async def test_limits_that_are_not_named_stay(tenant: Commands, database: Database) -> None:
    tenant("limit", TENANT, "--documents", "2", "--jobs", "0")
    tenant("limit", TENANT, "--nodes", "1,000", "--documents", "none")
    changed = await get_quota(database)
    tenant("limit", TENANT, "--none")

    assert changed == Quota(nodes=1000, jobs=0)
    assert await get_quota(database) == Quota()


@pytest.mark.parametrize(
    "arguments",
    [(), ("--none", "--jobs", "1"), ("--documents", "2k"), ("--documents", "-1"), ("--bytes", "much"), ("--nodes", "")],
)
def test_a_limit_that_can_t_be_taken_is_told(tenant: Commands, arguments: tuple[str, ...]) -> None:
    answer = tenant("limit", TENANT, *arguments)

    assert (answer.returncode, answer.stdout) == (2, "")
    assert "Traceback" not in answer.stderr


def test_who_is_not_there_is_told(tenant: Commands) -> None:
    for arguments in (("describe", "nobody"), ("limit", "nobody", "--none"), ("delete", "nobody", "--yes")):
        answer = tenant(*arguments)
        assert (answer.returncode, answer.stdout) == (3, "")
        assert "no tenant 'nobody'" in answer.stderr


async def test_an_index_that_meets_a_limit_says_so_and_goes_on_later(
    tenant: Commands, database: Database, tmp_path: Path, cli_env: dict[str, str]
) -> None:
    for n in range(5):
        (tmp_path / f"m{n}.py").write_text(f"def f{n}():\n    return {n}\n")
    tenant("limit", TENANT, "--documents", "3")

    def index() -> "subprocess.CompletedProcess[str]":
        command = [sys.executable, "-m", "api.cli.app", "index", str(tmp_path), "--json"]
        return subprocess.run(command, capture_output=True, text=True, check=False, env=cli_env)

    refused = index()
    assert (refused.returncode, refused.stdout) == (1, "")
    error = json.loads(refused.stderr)["error"]
    assert error["code"] == "LimitExceeded"
    assert "3 documents" in error["message"]

    assert (await get_usage(database)).documents == 3  # what there was room for stays
    tenant("limit", TENANT, "--documents", "5")
    report = json.loads(index().stdout)
    assert (report["files_unchanged"], report["files_indexed"]) == (3, 2)
