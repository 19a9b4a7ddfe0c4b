"""Logs: one JSON object a line on standard error."""

import logging
import re
import sys
import traceback
from datetime import UTC, datetime
from typing import Any, Final

import msgspec

from api.config import Settings
from api.observability.record import RequestRecord, find_record

_access: Final = logging.getLogger("api.access")
_OURS: Final = ("api", "extraction", "graph", "uvicorn")
_FIELDS: Final = ("fault_id", "kind", "job", "method", "route", "duration_ms", "principal", "operation", "cost",
    "statements", "status", "tenants")  # fmt: skip
_SECRETS: Final = re.compile(
    r"cgk_[0-9a-f]{4,}_[\w-]+|eyJ[\w-]{8,}\.[\w-]+\.[\w-]*|(?<=signature=)[\w-]+|(?i:(?<=bearer )\S+)"
)
_HINTS: Final = ("cgk_", "eyJ", "signature=", "earer ", "EARER ")
"""One of them is in each text with a secret; looking for them is far cheaper."""
_MAX_MESSAGE: Final = 2_000
_MAX_REASON: Final = 300


def configure_logging(settings: Settings, *, json: bool = True) -> None:
    """Log on standard error from `settings.log_level` up, as JSON lines or as text for developers.

    Of requests a line is kept at every level but ERROR: a service that says nothing of them can't be run.
    """
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonFormatter() if json else logging.Formatter("%(levelname)s %(name)s: %(message)s"))
    logging.basicConfig(handlers=[handler], level=logging.WARNING, force=True)
    for name in _OURS:
        logging.getLogger(name).setLevel(settings.log_level)
    _access.setLevel("ERROR" if settings.log_level == "ERROR" else "INFO")
    # The driver logs each deadlock that it goes on to retry, and each error that we tell ourselves.
    logging.getLogger("neo4j").setLevel("DEBUG" if settings.log_level == "DEBUG" else "CRITICAL")


def log_request(method: str, route: str, record: RequestRecord, seconds: float) -> None:
    """Write the line of a request that is done."""
    if not _access.isEnabledFor(logging.INFO):
        return
    extra = {
        "method": method,
        "route": route,
        "status": record.status,
        "duration_ms": round(seconds * 1000, 3),
        "principal": record.principal,
        "tenants": sorted(record.tenants),
        "operation": record.operation,
        "cost": record.cost,
        "statements": record.statements,
    }
    _access.info("%s %s %s", method, route, record.status, extra=extra)


class JsonFormatter(logging.Formatter):
    """Puts a record on one line: time in UTC, level, logger, message, request id, and the fields we log by name.

    Secrets are cut out. Of exceptions the places are kept and the beginning of each message: they may quote data.
    """

    def format(self, record: logging.LogRecord) -> str:
        """Return the line."""
        request = find_record()
        line: dict[str, Any] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            "message": record.getMessage()[:_MAX_MESSAGE],
        }
        if request is not None:
            line["request_id"] = request.request_id
        for name in _FIELDS:
            value = record.__dict__.get(name)
            if value is not None and value != []:
                line[name] = value
        if record.exc_info and record.exc_info[1] is not None:
            line["exception"] = _trace(record.exc_info[1])
        text = msgspec.json.encode(line, enc_hook=str).decode()
        return _SECRETS.sub("[secret]", text) if any(hint in text for hint in _HINTS) else text


def _trace(exc: BaseException) -> str:
    trace = traceback.TracebackException.from_exception(exc, compact=True)
    lines: list[str] = []
    seen: TracebackChain = trace
    while seen is not None:
        places = [f"{frame.filename}:{frame.lineno} {frame.name}" for frame in seen.stack]
        reason = "".join(seen.format_exception_only()).strip()[:_MAX_REASON]
        lines += [*places, reason]
        seen = seen.__cause__ or (None if seen.__suppress_context__ else seen.__context__)
    return "\n".join(lines)


TracebackChain = traceback.TracebackException | None
