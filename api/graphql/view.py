"""GraphQL over HTTP, WebSocket (graphql-transport-ws) and server-sent events."""

import uuid
from collections.abc import Callable, Mapping
from datetime import timedelta
from json import JSONDecodeError
from typing import Any, Final

import msgspec
from cross_web import AsyncHTTPRequestAdapter, HTTPException, StarletteRequestAdapter
from starlette.requests import HTTPConnection, Request
from starlette.responses import JSONResponse, Response
from starlette.types import Receive, Scope, Send
from starlette.websockets import WebSocket
from strawberry.asgi import GraphQL
from strawberry.exceptions import ConnectionRejectionError, MissingQueryError
from strawberry.http import GraphQLHTTPResponse, GraphQLRequestData
from strawberry.http.base import BaseRequestProtocol
from strawberry.http.streaming import HTTPStreamTransport, SSETransport
from strawberry.schema.exceptions import CannotGetOperationTypeError, InvalidOperationTypeError
from strawberry.subscriptions import GRAPHQL_SSE_PROTOCOL, GRAPHQL_TRANSPORT_WS_PROTOCOL
from strawberry.types import ExecutionResult
from strawberry.types.graphql import OperationType
from strawberry.types.unset import UNSET, UnsetType

from api.auth.access import Principal, Role
from api.context import RequestContext
from api.graphql.masking import mask_error
from api.graphql.schema import Schema
from api.graphql.sockets import SocketHandler
from api.services import Services
from graph.errors import Unauthenticated

_BAD: Final = {"code": "BAD_REQUEST"}
_INIT_WAIT: Final = timedelta(seconds=10)
NOBODY: Final = Principal(subject="nobody", role=Role.READER, tenants=())
_PROTOCOLS: Final = (GRAPHQL_TRANSPORT_WS_PROTOCOL, GRAPHQL_SSE_PROTOCOL)


class EventTransport(SSETransport):
    """Server-sent events for who takes nothing else: urql names them, after JSON, with every query."""

    def accepts(self, accept: str) -> bool:
        """Tell whether an Accept header asks for events."""
        return super().accepts(accept) and "json" not in accept.lower()


class GraphQLView(GraphQL[RequestContext, None]):
    """The endpoint. Who asks is settled before anything of the request is parsed."""

    graphql_transport_ws_handler_class = SocketHandler
    stream_transport_classes_by_protocol: Mapping[str, type[HTTPStreamTransport]] = {
        GRAPHQL_SSE_PROTOCOL: EventTransport
    }

    def __init__(self, schema: Schema, services: Services, *, page: Callable[[], Response] | None) -> None:
        super().__init__(
            schema,
            graphql_ide="graphiql" if page is not None else None,
            subscription_protocols=_PROTOCOLS,
            connection_init_wait_timeout=_INIT_WAIT,
            multipart_uploads_enabled=True,
            allowed_origins=services.settings.cors_origins,
        )
        self._services = services
        self._page = page

    def should_render_graphql_ide(self, request: BaseRequestProtocol) -> bool:
        """Show the page to who asks nothing: a persisted query comes without its text."""
        return "extensions" not in request.query_params and super().should_render_graphql_ide(request)

    async def render_graphql_ide(self, request: Request) -> Response:  # noqa: ARG002
        """Return the page for browsers."""
        return self._page() if self._page is not None else Response(status_code=404)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve, answering 401 to who is not known."""
        try:
            await super().__call__(scope, receive, send)
        except Unauthenticated as exc:
            await _refuse(exc)(scope, receive, send)

    async def run(self, request: Any, *args: Any, **kwargs: Any) -> Any:
        """Answer a request, then drop the files that came with it. The page is for all: its key is typed into it."""
        try:
            if self._wants_page(request):
                return await self.render_graphql_ide(request)
            return await super().run(request, *args, **kwargs)  # pyright: ignore[reportUnknownVariableType]
        except HTTPException as exc:
            return JSONResponse({"errors": [{"message": exc.reason, "extensions": _BAD}]}, status_code=exc.status_code)
        finally:
            if isinstance(request, Request):
                await request.close()

    def _wants_page(self, request: Any) -> bool:
        if request.scope["type"] != "http":
            return False
        return self.should_render_graphql_ide(StarletteRequestAdapter(request))

    async def get_context(self, request: Request | WebSocket, response: Response | WebSocket) -> RequestContext:  # noqa: ARG002
        """Return the context of a request. A WebSocket's caller is settled by its first message."""
        principal = (
            NOBODY if isinstance(request, WebSocket) else await self._services.authenticator.authenticate(request)
        )
        return RequestContext(self._services, principal, get_request_id(request), request)

    async def on_ws_connect(self, context: RequestContext) -> UnsetType | dict[str, object] | None:
        """Settle who a WebSocket client is, by its headers or by what its `connection_init` says."""
        try:
            context.principal = await self._services.authenticator.authenticate(
                context.connection, params=context.connection_params
            )
        except Unauthenticated as exc:
            raise ConnectionRejectionError({"message": str(exc)}) from exc
        return UNSET

    async def execute_single(
        self,
        request: Request,  # noqa: ARG002
        request_adapter: AsyncHTTPRequestAdapter,
        sub_response: Response,  # noqa: ARG002
        context: RequestContext,
        root_value: None,
        request_data: GraphQLRequestData,
    ) -> ExecutionResult:
        """Execute what has one answer: queries, and mutations by POST."""
        try:
            return await self.schema.execute(
                request_data.query,
                root_value=root_value,
                variable_values=request_data.variables,
                context_value=context,
                operation_name=request_data.operation_name,
                allowed_operation_types=OperationType.from_http(request_adapter.method) - {OperationType.SUBSCRIPTION},
                operation_extensions=request_data.extensions,
            )
        except InvalidOperationTypeError as exc:
            reason = exc.as_http_error_reason(request_adapter.method)
            hint = "use POST for mutations, and WebSocket or `Accept: text/event-stream` for subscriptions"
            raise HTTPException(400, f"{reason}: {hint}.") from exc
        except CannotGetOperationTypeError as exc:
            raise HTTPException(400, exc.as_http_error_reason()) from exc
        except MissingQueryError as exc:
            raise HTTPException(400, "There is no query in the request: send it as `query`.") from exc

    async def parse_http_body(self, request: AsyncHTTPRequestAdapter) -> GraphQLRequestData | list[GraphQLRequestData]:
        """Parse a request; a hash may stand for its query."""
        try:
            return await super().parse_http_body(request)
        except (LookupError, ValueError, TypeError, AttributeError) as exc:
            raise HTTPException(400, "The request is not GraphQL in JSON: send an object with `query`.") from exc

    async def process_result(self, request: Request, result: ExecutionResult) -> GraphQLHTTPResponse:
        """Return the answer. What hooks raise comes by here alone, so faults are masked once more."""
        if result.errors:
            result.errors = [mask_error(error, get_request_id(request)) for error in result.errors]
        return await super().process_result(request, result)

    def decode_json(self, data: str | bytes) -> object:
        """Read JSON, strictly: half a surrogate pair is no text, and no database would take it."""
        try:
            return msgspec.json.decode(data)
        except (msgspec.DecodeError, RecursionError, UnicodeError) as exc:
            raise JSONDecodeError(str(exc), "", 0) from exc

    def encode_json(self, data: object) -> str:
        """Return JSON."""
        return msgspec.json.encode(data).decode()


def get_request_id(connection: HTTPConnection) -> str:
    """Return the id that the request has in the logs."""
    return str(connection.scope.get("state", {}).get("request_id") or uuid.uuid4().hex)


def _refuse(exc: Unauthenticated) -> JSONResponse:
    return JSONResponse(
        {"errors": [{"message": str(exc), "extensions": {"code": "UNAUTHENTICATED"}}]},
        status_code=401,
        headers={"WWW-Authenticate": 'Bearer realm="cogniverse"'},
    )
