"""Untyped Cypher for tests alone."""

from typing import Any, Self

from neo4j import AsyncGraphDatabase

from graph.backends.base import Endpoint


class Cypher:
    def __init__(self, endpoint: Endpoint) -> None:
        self._endpoint = endpoint
        self._driver = AsyncGraphDatabase.driver(
            endpoint.uri, auth=(endpoint.user, endpoint.password), notifications_min_severity="OFF"
        )

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._driver.close()

    async def __call__(self, text: str, **params: Any) -> list[dict[str, Any]]:
        async with self._driver.session(database=self._endpoint.database) as session:
            result = await session.run(text, params)
            return [record.data() async for record in result]

    async def count_hits(self, text: str, **params: Any) -> int:
        """How often the store is looked into for a statement."""
        async with self._driver.session(database=self._endpoint.database) as session:
            summary = await (await session.run(f"PROFILE {text}", params)).consume()
        return _hits(summary.profile)

    async def clear(self) -> None:
        """Empty the database but for the record of its migrations."""
        await self(
            "MATCH (n) WHERE NOT n:Migration AND NOT n:MigrationLock "
            "CALL { WITH n DETACH DELETE n } IN TRANSACTIONS OF 5000 ROWS"
        )


def _hits(plan: Any) -> int:
    return plan.get("dbHits", 0) + sum(_hits(child) for child in plan.get("children", ()))
