"""The pages in a real browser: they work under their own policy, and load nothing from elsewhere."""

import asyncio
import json
import socket
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
import strawberry
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route, WebSocketRoute
from strawberry.asgi import GraphQL
from strawberry.types import Info

from api.pages import graphiql_page, openapi_page, static_routes
from tests.browser import Tab, find_browser, open_tab

BROWSER = find_browser()
pytestmark = pytest.mark.skipif(BROWSER is None, reason="No Chromium here: CHROMIUM may name one.")

KEY = "cgk_browser_test"
EDITOR_IS_THERE = """document.querySelector(".graphiql-query-editor .CodeMirror") !== null"""


@strawberry.type
class Query:
    @strawberry.field
    def caller(self, info: Info) -> str:
        return info.context["request"].headers.get("authorization", "nobody")


@strawberry.type
class Subscription:
    @strawberry.subscription
    async def caller(self, info: Info) -> AsyncIterator[str]:
        yield (info.context["connection_params"] or {}).get("Authorization", "nobody")


ENDPOINT = GraphQL(strawberry.Schema(Query, subscription=Subscription), graphql_ide=None)


class Endpoint:
    """The page for a browser's GET, else GraphQL."""

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        is_page = scope["type"] == "http" and scope["method"] == "GET"
        await (graphiql_page() if is_page else ENDPOINT)(scope, receive, send)


async def _describe(request: Request) -> Response:
    described = {
        "openapi": "3.1.0",
        "info": {"title": "Doors", "version": "1"},
        "paths": {"/whoami": {"get": {"summary": "Who asks", "responses": {"200": {"description": "The caller"}}}}},
    }
    return JSONResponse(described)


async def _tell_caller(request: Request) -> Response:
    return JSONResponse({"caller": request.headers.get("authorization", "nobody")})


async def _show_docs(request: Request) -> Response:
    return openapi_page()


@pytest_asyncio.fixture
async def site() -> AsyncIterator[str]:
    app = Starlette(
        routes=[
            Route("/graphql", Endpoint()),
            WebSocketRoute("/graphql", Endpoint()),
            Route("/docs", _show_docs),
            Route("/openapi.json", _describe),
            Route("/whoami", _tell_caller),
            *static_routes(),
        ]
    )
    with socket.create_server(("127.0.0.1", 0)) as listener:
        server = uvicorn.Server(uvicorn.Config(app, log_level="error", lifespan="off", ws="websockets-sansio"))
        running = asyncio.create_task(server.serve(sockets=[listener]))
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        server.should_exit = True
        await running


@pytest_asyncio.fixture
async def tab(tmp_path: Path) -> AsyncIterator[Tab]:
    assert BROWSER is not None
    async with open_tab(BROWSER, tmp_path) as opened:
        yield opened


async def _run(tab: Tab, query: str) -> str:
    await tab.evaluate(
        f"""document.querySelector(".graphiql-query-editor .CodeMirror").CodeMirror.setValue({json.dumps(query)})"""
    )
    # What is typed becomes known to the page a tenth of a second later; a person's hand is slower than that.
    await asyncio.sleep(0.5)
    await tab.evaluate("""document.querySelector(".graphiql-execute-button").click()""")
    return await tab.wait_for(
        """document.querySelector(".result-window .CodeMirror").CodeMirror.getValue().includes("caller") &&
           document.querySelector(".result-window .CodeMirror").CodeMirror.getValue()"""
    )


async def _give_key(tab: Tab) -> None:
    await tab.evaluate(
        f"""document.querySelector(".key-bar input").value = {json.dumps(KEY)};
            document.querySelector(".key-bar button").click()"""
    )


async def _assert_clean(tab: Tab, site: str) -> None:
    assert tab.complaints == []
    assert await tab.evaluate("window.violations") == []
    outside = [
        url
        for url in tab.requests
        if not url.startswith((site, site.replace("http", "ws", 1), "data:")) and url != "about:blank"
    ]
    assert outside == []


async def test_graphiql_mounts_and_completes_by_the_schema(site: str, tab: Tab) -> None:
    await tab.call("Page.navigate", url=f"{site}/graphql")

    await tab.wait_for(EDITOR_IS_THERE)
    await tab.evaluate("""document.querySelector("[aria-label='Show Documentation Explorer']").click()""")
    await tab.wait_for("""document.querySelector(".graphiql-doc-explorer")?.textContent.includes("Subscription")""")
    await _assert_clean(tab, site)


async def test_graphiql_sends_the_key_of_the_session_by_http_and_websocket(site: str, tab: Tab) -> None:
    await tab.call("Page.navigate", url=f"{site}/graphql")
    await tab.wait_for(EDITOR_IS_THERE)

    assert "nobody" in await _run(tab, "{ caller }")
    await _give_key(tab)
    assert f"Bearer {KEY}" in await _run(tab, "query Again { caller }")
    await tab.evaluate("""document.querySelector(".result-window .CodeMirror").CodeMirror.setValue("")""")
    assert f"Bearer {KEY}" in await _run(tab, "subscription { caller }")

    assert any(url.startswith("ws://") for url in tab.requests)
    assert await tab.evaluate("Object.values(sessionStorage)") == [KEY]
    assert KEY not in await tab.evaluate("JSON.stringify(localStorage) + document.cookie")
    await _assert_clean(tab, site)


async def test_graphiql_opens_its_dialogs_under_the_policy(site: str, tab: Tab) -> None:
    await tab.call("Page.navigate", url=f"{site}/graphql")
    await tab.wait_for(EDITOR_IS_THERE)

    for dialog in ("Open settings dialog", "Open short keys dialog"):
        await tab.evaluate(f"""document.querySelector("[aria-label='{dialog}']").click()""")
        await tab.wait_for("""document.querySelector("[role=dialog]") !== null""")
        await tab.evaluate("""document.querySelector(".graphiql-dialog-close").click()""")
        await tab.wait_for("""document.querySelector("[role=dialog]") === null""")
    await _assert_clean(tab, site)


async def test_the_rest_page_shows_the_doors_and_tries_them_with_the_key(site: str, tab: Tab) -> None:
    await tab.call("Page.navigate", url=f"{site}/docs")

    await tab.wait_for("""document.querySelector(".opblock-summary-path") !== null""")
    await _give_key(tab)
    await tab.wait_for("""document.querySelector(".opblock-summary-control") !== null""")
    await tab.evaluate("""document.querySelector(".opblock-summary-control").click()""")
    await tab.wait_for("""document.querySelector(".try-out__btn") !== null""")
    await tab.evaluate("""document.querySelector(".try-out__btn").click()""")
    await tab.wait_for("""document.querySelector(".execute") !== null""")
    await tab.evaluate("""document.querySelector(".execute").click()""")
    await tab.wait_for(f"""document.querySelector(".live-responses-table")?.textContent.includes("Bearer {KEY}")""")
    await _assert_clean(tab, site)
