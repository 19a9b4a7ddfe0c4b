import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from extraction.entities.base import EntitiesFailed, EntityOptions
from extraction.entities.engines import DEFAULT_MODEL, choose_engine, find_extractor
from extraction.entities.labels import parse_labels
from graph.errors import InvalidInput

TINY = Path(__file__).parents[3] / "fixtures" / "models" / "tiny-gliner-onnx"


def test_nothing_set_up_gives_nothing(tmp_path: Path) -> None:
    assert find_extractor(EntityOptions(engine="off", model="/nowhere")) is None
    assert find_extractor(EntityOptions(models_dir=tmp_path)) is None
    assert find_extractor(EntityOptions()) is None


def test_the_default_model_is_taken_once_it_is_fetched(tmp_path: Path) -> None:
    (tmp_path / "urchade--gliner_large-v2.1").symlink_to(TINY)

    extractor = find_extractor(EntityOptions(models_dir=tmp_path))

    assert extractor is not None
    assert {one.kind for one in extractor.extract(["Marie Curie was born in Warsaw."])[0]} >= {"person"}
    assert choose_engine(EntityOptions(models_dir=tmp_path)) == ("onnx", tmp_path / "urchade--gliner_large-v2.1")


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (EntityOptions(model="some/model"), "cogniverse models fetch some/model"),
        (EntityOptions(engine="onnx"), f"cogniverse models fetch {DEFAULT_MODEL}"),
        (EntityOptions(model="/no/such/folder"), "is no folder"),
        (EntityOptions(engine="sidecar"), "COGNIVERSE_MODELS_URL"),
    ],
)
def test_what_was_asked_for_and_is_not_there_is_told(options: EntityOptions, told: str) -> None:
    with pytest.raises(EntitiesFailed, match=told):
        find_extractor(options)


def test_a_folder_that_lacks_a_file_is_told(tmp_path: Path) -> None:
    shutil.copytree(TINY, tmp_path / "model")
    (tmp_path / "model" / "tokenizer.json").unlink()

    for engine in ("auto", "onnx"):
        with pytest.raises(EntitiesFailed, match=r"not complete.*tokenizer\.json"):
            find_extractor(EntityOptions(engine=engine, model=str(tmp_path / "model")))


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (EntityOptions(engine="magic"), "COGNIVERSE_ENTITY_ENGINE"),
        (EntityOptions(labels=("Person", "Unicorn")), "'Unicorn'.*COGNIVERSE_ENTITY_LABELS"),
        (EntityOptions(labels=("entity",)), "COGNIVERSE_ENTITY_LABELS"),
        (EntityOptions(threshold=1.5), "from 0 to 1"),
    ],
)
def test_bad_options_are_told(options: EntityOptions, told: str) -> None:
    with pytest.raises(InvalidInput, match=told):
        find_extractor(options)


def test_labels_are_kinds_in_any_case_each_once() -> None:
    assert parse_labels(["Person", " LOCATION ", "person", ""]) == ("person", "location")
    assert len(parse_labels([])) == 15


def test_without_the_extra_the_package_imports_and_names_it() -> None:
    """Another interpreter, which can't see the packages of the extra."""
    program = f"""
import sys
from importlib.abc import MetaPathFinder

class Hidden(MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("numpy", "onnxruntime", "tokenizers", "huggingface_hub"):
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)
        return None

import importlib.util
real = importlib.util.find_spec
hidden = ("numpy", "onnxruntime", "tokenizers", "huggingface_hub")
importlib.util.find_spec = lambda name, package=None: None if name in hidden else real(name, package)
sys.meta_path.insert(0, Hidden())
from pathlib import Path
from extraction.entities.base import EntitiesFailed, EntityOptions
from extraction.entities.engines import find_extractor
from extraction.models.fetching import fetch_model
from graph.errors import NotAvailable
assert find_extractor(EntityOptions()) is None
try:
    find_extractor(EntityOptions(model={str(TINY)!r}))
except EntitiesFailed as exc:
    print(exc)
try:
    fetch_model("a/b", Path("/nowhere"), form="onnx")
except NotAvailable as exc:
    print(exc)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)

    assert done.stderr == ""
    assert done.stdout.count('pip install "cogniverse-graph[models]"') == 2
