"""Long texts, read by a model that writes code to look through them: DSPy's RLM, where its sandbox is there."""

# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false

import asyncio
import functools
import importlib.util
import logging
import re
import shutil
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from contextlib import suppress
from typing import Any, Final

from extraction.claims.base import ClaimsFailed
from extraction.claims.model import LanguageModel, load_dspy, make_signature, settings
from extraction.claims.prompts import PREDICATES, Question

MAX_STEPS: Final = 8
MAX_CALLS: Final = 20

_COLOURS: Final = re.compile(r"\x1b\[[\d;]*m")

_log = logging.getLogger(__name__)

Sandbox = Callable[[], Any]
"""Makes a DSPy code interpreter, one for each text."""


def may_have_sandbox() -> bool:
    """Tell whether there is a Deno, which the sandbox runs in. Costs next to nothing."""
    return importlib.util.find_spec("deno") is not None or shutil.which("deno") is not None


@functools.cache
def find_sandbox() -> Sandbox | None:
    """DSPy's own sandbox, None where it does not run. Blocking; tried once in a process, which takes seconds."""
    if not may_have_sandbox():
        return None
    dspy = load_dspy()
    try:
        with dspy.PythonInterpreter() as interpreter:
            interpreter.execute("1 + 1")
    except Exception as exc:  # noqa: BLE001 - a Deno too old, its packages not there, no right to start it
        _log.warning("Long texts are read in parts: DSPy's sandbox does not start (%s).", _first_line(exc))
        return None
    return dspy.PythonInterpreter


def _first_line(exc: Exception) -> str:
    return _COLOURS.sub("", str(exc)).split("\n", 1)[0]


async def explore(model: LanguageModel, question: Question, sandbox: Sandbox) -> str | None:
    """The answer for a whole long text, None where the sandbox broke or took too long. Raises as `LanguageModel.ask`.

    The sandbox blocks, so that all of it runs in a thread; it is killed when time is up or the caller gives up.
    """
    watched = _Watched(sandbox)
    try:
        async with asyncio.timeout(model.options.timeout_s * MAX_STEPS):
            return await _in_thread(lambda: _explore(model, question, watched))
    except TimeoutError:
        _log.warning("A long text is read in parts: looking through it took too long.")
        return None
    finally:
        watched.kill()


class _Watched:
    """A sandbox whose interpreters can be killed: code that never ends would hold its thread for ever."""

    def __init__(self, sandbox: Sandbox) -> None:
        self.execution_instructions: str = getattr(sandbox, "execution_instructions", "")
        self._sandbox = sandbox
        self._made: list[Any] = []

    def __call__(self) -> Any:  # noqa: ANN401 - DSPy's interpreter
        interpreter = self._sandbox()
        self._made.append(interpreter)
        return interpreter

    def kill(self) -> None:
        """End what still runs."""
        for interpreter in self._made:
            process = getattr(interpreter, "deno_process", None)
            if process is not None and process.poll() is None:
                process.kill()


async def _explore(model: LanguageModel, question: Question, sandbox: Sandbox) -> str | None:
    dspy = load_dspy()
    client = model.open()
    signature = make_signature(model.options.free_form)
    program = dspy.RLM(signature, max_iters=MAX_STEPS, max_llm_calls=MAX_CALLS, interpreter_factory=sandbox)
    try:
        with model.errors(), settings(client):
            answer = await program.acall(text=question.text, entities=question.entities, predicates=PREDICATES)
            return str(answer.claims)
    except dspy.AdapterParseError as exc:
        return str(exc.lm_response)
    except ClaimsFailed:
        raise
    except Exception as exc:  # noqa: BLE001 - code that a model wrote may break it in any way
        _log.warning("A long text is read in parts: DSPy's sandbox broke (%s).", _first_line(exc))
        return None
    finally:
        await client.aclose()


async def _in_thread(work: Callable[[], Coroutine[Any, Any, str | None]]) -> str | None:
    """Run a coroutine that blocks on a loop of its own."""
    result: Future[str | None] = Future()
    loop = asyncio.new_event_loop()
    task = loop.create_task(work())

    def run() -> None:
        try:
            result.set_result(loop.run_until_complete(task))
        except BaseException as exc:  # noqa: BLE001 - handed on to the caller, a cancellation too
            result.set_exception(exc)
        finally:
            loop.run_until_complete(loop.shutdown_default_executor())
            loop.close()

    threading.Thread(target=run, name="claims of a long text", daemon=True).start()
    try:
        return await asyncio.shield(asyncio.wrap_future(result))
    except asyncio.CancelledError:
        with suppress(RuntimeError):  # closed by now
            loop.call_soon_threadsafe(task.cancel)
        raise
