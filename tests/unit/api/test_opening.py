"""Which back end the settings ask for."""

from pathlib import Path

import pytest
from pydantic import SecretStr

from api.config import Settings
from api.opening import make_backend, make_embedded
from graph.backends.chosen import ChosenBackend
from graph.backends.embedded import EmbeddedBackend
from graph.errors import InvalidInput, NotAvailable

URI = "bolt://db.example:7687"


def silent(_: str) -> None:
    pass


def test_without_an_address_servers_are_run_here() -> None:
    assert isinstance(make_backend(Settings(), on_event=silent), EmbeddedBackend)
    assert isinstance(make_backend(Settings(backend="embedded", neo4j_uri=URI), on_event=silent), EmbeddedBackend)


def test_with_an_address_the_server_is_used_under_its_own_name(tmp_path: Path) -> None:
    settings = Settings(
        neo4j_uri=URI, neo4j_user="graph", neo4j_password=SecretStr("tomato"), data_dir=tmp_path, cache_dir=tmp_path
    )

    backend = make_backend(settings, on_event=silent)

    assert isinstance(backend, ChosenBackend)
    server = backend.settings
    assert (server.uri, server.user, server.password, server.database) == (URI, "graph", "tomato", "")
    assert {tmp_path / "facts", tmp_path / "exports", tmp_path / "pending-jobs"} <= set(server.belongings)


def test_a_password_may_be_in_a_file(tmp_path: Path) -> None:
    file = tmp_path / "password"
    file.write_text(" to mato \n", encoding="utf-8")

    backend = make_backend(Settings(neo4j_uri=URI, neo4j_password_file=file), on_event=silent)

    assert isinstance(backend, ChosenBackend)
    assert backend.settings.password == " to mato "


def test_a_password_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    missing = tmp_path / "missing"

    with pytest.raises(InvalidInput, match=f"COGNIVERSE_NEO4J_PASSWORD_FILE: {missing}"):
        make_backend(Settings(neo4j_uri=URI, neo4j_password_file=missing), on_event=silent)


@pytest.mark.parametrize("backend", ["multi", "single"])
def test_a_server_without_an_address_is_refused(backend: str) -> None:
    with pytest.raises(InvalidInput, match="set COGNIVERSE_NEO4J_URI"):
        make_backend(Settings(backend=backend), on_event=silent)


def test_what_only_servers_of_our_own_can_names_the_tools_of_others() -> None:
    with pytest.raises(NotAvailable, match="neo4j-admin"):
        make_embedded(Settings(neo4j_uri=URI), on_event=silent)
