# pyright: basic
"""How fast the API answers, beside the same statements sent straight over Bolt.

    .venv/bin/python -m benchmarks.api FOLDER [--seconds 4] [--clients 1 8 32] [--requests 10000]

FOLDER is indexed into a tenant of its own in a temporary data folder. `cogniverse serve` runs in a process of its own
(one worker); the load generator speaks plain HTTP/1.1 over kept-alive loopback connections. For each of ten queries and
each number of clients, in one run:

* floor: the statements that the query sends, recorded once, sent one after another by the same Python driver in a
  process without anything else, rows read and thrown away;
* ours: the query over HTTP.

Printed are p50 and p95 in milliseconds, and ours / floor at p50. Goals: the nested query at most 1.5, look-ups at most
2, no error at 32 clients, memory flat over the last requests.
"""

import argparse
import asyncio
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

import psutil
from neo4j import AsyncGraphDatabase
from starlette.requests import HTTPConnection

from api.auth.access import Principal, Role
from api.config import Settings
from api.graphql.schema import make_schema
from api.services import make_services
from graph.backends.base import Endpoint
from graph.database import Database
from graph.tenants import parse_tenant

TENANT: Final = "benchmark"
QUERIES: Final[dict[str, str]] = {
    "node by id": 'node(id: "$node") { id name kind description location { path lineStart signature } }',
    "node by name": 'nodesByName(name: "$name", first: 5) { id name kind }',
    "edge by id": 'edge(id: "$edge") { id relation source { id name } target { id name } }',
    "search": 'search(query: "$words", mode: TEXT, first: 10) { truncated '
    "hits { score exactName node { id name kind } } }",
    "neighbors": 'neighbors(node: "$node", first: 50) { ... on Neighborhood { truncated '
    "outgoing { edge { relation } node { id name } } incoming { edge { relation } node { id name } } } }",
    "path": 'path(from: "$node", to: "$far", direction: BOTH) '
    "{ ... on Path { length nodes { id } } ... on NoPath { reason } }",
    "page of nodes": "nodes(first: 100) { nodes { id name kind } pageInfo { hasNextPage endCursor } }",
    "filtered page": 'nodes(where: {kind: {eq: "class"}, name: {contains: "e"}}, first: 50) { nodes { id name } }',
    "stats": "stats { nodes edges mentions documents nodesByKind { kind count } }",
    "nested, 100 nodes": "nodes(first: 100) { nodes { id name kind "
    "mentions(first: 3) { nodes { evidenceSpan verified document { path } segment { label } } } "
    "documents(first: 3) { path status } edges(first: 5) { nodes { relation source { name } target { name } } } } }",
}


@dataclass(frozen=True)
class Figures:
    """Times of one load, in milliseconds, and answers a second."""

    p50_ms: float
    p95_ms: float
    rate: float
    errors: int


async def load(clients: int, seconds: float, once: Callable[[int], Awaitable[bool]]) -> Figures:
    """Have clients repeat `once` side by side."""
    times: list[float] = []
    errors = 0
    stop = time.perf_counter() + seconds

    async def client(number: int) -> None:
        nonlocal errors
        while (began := time.perf_counter()) < stop:
            if not await once(number):
                errors += 1
            times.append(time.perf_counter() - began)

    began = time.perf_counter()
    await asyncio.gather(*(client(number) for number in range(clients)))
    elapsed = time.perf_counter() - began
    ordered = sorted(times)
    return Figures(
        p50_ms=statistics.median(ordered) * 1e3,
        p95_ms=ordered[int(len(ordered) * 0.95)] * 1e3,
        rate=len(ordered) / elapsed,
        errors=errors,
    )


class HttpClient:
    """Plain HTTP/1.1 over one kept-alive connection: a client that costs as little as can be."""

    def __init__(self, url: str) -> None:
        self._host = urlsplit(url)
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def post(self, body: bytes) -> bytes:
        """Send a query and return the answer's body."""
        if self._streams is None:
            self._streams = await asyncio.open_connection(self._host.hostname, self._host.port)
        reader, writer = self._streams
        writer.write(
            b"POST /graphql HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s"
            % (self._host.netloc.encode(), len(body), body)
        )
        head = await reader.readuntil(b"\r\n\r\n")
        match = re.search(rb"content-length: (\d+)", head, re.IGNORECASE)
        if match is None:
            raise ValueError(head)
        return await reader.readexactly(int(match[1]))


async def record(schema: Any, services: Any, query: str) -> list[tuple[str, dict[str, Any]]]:
    """The statements that a query sends."""
    from api.context import RequestContext

    sent: list[tuple[str, dict[str, Any]]] = []
    fetch = Database.fetch

    async def recording(self: Database, statement: Any, *, timeout_s: float | None = None, **params: Any) -> Any:
        sent.append((statement.text, params))
        return await fetch(self, statement, timeout_s=timeout_s, **params)

    Database.fetch = recording
    try:
        context = RequestContext(
            services, Principal("benchmark", Role.ADMIN, ("*",)), "benchmark", HTTPConnection({"type": "http"})
        )
        result = await schema.execute(query, context_value=context)
        if result.errors:
            raise ValueError(result.errors)
    finally:
        Database.fetch = fetch
    return sent


async def measure_floor(
    endpoint: Endpoint, statements: list[tuple[str, dict[str, Any]]], clients: int, seconds: float
) -> Figures:
    """The statements of a query straight over Bolt."""
    async with AsyncGraphDatabase.driver(
        endpoint.uri, auth=(endpoint.user, endpoint.password), notifications_min_severity="OFF"
    ) as driver:

        async def once(_: int) -> bool:
            for text, params in statements:

                async def work(transaction: Any, text: str = text, params: dict[str, Any] = params) -> list[Any]:
                    return [record.values() async for record in await transaction.run(text, params)]

                async with driver.session(database=endpoint.database) as session:
                    await session.execute_read(work)
            return True

        await load(clients, 1.0, once)
        return await load(clients, seconds, once)


async def measure_ours(url: str, query: str, clients: int, seconds: float) -> Figures:
    """The query over HTTP."""
    body = json.dumps({"query": query}).encode()
    https = [HttpClient(url) for _ in range(clients)]

    async def once(number: int) -> bool:
        return b'"errors"' not in await https[number].post(body)

    await load(clients, 1.0, once)
    return await load(clients, seconds, once)


async def choose(database: Database) -> dict[str, str]:
    """Ids and names of a middling node for the queries."""
    from graph.analytics import fetch_hubs
    from graph.listing import fetch_edge_page

    hubs = await fetch_hubs(database, kinds=("class",), limit=50)
    edges = await fetch_edge_page(database, first=1)
    return {
        "$node": hubs.nodes[-1].node.node_id,
        "$name": hubs.nodes[-1].node.name,
        "$words": hubs.nodes[0].node.name,
        "$far": hubs.nodes[10].node.node_id,
        "$edge": edges.items[0].edge.edge_id,
    }


def fill_in(selection: str, chosen: dict[str, str]) -> str:
    """A query on the benchmark's tenant with its ids and names."""
    for key, value in chosen.items():
        selection = selection.replace(key, value)
    return f'{{ tenant(id: "{TENANT}") {{ {selection} }} }}'


def serve(environment: dict[str, str]) -> tuple[subprocess.Popen[bytes], str]:
    """Start the server and return it with its address."""
    port = 8000 + os.getpid() % 20_000
    command = [sys.executable, "-m", "api.cli.app", "serve", "--port", str(port)]
    return subprocess.Popen(command, env=environment, stderr=subprocess.DEVNULL), f"http://127.0.0.1:{port}"


async def wait_for(url: str) -> None:
    """Wait until the server answers."""
    for _ in range(300):
        try:
            await HttpClient(url).post(b'{"query": "{ health { status } }"}')
        except OSError:
            await asyncio.sleep(0.2)
        else:
            return
    raise TimeoutError(url)


async def run(given: argparse.Namespace, folder: Path) -> None:
    """Measure everything and print it."""
    environment = os.environ | {"COGNIVERSE_DATA_DIR": str(folder), "COGNIVERSE_TRAIN_AOT": "false"}
    index = [sys.executable, "-m", "api.cli.app", "index", given.folder, "--tenant", TENANT]
    subprocess.run(index, env=environment, check=True)
    settings = Settings(data_dir=folder, train_aot=False)
    services = make_services(settings)
    database = await services.pool.get(parse_tenant(TENANT))
    chosen = await choose(database)
    schema = make_schema(settings)
    server, url = serve(environment)
    try:
        await wait_for(url)
        print(
            f"{'query':20}{'clients':>8}{'floor p50':>11}{'p95':>8}{'ours p50':>11}{'p95':>8}{'ratio':>8}{'ours/s':>9}"
        )
        for name, selection in QUERIES.items():
            query = fill_in(selection, chosen)
            statements = await record(schema, services, query)
            for clients in given.clients:
                floor = await measure_floor(database.endpoint, statements, clients, given.seconds)
                ours = await measure_ours(url, query, clients, given.seconds)
                print(
                    f"{name:20}{clients:>8}{floor.p50_ms:>11.2f}{floor.p95_ms:>8.1f}{ours.p50_ms:>11.2f}"
                    f"{ours.p95_ms:>8.1f}{ours.p50_ms / floor.p50_ms:>8.2f}{ours.rate:>9.0f}"
                    + (f"  {ours.errors} ERRORS" if ours.errors else "")
                )
        await measure_memory(url, server, chosen, given.requests)
    finally:
        server.terminate()
        server.wait(30)
        await services.close()
        subprocess.run(
            [sys.executable, "-m", "api.cli.app", "db", "stop", "--tenant", TENANT], env=environment, check=False
        )


async def measure_memory(url: str, server: subprocess.Popen[bytes], chosen: dict[str, str], requests: int) -> None:
    """Memory of the server over many requests."""
    bodies = [json.dumps({"query": fill_in(one, chosen)}).encode() for one in QUERIES.values()]
    clients = [HttpClient(url) for _ in range(8)]
    process = psutil.Process(server.pid)
    sizes = []
    for _ in range(5):

        async def some(client: HttpClient) -> None:
            for number in range(requests // 40):
                await client.post(bodies[number % len(bodies)])

        await asyncio.gather(*(some(client) for client in clients))
        sizes.append(process.memory_info().rss / 1e6)
    print(
        f"resident memory after each fifth of {requests:,} requests, MB: {', '.join(f'{size:.0f}' for size in sizes)}"
    )


def main() -> None:
    """Read the arguments and run."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("--seconds", type=float, default=4.0)
    parser.add_argument("--clients", type=int, nargs="+", default=[1, 8, 32])
    parser.add_argument("--requests", type=int, default=10_000)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(run(given, Path(folder)))


if __name__ == "__main__":
    main()
