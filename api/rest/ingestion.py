"""Files in."""

from typing import Annotated

from fastapi import APIRouter, Depends, Form, UploadFile
from pydantic import BaseModel, Field

from api.auth.access import Role
from api.context import RequestContext
from api.ingestion import Given, ingest
from api.rest.dependencies import get_context
from api.rest.errors import ERROR_ANSWERS
from extraction.single import FileReport

router = APIRouter(prefix="/ingestion", tags=["ingestion"], responses=ERROR_ANSWERS)


class DegradedPart(BaseModel):
    """A part that an answer did without, and why."""

    part: str
    reason: str


class UploadAnswer(BaseModel):
    """What became of an upload. With `job_id` it is read as a job, and the counts are not known yet."""

    status: str = Field(description="DONE, SKIPPED or FAILED (its text is kept then, and can be searched), or QUEUED.")
    reason: str | None = Field(default=None, description="Why it was skipped or failed.")
    document_id: str | None = None
    job_id: str | None = None
    graph_nodes: int = Field(default=0, description="How many nodes it declares.")
    graph_edges: int = Field(default=0, description="How many edges it states.")
    mentions: int = 0
    segments: int = Field(default=0, description="Into how many pieces its text was cut.")
    unchanged: bool = Field(default=False, description="True when the graph had just this already.")
    degraded: list[DegradedPart] = []
    processing_time: float = Field(default=0.0, description="Seconds.")


@router.post("/upload", summary="Put one file into the graph")
async def upload(
    context: Annotated[RequestContext, Depends(get_context)],
    file: UploadFile,
    tenant: Annotated[str | None, Form(description="Whose graph; the default tenant when not given.")] = None,
    name: Annotated[str | None, Form(description="Its path in the graph; else the file's name.")] = None,
    source_doc_id: Annotated[str | None, Form(description="The document's id; else its name.")] = None,
    content_type: Annotated[str, Form(description="auto, code, docs, audio, video or image.")] = "auto",
) -> UploadAnswer:
    context.principal.require(Role.WRITER)
    given = Given(
        tenant=tenant or context.services.settings.tenant,
        content_type=content_type,
        file=file.file,
        name=name or file.filename or "",
        source_doc_id=source_doc_id,
    )
    _, done = await ingest(context, given)
    if isinstance(done, FileReport):
        return UploadAnswer(
            status=done.status,
            reason=done.reason,
            document_id=done.document_id,
            graph_nodes=done.nodes,
            graph_edges=done.edges,
            mentions=done.mentions,
            segments=done.segments,
            unchanged=done.unchanged,
            degraded=[DegradedPart(part=part.part, reason=part.reason) for part in done.degraded],
            processing_time=done.elapsed_s,
        )
    return UploadAnswer(status=done.status, job_id=done.job_id)
