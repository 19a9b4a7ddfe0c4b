"""Keys are shown once, kept as hashes, and count for every process at once."""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from api.auth.keys import KeyStore
from api.auth.principal import Role
from graph.errors import InvalidInput, NotAvailable, NotFound

REVOKE = """
import sys
from pathlib import Path
from api.auth.keys import KeyStore
KeyStore(Path(sys.argv[1])).revoke(sys.argv[2])
"""


def test_a_key_opens_what_it_was_made_for(tmp_path: Path) -> None:
    store = KeyStore(tmp_path)
    assert not store.any()

    text, key = store.create(tenants=["b", "a"], role=Role.WRITER, name="ci")

    assert text.startswith(f"cgk_{key.key_id}_")
    assert len(text) > 50
    found = store.find(text)
    assert found == key
    assert (found.role, found.tenants, found.name) == (Role.WRITER, ("a", "b"), "ci")
    assert KeyStore(tmp_path).list() == (key,)


def test_only_a_hash_is_kept_for_the_owners_eyes(tmp_path: Path) -> None:
    text, _ = KeyStore(tmp_path / "new").create(tenants=["*"], role=Role.ADMIN)
    file = tmp_path / "new" / "keys.json"

    assert text.rpartition("_")[2] not in file.read_text()
    assert file.stat().st_mode & 0o777 == 0o600
    assert (tmp_path / "new").stat().st_mode & 0o777 == 0o700


def test_what_is_nearly_a_key_opens_nothing(tmp_path: Path) -> None:
    store = KeyStore(tmp_path)
    text, key = store.create(tenants=["*"], role=Role.READER)
    other, _ = store.create(tenants=["*"], role=Role.ADMIN)
    secret = text.split("_", 2)[2]

    for wrong in (
        text[:-1],
        f"{text} ",
        text.upper(),
        f"cgk_{key.key_id}_",
        f"cgk_{key.key_id}",
        f"cgk_{key.key_id}_{other.split('_', 2)[2]}",
        f"{key.key_id}_{secret}",
        key.sha256,
        f"cgk_{key.key_id}_{key.sha256}",
        "cgk_",
        "",
        "\udcff\0é",
    ):
        assert store.find(wrong) is None, wrong


def test_a_revoked_key_is_refused_by_a_process_that_knew_it(tmp_path: Path) -> None:
    store = KeyStore(tmp_path)
    text, key = store.create(tenants=["*"], role=Role.READER)
    kept, _ = store.create(tenants=["*"], role=Role.READER)
    assert store.find(text)

    subprocess.run([sys.executable, "-c", REVOKE, str(tmp_path), key.key_id], check=True)

    assert store.find(text) is None
    assert store.find(kept)
    assert store.any()
    first = store.revoke(key.key_id)
    assert first.revoked_at is not None
    assert store.revoke(key.key_id) == first
    with pytest.raises(NotFound, match="key list"):
        store.revoke("nope")


def test_a_key_ends_when_it_was_to(tmp_path: Path) -> None:
    store = KeyStore(tmp_path)
    _, key = store.create(tenants=["*"], role=Role.READER, expires_at=datetime.now(UTC) + timedelta(days=1))
    assert key.expires_at is not None

    assert key.counts(key.expires_at - timedelta(seconds=1))
    assert not key.counts(key.expires_at)


def test_keys_made_at_once_are_all_kept(tmp_path: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        made = list(
            pool.map(lambda _: KeyStore(tmp_path).create(tenants=["a"], role=Role.READER)[0], range(24), timeout=60)
        )

    store = KeyStore(tmp_path)
    assert all(store.find(text) for text in made)
    assert len(store.list()) == 24


@pytest.mark.parametrize(
    ("tenants", "name", "days"),
    [([], "", 1), (["a b"], "", 1), (["a"], "two\nlines", 1), (["a"], "x" * 201, 1), (["a"], "", -1)],
)
def test_what_makes_no_key(tmp_path: Path, tenants: list[str], name: str, days: int) -> None:
    with pytest.raises(InvalidInput):
        KeyStore(tmp_path).create(
            tenants=tenants, role=Role.READER, name=name, expires_at=datetime.now(UTC) + timedelta(days=days)
        )
    assert not (tmp_path / "keys.json").exists()


def test_a_broken_file_opens_nothing_and_is_told(tmp_path: Path) -> None:
    store = KeyStore(tmp_path)
    text, _ = store.create(tenants=["*"], role=Role.ADMIN)
    (tmp_path / "keys.json").write_text("[{")

    for ask in (store.any, store.list, lambda: store.find(text)):
        with pytest.raises(NotAvailable, match=r"keys\.json"):
            ask()
