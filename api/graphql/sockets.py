"""What comes over a WebSocket, looked at before it is believed.

Source: https://github.com/enisdenjo/graphql-ws/blob/master/PROTOCOL.md, by which a bad message ends the connection
with code 4400.
"""

from collections.abc import Mapping
from typing import Any, cast

from strawberry.subscriptions.protocols.graphql_transport_ws.handlers import BaseGraphQLTransportWSHandler

from api.context import RequestContext


class SocketHandler(BaseGraphQLTransportWSHandler[RequestContext, None]):
    """Speaks graphql-transport-ws; any message that is none closes the connection and says why."""

    async def handle_message(self, message: Any) -> None:
        """Handle a message."""
        fault = find_fault(message)
        if fault is None:
            await super().handle_message(message)
        else:
            await self.handle_invalid_message(fault)


def find_fault(message: object) -> str | None:
    """Return what is wrong with the shape of a message, None when nothing is."""
    if not isinstance(message, dict):
        return "A message must be an object"
    fields = cast("Mapping[str, object]", message)
    if not isinstance(fields.get("type"), str):
        return "A message needs a type"
    if fields["type"] not in {"subscribe", "complete"}:
        return None
    if not isinstance(fields.get("id"), str) or not fields["id"]:
        return "An operation needs an id"
    return _find_payload_fault(fields.get("payload")) if fields["type"] == "subscribe" else None


def _find_payload_fault(payload: object) -> str | None:
    if not isinstance(payload, dict):
        return "An operation needs a payload"
    given = cast("Mapping[str, object]", payload)
    if not isinstance(given.get("query"), str):
        return "An operation needs a query"
    if not isinstance(given.get("variables"), dict | None):
        return "The variables must be an object"
    return None if isinstance(given.get("operationName"), str | None) else "The operation's name must be a text"
