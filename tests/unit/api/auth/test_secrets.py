"""One signing secret for all processes of a data folder."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from api.auth.secrets import load_signing_key
from api.config import Settings
from graph.errors import InvalidInput, NotAvailable


def test_racing_callers_get_one_secret_that_stays(tmp_path: Path) -> None:
    settings = Settings(data_dir=tmp_path / "data")
    with ThreadPoolExecutor(8) as pool:
        found = set(pool.map(lambda _: load_signing_key(settings), range(16)))

    assert found == {load_signing_key(settings)}
    assert len(found.pop()) == 32
    assert (tmp_path / "data" / "secret").stat().st_mode & 0o777 == 0o600


def test_the_setting_comes_first_and_makes_no_file(tmp_path: Path) -> None:
    one = load_signing_key(Settings(data_dir=tmp_path, secret="correct horse battery"))
    same = load_signing_key(Settings(data_dir=tmp_path / "elsewhere", secret="correct horse battery"))
    other = load_signing_key(Settings(data_dir=tmp_path, secret="correct horse batterz"))

    assert one == same != other
    assert list(tmp_path.iterdir()) == []


def test_a_short_secret_and_a_broken_file_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="COGNIVERSE_SECRET"):
        load_signing_key(Settings(data_dir=tmp_path, secret="short"))
    (tmp_path / "secret").write_text("00ff")
    with pytest.raises(NotAvailable, match="remove it"):
        load_signing_key(Settings(data_dir=tmp_path))
