"""Fetching from a hub: a small one that speaks the interface, asked by the real library in a process of its own."""

import hashlib
import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest

from extraction.models.fetching import RemoteFile, choose_files

TINY = Path(__file__).parents[3] / "fixtures" / "models" / "tiny-gliner-onnx"
COMMIT = "0123456789abcdef0123456789abcdef01234567"
FILES = {file.relative_to(TINY).as_posix(): file.read_bytes() for file in TINY.rglob("*") if file.is_file()}


class Hub:
    """Repositories by name; `asked` notes which files were sent, with the first byte."""

    def __init__(self, repositories: dict[str, dict[str, bytes]]) -> None:
        self.repositories = repositories
        self.asked: list[tuple[str, int]] = []
        self.breaks_after: int | None = None
        self.lies = False


@contextmanager
def serving(hub: Hub) -> Iterator[str]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            answer(self, hub, with_body=True)

        def do_HEAD(self) -> None:
            answer(self, hub, with_body=False)

        def log_message(self, *arguments: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


def answer(request: BaseHTTPRequestHandler, hub: Hub, *, with_body: bool) -> None:
    path = unquote(urlsplit(request.path).path).strip("/")
    if path.startswith("api/models/"):
        send_info(request, hub, path.removeprefix("api/models/").partition("/revision/")[0])
        return
    name, _, rest = path.partition("/resolve/")
    content = hub.repositories.get(name, {}).get(rest.partition("/")[2])
    if content is None:
        send(request, 404, b"", {"X-Error-Code": "EntryNotFound"})
        return
    start = int(request.headers.get("Range", "bytes=0-").removeprefix("bytes=").partition("-")[0])
    headers = {"ETag": f'"{hashlib.sha256(content).hexdigest()}"', "X-Repo-Commit": COMMIT, "Accept-Ranges": "bytes"}
    if not with_body:
        send(request, 200, content, headers, with_body=False)
        return
    hub.asked.append((rest.partition("/")[2], start))
    headers["Content-Range"] = f"bytes {start}-{len(content) - 1}/{len(content)}"
    send(request, 206 if start else 200, content[start:], headers, limit=hub.breaks_after)


def send_info(request: BaseHTTPRequestHandler, hub: Hub, name: str) -> None:
    if name not in hub.repositories:
        send(request, 404, b"{}", {"X-Error-Code": "RepoNotFound"})
        return
    siblings: list[dict[str, Any]] = []
    for file, content in hub.repositories[name].items():
        digest = hashlib.sha256(b"lie" if hub.lies else content).hexdigest()
        large = {"lfs": {"sha256": digest, "size": len(content), "pointerSize": 1}} if file.endswith("onnx") else {}
        siblings.append({"rfilename": file, "size": len(content), **large})
    send(request, 200, json.dumps({"id": name, "sha": COMMIT, "siblings": siblings}).encode(), {})


def send(
    request: BaseHTTPRequestHandler,
    status: int,
    body: bytes,
    headers: dict[str, str],
    *,
    with_body: bool = True,
    limit: int | None = None,
) -> None:
    request.send_response(status)
    for key, value in {**headers, "Content-Length": str(len(body))}.items():
        request.send_header(key, value)
    request.end_headers()
    if with_body:
        request.wfile.write(body[:limit])
    if limit is not None and len(body) > limit:
        request.close_connection = True


def models(endpoint: str, cache: Path, *arguments: str, **settings: str) -> "subprocess.CompletedProcess[str]":
    environment = os.environ | {
        "HF_ENDPOINT": endpoint,
        "HF_HOME": str(cache / "hub"),
        "HF_HUB_DISABLE_XET": "1",
        "HF_HUB_DOWNLOAD_TIMEOUT": "5",
        "COGNIVERSE_CACHE_DIR": str(cache),
        "COGNIVERSE_ENTITY_ENGINE": "onnx",
        "COGNIVERSE_EMBEDDING_ENGINE": "off",
        **settings,
    }
    command = "from api.cli.models import app; app(prog_name='models')"
    return subprocess.run(
        [sys.executable, "-c", command, *arguments], env=environment, capture_output=True, text=True, check=False
    )


def test_a_fetched_model_is_listed_checked_and_fetched_no_second_time(tmp_path: Path) -> None:
    extras = {"README.md": b"read", "onnx/model_fp16.onnx": b"other weights", "pytorch_model.bin": b"torch"}
    hub = Hub({"onnx-community/tiny": FILES | extras, "urchade/tiny": {"gliner_config.json": b"{}"}})
    settings = {"COGNIVERSE_ENTITY_MODEL": "urchade/tiny"}
    with serving(hub) as endpoint:
        before = models(endpoint, tmp_path, "list", "--json", **settings)
        unready = models(endpoint, tmp_path, "check", "entity", "--json", **settings)
        fetched = models(endpoint, tmp_path, "fetch", **settings)
        again = models(endpoint, tmp_path, "fetch", "--json", **settings)
    after = models("http://127.0.0.1:1", tmp_path, "list", "--json", **settings)
    checked = models("http://127.0.0.1:1", tmp_path, "check", "--json", **settings)

    folder = tmp_path / "models" / "urchade--tiny"
    assert json.loads(before.stdout)["models"][0]["state"] == "not fetched"
    assert unready.returncode == 1
    assert "models fetch urchade/tiny" in json.loads(unready.stdout)["models"][0]["result"]
    assert (fetched.returncode, fetched.stderr.count("onnx-community/tiny: ")) == (0, 4)
    assert sorted(name for name, _ in hub.asked) == sorted(FILES)
    assert hub.asked[-1][0] == "onnx/model.onnx"
    assert json.loads(again.stdout) == {"fetched": {"urchade/tiny": str(folder)}}
    [entity] = [one for one in json.loads(after.stdout)["models"] if one["role"] == "entity"]
    assert (entity["state"], entity["where"]) == ("at hand", str(folder))
    assert entity["size_bytes"] == sum(map(len, FILES.values()))
    [trial] = json.loads(checked.stdout)["models"]
    assert (checked.returncode, trial["ok"]) == (0, True)
    assert "Marie Curie (person" in trial["result"]


def test_what_broke_off_goes_on_where_it_was(tmp_path: Path) -> None:
    hub = Hub({"org/tiny": FILES})
    with serving(hub) as endpoint:
        hub.breaks_after = 15_000_000
        broken = models(endpoint, tmp_path, "fetch", "org/tiny", "--json")
        mended_at = len(hub.asked)
        hub.breaks_after = None
        models(endpoint, tmp_path, "fetch", "org/tiny")

    assert broken.returncode in (0, 1)
    assert any(start > 0 for name, start in hub.asked if name == "onnx/model.onnx")
    assert [name for name, _ in hub.asked[mended_at:]] in (["onnx/model.onnx"], [])
    assert (tmp_path / "models/org--tiny/onnx/model.onnx").read_bytes() == FILES["onnx/model.onnx"]


def test_weights_that_are_not_those_of_the_hub_are_deleted(tmp_path: Path) -> None:
    hub = Hub({"org/tiny": FILES})
    hub.lies = True
    with serving(hub) as endpoint:
        done = models(endpoint, tmp_path, "fetch", "org/tiny", "--json")

    assert done.returncode == 1
    assert "damaged" in json.loads(done.stderr)["error"]["message"]
    assert not (tmp_path / "models/org--tiny/onnx/model.onnx").exists()


@pytest.mark.parametrize(
    ("name", "code", "told"),
    [("org/none", 3, "no model"), ("org/empty", 3, "no weights"), ("a/b/c", 3, "no model"), ("/x", 2, "folder")],
)
def test_what_the_hub_does_not_have_is_told(tmp_path: Path, name: str, code: int, told: str) -> None:
    with serving(Hub({"org/empty": {"config.json": b"{}"}})) as endpoint:
        done = models(endpoint, tmp_path, "fetch", name, "--json")

    assert done.returncode == code
    assert told in json.loads(done.stderr)["error"]["message"]


def test_without_a_network_the_way_out_is_told(tmp_path: Path) -> None:
    done = models("http://127.0.0.1:1", tmp_path, "fetch", "org/tiny")

    assert done.returncode == 1
    assert "hub can't be reached" in done.stderr
    assert "folder of weights" in done.stderr


def test_only_what_an_engine_needs_is_chosen_weights_last() -> None:
    names = (
        "onnx/model_int8.onnx",
        "onnx/model.onnx",
        "onnx/model.onnx_data",
        "pytorch_model.bin",
        "config.json",
        "a.md",
    )
    files = [RemoteFile(name, 1, None) for name in names]

    assert [file.name for file in choose_files(files, "onnx")] == [
        "config.json",
        "onnx/model.onnx_data",
        "onnx/model.onnx",
    ]
    assert [file.name for file in choose_files(files, "torch")] == ["config.json", "pytorch_model.bin"]
    assert choose_files(files[-2:], "onnx") == ()
