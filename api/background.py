"""Work that may outlast a request: begun by the first who asks, joined by the others, kept while it is true."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from graph.database import without_deadline
from graph.errors import NotAvailable
from graph.tenants import TenantId

_Result = TypeVar("_Result")


@dataclass(slots=True)
class _Work(Generic[_Result]):
    version: str
    task: asyncio.Task[_Result]


class Background(Generic[_Result]):
    """Results by tenant and name, each with the version of the graph that it was made from."""

    def __init__(self, *, wait_s: float) -> None:
        """`wait_s` is how long a request waits for a result before it is told to ask again."""
        self._wait_s = wait_s
        self._works: dict[tuple[TenantId, str], _Work[_Result]] = {}

    async def fetch(self, tenant: TenantId, name: str, version: str, make: Callable[[], Awaitable[_Result]]) -> _Result:
        """Return the result for this version of the graph, or of the work that is under way.

        Raises NotAvailable when it takes longer than a request may; it goes on meanwhile. Raises what `make` raises.
        """
        key = (tenant, name)
        work = self._works.get(key)
        if work is None or (work.task.done() and (work.version != version or _failed(work.task))):
            with without_deadline():
                work = _Work(version, asyncio.ensure_future(make()))
            self._works[key] = work
        await asyncio.wait({work.task}, timeout=self._wait_s)
        if not work.task.done():
            raise NotAvailable(f"The {name} takes longer than a request may. It goes on meanwhile: ask again soon.")
        return work.task.result()

    def drop(self, tenant: TenantId, name: str) -> None:
        """Forget one result, so that it is made again."""
        self._works.pop((tenant, name), None)

    async def forget(self, tenant: TenantId) -> None:
        """Stop and drop what is a tenant's."""
        for key in [key for key in self._works if key[0] == tenant]:
            task = self._works.pop(key).task
            task.cancel()
            await asyncio.wait({task})

    async def close(self) -> None:
        """Stop everything."""
        for tenant in {key[0] for key in self._works}:
            await self.forget(tenant)


def _failed(task: asyncio.Task[_Result]) -> bool:
    return task.cancelled() or task.exception() is not None
