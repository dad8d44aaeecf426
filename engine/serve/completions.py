"""`POST /v1/chat/completions`: from the body to the engine, and its events to the client."""

from __future__ import annotations

import asyncio
import logging
import uuid
from collections.abc import AsyncIterator
from dataclasses import dataclass
from functools import partial
from typing import Any

from starlette.types import Receive, Scope, Send

from engine.errors import ENGINE_STOPPED, UNKNOWN_MODEL, EngineError
from engine.messages import Event, Failed, Finished
from engine.model.info import Model
from engine.openai import json_text, response
from engine.openai import request as body_shape
from engine.openai.parsing import Defaults, Request, parsed
from engine.reply import Reply
from engine.serve.client import Client
from engine.serve.metrics import Metrics
from engine.serve.places import Place, Places, session_name, unless
from engine.serve.refusals import RefusedError
from engine.serve.served import BROKE_DOWN, Served
from engine.serve.sessions import Manner

log = logging.getLogger(__name__)

LEAST_LIMIT, MOST_LIMIT = 2**20, 64 * 2**20
"""Bytes of a request: no model's limit is outside of these."""
BYTES_PER_TOKEN = 64
"""What a token of a long context may take in a request. A JSON escape is six bytes a character."""
SILENCE_SECONDS, BODY_SECONDS = 20.0, 300.0
"""How long a body may pause, and how long it may take."""
END_SECONDS = 60.0
"""How long a stopped reply may take to end before its session is given up."""
ENDING = "The server is ending."
_LARGE = 64 * 2**10  # bytes of a body that is read on another thread


@dataclass(frozen=True)
class _Gone:
    """The client has closed its connection."""


_Events = asyncio.Queue[Event | _Gone]


@dataclass(frozen=True)
class _Asked:
    """A request as it was understood."""

    request: Request
    stream: bool
    figures: bool


class Completions:
    """Answers chat requests. An ASGI application for one route.

    Attributes:
        served: the models.
        silence: seconds that a body may pause.
    """

    def __init__(self, served: Served, places: Places, metrics: Metrics) -> None:
        self.served = served
        self.silence = SILENCE_SECONDS
        self._places = places
        self._metrics = metrics
        self._running: set[_Events] = set()
        self._settling: set[asyncio.Task[None]] = set()
        self._ending = False

    def end(self) -> None:
        """Stop all answers. Their clients are told why."""
        self._ending = True
        self._places.end(EngineError(ENGINE_STOPPED, ENDING))
        for events in self._running:
            events.put_nowait(Failed("", "", ENGINE_STOPPED, ENDING))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        raw = await self._body(scope, receive)
        if self._ending:
            raise EngineError(ENGINE_STOPPED, ENDING)
        events: _Events = asyncio.Queue()
        watch = asyncio.ensure_future(_watch(receive, events))
        try:
            await self._answer(scope, raw, events, watch, send)
        finally:
            watch.cancel()

    async def _answer(
        self,
        scope: Scope,
        raw: bytes,
        events: _Events,
        watch: asyncio.Future[None],
        send: Send,
    ) -> None:
        body = await self._read(raw)
        name = session_name(scope, body)
        model = await unless(watch, self._model(scope, name, body))
        if model is None:
            return
        read = partial(_understood, model, body)
        asked = await asyncio.to_thread(read) if len(raw) > _LARGE else read()
        request = asked.request
        assert not isinstance(request.prompt, str)
        answer = response.Answer(uuid.uuid4().hex, model.name)
        tell = Client(send, answer, asked.stream, asked.figures)
        manner = Manner(reasoning=request.reasoning)
        taking = self._places.take(scope, name, model, request.prompt, manner, tell.comment)
        try:
            place = await unless(watch, taking)
        except (RefusedError, EngineError) as error:
            if await tell.refused(error):
                return
            raise
        if place is None:
            return
        loop = asyncio.get_running_loop()
        try:
            reply = place.session.send(
                request.prompt, request.params, partial(_hand_over, loop, events)
            )
            settled = _Settled(place, answer, reply)
        except BaseException:
            place.drop()
            raise
        self._running.add(events)
        try:
            async for event in self._events(events):
                if isinstance(event, (Finished, Failed)) and reply.done:
                    # The session is free before the client hears of it and asks again.
                    settled.now(event)
                await tell(event)
        finally:
            self._running.discard(events)
            if not settled.done:
                reply.cancel()
                task = asyncio.ensure_future(settled.later(events))
                self._settling.add(task)
                task.add_done_callback(self._settling.discard)

    async def _events(self, events: _Events) -> AsyncIterator[Event]:
        """The reply's events to the last one, or until the client has gone."""
        times = self._metrics.reply()
        while True:
            event = await events.get()
            if isinstance(event, _Gone):
                return
            times.note(event)
            if isinstance(event, Failed) and self._has_lost(event):
                self.served.lost()
                event = Failed(event.session_id, event.reply_id, ENGINE_STOPPED, BROKE_DOWN)
            yield event
            if isinstance(event, (Finished, Failed)):
                return

    def _has_lost(self, failed: Failed) -> bool:
        """Whether a reply failed because the engine has no models any more."""
        return failed.code in (ENGINE_STOPPED, UNKNOWN_MODEL) and not self._ending

    async def _body(self, scope: Scope, receive: Receive) -> bytes:
        limit = MOST_LIMIT
        if len(models := self.served.models) == len(self.served.entries):
            context = max(model.context_length for model in models)
            limit = min(max(context * BYTES_PER_TOKEN, LEAST_LIMIT), MOST_LIMIT)
        too_long = RefusedError(413, f"A request may have {limit / 2**20:.3g} MB, not more.")
        announced = dict(scope["headers"]).get(b"content-length", b"0")
        if int(announced) > limit:
            raise too_long
        body = bytearray()
        try:
            async with asyncio.timeout(BODY_SECONDS):
                more = True
                while more:
                    message = await asyncio.wait_for(receive(), self.silence)
                    if message["type"] == "http.disconnect":
                        raise RefusedError(400, "The connection was closed within the request.")
                    body += message.get("body", b"")
                    more = message.get("more_body", False)
                    if len(body) > limit:
                        raise too_long
        except TimeoutError:
            raise RefusedError(408, "The rest of the request did not come.") from None
        return bytes(body)

    async def _read(self, raw: bytes) -> dict[str, Any]:
        try:
            if len(raw) > _LARGE:
                return await asyncio.to_thread(json_text.decode, raw)
            return json_text.decode(raw)
        except ValueError as error:
            raise _not_understood(error) from None

    async def _model(self, scope: Scope, session: str | None, body: dict[str, Any]) -> Model:
        """The model that a request names, else that of its session, else the first one."""
        name = body.get("model")
        if not isinstance(name, (str, type(None))):
            raise _not_understood(ValueError(f"model must be a text, not {name!r}"))
        await self.served.ready()
        known = None if name else self._places.model_of(scope, session)
        return await self.served.get(known.path if known else name)


def _understood(model: Model, body: dict[str, Any]) -> _Asked:
    try:
        # A request without a seed of its own takes a fresh one.
        defaults = Defaults({**model.defaults, "seed": None})
        request = parsed(body_shape.plain({"body": body}), defaults)
        messages = request.prompt
        if isinstance(messages, str) or not all(isinstance(m, dict) for m in messages):
            raise ValueError("messages must be a list of objects")
        return _Asked(request, *_streaming(body))
    except ValueError as error:
        raise _not_understood(error) from None


def _not_understood(error: ValueError) -> RefusedError:
    end = "" if str(error).endswith((".", "?")) else "."
    return RefusedError(400, f"The request cannot be answered: {error}{end}")


class _Settled:
    """What becomes of a conversation after its reply: kept when the session is sound."""

    def __init__(self, place: Place, answer: response.Answer, reply: Reply) -> None:
        self._place = place
        self._answer = answer
        self._reply = reply
        self.done = False

    def now(self, last: Finished | Failed) -> None:
        """The reply has ended."""
        self.done = True
        if isinstance(last, Failed):
            self._place.failed(last.code)
        else:
            self._place.keep({"role": "assistant", "content": self._answer.text})

    async def later(self, events: _Events) -> None:
        """Wait for the end of a reply that was stopped. Nobody else gets its session before."""
        self.done = True
        last: Event | _Gone | None = None
        if self._reply.done and events.empty():  # `now` has failed, and nothing more comes
            self._place.drop()
            return
        try:
            async with asyncio.timeout(END_SECONDS):
                while not isinstance(last, Finished):
                    if isinstance(last, Failed) and self._reply.done:
                        break
                    last = await events.get()
        except TimeoutError:
            log.error("a reply that was stopped has not ended after %g seconds", END_SECONDS)
        if isinstance(last, Finished):
            # The client may have read less than was said, so the answer is no part of what is
            # known. The next turn goes on from the question.
            self._place.keep()
        else:
            self._place.drop()


def _hand_over(loop: asyncio.AbstractEventLoop, events: _Events, event: Event) -> None:
    """Called on the engine thread."""
    try:
        loop.call_soon_threadsafe(events.put_nowait, event)
    except RuntimeError:
        log.debug("the server has ended meanwhile")


async def _watch(receive: Receive, events: _Events) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
    events.put_nowait(_Gone())


def _streaming(body: dict[str, Any]) -> tuple[bool, bool]:
    """Whether the answer is to come in pieces, and with figures at its end."""
    stream, options = body.get("stream"), body.get("stream_options")
    if not isinstance(stream, (bool, type(None))):
        raise ValueError(f"stream must be true or false, not {stream!r}")
    if options is None:
        return stream is True, False
    if not isinstance(options, dict):
        raise ValueError(f"stream_options must be an object, not {options!r}")
    for key, value in options.items():
        if key not in ("include_usage", "include_obfuscation"):
            raise ValueError(f"there is no field {key!r} in stream_options")
        if not isinstance(value, (bool, type(None))):
            raise ValueError(f"{key} must be true or false, not {value!r}")
        if key == "include_obfuscation" and value:
            raise ValueError("include_obfuscation can only be false here")
    if not stream:
        raise ValueError("stream_options go with stream only")
    return True, options.get("include_usage") is True
