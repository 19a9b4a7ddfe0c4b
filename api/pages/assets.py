"""The files that pages load, each named by the hash of what is in it."""

import os
import re
from functools import cache
from pathlib import Path
from typing import Final

import msgspec
from starlette.responses import Response
from starlette.routing import BaseRoute, Mount
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

FOLDER: Final = Path(__file__).with_name("static")
_HASHED: Final = re.compile(r"\.[0-9a-f]{16}\.(?:js|css)$")
_FOREVER: Final = "public, max-age=31536000, immutable"


@cache
def get_asset_name(name: str) -> str:
    """Return the name with its hash, such as `graphiql.0123456789abcdef.js` for `graphiql.js`. Raises KeyError."""
    return msgspec.json.decode((FOLDER / "manifest.json").read_bytes(), type=dict[str, str])[name]


def static_routes() -> list[BaseRoute]:
    """Return the routes of the pages' files: what has a hash in its name may be cached for ever."""
    return [Mount("/static", app=_Assets(directory=FOLDER), name="static")]


class _Assets(StaticFiles):
    async def get_response(self, path: str, scope: Scope) -> Response:
        response = await super().get_response(path, scope)
        response.headers["Cache-Control"] = _FOREVER if _HASHED.search(os.fspath(path)) else "no-cache"
        response.headers["X-Content-Type-Options"] = "nosniff"
        return response
