"""What compose.yaml and the Dockerfile promise; no engine is needed to see whether they keep it."""

import tomllib
from pathlib import Path

import pytest
import yaml

from api.config import Settings

ROOT = Path(__file__).parent.parent
COMPOSE = yaml.safe_load((ROOT / "compose.yaml").read_text())
SERVICES = COMPOSE["services"]
DATABASES = {"neo4j": "api", "neo4j-community": "api-community"}


def test_enterprise_is_the_default_and_community_a_profile() -> None:
    profiles = {name: service.get("profiles", []) for name, service in SERVICES.items()}

    assert profiles == {"neo4j": [], "api": [], "neo4j-community": ["community"], "api-community": ["community"]}
    assert SERVICES["neo4j"]["image"].endswith("-enterprise")


def test_the_licence_is_accepted_by_the_operator_alone() -> None:
    accepted = {
        name: service["environment"].get("NEO4J_ACCEPT_LICENSE_AGREEMENT") for name, service in SERVICES.items()
    }

    assert accepted["neo4j"] == "${NEO4J_ACCEPT_LICENSE_AGREEMENT:-}"
    assert {value for name, value in accepted.items() if name != "neo4j"} == {None}


@pytest.mark.parametrize(("database", "service"), DATABASES.items())
def test_the_service_waits_until_its_neo4j_answers_through_bolt(database: str, service: str) -> None:
    assert SERVICES[service]["depends_on"] == {database: {"condition": "service_healthy"}}
    assert "cypher-shell" in SERVICES[database]["healthcheck"]["test"][1]
    assert SERVICES[service]["environment"]["COGNIVERSE_NEO4J_URI"] == f"bolt://{database}:7687"


@pytest.mark.parametrize("database", DATABASES)
def test_a_neo4j_has_graph_data_science_memory_and_volumes(database: str) -> None:
    environment = SERVICES[database]["environment"]

    assert "graph-data-science" in environment["NEO4J_PLUGINS"]
    assert {name for name in environment if name.startswith("NEO4J_server_memory_")} == {
        "NEO4J_server_memory_heap_initial__size",
        "NEO4J_server_memory_heap_max__size",
        "NEO4J_server_memory_pagecache_size",
    }
    assert {volume.partition(":")[2] for volume in SERVICES[database]["volumes"]} == {"/data", "/logs"}


def test_each_volume_is_used_by_one_service() -> None:
    used = [volume.partition(":")[0] for service in SERVICES.values() for volume in service["volumes"]]

    assert sorted(used) == sorted(COMPOSE["volumes"])


def test_every_door_is_on_loopback_only() -> None:
    doors = [door for service in SERVICES.values() for door in service["ports"]]

    assert {door.split(":")[0] for door in doors} == {"127.0.0.1"}


@pytest.mark.parametrize("service", DATABASES.values())
def test_the_settings_of_the_service_are_settings(service: str) -> None:
    names = {name.removeprefix("COGNIVERSE_").lower() for name in SERVICES[service]["environment"]}

    assert names <= set(Settings.model_fields)


def test_no_password_stands_in_the_file() -> None:
    assert COMPOSE["secrets"] == {"neo4j_password": {"environment": "NEO4J_PASSWORD"}}
    assert "PASSWORD: " not in (ROOT / "compose.yaml").read_text()


def test_the_image_holds_every_package() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    packages = set(project["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"])
    copied = {line.split()[-1] for line in (ROOT / "Dockerfile").read_text().splitlines() if line.startswith("COPY")}
    let_in = {line[1:] for line in (ROOT / ".dockerignore").read_text().splitlines() if line.startswith("!")}

    assert packages <= copied
    assert packages <= let_in
