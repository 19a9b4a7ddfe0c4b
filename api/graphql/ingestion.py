"""`ingestFile` and `ingestFolder`."""

from typing import Any

from starlette.datastructures import UploadFile

from api.context import RequestContext
from api.graphql.enums import ContentType
from api.graphql.inputs import IngestFileInput, IngestFolderInput
from api.graphql.jobs import Job, make_job
from api.graphql.payloads import DropCount, IngestReport
from api.graphql.results import make_degraded
from api.graphql.scope import TenantScope
from api.graphql.sources import load_document
from api.ingestion import Given, ingest, ingest_folder
from extraction.single import FileReport
from graph.errors import InvalidInput


async def ingest_one(context: RequestContext, given: IngestFileInput) -> IngestReport | Job:
    """Ingest one file."""
    upload: Any = given.file
    if upload is not None and not isinstance(upload, UploadFile):
        raise InvalidInput("`file` must be an upload: send it as a part of a multipart request, not as a value.")
    scope, done = await ingest(
        context,
        Given(
            tenant=str(given.tenant),
            content_type=str((given.type or ContentType.AUTO).value),
            file=None if upload is None else upload.file,
            text=given.text,
            path=given.path,
            name=given.name or (None if upload is None else upload.filename),
            source_doc_id=None if given.source_doc_id is None else str(given.source_doc_id),
        ),
    )
    return await _report(scope, done) if isinstance(done, FileReport) else make_job(scope, done)


async def start_folder_job(context: RequestContext, given: IngestFolderInput) -> Job:
    """Start a job for a folder."""
    scope, job = await ingest_folder(
        context,
        tenant=str(given.tenant),
        path=given.path,
        content_type=str((given.type or ContentType.AUTO).value),
        include=given.include or (),
        exclude=given.exclude or (),
        prune=given.prune is not False,
    )
    return make_job(scope, job)


async def _report(scope: TenantScope, done: FileReport) -> IngestReport:
    return IngestReport(
        document=await load_document(scope, done.document_id),
        graph_nodes=done.nodes,
        graph_edges=done.edges,
        mentions=done.mentions,
        segments=done.segments,
        unchanged=done.unchanged,
        degraded=make_degraded(done.degraded),
        dropped=[DropCount(what=one.what, reason=one.reason, count=one.count) for one in done.dropped],
        elapsed_seconds=done.elapsed_s,
    )
