from pathlib import Path

import pytest

from graph.embedded import health
from graph.embedded.folder import TenantFolder

TORN = (
    '{"level":"ERROR","message":"Failed to start DatabaseId{e4[neo4j]}","stacktrace":"java.lang.RuntimeException: x\\n'
    "\\tat a.B(B.java:1)\\nCaused by: java.lang.RuntimeException: Error reading transaction logs, you can specify"
    " 'internal.dbms.tx_log.fail_on_corrupted_log_files=false'.\\n\\tat c.D(D.java:2)\\nCaused by:"
    " java.lang.IllegalStateException: Failure to read transaction log file number 3. Unreadable bytes are encountered"
    ' after last readable position.\\n\\tat e.F(F.java:3)\\n"}\n'
)


@pytest.fixture
def folder(tmp_path: Path) -> TenantFolder:
    folder = TenantFolder(tmp_path)
    folder.make()
    (folder.data() / "transactions" / "neo4j").mkdir(parents=True)
    return folder


def write_logs(folder: TenantFolder, *numbers: int) -> None:
    for number in numbers:
        (folder.data() / "transactions" / "neo4j" / f"neostore.transaction.db.{number}").touch()


def test_only_what_was_said_since_the_start_counts(folder: TenantFolder) -> None:
    folder.debug_log.write_text(TORN)
    since = health.get_log_size(folder)
    assert health.find_start_failure(folder, since=since) is None

    with folder.debug_log.open("a") as log:
        log.write('{"level":"INFO","message":"all is well"}\n' + TORN)
    failure = health.find_start_failure(folder, since=since)

    assert failure is not None
    assert "Unreadable bytes are encountered" in failure
    assert "B.java" not in failure


def test_a_log_that_was_rotated_is_read_from_its_beginning(folder: TenantFolder) -> None:
    folder.debug_log.write_text(TORN)
    assert health.find_start_failure(folder, since=10**9) is not None


def test_a_log_that_is_not_there_says_nothing(folder: TenantFolder) -> None:
    assert health.get_log_size(folder) == 0
    assert health.find_start_failure(folder, since=0) is None


@pytest.mark.parametrize(("numbers", "at_end"), [((1, 2, 3), True), ((3, 4), False), ((2, 3, 10), False)])
def test_only_the_newest_file_of_the_log_may_be_cut(
    folder: TenantFolder, numbers: tuple[int, ...], at_end: bool
) -> None:
    write_logs(folder, *numbers)
    folder.debug_log.write_text(TORN)
    failure = health.find_start_failure(folder, since=0)
    assert failure is not None
    assert health.is_torn_at_end(folder, failure) is at_end


def test_another_failure_is_no_torn_log(folder: TenantFolder) -> None:
    write_logs(folder, 0)
    folder.debug_log.write_text(
        '{"message":"Failed to start DatabaseId{e4[neo4j]}","stacktrace":"Caused by: java.io.IOException: No'
        ' space left on device\\n\\tat x\\n"}\n'
    )
    failure = health.find_start_failure(folder, since=0)
    assert failure == "  No space left on device"
    assert not health.is_torn_at_end(folder, failure)


@pytest.mark.parametrize(("numbers", "at_end"), [((0,), True), ((0, 1), False), ((), False)])
def test_a_failure_that_names_no_file_is_mended_only_where_there_is_one(
    folder: TenantFolder, numbers: tuple[int, ...], at_end: bool
) -> None:
    write_logs(folder, *numbers)
    assert health.is_torn_at_end(folder, "set fail_on_corrupted_log_files=false to start anyway") is at_end
