"""The enums of the contract."""

from enum import Enum

import strawberry

from graph.answers import Direction as WalkDirection
from graph.answers import SearchMode as AskedMode


@strawberry.enum(description="Which way edges are followed, seen from the node asked about.")
class Direction(Enum):
    OUTGOING = "outgoing"
    INCOMING = "incoming"
    BOTH = "both"


def walk_of(direction: Direction | None, default: Direction = Direction.BOTH) -> WalkDirection:
    """Return a direction, or the default for null, as the graph layer has it."""
    return WalkDirection((direction or default).value)


@strawberry.enum(description="The kind of material that a document, segment or mention is.")
class Modality(Enum):
    CODE = "CODE"
    TEXT = "TEXT"
    TRANSCRIPT = "TRANSCRIPT"
    CAPTION = "CAPTION"
    OCR = "OCR"


@strawberry.enum(description="How a fact came to be known.")
class Provenance(Enum):
    EXTRACTED = strawberry.enum_value("EXTRACTED", description="It stands in the source.")
    INFERRED = strawberry.enum_value("INFERRED", description="A rule or linker concluded it.")
    VIDEO_SUBJECT_INFERENCE = strawberry.enum_value(
        "VIDEO_SUBJECT_INFERENCE", description="It was concluded from what a recording is about."
    )
    ASSERTED = strawberry.enum_value("ASSERTED", description="A caller said so.")


@strawberry.enum(description="How a search compares words.")
class SearchMode(Enum):
    HYBRID = strawberry.enum_value("HYBRID", description="By words and by meaning, fused by rank.")
    TEXT = strawberry.enum_value("TEXT", description="By words (BM25).")
    VECTOR = strawberry.enum_value("VECTOR", description="By meaning.")


def mode_of(mode: SearchMode | None) -> AskedMode:
    """Return a mode, both for null, as the graph layer has it."""
    return AskedMode[(mode or SearchMode.HYBRID).name]


@strawberry.enum(description="What makes a node a hub.")
class Centrality(Enum):
    DEGREE = strawberry.enum_value("degree", description="The number of its edges.")
    PAGERANK = strawberry.enum_value("pagerank", description="The weight of what points to it.")
    BETWEENNESS = strawberry.enum_value("betweenness", description="How many shortest paths lead through it.")


@strawberry.enum(description="How a file ended.")
class DocumentStatus(Enum):
    INGESTING = strawberry.enum_value("INGESTING", description="It is being read.")
    DONE = strawberry.enum_value("DONE", description="All that it says is in the graph.")
    SKIPPED = strawberry.enum_value("SKIPPED", description="It was left out; `reason` says why.")
    FAILED = strawberry.enum_value("FAILED", description="It could not be read or understood; `reason` says why.")


@strawberry.enum(description="Where a job is in its life.")
class JobStatus(Enum):
    QUEUED = "QUEUED"
    RUNNING = "RUNNING"
    DONE = "DONE"
    FAILED = "FAILED"
    CANCELLED = "CANCELLED"


@strawberry.enum(description="Where a tenant is in its life.")
class TenantState(Enum):
    PROVISIONING = "PROVISIONING"
    READY = "READY"
    DELETING = "DELETING"


@strawberry.enum(description="What a file or folder holds.")
class ContentType(Enum):
    AUTO = strawberry.enum_value("auto", description="Told from the file's name and content.")
    CODE = "code"
    DOCS = "docs"
    AUDIO = "audio"
    VIDEO = "video"
    IMAGE = "image"


@strawberry.enum(description="A format in which a whole graph can be downloaded.")
class ExportFormat(Enum):
    CYPHER = strawberry.enum_value("cypher", description="Statements that rebuild the graph, to the same hash.")
    GRAPHML = strawberry.enum_value("graphml", description="Nodes and edges for tools such as Gephi.")
    JSON = strawberry.enum_value("json", description="Everything, one JSON object a line.")


@strawberry.enum(description="What went wrong, for programs.")
class ErrorCode(Enum):
    NOT_FOUND = strawberry.enum_value("NOT_FOUND", description="No such thing, or none that you may see.")
    AMBIGUOUS_NAME = strawberry.enum_value("AMBIGUOUS_NAME", description="Several nodes bear the name.")
    INVALID_INPUT = strawberry.enum_value("INVALID_INPUT", description="An argument that can't be taken.")
    UNSUPPORTED_FORMAT = strawberry.enum_value("UNSUPPORTED_FORMAT", description="No extractor reads such a file.")
    TOO_LARGE = strawberry.enum_value("TOO_LARGE", description="The file or text is over its limit.")
    LIMIT_EXCEEDED = strawberry.enum_value("LIMIT_EXCEEDED", description="It would cost or take too much.")
    CONFLICT = strawberry.enum_value("CONFLICT", description="It contradicts what is stored or under way.")
    NOT_AVAILABLE = strawberry.enum_value("NOT_AVAILABLE", description="A part that is needed does not answer.")
    FORBIDDEN = strawberry.enum_value("FORBIDDEN", description="Your role does not allow it.")


@strawberry.enum(description="The direction of an order.")
class SortDirection(Enum):
    ASC = "ASC"
    DESC = "DESC"


@strawberry.enum(description="What nodes are ordered by; ties in the order of their ids.")
class NodeSortField(Enum):
    NAME = "name"
    KIND = "kind"
    DEGREE = "degree"


@strawberry.enum(description="What edges are ordered by; ties in the order of their ids.")
class EdgeSortField(Enum):
    RELATION = "relation"
    CONFIDENCE = "confidence"
