"""From a request's body to the engine, and from the replies' events to the client."""

from __future__ import annotations

import asyncio
from collections.abc import (
    AsyncIterator,
    Awaitable,
    Callable,
    Collection,
    Coroutine,
    Mapping,
    Sequence,
)
from concurrent.futures import Future
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol, TypeVar

from starlette.responses import JSONResponse
from starlette.types import Receive, Scope, Send

from engine.engine import Engine
from engine.errors import ENGINE_STOPPED, UNKNOWN_MODEL, EngineError
from engine.messages import Event, Failed, Finished, PromptProgress
from engine.model.info import Model
from engine.serve import bodies, errors
from engine.serve.auth import Guest, Sharing, count_answers, guest_of
from engine.serve.errors import MODEL_UNLOADED, WRONG_KEY, RefusedError
from engine.serve.metrics import Metrics
from engine.serve.models import BROKE_DOWN, Served, Use
from engine.serve.places import AnotherModelError, Place, Places, session_name
from engine.serve.queue import disconnected, meanwhile, unless
from engine.serve.replies import Events, Gone, Replies, Visits
from engine.serve.routes.base import Generation, GenerationAPI, Operation, Writer, encoded
from engine.serve.routes.choice import Choice
from engine.serve.routes.embeddings import Embedding, Embeddings, written
from engine.serve.routes.messages import CountTokens
from engine.serve.routes.schema import JSON, Body
from engine.serve.sessions import Sent, Sessions, check_digest

T = TypeVar("T")

ENDING = "The server is ending."
REVOKED = "This key was revoked."
UNLOADED = "The model was unloaded meanwhile. Ask again in a moment, and it is loaded again."


class Client:
    """Sends one client its answer: one JSON object, or server-sent events.

    Args:
        path: that was asked for, which gives errors their shape.
        stream: send each event as it comes, and not the whole answer at its end.
        headers: of the answer, beside its own.
    """

    def __init__(
        self,
        send: Send,
        path: str,
        writer: Writer,
        stream: bool,
        headers: Sequence[tuple[bytes, bytes]] = (),
    ) -> None:
        self._send = send
        self._path = path
        self._writer = writer
        self._stream = stream
        self._headers = headers
        self._begun = False  # the response
        self._opened = False  # the answer within it

    async def take(self, choice: Choice, event: Event) -> None:
        """Take an event of a choice, and send what comes of it.

        Raises:
            EngineError: the answer has failed, and nothing was sent yet.
        """
        if isinstance(event, Failed):
            error = EngineError(event.code, event.message)
            if not await self.refused(error):
                raise error
            return
        pieces = choice.take(event)
        if not self._stream:
            for _ in pieces:
                pass
            if self._all_ended:
                content = encoded(self._writer.whole())
                length = (b"content-length", str(len(content)).encode())
                await self._head(b"application/json", length)
                await self._write(content, more=False)
            return
        written = [self._writer.piece(choice, piece) for piece in pieces]
        if not self._opened:
            self._opened = True
            written.insert(0, self._writer.begin())
        if isinstance(event, Finished):
            written.append(self._writer.ended(choice))
        if self._all_ended:
            written.append(self._writer.end())
        if not self._begun:
            await self._begin_stream()
        if data := b"".join(written):
            await self._write(data, more=not self._all_ended)
        if isinstance(event, PromptProgress):
            await self.comment(f"read {event.done} of {event.total} tokens")

    @property
    def _all_ended(self) -> bool:
        return all(choice.last is not None for choice in self._writer.choices)

    async def comment(self, text: str) -> None:
        """Send a streaming client something that is no part of the answer.

        Clients skip lines that begin with a colon. People who watch the stream read them.
        """
        if not self._stream:
            return
        if not self._begun:
            await self._begin_stream()
        await self._write(f": {text}\n\n".encode())

    async def refused(self, error: Exception) -> bool:
        """Send an error within a stream that has begun. False: it has not."""
        if self._begun:
            told = errors.body_of(error, self._path)[1]
            await self._write(self._writer.failed(told), more=False)
        return self._begun

    async def _begin_stream(self) -> None:
        await self._head(b"text/event-stream; charset=utf-8", (b"cache-control", b"no-store"))

    async def _head(self, kind: bytes, *more: tuple[bytes, bytes]) -> None:
        self._begun = True
        headers = [(b"content-type", kind), *self._headers, *more]
        await self._send({"type": "http.response.start", "status": 200, "headers": headers})

    async def _write(self, data: bytes, more: bool = True) -> None:
        await self._send({"type": "http.response.body", "body": data, "more_body": more})


@dataclass(frozen=True)
class _Request:
    """One request whose body has been read.

    Attributes:
        large: its body is, or the conversation that it goes on from.
        name: of the session that it asks for.
        events: of its replies, for the client.
        sent: the conversation that the session is sent.
    """

    api: GenerationAPI
    scope: Scope
    send: Send
    body: JSON
    size: int
    large: bool
    name: str | None
    events: Events
    sent: Sent | None


class ImmediateAPI(Protocol):
    """An API whose answer is one object, without a place in the queue."""

    path: str
    summary: str

    @property
    def body(self) -> type[Body]:
        """The model of its bodies."""

    def read(self, body: Mapping[str, Any], model: Model) -> Any:
        """What a body asks for. Raises ValueError."""


class _Endpoint:
    """An ASGI application. Starlette takes plain functions for something else."""

    def __init__(self, answer: Callable[[Scope, Receive, Send], Awaitable[None]]) -> None:
        self._answer = answer

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._answer(scope, receive, send)


class Answering:
    """Answers all requests that are for a model.

    Attributes:
        served: the models.
        silence: seconds that a body may pause.
        visits: the requests that are answered or wait.
        held: what all requests together hold.
    """

    def __init__(
        self,
        engine: Engine,
        served: Served,
        places: Places,
        metrics: Metrics,
        sharing: Sharing | None = None,
    ) -> None:
        self.served = served
        self.visits = Visits()
        self.held = bodies.Held(sharing)
        self.silence = bodies.SILENCE_SECONDS
        self._engine = engine
        self._places = places
        self._metrics = metrics
        self._here: dict[Events, str] = {}  # the requests' events, and whose they are
        self._settling: dict[Place, asyncio.Task[None]] = {}  # places that replies end in

    def routes(self, apis: Sequence[GenerationAPI]) -> list[Operation]:
        """The routes of these APIs, and of those whose answers are immediate."""
        return [
            *(_operation(api, partial(self._generate, api)) for api in apis),
            _operation(CountTokens(), partial(self._immediate, CountTokens(), self._count)),
            _operation(Embeddings(), partial(self._immediate, Embeddings(), self._embed)),
        ]

    def end(self) -> None:
        """Stop all answers. Their clients are told why."""
        error = EngineError(ENGINE_STOPPED, ENDING)
        self.served.ending.end(error)
        self._places.end(error)
        for events in self._here:
            events.put_nowait(Gone(Failed("", "", error.code, error.message)))

    @property
    def ending(self) -> bool:
        """Whether the server ends."""
        return self.served.ending.error is not None

    def revoke(self, guests: Collection[str]) -> None:
        """Stop all answers to those guests, whose keys are good no more."""
        for events, guest in self._here.items():
            if guest in guests:
                events.put_nowait(Gone(Failed("", "", WRONG_KEY, REVOKED)))

    # -- answers that are generated -------------------------------------------------------

    async def _generate(
        self, api: GenerationAPI, scope: Scope, receive: Receive, send: Send
    ) -> None:
        """Answer one request.

        Raises:
            RefusedError, EngineError: it cannot be, and nothing has been sent.
        """
        events: Events = asyncio.Queue()
        with self.held.share(guest_of(scope)) as held:
            body, size = await self._body(scope, receive, held)
            name, sent = session_name(scope, body), None
            if "follows" in api.body.model_fields:
                sent = await _whole(self._places.sessions, scope, name, body, size)
            large = max(size, sent.size if sent else 0) > bodies.LARGE
            self._here[events] = guest_of(scope).id
            request = _Request(api, scope, send, body, size, large, name, events, sent)
            try:
                with meanwhile(_watch(receive, events)) as gone:
                    await self._until_answered(request, gone)
            finally:
                del self._here[events]

    async def _body(
        self, scope: Scope, receive: Receive, held: Callable[[int], None]
    ) -> tuple[JSON, int]:
        """A request's body, and its length in bytes.

        Args:
            held: enlarges the request's share of `held`.

        Raises:
            RefusedError: it cannot be read.
            EngineError: the server ends.
        """
        raw = await bodies.read(scope, receive, self.served, self.silence, held)
        if self.ending:
            raise EngineError(ENGINE_STOPPED, ENDING)
        size = len(raw)
        return await bodies.understood(raw), size

    def _use(self, scope: Scope, session: str | None, body: JSON) -> Use:
        """Use the model that a request names, else that of its session, else the first one.

        Raises:
            RefusedError, EngineError: there is no such model.
        """
        name = body.get("model")
        if not isinstance(name, (str, type(None))):
            raise bodies.not_understood(ValueError(f"model must be a text, not {name!r}"))
        known = None if name else self._places.model_of(scope, session)
        return self.served.use(known or name, guest_of(scope))

    async def _until_answered(self, request: _Request, gone: asyncio.Future[None]) -> None:
        while True:
            try:
                return await self._answer(request, gone)
            except AnotherModelError:
                # Somebody has made the session meanwhile. Its model is that of those who name
                # none.
                if request.body.get("model"):
                    raise

    async def _answer(self, request: _Request, gone: asyncio.Future[None]) -> None:
        api, scope, name, events = request.api, request.scope, request.name, request.events
        with self._use(scope, name, request.body) as use:
            model = await unless(gone, self.served.load(use.entry))
            if model is None:
                return
            bodies.check_size(request.size, model)
            read = partial(_read, api, model, request.body, guest_of(scope))
            generation = await asyncio.to_thread(read) if request.large else read()
            n, calls_tools = generation.n, bool(generation.params.offered)
            choices = [
                Choice(number, calls_tools, generation.stream, number // n)
                for number in range(n * len(generation.prompts))
            ]
            count_answers(scope, len(choices))
            headers = request.sent.headers if request.sent else ()
            writer = api.writer(generation, choices)
            client = Client(request.send, api.path, writer, generation.stream, headers)
            replies = Replies(self._engine, generation, choices, events, guest_of(scope))
            with self.visits.begin(scope, model.name, name) as visit:
                # The place is taken here and nowhere else.
                taking = self._places.take(
                    scope,
                    name,
                    use,
                    model,
                    generation.messages,
                    generation.config,
                    client.comment,
                    len(choices),
                )
                try:
                    place = await unless(gone, taking, Place.surely_end)
                except (RefusedError, EngineError) as error:
                    if await client.refused(error):
                        return
                    raise
                if place is None:
                    return
                self._remember(scope, name, request.sent)
                try:
                    replies.start(place)
                    visit.answered_by(replies)
                    async for choice, event in self._events(events, len(choices)):
                        replies.note(choice, event)
                        visit.note(event)
                        await client.take(choice, event)
                finally:
                    self._leave(replies, place)

    def _remember(self, scope: Scope, name: str | None, sent: Sent | None) -> None:
        """Let a next request go on from what the session is sent now."""
        named = self._places.sessions.find(guest_of(scope), name) if name else None
        if named is not None and sent is not None:
            named.sent = sent.kept

    def _leave(self, replies: Replies, place: Place) -> None:
        """Stop what still runs; the place is ended when it has."""
        try:
            replies.stop()
            if not place.ended:
                task = asyncio.ensure_future(replies.later())
                self._settling[place] = task
                task.add_done_callback(lambda _: self._settled(place))
        finally:
            if place not in self._settling:
                place.surely_end()

    def _settled(self, place: Place) -> None:
        self._settling.pop(place, None)
        place.surely_end()

    async def _events(self, events: Events, left: int) -> AsyncIterator[tuple[Choice, Event]]:
        """The replies' events until all have ended, one has failed, or the client has gone."""
        clocks = {}
        anybody = Choice(0)
        while left:
            next_one = await events.get()
            if isinstance(next_one, Gone):
                if next_one.failed is not None:
                    yield anybody, next_one.failed
                return
            choice, event = next_one
            if choice not in clocks:
                clocks[choice] = self._metrics.reply()
            clocks[choice].note(event)
            if isinstance(event, Failed):
                why = self._explained(EngineError(event.code, event.message))
                yield choice, Failed(event.session_id, event.reply_id, why.code, why.message)
                return
            if isinstance(event, Finished):
                left -= 1
            yield choice, event

    def _explained(self, error: EngineError) -> EngineError:
        """An error as clients are told it.

        Where the engine has lost models, it is looked which: they are loaded again.
        """
        if error.code not in (ENGINE_STOPPED, UNKNOWN_MODEL) or self.ending:
            return error
        self.served.lost()
        if error.code == UNKNOWN_MODEL:
            return EngineError(MODEL_UNLOADED, UNLOADED)
        return EngineError(ENGINE_STOPPED, BROKE_DOWN)

    # -- answers that are one object at once ----------------------------------------------

    async def _immediate(
        self,
        api: ImmediateAPI,
        answer: Callable[[Any], Coroutine[Any, Any, JSON]],
        scope: Scope,
        receive: Receive,
        send: Send,
    ) -> None:
        """Answer one request, unless its client goes before.

        Raises:
            RefusedError, EngineError: it cannot be.
        """
        with self.held.share(guest_of(scope)) as held:
            body, size = await self._body(scope, receive, held)
            name = session_name(scope, body)
            with self._use(scope, name, body) as use, meanwhile(disconnected(receive)) as gone:
                model = await unless(gone, self.served.load(use.entry))
                if model is None:
                    return
                bodies.check_size(size, model)
                read = partial(_read, api, model, body)
                asked = await asyncio.to_thread(read) if size > bodies.LARGE else read()
                found = await unless(gone, answer(asked))
        if found is not None:
            await JSONResponse(found)(scope, receive, send)

    async def _count(self, asked: Generation) -> JSON:
        config, template = asked.config, asked.template
        counting = self._engine.count_later(asked.model, asked.messages, config.reasoning, template)
        return {"input_tokens": await self._wait(counting)}

    async def _embed(self, asked: Embedding) -> JSON:
        return written(asked, await self._wait(self._engine.embed_later(asked.model, asked.texts)))

    async def _wait(self, answer: Future[T]) -> T:
        waited = asyncio.wrap_future(answer)
        try:
            return await self.served.ending.unless_over(waited)
        except EngineError as error:
            raise self._explained(error) from None
        finally:
            waited.cancel()


def _operation(
    api: GenerationAPI | ImmediateAPI, answer: Callable[[Scope, Receive, Send], Awaitable[None]]
) -> Operation:
    return Operation(
        "POST", api.path, _Endpoint(answer), api.summary, body=api.body, body_required=True
    )


def _read(api: GenerationAPI | ImmediateAPI, model: Model, body: JSON, *guest: Guest) -> Any:
    try:
        return api.read(body, model, *guest)
    except ValueError as error:
        raise bodies.not_understood(error) from None


async def _watch(receive: Receive, events: Events) -> None:
    await disconnected(receive)
    events.put_nowait(Gone())


async def _whole(
    sessions: Sessions, scope: Scope, name: str | None, body: JSON, size: int
) -> Sent | None:
    """The whole conversation of a request that may send only what is new.

    The body has it afterwards. None without a session.

    Raises:
        RefusedError: 400, `follows` is none; 404 and 409, the session does not know it.
    """
    follows, messages = body.pop("follows", None), body.get("messages")
    if follows is not None:
        try:
            check_digest("follows", follows)
            if name is None:
                raise ValueError("follows goes with a session: name it by session_id")
        except ValueError as error:
            raise bodies.not_understood(error) from None
    if name is None or not isinstance(messages, list):
        return None
    before = Sent() if follows is None else sessions.get(guest_of(scope), name).sent
    join = partial(before.followed, follows, messages, size)
    found = await asyncio.to_thread(join) if size > bodies.LARGE else join()
    body["messages"] = list(found.messages)
    return found
