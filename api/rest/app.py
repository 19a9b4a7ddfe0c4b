"""The REST application with its OpenAPI description."""

from importlib.metadata import version

from fastapi import FastAPI

from api.rest import graph, ingestion
from api.rest.errors import handle_errors
from api.services import Services


def make_rest_app(services: Services) -> FastAPI:
    """Return the application; its description is at /openapi.json."""
    app = FastAPI(
        title="Cogniverse Graph",
        version=version("cogniverse-graph"),
        summary="A multi-tenant knowledge graph of code, documents and recordings. GraphQL is at /graphql.",
        docs_url=None,
        redoc_url=None,
        openapi_url="/openapi.json",
    )
    app.state.services = services
    app.include_router(graph.router)
    app.include_router(ingestion.router)
    handle_errors(app)
    return app
