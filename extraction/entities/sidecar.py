"""Entities by a server of our own, `cogniverse models serve`: the client of its HTTP interface."""

import http.client
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Sequence
from typing import Final
from urllib.parse import urlsplit

import msgspec

from extraction.entities.base import EntitiesFailed, EntitySpan
from extraction.entities.legible import make_legible
from extraction.entities.model import check_threshold

_TIMEOUT_S: Final = 300.0
_PAUSES_S: Final = (0.25, 1.0, 3.0)
_PASSING: Final = frozenset({502, 503})
_BATCH_CHARS: Final = 200_000


class Span(msgspec.Struct):
    """An entity on the wire; `start` and `end` count characters (code points)."""

    start: int
    end: int
    text: str
    label: str
    score: float


class Answer(msgspec.Struct):
    """What `POST /entities` answers: the entities of each text, in the order of the texts."""

    entities: list[list[Span]]
    model: str
    fingerprint: str


class _Fault(msgspec.Struct):
    message: str
    index: int | None = None


class _Refusal(msgspec.Struct):
    error: _Fault


class SidecarExtractor:
    """An EntityExtractor behind an address. Safe to call from several threads: each call has its connection."""

    def __init__(self, url: str, *, kinds: tuple[str, ...], threshold: float, batch: int) -> None:
        self._url = _check_url(url)
        self._kinds = kinds
        self._threshold = check_threshold(threshold)
        self._batch = max(1, batch)
        # A proxy of the environment is for the world outside, which a sidecar is no part of.
        self._opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        self._model = self._ask([], 0)

    @property
    def name(self) -> str:
        """The server's model."""
        return self._model.model

    @property
    def fingerprint(self) -> str:
        """See EntityExtractor."""
        return f"sidecar|{self._model.fingerprint}"

    def extract(self, texts: Sequence[str]) -> list[list[EntitySpan]]:
        """See EntityExtractor."""
        spans: list[list[EntitySpan]] = []
        for first, batch in self._batches(texts):
            sent = [make_legible(text) for text in batch]
            answer = self._ask(sent, first)
            if answer.fingerprint != self._model.fingerprint:
                raise EntitiesFailed(
                    f"The sidecar at {self._url} has changed its model, from {self._model.model} to {answer.model}, "
                    "in the middle of the work: begin again.",
                    index=first,
                )
            for index, (text, seen, found) in enumerate(zip(batch, sent, answer.entities, strict=True), first):
                read = [self._read(seen, one, index) for one in found]
                spans.append([one for one in read if text[one.char_start : one.char_end] == one.text])
        return spans

    def _batches(self, texts: Sequence[str]) -> Iterator[tuple[int, Sequence[str]]]:
        first = chars = 0
        for index, text in enumerate(texts):
            if index > first and (index - first >= self._batch or chars + len(text) > _BATCH_CHARS):
                yield first, texts[first:index]
                first, chars = index, 0
            chars += len(text)
        if first < len(texts):
            yield first, texts[first:]

    def _read(self, text: str, span: Span, index: int) -> EntitySpan:
        if not 0 <= span.start < span.end <= len(text) or text[span.start : span.end] != span.text:
            raise EntitiesFailed(
                f"The sidecar at {self._url} answered {span.text[:60]!r} for characters {span.start} to {span.end}, "
                "which are not that: it must count characters (code points). Run the same version on both sides.",
                index=index,
            )
        if span.label not in self._kinds:
            raise EntitiesFailed(
                f"The sidecar at {self._url} answered with the kind {span.label[:60]!r}, which was not asked for.",
                index=index,
            )
        return EntitySpan(span.start, span.end, span.text, span.label, span.score)

    def _ask(self, texts: Sequence[str], first: int) -> Answer:
        body = msgspec.json.encode({"texts": texts, "labels": self._kinds, "threshold": self._threshold})
        request = urllib.request.Request(  # noqa: S310 - http or https, see _check_url
            f"{self._url}/entities", data=body, headers={"Content-Type": "application/json"}, method="POST"
        )
        for pause_s in _PAUSES_S:
            try:
                return self._send(request, len(texts), first)
            except _Passing:
                time.sleep(pause_s)
        try:
            return self._send(request, len(texts), first)
        except _Passing as exc:
            raise EntitiesFailed(
                f"The sidecar at {self._url} can't be reached ({exc}), tried {len(_PAUSES_S) + 1} times: is "
                "`cogniverse models serve` running, and COGNIVERSE_MODELS_URL its address?",
                index=first if texts else None,
            ) from exc

    def _send(self, request: urllib.request.Request, texts: int, first: int) -> Answer:
        index = first if texts else None
        try:
            with self._opener.open(request, timeout=_TIMEOUT_S) as response:
                answer = msgspec.json.decode(response.read(), type=Answer)
        except urllib.error.HTTPError as exc:
            raise self._explain(exc, first, index) from exc
        except TimeoutError as exc:
            message = f"The sidecar at {self._url} took longer than {_TIMEOUT_S:g} seconds over {texts} texts."
            raise EntitiesFailed(f"{message} Set COGNIVERSE_ENTITY_BATCH lower.", index=index) from exc
        except (OSError, http.client.HTTPException) as exc:
            raise _Passing(str(exc) or type(exc).__name__) from exc
        except (msgspec.DecodeError, msgspec.ValidationError) as exc:
            raise EntitiesFailed(
                f"What answers at {self._url} is not `cogniverse models serve` ({exc}): look at COGNIVERSE_MODELS_URL.",
                index=index,
            ) from exc
        if len(answer.entities) != texts:
            raise EntitiesFailed(
                f"The sidecar at {self._url} answered {len(answer.entities)} lists for {texts} texts.", index=index
            )
        return answer

    def _explain(self, exc: urllib.error.HTTPError, first: int, index: int | None) -> Exception:
        with exc:
            body = exc.read(100_000)
        try:
            fault = msgspec.json.decode(body, type=_Refusal).error
        except (msgspec.DecodeError, msgspec.ValidationError):
            fault = _Fault(exc.reason or "no reason given")
        if exc.code in _PASSING:
            return _Passing(f"{exc.code}: {fault.message}")
        if fault.index is not None:
            index = first + fault.index
        return EntitiesFailed(f"The sidecar at {self._url} refused ({exc.code}): {fault.message}", index=index)


class _Passing(Exception):
    """Trouble that may be over the next time."""


def _check_url(url: str) -> str:
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.netloc:
        raise EntitiesFailed(
            f"{url!r} is no address of a sidecar: set COGNIVERSE_MODELS_URL to one such as http://127.0.0.1:8100."
        )
    return url.rstrip("/")
