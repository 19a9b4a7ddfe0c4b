"""Exports as files to download, each behind a signed link until it expires."""

import asyncio
import hashlib
import hmac
import re
import shutil
import time
import uuid
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from api.background import Background
from graph.answers import ExportFormat
from graph.database import Database
from graph.errors import NotFound
from graph.exports import write_export
from graph.tenants import TenantId, directory_name
from graph.version import get_graph_version

_SUFFIXES: Final = {ExportFormat.CYPHER: "cypher", ExportFormat.GRAPHML: "graphml", ExportFormat.JSON: "jsonl"}
_LEAST_LIFE_S: Final = 60.0
"""A link that would end sooner is made anew."""

_NAME: Final = re.compile(r"(\d{1,12})-([0-9a-f]{32})\.(cypher|graphml|jsonl)")


@dataclass(frozen=True, slots=True)
class ExportLink:
    """Where a finished export is."""

    url: str
    hash: str
    expires_at: datetime


class ExportStore:
    """Export files in a folder for each tenant. The link holds the expiry and a signature over all of it."""

    def __init__(self, folder: Path, key: bytes, *, ttl_s: float, wait_s: float) -> None:
        self._folder = folder
        self._key = key
        self._ttl_s = ttl_s
        self._writing: Background[ExportLink] = Background(wait_s=wait_s)

    async def create(self, tenant: TenantId, database: Database, wanted: ExportFormat) -> ExportLink:
        """Return a link to a tenant's graph as it is now, written for the first who asks.

        Raises Conflict when it kept changing meanwhile, NotAvailable when it takes longer than a request may.
        """
        version = await get_graph_version(database)
        name = f"export as {wanted}"
        link = await self._writing.fetch(tenant, name, version, lambda: self._write(tenant, database, wanted))
        if link.expires_at.timestamp() < time.time() + _LEAST_LIFE_S:
            self._writing.drop(tenant, name)
            link = await self._writing.fetch(tenant, name, version, lambda: self._write(tenant, database, wanted))
        return link

    async def _write(self, tenant: TenantId, database: Database, wanted: ExportFormat) -> ExportLink:
        folder = self._folder / directory_name(tenant)
        await asyncio.to_thread(self._prepare, folder)
        expires = int(time.time() + self._ttl_s)
        name = f"{expires}-{uuid.uuid4().hex}.{_SUFFIXES[wanted]}"
        summary = await write_export(database, wanted, folder / name)
        path = f"{folder.name}/{name}"
        return ExportLink(
            url=f"/exports/{path}?signature={self._sign(path)}",
            hash=summary.hash,
            expires_at=datetime.fromtimestamp(expires, UTC),
        )

    def get_file(self, tenant_folder: str, name: str, signature: str) -> Path:
        """Return the file of a link. Raises NotFound for a forged, expired or unknown one alike."""
        path = f"{tenant_folder}/{name}"
        match = _NAME.fullmatch(name)
        genuine = hmac.compare_digest(self._sign(path).encode(), signature.encode("utf-8", "replace"))
        file = self._folder / tenant_folder / name
        if not genuine or match is None or int(match[1]) < time.time() or not file.is_file():
            raise NotFound("There is no such export, or its time is over: ask for a new one.")
        return file

    async def forget(self, tenant: TenantId) -> None:
        """Remove a tenant's exports."""
        await self._writing.forget(tenant)
        await asyncio.to_thread(shutil.rmtree, self._folder / directory_name(tenant), ignore_errors=True)

    async def close(self) -> None:
        """Give up what is being written."""
        await self._writing.close()

    def _sign(self, path: str) -> str:
        return hmac.new(self._key, b"export\0" + path.encode("utf-8", "replace"), hashlib.sha256).hexdigest()[:32]

    def _prepare(self, folder: Path) -> None:
        """Make the folder, and remove what has expired."""
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        for file in folder.iterdir():
            match = _NAME.fullmatch(file.name)
            if match is not None and int(match[1]) < time.time():
                file.unlink(missing_ok=True)
