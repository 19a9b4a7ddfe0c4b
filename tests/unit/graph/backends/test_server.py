"""What is said of a server before it is used."""

from dataclasses import replace

import pytest

from graph.backends.base import Endpoint
from graph.backends.server import ServerFacts, ServerSettings, check_server, list_notes
from graph.errors import NotAvailable

SETTINGS = ServerSettings("bolt://db.example:7687", "neo4j", "tomato", "home")
ENTERPRISE = ServerFacts("Neo4j/5.26.0", "home", version="5.26.0", edition="enterprise", gds="2.13.0")
COMMUNITY = replace(ENTERPRISE, edition="community", refusal="It can't make databases.")


def test_what_a_server_can_decides_unless_it_is_said() -> None:
    assert check_server(SETTINGS, ENTERPRISE, "auto") == "multi"
    assert check_server(SETTINGS, COMMUNITY, "auto") == "single"
    assert check_server(SETTINGS, ENTERPRISE, "single") == "single"


@pytest.mark.parametrize("version", ["5.26.0", "5.26.16", "5.27-aura", "2025.01.0", "2026.01.4", None, "preview"])
def test_new_versions_and_unknown_ones_will_do(version: str | None) -> None:
    assert check_server(SETTINGS, replace(ENTERPRISE, version=version), "auto") == "multi"


@pytest.mark.parametrize("version", ["5.25.1", "5.9.0", "4.4.40", "3.5"])
def test_old_versions_are_refused_by_their_number(version: str) -> None:
    with pytest.raises(NotAvailable, match=rf"Neo4j {version}: at least 5\.26"):
        check_server(SETTINGS, replace(ENTERPRISE, version=version), "auto")


def test_all_that_is_missing_is_said_at_once() -> None:
    facts = replace(COMMUNITY, version="5.20.0", missing="There is no database home.")

    with pytest.raises(NotAvailable) as caught:
        check_server(SETTINGS, facts, "multi")

    assert str(caught.value).splitlines() == [
        "The Neo4j server at bolt://db.example:7687 can't be used:",
        "- It is Neo4j 5.20.0: at least 5.26 is needed. Update the server.",
        "- There is no database home.",
        "- It can't make databases.",
    ]


def test_no_graph_data_science_is_a_note_and_no_fault() -> None:
    facts = replace(ENTERPRISE, gds=None)

    assert check_server(SETTINGS, facts, "multi") == "multi"
    assert [note.partition(" is not")[0] for note in list_notes(facts)] == ["Graph Data Science"]
    assert list_notes(ENTERPRISE) == ()


def test_a_password_is_in_no_repr() -> None:
    assert "tomato" not in repr(SETTINGS) + repr(SETTINGS.endpoint("home"))
    assert SETTINGS.endpoint("other") == Endpoint("bolt://db.example:7687", "neo4j", "tomato", "other")
