"""A chat server on this machine that does what a test wants, by the standard library."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pyarrow as pa

from minpairs.benchmarks.suites import Suite, from_table


@dataclass(frozen=True)
class Request:
    """What the server was asked."""

    number: int  # from 0
    path: str
    headers: dict[str, str]
    body: dict[str, Any]

    @property
    def prompt(self) -> str:
        return self.body["messages"][0]["content"]

    def line(self, start: str) -> str:
        (found,) = [line for line in self.prompt.splitlines() if line.startswith(start)]
        return found.removeprefix(start)


@dataclass(frozen=True)
class Response:
    """What it does: an answer, or something else."""

    body: Any = None
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    delay: float = 0.0
    reset: bool = False  # close the connection without a word
    trickle: float = 0.0  # seconds before each byte of the body


Behaviour = Callable[[Request], Response]


def said(text: str | None, **more: Any) -> Response:
    """An answer as OpenAI's servers give it."""
    choice = {
        "index": 0,
        "finish_reason": "stop",
        "message": {"role": "assistant", "content": text},
        "logprobs": more.pop("logprobs", None),
    }
    usage = {"prompt_tokens": 50, "completion_tokens": 1, "total_tokens": 51}
    return Response({"id": "1", "model": "fake-1", "choices": [choice], "usage": usage} | more)


def top(**logprobs: float) -> dict[str, Any]:
    """Log-probabilities of the first token, as OpenAI's servers give them."""
    likeliest = [{"token": token, "logprob": value} for token, value in logprobs.items()]
    return {"content": [{**likeliest[0], "top_logprobs": likeliest}]}


def always(text: str | None) -> Behaviour:
    return lambda request: said(text)


def in_turn(*responses: Response) -> Behaviour:
    """One response after another, the last one for ever."""
    return lambda request: responses[min(request.number, len(responses) - 1)]


@dataclass
class ChatServer:
    behaviour: Behaviour
    url: str = ""
    requests: list[Request] = field(default_factory=list)
    most_in_flight: int = 0
    _in_flight: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def handle(self, handler: BaseHTTPRequestHandler) -> None:
        body = json.loads(handler.rfile.read(int(handler.headers["content-length"])))
        with self._lock:
            headers = {name.lower(): value for name, value in handler.headers.items()}
            request = Request(len(self.requests), handler.path, headers, body)
            self.requests.append(request)
            self._in_flight += 1
            self.most_in_flight = max(self.most_in_flight, self._in_flight)
        try:
            response = self.behaviour(request)
            time.sleep(response.delay)
        finally:
            with self._lock:
                self._in_flight -= 1
        if response.reset:
            handler.close_connection = True
            handler.connection.close()
            return
        content = (
            response.body
            if isinstance(response.body, bytes)
            else json.dumps(response.body).encode()
        )
        handler.send_response(response.status)
        for name, value in {"content-type": "application/json", **response.headers}.items():
            handler.send_header(name, value)
        handler.send_header("content-length", str(len(content)))
        handler.end_headers()
        for position in range(len(content) if response.trickle else 0):
            time.sleep(response.trickle)
            handler.wfile.write(content[position : position + 1])
        if not response.trickle:
            handler.wfile.write(content)


@contextmanager
def serving(behaviour: Behaviour):
    """A server on a free port, for as long as the context lasts."""
    server = ChatServer(behaviour)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            try:
                server.handle(self)
            except (BrokenPipeError, ConnectionResetError):
                self.close_connection = True  # the client has given up on us

        def log_message(self, *_: Any) -> None:
            """Keeps the tests' output clean."""

        def finish(self) -> None:
            if not self.wfile.closed and not self.connection._closed:
                super().finish()

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as http:
        http.daemon_threads = True
        server.url = f"http://127.0.0.1:{http.server_address[1]}/v1"
        thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        try:
            yield server
        finally:
            http.shutdown()
            thread.join()


COLOURS = ("red", "green", "blue", "grey", "pink", "black")


def scalar(items: int = 2, name: str = "scalar") -> Suite:
    """Let-alone items about weights: in each order, what comes later is heavier."""
    rows = []
    for first, second in [(a, b) for i, a in enumerate(COLOURS) for b in COLOURS[i + 1 :]][:items]:
        row = {"cluster": first}
        for order, earlier, later in (("base", first, second), ("swapped", second, first)):
            for construction in ("let_alone", "and"):
                words = construction.replace("_", " ")
                text = f"He can't carry the {earlier} trunk {words} the {later} trunk."
                for suffix, heavy, light in (
                    ("", later, earlier),
                    ("_manipulated", earlier, later),
                ):
                    cell = f"{order}_{construction}{suffix}"
                    row[f"{cell}_context"] = text
                    row[f"{cell}_continuation"] = f" The {heavy} trunk beats the {light} trunk."
        rows.append(row)
    return from_table("let_alone", name, pa.Table.from_pylist(rows))


def pairs(items: int = 2) -> Suite:
    """Minimal pairs of agreement."""
    names = [f"{colour} fox" for colour in COLOURS][:items]
    table = {
        "sentence_good": [f"The {name} naps." for name in names],
        "sentence_bad": [f"The {name} nap." for name in names],
    }
    return from_table("mine", "agreement", pa.table(table))


def knows(request: Request) -> Response:
    """Right about ``scalar`` after either construction: what is mentioned later is heavier."""
    later = request.line("Text: ").split()[-2]
    return said("A" if request.line("A. ").startswith(f"The {later} ") else "B")
