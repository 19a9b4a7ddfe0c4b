"""`cogniverse key` as its users call it."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from api.auth.keys import KeyStore


def cogniverse(data_dir: Path, *arguments: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-m", "api.cli.app", "key", *arguments],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | {"COGNIVERSE_DATA_DIR": str(data_dir)},
    )


def test_a_key_is_made_shown_once_listed_and_revoked(tmp_path: Path) -> None:
    options = ("--tenants", "a, acme:*", "--role", "writer", "--name", "ci", "--expires-days", "2")
    made = cogniverse(tmp_path, "create", *options)
    text = made.stdout.strip()

    found = KeyStore(tmp_path).find(text)
    assert found is not None
    assert (found.role, found.tenants, found.name) == ("writer", ("a", "acme:*"), "ci")
    assert found.expires_at is not None
    assert found.key_id in made.stderr

    listed = json.loads(cogniverse(tmp_path, "list", "--json").stdout)
    assert [(key["id"], key["state"], key["role"]) for key in listed["keys"]] == [(found.key_id, "valid", "writer")]
    for shown in (cogniverse(tmp_path, "list"), cogniverse(tmp_path, "list", "--json")):
        assert text.rpartition("_")[2] not in shown.stdout
        assert found.sha256 not in shown.stdout

    revoked = cogniverse(tmp_path, "revoke", found.key_id, "--json")
    assert json.loads(revoked.stdout)["state"] == "revoked"
    assert KeyStore(tmp_path).find(text) is None


@pytest.mark.parametrize(
    ("arguments", "code", "told"),
    [
        (("create", "--tenants", "a b", "--role", "reader"), 2, "a b"),
        (("create", "--tenants", ",", "--role", "reader"), 2, "without tenants"),
        (("create", "--tenants", "a", "--role", "root"), 2, "reader, writer, admin"),
        (("revoke", "nope"), 3, "key list"),
    ],
)
def test_what_can_not_be_done_is_told(tmp_path: Path, arguments: tuple[str, ...], code: int, told: str) -> None:
    done = cogniverse(tmp_path, *arguments, "--json")

    assert (done.returncode, done.stdout) == (code, "")
    assert told in json.loads(done.stderr)["error"]["message"]
