"""What a server's databases say of themselves: whether they came up, and whether they still take work.

A database whose transaction log could not be written takes no work until its server is started again, while the server
itself goes on to answer. Source: Neo4j's DatabaseHealth; seen with Neo4j 2026.01.
"""

import base64
import http.client
import re
import urllib.error
import urllib.request
from typing import Final

import msgspec

from graph.embedded import server
from graph.embedded.folder import TenantFolder

_TIMEOUT_S: Final = 10.0
_PROBE: Final = "RETURN 1 AS one"
_PANICKED: Final = frozenset(
    {"Neo.DatabaseError.Transaction.TransactionStartFailed", "Neo.DatabaseError.Transaction.TransactionLogError"}
)
_FAILED_START: Final = re.compile(r'"message":"Failed to start DatabaseId\{')
_CAUSE: Final = re.compile(r"Caused by: (?:[\w.$]+: )?(.{1,400}?)\\n")
_TORN_LOG: Final = "fail_on_corrupted_log_files"
_TORN_FILE: Final = re.compile(r"read transaction log (?:file number|version) (\d+)")
_WARNING: Final = re.compile(r"Fail to read transaction log version \d+[^\"]*")
_LOG_FILE: Final = "neostore.transaction.db."


class _Fault(msgspec.Struct):
    code: str = ""
    message: str = ""


class _Answer(msgspec.Struct):
    errors: list[_Fault] = []


def run_statement(statement: str, folder: TenantFolder, http_port: int, *, timeout_s: float) -> tuple[str, ...]:
    """Run a statement over HTTP and return the codes of its errors, none when it went through.

    Raises OSError or HTTPException when there is no such answer. Source: https://neo4j.com/docs/query-api/current/
    """
    token = base64.b64encode(f"{server.USER}:{folder.password.read_text('ascii')}".encode()).decode()
    request = urllib.request.Request(
        f"http://{server.LOOPBACK}:{http_port}/db/{server.DATABASE}/query/v2",
        data=msgspec.json.encode({"statement": statement}),
        headers={"Authorization": f"Basic {token}", "Content-Type": "application/json"},
    )
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(request, timeout=timeout_s) as answer:
            body = answer.read()
    except urllib.error.HTTPError as exc:
        with exc:
            body = exc.read()
    try:
        return tuple(fault.code for fault in msgspec.json.decode(body, type=_Answer).errors)
    except msgspec.DecodeError as exc:
        raise OSError(f"port {http_port} gave no answer of Neo4j's") from exc


def has_stopped_working(folder: TenantFolder, http_port: int) -> bool:
    """Tell whether the database has given up after a failed write; False also when nothing can be found out."""
    try:
        return bool(_PANICKED.intersection(run_statement(_PROBE, folder, http_port, timeout_s=_TIMEOUT_S)))
    except (OSError, http.client.HTTPException, ValueError):
        return False


def get_log_size(folder: TenantFolder) -> int:
    """Return how long the server's debug log is, in bytes: where what it says next will begin."""
    try:
        return folder.debug_log.stat().st_size
    except OSError:
        return 0


def find_start_failure(folder: TenantFolder, *, since: int) -> str | None:
    """Return why a database did not come up with its server, which answers nevertheless; None when all is well.

    `since` is the size of the log before the server was started.
    """
    try:
        with folder.debug_log.open("rb") as log:
            log.seek(since if since <= get_log_size(folder) else 0)  # it was rotated meanwhile
            lines = log.read().decode("utf-8", errors="replace").splitlines()
    except OSError:
        return None
    failures = [line for line in lines if _FAILED_START.search(line)]
    if not failures:
        return None
    warnings = [warning[0] for line in lines if (warning := _WARNING.search(line))]
    causes = list(dict.fromkeys((*_CAUSE.findall(failures[-1]), *warnings)))
    return "\n".join(f"  {cause}" for cause in causes) or "  (it says no cause)"


def is_torn_at_end(folder: TenantFolder, failure: str) -> bool:
    """Tell whether a start failed over the end of the transaction log: a write that was broken off in the middle.

    Damage in an older file of the log is not that: what follows it was committed, and must not be cut off.
    """
    if _TORN_LOG not in failure:
        return False
    files = (folder.data() / "transactions" / server.DATABASE).glob(f"{_LOG_FILE}*")
    numbers = {int(file.name.removeprefix(_LOG_FILE)) for file in files}
    torn = {int(number) for number in _TORN_FILE.findall(failure)}
    # Some failures don't say which file it is; of one there is no doubt.
    return torn == {max(numbers, default=None)} if torn else len(numbers) == 1
