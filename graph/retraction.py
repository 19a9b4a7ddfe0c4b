"""Taking one document back, and telling what went with it."""

from dataclasses import dataclass

from graph.database import Database, Transaction
from graph.errors import NotFound
from graph.origins import write_stable
from graph.statements import Nothing, load_statement
from graph.store import lock_documents, retract


@dataclass(frozen=True, slots=True)
class Retracted:
    """What really went: the document's mentions, and the nodes and edges that lost their last support with them."""

    document_id: str
    nodes: int
    edges: int
    mentions: int


@dataclass(frozen=True, slots=True)
class _Count:
    mentions: int


_COUNT = load_statement("documents/count_mentions", _Count)
_FORGET = load_statement("folders/forget_snapshot", Nothing)


async def delete_document(database: Database, document_id: str) -> Retracted:
    """Remove a document with all that only it supported, in one transaction.

    A file of an indexed folder comes back when the folder is indexed again. Raises NotFound for an unknown id.
    """

    async def work(transaction: Transaction) -> Retracted:
        if not await lock_documents(transaction, [document_id]):
            raise NotFound(f"There is no document {document_id[:200]!r}: see the list of documents for their ids.")
        [counted] = await transaction.run(_COUNT, document_ids=[document_id])
        await transaction.run(_FORGET, document_id=document_id)
        removed = await retract(transaction, [document_id])
        return Retracted(document_id, removed.nodes, removed.edges, counted.mentions)

    return await write_stable(database, work)
