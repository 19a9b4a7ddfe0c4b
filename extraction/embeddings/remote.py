"""Vectors from a server that speaks OpenAI's API.

Source: https://platform.openai.com/docs/api-reference/embeddings/create
"""

import http.client
import itertools
import json
import time
import urllib.error
import urllib.request
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, cast

from extraction.embeddings.base import EmbeddingsFailed
from extraction.embeddings.unit import unit_vectors

_BATCH: Final = 64
_ATTEMPTS: Final = 4
_HASTY_ATTEMPTS: Final = 2
"""For one text, such as a query: somebody waits."""

_FIRST_PAUSE_S: Final = 0.5
_LONGEST_PAUSE_S: Final = 30.0
_PASSING: Final = frozenset({408, 409, 425, 429, 500, 502, 503, 504})
_PROBE: Final = "dimension"
_LARGEST_ANSWER: Final = 64_000_000


class RemoteEmbedder:
    """An embedding model behind an address. Asks the server once, to learn the dimension."""

    def __init__(self, url: str, model: str, *, key: str | None = None, timeout_s: float = 30.0) -> None:
        if not url.lower().startswith(("http://", "https://")):
            raise EmbeddingsFailed(
                f"The address of the embedding server is {url!r}: it must begin with http:// or https://."
            )
        self._url = url.rstrip("/") + "/embeddings"
        self._key = key
        self._timeout_s = timeout_s
        self._opener = urllib.request.build_opener(_NoRedirects)
        self.model = model
        self.dimension = len(self._embed_batch([_PROBE])[0])

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """A vector of unit length for each text. Raises EmbeddingsFailed."""
        starts = range(0, len(texts), _BATCH)
        vectors = list(itertools.chain.from_iterable(self._embed_batch(texts[one : one + _BATCH]) for one in starts))
        odd = next((vector for vector in vectors if len(vector) != self.dimension), None)
        if odd is not None:
            raise EmbeddingsFailed(f"{self._said()} gave vectors of {len(odd)} after some of {self.dimension}.")
        return vectors

    def _embed_batch(self, texts: Sequence[str]) -> list[list[float]]:
        attempts = _HASTY_ATTEMPTS if len(texts) == 1 else _ATTEMPTS
        answer = self._ask(attempts, {"model": self.model, "input": list(texts), "encoding_format": "float"})
        return unit_vectors(self._read(answer), model=self.model, count=len(texts))

    def _ask(self, attempts: int, body: Mapping[str, object]) -> bytes:
        pause_s = _FIRST_PAUSE_S
        for attempt in range(1, attempts + 1):
            try:
                return self._send(body)
            except _Passing as exc:
                if attempt == attempts:
                    raise EmbeddingsFailed(f"{self._said()} failed {attempt} times: {exc.reason}.") from exc
                time.sleep(min(exc.after_s or pause_s, _LONGEST_PAUSE_S))
                pause_s *= 2
        raise AssertionError

    def _send(self, body: Mapping[str, object]) -> bytes:
        headers = {"Content-Type": "application/json", "Accept": "application/json"}
        if self._key:
            headers["Authorization"] = f"Bearer {self._key}"
        request = urllib.request.Request(self._url, json.dumps(body).encode(), headers)  # noqa: S310 - checked above
        try:
            with self._opener.open(request, timeout=self._timeout_s) as response:
                return response.read(_LARGEST_ANSWER)
        except urllib.error.HTTPError as exc:
            with exc:
                raise self._refused(exc) from exc
        except (OSError, http.client.HTTPException) as exc:
            raise _Passing(f"it does not answer ({exc})") from exc

    def _refused(self, exc: urllib.error.HTTPError) -> Exception:
        said = " ".join(exc.read(2_000).decode("utf-8", "replace").split())[:300]
        if exc.code in _PASSING:
            return _Passing(f"status {exc.code} {said}", _seconds(exc.headers.get("Retry-After")))
        way_out = {
            401: "set COGNIVERSE_EMBEDDING_KEY",
            403: "set COGNIVERSE_EMBEDDING_KEY",
            404: "check COGNIVERSE_EMBEDDING_URL, which usually ends in /v1, and COGNIVERSE_EMBEDDING_MODEL",
        }.get(exc.code, "check COGNIVERSE_EMBEDDING_MODEL")
        return EmbeddingsFailed(f"{self._said()} refused with status {exc.code}: {way_out}. It said: {said}")

    def _read(self, answer: bytes) -> list[list[float]]:
        try:
            rows = cast("list[dict[str, Any]]", json.loads(answer)["data"])
            ordered = sorted(rows, key=lambda row: int(row["index"]))
            return [[float(value) for value in row["embedding"]] for row in ordered]
        except (ValueError, KeyError, TypeError) as exc:
            raise EmbeddingsFailed(
                f"{self._said()} gave an answer that OpenAI's API does not have: {answer[:100]!r}. "
                "Check COGNIVERSE_EMBEDDING_URL."
            ) from exc

    def _said(self) -> str:
        return f"The embedding server at {self._url} (model {self.model!r})"


@dataclass
class _Passing(Exception):
    """A failure that may be gone in a while."""

    reason: str
    after_s: float | None = None


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """A key is for the address that it was given for."""

    def redirect_request(self, *args: object, **kwargs: object) -> None:
        """Go nowhere: the status is the answer then."""


def _seconds(value: str | None) -> float | None:
    try:
        return max(0.0, float(value)) if value else None
    except ValueError:
        return None
