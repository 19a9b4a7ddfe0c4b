"""The seam to DSPy: a language model that is asked for claims."""

# DSPy is only partly typed; what leaves this module is.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false

import asyncio
import hashlib
import logging
import os
import re
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, Final

from extraction.claims.base import ClaimOptions, ClaimsFailed
from extraction.claims.prompts import FREE_INSTRUCTIONS, INSTRUCTIONS, PREDICATES, Question
from extraction.claims.retries import PassingTrouble

if TYPE_CHECKING:
    import dspy

_REASON_CHARS: Final = 300
_PASSWORD: Final = re.compile(r"(?<=://)[^/@]*@")
_NO_KEY: Final = "none"
"""What is sent to a server of one's own that asks for no key: one meant for OpenAI must not get there by itself."""


@dataclass(frozen=True)
class LanguageModel:
    """A model by its LiteLLM name, and what it is told. `program` is a state that DSPy saved as JSON."""

    options: ClaimOptions
    program: Path | None = None
    _program_digest: str = field(init=False, default="")

    def __post_init__(self) -> None:
        if self.program is not None:
            object.__setattr__(self, "_program_digest", _digest(self.program))

    @property
    def name(self) -> str:
        """Its LiteLLM name."""
        return self.options.model or ""

    @property
    def fingerprint(self) -> str:
        """All that its answers depend on, beside the question."""
        instructions = FREE_INSTRUCTIONS if self.options.free_form else INSTRUCTIONS
        told = "\0".join((self.options.url or "", instructions, PREDICATES, self._program_digest))
        return f"{self.name}|{hashlib.sha256(told.encode()).hexdigest()[:16]}"

    def open(self) -> "dspy.LM":
        """A client with connections of its own, to be closed by `close`. Raises ClaimsFailed."""
        dspy = load_dspy()
        key = self.options.key or (_NO_KEY if self.options.url else None)
        client = {name: value for name, value in (("api_base", self.options.url), ("api_key", key)) if value}
        try:
            with self.errors():
                # Its own cache and retries are off: ours are by content, and bounded.
                made = dspy.LM(self.name, cache=False, num_retries=0, timeout=self.options.timeout_s, **client)
                # Models that reason take no temperature; of the others we want the same answer each time.
                return made if made.supports_reasoning else made.copy(temperature=0.0)
        except (ValueError, TypeError, ImportError) as exc:
            raise ClaimsFailed(
                self._say(f"can't be used: {self._reason(exc)}. Check COGNIVERSE_CLAIMS_MODEL.")
            ) from exc

    async def ask(self, client: "dspy.LM", question: Question) -> str:
        """The answer as it was given. Raises PassingTrouble for what may go through later, else ClaimsFailed."""
        dspy = load_dspy()
        with self.errors():
            # Made anew for each call: a module keeps a record of its calls, texts and all.
            program = make_program(self.options.free_form, self.program)
            with settings(client):
                try:
                    async with asyncio.timeout(self.options.timeout_s):
                        answer = await program.acall(
                            text=question.text, entities=question.entities, predicates=PREDICATES
                        )
                except dspy.AdapterParseError as exc:
                    return str(exc.lm_response)
            return str(answer.claims)

    @contextmanager
    def errors(self) -> Generator[None]:
        """Map what goes wrong to ClaimsFailed, with what to do; no message has the key in it."""
        dspy = load_dspy()
        try:
            yield
        except dspy.LMAuthError as exc:
            raise ClaimsFailed(
                self._say(f"was refused with the key given{_status(exc)}. Check COGNIVERSE_CLAIMS_KEY.")
            ) from None
        except dspy.LMNotConfiguredError:
            raise ClaimsFailed(self._say("needs a key. Set COGNIVERSE_CLAIMS_KEY.")) from None
        except dspy.LMBillingError as exc:
            raise ClaimsFailed(self._say(f"has no credit left: {self._reason(exc)}. Look after the account.")) from exc
        except dspy.LMUnsupportedModelError as exc:
            raise ClaimsFailed(
                self._say(
                    f"is not known there: {self._reason(exc)}. Check COGNIVERSE_CLAIMS_MODEL and COGNIVERSE_CLAIMS_URL."
                )
            ) from exc
        except TimeoutError as exc:
            raise PassingTrouble(self._say(f"gave no answer in {self.options.timeout_s:g} s.")) from exc
        except dspy.LMError as exc:
            if dspy.is_retryable_lm_error(exc):
                raise PassingTrouble(
                    self._say(f"did not answer: {self._reason(exc)}."), retry_after_s=exc.retry_after
                ) from exc
            raise ClaimsFailed(
                self._say(
                    f"could not be asked: {self._reason(exc)}. Check COGNIVERSE_CLAIMS_MODEL and COGNIVERSE_CLAIMS_URL."
                )
            ) from exc

    def _say(self, what: str) -> str:
        where = f" at {_PASSWORD.sub('', self.options.url)}" if self.options.url else ""
        return f"The claims model {self.name}{where} {what}"

    def _reason(self, exc: Exception) -> str:
        # What follows the first paragraph is advice for people who write programs with the library.
        text = " ".join(str(getattr(exc, "message", "") or exc).split("\n\n", 1)[0].split())
        login = _PASSWORD.search(self.options.url or "")
        for secret in filter(None, (self.options.key, login and login[0])):
            text = text.replace(secret, "…")
        return text[:_REASON_CHARS].rstrip(".") or type(exc).__name__


def load_dspy() -> ModuleType:
    """The library, set up to keep to itself. Raises ClaimsFailed when it is not installed."""
    # Else the first call fetches a list of prices that nobody here reads.
    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
    try:
        import dspy
    except ImportError as exc:
        raise ClaimsFailed(f'Reading claims needs DSPy ({exc}): pip install "cogniverse-graph[claims]".') from exc
    logging.getLogger("dspy").setLevel(logging.ERROR)
    return dspy


@contextmanager
def settings(client: "dspy.LM") -> Generator[None]:
    """DSPy's settings for one task alone: nothing is kept of the texts, a bad answer is not asked for again."""
    dspy = load_dspy()
    adapter = dspy.ChatAdapter(use_json_adapter_fallback=False)
    with dspy.context(lm=client, adapter=adapter, disable_history=True, trace=None, callbacks=[]):
        yield


def make_signature(free_form: bool) -> Any:  # noqa: ANN401 - a class that DSPy makes
    """The question's DSPy signature."""
    dspy = load_dspy()
    return dspy.Signature(
        {
            "text": (str, dspy.InputField(desc="what to read")),
            "entities": (str, dspy.InputField(desc="known entities with their kinds, the one named last at the end")),
            "predicates": (str, dspy.InputField(desc="the predicates that facts may have")),
            "claims": (str, dspy.OutputField(desc="a JSON list of facts")),
        },
        FREE_INSTRUCTIONS if free_form else INSTRUCTIONS,
    )


def make_program(free_form: bool = False, path: Path | None = None) -> "dspy.ChainOfThought":
    """The DSPy module that is asked, with the instructions and examples of a saved one. Raises ClaimsFailed."""
    dspy = load_dspy()
    program = dspy.ChainOfThought(make_signature(free_form))
    if path is not None:
        try:
            program.load(str(path))
        except Exception as exc:  # whatever a file of another shape makes it raise
            raise ClaimsFailed(f"{path} is no program that DSPy saved for claims ({exc!r}): save one as JSON.") from exc
        # Whose model and key are used is for the settings to say, not for a file.
        program.predict.lm = None
    return program


def _status(exc: Exception) -> str:
    status = getattr(exc, "status", None)
    return f" (HTTP {status})" if status else ""


def _digest(path: Path) -> str:
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError as exc:
        raise ClaimsFailed(f"The program {path} can't be read: {exc.strerror or exc}.") from exc
