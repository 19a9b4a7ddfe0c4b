"""Bolt messages over a connection: handshake, chunks, and the login at a real server.

Source: https://neo4j.com/docs/bolt/current/bolt/
"""

import asyncio
from collections.abc import Mapping
from urllib.parse import urlsplit

from graph.backends.base import Endpoint
from tests.bolt.packstream import message

HELLO, LOGON, LOGOFF, GOODBYE, RESET = 0x01, 0x6A, 0x6B, 0x02, 0x0F
RUN, BEGIN, COMMIT, ROLLBACK, PULL, DISCARD, ROUTE, TELEMETRY = 0x10, 0x11, 0x12, 0x13, 0x3F, 0x2F, 0x66, 0x54
SUCCESS, RECORD, IGNORED, FAILURE = 0x70, 0x71, 0x7E, 0x7F

_PREAMBLE = bytes.fromhex("6060b017")
_VERSION = bytes.fromhex("00000805")
"""5.8, which Neo4j speaks since 5.26 and the driver still does."""
_MAX_CHUNK = 0xFFFF


class Wire:
    """One connection."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer

    async def accept(self) -> None:
        """Answer a client's handshake with the one version."""
        offer = await self._reader.readexactly(20)
        assert offer[:4] == _PREAMBLE, f"no Bolt: {offer!r}"
        self._writer.write(_VERSION)
        await self._writer.drain()

    async def receive(self) -> bytes:
        """Return the next message. Raises EOFError when there is none to come."""
        parts: list[bytes] = []
        while True:
            size = int.from_bytes(await self._reader.readexactly(2))
            if size:
                parts.append(await self._reader.readexactly(size))
            elif parts:
                return b"".join(parts)

    async def send(self, data: bytes) -> None:
        """Send a message."""
        for start in range(0, len(data), _MAX_CHUNK):
            chunk = data[start : start + _MAX_CHUNK]
            self._writer.write(len(chunk).to_bytes(2) + chunk)
        self._writer.write(b"\0\0")
        await self._writer.drain()

    async def ask(self, data: bytes) -> bytes:
        """Send a message that one message answers, and return that."""
        await self.send(data)
        return await self.receive()

    def abort(self) -> None:
        """End the connection at once, whatever is under way."""
        self._writer.transport.abort()


async def log_in(endpoint: Endpoint) -> Wire:
    """Connect to a real server."""
    address = urlsplit(endpoint.uri)
    reader, writer = await asyncio.open_connection(address.hostname, address.port)
    writer.write(_PREAMBLE + _VERSION + bytes(12))
    chosen = await reader.readexactly(4)
    assert chosen == _VERSION, f"{endpoint.uri} chose another version: {chosen!r}"
    wire = Wire(reader, writer)
    agent = {"user_agent": "router", "bolt_agent": {"product": "router/1"}, "notifications_minimum_severity": "OFF"}
    login = {"scheme": "basic", "principal": endpoint.user, "credentials": endpoint.password}
    for asked in (message(HELLO, agent), message(LOGON, login)):
        answer = await wire.ask(asked)
        assert answer[1] == SUCCESS, answer
    return wire


def success(metadata: Mapping[str, object]) -> bytes:
    """Return the message that all went well."""
    return message(SUCCESS, metadata)


def failure(code: str, text: str) -> bytes:
    """Return the message that a request failed, as servers since 5.26 word it."""
    return message(
        FAILURE,
        {
            "gql_status": "50N42",
            "description": "error: general processing exception - unexpected error. See debug log for details.",
            "message": text,
            "neo4j_code": code,
            "diagnostic_record": {"CURRENT_SCHEMA": "/", "OPERATION": "", "OPERATION_CODE": "0"},
        },
    )
