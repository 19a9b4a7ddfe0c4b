from pathlib import Path

import pytest

from api.config import Settings, load_settings
from graph.errors import InvalidInput


@pytest.fixture(autouse=True)
def _bare_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in Settings.model_fields:
        monkeypatch.delenv(f"COGNIVERSE_{name.upper()}", raising=False)


def test_without_an_environment_the_defaults_hold() -> None:
    settings = load_settings()

    assert settings.tenant == "default"
    assert settings.workers >= 1
    assert settings.data_dir.is_absolute()
    assert settings.data_dir != settings.cache_dir


def test_every_setting_is_read_from_its_variable(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    values = {
        "data_dir": str(tmp_path / "d"),
        "cache_dir": str(tmp_path / "c"),
        "tenant": "acme:web",
        "idle_timeout_s": "60.5",
        "start_timeout_s": "30.0",
        "heap": "2g",
        "page_cache": "64m",
        "train_aot": "False",
        "workers": "3",
        "log_level": "DEBUG",
    }
    assert values.keys() == Settings.model_fields.keys()
    for name, value in values.items():
        monkeypatch.setenv(f"COGNIVERSE_{name.upper()}", value)

    settings = load_settings()

    assert {name: str(getattr(settings, name)) for name in values} == values


def test_a_bad_value_is_named_with_its_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COGNIVERSE_WORKERS", "many")
    monkeypatch.setenv("COGNIVERSE_HEAP", "lots")

    with pytest.raises(InvalidInput, match=r"COGNIVERSE_HEAP: .*'lots'; COGNIVERSE_WORKERS: .*'many'"):
        load_settings()


def test_an_empty_variable_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COGNIVERSE_TENANT", "")

    assert load_settings().tenant == "default"


def test_a_home_in_a_path_is_the_users(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COGNIVERSE_DATA_DIR", "~/graphs")

    assert load_settings().data_dir == Path.home() / "graphs"


def test_every_setting_is_described() -> None:
    assert all(field.description for field in Settings.model_fields.values())
