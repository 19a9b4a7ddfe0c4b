import json

import pytest
import typer

from api.cli.outcome import ExitCode, get_exit_code, report_error, reported
from graph.errors import AmbiguousName, Candidate, CogniverseError, InvalidInput, NotFound, ServerFailed, UnknownTenant


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (ServerFailed("x"), 1),
        (InvalidInput("x"), 2),
        (NotFound("x"), 3),
        (UnknownTenant("x"), 3),
        (AmbiguousName("x", []), 4),
    ],
)
def test_each_kind_of_error_has_its_exit_code(error: CogniverseError, code: int) -> None:
    assert get_exit_code(error) == code


def test_an_expected_error_is_one_clear_line_without_control_characters(capsys: pytest.CaptureFixture[str]) -> None:
    report_error(NotFound("no \x1b[31mnode"), as_json=False)

    assert capsys.readouterr() == ("", "error: no \\x1b[31mnode\n")


def test_an_error_can_be_json_on_standard_error(capsys: pytest.CaptureFixture[str]) -> None:
    report_error(AmbiguousName("f", [Candidate("a.py::f", "f", "function", "a.py", 1)]), as_json=True)

    out, err = capsys.readouterr()
    assert out == ""
    error = json.loads(err)["error"]
    assert (error["code"], error["candidates"][0]["line_start"]) == ("AmbiguousName", 1)


def test_an_unexpected_error_is_short(capsys: pytest.CaptureFixture[str]) -> None:
    @reported
    def command() -> None:
        raise ZeroDivisionError("oh")

    with pytest.raises(typer.Exit) as ended:
        command()

    assert ended.value.exit_code == ExitCode.ERROR
    err = capsys.readouterr().err
    assert err.startswith("error: ZeroDivisionError: oh\n")
    assert "Traceback" not in err


def test_ctrl_c_has_the_shells_exit_code() -> None:
    @reported
    def command() -> None:
        raise KeyboardInterrupt

    with pytest.raises(typer.Exit) as ended:
        command()

    assert ended.value.exit_code == 130
