"""JSON web tokens: whose they are, how long they count, for which tenants and in which role.

A key is only ever used with its own kind of signature, so that a public key can't be taken for a shared secret.
Source: RFC 8725, section 3.1.
"""

from collections.abc import Sequence
from typing import Any, Final, cast

import jwt

from api.auth.jwks import KeySet
from api.auth.principal import Principal, Role, parse_tenants
from api.config import Settings
from graph.errors import InvalidInput, Unauthenticated

_SHARED: Final = "HS256"
_PUBLIC: Final = ("RS256", "ES256")
_MIN_SECRET_BYTES: Final = 32
_LEEWAY_S: Final = 30
_MAX_SUBJECT: Final = 200


class TokenVerifier:
    """Checks tokens by a shared secret (HS256), a key set (RS256, ES256) or either."""

    def __init__(self, settings: Settings, *, secret: bytes | None, key_set: KeySet | None) -> None:
        self._secret = secret
        self._key_set = key_set
        self._issuer = settings.jwt_issuer
        self._audience = settings.jwt_audience
        self._tenants_claim = settings.jwt_tenants_claim
        self._role_claim = settings.jwt_role_claim

    @classmethod
    def of(cls, settings: Settings) -> "TokenVerifier | None":
        """Return the verifier that the settings ask for, None when tokens are not in use. Raises InvalidInput."""
        secret = settings.jwt_secret.get_secret_value().encode() if settings.jwt_secret else None
        if secret is None and settings.jwt_jwks_url is None:
            return None
        if secret is not None and len(secret) < _MIN_SECRET_BYTES:
            raise InvalidInput(
                f"COGNIVERSE_JWT_SECRET has {len(secret)} bytes: HS256 needs {_MIN_SECRET_BYTES} random ones or more."
            )
        key_set = KeySet(settings.jwt_jwks_url) if settings.jwt_jwks_url is not None else None
        return cls(settings, secret=secret, key_set=key_set)

    async def verify(self, token: str) -> Principal:
        """Return whom a token speaks for. Raises Unauthenticated; NotAvailable when the key set can't be had."""
        try:
            header = jwt.get_unverified_header(token)
            key, algorithm = await self._choose(header)
            claims = self._decode(token, key, algorithm)
        except jwt.ExpiredSignatureError as exc:
            raise Unauthenticated("The token has expired: get a new one.") from exc
        except jwt.PyJWTError as exc:
            raise Unauthenticated(f"The token does not count: {exc}. Get a new one.") from exc
        return self._read(claims)

    async def _choose(self, header: dict[str, Any]) -> tuple[Any, str]:
        algorithm = header.get("alg")
        if algorithm == _SHARED and self._secret is not None:
            return self._secret, _SHARED
        if algorithm in _PUBLIC and self._key_set is not None:
            found = await self._key_set.find(header.get("kid"))
            if found is None:
                raise jwt.InvalidKeyError("its key is not in the issuer's key set")
            if found.algorithm_name == algorithm:
                return found.key, algorithm
        raise jwt.InvalidAlgorithmError("its way of signing is not accepted")

    def _decode(self, token: str, key: Any, algorithm: str) -> dict[str, Any]:  # noqa: ANN401 - the library's own type is private
        required = ["exp", "sub", *(["iss"] if self._issuer else []), *(["aud"] if self._audience else [])]
        return jwt.decode(
            token,
            key,
            algorithms=[algorithm],
            audience=self._audience,
            issuer=self._issuer,
            leeway=_LEEWAY_S,
            options={"require": required, "verify_aud": self._audience is not None},
        )

    def _read(self, claims: dict[str, Any]) -> Principal:
        roles = [Role(word) for word in _words(claims.get(self._role_claim)) if word in tuple(Role)]
        if not roles:
            raise Unauthenticated(f"The token names no role: its claim {self._role_claim!r} must be {', '.join(Role)}.")
        try:
            tenants = parse_tenants(_words(claims.get(self._tenants_claim)))
        except InvalidInput as exc:
            raise Unauthenticated(f"The token's claim {self._tenants_claim!r} can't be read: {exc}") from exc
        if not claims["sub"]:
            raise Unauthenticated("The token's claim 'sub' is empty: get a new one.")
        strongest = max(roles, key=tuple(Role).index)
        return Principal(f"token:{claims['sub'][:_MAX_SUBJECT]}", strongest, tenants)


def _words(claim: object) -> Sequence[str]:
    """Return what a claim lists, be it a list or words with blanks or commas between."""
    if isinstance(claim, str):
        return claim.replace(",", " ").split()
    if isinstance(claim, list):
        return [item for item in cast("list[object]", claim) if isinstance(item, str)]
    return ()
