"""The router: clients see one server with many databases; each of them is a real Neo4j Community server.

What runs in a database runs for real; administration is answered by the catalog. A router can die at the n-th request,
as the program or the server may.
"""

import asyncio
import itertools
from collections.abc import Sequence
from contextlib import suppress
from typing import Self

from graph.backends.base import Endpoint
from tests.bolt.administration import HOME, SYSTEM, UNAVAILABLE, Catalog, LogicalDatabase, Profile, Refused, is_command
from tests.bolt.packstream import Raw, decode, encode, message, split_map
from tests.bolt.wire import (
    BEGIN,
    COMMIT,
    FAILURE,
    GOODBYE,
    HELLO,
    IGNORED,
    LOGOFF,
    LOGON,
    RECORD,
    RESET,
    ROLLBACK,
    ROUTE,
    RUN,
    SUCCESS,
    TELEMETRY,
    Wire,
    failure,
    log_in,
    success,
)
from tests.raw import Cypher

USER = "neo4j"
PASSWORD = "a password of the router's"


class Router:
    """A Bolt server over real ones; the first holds the home database, the others what is made.

    `commands` are the administration commands that came, with their parameters; `faults` the router's own errors.
    """

    def __init__(self, servers: Sequence[Endpoint]) -> None:
        self._servers = servers
        self._clients: set[Wire] = set()
        self._requests_left: int | None = None
        self._loses_answer = False
        self.catalog = Catalog(Profile(), {}, [])
        self.commands: list[tuple[str, dict[str, object]]] = []
        self.faults: list[Exception] = []
        self.idle: dict[str, list[Wire]] = {}
        self.has_died = asyncio.Event()

    async def __aenter__(self) -> Self:
        self._listener = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.address = f"127.0.0.1:{self._listener.sockets[0].getsockname()[1]}"
        return self

    async def __aexit__(self, *_: object) -> None:
        self._listener.close()
        for wire in [*self._clients, *itertools.chain(*self.idle.values())]:
            wire.abort()
        await self._listener.wait_closed()

    async def reset(self, profile: Profile | None = None) -> None:
        """Become a new server of a kind, with an empty home database and no other."""
        self.revive()
        for client in list(self._clients):
            client.abort()
        for server in self._servers:
            await _empty(server)
        self.catalog = Catalog(
            profile or Profile(), {HOME: LogicalDatabase(HOME, self._servers[0])}, [*self._servers[1:]]
        )
        self.commands.clear()

    def die_at(self, request: int, *, loses_answer: bool) -> None:
        """Break all connections at the n-th request from now, counting from 0, and take no more.

        The request isn't done; with `loses_answer` it is, and nobody is told.
        """
        self._requests_left = request
        self._loses_answer = loses_answer
        self.has_died.clear()

    def revive(self) -> None:
        """Take connections again, and requests without end."""
        self._requests_left = None
        self.has_died.clear()

    async def connect(self, server: Endpoint) -> Wire:
        """Return a connection to a real server."""
        while idle := self.idle.get(server.uri):
            wire = idle.pop()
            if (await wire.ask(message(RESET)))[1] == SUCCESS:
                return wire
        return await log_in(server)

    async def command(self, query: str, params: dict[str, object]) -> tuple[str, dict[str, object]] | None:
        """Take an administration command: see `Catalog.answer`."""
        if is_command(query):
            self.commands.append((query, params))
        answer = self.catalog.answer(query, params)
        while self.catalog.dropped:
            database = self.catalog.dropped.pop()
            await _empty(database.server)
            self.catalog.spare.append(database.server)
        return answer

    def count_request(self, *, is_answered: bool) -> None:
        """Count a request, before it is done and again after, and die if it is the one."""
        if self._requests_left is None or is_answered != self._loses_answer:
            return
        if self._requests_left == 0:
            self.has_died.set()
            for client in list(self._clients):
                client.abort()
            raise ConnectionResetError
        self._requests_left -= 1

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        wire = Wire(reader, writer)
        if self.has_died.is_set():
            wire.abort()
            return
        self._clients.add(wire)
        client = Client(self, wire)
        answering = asyncio.create_task(client.answer_all())
        try:
            with suppress(EOFError, ConnectionError):
                await wire.accept()
                while not answering.done():
                    client.inbox.put_nowait(await wire.receive())
        finally:
            self._clients.discard(wire)
            answering.cancel()
            (ended,) = await asyncio.gather(answering, return_exceptions=True)
            if isinstance(ended, Exception) and not isinstance(ended, ConnectionError):
                self.faults.append(ended)
            client.leave()
            wire.abort()


class Client:
    """One connection of a client, and those to the servers that it uses."""

    def __init__(self, router: Router, wire: Wire) -> None:
        self.inbox: asyncio.Queue[bytes] = asyncio.Queue()
        self._router = router
        self._wire = wire
        self._servers: dict[str, Wire] = {}
        self._using: LogicalDatabase | None = None
        self._name = HOME
        self._has_failed = False
        self._in_transaction = False
        self._is_waiting = False

    async def answer_all(self) -> None:
        """Answer the messages one after the other, until there are no more."""
        try:
            while (asked := await self.inbox.get())[1] != GOODBYE:
                await self._answer(asked)
        finally:
            self._wire.abort()

    def leave(self) -> None:
        """Give the connections to the servers back, or end them in the middle of something."""
        for server, wire in self._servers.items():
            if self._is_waiting:
                wire.abort()
            else:
                self._router.idle.setdefault(server, []).append(wire)

    async def _answer(self, asked: bytes) -> None:
        tag = asked[1]
        counts = tag in (RUN, COMMIT)
        if counts:
            self._router.count_request(is_answered=False)
        if tag == RESET:
            self._has_failed = self._in_transaction = False
        if self._has_failed:
            await self._wire.send(message(IGNORED))
            return
        try:
            answers = await self._ask(asked)
        except Refused as refused:
            answers = [failure(refused.code, refused.text)]
        if counts:
            self._router.count_request(is_answered=True)
        self._has_failed = answers[-1][1] == FAILURE
        for answer in answers:
            await self._wire.send(answer)

    async def _ask(self, asked: bytes) -> list[bytes]:
        tag = asked[1]
        if tag == HELLO:
            agent = f"Neo4j/{self._router.catalog.profile.version}"
            return [success({"server": agent, "connection_id": "bolt-1", "hints": {}})]
        if tag == LOGON:
            return [self._log_on(asked)]
        if tag == ROUTE:
            return [self._route(asked)]
        if tag in (LOGOFF, TELEMETRY) or (tag == RESET and self._using is None):
            return [success({})]
        if tag == RUN:
            return await self._run(asked)
        if tag == BEGIN:
            self._in_transaction = True
            return await self._pass_on(message(BEGIN, self._choose(asked, 2)))
        if tag in (COMMIT, ROLLBACK):
            self._in_transaction = False
        return await self._pass_on(asked)

    async def _run(self, asked: bytes) -> list[bytes]:
        query, at = decode(asked, 2)
        params, end = decode(asked, at)
        extra = Raw(asked[end:]) if self._in_transaction else self._choose(asked, end)
        answer = await self._router.command(str(query), dict(params))
        query, params = (query, Raw(asked[at:end])) if answer is None else answer
        return await self._pass_on(message(RUN, query, params, extra))

    def _choose(self, asked: bytes, at: int) -> dict[str, Raw]:
        """Turn to the database that a request names; return its extra part for the server that holds it."""
        extra, _ = split_map(asked, at)
        name = decode(extra["db"].data)[0] if "db" in extra else HOME
        self._name = str(name)
        self._using = self._router.catalog.find(HOME if name == SYSTEM else self._name)
        if name == SYSTEM:
            extra.pop("bookmarks", None)  # of another server's making
        return extra | {"db": Raw(encode(self._using.server.database))}

    async def _pass_on(self, asked: bytes) -> list[bytes]:
        """Have the server answer."""
        using = self._using
        assert using is not None
        if self._router.catalog.databases.get(using.name) is not using:
            self._servers.pop(using.server.uri).abort()
            self._using = None
            raise Refused(UNAVAILABLE, f"Database '{using.name}' was dropped.")
        if using.server.uri not in self._servers:
            self._servers[using.server.uri] = await self._router.connect(using.server)
        server = self._servers[using.server.uri]
        self._is_waiting = True
        await server.send(asked)
        answers = [await server.receive()]
        while answers[-1][1] == RECORD:
            answers.append(await server.receive())
        self._is_waiting = False
        if answers[-1][1] == SUCCESS:
            metadata, _ = split_map(answers[-1], 2)
            if "db" in metadata:
                answers[-1] = success(metadata | {"db": self._name})
        return answers

    def _log_on(self, asked: bytes) -> bytes:
        auth, _ = decode(asked, 2)
        assert isinstance(auth, dict)
        if (auth.get("principal"), auth.get("credentials")) == (USER, PASSWORD):
            return success({})
        return failure(
            "Neo.ClientError.Security.Unauthorized", "The client is unauthorized due to authentication failure."
        )

    def _route(self, asked: bytes) -> bytes:
        _, at = decode(asked, 2)
        _, at = decode(asked, at)
        extra, _ = decode(asked, at)
        assert isinstance(extra, dict)
        name = extra.get("db") or HOME
        if name != SYSTEM:
            self._router.catalog.find(str(name))
        here = [self._router.address]
        servers = [{"role": role, "addresses": here} for role in ("ROUTE", "READ", "WRITE")]
        return success({"rt": {"ttl": 300, "db": name, "servers": servers}})


async def _empty(server: Endpoint) -> None:
    """Take all data and schema out of a real server's database."""
    async with Cypher(server) as cypher:
        await cypher("MATCH (n) CALL (n) { DETACH DELETE n } IN TRANSACTIONS OF 5000 ROWS")
        for row in await cypher("SHOW CONSTRAINTS YIELD name"):
            await cypher("DROP CONSTRAINT $name", name=row["name"])
        for row in await cypher("SHOW INDEXES YIELD name, type WHERE type <> 'LOOKUP' RETURN name"):
            await cypher("DROP INDEX $name", name=row["name"])
