import hashlib
import re
from html.parser import HTMLParser

import httpx
import pytest
from starlette.applications import Starlette
from starlette.responses import HTMLResponse

from api.pages import graphiql_page, openapi_page, static_routes
from api.pages.assets import FOLDER, get_asset_name

PAGES = pytest.mark.parametrize("make", [graphiql_page, openapi_page])


class Tags(HTMLParser):
    def __init__(self, page: HTMLResponse) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.inline = ""
        self.feed(bytes(page.body).decode())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        if self.found and self.found[-1][0] in ("script", "style"):
            self.inline += data.strip()

    def addresses(self) -> list[str]:
        return [attrs.get("src") or attrs.get("href") or "" for tag, attrs in self.found if tag in ("script", "link")]


def _client() -> httpx.AsyncClient:
    app = Starlette(routes=static_routes())
    return httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://127.0.0.1", follow_redirects=True)


def _parse_policy(page: HTMLResponse) -> dict[str, list[str]]:
    directives = (part.split() for part in page.headers["content-security-policy"].split(";"))
    return {name: values for name, *values in directives}


@PAGES
def test_a_page_has_a_strict_policy_without_anything_unsafe(make) -> None:
    page = make()

    policy = _parse_policy(page)
    assert "unsafe" not in page.headers["content-security-policy"]
    assert policy["default-src"] == policy["base-uri"] == policy["frame-ancestors"] == ["'none'"]
    assert policy["connect-src"] == ["'self'"]
    assert all(value.startswith("'nonce-") for value in policy["script-src"] + policy["style-src"])


@PAGES
def test_a_page_has_no_inline_script_or_style_and_each_file_bears_the_nonce(make) -> None:
    page = make()

    tags = Tags(page)
    (nonce,) = _parse_policy(page)["script-src"]
    assert tags.inline == ""
    assert not any(name.startswith("on") or name == "style" for _, attrs in tags.found for name in attrs)
    loading = [attrs for tag, attrs in tags.found if tag == "script" or attrs.get("rel") == "stylesheet"]
    assert [f"'nonce-{attrs['nonce']}'" for attrs in loading] == [nonce, nonce]


@PAGES
def test_a_page_has_a_nonce_of_its_own_and_is_not_stored(make) -> None:
    assert _parse_policy(make())["script-src"] != _parse_policy(make())["script-src"]
    assert make().headers["cache-control"] == "no-store"


@PAGES
async def test_all_that_a_page_loads_is_served_and_may_be_kept_for_ever(make) -> None:
    addresses = [address for address in Tags(make()).addresses() if not address.startswith("data:")]

    assert len(addresses) == 2
    async with _client() as client:
        for address in addresses:
            answer = await client.get(f"/{address}")
            assert answer.status_code == 200
            assert answer.headers["cache-control"] == "public, max-age=31536000, immutable"
            assert answer.headers["x-content-type-options"] == "nosniff"
            assert answer.headers["content-type"].split(";")[0] in ("text/javascript", "text/css")


def test_the_name_of_a_file_holds_the_hash_of_what_is_in_it() -> None:
    hashed = [file for file in FOLDER.iterdir() if file.suffix in (".js", ".css")]

    assert len(hashed) == 4
    for file in hashed:
        assert file.name.split(".")[1] == hashlib.sha256(file.read_bytes()).hexdigest()[:16], file.name


def test_the_files_are_small_enough_and_their_licences_are_told() -> None:
    licences = (FOLDER / "LICENSES.txt").read_text(encoding="utf-8")

    assert sum((FOLDER / get_asset_name(f"graphiql.{kind}")).stat().st_size for kind in ("js", "css")) < 1_500_000
    for name in ("graphiql", "graphql", "graphql-ws", "react", "react-dom", "codemirror", "swagger-ui-dist"):
        assert re.search(rf"^{re.escape(name)} \d+\.\d+\.\d+ \(\S+\)$", licences, re.MULTILINE), name


def test_the_style_sheets_name_nothing_to_load() -> None:
    for kind in ("graphiql.css", "openapi.css"):
        text = (FOLDER / get_asset_name(kind)).read_text(encoding="utf-8")
        assert not re.search(r"url\(\s*(?![\"']?(?:data:|#))|@import", text), kind


@pytest.mark.parametrize("path", ["manifest.js", "../page.py", "..%2fpage.py", "%2e%2e/page.py", "", "."])
async def test_nothing_else_is_served(path: str) -> None:
    async with _client() as client:
        assert (await client.get(f"/static/{path}")).status_code in (404, 405)


async def test_what_has_no_hash_in_its_name_is_asked_for_again() -> None:
    async with _client() as client:
        first = await client.get("/static/LICENSES.txt")
        again = await client.get("/static/LICENSES.txt", headers={"If-None-Match": first.headers["etag"]})

    assert first.headers["cache-control"] == "no-cache"
    assert again.status_code == 304
