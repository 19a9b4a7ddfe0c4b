import os
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
        "backend": "multi",
        "neo4j_uri": "neo4j+s://db.example:7687",
        "neo4j_user": "graph",
        "neo4j_password": "**********",
        "neo4j_password_file": str(tmp_path / "password"),
        "neo4j_database": "home",
        "idle_timeout_s": "60.5",
        "start_timeout_s": "30.0",
        "min_free_mb": "64",
        "heap": "2g",
        "page_cache": "64m",
        "train_aot": "False",
        "workers": "3",
        "host": "::1",
        "port": "8765",
        "production": "True",
        "graphiql": "False",
        "introspection": "True",
        "secret": "**********",
        "allowed_roots": f"{tmp_path / 'r'}{os.pathsep}{tmp_path / 's'}",
        "max_body_bytes": "2000000",
        "max_upload_bytes": "3000000",
        "large_file_bytes": "4000",
        "max_depth": "7",
        "max_aliases": "8",
        "max_tokens": "900",
        "max_cost": "1000",
        "query_timeout_s": "1.5",
        "rate_limit_per_minute": "60",
        "cors_origins": "https://a.example,https://b.example",
        "persisted_queries": "only",
        "persisted_queries_file": str(tmp_path / "q.json"),
        "read_timeout_s": "9.5",
        "read_memory": "1g",
        "entity_engine": "onnx",
        "entity_model": "some/gliner",
        "entity_labels": "Person,Award",
        "entity_threshold": "0.25",
        "entity_batch": "3",
        "models_url": "http://127.0.0.1:9001",
        "claims_model": "openai/some",
        "claims_url": "http://127.0.0.1:9002/v1",
        "claims_key": "**********",
        "claims_concurrency": "2",
        "claims_timeout_s": "5.5",
        "claims_free_form": "True",
        "embedding_engine": "openai",
        "embedding_model": "some-embedder",
        "embedding_url": "http://127.0.0.1:9003/v1",
        "embedding_key": "**********",
        "rerank": "mmr",
        "rerank_model": "some/cross-encoder",
        "ontology": str(tmp_path / "o.yaml"),
        "jwt_secret": "**********",
        "jwt_jwks_url": "https://a.example/jwks",
        "jwt_issuer": "https://a.example",
        "jwt_audience": "cogniverse",
        "jwt_tenants_claim": "t",
        "jwt_role_claim": "r",
        "job_slots": "2",
        "job_queue": "5",
        "connection_idle_s": "9.5",
        "export_ttl_s": "60.0",
        "otlp_endpoint": "http://127.0.0.1:4318/v1/traces",
        "log_level": "DEBUG",
    }
    assert values.keys() == Settings.model_fields.keys()
    for name, value in values.items():
        monkeypatch.setenv(f"COGNIVERSE_{name.upper()}", value)

    settings = load_settings()

    assert {name: _shown(getattr(settings, name)) for name in values} == values


def _shown(value: object) -> str:
    if isinstance(value, tuple):
        return (os.pathsep if all(isinstance(one, Path) for one in value) else ",").join(map(str, value))
    return str(value)


def test_a_bad_value_is_named_with_its_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COGNIVERSE_WORKERS", "many")
    monkeypatch.setenv("COGNIVERSE_HEAP", "lots")

    with pytest.raises(InvalidInput, match=r"COGNIVERSE_HEAP: .*'lots'; COGNIVERSE_WORKERS: .*'many'"):
        load_settings()


@pytest.mark.parametrize(
    "address",
    [
        "http://db:7474",
        "db:7687",
        "bolt://",
        "bolt://db:x",
        "neo4j://db:0",
        "bolt:db",
        "bolt://db/x",
        "bolt://db?policy=eu",
    ],
)
def test_an_address_that_is_none_of_neo4j_is_refused(monkeypatch: pytest.MonkeyPatch, address: str) -> None:
    monkeypatch.setenv("COGNIVERSE_NEO4J_URI", address)

    with pytest.raises(InvalidInput, match="COGNIVERSE_NEO4J_URI"):
        load_settings()


@pytest.mark.parametrize("password", ["tomato", "to/mato", "to@mato"])
def test_an_address_with_a_password_is_refused_without_showing_it(
    monkeypatch: pytest.MonkeyPatch, password: str
) -> None:
    monkeypatch.setenv("COGNIVERSE_NEO4J_URI", f"bolt://neo4j:{password}@db:7687")

    with pytest.raises(InvalidInput, match="set COGNIVERSE_NEO4J_USER and COGNIVERSE_NEO4J_PASSWORD") as caught:
        load_settings()

    assert "mato" not in str(caught.value)


def test_an_empty_variable_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COGNIVERSE_TENANT", "")

    assert load_settings().tenant == "default"


def test_a_home_in_a_path_is_the_users(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COGNIVERSE_DATA_DIR", "~/graphs")

    assert load_settings().data_dir == Path.home() / "graphs"


def test_every_setting_is_described() -> None:
    assert all(field.description for field in Settings.model_fields.values())
