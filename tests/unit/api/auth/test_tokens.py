"""Tokens by a shared secret and by an issuer's key set, served over HTTP as issuers do."""

import base64
import json
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa

from api.auth.jwks import KeySet
from api.auth.principal import Principal, Role
from api.auth.tokens import TokenVerifier
from api.config import Settings
from graph.errors import InvalidInput, NotAvailable, Unauthenticated

SECRET = "0123456789abcdef" * 4
RSA_KEY = rsa.generate_private_key(public_exponent=65537, key_size=2048)
EC_KEY = ec.generate_private_key(ec.SECP256R1())
LATER_KEY = ec.generate_private_key(ec.SECP256R1())


def claims(**changes: object) -> dict[str, Any]:
    found = {"sub": "ada", "role": "writer", "tenants": ["a"], "exp": time.time() + 60} | changes
    return {name: value for name, value in found.items() if value is not None}


def shared(settings: Settings) -> TokenVerifier:
    verifier = TokenVerifier.of(settings)
    assert verifier is not None
    return verifier


def verifier(**settings: Any) -> TokenVerifier:
    return shared(Settings(jwt_secret=SECRET, **settings))


def signed(payload: dict[str, Any], key: Any = SECRET, algorithm: str = "HS256", **header: Any) -> str:
    return jwt.encode(payload, key, algorithm=algorithm, headers=header)


def public_jwk(key: Any, algorithm: str, kid: str) -> dict[str, Any]:
    kinds = {"RS256": jwt.algorithms.RSAAlgorithm, "ES256": jwt.algorithms.ECAlgorithm}
    return json.loads(kinds[algorithm].to_jwk(key.public_key())) | {"kid": kid, "use": "sig"}


class Issuer:
    """A server of key sets that counts how often it is asked."""

    def __init__(self) -> None:
        self.keys = [public_jwk(RSA_KEY, "RS256", "one"), public_jwk(EC_KEY, "ES256", "two")]
        self.asked = 0
        self.status = 200
        issuer = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                issuer.asked += 1
                self.send_response(issuer.status)
                if issuer.status == 302:
                    self.send_header("Location", "/elsewhere")
                self.end_headers()
                self.wfile.write(json.dumps({"keys": issuer.keys}).encode())

            def log_message(self, *_: object) -> None: ...

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/jwks.json"


@pytest.fixture
def issuer() -> Iterator[Issuer]:
    found = Issuer()
    thread = threading.Thread(target=found.server.serve_forever, args=(0.05,))
    thread.start()
    yield found
    found.server.shutdown()
    thread.join()
    found.server.server_close()


async def test_a_token_tells_who_in_which_role_for_which_tenants() -> None:
    assert await verifier().verify(signed(claims())) == Principal("token:ada", Role.WRITER, ("a",))


@pytest.mark.parametrize(
    ("tenants", "expected"),
    [("b a", ("a", "b")), ("acme:*,a", ("a", "acme:*")), (["*"], ("*",)), ([], ()), (None, ()), ([1, "a"], ("a",))],
)
async def test_tenants_are_a_list_or_words(tenants: object, expected: tuple[str, ...]) -> None:
    assert (await verifier().verify(signed(claims(tenants=tenants)))).tenants == expected


async def test_the_claims_have_the_names_that_are_set_and_the_strongest_role_counts() -> None:
    token = signed(
        claims(**{"role": None, "tenants": "b", "https://x/roles": ["other", "reader", "admin"], "t": ["a"]})
    )

    found = await verifier(jwt_role_claim="https://x/roles", jwt_tenants_claim="t").verify(token)

    assert (found.role, found.tenants) == (Role.ADMIN, ("a",))


@pytest.mark.parametrize(
    "changes",
    [
        {"exp": time.time() - 86_400},
        {"exp": None},
        {"nbf": time.time() + 86_400},
        {"sub": None},
        {"sub": ""},
        {"role": None},
        {"role": "root"},
        {"role": ["root"]},
        {"tenants": ["a b"]},
        {"tenants": ["a*"]},
    ],
)
async def test_claims_that_do_not_count(changes: dict[str, object]) -> None:
    with pytest.raises(Unauthenticated):
        await verifier().verify(signed(claims(**changes)))


@pytest.mark.parametrize("text", ["", "x", "a.b.c", "eyJhbGciOiJIUzI1NiJ9.e30.", "\0", "é.é.é"])
async def test_what_is_no_token(text: str) -> None:
    with pytest.raises(Unauthenticated):
        await verifier().verify(text)


async def test_issuer_and_audience_must_be_those_that_are_set() -> None:
    strict = verifier(jwt_issuer="https://id", jwt_audience="graph")

    assert await strict.verify(signed(claims(iss="https://id", aud=["graph", "more"])))
    for wrong in ({}, {"iss": "https://id"}, {"aud": "graph"}, {"iss": "https://no", "aud": "graph"},
                  {"iss": "https://id", "aud": "no"}):  # fmt: skip
        with pytest.raises(Unauthenticated):
            await strict.verify(signed(claims(**wrong)))


async def test_a_signature_of_another_secret_or_none_does_not_count() -> None:
    unsigned = jwt.encode(claims(), None, algorithm="none")
    body = unsigned.split(".")[1]
    header = base64.urlsafe_b64encode(b'{"alg":"None"}').decode().rstrip("=")
    for token in (
        signed(claims(), key="x" * 64),
        unsigned,
        f"{header}.{body}.",
        signed(claims(), algorithm="HS512"),
        signed(claims()).rpartition(".")[0] + ".",
    ):
        with pytest.raises(Unauthenticated):
            await verifier().verify(token)


async def test_tokens_of_a_key_set(issuer: Issuer) -> None:
    found = shared(Settings(jwt_jwks_url=issuer.url))

    for _ in range(3):
        assert (await found.verify(signed(claims(), RSA_KEY, "RS256", kid="one"))).subject == "token:ada"
        assert (await found.verify(signed(claims(), EC_KEY, "ES256", kid="two"))).subject == "token:ada"

    assert issuer.asked == 1


async def test_a_public_key_is_no_shared_secret(issuer: Issuer) -> None:
    """The attacker signs with what everybody may read, and says that it is a secret."""
    public = RSA_KEY.public_key().public_bytes(
        serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
    )
    encode = lambda part: base64.urlsafe_b64encode(json.dumps(part).encode()).decode().rstrip("=")  # noqa: E731
    signing = f"{encode({'alg': 'HS256', 'kid': 'one', 'typ': 'JWT'})}.{encode(claims())}"
    signer = jwt.algorithms.HMACAlgorithm(jwt.algorithms.HMACAlgorithm.SHA256)
    confused = f"{signing}.{base64.urlsafe_b64encode(signer.sign(signing.encode(), public)).decode().rstrip('=')}"

    for settings in (Settings(jwt_jwks_url=issuer.url), Settings(jwt_jwks_url=issuer.url, jwt_secret=SECRET)):
        with pytest.raises(Unauthenticated):
            await shared(settings).verify(confused)


async def test_a_key_signs_only_in_its_own_way_and_under_its_own_name(issuer: Issuer) -> None:
    found = shared(Settings(jwt_jwks_url=issuer.url))
    for token in (
        signed(claims(), EC_KEY, "ES256", kid="one"),
        signed(claims(), LATER_KEY, "ES256", kid="two"),
        signed(claims(), RSA_KEY, "RS512", kid="one"),
        signed(claims(), RSA_KEY, "PS256", kid="one"),
        signed(claims(), RSA_KEY, "RS256"),
        signed(claims()),
    ):
        with pytest.raises(Unauthenticated):
            await found.verify(token)


async def test_a_new_key_is_found_and_made_up_ids_do_not_flood_the_issuer(issuer: Issuer) -> None:
    keys = KeySet(issuer.url, pause_s=0.2)
    assert await keys.find("one")
    for number in range(20):
        assert await keys.find(f"made up {number}") is None
    assert issuer.asked == 1

    issuer.keys.append(public_jwk(LATER_KEY, "ES256", "three"))
    time.sleep(0.25)  # noqa: ASYNC251 - the clock of the key set
    assert await keys.find("three")
    assert issuer.asked == 2


async def test_an_issuer_that_is_down_is_told_until_there_are_keys(issuer: Issuer) -> None:
    keys = KeySet(issuer.url, pause_s=0)
    for status in (500, 302):
        issuer.status = status
        with pytest.raises(NotAvailable, match="can't be checked now"):
            await keys.find("one")
    assert issuer.asked == 2, "no redirect was followed"

    issuer.status = 200
    assert await keys.find("one")
    issuer.status = 500
    assert await keys.find("unknown") is None
    assert await keys.find("one")


def test_settings_that_are_not_safe_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="JWT_SECRET"):
        TokenVerifier.of(Settings(jwt_secret="too short"))
    for url in ("http://id.example/keys", "file:///etc/passwd", "ftp://127.0.0.1/x", "nonsense"):
        with pytest.raises(InvalidInput, match="JWKS_URL"):
            TokenVerifier.of(Settings(jwt_jwks_url=url))
    assert TokenVerifier.of(Settings()) is None
