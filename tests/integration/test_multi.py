"""Tenants as databases of one server: what is sent to it, and what holds under races, refusals and sudden death."""

import asyncio
import itertools
import json
import os
import sys
from collections.abc import Awaitable
from dataclasses import replace
from pathlib import Path

import pytest

from graph.backends import multi
from graph.backends.base import Endpoint
from graph.backends.multi import MultiBackend
from graph.backends.server import ServerSettings
from graph.database import connect
from graph.errors import Conflict, DatabaseFailed, MissingDatabase, NotAvailable, UnknownTenant
from graph.statements import load_text, statement_names
from graph.tenants import TenantId, database_name, directory_name, parse_tenant
from tests.bolt.administration import (
    FORBIDDEN,
    HOME,
    LIMIT_REACHED,
    UNSUPPORTED,
    Catalog,
    LogicalDatabase,
    Profile,
    Refused,
)
from tests.bolt.router import PASSWORD, Router
from tests.raw import Cypher

ONE = parse_tenant("acme:one")
TWO = parse_tenant("acme:two")
PLAIN = Profile(knows_wait=False, slow_looks=3)
KEEPING = Profile(drop_refusal=UNSUPPORTED)
NAMES = {load_text(name): name.removeprefix("tenants/") for name in statement_names() if name.startswith("tenants/")}


async def write(endpoint: Endpoint, name: str = "x") -> None:
    async with Cypher(endpoint) as cypher:
        await cypher("CREATE CONSTRAINT node_id IF NOT EXISTS FOR (n:Node) REQUIRE n.node_id IS UNIQUE")
        await cypher("CREATE INDEX node_name IF NOT EXISTS FOR (n:Node) ON (n.name)")
        await cypher("CREATE (n:Node {node_id: $name, name: $name})-[:CALLS]->(n)", name=name)


async def read(endpoint: Endpoint) -> list[str]:
    async with Cypher(endpoint) as cypher:
        return [row["name"] for row in await cypher("MATCH (n:Node) RETURN n.name AS name ORDER BY name")]


async def contents(endpoint: Endpoint) -> tuple[int, list[str], list[str]]:
    """How many nodes there are, and the names of constraints and indexes."""
    async with Cypher(endpoint) as cypher:
        (count,) = await cypher("MATCH (n) RETURN count(n) AS count")
        constraints = await cypher("SHOW CONSTRAINTS YIELD name")
        indexes = await cypher("SHOW INDEXES YIELD name, type WHERE type <> 'LOOKUP' RETURN name")
    return count["count"], [row["name"] for row in constraints], [row["name"] for row in indexes]


def tenant_databases(router: Router) -> set[str]:
    return set(router.catalog.databases) - {HOME}


def take_commands(router: Router) -> list[str]:
    """The administration commands since the last look, by the names of their files."""
    names = [NAMES.get(query, query) for query, _ in router.commands]
    router.commands.clear()
    return names


async def dies(router: Router, work: Awaitable[object]) -> bool:
    """Do some work until it ends or the router dies, which ends it as the death of the program would."""
    task = asyncio.ensure_future(work)
    death = asyncio.create_task(router.has_died.wait())
    await asyncio.wait({task, death}, return_when=asyncio.FIRST_COMPLETED)
    has_died = death.done()
    task.cancel()
    death.cancel()
    await asyncio.gather(task, death, return_exceptions=True)
    if not has_died:
        task.result()
    return has_died


@pytest.mark.parametrize(
    ("profile", "created", "deleted"),
    [
        (Profile(), ["show_database", "create_database", "show_database"], ["drop_database", "show_database"]),
        (
            PLAIN,
            ["show_database", "create_database", "create_database_plainly", *["show_database"] * 4],
            ["drop_database", "drop_database_plainly", "show_database"],
        ),
        (
            KEEPING,
            ["show_database", "create_database", "show_database"],
            ["drop_database", "drop_database_plainly"],
        ),
        (
            Profile(drop_refusal=FORBIDDEN),
            ["show_database", "create_database", "show_database"],
            ["drop_database"],
        ),
    ],
    ids=["enterprise", "plain", "keeps", "forbids"],
)
async def test_these_commands_are_sent_and_no_others(
    router: Router, settings: ServerSettings, profile: Profile, created: list[str], deleted: list[str]
) -> None:
    await router.reset(profile)
    backend = MultiBackend(settings)

    await backend.create(ONE)
    assert {json.dumps(params) for _, params in router.commands} == {json.dumps({"name": database_name(ONE)})}
    assert take_commands(router) == created
    await backend.open(ONE, create=True)
    await backend.describe(ONE)
    await backend.describe_all()
    assert take_commands(router) == []
    await backend.delete(ONE)
    assert take_commands(router) == deleted


async def test_a_form_that_the_server_does_not_know_is_tried_once(router: Router, settings: ServerSettings) -> None:
    await router.reset(PLAIN)
    backend = MultiBackend(settings)
    await backend.create(ONE)
    take_commands(router)

    await backend.create(TWO)

    assert "create_database" not in take_commands(router)


@pytest.mark.parametrize("profile", [Profile(), PLAIN], ids=["enterprise", "plain"])
async def test_of_racing_creations_one_makes_the_tenant(
    router: Router, settings: ServerSettings, profile: Profile
) -> None:
    await router.reset(profile)

    views = await asyncio.gather(*(MultiBackend(settings).create(ONE) for _ in range(6)), return_exceptions=True)

    made = [view for view in views if not isinstance(view, BaseException)]
    assert [view.state for view in made] == ["READY"]
    assert {type(view) for view in views if isinstance(view, BaseException)} == {Conflict}
    assert tenant_databases(router) == {database_name(ONE)}


async def test_racing_openers_get_one_database(router: Router, settings: ServerSettings) -> None:
    await router.reset(PLAIN)

    endpoints = await asyncio.gather(*(MultiBackend(settings).open(ONE, create=True) for _ in range(6)))

    assert {endpoint.database for endpoint in endpoints} == tenant_databases(router) == {database_name(ONE)}


_RACER = """
import asyncio, os, sys
from graph.backends.multi import MultiBackend
from graph.backends.server import ServerSettings
from graph.errors import Conflict
from graph.tenants import parse_tenant

async def main():
    backend = MultiBackend(ServerSettings(sys.argv[1], "neo4j", os.environ["ROUTER_PASSWORD"]))
    print("up", flush=True)
    sys.stdin.readline()
    try:
        print("made", (await backend.create(parse_tenant("acme:one"))).state)
    except Conflict:
        print("there", (await backend.open(parse_tenant("acme:one"), create=True)).database)

asyncio.run(main())
"""


@pytest.mark.slow
async def test_of_two_processes_one_makes_the_tenant(router: Router, settings: ServerSettings) -> None:
    racers = [
        await asyncio.create_subprocess_exec(
            sys.executable,
            "-c",
            _RACER,
            settings.uri,
            env=os.environ | {"ROUTER_PASSWORD": PASSWORD},
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
        )
        for _ in range(2)
    ]
    for racer in racers:
        assert racer.stdout is not None
        assert await racer.stdout.readline() == b"up\n"

    answers = await asyncio.gather(*(racer.communicate(b"\n") for racer in racers))

    assert sorted(out.decode().split() for out, _ in answers) == [["made", "READY"], ["there", database_name(ONE)]]
    assert tenant_databases(router) == {database_name(ONE)}


@pytest.mark.parametrize("profile", [Profile(), PLAIN, KEEPING], ids=["enterprise", "plain", "keeps"])
async def test_made_again_a_tenant_is_empty(router: Router, settings: ServerSettings, profile: Profile) -> None:
    await router.reset(profile)
    backend = MultiBackend(settings)
    await write(await backend.open(ONE, create=True))
    await backend.delete(ONE)

    again = await backend.open(ONE, create=True)

    assert await contents(again) == (0, [], [])


async def test_a_deleted_tenant_is_served_no_more(router: Router, settings: ServerSettings) -> None:
    backend, other = MultiBackend(settings), MultiBackend(settings)
    endpoint = await backend.open(ONE, create=True)
    assert await other.serves(ONE, endpoint)
    await backend.delete(ONE)

    assert not await other.serves(ONE, endpoint)
    assert await other.describe(ONE) is None
    with pytest.raises(UnknownTenant):
        await other.open(ONE, create=False)
    with pytest.raises(UnknownTenant):
        await other.delete(ONE)
    async with connect(endpoint) as database:
        with pytest.raises(MissingDatabase):
            await database.verify()
    await other.create(ONE)
    assert not await other.serves(ONE, endpoint)


async def test_tenants_share_nothing(router: Router, settings: ServerSettings) -> None:
    backend = MultiBackend(settings)
    one, two = await backend.open(ONE, create=True), await backend.open(TWO, create=True)
    await write(one, "of one")
    await write(two, "of two")

    await backend.delete(ONE)

    assert await read(two) == ["of two"]
    assert [view.tenant_id for view in await backend.describe_all()] == [str(TWO)]


async def test_a_database_that_may_not_be_dropped_is_emptied_and_used_by_nobody_again(
    router: Router, settings: ServerSettings
) -> None:
    await router.reset(KEEPING)
    backend = MultiBackend(settings)
    first = await backend.open(ONE, create=True)
    await write(first)

    await backend.delete(ONE)

    assert await contents(first) == (0, [], [])
    assert await backend.describe_all() == []
    assert (await backend.open(ONE, create=True)).database == database_name(ONE, 1) != first.database
    assert await contents(first) == (0, [], [])


async def test_an_emptied_database_keeps_the_indexes_that_every_one_has(
    router: Router, settings: ServerSettings
) -> None:
    await router.reset(KEEPING)
    backend = MultiBackend(settings)
    endpoint = await backend.open(ONE, create=True)
    async with Cypher(endpoint) as cypher:
        before = await cypher("SHOW INDEXES YIELD name, type WHERE type = 'LOOKUP' RETURN name ORDER BY name")
        await backend.delete(ONE)

        after = await cypher("SHOW INDEXES YIELD name, type WHERE type = 'LOOKUP' RETURN name ORDER BY name")

    assert len(before) == 2
    assert after == before


@pytest.mark.slow
@pytest.mark.parametrize("profile", [Profile(), PLAIN, KEEPING], ids=["enterprise", "plain", "keeps"])
@pytest.mark.parametrize("loses_answer", [False, True], ids=["before", "after"])
async def test_a_deletion_that_dies_at_any_step_is_finished_by_the_next_start(
    router: Router, settings: ServerSettings, profile: Profile, loses_answer: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(multi, "GRACE_S", 0.0)
    states: list[str] = []
    for step in itertools.count():
        if profile.drop_refusal or not step:
            await router.reset(profile)
        tenant = TenantId(f"tenant{step}")
        backend = MultiBackend(settings)
        endpoint = await backend.open(tenant, create=True)
        await write(endpoint)
        router.die_at(step, loses_answer=loses_answer)
        if not await dies(router, backend.delete(tenant)):
            break
        router.revive()

        # The next start.
        later = MultiBackend(settings)
        view = await later.describe(tenant)
        states.append("GONE" if view is None else view.state)
        if states[-1] == "READY":
            assert await read(endpoint) == ["x"]
            await later.delete(tenant)
        elif states[-1] == "DELETING":
            assert not await later.serves(tenant, endpoint)
            with pytest.raises(UnknownTenant):
                await later.open(tenant, create=False)
        assert await later.describe_all() == []

        if profile.drop_refusal:
            assert await contents(endpoint) == (0, [], [])
            assert (await later.open(tenant, create=True)).database != endpoint.database
        else:
            assert tenant_databases(router) == set()

    # Whole until the mark, then going, and gone only at the end: no way back.
    assert states == sorted(states, key=["READY", "DELETING", "GONE"].index)
    assert states.count("DELETING") > 2


@pytest.mark.slow
@pytest.mark.parametrize("loses_answer", [False, True], ids=["before", "after"])
async def test_a_tenant_is_made_again_over_a_deletion_that_died(
    router: Router, settings: ServerSettings, loses_answer: bool
) -> None:
    remade = 0
    for step in itertools.count():
        tenant = TenantId(f"tenant{step}")
        backend = MultiBackend(settings)
        await write(await backend.open(tenant, create=True))
        router.die_at(step, loses_answer=loses_answer)
        if not await dies(router, backend.delete(tenant)):
            break
        router.revive()

        later = MultiBackend(settings)
        view = await later.describe(tenant)
        if view is None or view.state == "DELETING":
            remade += 1
            assert await contents(await later.open(tenant, create=True)) == (0, [], [])
        assert len(tenant_databases(router)) == 1
        await later.delete(tenant)
    assert remade > 2


@pytest.mark.slow
@pytest.mark.parametrize("profile", [Profile(), PLAIN], ids=["enterprise", "plain"])
@pytest.mark.parametrize("loses_answer", [False, True], ids=["before", "after"])
async def test_a_creation_that_dies_at_any_step_is_gone_on_with_by_whoever_comes_next(
    router: Router, settings: ServerSettings, profile: Profile, loses_answer: bool
) -> None:
    await router.reset(profile)
    states: list[str | None] = []
    for step in itertools.count():
        tenant = TenantId(f"tenant{step}")
        router.die_at(step, loses_answer=loses_answer)
        if not await dies(router, MultiBackend(settings).create(tenant)):
            break
        router.revive()

        later = MultiBackend(settings)
        view = await later.describe(tenant)
        states.append(view and view.state)
        if view is None:
            await later.create(tenant)
        endpoint = await later.open(tenant, create=False)
        assert await contents(endpoint) == (0, [], [])
        assert tenant_databases(router) == {endpoint.database} == {database_name(tenant)}
        await later.delete(tenant)
        assert tenant_databases(router) == set()
    assert states == sorted(states, key=[None, "PROVISIONING", "READY"].index)
    assert states.count("PROVISIONING") > 2


async def test_a_tenant_whose_database_never_came_online_can_be_given_up(
    router: Router, settings: ServerSettings
) -> None:
    await router.reset(Profile(becomes="offline"))
    backend = MultiBackend(settings)
    with pytest.raises(NotAvailable):
        await backend.create(ONE)

    await backend.delete(ONE)

    assert await backend.describe_all() == []
    # Whose it is can't be seen, so it is left alone, and the next tenant gets another.
    router.catalog.profile = Profile()
    assert (await backend.open(ONE, create=True)).database == database_name(ONE, 1)
    assert tenant_databases(router) == {database_name(ONE), database_name(ONE, 1)}


async def test_a_tenant_goes_with_its_database_offline(router: Router, settings: ServerSettings) -> None:
    backend = MultiBackend(settings)
    await backend.create(ONE)
    router.catalog.databases[database_name(ONE)].state = "offline"

    await backend.delete(ONE)

    assert tenant_databases(router) == set()
    assert await backend.describe_all() == []


async def test_a_database_that_does_not_come_online_is_named(router: Router, settings: ServerSettings) -> None:
    await router.reset(Profile(becomes="offline"))

    with pytest.raises(NotAvailable, match=f"{database_name(ONE)} .*offline") as caught:
        await MultiBackend(settings).create(ONE)

    assert "SHOW DATABASES" in str(caught.value)


async def test_a_database_that_takes_for_ever_to_start_is_given_up_waiting_for(
    router: Router, settings: ServerSettings
) -> None:
    await router.reset(Profile(knows_wait=False, slow_looks=1_000_000))

    with pytest.raises(NotAvailable, match="starting"):
        await MultiBackend(replace(settings, start_timeout_s=0.5)).create(ONE)


async def test_a_server_that_shows_no_databases_is_asked_by_using_them(
    router: Router, settings: ServerSettings
) -> None:
    await router.reset(Profile(knows_wait=False, knows_show=False))
    backend = MultiBackend(settings)

    await write(await backend.open(ONE, create=True))
    await backend.delete(ONE)

    assert tenant_databases(router) == set()


async def test_somebody_elses_database_is_left_alone(router: Router, settings: ServerSettings) -> None:
    server = router.catalog.spare.pop()
    async with Cypher(server) as cypher:
        await cypher("CREATE (:Customer {name: 'theirs'})")
    router.catalog.databases[database_name(ONE)] = LogicalDatabase(database_name(ONE), server)
    backend = MultiBackend(settings)

    with pytest.raises(Conflict, match=database_name(ONE)):
        await backend.create(ONE)
    with pytest.raises(Conflict, match=database_name(ONE)):
        await backend.open(ONE, create=True)
    with pytest.raises(UnknownTenant):
        await backend.delete(ONE)

    assert await backend.describe_all() == []
    assert not [name for name in take_commands(router) if name.startswith(("create", "drop"))]
    async with Cypher(server) as cypher:
        assert await cypher("MATCH (n) RETURN labels(n) AS labels, n.name AS name") == [
            {"labels": ["Customer"], "name": "theirs"}
        ]


async def test_a_tenant_named_like_a_database_is_another(router: Router, settings: ServerSettings) -> None:
    backend = MultiBackend(settings)
    one = await backend.open(ONE, create=True)
    await write(one)
    namesake = TenantId(one.database)

    other = await backend.open(namesake, create=True)
    assert other.database != one.database
    await backend.delete(namesake)

    assert await read(one) == ["x"]


@pytest.mark.parametrize(
    "name", ["neo4j", "system", "System-x", "a", "A", "..", "-", "_", "a.b", "x" * 63 + ":" + "y" * 63]
)
async def test_every_name_of_a_tenant_is_a_database_of_its_own(
    router: Router, settings: ServerSettings, name: str
) -> None:
    tenant = parse_tenant(name)
    backend = MultiBackend(settings)

    endpoint = await backend.open(tenant, create=True)
    await write(endpoint)

    assert tenant_databases(router) == {endpoint.database}
    assert [view.tenant_id for view in await backend.describe_all()] == [name]
    await backend.delete(tenant)
    assert tenant_databases(router) == set()


async def test_the_limit_of_databases_is_said_and_leaves_no_tenant(router: Router, settings: ServerSettings) -> None:
    router.catalog.spare.clear()
    backend = MultiBackend(settings)

    with pytest.raises(DatabaseFailed) as caught:
        await backend.create(ONE)

    assert caught.value.code == LIMIT_REACHED
    assert await backend.describe_all() == []


async def test_a_deletion_ends_what_is_being_written(router: Router, settings: ServerSettings) -> None:
    backend = MultiBackend(settings)
    endpoint = await backend.open(ONE, create=True)
    has_written = asyncio.Event()

    async def write_on() -> None:
        for number in itertools.count():
            await write(endpoint, str(number))
            has_written.set()

    writing = asyncio.create_task(write_on())
    await has_written.wait()
    await MultiBackend(settings).delete(ONE)
    (outcome,) = await asyncio.gather(writing, return_exceptions=True)

    assert isinstance(outcome, Exception)
    assert tenant_databases(router) == set()
    assert await contents(await backend.open(ONE, create=True)) == (0, [], [])


async def test_belongings_go_with_the_tenant(router: Router, settings: ServerSettings, tmp_path: Path) -> None:
    backend = MultiBackend(replace(settings, belongings=(tmp_path,)))
    await backend.create(ONE)
    for tenant in (ONE, TWO):
        (tmp_path / directory_name(tenant)).mkdir()
        (tmp_path / directory_name(tenant) / "fact").write_text("kept")

    await backend.delete(ONE)

    assert not (tmp_path / directory_name(ONE)).exists()
    assert (tmp_path / directory_name(TWO) / "fact").exists()


async def test_a_routed_address_serves_as_well(router: Router, settings: ServerSettings) -> None:
    backend = MultiBackend(replace(settings, uri=f"neo4j://{router.address}"))

    endpoint = await backend.open(ONE, create=True)
    await write(endpoint)

    assert await read(endpoint) == ["x"]
    await backend.delete(ONE)
    async with connect(endpoint) as database:
        with pytest.raises((MissingDatabase, NotAvailable)):
            await database.verify()


def test_the_catalog_refuses_what_neo4j_refuses() -> None:
    catalog = Catalog(Profile(), {}, [])
    create = load_text("tenants/create_database_plainly")
    for name in ("ab", "1ab", "a_b", "system2", "a" * 64):
        with pytest.raises(Refused):
            catalog.answer(create, {"name": name})
