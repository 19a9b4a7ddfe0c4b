"""The engine on torch: GLiNER's own code on weights by chance, so what it finds means nothing but is somewhere."""

import json
import shutil
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path

import pytest

from extraction.entities.base import EntitiesFailed, EntityExtractor, EntityOptions
from extraction.entities.engines import find_extractor
from extraction.entities.gliner import is_installed

TINY = Path(__file__).parents[3] / "fixtures" / "models" / "tiny-gliner-onnx"
LABELS = ("Person", "Location")
WITHOUT_TORCH = find_spec("torch") is None or find_spec("gliner") is None


def needs_torch(test: Callable[..., None]) -> Callable[..., None]:
    """Mark a test of the engine itself; warnings of torch and transformers are theirs."""
    for mark in (
        pytest.mark.torch,
        pytest.mark.skipif(WITHOUT_TORCH, reason="gliner and torch are not installed"),
        pytest.mark.filterwarnings("default"),
    ):
        test = mark(test)
    return test


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder as GLiNER saves it."""
    root = tmp_path_factory.mktemp("torch")
    encoder = root / "encoder"
    encoder.mkdir()
    config = json.loads((TINY / "gliner_config.json").read_text())
    small = {"hidden_size": 32, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 32}
    config |= {"model_name": str(encoder), "hidden_size": 32}
    config["encoder_config"] |= small | {"_name_or_path": str(encoder)}
    (encoder / "config.json").write_text(json.dumps(config["encoder_config"]))
    for name in ("tokenizer.json", "tokenizer_config.json"):
        shutil.copy(TINY / name, encoder)
    model = import_module("gliner").GLiNER.from_config(config, backbone_from_pretrained=False)
    model.save_pretrained(str(root / "model"))
    return root / "model"


def make(folder: Path, **options: object) -> EntityExtractor:
    extractor = find_extractor(EntityOptions(**{"engine": "gliner", "model": str(folder), "labels": LABELS} | options))
    assert extractor is not None
    return extractor


@needs_torch
@pytest.mark.parametrize(
    "text",
    ["😀 Marie Curie (Rene\u0301) was born in 東京.", "\x00\ud800 ab", "word " * 1_200, "x" * 5_000, "6d1fa8e9 " * 300],
)
def test_spans_are_exact_in_any_text(folder: Path, text: str) -> None:
    extractor = make(folder, threshold=0.0)

    [spans, nothing] = extractor.extract([text, "  "])

    assert spans
    assert nothing == []
    assert all(text[one.char_start : one.char_end] == one.text for one in spans)
    assert {one.kind for one in spans} <= {"person", "location"}
    assert all(left.char_end <= right.char_start for left, right in pairwise(spans))


@needs_torch
def test_auto_takes_torch_weights_where_there_are_no_others(folder: Path) -> None:
    extractor = make(folder, engine="auto", threshold=1.0)

    assert extractor.fingerprint.startswith("gliner:")
    assert extractor.extract(["Marie Curie"]) == [[]]


@needs_torch
def test_damaged_torch_weights_are_named(folder: Path, tmp_path: Path) -> None:
    shutil.copytree(folder, tmp_path / "model")
    for weights in (tmp_path / "model").glob("*.safetensors"):
        weights.write_bytes(b"damaged")
    for weights in (tmp_path / "model").glob("*.bin"):
        weights.write_bytes(b"damaged")

    with pytest.raises(EntitiesFailed, match="can't be loaded"):
        make(tmp_path / "model").extract(["Ada lives in Paris."])


@pytest.mark.skipif(is_installed(), reason="gliner and torch are installed")
def test_without_torch_the_extra_is_named(tmp_path: Path) -> None:
    for name in ("gliner_config.json", "model.safetensors"):
        (tmp_path / name).write_bytes(b"{}")

    for engine in ("gliner", "auto"):
        with pytest.raises(EntitiesFailed, match=r"cogniverse-graph\[torch\]"):
            make(tmp_path, engine=engine)
