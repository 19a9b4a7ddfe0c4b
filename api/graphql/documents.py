"""Queries read once: parsed and validated the first time that their text is seen."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from graphql import ASTValidationRule, DocumentNode, GraphQLError, GraphQLSchema, parse
from strawberry.schema.schema import validate_document

_KEPT: Final = 500
_MAX_KEPT_CHARS: Final = 20_000


class Documents:
    """The last 500 queries of moderate size, by their text. For one schema and one set of rules."""

    def __init__(self, *, max_tokens: int) -> None:
        self._max_tokens = max_tokens
        self._parse_kept = lru_cache(_KEPT)(self._parse)
        self._errors: dict[str, list[GraphQLError]] = {}

    def parse(self, query: str) -> DocumentNode:
        """Return a query parsed. Raises GraphQLError for one that is wrong or too long."""
        return self._parse_kept(query) if len(query) <= _MAX_KEPT_CHARS else self._parse(query)

    def validate(
        self,
        schema: GraphQLSchema,
        query: str,
        document: DocumentNode,
        rules: tuple[type[ASTValidationRule], ...],
    ) -> Sequence[GraphQLError]:
        """Return what is wrong with a query by the schema; nothing when it is right."""
        known = self._errors.get(query)
        if known is None:
            known = validate_document(schema, document, rules)
            if len(query) <= _MAX_KEPT_CHARS:
                while len(self._errors) >= _KEPT:
                    self._errors.pop(next(iter(self._errors)))
                self._errors[query] = known
        return known

    def _parse(self, query: str) -> DocumentNode:
        return parse(query, max_tokens=self._max_tokens)
