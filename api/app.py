"""The HTTP application: GraphQL, its REST twin, exports, health and metrics."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Final

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import Mount, Route, WebSocketRoute

from api.config import Settings, load_settings
from api.graphql.schema import make_schema
from api.graphql.view import GraphQLView
from api.http import make_middleware
from api.observability.logs import configure_logging
from api.observability.metrics import render_metrics
from api.observability.tracing import configure_tracing
from api.pages import graphiql_page, openapi_page, static_routes
from api.rest import make_rest_app
from api.services import Services, make_services
from graph.errors import NotFound

_MEDIA_TYPES: Final = {
    "cypher": "text/plain; charset=utf-8",
    "graphml": "application/xml",
    "jsonl": "application/x-ndjson",
}


def create_app(settings: Settings | None = None) -> Starlette:
    """Return the application; without settings those of the environment are taken, and logging is set up."""
    if settings is None:
        settings = load_settings()
        configure_logging(settings)
        if settings.otlp_endpoint is not None:
            configure_tracing(settings.otlp_endpoint)
    services = make_services(settings)
    with_graphiql = not settings.production if settings.graphiql is None else settings.graphiql
    graphql = GraphQLView(make_schema(settings), services, page=graphiql_page if with_graphiql else None)
    routes = [
        Route("/graphql", graphql),
        WebSocketRoute("/graphql", graphql),
        Route("/exports/{tenant}/{name}", _download),
        Route("/health/live", _live),
        Route("/health/ready", _ready),
        Route("/metrics", render_metrics),
        Route("/docs", _show_openapi),
        Route("/", _welcome),
        *static_routes(),
        Mount("/", make_rest_app(services)),
    ]
    app = Starlette(routes=routes, middleware=make_middleware(settings, services.authenticator), lifespan=_lifespan)
    app.state.services = services
    return app


@asynccontextmanager
async def _lifespan(app: Starlette) -> AsyncGenerator[None]:
    services: Services = app.state.services
    await services.start()
    try:
        yield
    finally:
        await services.close()


async def _download(request: Request) -> Response:
    services: Services = request.app.state.services
    name = request.path_params["name"]
    try:
        file = services.exports.get_file(request.path_params["tenant"], name, request.query_params.get("signature", ""))
    except NotFound as exc:
        return JSONResponse({"error": {"code": "NOT_FOUND", "message": str(exc), "candidates": []}}, status_code=404)
    suffix = name.rpartition(".")[2]
    return FileResponse(file, media_type=_MEDIA_TYPES[suffix], filename=f"graph.{suffix}")


async def _show_openapi(request: Request) -> Response:  # noqa: ARG001
    return openapi_page()


async def _welcome(request: Request) -> Response:  # noqa: ARG001
    return RedirectResponse("/docs")


async def _live(request: Request) -> Response:  # noqa: ARG001
    return JSONResponse({"status": "ok"})


async def _ready(request: Request) -> Response:
    services: Services = request.app.state.services
    checks = await services.check_health()
    ready = all(check.ok for check in checks)
    body = {"status": "ok" if ready else "degraded", "checks": [{"name": one.name, "ok": one.ok} for one in checks]}
    return JSONResponse(body, status_code=200 if ready else 503)
