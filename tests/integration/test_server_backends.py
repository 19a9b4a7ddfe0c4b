"""Servers that others run: what is asked of them, what is said of those that won't do, and the whole program on one."""

import asyncio
import itertools
import json
import os
import socket
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from pydantic import SecretStr

from api.config import Settings
from graph.backends import single
from graph.backends.chosen import connect_server
from graph.backends.multi import MultiBackend
from graph.backends.server import ServerSettings, ask_server
from graph.backends.single import SingleBackend
from graph.errors import Conflict, DatabaseFailed, NotAvailable, UnknownTenant
from graph.tenants import TenantId, database_name, parse_tenant
from tests.api.conftest import serving
from tests.bolt.administration import HOME, Profile
from tests.bolt.router import PASSWORD, USER, Router
from tests.integration.test_multi import contents, dies, read, write

COMMUNITY = Profile(edition=None)
DEFAULT = TenantId("default")


@pytest.mark.parametrize(
    ("profile", "kind"),
    [
        (Profile(), MultiBackend),
        (Profile(knows_wait=False), MultiBackend),
        (Profile(version="2025.01.0"), MultiBackend),
        (Profile(grants=()), SingleBackend),
        (COMMUNITY, SingleBackend),
    ],
    ids=["enterprise", "plain", "calendar", "no-grant", "community"],
)
async def test_the_server_decides_the_back_end(
    router: Router, settings: ServerSettings, profile: Profile, kind: type
) -> None:
    await router.reset(profile)

    assert type(await connect_server(settings)) is kind


async def test_a_server_is_asked_without_changing_it(router: Router, settings: ServerSettings) -> None:
    facts = await ask_server(settings)

    assert (facts.home, facts.version, facts.edition, facts.creates) == (HOME, "5.26.16", "enterprise", True)
    assert set(router.catalog.databases) == {HOME}
    assert await contents(settings.endpoint(HOME)) == (0, [], [])


async def test_a_server_without_graph_data_science_is_used_with_a_note(
    router: Router, settings: ServerSettings
) -> None:
    await router.reset(Profile(has_gds=False))

    facts = await MultiBackend(settings).get_facts()

    assert facts.gds is None
    assert any("Graph Data Science" in note for note in facts.notes)


async def test_all_that_is_missing_is_said_at_once(router: Router, settings: ServerSettings) -> None:
    await router.reset(Profile(version="5.20.0", grants=()))

    with pytest.raises(NotAvailable) as caught:
        await connect_server(replace(settings, database="nowhere"), "multi")

    message = str(caught.value)
    assert [part for part in ("5.20.0", "5.26", "nowhere", "GRANT") if part not in message] == []


async def test_a_community_server_is_refused_for_many_tenants_with_the_way_out(
    router: Router, settings: ServerSettings
) -> None:
    await router.reset(COMMUNITY)

    with pytest.raises(NotAvailable, match="Enterprise") as caught:
        await connect_server(settings, "multi")

    assert "COGNIVERSE_BACKEND" in str(caught.value)
    assert "COGNIVERSE_NEO4J_URI" in str(caught.value)


async def test_a_wrong_password_is_said_and_not_shown(router: Router, settings: ServerSettings) -> None:
    with pytest.raises(NotAvailable, match="COGNIVERSE_NEO4J_PASSWORD") as caught:
        await connect_server(replace(settings, password="let me in"))

    assert "let me in" not in str(caught.value) + repr(settings) + repr(caught.value)


async def test_a_server_that_is_not_there_is_said_soon(settings: ServerSettings) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        uri = f"bolt://127.0.0.1:{taken.getsockname()[1]}"  # bound, and nobody listens

        with pytest.raises(NotAvailable, match=uri):
            async with asyncio.timeout(20):
                await connect_server(replace(settings, uri=uri))


async def test_a_server_for_one_tenant_takes_no_second(router: Router, settings: ServerSettings) -> None:
    await router.reset(COMMUNITY)
    backend = SingleBackend(settings)

    for act in (backend.create(parse_tenant("acme")), backend.open(parse_tenant("acme"), create=True)):
        with pytest.raises(Conflict, match="one database"):
            await act
    for act in (backend.delete(parse_tenant("acme")), backend.open(parse_tenant("acme"), create=False)):
        with pytest.raises(UnknownTenant):
            await act
    assert await backend.describe(parse_tenant("acme")) is None
    assert [view.tenant_id for view in await backend.describe_all()] == ["default"]


async def test_the_one_tenant_is_empty_after_its_deletion(
    router: Router, settings: ServerSettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(single, "GRACE_S", 0.0)
    await router.reset(COMMUNITY)
    backend = SingleBackend(settings)
    endpoint = await backend.open(DEFAULT, create=True)
    await write(endpoint)
    before = await backend.describe(DEFAULT)

    deleted = await backend.delete(DEFAULT)

    assert before is not None
    assert (before.state, deleted.state) == ("READY", "DELETING")
    assert await read(await backend.open(DEFAULT, create=True)) == []
    assert not {"node_id", "node_name"} & {*(await contents(endpoint))[1], *(await contents(endpoint))[2]}


@pytest.mark.slow
@pytest.mark.parametrize("loses_answer", [False, True], ids=["before", "after"])
async def test_emptying_the_one_tenant_that_dies_at_any_step_is_finished_by_the_next_start(
    router: Router, settings: ServerSettings, loses_answer: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(single, "GRACE_S", 0.0)
    await router.reset(COMMUNITY)
    states: list[str] = []
    for step in itertools.count():
        backend = SingleBackend(settings)
        endpoint = await backend.open(DEFAULT, create=True)
        await write(endpoint, str(step))
        router.die_at(step, loses_answer=loses_answer)
        if not await dies(router, backend.delete(DEFAULT)):
            break
        router.revive()

        later = SingleBackend(settings)
        view = await later.describe(DEFAULT)
        assert view is not None
        states.append(view.state)
        if view.state == "READY":
            # Before the mark all is there; after the end nothing is.
            assert (str(step) in await read(endpoint)) == ("DELETING" not in states)
        if view.state == "DELETING":
            assert not await later.serves(DEFAULT, endpoint)
            with pytest.raises(UnknownTenant):
                await later.open(DEFAULT, create=False)
            assert [one.state for one in await later.describe_all()] == ["READY"]
            assert await read(endpoint) == []
    assert states.count("DELETING") > 2


@pytest.fixture
def program(settings: ServerSettings, tmp_path: Path) -> Settings:
    """The program's settings for the router."""
    return Settings(
        neo4j_uri=settings.uri,
        neo4j_user=USER,
        neo4j_password=SecretStr(PASSWORD),
        data_dir=tmp_path / "data",
        cache_dir=tmp_path / "cache",
        workers=1,
        entity_engine="off",
        embedding_engine="off",
    )


INGEST = """mutation($t: ID!, $text: String!) {
  ingestFile(input: {tenant: $t, text: $text, name: "a.py"}) { __typename ... on Problem { code message } } }"""
NAMES = "query($t: ID!) { tenant(id: $t) { nodes { nodes { name } totalCount } } }"


async def test_the_api_keeps_tenants_of_one_server_apart(router: Router, program: Settings) -> None:
    async with serving(program) as api:
        for tenant, secret in (("one", "zebra"), ("two", "gnu")):
            made = await api.query(
                "mutation($t: ID!) { createTenant(input: {id: $t}) { __typename ... on Tenant { id state } } }",
                t=tenant,
            )
            assert made["createTenant"] == {"__typename": "Tenant", "id": tenant, "state": "READY"}
            answer = await api.query(INGEST, t=tenant, text=f"def {secret}():\n    pass\n\n\ndef both():\n    pass\n")
            assert answer["ingestFile"]["__typename"] == "IngestReport", answer

        names = {
            tenant: {node["name"] for node in (await api.query(NAMES, t=tenant))["tenant"]["nodes"]["nodes"]}
            for tenant in ("one", "two")
        }
        assert {"zebra", "both"} <= names["one"]
        assert {"gnu", "both"} <= names["two"]
        assert "gnu" not in names["one"]
        assert "zebra" not in names["two"]

        await api.query('mutation { deleteTenant(id: "one", confirm: "one") { __typename } }')
        assert (await api.query('{ tenant(id: "one") { id } }'))["tenant"] is None
        assert {node["name"] for node in (await api.query(NAMES, t="two"))["tenant"]["nodes"]["nodes"]} == names["two"]
    assert set(router.catalog.databases) == {HOME, database_name(TenantId("two"))}


@pytest.mark.slow
async def test_the_command_line_works_on_a_server(router: Router, program: Settings, tmp_path: Path) -> None:
    source = tmp_path / "source"
    source.mkdir()
    (source / "a.py").write_text("def zebra():\n    pass\n\n\nzebra()\n")
    env = os.environ | {
        "COGNIVERSE_NEO4J_URI": str(program.neo4j_uri),
        "COGNIVERSE_NEO4J_PASSWORD": PASSWORD,
        "COGNIVERSE_DATA_DIR": str(program.data_dir),
        "COGNIVERSE_CACHE_DIR": str(program.cache_dir),
        "COGNIVERSE_EMBEDDING_ENGINE": "off",
        "COGNIVERSE_ENTITY_ENGINE": "off",
    }

    async def run(*arguments: str) -> tuple[int, str, str]:
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "api.cli.app",
            *arguments,
            env=env,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        out, err = await process.communicate()
        assert PASSWORD.encode() not in out + err
        return process.returncode or 0, out.decode(), err.decode()

    code, _, err = await run("index", str(source), "--tenant", "acme")
    assert code == 0, err
    code, out, err = await run("graph", "search", "zebra", "--tenant", "acme", "--json")
    assert code == 0, err
    assert "zebra" in json.dumps(json.loads(out))
    code, out, err = await run("db", "status")
    assert code == 0, err
    assert "multi" in out
    code, _, err = await run("db", "dump", "--tenant", "acme", str(tmp_path / "file.dump"))
    assert code != 0
    assert "neo4j-admin" in err
    assert set(router.catalog.databases) == {HOME, database_name(TenantId("acme"))}


async def test_a_server_at_its_limit_is_said_by_the_api(router: Router, program: Settings) -> None:
    router.catalog.spare.clear()
    async with serving(program) as api:
        answer = await api.post('mutation { createTenant(input: {id: "one"}) { __typename } }')

        assert "errors" in answer
        assert (await api.query("{ tenants { totalCount } }"))["tenants"]["totalCount"] == 0
    with pytest.raises(DatabaseFailed):
        await MultiBackend(ServerSettings(str(program.neo4j_uri), USER, PASSWORD)).create(TenantId("one"))
