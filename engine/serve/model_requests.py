"""Handler of model requests. Sends them to the engine, and reply events back to the client.

If several answers are requested, their common prompt is prefilled once, and the other answers run
in forks of the first session.
"""

from __future__ import annotations

import asyncio
import itertools
import logging
import time
import types
from collections import deque
from collections.abc import (
    AsyncIterator,
    Awaitable,
    Callable,
    Collection,
    Coroutine,
    Generator,
    Mapping,
    Sequence,
)
from concurrent.futures import Future
from contextlib import AbstractContextManager, ExitStack, asynccontextmanager
from functools import partial
from typing import Any, TypeVar

import anyio
from msgspec import Struct
from starlette.responses import JSONResponse
from starlette.types import Message, Receive, Scope, Send

from engine.engine import Engine
from engine.errors import CONTEXT_OVERFLOW, ENGINE_STOPPED, UNKNOWN_MODEL, EngineError
from engine.messages import Event, Failed, Finished, PromptProgress, TextDelta
from engine.model.info import Model
from engine.serve import bodies, errors
from engine.serve.agents import RequestRegistry
from engine.serve.auth import FairShare, KeyOwner, count_answers, owner_of
from engine.serve.documents import DocumentReader
from engine.serve.errors import MODEL_UNLOADED, WRONG_KEY, RequestError
from engine.serve.metrics import Metrics
from engine.serve.models import RELOADING, ModelEntry, ModelRegistry
from engine.serve.queue import Report
from engine.serve.reply_slots import ReplySlots, SessionModelError
from engine.serve.requests import ModelRequest
from engine.serve.routes.base import API, APIRoute, Choice, Generation, Writer, encoded
from engine.serve.routes.completions import EmbeddingAPI, EmbeddingRequest, EmbeddingsAPI
from engine.serve.routes.ollama import OllamaEmbedAPI, OllamaEmbeddingsAPI
from engine.serve.routes.schema import JSON, FieldError, note_ignored, read_fields
from engine.serve.sessions import SentConversation, check_digest, session_name
from engine.serve.threads import ServerThreads

log = logging.getLogger(__name__)

T = TypeVar("T")

SERVER_STOPPING = "The server is shutting down."
KEY_REVOKED = "This key was revoked."
UNLOADED = "The model was unloaded. Retry in a moment; it will be loaded again."
KEEPALIVE_S = 5.0  # maximum interval between events of a stream
QUIET_S = 5.0  # time without an engine event, after which a keep-alive is sent
CANCEL_TIMEOUT_S = 60.0  # after this time, the session of a canceled reply is dropped
SHUTDOWN_CANCEL_TIMEOUT_S = 2.0  # same, during a shutdown of the server


@types.coroutine
def _resumed(coroutine: Coroutine[Any, None, None], awaited: Any) -> Generator[Any, None, None]:
    yield awaited
    yield from coroutine


class ClientResponse:
    """Response to a client, either one JSON object or server-sent events.

    A task sends queued ASGI messages in order, so that a client that reads slowly only delays its
    own answer.

    Args:
        api: determines the format, including that of errors.
        charge: called with the growth of unsent bytes. Raises RequestError if there are too many.
    """

    def __init__(self, send: Send, api: API, streams: bool, charge: Callable[[int], None]) -> None:
        self.asked_to_stream = False
        self._send = send
        self._unsent: deque[Message] = deque()
        self._unsent_bytes = 0
        self._task: asyncio.Task[None] | None = None  # sends what is in `_unsent`
        self._charge = charge
        self._held_bytes = 0
        self._api = api
        self._streams = streams
        self.writer: Writer | None = None
        self._has_begun = False  # response headers were sent
        self._has_event = False  # first event of the answer was sent
        self._has_ended = False
        self._event_at = -KEEPALIVE_S  # time of the last event sent
        self._took_at = self._came_at = time.monotonic()
        self.headers: Sequence[tuple[bytes, bytes]] = ()  # additional response headers

    def send_event(self, choice: Choice, event: Event) -> None:
        """Format an event for a choice, and send the result.

        Raises:
            RequestError: 429 if too much data is waiting for the client.
        """
        writer = self.writer
        assert writer is not None
        self._took_at = time.monotonic()
        pieces = choice.handle_event(event)
        if not writer.generation.stream:
            for _ in pieces:
                pass
            if writer.all_ended:
                content = encoded(writer.whole())
                length = (b"content-length", str(len(content)).encode())
                self._head(b"application/json", length)
                self._write(content, has_more=False)
            return
        out = [writer.piece(choice, piece) for piece in pieces]
        if not self._has_event:
            self._has_event = True
            out.insert(0, writer.begin())
        if isinstance(event, Finished):
            out.append(writer.ended(choice))
        if writer.all_ended:
            out.append(writer.end())
        self._begin_stream()
        data = b"".join(out) or self._sign_of_life()
        if data:
            if not isinstance(event, PromptProgress):
                self._event_at = time.monotonic()
            unsent = self._unsent_bytes + len(data)
            if unsent > self._held_bytes:
                self._charge(unsent - self._held_bytes)
                self._held_bytes = unsent
            self._write(data, has_more=not writer.all_ended)
        if isinstance(event, PromptProgress):
            self.comment(f"read {event.done} of {event.total} tokens")

    def comment(self, text: str) -> None:
        """Send a comment to a streaming client, and a keep-alive event if one is due.

        Idle timers of clients only reset on events.
        """
        if not self._may_stream:
            return
        self._begin_stream()
        if self._unsent_bytes:
            return
        if data := self._api.comment(text) + self._sign_of_life():
            self._write(data)

    async def comment_when_quiet(self) -> None:
        """Send a comment whenever `QUIET_S` pass without an event of any reply."""
        self._took_at = time.monotonic()
        while True:
            await asyncio.sleep(self._took_at + QUIET_S - time.monotonic())
            if time.monotonic() - self._took_at >= QUIET_S:
                self.comment("working")
                self._took_at = time.monotonic()

    @property
    def _may_stream(self) -> bool:
        """True if events may be sent. Before that, an error can still get its own status."""
        if self.writer is not None:
            return self.writer.generation.stream
        return self.asked_to_stream and time.monotonic() - self._came_at >= KEEPALIVE_S

    def _sign_of_life(self) -> bytes:
        now = time.monotonic()
        if self.writer is None or now - self._event_at < KEEPALIVE_S:
            return b""
        self._event_at = now
        return self.writer.sign_of_life()

    async def report_error(self, error: Exception) -> bool:
        content = errors.body_of(error, self._api.path)[1]
        too_long = getattr(error, "code", "") == CONTEXT_OVERFLOW
        streams = self._streams if self.writer is None else self.writer.generation.stream
        if too_long and streams and self._api.streams_overflow:
            self._begin_stream()
        if self._has_begun and not self._has_ended:
            self._write(self._api.failed(content, self.writer), has_more=False)
        await self.flush()
        return self._has_begun

    async def flush(self) -> None:
        if self._task is not None:
            await asyncio.shield(self._task)

    def close(self) -> None:
        if self._task is not None:
            self._task.cancel()

    def _begin_stream(self) -> None:
        if not self._has_begun:
            self._head(self._api.media_type.encode(), (b"cache-control", b"no-store"))

    def _head(self, kind: bytes, *extra_headers: tuple[bytes, bytes]) -> None:
        self._has_begun = True
        headers = [(b"content-type", kind), *self.headers, *extra_headers]
        self._put({"type": "http.response.start", "status": 200, "headers": headers})

    def _write(self, data: bytes, has_more: bool = True) -> None:
        self._has_ended = not has_more
        self._put({"type": "http.response.body", "body": data, "more_body": has_more})

    def _put(self, message: Message) -> None:
        self._unsent.append(message)
        self._unsent_bytes += len(message.get("body", b""))
        if self._task is None or self._task.done():
            sending = self._send_all()
            try:  # create a task only if sending has to wait; starting one takes as long
                awaited = sending.send(None)
            except StopIteration:
                return
            self._task = asyncio.ensure_future(_resumed(sending, awaited))

    async def _send_all(self) -> None:
        while self._unsent:
            message = self._unsent.popleft()
            await self._send(message)
            self._unsent_bytes -= len(message.get("body", b""))


class _Endpoint(Struct):
    """ASGI application that calls a function. Starlette treats bare functions differently."""

    _answer: Callable[[Scope, Receive, Send], Awaitable[None]]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._answer(scope, receive, send)


class ModelRequestHandler:
    def __init__(
        self,
        engine: Engine,
        served: ModelRegistry,
        slots: ReplySlots,
        metrics: Metrics,
        sharing: FairShare,
        threads: ServerThreads,
    ) -> None:
        self.served = served
        self.documents = DocumentReader()
        self._threads = threads
        self.requests = RequestRegistry()
        self.held = bodies.MemoryAccount(sharing)  # tracks the memory of all request bodies
        self.silence = bodies.MAX_PAUSE_S  # maximum pause within a body, in seconds
        self.priority = 0  # engine priority of server requests, see `Session.prioritise`
        # Percentage of time by name of program or key.
        self.shares: Mapping[str, float] = {}
        self._engine = engine
        self._slots = slots
        self._metrics = metrics

    def routes(self, apis: Sequence[API], counts: Sequence[API]) -> list[APIRoute]:
        return [
            *(_operation(api, partial(self._generate, api)) for api in apis),
            *(_operation(api, partial(self._answer_at_once, api, self._count)) for api in counts),
            *(
                _operation(api, partial(self._answer_at_once, api, partial(self._embed, api)))
                for api in (EmbeddingsAPI(), OllamaEmbedAPI(), OllamaEmbeddingsAPI())
            ),
        ]

    def end(self) -> None:
        error = EngineError(ENGINE_STOPPED, SERVER_STOPPING)
        self.served.end(error)
        self.requests.cancel(error)

    def revoke(self, owner_ids: Collection[str]) -> None:
        self.requests.cancel(EngineError(WRONG_KEY, KEY_REVOKED), owner_ids)

    @asynccontextmanager
    async def _registered(
        self,
        scope: Scope,
        receive: Receive,
        body: JSON | None = None,
        session: str | None = None,
    ) -> AsyncIterator[ModelRequest]:
        """Register a request until the block ends, which happens early if the client disconnects.

        The body must have been read. If the request or the server was ended, its error is raised.
        """
        with self.requests.register(scope, body, session) as request:
            with request.cancel_scope as cancelled:
                if self.served.ended is not None:
                    raise self.served.ended
                watch = asyncio.ensure_future(_end_with_client(receive, request))
                try:
                    yield request
                finally:
                    watch.cancel()
            if cancelled.cancelled_caught and request.error is not None:
                raise request.error

    async def _generate(self, api: API, scope: Scope, receive: Receive, send: Send) -> None:
        accepted = dict(scope["headers"]).get(b"accept", b"")
        with self.held.share(owner_of(scope)) as charge:
            client = ClientResponse(send, api, b"text/event-stream" in accepted, charge)
            try:
                raw = await bodies.read(scope, receive, self.silence, charge)
                size = len(raw)
                body = await bodies.parse(raw, self._threads)
                del raw
                name, sent = session_name(scope, body), None
                if "follows" in api.body.model_fields:
                    sent = await self._whole_conversation(scope, name, body, size)
                streams = body.get("stream", api.body.model_fields["stream"].default)
                client.asked_to_stream = streams is True
                client.headers = sent.headers if sent else ()
                async with self._registered(scope, receive, body, name) as request:
                    while True:
                        try:
                            await self._answer(api, scope, request, client, body, size, name, sent)
                            break
                        except SessionModelError:
                            # Another request has just created the session with its own model. If
                            # this request doesn't name a model, use that model.
                            if body.get("model"):
                                raise
                    # From here on, a slow client blocks neither the slot nor the model.
                    await client.flush()
            except (RequestError, EngineError) as error:
                if not await client.report_error(error):
                    raise
            finally:
                client.close()

    async def _answer(
        self,
        api: API,
        scope: Scope,
        request: ModelRequest,
        client: ClientResponse,
        body: JSON,
        size: int,
        name: str | None,
        sent: SentConversation | None,
    ) -> None:
        owner = owner_of(scope)
        with self._use(scope, name, body) as entry:
            model = await self._load(entry, client)
            bodies.check_size(size, body, model)
            total_bytes = max(size, sent.size if sent else 0)
            generation, ignored = await self._read(
                api, body, model, total_bytes, owner, client.comment
            )
            n, calls_tools = generation.n, bool(generation.params.offered)
            request.generation = generation
            request.choices = choices = [
                Choice(
                    number,
                    calls_tools,
                    generation.stream,
                    number // n,
                    returns_reasoning=generation.returns_reasoning,
                )
                for number in range(n * len(generation.prompts))
            ]
            count_answers(scope, len(choices))
            request.model, request.context_length = model.name, model.context_length
            self.requests.store_conversation(request, generation.messages, size)
            note_ignored(scope, ignored)
            client.writer = api.writer(generation, choices)
            await _while_paused(request, client)  # wait before occupying a slot
            async with self._slots.acquire(request, name, model, sent, client.comment) as session:
                with ExitStack() as cleanup:
                    try:
                        program = request.program
                        share = self.shares.get(program, 0.0)
                        session.prioritise(self.priority, program, share)
                        request.start(self._engine, session, cleanup)
                        choice, event = await self._relay_events(request, client)
                        request.message = choices[0].as_message
                    finally:
                        ends = self.served.ended is not None
                        timeout_s = SHUTDOWN_CANCEL_TIMEOUT_S if ends else CANCEL_TIMEOUT_S
                        with anyio.move_on_after(timeout_s, shield=True) as late:
                            await request.stop_replies()
                        if late.cancelled_caught:
                            log_format = "a stopped reply did not end within %g s"
                            log.error(log_format, timeout_s)
            # Send the end only after freeing the session, because the client may send its next
            # request immediately.
            client.send_event(choice, event)

    async def _load(self, entry: ModelEntry, client: ClientResponse) -> Model:
        loading = asyncio.ensure_future(self.served.load(entry))
        try:
            while not (await asyncio.wait({loading}, timeout=QUIET_S))[0]:
                client.comment("loading the model")
            return loading.result()
        finally:
            loading.cancel()

    async def _relay_events(
        self, request: ModelRequest, client: ClientResponse
    ) -> tuple[Choice, Finished]:
        """Forward all events but the last to the client, and return the last event.

        Raises:
            Exception: the reason, if the request was ended.
        """
        started_at, text_at = time.monotonic(), dict[Choice, float]()
        finished: list[tuple[Choice, Finished]] = []

        def on_event(choice: Choice, event: Event) -> bool:
            now = time.monotonic()
            waited_s = now - text_at.get(choice, started_at)
            self._metrics.note_event(request.owner.id, event, waited_s, choice not in text_at)
            if isinstance(event, TextDelta):
                text_at[choice] = now
            request.note_event(event)
            # If the request was ended, report the cause, because the reply's failure is only a
            # consequence.
            if isinstance(event, Failed):
                raise request.error or self._client_error(EngineError(event.code, event.message))
            if isinstance(event, Finished):
                finished.append((choice, event))
                if len(finished) == len(request.choices):
                    return True
            client.send_event(choice, event)
            return False

        quiet = asyncio.ensure_future(client.comment_when_quiet())
        try:
            await request.relay(on_event)
            return finished[-1]
        finally:
            quiet.cancel()

    async def _read(
        self,
        api: API,
        body: JSON,
        model: Model,
        size: int,
        owner: KeyOwner,
        report: Report,
    ) -> tuple[Any, str]:
        """Parse and validate a body. Return the result and the names of ignored fields.

        Runs on a thread if the body is large or has documents.
        """
        work = partial(read_fields, partial(api.read, body, model, owner))
        try:
            if api.takes_long(body):
                return await self.documents.run(work, report, owner)
            return await self._threads.run_for_body(size, work)
        except ValueError as error:
            raise bodies.invalid_body_error(error, api.body) from None

    def _use(
        self, scope: Scope, session: str | None, body: JSON
    ) -> AbstractContextManager[ModelEntry]:
        """Hold the requested model (default: that of the session, else the server's default)."""
        name = body.get("model")
        if not isinstance(name, (str, type(None))):
            error = FieldError(f"model must be a text, not {name!r}", "model")
            raise bodies.invalid_body_error(error)
        owner = owner_of(scope)
        entry = self._slots.sessions.find(owner, session) if session and not name else None
        return self.served.use(entry.model if entry else name, owner)

    async def _whole_conversation(
        self, scope: Scope, name: str | None, body: JSON, size: int
    ) -> SentConversation | None:
        """If a request only sends new messages, complete the conversation from its session.

        The full conversation is stored back in the body. Returns None if there is no session.

        Raises:
            RequestError: 400 if `follows` is invalid, 404 or 409 if the session doesn't have
                the earlier messages.
        """
        follows, messages = body.pop("follows", None), body.get("messages")
        if follows is not None:
            try:
                check_digest("follows", follows)
                if name is None:
                    raise ValueError("follows requires a session; set session_id")
            except ValueError as error:
                raise bodies.invalid_body_error(FieldError(str(error), "follows")) from None
        if name is None or not isinstance(messages, list):
            return None
        before = SentConversation()
        if follows is not None:
            before = self._slots.sessions.get(owner_of(scope), name).sent
        join = partial(before.continued_by, follows, messages, size)
        conversation = await self._threads.run_for_body(size, join)
        body["messages"] = list(conversation.messages)
        return conversation

    def _client_error(self, error: EngineError) -> Exception:
        """Return the error for the client.

        If the engine has lost models, start reloading them, unless the server is stopping. A model
        in the server's list is never reported as unknown.
        """
        if error.code not in (ENGINE_STOPPED, UNKNOWN_MODEL):
            return error
        if self.served.ended is not None:
            return self.served.ended
        self.served.reload_lost()
        if error.code == UNKNOWN_MODEL:
            return EngineError(MODEL_UNLOADED, UNLOADED)
        return EngineError(ENGINE_STOPPED, RELOADING)

    async def _answer_at_once(
        self,
        api: API,
        answer: Callable[[Any], Awaitable[JSON]],
        scope: Scope,
        receive: Receive,
        send: Send,
    ) -> None:
        """Answer with a single JSON object. Cancelled if the client disconnects."""
        with self.held.share(owner_of(scope)) as charge:
            raw = await bodies.read(scope, receive, self.silence, charge)
            size = len(raw)
            body = await bodies.parse(raw, self._threads)
            name, result, ignored = session_name(scope, body), None, ""
            async with self._registered(scope, receive):
                with self._use(scope, name, body) as entry:
                    model = await self.served.load(entry)
                    bodies.check_size(size, body, model)
                    owner = owner_of(scope)
                    request, ignored = await self._read(
                        api, body, model, size, owner, lambda _: None
                    )
                    result = await answer(request)
        if result is not None:
            note_ignored(scope, ignored)
            await JSONResponse(result)(scope, receive, send)

    async def _count(self, generation: Generation) -> JSON:
        config, template = generation.config, generation.template
        counting = self._engine.count_later(
            generation.model, generation.messages, config.reasoning, template
        )
        # OpenAI's format.
        return {"object": "response.input_tokens", "input_tokens": await self._result(counting)}

    async def _embed(self, api: EmbeddingAPI, request: EmbeddingRequest) -> JSON:
        embedding = self._engine.embed_later(request.model, request.texts)
        vectors = await self._result(embedding)
        request.check(vectors)
        return api.response_body(request, vectors)

    async def _result(self, answer: Future[T]) -> T:
        try:
            return await asyncio.wrap_future(answer)
        except EngineError as error:
            raise self._client_error(error) from None


def _operation(api: API, answer: Callable[[Scope, Receive, Send], Awaitable[None]]) -> APIRoute:
    return APIRoute(
        "POST",
        api.path,
        _Endpoint(answer),
        api.summary,
        body=api.body,
        body_required=True,
        stream_media_type=api.media_type.partition(";")[0],
    )


async def _while_paused(request: ModelRequest, client: ClientResponse) -> None:
    for tenth in itertools.count(1):
        if not request.paused:
            return
        await anyio.sleep(0.1)
        if tenth % 100 == 0:
            client.comment("paused")


async def _end_with_client(receive: Receive, request: ModelRequest) -> None:
    """Cancel the request when its client disconnects. The body must have been read."""
    while (await receive())["type"] != "http.disconnect":
        pass
    request.end()
