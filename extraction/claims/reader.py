"""Claims of many texts at once: within a bound, with retries, answers kept by content."""

import asyncio
import hashlib
import importlib.util
import json
from collections.abc import Callable, Coroutine, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final
from weakref import WeakKeyDictionary

from extraction.cache import FactsCache
from extraction.claims import checks, predicates, prompts
from extraction.claims.answers import parse_answer
from extraction.claims.base import ClaimOptions, ClaimReader, ClaimsFailed, ClaimText, SegmentClaims
from extraction.claims.checks import Reply, check_replies
from extraction.claims.exploration import Sandbox, explore, find_sandbox, may_have_sandbox
from extraction.claims.model import LanguageModel
from extraction.claims.parts import PART_CHARS, cut_parts
from extraction.claims.prompts import make_question
from extraction.claims.retries import call_with_retries
from extraction.claims.spans import Span

if TYPE_CHECKING:
    import dspy

CACHE_FILE: Final = "claims.sqlite"
_PAUSE_S: Final = 0.5


def find_reader(options: ClaimOptions, *, program: Path | None = None) -> ClaimReader | None:
    """What reads claims by these options, None without a model. `program` is one that DSPy optimised, saved as JSON.

    Nothing heavy is loaded yet and nobody asked. Raises ClaimsFailed when DSPy is not installed.
    """
    if options.model is None or not options.model.strip():
        return None
    if importlib.util.find_spec("dspy") is None:
        raise ClaimsFailed(
            f'The claims model {options.model} needs DSPy: pip install "cogniverse-graph[claims]", or unset '
            "COGNIVERSE_CLAIMS_MODEL."
        )
    return LanguageModelReader(LanguageModel(options, program))


class LanguageModelReader:
    """Asks a language model and checks what it says. Safe for several threads and event loops."""

    def __init__(
        self,
        model: LanguageModel,
        *,
        pause_s: float = _PAUSE_S,
        find_sandbox: Callable[[], Sandbox | None] = find_sandbox,
    ) -> None:
        self._model = model
        self._pause_s = pause_s
        self._find_sandbox = find_sandbox
        self._slots: WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Semaphore] = WeakKeyDictionary()

    @property
    def fingerprint(self) -> str:
        """All that the claims of a text depend on, beside the text and its prior entities."""
        long = "rlm" if may_have_sandbox() else "parts"
        versions = ".".join((checks.VERSION, predicates.VERSION, prompts.VERSION))
        return f"{self._model.fingerprint}|{self._model.options.free_form}|{long}|{versions}"

    async def read(self, texts: Sequence[ClaimText]) -> list[SegmentClaims]:
        """The claims of each text. Raises ClaimsFailed, with the number of a text that could not be asked."""
        # The first time libraries are imported, which takes seconds in which a server must go on.
        client = await asyncio.to_thread(self._model.open)
        cache_dir = self._model.options.cache_dir
        with FactsCache(cache_dir / CACHE_FILE if cache_dir else None) as cache:
            try:
                run = _Run(self._model, client, cache, self._get_slots(), self._pause_s, self._find_sandbox)
                replies = await _gather([run.ask(text) for text in texts])
            finally:
                await client.aclose()
            cache.touch(run.used)
        return await asyncio.to_thread(self._check, texts, replies)

    def _check(self, texts: Sequence[ClaimText], replies: Sequence[Sequence[Reply]]) -> list[SegmentClaims]:
        free_form = self._model.options.free_form
        return [check_replies(text, given, free_form=free_form) for text, given in zip(texts, replies, strict=True)]

    def _get_slots(self) -> asyncio.Semaphore:
        """One bound for all callers of a loop."""
        loop = asyncio.get_running_loop()
        return self._slots.setdefault(loop, asyncio.Semaphore(self._model.options.concurrency))


class _Run:
    """One call of `read`."""

    def __init__(
        self,
        model: LanguageModel,
        client: "dspy.LM",
        cache: FactsCache,
        slots: asyncio.Semaphore,
        pause_s: float,
        find_sandbox: Callable[[], Sandbox | None],
    ) -> None:
        self.used: set[str] = set()
        self._model = model
        self._client = client
        self._cache = cache
        self._slots = slots
        self._pause_s = pause_s
        self._find_sandbox = find_sandbox

    async def ask(self, text: ClaimText) -> list[Reply]:
        """What the model says of a text: at once, or of each of its parts."""
        if not text.text.strip():
            return []
        if len(text.text) > PART_CHARS:
            sandbox = await asyncio.to_thread(self._find_sandbox)
            if sandbox is not None:
                raw = await self._ask_whole(text, sandbox)
                if raw is not None:
                    return [Reply(Span(0, len(text.text)), raw)]
        return [Reply(part, await self._ask_part(text, part)) for part in cut_parts(text.text)]

    async def _ask_whole(self, text: ClaimText, sandbox: Sandbox) -> str | None:
        question = make_question(text.text, text.entities)

        async def call() -> str:
            return await explore(self._model, question, sandbox) or ""

        return await self._answer(self._key("rlm", text, text.text), call) or None

    async def _ask_part(self, text: ClaimText, part: Span) -> str:
        words = text.text[part.start : part.end]
        question = make_question(words, text.entities)
        return await self._answer(self._key("cot", text, words), lambda: self._model.ask(self._client, question))

    async def _answer(self, key: str, call: Callable[[], Coroutine[None, None, str]]) -> str:
        kept = self._cache.fetch([key]).get(key)
        self.used.add(key)
        if kept is not None:
            return kept.decode()
        async with self._slots:
            raw = await call_with_retries(call, pause_s=self._pause_s)
        # An answer without any list may be a model's bad moment: it is asked again another day.
        if parse_answer(raw).readable:
            self._cache.store({key: raw.encode("utf-8", "replace")})
        return raw

    def _key(self, way: str, text: ClaimText, words: str) -> str:
        named = [(entity.name, entity.kind) for entity in text.entities]
        content = json.dumps([self._model.fingerprint, prompts.VERSION, way, words, named])
        return hashlib.sha256(content.encode()).hexdigest()


async def _gather(calls: Sequence[Coroutine[None, None, list[Reply]]]) -> list[list[Reply]]:
    """All results, in order. The first failure ends the others."""
    try:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(_numbered(index, call)) for index, call in enumerate(calls)]
    except ExceptionGroup as failures:
        first = next((exc for exc in failures.exceptions if isinstance(exc, ClaimsFailed)), failures.exceptions[0])
        raise first from first.__cause__
    return [task.result() for task in tasks]


async def _numbered(index: int, call: Coroutine[None, None, list[Reply]]) -> list[Reply]:
    try:
        return await call
    except ClaimsFailed as exc:
        exc.index = index
        raise
