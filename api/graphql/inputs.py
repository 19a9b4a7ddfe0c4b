"""The inputs of mutations."""

import strawberry
from strawberry.file_uploads import Upload

from api.graphql.enums import ContentType, Modality


@strawberry.input(description="A tenant to make.")
class CreateTenantInput:
    id: strawberry.ID = strawberry.field(
        description="`name` or `org:name`, each 1 to 63 letters, digits, `-`, `_`, `.`."
    )
    display_name: str | None = strawberry.field(default=None, description="The name for people; else the id.")


@strawberry.input(description="What a tenant may hold. Whole numbers from 0 on; what is not given has no limit.")
class TenantQuotaInput:
    tenant: strawberry.ID = strawberry.field(description="Whose.")
    documents: float | None = strawberry.field(default=None, description="The most documents.")
    nodes: float | None = strawberry.field(default=None, description="The most nodes.")
    bytes: float | None = strawberry.field(default=None, description="The most bytes of text.")
    jobs: float | None = strawberry.field(default=None, description="The most jobs that wait or run.")


@strawberry.input(description="One file: exactly one of `file`, `text` and `path`.")
class IngestFileInput:
    tenant: strawberry.ID = strawberry.field(description="Whose graph it goes into.")
    file: Upload | None = strawberry.field(default=None, description="The file, by a multipart request.")
    text: str | None = strawberry.field(default=None, description="The text itself.")
    path: str | None = strawberry.field(default=None, description="A file on the server, under an allowed root.")
    name: str | None = strawberry.field(
        default=None, description="Its path in the graph, with an ending that tells its kind; needed for a text."
    )
    type: ContentType | None = strawberry.field(default=ContentType.AUTO, description="What it holds.")
    source_doc_id: strawberry.ID | None = strawberry.field(
        default=None, description="The document's id; else its name. The same id again replaces what it said."
    )


@strawberry.input(description="A folder under an allowed root.")
class IngestFolderInput:
    tenant: strawberry.ID = strawberry.field(description="Whose graph it goes into.")
    path: str = strawberry.field(description="A folder on the server, under an allowed root.")
    type: ContentType | None = strawberry.field(default=ContentType.AUTO, description="What it holds.")
    include: list[str] | None = strawberry.field(
        default=None, description="Only files that one of these patterns matches, written as in a .gitignore."
    )
    exclude: list[str] | None = strawberry.field(
        default=None, description="No files that one of these patterns matches, written as in a .gitignore."
    )
    prune: bool | None = strawberry.field(default=True, description="Remove what came from files that are gone.")


@strawberry.input(description="A node by its name.")
class NodeInput:
    name: str = strawberry.field(description="Its name; the same name is the same node.")
    kind: str = strawberry.field(default="entity", description="What it is, of the kinds that the graph knows.")
    description: str | None = strawberry.field(default="", description="What is to be said of it.")
    aliases: list[str] | None = strawberry.field(default_factory=list, description="Other spellings.")


@strawberry.input(description="A fact between two nodes.")
class EdgeInput:
    source: str = strawberry.field(description="Where it begins: a name or a node's id.")
    target: str = strawberry.field(description="Where it ends: a name or a node's id.")
    relation: str = strawberry.field(description="What it says, of the relations that the graph knows.")
    evidence_span: str | None = strawberry.field(default=None, description="The words that say so.")
    segment_id: str | None = strawberry.field(default=None, description="The segment in which those words stand.")
    ts_start: float | None = strawberry.field(default=None, description="Seconds from the start of the recording.")
    ts_end: float | None = strawberry.field(default=None, description="Where it ends, in seconds.")
    modality: Modality | None = strawberry.field(default=Modality.TEXT, description="What material it is from.")
    confidence: float | None = strawberry.field(default=1.0, description="0 to 1.")


@strawberry.input(description="Nodes and edges from elsewhere, kept under a document's id.")
class UpsertGraphInput:
    tenant: strawberry.ID = strawberry.field(description="Whose graph they go into.")
    source_doc_id: strawberry.ID = strawberry.field(
        description="The document that states them; deleting it takes them back."
    )
    nodes: list[NodeInput] = strawberry.field(default_factory=list, description="The nodes.")
    edges: list[EdgeInput] = strawberry.field(default_factory=list, description="The edges.")
