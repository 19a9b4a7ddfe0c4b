"""Requests that come from this very machine, and from no web page that somebody else put there.

A page from anywhere can have its reader's browser call 127.0.0.1, under a name of its own (DNS rebinding) or as a form,
so the peer's address alone does not tell a friend.
"""

import ipaddress
from collections.abc import Sequence
from functools import lru_cache
from typing import Final
from urllib.parse import urlsplit

from starlette.requests import HTTPConnection

from graph.errors import Unauthenticated

_FORWARDED: Final = frozenset({"forwarded", "x-forwarded-for", "x-forwarded-host", "x-real-ip"})
_FIX: Final = "make a key with `cogniverse key create` and send it"


@lru_cache(maxsize=1_000)
def is_loopback(host: str) -> bool:
    """Tell whether an address or a host's name means this machine alone."""
    name = host.removeprefix("[").removesuffix("]").rstrip(".").lower()
    if name == "localhost" or name.endswith(".localhost"):
        return True
    try:
        address = ipaddress.ip_address(name)
    except ValueError:
        return False
    mapped = address.ipv4_mapped if isinstance(address, ipaddress.IPv6Address) else None
    return (mapped or address).is_loopback


def check_local(connection: HTTPConnection, origins: Sequence[str]) -> None:
    """Raise Unauthenticated unless a request was made on this machine, and by no page but ours or `origins`' own."""
    client = connection.client
    if client is None or not is_loopback(client.host):
        raise Unauthenticated(f"No key is set up, so only this machine is served: {_FIX}.")
    if not _FORWARDED.isdisjoint(connection.headers.keys()):
        raise Unauthenticated(f"No key is set up, so nothing that a proxy hands on is served: {_FIX}.")
    if not is_loopback(_host_of(connection.headers.get("host", ""))):
        raise Unauthenticated(f"No key is set up, so only the host name localhost is served: use it, or {_FIX}.")
    origin = connection.headers.get("origin")
    if origin is not None and origin not in origins and not is_loopback(_host_of(urlsplit(origin).netloc)):
        raise Unauthenticated(f"No key is set up, so no pages from elsewhere are served: {_FIX}.")


def _host_of(netloc: str) -> str:
    try:
        return urlsplit(f"//{netloc}").hostname or ""
    except ValueError:
        return ""
