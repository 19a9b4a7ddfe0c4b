"""The files of the pages are what their checked-in sources give, byte for byte."""

import shutil
from pathlib import Path

import pytest

from tests.node import ROOT, copy_project, run_npm

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sources with their packages, in a folder of its own, beside a copy of the files made from them."""
    folder = copy_project("api/pages/bundle", tmp_path_factory.mktemp("pages"))
    shutil.copytree(ROOT / "api/pages/static", folder.parent / "static")
    return folder


def test_the_files_are_what_their_sources_give(bundle: Path) -> None:
    done = run_npm(bundle, "run", "check")

    assert done.returncode == 0, done.stdout


def test_a_changed_source_is_noticed_until_it_is_built(bundle: Path) -> None:
    style = bundle / "page.css"
    style.write_text(style.read_text(encoding="utf-8").replace("#20242e", "#20242f"), encoding="utf-8")

    stale = run_npm(bundle, "run", "check")
    built = run_npm(bundle, "run", "build")
    fresh = run_npm(bundle, "run", "check")

    assert stale.returncode != 0
    assert "npm ci && npm run build" in stale.stdout
    assert built.returncode == fresh.returncode == 0, built.stdout + fresh.stdout
