"""Hints and owners: what a data folder tells of jobs without a database."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from api.jobs.hints import PendingJobs
from api.jobs.owners import Owners
from api.jobs.spool import Spool
from api.jobs.work import FileWork, FolderWork, decode_work, encode_work
from graph.errors import InvalidInput, LimitExceeded
from graph.tenants import TenantId

A, B = TenantId("a"), TenantId("b", "Org")


def test_hints_come_and_go(tmp_path: Path) -> None:
    hints = PendingJobs(tmp_path / "pending")
    assert hints.fetch() == []
    hints.add(A, "job-1", at_most=10)
    hints.add(B, "job-2", at_most=10)

    assert {(hint.tenant, hint.job_id) for hint in hints.fetch()} == {(A, "job-1"), (B, "job-2")}
    hints.remove(A, "job-1")
    hints.remove(A, "job-1")
    assert [hint.tenant for hint in PendingJobs(tmp_path / "pending").fetch()] == [B]


def test_a_full_queue_has_room_for_each_tenant_s_first(tmp_path: Path) -> None:
    hints = PendingJobs(tmp_path)
    hints.add(A, "job-1", at_most=1)
    with pytest.raises(LimitExceeded):
        hints.add(A, "job-2", at_most=1)
    hints.add(B, "job-3", at_most=1)
    with pytest.raises(LimitExceeded):
        hints.add(B, "job-4", at_most=1)


def test_a_hint_that_was_cut_off_is_passed_over(tmp_path: Path) -> None:
    hints = PendingJobs(tmp_path)
    hints.add(A, "job-1", at_most=1)
    (tmp_path / "t-a" / "job-2").write_text("")

    assert [hint.job_id for hint in hints.fetch()] == ["job-1"]


def test_an_owner_is_alive_until_it_leaves_or_dies(tmp_path: Path) -> None:
    mine, other = Owners(tmp_path), Owners(tmp_path)
    assert other.find_alive(mine.own_id) is None
    mine.enter()
    assert other.find_alive(mine.own_id) is True
    assert mine.find_alive(mine.own_id) is True
    mine.leave()
    assert other.find_alive(mine.own_id) is False

    script = (
        "import os, sys; from pathlib import Path; from api.jobs.owners import Owners; "
        "owner = Owners(Path(sys.argv[1])); owner.enter(); print(owner.own_id, flush=True); os.kill(os.getpid(), 9)"
    )
    died = subprocess.run([sys.executable, "-c", script, str(tmp_path)], capture_output=True, text=True, check=False)
    assert other.find_alive(died.stdout.strip()) is False


def test_work_comes_back_as_it_was() -> None:
    for work in (FolderWork("/x/東", include=("*.py",), prune=False), FileWork("/y", "a.py", spooled=True)):
        assert decode_work(encode_work(work)) == work
    with pytest.raises(InvalidInput, match="another version"):
        decode_work('{"kind": "no such"}')
    with pytest.raises(InvalidInput, match="UTF-8"):
        encode_work(FolderWork("/x/\udcff"))


def test_the_spool_removes_its_own_files_only(tmp_path: Path) -> None:
    spool = Spool(tmp_path / "spool")
    own, foreign = spool.get_folder(TenantId("a")) / "own", tmp_path / "b" / "foreign"
    for file in (own, foreign):
        file.parent.mkdir(parents=True)
        file.touch()
    for file in (own, own, foreign, own.parent / ".." / ".." / "b" / "foreign", own.parent):
        spool.remove(file)

    assert not own.exists()
    assert foreign.exists()


def test_the_spool_keeps_what_is_wanted_or_new(tmp_path: Path) -> None:
    spool = Spool(tmp_path)
    folder = spool.get_folder(TenantId("a"))
    folder.mkdir()
    for name, age_s in (("wanted", 9_000), ("left", 9_000), ("new", 0)):
        (folder / name).touch()
        os.utime(folder / name, (time.time() - age_s,) * 2)

    spool.tidy({folder / "wanted"})

    assert {file.name for file in folder.iterdir()} == {"wanted", "new"}
