"""A graph full of names that try to be more than data, and of all else that a tenant comes to have."""

import dataclasses
import json
from pathlib import Path

from extraction.pipeline import IndexOptions, index_folder
from graph.assertions import upsert_graph
from graph.database import Database
from graph.folders import Folder, upsert_folder
from graph.identity import entity_id
from graph.merges import merge_nodes
from graph.model import DocumentStatus, Unresolved
from graph.rows import StoredDocument
from graph.stated import EdgeAssertion, NodeAssertion
from graph.store import upsert_documents
from tests.builders import document

HOSTILE = (
    "`) DETACH DELETE n //",
    "\\u0060 \\u0027 \\",
    "\\\\'",
    "'; MATCH (n) DETACH DELETE n;\n// ;",
    '"',
    "a\nb\r\nc\td",
    "]]>",
    "</script><script>alert(1)</script>",
    "<!-- -- > &amp; &#0;",
    "nul\0nul",
    "\x01\x1f\x7f\x85\u2028\u2029\ufeff.",
    "\ufffe\uffff.",
    "\u202eevil",
    "😀 𝒳 日本語",
    "*/ /* ${x} $param {{}}",
)
LONG = "".join(HOSTILE) * 100
FACTS = [("Marie Curie", "discovered", "Radium"), ("Marie Curie", "born_in", "Warsaw")]
CODE = "class Mailer:\n    def send(self):\n        connect()\n\n\ndef connect():\n    unknown()\n"


def hostile_documents() -> list[StoredDocument]:
    facts = [(name, "references", "Radium") for name in HOSTILE]
    plain, odd = document("plain.txt", *FACTS), document("odd '\\u0027` name.txt", *facts)
    nodes = tuple(
        dataclasses.replace(
            node,
            description=f"{node.name} {LONG}",
            aliases=HOSTILE,
            signature=node.name,
            declared=node.name in HOSTILE,
        )
        for node in odd.result.nodes
    )
    missing = tuple(
        Unresolved(entity_id("Radium"), "calls", name, "unknown_name", line, 2) for line, name in enumerate(HOSTILE, 1)
    )
    odd = dataclasses.replace(odd, result=dataclasses.replace(odd.result, nodes=nodes, unresolved=missing))
    failed = document("failed.txt")
    state = dataclasses.replace(failed.result.document, status=DocumentStatus.FAILED, reason=LONG)
    failed = dataclasses.replace(failed, result=dataclasses.replace(failed.result, document=state, segments=()))
    return [plain, odd, failed]


async def fill_with_everything(database: Database, root: Path) -> None:
    """Code, texts, what callers state, merges and links: each kind of record that there is."""
    (root / "src").mkdir()
    (root / "src" / "mail.py").write_text(CODE)
    await index_folder(database, root / "src", options=IndexOptions(workers=1))
    await upsert_documents(database, hostile_documents())
    folder = Folder("folder", "/somewhere/'\\u0027`\n", "", "snapshot", json.dumps(HOSTILE), list(HOSTILE))
    await upsert_folder(database, folder)
    await upsert_documents(database, [document("merged.txt", ("Mme Curie", "won", "Nobel Prize"))])
    await upsert_graph(
        database,
        "caller",
        [NodeAssertion("Mailer", "concept", "The class.", ("mailer",))],
        [EdgeAssertion("Marie Curie", "Warsaw", "born_in", confidence=0.25)],
    )
    await merge_nodes(database, entity_id("Marie Curie"), [entity_id("Mme Curie")])
