"""What a line of JSON may be: the shape of each record, with no name or type beside those that the program writes."""

from typing import Annotated

import msgspec

from graph.model import DocumentStatus, Modality, Provenance

Whole = Annotated[int, msgspec.Meta(ge=-(2**63), le=2**63 - 1)]
"""What Neo4j takes for an integer."""

Share = Annotated[float, msgspec.Meta(ge=0, le=1)]
Digest = Annotated[str, msgspec.Meta(pattern="^[0-9a-f]{64}$")]
_Id = Annotated[str, msgspec.Meta(min_length=1)]


class _Strict(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    """Nothing but what is named. What is None is left out when it is written."""


class Moment(_Strict):
    """A date and time with its zone, as ISO 8601 text."""

    datetime: Annotated[
        str, msgspec.Meta(pattern=r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d(:\d\d)?)$")
    ]


class FolderProperties(_Strict):
    """What is kept of a folder."""

    folder_id: _Id
    path: str
    prefix: str
    snapshot: str
    summary: str
    made_by: list[str] | None = None


class MergeProperties(_Strict):
    """What is kept of a merge."""

    merge_id: _Id
    into: str
    merged: list[str]
    at: Moment
    undone: bool


class MergeStateProperties(_Strict):
    """The state of merges."""

    name: _Id
    locked: bool | None = None
    epoch: Whole | None = None
    active: Whole | None = None


class _Described(_Strict):
    """What is known of a node."""

    description: str | None = None
    path: str | None = None
    line_start: Whole | None = None
    line_end: Whole | None = None
    signature: str | None = None
    exposed: list[str] | None = None
    name_terms: str | None = None
    text_terms: str | None = None


class NodeProperties(_Described, kw_only=True):
    """What a node is like."""

    node_id: _Id
    name: str
    name_key: str
    kind: str
    aliases: list[str]


class OriginProperties(_Described, kw_only=True):
    """What a merged node is like by itself, and what it is shown as."""

    node_id: _Id
    root: str
    parent: str | None = None
    merge_id: str | None = None
    name: str | None = None
    name_key: str | None = None
    kind: str | None = None
    aliases: list[str] | None = None


class DocumentProperties(_Strict):
    """What is kept of a document."""

    source_doc_id: _Id
    folder_id: str
    content_hash: str
    facts_hash: str
    modality: Modality
    status: DocumentStatus
    path: str | None = None
    reason: str | None = None
    language: str | None = None
    states: bool | None = None
    nodes: Whole | None = None
    edges: Whole | None = None
    mentions: Whole | None = None
    text_bytes: Whole | None = None
    ingested_at: Moment | None = None


class SegmentProperties(_Strict):
    """What is kept of a segment."""

    segment_id: _Id
    label: str
    ordinal: Whole
    text: str
    char_offset: Whole
    line_start: Whole
    modality: Modality
    text_terms: str | None = None
    page: Whole | None = None
    heading: str | None = None


class EdgeProperties(_Strict):
    """What an edge is like."""

    edge_id: _Id
    relation: str
    provenance: Provenance
    confidence: Share
    derived: str | None = None


class MentionProperties(_Strict):
    """A mention of a node or an edge."""

    mention_id: _Id
    modality: Modality
    verified: bool
    char_start: Whole | None = None
    char_end: Whole | None = None
    line_start: Whole | None = None
    line_end: Whole | None = None
    evidence_span: str | None = None
    ts_start: float | None = None
    ts_end: float | None = None
    kind: str | None = None
    confidence: Share | None = None
    term: str | None = None
    valid_from: str | None = None
    valid_to: str | None = None
    wording: str | None = None
    description: str | None = None
    explicit: bool | None = None
    name: str | None = None
    stated_kind: str | None = None
    aliases: list[str] | None = None
    weight: Whole | None = None
    node_id: str | None = None
    origin_node: str | None = None
    edge_id: str | None = None
    source: str | None = None
    target: str | None = None
    relation: str | None = None
    provenance: Provenance | None = None
    origin_edge: str | None = None
    origin_source: str | None = None
    origin_target: str | None = None


class LinkProperties(_Strict):
    """A link to an origin has none."""


class UnresolvedProperties(_Strict):
    """A use that was not resolved."""

    source: str
    relation: str
    name: str
    reason: str
    line: Whole
    count: Whole


class _Line(msgspec.Struct, forbid_unknown_fields=True, tag_field="record"):
    """A line, known by its `record`."""


class Header(_Line, tag="header"):
    """The first line."""

    format: str
    version: int


class FolderLine(_Line, tag="folder"):
    """A folder."""

    properties: FolderProperties


class MergeLine(_Line, tag="merge"):
    """A merge."""

    properties: MergeProperties


class MergeStateLine(_Line, tag="merge_state"):
    """The state of merges."""

    properties: MergeStateProperties


class OriginLine(_Line, tag="origin"):
    """A merged node by itself."""

    properties: OriginProperties


class DocumentLine(_Line, tag="document"):
    """A document."""

    properties: DocumentProperties


class SegmentLine(_Line, tag="segment"):
    """A segment and its document."""

    document: str
    properties: SegmentProperties


class NodeLine(_Line, tag="node"):
    """A node."""

    labels: list[str]
    properties: NodeProperties


class EdgeLine(_Line, tag="edge"):
    """An edge and its ends."""

    source: str
    target: str
    type: str
    properties: EdgeProperties


class MentionLine(_Line, tag="mention"):
    """A mention, its segment and, where it is one of a node, that node."""

    segment: str
    node: str | None
    properties: MentionProperties


class OriginLinkLine(_Line, tag="origin_link"):
    """A mention and the merged node that it speaks of."""

    mention: str
    origin: str
    properties: LinkProperties


class UnresolvedLine(_Line, tag="unresolved"):
    """An unresolved use and its document."""

    document: str
    properties: UnresolvedProperties


class End(_Line, tag="end"):
    """The last line. `sha256` is of all lines before it; files that were edited on purpose have none."""

    hash: Digest
    counts: dict[str, Annotated[int, msgspec.Meta(ge=0)]]
    sha256: Digest | None = None


RecordLine = (
    FolderLine
    | MergeLine
    | MergeStateLine
    | OriginLine
    | DocumentLine
    | SegmentLine
    | NodeLine
    | EdgeLine
    | MentionLine
    | OriginLinkLine
    | UnresolvedLine
)
Line = Header | RecordLine | End
