"""A real browser for tests: headless Chromium, spoken to by its own debugging protocol."""

import asyncio
import itertools
import json
import os
import re
import shutil
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

import websockets

BROWSERS: Final = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
_LISTENING: Final = re.compile(rb"DevTools listening on (ws://\S+)")
# Nothing leaves the machine, whatever the browser or a page would like to load.
_FLAGS: Final = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-extensions",
    "--disable-sync",
    "--no-first-run",
    "--window-size=1280,900",
    "--remote-debugging-port=0",
    "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
)
_WATCH_POLICY: Final = """
window.violations = [];
document.addEventListener("securitypolicyviolation",
    (event) => window.violations.push(`${event.violatedDirective} ${event.blockedURI} ${event.sample}`));
"""


def find_browser() -> str | None:
    """Return the path of a Chromium, None when there is none."""
    return os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, BROWSERS)), None)


class Tab:
    """One tab, with all that it asked for and complained about. Use as an async context manager."""

    def __init__(self, address: str) -> None:
        self._address = address
        self._numbers = itertools.count(1)
        self._waiting: dict[int, asyncio.Future[dict[str, Any]]] = {}
        self.requests: list[str] = []
        self.complaints: list[str] = []

    async def __aenter__(self) -> Self:
        self._socket = await websockets.connect(self._address, max_size=None)
        self._reader = asyncio.create_task(self._read())
        for domain in ("Page", "Runtime", "Network", "Log"):
            await self.call(f"{domain}.enable")
        await self.call("Page.addScriptToEvaluateOnNewDocument", source=_WATCH_POLICY)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, exc: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._socket.close()
        await self._reader

    async def call(self, method: str, **params: object) -> dict[str, Any]:
        """Call a method of the protocol and return its result."""
        number = next(self._numbers)
        waiting = self._waiting[number] = asyncio.get_running_loop().create_future()
        await self._socket.send(json.dumps({"id": number, "method": method, "params": params}))
        answer = await asyncio.wait_for(waiting, timeout=30)
        assert "error" not in answer, answer["error"]
        return answer["result"]

    async def evaluate(self, expression: str) -> Any:
        """Return the value of JavaScript, in the page; a promise is waited for."""
        answer = await self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    async def wait_for(self, expression: str, *, timeout_s: float = 30.0) -> Any:
        """Return the first true value of JavaScript; fails, with what the page complained of, after the time-out."""
        end = time.monotonic() + timeout_s
        while time.monotonic() < end:
            if value := await self.evaluate(expression):
                return value
            await asyncio.sleep(0.05)
        raise AssertionError(f"Never true: {expression}. {self.complaints}")

    async def _read(self) -> None:
        async for text in self._socket:
            message = json.loads(text)
            params = message.get("params", {})
            match message.get("method"):
                case None:
                    waiting = self._waiting.pop(message["id"])
                    if not waiting.done():
                        waiting.set_result(message)
                case "Network.requestWillBeSent":
                    self.requests.append(params["request"]["url"])
                case "Network.webSocketCreated":
                    self.requests.append(params["url"])
                case "Log.entryAdded" if params["entry"]["level"] in ("error", "warning"):
                    self.complaints.append(params["entry"]["text"])
                case "Runtime.consoleAPICalled" if params["type"] in ("error", "warning", "assert"):
                    self.complaints.append(" ".join(str(arg.get("value", arg)) for arg in params["args"]))
                case "Runtime.exceptionThrown":
                    self.complaints.append(str(params["exceptionDetails"]))
                case _:
                    pass


@asynccontextmanager
async def open_tab(browser: str, profile: Path) -> AsyncIterator[Tab]:
    """Start a browser, whose profile is in the folder, and yield its one tab. It ends with the block."""
    process = await asyncio.create_subprocess_exec(
        browser,
        *_FLAGS,
        f"--user-data-dir={profile}",
        "about:blank",
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.PIPE,
        start_new_session=True,
    )
    try:
        assert process.stderr is not None
        async with asyncio.timeout(60):
            while not (found := _LISTENING.search(line := await process.stderr.readline())):
                assert line, "The browser ended at once."
        drain = asyncio.create_task(process.stderr.read())
        address = found[1].decode()
        async with websockets.connect(address, max_size=None) as control:
            await control.send('{"id": 1, "method": "Target.createTarget", "params": {"url": "about:blank"}}')
            while (answer := json.loads(await control.recv())).get("id") != 1:
                pass
            target = answer["result"]["targetId"]
            async with Tab(f"{address.split('/devtools/')[0]}/devtools/page/{target}") as tab:
                yield tab
            await control.send('{"id": 2, "method": "Browser.close"}')
        await asyncio.wait_for(process.wait(), timeout=15)
        await drain
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
