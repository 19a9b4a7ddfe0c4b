"""The HTML of the pages, under a policy that lets nothing in but our own files."""

import secrets
from string import Template
from typing import Final

from starlette.responses import HTMLResponse

from api.pages.assets import get_asset_name

# No inline script. The nonce serves the style element that GraphiQL's dialogs add.
_POLICY: Final = Template(
    "default-src 'none'; script-src 'nonce-$nonce'; style-src 'nonce-$nonce'; img-src 'self' data:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
# Addresses are relative, so that the page also works under a proxy's prefix.
_PAGE: Final = Template("""\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>$title</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" nonce="$nonce" href="static/$style">
</head>
<body>
<main id="root"></main>
<noscript>This page needs JavaScript.</noscript>
<script nonce="$nonce" src="static/$script"></script>
</body>
</html>
""")


def graphiql_page() -> HTMLResponse:
    """Return GraphiQL, which asks the address that it is served at."""
    return _make_page("GraphiQL · Cogniverse Graph", "graphiql")


def openapi_page() -> HTMLResponse:
    """Return the page that shows and tries `openapi.json`, which is looked for beside it."""
    return _make_page("REST · Cogniverse Graph", "openapi")


def _make_page(title: str, bundle: str) -> HTMLResponse:
    nonce = secrets.token_urlsafe(16)
    return HTMLResponse(
        _PAGE.substitute(
            title=title, nonce=nonce, style=get_asset_name(f"{bundle}.css"), script=get_asset_name(f"{bundle}.js")
        ),
        headers={
            "Content-Security-Policy": _POLICY.substitute(nonce=nonce),
            "Cache-Control": "no-store",
            "Referrer-Policy": "no-referrer",
            "X-Content-Type-Options": "nosniff",
        },
    )
