"""How a command ends: exit codes, and errors as one clear line or as JSON."""

import functools
import logging
import os
import sys
from collections.abc import Callable
from enum import IntEnum
from typing import Any, ParamSpec

import typer
from rich.text import Text

from api.cli.render import render_candidates
from api.cli.terminal import Terminal, printable, quieted
from graph.errors import AmbiguousName, CogniverseError, InvalidInput, NotFound

_Params = ParamSpec("_Params")


class ExitCode(IntEnum):
    """What the shell is told. `--help` of the program lists them."""

    OK = 0
    ERROR = 1
    USAGE = 2
    NOT_FOUND = 3
    AMBIGUOUS = 4
    NO_PATH = 5
    TOO_FAR = 6
    INTERRUPTED = 130
    PIPE_CLOSED = 141


def reported(command: Callable[_Params, None]) -> Callable[_Params, None]:
    """Make a command end with the exit code and message of what went wrong; quietly when its reader left."""

    @functools.wraps(command)
    def run(*args: _Params.args, **kwargs: _Params.kwargs) -> None:
        as_json = bool(kwargs.get("as_json"))
        try:
            with quieted(as_json):
                command(*args, **kwargs)
            sys.stdout.flush()
        except CogniverseError as exc:
            report_error(exc, as_json=as_json)
            raise typer.Exit(get_exit_code(exc)) from exc
        except KeyboardInterrupt as exc:
            raise typer.Exit(ExitCode.INTERRUPTED) from exc
        except BrokenPipeError as exc:
            # The interpreter flushes once more at its end, and would complain.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise typer.Exit(ExitCode.PIPE_CLOSED) from exc
        except typer.Exit:
            raise
        except Exception as exc:  # the last stop before the user
            _report_fault(exc, as_json=as_json)
            raise typer.Exit(ExitCode.ERROR) from exc

    return run


def get_exit_code(exc: CogniverseError) -> ExitCode:
    """Return the exit code of an expected error."""
    match exc:
        case AmbiguousName():
            return ExitCode.AMBIGUOUS
        case NotFound():
            return ExitCode.NOT_FOUND
        case InvalidInput():
            return ExitCode.USAGE
        case _:
            return ExitCode.ERROR


def report_error(exc: CogniverseError, *, as_json: bool) -> None:
    """Tell of an expected error on standard error; standard output stays for answers."""
    terminal = Terminal()
    candidates = exc.candidates if isinstance(exc, AmbiguousName) else ()
    if as_json:
        error: dict[str, Any] = {"code": type(exc).__name__, "message": str(exc), "candidates": candidates}
        terminal.note_json({"error": error})
        return
    terminal.note(_error_line(str(exc)))
    if candidates:
        terminal.note(render_candidates(candidates))
    if debugging() and exc.__cause__ is not None:
        terminal.err.print_exception()


def debugging() -> bool:
    """Tell whether tracebacks are wanted (`--debug`, or COGNIVERSE_LOG_LEVEL=DEBUG)."""
    return logging.getLogger("api").isEnabledFor(logging.DEBUG)


def _report_fault(exc: Exception, *, as_json: bool) -> None:
    terminal = Terminal()
    if as_json:
        terminal.note_json({"error": {"code": "Fault", "message": f"{type(exc).__name__}: {exc}", "candidates": ()}})
        return
    terminal.note(_error_line(f"{type(exc).__name__}: {exc}"))
    if debugging():
        terminal.err.print_exception()
    else:
        terminal.note(Text("This is a fault of the program. `cogniverse --debug …` shows where.", "dim"))


def _error_line(message: str) -> Text:
    lines = "\n".join(printable(line) for line in message.splitlines())
    return Text.assemble(("error: ", "bold red"), lines)
