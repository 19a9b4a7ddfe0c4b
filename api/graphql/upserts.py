"""`upsertGraph`."""

from api.context import RequestContext
from api.graphql.inputs import EdgeInput, NodeInput, UpsertGraphInput
from api.graphql.payloads import UpsertReport
from api.graphql.sources import load_document
from graph.assertions import EdgeAssertion, NodeAssertion, upsert_graph
from graph.model import Modality


async def upsert(context: RequestContext, given: UpsertGraphInput) -> UpsertReport:
    """Write what a caller asserts."""
    scope = await context.get_writable(str(given.tenant), create=True)
    done = await scope.ask(
        upsert_graph,
        str(given.source_doc_id),
        [_node(node) for node in given.nodes],
        [_edge(edge) for edge in given.edges],
    )
    document = await load_document(scope, done.document_id)
    return UpsertReport(nodes_upserted=done.nodes, edges_upserted=done.edges, document=document)


def _node(given: NodeInput) -> NodeAssertion:
    return NodeAssertion(
        name=given.name, kind=given.kind, description=given.description or "", aliases=tuple(given.aliases or ())
    )


def _edge(given: EdgeInput) -> EdgeAssertion:
    return EdgeAssertion(
        source=given.source,
        target=given.target,
        relation=given.relation,
        evidence_span=given.evidence_span,
        segment_id=given.segment_id,
        ts_start=given.ts_start,
        ts_end=given.ts_end,
        modality=Modality.TEXT if given.modality is None else Modality(given.modality.value),
        confidence=1.0 if given.confidence is None else given.confidence,
    )
