from pathlib import Path

import pytest

from extraction.models.states import Need, State, look_up
from extraction.models.store import (
    ONNX_ENTITIES,
    TORCH_ENTITIES,
    find_file,
    find_model,
    fingerprint_of,
    folder_of,
    is_path,
    measure_folder,
)

FILES = ("gliner_config.json", "tokenizer.json", "onnx/model.onnx")


def make(folder: Path, *names: str) -> Path:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(name.encode())
    return folder


def test_a_model_is_found_as_a_folder_and_by_its_name(tmp_path: Path) -> None:
    fetched = make(tmp_path / "models" / "org--name", *FILES)

    assert find_model("org/name", tmp_path / "models", wanted=ONNX_ENTITIES) == fetched
    assert find_model(str(fetched), None, wanted=ONNX_ENTITIES) == fetched
    assert folder_of("org/name", tmp_path / "models") == fetched


@pytest.mark.parametrize("missing", FILES)
def test_a_folder_counts_only_with_all_files(tmp_path: Path, missing: str) -> None:
    make(tmp_path / "org--name", *(name for name in FILES if name != missing))

    assert find_model("org/name", tmp_path, wanted=ONNX_ENTITIES) is None
    assert find_model("org/name", tmp_path, wanted=TORCH_ENTITIES) is None


def test_the_cache_of_the_hub_is_looked_at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from huggingface_hub import constants

    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path))
    snapshot = make(tmp_path / "models--org--name" / "snapshots" / "abc", *FILES)
    make(tmp_path / "models--org--name" / "refs").mkdir(parents=True)
    (tmp_path / "models--org--name" / "refs" / "main").write_text("abc")

    found = find_model("org/name", tmp_path / "nothing", wanted=ONNX_ENTITIES)

    assert found == snapshot


@pytest.mark.parametrize("name", ["", "a/b/c", "../x", "a b", "name\x00", "~nobody/x", "-a-"])
def test_odd_names_are_nowhere(tmp_path: Path, name: str) -> None:
    assert find_model(name, tmp_path / "models", wanted=ONNX_ENTITIES) is None


def test_paths_are_told_from_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    make(tmp_path / "here", "x")

    assert [is_path(name) for name in ("/a", "./a", "~/a", "here", "org/name", "name")] == [True] * 4 + [False] * 2


def test_files_are_taken_in_the_order_of_the_patterns(tmp_path: Path) -> None:
    make(tmp_path, "b.onnx", "a.onnx", "onnx/model.onnx")

    assert find_file(tmp_path, ("onnx/model.onnx", "*.onnx")) == tmp_path / "onnx/model.onnx"
    assert find_file(tmp_path, ("*.onnx",)) == tmp_path / "a.onnx"
    assert find_file(tmp_path, ("*.bin",)) is None


def test_a_digest_is_of_what_is_inside(tmp_path: Path) -> None:
    one, twin, other = (make(tmp_path / name, *FILES) for name in ("one", "twin", "other"))
    (other / "onnx/model.onnx").write_bytes(b"other weights")

    digests = [fingerprint_of(folder, folder / "onnx/model.onnx") for folder in (one, twin, other)]

    assert digests[0] == digests[1] != digests[2]


def test_what_is_there_of_each_need(tmp_path: Path) -> None:
    make(tmp_path / "org--here", *FILES)
    make(tmp_path / "org--here" / ".cache", "bookkeeping")
    needs = [
        Need("entity", "org/here", "onnx", "onnx", ONNX_ENTITIES),
        Need("entity", "org/there", "onnx", "onnx", ONNX_ENTITIES),
        Need("entity", "org/here", "gliner", "torch", TORCH_ENTITIES, ("no_such_package",), "torch"),
        Need("entity", "x", "off"),
        Need("claims", "x", "dspy", url="http://host"),
    ]

    found = look_up(needs, tmp_path)

    assert [one.state for one in found] == [
        State.AT_HAND,
        State.NOT_FETCHED,
        State.PACKAGE_MISSING,
        State.OFF,
        State.REMOTE,
    ]
    assert found[0].where == str(tmp_path / "org--here")
    assert found[0].size_bytes == measure_folder(tmp_path / "org--here") == sum(map(len, FILES))
    assert found[1].hint == "cogniverse models fetch org/there"
    assert found[2].hint == 'pip install "cogniverse-graph[torch]"'
    assert found[4].where == "http://host"
