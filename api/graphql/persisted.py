"""Persisted queries: sent once and then by hash, or from an allow-list alone.

Source: the protocol of automatic persisted queries as Apollo's clients speak it (`extensions.persistedQuery`).
"""

import hashlib
from collections import OrderedDict
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import msgspec
from graphql import GraphQLError
from strawberry.extensions import SchemaExtension
from strawberry.types import ExecutionContext

from api.config import Settings
from api.graphql.refusal import is_refused, refuse
from graph.errors import InvalidInput

_MOST_KEPT: Final = 1_000
_MAX_CHARS: Final = 100_000


class PersistedQueries:
    """Queries by their hex sha256: those of the allow-list, and in `auto` the last 1,000 that clients registered."""

    def __init__(self, settings: Settings) -> None:
        self.mode = settings.persisted_queries
        self._allowed = _read_list(settings.persisted_queries_file)
        self._kept: OrderedDict[str, str] = OrderedDict()
        if self.mode == "only" and not self._allowed:
            raise InvalidInput(
                "COGNIVERSE_PERSISTED_QUERIES is `only` but the allow-list is empty: name a JSON file that maps each "
                "query's sha256 to its text in COGNIVERSE_PERSISTED_QUERIES_FILE."
            )

    def find(self, digest: str) -> str | None:
        """Return a query by its hash."""
        if digest in self._kept:
            self._kept.move_to_end(digest)
            return self._kept[digest]
        return self._allowed.get(digest)

    def keep(self, digest: str, query: str) -> None:
        """Remember a query that a client registered."""
        if len(query) <= _MAX_CHARS and digest not in self._allowed:
            self._kept[digest] = query
            while len(self._kept) > _MOST_KEPT:
                self._kept.popitem(last=False)

    def is_allowed(self, query: str) -> bool:
        """Tell whether a query is on the allow-list."""
        return _digest(query) in self._allowed


class PersistedQueryLookup(SchemaExtension):
    """Puts the text in the place of a hash, and refuses what is not on a strict allow-list."""

    def __init__(self, queries: PersistedQueries) -> None:
        self._queries = queries

    def on_operation(self) -> Iterator[None]:
        """Find the query before it is parsed."""
        context = self.execution_context
        if self._queries.mode != "off" and not is_refused(context):
            try:
                self._find(context)
            except GraphQLError as exc:
                refuse(context, exc)
        yield

    def _find(self, context: ExecutionContext) -> None:
        queries, digest = self._queries, _hash_of(context.operation_extensions)
        if digest is not None:
            context.query = self._resolve(digest, context.query)
        elif queries.mode == "only" and context.query and not queries.is_allowed(context.query):
            raise _error("Only persisted queries are served here: this one is not on the list.", "NOT_PERSISTED")

    def _resolve(self, digest: str, query: str | None) -> str:
        queries = self._queries
        if not query:
            found = queries.find(digest)
            if found is None:
                raise _error("PersistedQueryNotFound", "PERSISTED_QUERY_NOT_FOUND")
            return found
        if _digest(query) != digest:
            raise _error("The hash is not that of the query: it must be its hex sha256.", "INVALID_INPUT")
        if queries.mode == "only":
            if not queries.is_allowed(query):
                raise _error("Only persisted queries are served here: this one is not on the list.", "NOT_PERSISTED")
        else:
            queries.keep(digest, query)
        return query


def _hash_of(extensions: Any) -> str | None:
    match extensions:
        case {"persistedQuery": {"version": 1, "sha256Hash": str(digest)}}:
            return digest.lower()
        case {"persistedQuery": _}:
            raise _error("`extensions.persistedQuery` needs `version` 1 and `sha256Hash`.", "INVALID_INPUT")
        case _:
            return None


def _read_list(file: Path | None) -> dict[str, str]:
    if file is None:
        return {}
    try:
        listed = msgspec.json.decode(file.read_bytes(), type=dict[str, str])
    except (OSError, msgspec.DecodeError) as exc:
        raise InvalidInput(f"The allow-list {file} can't be read ({exc}): it must be JSON, sha256 to query.") from exc
    wrong = next((digest for digest, query in listed.items() if _digest(query) != digest.lower()), None)
    if wrong is not None:
        raise InvalidInput(
            f"The allow-list {file} has a wrong hash, {wrong[:70]!r}: it must be the query's hex sha256."
        )
    return {digest.lower(): query for digest, query in listed.items()}


def _digest(query: str) -> str:
    return hashlib.sha256(query.encode("utf-8", "surrogatepass")).hexdigest()


def _error(message: str, code: str) -> GraphQLError:
    return GraphQLError(message, extensions={"code": code})
