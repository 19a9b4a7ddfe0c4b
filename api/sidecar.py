"""The server of `cogniverse models serve`: entities and vectors for other processes, over HTTP."""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Annotated, Final, TypeVar

import msgspec
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from api.auth.loopback import check_local
from api.http.bodies import BodyLimitMiddleware
from api.http.faults import FaultMiddleware
from extraction.embeddings.base import Embedder
from extraction.entities.base import EntityOptions, EntitySpan
from extraction.entities.labels import parse_labels
from extraction.entities.model import ModelExtractor, SpanModel
from extraction.entities.sidecar import Answer, Span
from graph.errors import CogniverseError, InvalidInput, LimitExceeded, NotAvailable, NotFound, Unauthenticated

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

MAX_BODY_BYTES: Final = 16_000_000
MAX_TEXTS: Final = 1_024
MAX_CHARS: Final = 1_000_000
"""The most characters of a text."""

_Value = TypeVar("_Value")
_MAX_WAITING: Final = 32
_STATUS: Final[tuple[tuple[type[CogniverseError], int], ...]] = (
    (InvalidInput, 422),
    (Unauthenticated, 401),
    (NotFound, 404),
    (LimitExceeded, 503),
    (NotAvailable, 503),
)


class EntitiesRequest(msgspec.Struct, forbid_unknown_fields=True):
    """`POST /entities`; labels and threshold are by default those of the server's settings."""

    texts: list[str]
    labels: list[str] | None = None
    threshold: Annotated[float, msgspec.Meta(ge=0.0, le=1.0)] | None = None


class EmbeddingsRequest(msgspec.Struct):
    """`POST /embeddings`, as OpenAI has it; fields that it knows and this server doesn't are ignored."""

    input: str | list[str]
    model: str | None = None


class Sidecar:
    """The loaded models, and whose turn it is: one call at a time, a few may wait."""

    def __init__(self, options: EntityOptions, model: SpanModel | None, embedder: Embedder | None) -> None:
        self._options = options
        self._model = model
        self._embedder = embedder
        self._turn = asyncio.Semaphore(1)
        self._waiting = 0

    @property
    def names(self) -> dict[str, str | None]:
        """What is loaded."""
        return {
            "entities": self._model.name if self._model else None,
            "embeddings": self._embedder.model if self._embedder else None,
        }

    async def extract(self, asked: EntitiesRequest) -> Answer:
        """Find the entities of texts. Raises NotFound when no model is loaded, EntitiesFailed and InvalidInput."""
        if self._model is None:
            raise NotFound("This server has no entity model: run `cogniverse models fetch` and start it again.")
        _check_texts(asked.texts)
        extractor = ModelExtractor(
            self._model,
            kinds=parse_labels(self._options.labels if asked.labels is None else asked.labels),
            threshold=self._options.threshold if asked.threshold is None else asked.threshold,
            batch=self._options.batch,
        )
        found = await self._take_turn(lambda: extractor.extract(asked.texts)) if asked.texts else []
        entities = [[_put(span) for span in spans] for spans in found]
        return Answer(entities, self._model.name, extractor.fingerprint)

    async def embed(self, texts: list[str]) -> tuple[str, list[list[float]]]:
        """The model's name and the vectors of texts. Raises NotFound when no model is loaded."""
        embedder = self._embedder
        if embedder is None:
            raise NotFound("This server has no embedding model: run `cogniverse models fetch` and start it again.")
        _check_texts(texts)
        return embedder.model, await self._take_turn(lambda: embedder.embed(texts))

    async def _take_turn(self, work: Callable[[], _Value]) -> _Value:
        if self._waiting >= _MAX_WAITING:
            raise LimitExceeded(f"{_MAX_WAITING} calls wait already: try again in a moment.")
        self._waiting += 1
        try:
            async with self._turn:
                return await run_in_threadpool(work)
        finally:
            self._waiting -= 1


def create_sidecar(sidecar: Sidecar, *, loopback_only: bool) -> Starlette:
    """The application. With `loopback_only`, pages from elsewhere and what proxies hand on are refused."""

    @asynccontextmanager
    async def lifespan(app: Starlette) -> "AsyncGenerator[None]":
        app.state.sidecar = sidecar
        app.state.loopback_only = loopback_only
        yield

    return Starlette(
        routes=[
            Route("/entities", _extract, methods=["POST"]),
            Route("/embeddings", _embed, methods=["POST"]),
            Route("/v1/embeddings", _embed, methods=["POST"]),
            Route("/health/live", _live),
            Route("/health/ready", _ready),
        ],
        middleware=[
            Middleware(FaultMiddleware),
            Middleware(BodyLimitMiddleware, max_body_bytes=MAX_BODY_BYTES, max_upload_bytes=MAX_BODY_BYTES),
        ],
        exception_handlers={CogniverseError: _refuse, HTTPException: _refuse_route},
        lifespan=lifespan,
    )


async def _extract(request: Request) -> Response:
    sidecar = _enter(request)
    return _answer(await sidecar.extract(await _read(request, EntitiesRequest)))


async def _embed(request: Request) -> Response:
    sidecar = _enter(request)
    asked = await _read(request, EmbeddingsRequest)
    model, vectors = await sidecar.embed([asked.input] if isinstance(asked.input, str) else asked.input)
    data = [{"object": "embedding", "index": index, "embedding": vector} for index, vector in enumerate(vectors)]
    return _answer({"object": "list", "data": data, "model": model, "usage": {"prompt_tokens": 0, "total_tokens": 0}})


async def _live(request: Request) -> Response:  # noqa: ARG001
    return _answer({"status": "ok"})


async def _ready(request: Request) -> Response:
    names = _enter(request).names
    ready = any(names.values())
    return _answer({"status": "ok" if ready else "degraded", "models": names}, status=200 if ready else 503)


def _enter(request: Request) -> Sidecar:
    if request.app.state.loopback_only:
        check_local(request, ())
    return request.app.state.sidecar


async def _read(request: Request, kind: type[_Value]) -> _Value:
    try:
        return msgspec.json.decode(await request.body(), type=kind)
    except (msgspec.DecodeError, msgspec.ValidationError, UnicodeDecodeError) as exc:
        raise InvalidInput(f"The body can't be read as JSON of the right shape: {exc}.") from exc


def _check_texts(texts: Sequence[str]) -> None:
    if len(texts) > MAX_TEXTS:
        raise InvalidInput(f"{len(texts):,} texts at once: {MAX_TEXTS:,} is the most, send fewer.")
    for index, text in enumerate(texts):
        if len(text) > MAX_CHARS:
            raise InvalidInput(
                f"Text {index} has {len(text):,} characters: {MAX_CHARS:,} is the most, send it in parts."
            )


def _put(span: EntitySpan) -> Span:
    return Span(span.char_start, span.char_end, span.text, span.kind, span.score)


def _answer(value: object, *, status: int = 200) -> Response:
    return Response(msgspec.json.encode(value), status, media_type="application/json")


async def _refuse(request: Request, exc: Exception) -> Response:  # noqa: ARG001
    status = next((status for kind, status in _STATUS if isinstance(exc, kind)), 500)
    error = {"code": type(exc).__name__, "message": str(exc), "index": getattr(exc, "index", None)}
    return _answer({"error": error}, status=status)


async def _refuse_route(request: Request, exc: Exception) -> Response:
    status = exc.status_code if isinstance(exc, HTTPException) else 404
    message = f"{request.method} {request.url.path[:80]} is nothing that is served here."
    return JSONResponse({"error": {"code": "NotFound", "message": message, "index": None}}, status_code=status)
