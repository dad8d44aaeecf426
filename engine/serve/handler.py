"""HTTP on the loopback: one thread a request, the engine's events as server-sent events.

The standard library's server does: a handful of clients on the same machine, each answer taking
seconds. What must not happen is that a web page asks this server for something, so requests that
name another host or come from a page of another origin are refused.
"""

from __future__ import annotations

import json
import logging
import select
import socket
import time
import uuid
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from queue import Empty, SimpleQueue
from typing import Any
from urllib.parse import urlsplit

from engine.batch.requests import Defaults, parsed
from engine.engine import Engine
from engine.errors import INVALID_REQUEST, UNKNOWN_MODEL, EngineError
from engine.messages import Event, Failed, Finished, PromptProgress, TextDelta
from engine.model.info import Model
from engine.openai import request as body_shape
from engine.openai import response
from engine.reply import Reply
from engine.serve.conversations import Conversations

log = logging.getLogger(__name__)

LARGEST = 64 * 2**20
"""Bytes of a request."""
LOOK_SECONDS = 0.25
"""How often a request looks whether its client is still there."""
_LOCAL = frozenset({"localhost", "127.0.0.1", "::1"})


class Server(ThreadingHTTPServer):
    """Listens on the loopback only.

    Args:
        port: 0 takes a free one; `server_port` says which.
    """

    daemon_threads = True
    # On Linux this only lets the port of a server that has just ended be used again.
    allow_reuse_address = True

    def __init__(self, engine: Engine, models: list[Model], port: int) -> None:
        self.engine = engine
        self.models = models
        self.conversations = Conversations(engine)
        super().__init__(("127.0.0.1", port), _Handler)

    def model(self, name: object) -> Model:
        """The model that a request asks for; the first one if it names none.

        Raises:
            EngineError: `unknown_model`.
        """
        if name is None or name == "":
            return self.models[0]
        for model in self.models:
            if name in (model.name, model.id, str(model.path)):
                return model
        served = ", ".join(repr(m.name) for m in self.models)
        raise EngineError(UNKNOWN_MODEL, f"There is no model {name!r} here, but {served}.")

    def handle_error(self, request: Any, client_address: Any) -> None:
        log.debug("a client went away", exc_info=True)


class _RefusedError(Exception):
    """A request that is not for us."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


class _Handler(BaseHTTPRequestHandler):
    server: Server
    protocol_version = "HTTP/1.1"
    server_version = "Stretto"
    sys_version = ""

    def do_GET(self) -> None:
        self._answer({"/v1/models": self._models, "/health": self._health})

    def do_POST(self) -> None:
        self._answer({"/v1/chat/completions": self._complete})

    def log_message(self, format: str, *args: Any) -> None:
        log.info("%s", format % args)

    def _answer(self, routes: dict[str, Callable[[], None]]) -> None:
        try:
            self._check()
            route = routes.get(urlsplit(self.path).path)
            if route is None:
                known = "GET /v1/models and POST /v1/chat/completions"
                raise _RefusedError(404, f"{self.command} {self.path} is not served, only {known}.")
            route()
        except _RefusedError as refused:
            self._fail(refused.status, INVALID_REQUEST, str(refused))
        except EngineError as error:
            self._fail(response.STATUS.get(error.code, 500), error.code, error.message)
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True

    def _check(self) -> None:
        host = urlsplit(f"//{self.headers.get('Host', '')}").hostname
        if host not in _LOCAL:
            raise _RefusedError(403, f"This server answers for localhost only, not for {host!r}.")
        origin = self.headers.get("Origin")
        if origin is not None and urlsplit(origin).hostname not in _LOCAL:
            raise _RefusedError(403, f"Pages of {origin} may not ask this server.")

    def _models(self) -> None:
        self._send(200, response.models(self.server.models))

    def _health(self) -> None:
        self._send(200, {"status": "ok" if self.server.engine.is_running else "stopped"})

    def _body(self) -> dict[str, Any]:
        length = self.headers.get("Content-Length", "")
        if not length.isdecimal():
            raise _RefusedError(411, "A request needs a Content-Length.")
        if int(length) > LARGEST:
            raise _RefusedError(413, f"A request may have {LARGEST // 2**20} MB, not more.")
        try:
            body = json.loads(self.rfile.read(int(length)))
        except (ValueError, RecursionError) as error:
            raise _RefusedError(400, f"The request is no JSON: {error}") from None
        if not isinstance(body, dict):
            raise _RefusedError(400, "The request must be a JSON object.")
        return body

    def _complete(self) -> None:
        body = self._body()
        model = self.server.model(body.get("model"))
        try:
            # Without a seed of its own a request takes a fresh one.
            defaults = Defaults({**model.defaults, "seed": None})
            request = parsed(body_shape.plain({"body": body}), defaults)
        except ValueError as error:
            raise _RefusedError(400, f"{error}.") from None
        if isinstance(request.prompt, str) or not all(isinstance(m, dict) for m in request.prompt):
            raise _RefusedError(400, "messages must be a list of objects.")
        answer = response.Answer(uuid.uuid4().hex, model.name)
        conversation = self.server.conversations.session(model, request.prompt, request.reasoning)
        with conversation as (session, said):
            events: SimpleQueue[Event] = SimpleQueue()
            reply = session.send(request.prompt, request.params, events.put)
            try:
                if body.get("stream") is True:
                    options = body.get("stream_options")
                    figures = isinstance(options, dict) and options.get("include_usage") is True
                    self._stream(answer, reply, events, figures)
                else:
                    self._whole(answer, reply, events)
            finally:
                reply.cancel()
                for _ in reply:  # to its end: the session is the next request's only then
                    pass
                said.append({"role": "assistant", "content": answer.text})

    def _whole(self, answer: response.Answer, reply: Reply, events: SimpleQueue[Event]) -> None:
        for event in self._events(reply, events):
            if isinstance(event, TextDelta):
                answer.add(event)
            elif isinstance(event, Failed):
                raise EngineError(event.code, event.message)
            elif isinstance(event, Finished):
                self._send(200, answer.whole(event))

    def _stream(
        self, answer: response.Answer, reply: Reply, events: SimpleQueue[Event], figures: bool
    ) -> None:
        begun = False
        for event in self._events(reply, events):
            if isinstance(event, Failed) and not begun:
                raise EngineError(event.code, event.message)
            if not begun:
                begun = True
                self.send_response(200)
                self.send_header("Content-Type", "text/event-stream; charset=utf-8")
                self.send_header("Cache-Control", "no-store")
                # Its end is the connection's: no length is known, and chunks are one layer more.
                self.send_header("Connection", "close")
                self.end_headers()
            if isinstance(event, PromptProgress):
                # A comment to every client, and the sign that it is still there.
                self._say(f": read {event.done} of {event.total} tokens\n\n")
            elif isinstance(event, TextDelta):
                self._say_json(answer.add(event))
            elif isinstance(event, Failed):
                status = response.STATUS.get(event.code, 500)
                self._say_json(response.error(status, event.code, event.message))
            else:
                self._say_json(answer.last(event))
                if figures:
                    self._say_json(answer.usage(event.stats))
                self._say("data: [DONE]\n\n")

    def _events(self, reply: Reply, events: SimpleQueue[Event]) -> Iterator[Event]:
        """The reply's events. Stops it when the client has gone away.

        Raises:
            BrokenPipeError: then.
        """
        look_at = time.monotonic() + LOOK_SECONDS
        while True:
            # Also while tokens come: an answer in one piece writes nothing before its end.
            if time.monotonic() >= look_at:
                look_at = time.monotonic() + LOOK_SECONDS
                if self._gone():
                    raise BrokenPipeError
            try:
                event = events.get(timeout=LOOK_SECONDS)
            except Empty:
                continue
            yield event
            if isinstance(event, (Finished, Failed)):
                return

    def _gone(self) -> bool:
        readable, _, _ = select.select([self.connection], [], [], 0)
        return bool(readable) and not self.connection.recv(1, socket.MSG_PEEK)

    def _fail(self, status: int, code: str, message: str) -> None:
        # What was not read of the request would be taken for the next one.
        self.close_connection = True
        self._send(status, response.error(status, code, message))

    def _send(self, status: int, content: dict[str, Any]) -> None:
        data = json.dumps(content, ensure_ascii=False).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json; charset=utf-8")
        self.send_header("Content-Length", str(len(data)))
        if status == 503:
            self.send_header("Retry-After", "5")
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(data)

    def _say_json(self, content: dict[str, Any]) -> None:
        self._say(f"data: {json.dumps(content, ensure_ascii=False)}\n\n")

    def _say(self, text: str) -> None:
        self.wfile.write(text.encode())
