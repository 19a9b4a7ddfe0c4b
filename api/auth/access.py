"""From a request to who sent it: by a key, a token, or from this very machine while neither is set up."""

from collections.abc import Mapping
from typing import Final

from starlette.requests import HTTPConnection

from api.auth.keys import KEY_PREFIX, KeyStore
from api.auth.loopback import check_local
from api.auth.principal import EVERYTHING, Principal, Role
from api.auth.tokens import TokenVerifier
from api.config import Settings
from api.observability.record import note_principal
from graph.errors import Unauthenticated

__all__ = ["Authenticator", "Principal", "Role"]

_STATE: Final = "principal"
_LOCAL: Final = Principal("local", Role.ADMIN, (EVERYTHING,))
_BEARER: Final = "bearer"


class Authenticator:
    """Tells who sends a request. Keys that another process makes or revokes count at once."""

    def __init__(self, settings: Settings) -> None:
        """Raises InvalidInput for settings of tokens that are not safe."""
        self._keys = KeyStore(settings.data_dir)
        self._tokens = TokenVerifier.of(settings)
        self._origins = settings.cors_origins

    @property
    def loopback_only(self) -> bool:
        """True while there is neither a key nor a way to check tokens: then only this machine is served.

        A key that is revoked or has expired still counts as one, so that the door doesn't open with the last key's end.
        """
        return self._tokens is None and not self._keys.any()

    async def authenticate(
        self, connection: HTTPConnection, *, params: Mapping[str, object] | None = None, fresh: bool = False
    ) -> Principal:
        """Return who sends a request, or opens a WebSocket with `params` in its first message.

        A key or token is `Authorization: Bearer …` or `X-API-Key`, among the headers or `params`. With `fresh`
        one that counted before is looked at again. Raises Unauthenticated; NotAvailable when the keys or the key set of
        tokens can't be read.
        """
        credential = _find_credential(params or {})
        state: dict[str, object] = connection.scope.setdefault("state", {})
        known = state.get(_STATE)
        if credential is None and isinstance(known, Principal) and not fresh:
            return known
        principal = await self._settle(connection, credential or _find_credential(connection.headers))
        state[_STATE] = principal
        note_principal(principal.subject)
        return principal

    async def _settle(self, connection: HTTPConnection, credential: str | None) -> Principal:
        if self.loopback_only:
            check_local(connection, self._origins)
            return _LOCAL
        if credential is None:
            raise Unauthenticated("No key or token was sent: send `Authorization: Bearer …` or `X-API-Key`.")
        if self._tokens is None or credential.startswith(KEY_PREFIX):
            key = self._keys.find(credential)
            if key is None:
                raise Unauthenticated("The key does not count: it is unknown, revoked or has expired. Use another one.")
            return Principal(f"key:{key.key_id}", key.role, key.tenants)
        return await self._tokens.verify(credential)


def _find_credential(fields: Mapping[str, object]) -> str | None:
    named = {name.lower(): value for name, value in fields.items() if isinstance(value, str)}
    authorization = named.get("authorization")
    if authorization is None:
        return named.get("x-api-key")
    scheme, _, credential = authorization.partition(" ")
    if scheme.lower() != _BEARER or not credential.strip():
        raise Unauthenticated("Authorization can't be read: send it as `Bearer`, a blank, and a key or token.")
    return credential.strip()
