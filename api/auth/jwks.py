"""The public keys of a token issuer, fetched from its address and kept for a while."""

import asyncio
import time
import urllib.request
from typing import Final
from urllib.parse import urlsplit

import jwt
import msgspec

from api.auth.loopback import is_loopback
from graph.errors import InvalidInput, NotAvailable

_KEPT_S: Final = 600.0
_LEAST_PAUSE_S: Final = 10.0
_TIMEOUT_S: Final = 5.0
_MAX_BYTES: Final = 1_000_000


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """Takes keys from the address that is set and from no other, which may be less safe."""

    def redirect_request(self, *_: object) -> None:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Follow nothing: the answer counts as an error."""


class KeySet:
    """The keys at an address. An unknown id has them fetched again, at most once in a pause, so nobody can flood it."""

    def __init__(self, url: str, *, pause_s: float = _LEAST_PAUSE_S) -> None:
        """Raises InvalidInput for an address that anyone on the way could answer for."""
        parts = urlsplit(url)
        if parts.scheme != "https" and not (parts.scheme == "http" and is_loopback(parts.hostname or "")):
            raise InvalidInput(f"COGNIVERSE_JWT_JWKS_URL is {url[:200]!r}: it must begin with https://.")
        self._url = url
        self._pause_s = pause_s
        self._keys: dict[str | None, jwt.PyJWK] = {}
        self._fetched_at = self._tried_at = float("-inf")
        self._lock = asyncio.Lock()

    async def find(self, key_id: str | None) -> jwt.PyJWK | None:
        """Return the key of an id; a set of one key needs none. Raises NotAvailable when there are no keys yet."""
        if self._pick(key_id) is None or time.monotonic() - self._fetched_at > _KEPT_S:
            await self._refresh(key_id)
        return self._pick(key_id)

    def _pick(self, key_id: str | None) -> jwt.PyJWK | None:
        if key_id is None and len(self._keys) == 1:
            return next(iter(self._keys.values()))
        return self._keys.get(key_id)

    async def _refresh(self, key_id: str | None) -> None:
        async with self._lock:
            now = time.monotonic()
            fresh = now - self._fetched_at <= _KEPT_S
            if now - self._tried_at < self._pause_s or (fresh and self._pick(key_id) is not None):
                return
            self._tried_at = now
            try:
                self._keys = await asyncio.to_thread(self._fetch)
                self._fetched_at = time.monotonic()
            except (OSError, ValueError, msgspec.DecodeError, jwt.PyJWTError) as exc:
                if not self._keys:
                    raise NotAvailable(f"Tokens can't be checked now: {self._url} gives no keys ({exc}).") from exc

    def _fetch(self) -> dict[str | None, jwt.PyJWK]:
        request = urllib.request.Request(self._url, headers={"Accept": "application/json"})  # noqa: S310 - see above
        opener = urllib.request.build_opener(_NoRedirects)
        with opener.open(request, timeout=_TIMEOUT_S) as answer:
            text = answer.read(_MAX_BYTES + 1)
        if len(text) > _MAX_BYTES:
            raise ValueError("the key set is too large")
        found = msgspec.json.decode(text, type=dict[str, object])
        keys = jwt.PyJWKSet.from_dict(found).keys
        return {key.key_id: key for key in keys if key.public_key_use in (None, "sig")}
