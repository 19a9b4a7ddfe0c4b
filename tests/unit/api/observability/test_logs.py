"""Log lines: one JSON object each, no secrets, no more of an exception than is needed."""

import io
import json
import logging
import subprocess
import sys
from typing import Any

import pytest

from api.observability.logs import JsonFormatter, log_request
from api.observability.record import RequestRecord, recording

PROGRAM = """
import logging
from api.config import Settings
from api.observability.logs import configure_logging, log_request
from api.observability.record import RequestRecord
configure_logging(Settings(log_level="{level}"))
logging.getLogger("api.x").warning("a warning")
logging.getLogger("api.x").info("an info")
logging.getLogger("neo4j.pool").warning("noise")
log_request("GET", "/x", RequestRecord("id", status=200), 0.0015)
"""


def line_of(message: str, *args: object, exc: BaseException | None = None, **extra: object) -> dict[str, Any]:
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(JsonFormatter())
    logger = logging.getLogger("api.tested")
    logger.addHandler(handler)
    logger.error(message, *args, extra=extra, exc_info=exc)
    logger.removeHandler(handler)
    [line] = stream.getvalue().splitlines()
    return json.loads(line)


def test_a_line_has_its_request_and_the_fields_that_are_logged() -> None:
    with recording(RequestRecord("req-1")):
        line = line_of("two\nlines %s", "é", fault_id="f1", text="of a document")

    assert (line["level"], line["logger"], line["message"]) == ("ERROR", "api.tested", "two\nlines é")
    assert (line["request_id"], line["fault_id"]) == ("req-1", "f1")
    assert line["time"].endswith("+00:00")
    assert "text" not in line
    assert "request_id" not in line_of("outside")


@pytest.mark.parametrize(
    "secret",
    [
        "cgk_d77f7cdcb48f_0NGJAd3_lGYHQ_sFQv7gjrwhgPpBuGNzl1qox9-MnbU",
        "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhIn0.AAAA-bbb_c",
    ],
)
def test_secrets_are_cut_out_of_messages_and_exceptions(secret: str) -> None:
    line = json.dumps(line_of(f"got {secret} and /x?signature=abc-_1", exc=ValueError(f"bad {secret}")))

    assert secret not in line
    assert "abc-_1" not in line
    assert line.count("[secret]") == 3


def test_an_exception_is_places_and_the_beginning_of_its_message() -> None:
    def fail() -> None:
        try:
            {}["inner " + "x" * 1_000]
        except KeyError as exc:
            raise ValueError("outer") from exc

    try:
        fail()
    except ValueError as exc:
        text = line_of("failed", exc=exc)["exception"]

    assert "ValueError: outer" in text
    assert "KeyError: 'inner x" in text
    assert " fail" in text
    assert "x" * 400 not in text


@pytest.mark.parametrize(
    ("level", "messages"),
    [
        ("WARNING", ["a warning", "GET /x 200"]),
        ("INFO", ["a warning", "an info", "GET /x 200"]),
        ("ERROR", []),
        ("DEBUG", ["a warning", "an info", "noise", "GET /x 200"]),
    ],
)
def test_levels(level: str, messages: list[str]) -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM.format(level=level)], capture_output=True, text=True, check=True
    )

    lines = [json.loads(line) for line in done.stderr.splitlines()]
    assert [line["message"] for line in lines] == messages
    if messages:
        assert (lines[-1]["status"], lines[-1]["duration_ms"], lines[-1]["statements"]) == (200, 1.5, 0)
    assert done.stdout == ""


def test_a_request_is_one_line(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "api.access")
    log_request("GET", "/x", RequestRecord("r", status=404, tenants={"b", "a"}), 1.0)
    [record] = caplog.records
    assert (record.duration_ms, record.tenants) == (1000.0, ["a", "b"])
