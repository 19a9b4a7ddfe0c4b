"""A language model of a test's own: a server on a free port that speaks OpenAI's chat API."""

import json
import select
import socket
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

_FIELD = "[[ ## {} ## ]]"


@dataclass(frozen=True)
class ChatRequest:
    """What a client asked, and how often it has been asked before, from 0."""

    body: Mapping[str, Any]
    headers: Mapping[str, str]
    number: int

    @property
    def prompt(self) -> str:
        """The last message."""
        content = self.body["messages"][-1]["content"]
        return content if isinstance(content, str) else "".join(part.get("text", "") for part in content)

    @property
    def system(self) -> str:
        return "\n".join(str(message["content"]) for message in self.body["messages"] if message["role"] == "system")

    def field(self, name: str) -> str:
        """An input of a DSPy signature, as the last message gives it."""
        _, found, rest = self.prompt.partition(_FIELD.format(name) + "\n")
        return rest.partition("\n\n[[ ## ")[0].partition("\n\nRespond with ")[0] if found else ""


@dataclass(frozen=True)
class ChatReply:
    """An answer: text with status 200, else an error of OpenAI's shape. `delay_s` passes before it is sent."""

    text: str = ""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    delay_s: float = 0.0
    code: str | None = None
    finish_reason: str = "stop"


Answer = Callable[[ChatRequest], "ChatReply | str"]


def dspy_fields(**fields: str) -> str:
    """Outputs of a DSPy signature as a model writes them down."""
    parts = [f"{_FIELD.format(name)}\n{value}" for name, value in fields.items()]
    return "\n\n".join([*parts, _FIELD.format("completed")])


def claims_reply(claims: Sequence[Mapping[str, Any]] | str) -> str:
    """An answer of the claims model: a list of claims, or the text in its place."""
    text = claims if isinstance(claims, str) else json.dumps(list(claims), ensure_ascii=False)
    return dspy_fields(reasoning="What the text says.", claims=text)


class ModelServer:
    """Answers `POST …/v1/chat/completions` while entered. Keeps what it was asked; safe for many clients at once."""

    def __init__(self, answer: Answer) -> None:
        self.answer = answer
        self.requests: list[ChatRequest] = []
        self.peak = 0
        """The most calls that were under way at once."""
        self.left = 0
        """Clients that went away before their answer."""
        self._open = 0
        self._lock = threading.Lock()
        self._stopping = threading.Event()

    def __enter__(self) -> Self:
        owner = self

        class Handler(_Handler):
            server_owner = owner

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stopping.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    @property
    def url(self) -> str:
        """What clients call `base_url`."""
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def wait_until(self, condition: Callable[[Self], bool], timeout_s: float = 10.0) -> bool:
        """Wait for something to have happened; tells whether it has. Blocking."""
        until = time.monotonic() + timeout_s
        while not (met := condition(self)) and time.monotonic() < until:
            time.sleep(0.01)
        return met

    def begin(self, body: Mapping[str, Any], headers: Mapping[str, str]) -> ChatRequest:
        with self._lock:
            request = ChatRequest(body, headers, len(self.requests))
            self.requests.append(request)
            self._open += 1
            self.peak = max(self.peak, self._open)
        return request

    def end(self, *, left: bool) -> None:
        with self._lock:
            self._open -= 1
            self.left += left

    def wait(self, connection: socket.socket, seconds: float) -> bool:
        """Let time pass; tells whether the client is still there."""
        until = time.monotonic() + seconds
        while (rest := until - time.monotonic()) > 0 and not self._stopping.is_set():
            readable, _, _ = select.select([connection], [], [], min(rest, 0.02))
            if readable and not connection.recv(1, socket.MSG_PEEK):
                return False
        return True


class _Handler(BaseHTTPRequestHandler):
    server_owner: ModelServer
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers.get("Content-Length", 0))))
        if not self.path.endswith("/chat/completions"):
            self._send(404, {"error": {"message": f"no such path: {self.path}"}}, {})
            return
        request = self.server_owner.begin(body, dict(self.headers.items()))
        there = False
        try:
            given = self.server_owner.answer(request)
            reply = given if isinstance(given, ChatReply) else ChatReply(given)
            there = self.server_owner.wait(self.connection, reply.delay_s)
            if there:
                self._send(reply.status, _body(request, reply), reply.headers)
        except OSError:
            there = False
        finally:
            self.server_owner.end(left=not there)
        self.close_connection = self.close_connection or not there

    def _send(self, status: int, body: Mapping[str, Any], headers: Mapping[str, str]) -> None:
        data = json.dumps(body).encode()
        self.send_response(status)
        for name, value in {"Content-Type": "application/json", "Content-Length": str(len(data)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: object) -> None:
        """Nothing: a test's output is its own."""


def _body(request: ChatRequest, reply: ChatReply) -> dict[str, Any]:
    if reply.status != 200:
        return {"error": {"message": reply.text, "type": "error", "code": reply.code, "param": None}}
    return {
        "id": f"chat-{request.number}",
        "object": "chat.completion",
        "created": 1,
        "model": request.body.get("model", "double"),
        "choices": [
            {
                "index": 0,
                "finish_reason": reply.finish_reason,
                "message": {"role": "assistant", "content": reply.text},
            }
        ],
        "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
    }
