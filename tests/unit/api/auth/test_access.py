"""Who is let in: by keys, by tokens, and from this machine alone while there are neither."""

import time
from pathlib import Path

import jwt
import pytest
from starlette.requests import HTTPConnection

from api.auth.access import Authenticator, Role
from api.auth.keys import KeyStore
from api.auth.loopback import is_loopback
from api.config import Settings
from graph.errors import Unauthenticated
from graph.tenants import TenantId

SECRET = "0123456789abcdef0123456789abcdef"


def connection(client: str | None = "127.0.0.1", **headers: str) -> HTTPConnection:
    named = {"host": "localhost:8000"} | {name.replace("_", "-"): value for name, value in headers.items()}
    return HTTPConnection(
        {
            "type": "http",
            "path": "/",
            "client": None if client is None else (client, 40000),
            "headers": [(name.encode(), value.encode()) for name, value in named.items()],
        }
    )


async def test_without_keys_this_machine_may_do_all(tmp_path: Path) -> None:
    authenticator = Authenticator(Settings(data_dir=tmp_path))

    assert authenticator.loopback_only
    for address in ("127.0.0.1", "127.9.9.9", "::1", "::ffff:127.0.0.1"):
        principal = await authenticator.authenticate(connection(address))
        assert principal.role is Role.ADMIN
        assert principal.may_see(TenantId("any", "org"))


@pytest.mark.parametrize("client", ["192.168.1.5", "10.0.0.1", "fe80::1", "::ffff:10.0.0.1", "testclient", "", None])
async def test_without_keys_no_other_machine_is_served(tmp_path: Path, client: str | None) -> None:
    with pytest.raises(Unauthenticated, match="key create"):
        await Authenticator(Settings(data_dir=tmp_path)).authenticate(connection(client))


@pytest.mark.parametrize(
    "headers",
    [
        {"host": "evil.example"},
        {"host": "localhost.evil.example"},
        {"host": "127.0.0.1.evil.example:8000"},
        {"host": "192.168.1.5:8000"},
        {"host": ""},
        {"host": "[::1"},
        {"origin": "https://evil.example"},
        {"origin": "null"},
        {"origin": "http://localhost.evil.example"},
        {"x_forwarded_for": "127.0.0.1"},
        {"forwarded": "for=127.0.0.1"},
        {"x_real_ip": "10.0.0.1"},
    ],
)
async def test_without_keys_pages_of_others_and_proxies_do_not_pass(tmp_path: Path, headers: dict[str, str]) -> None:
    for origins in ((), ("*",)):
        with pytest.raises(Unauthenticated):
            await Authenticator(Settings(data_dir=tmp_path, cors_origins=origins)).authenticate(connection(**headers))


@pytest.mark.parametrize(
    "headers",
    [
        {"host": "127.0.0.1:8000", "origin": "http://127.0.0.1:8000"},
        {"host": "[::1]:8000", "origin": "http://localhost:3000"},
        {"host": "app.localhost"},
        {"origin": "https://ours.example"},
    ],
)
async def test_without_keys_our_own_pages_pass(tmp_path: Path, headers: dict[str, str]) -> None:
    settings = Settings(data_dir=tmp_path, cors_origins=("https://ours.example",))
    assert await Authenticator(settings).authenticate(connection(**headers))


def test_what_is_loopback() -> None:
    assert all(map(is_loopback, ("localhost", "LOCALHOST.", "127.0.0.1", "[::1]", "::1", "x.localhost")))
    assert not any(map(is_loopback, ("0.0.0.0", "::", "", "localhost.example", "10.0.0.1", "1", "::ffff:10.0.0.1")))  # noqa: S104


async def test_a_key_among_the_headers_or_the_first_message(tmp_path: Path) -> None:
    text, key = KeyStore(tmp_path).create(tenants=["a"], role=Role.WRITER)
    authenticator = Authenticator(Settings(data_dir=tmp_path))

    for asked, params in (
        (connection("10.0.0.1", authorization=f"Bearer {text}"), None),
        (connection("10.0.0.1", authorization=f"bearer   {text} "), None),
        (connection("10.0.0.1", x_api_key=text, x_forwarded_for="1.2.3.4", host="x"), None),
        (connection("10.0.0.1"), {"Authorization": f"Bearer {text}"}),
        (connection("10.0.0.1"), {"x-api-key": text, "other": 1}),
        (connection("10.0.0.1"), {"X-API-Key": text}),
    ):
        found = await authenticator.authenticate(asked, params=params)
        assert (found.subject, found.role, found.tenants) == (f"key:{key.key_id}", Role.WRITER, ("a",))


async def test_with_keys_nobody_passes_without_one(tmp_path: Path) -> None:
    text, _ = KeyStore(tmp_path).create(tenants=["*"], role=Role.ADMIN)
    authenticator = Authenticator(Settings(data_dir=tmp_path))

    assert not authenticator.loopback_only
    for asked in (
        connection(),
        connection(authorization=f"Basic {text}"),
        connection(authorization=text),
        connection(authorization="Bearer "),
        connection(authorization="Bearer cgk_00_x"),
        connection(authorization="Bearer nonsense"),
        connection(x_api_key=""),
        connection(authorization="", x_api_key=text),
    ):
        with pytest.raises(Unauthenticated):
            await authenticator.authenticate(asked)


async def test_the_door_opens_and_shuts_with_keys_made_while_it_runs(tmp_path: Path) -> None:
    authenticator = Authenticator(Settings(data_dir=tmp_path))
    assert await authenticator.authenticate(connection())
    text, key = KeyStore(tmp_path).create(tenants=["*"], role=Role.READER)

    with pytest.raises(Unauthenticated, match="No key or token"):
        await authenticator.authenticate(connection())
    assert await authenticator.authenticate(connection(x_api_key=text))

    KeyStore(tmp_path).revoke(key.key_id)
    for asked in (connection(x_api_key=text), connection()):
        with pytest.raises(Unauthenticated):
            await authenticator.authenticate(asked)


async def test_keys_and_tokens_side_by_side(tmp_path: Path) -> None:
    settings = Settings(data_dir=tmp_path, jwt_secret=SECRET)
    authenticator = Authenticator(settings)
    token = jwt.encode({"sub": "ada", "role": "reader", "tenants": "b", "exp": time.time() + 60}, SECRET)

    assert not authenticator.loopback_only
    assert (await authenticator.authenticate(connection(authorization=f"Bearer {token}"))).subject == "token:ada"
    text, key = KeyStore(tmp_path).create(tenants=["a"], role=Role.READER)
    assert (await authenticator.authenticate(connection(x_api_key=text))).subject == f"key:{key.key_id}"
    with pytest.raises(Unauthenticated):
        await authenticator.authenticate(connection(authorization=f"Bearer {text}x"))


async def test_a_request_is_settled_once_unless_its_first_message_says_more(tmp_path: Path) -> None:
    store = KeyStore(tmp_path)
    one, _ = store.create(tenants=["a"], role=Role.READER)
    two, _ = store.create(tenants=["b"], role=Role.READER)
    authenticator = Authenticator(Settings(data_dir=tmp_path))
    asked = connection(x_api_key=one)

    first = await authenticator.authenticate(asked)
    assert await authenticator.authenticate(asked) is first
    assert (await authenticator.authenticate(asked, params={"X-API-Key": two})).tenants == ("b",)


async def test_a_wrong_key_takes_as_long_as_a_right_one(tmp_path: Path) -> None:
    """One hash and one comparison each: the median times lie close together."""
    store = KeyStore(tmp_path)
    right, _ = store.create(tenants=["*"], role=Role.READER)
    wrong_secret = right[:-4] + "AAAA"
    unknown = "cgk_" + "0" * 12 + right[16:]

    times: dict[str, list[float]] = {right: [], wrong_secret: [], unknown: []}
    for _ in range(401):
        for text, taken in times.items():
            started = time.perf_counter()
            store.find(text)
            taken.append(time.perf_counter() - started)

    medians = [sorted(taken)[200] for taken in times.values()]
    assert max(medians) < 2 * min(medians)
