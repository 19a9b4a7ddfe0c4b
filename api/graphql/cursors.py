"""Opaque cursors: a place in one ordered list of one tenant, signed so that they fit no other.

A cursor says after which sort values to go on, not how many items to skip: items that come or go between two pages
move no other.
"""

import base64
import binascii
import hashlib
import hmac
from typing import Final

import msgspec

from graph.answers import Key
from graph.errors import InvalidInput

_SIGNATURE_BYTES: Final = 12
_MAX_CHARS: Final = 8_000
_decoder = msgspec.json.Decoder(list[str | int | float])


class CursorSigner:
    """Makes and reads cursors with the secret of this installation."""

    def __init__(self, secret: bytes) -> None:
        self._secret = secret

    def encode(self, tenant: str, of: str, key: Key) -> str:
        """Return the cursor of the place `key` in the list `of` (its kind, parent and order) of a tenant."""
        payload = msgspec.json.encode(key)
        return base64.urlsafe_b64encode(self._sign(tenant, of, payload) + payload).decode("ascii").rstrip("=")

    def decode(self, tenant: str, of: str, cursor: str) -> Key:
        """Return the place. Raises InvalidInput for a cursor of another list, order or tenant, or of no list at all."""
        try:
            key = self._open(tenant, of, cursor)
        except (ValueError, binascii.Error, msgspec.DecodeError):
            key = None
        if key is None:
            raise InvalidInput(
                "This cursor is not of this list: take `endCursor` from the page before, asked with the same arguments."
            )
        return key

    def _open(self, tenant: str, of: str, cursor: str) -> Key | None:
        if len(cursor) > _MAX_CHARS:
            return None
        data = base64.urlsafe_b64decode(cursor.encode("ascii") + b"=" * (-len(cursor) % 4))
        signature, payload = data[:_SIGNATURE_BYTES], data[_SIGNATURE_BYTES:]
        if not hmac.compare_digest(signature, self._sign(tenant, of, payload)):
            return None
        return tuple(_decoder.decode(payload))

    def _sign(self, tenant: str, of: str, payload: bytes) -> bytes:
        message = b"\0".join((tenant.encode(), of.encode("utf-8", "surrogatepass"), payload))
        return hmac.digest(self._secret, message, hashlib.sha256)[:_SIGNATURE_BYTES]
