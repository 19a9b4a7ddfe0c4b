"""A server of embeddings for tests: it speaks OpenAI's API on a free port; its answers can be told beforehand."""

import json
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

from tests.embedders import HashingEmbedder


@dataclass(frozen=True)
class Reply:
    """An answer in place of vectors."""

    status: int = 200
    body: bytes = b"{}"
    headers: Mapping[str, str] = field(default_factory=dict)


class EmbeddingServer:
    """Gives a HashingEmbedder's vectors, after the replies that were put into `replies`."""

    def __init__(self, dimension: int = 16) -> None:
        self.embedder = HashingEmbedder(dimension)
        self.replies: list[Reply] = []
        self.bodies: list[dict[str, Any]] = []
        self.keys: list[str | None] = []
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01})

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}/v1"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        server = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                server.bodies.append(body)
                server.keys.append(self.headers.get("Authorization"))
                reply = server.replies.pop(0) if server.replies else server.embed(body)
                if self.path != "/v1/embeddings":
                    reply = Reply(404, b"no such path")
                self.send_response(reply.status)
                for name, value in reply.headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(reply.body)))
                self.end_headers()
                self.wfile.write(reply.body)

            def log_message(self, *_: object) -> None:
                pass

        return Handler

    def embed(self, body: Mapping[str, Any]) -> Reply:
        """Vectors of double length, in reverse: clients must look at the index."""
        vectors = self.embedder.embed(body["input"])
        return data([[2 * value for value in vector] for vector in vectors])


def data(vectors: list[list[float]]) -> Reply:
    """The answer that holds these vectors, the last one first."""
    rows = [{"object": "embedding", "index": index, "embedding": vector} for index, vector in enumerate(vectors)]
    return Reply(body=json.dumps({"object": "list", "data": rows[::-1]}).encode())
