"""Which model is taken, on a real one: MiniLM by fastembed."""

import math
import shutil
import threading
from operator import mul
from pathlib import Path

import pytest

from extraction.embeddings.base import EmbeddingOptions, EmbeddingsFailed
from extraction.embeddings.engines import find_embedder
from tests.minilm import DIMENSION, NAME, fetch_minilm


@pytest.fixture(scope="module")
def folder() -> Path:
    return fetch_minilm()


def likeness(first: list[float], second: list[float]) -> float:
    return sum(map(mul, first, second))


def test_a_folder_gives_vectors_by_meaning_at_unit_length(folder: Path) -> None:
    embedder = find_embedder(EmbeddingOptions(engine="fastembed", model=str(folder)))

    texts = ["How do I get my money back?", "Refunds are paid within two weeks.", "The moon orbits the earth."]
    question, near, far = embedder.embed(texts)

    assert (embedder.model, embedder.dimension, len(near)) == (NAME, DIMENSION, DIMENSION)
    assert math.hypot(*question) == pytest.approx(1.0)
    assert likeness(question, near) > likeness(question, far) + 0.2
    assert embedder.embed(["a much longer text than the other one", "b"])[1] == pytest.approx(
        embedder.embed(["b"])[0], abs=0.05
    )
    assert embedder.embed([]) == []


def test_a_fetched_model_is_found_by_its_name(folder: Path) -> None:
    assert find_embedder(EmbeddingOptions(models_dir=folder.parent)).model == NAME


def test_a_folder_of_any_name_and_layout_can_be_loaded(folder: Path, tmp_path: Path) -> None:
    own = tmp_path / "our-model"
    shutil.copytree(folder, own)
    (own / "onnx").mkdir()
    (own / "model.onnx").rename(own / "onnx" / "model.onnx")
    options = EmbeddingOptions(model=str(own))

    embedder, again = find_embedder(options), find_embedder(options)

    assert (embedder.model, embedder.dimension) == ("our-model", DIMENSION)
    expected = find_embedder(EmbeddingOptions(model=str(folder))).embed(["hello"])[0]
    assert likeness(again.embed(["hello"])[0], expected) == pytest.approx(1.0, abs=1e-4)


def test_several_threads_may_ask_at_once(folder: Path) -> None:
    embedder = find_embedder(EmbeddingOptions(model=str(folder)))
    expected = embedder.embed(["word"])[0]
    found: list[list[float]] = []
    threads = [threading.Thread(target=lambda: found.extend(embedder.embed(["word"]))) for _ in range(8)]

    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert found == [pytest.approx(expected)] * 8


def test_weights_that_are_none_are_told_with_their_folder(folder: Path, tmp_path: Path) -> None:
    broken = tmp_path / "broken"
    shutil.copytree(folder, broken)
    (broken / "model.onnx").write_bytes(b"no model")

    with pytest.raises(EmbeddingsFailed, match=r"broken could not be loaded"):
        find_embedder(EmbeddingOptions(model=str(broken)))


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (EmbeddingOptions(engine="fastembed", model="BAAI/bge-large-en-v1.5"), "cogniverse models fetch BAAI"),
        (EmbeddingOptions(model="BAAI/bge-large-en-v1.5"), "cogniverse models fetch BAAI"),
        (EmbeddingOptions(engine="fastembed", model="nobody/nothing"), "knows no model"),
        (EmbeddingOptions(engine="openai"), "COGNIVERSE_EMBEDDING_URL"),
        (EmbeddingOptions(engine="magic"), "auto, fastembed, openai or off"),
    ],
)
def test_what_is_asked_for_and_not_there_is_told(options: EmbeddingOptions, said: str, tmp_path: Path) -> None:
    with pytest.raises(EmbeddingsFailed, match=said):
        find_embedder(options)


def test_nothing_is_set_up_when_nothing_is_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert find_embedder(EmbeddingOptions(engine="off")) is None
    monkeypatch.setattr("extraction.embeddings.local._caches", lambda: ())
    assert find_embedder(EmbeddingOptions(models_dir=tmp_path)) is None


def test_without_the_library_the_extra_is_named(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "fastembed", None)

    with pytest.raises(EmbeddingsFailed, match=r"cogniverse-graph\[models\]"):
        find_embedder(EmbeddingOptions(engine="fastembed", model=str(folder)))
