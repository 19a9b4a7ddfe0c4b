"""Code that nothing seems to use."""

from typing import Final

from graph.answers import NodeView
from graph.database import Database
from graph.statements import load_statement
from graph.views import NodeRow

_KINDS: Final = ["class", "function", "method"]
_USES: Final = ["calls", "imports", "inherits", "references", "re_exports"]
_FETCH = load_statement("nodes/fetch_unused", NodeRow)


async def fetch_unused(database: Database, *, limit: int = 100) -> tuple[NodeView, ...]:
    """Functions, methods and classes that nothing in the graph uses and nothing exposes, by path and line.

    A hint, not a verdict: uses by reflection, or from code that is not here, can't be seen. A method that is called by
    name on a receiver of unknown type counts as used.
    """
    rows = await database.fetch(_FETCH, kinds=_KINDS, relations=_USES, limit=limit)
    return tuple(row.view() for row in rows)
