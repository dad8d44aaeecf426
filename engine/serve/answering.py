"""From a request's body to the engine, and from the replies' events to the client."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Collection, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol

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
from engine.serve.routes.base import Asked, Door, Operation, Telling, encoded
from engine.serve.routes.choice import Choice
from engine.serve.sessions import Sessions, Told, check_digest


class Client:
    """Tells one client of the events of its answer.

    Args:
        door: the shape of errors.
        telling: the shape of answers.
        stream: tell of each event as it comes, and not of the whole answer at its end.
        headers: of the answer, beside its own.
    """

    def __init__(
        self,
        send: Send,
        door: Door,
        telling: Telling,
        stream: bool,
        headers: Sequence[tuple[bytes, bytes]] = (),
    ) -> None:
        self._send = send
        self._door = door
        self._telling = telling
        self._stream = stream
        self._headers = headers
        self._begun = False
        self._opened = False

    async def __call__(self, choice: Choice, event: Event) -> None:
        """Tell of one event of a choice.

        Raises:
            EngineError: the answer has failed, and nothing was told yet.
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
                content = encoded(self._telling.whole())
                length = (b"content-length", str(len(content)).encode())
                await self._head(b"application/json", length)
                await self._write(content, more=False)
            return
        told = [self._telling.piece(choice, piece) for piece in pieces]
        if not self._opened:
            self._opened = True
            told.insert(0, self._telling.begin())
        if isinstance(event, Finished):
            told.append(self._telling.ended(choice))
        if self._all_ended:
            told.append(self._telling.end())
        if not self._begun:
            await self._begin_stream()
        if data := b"".join(told):
            await self._write(data, more=not self._all_ended)
        if isinstance(event, PromptProgress):
            await self.comment(f"read {event.done} of {event.total} tokens")

    @property
    def _all_ended(self) -> bool:
        return all(choice.last is not None for choice in self._telling.choices)

    async def comment(self, text: str) -> None:
        """Tell a streaming client something that is no part of the answer.

        Clients skip lines that begin with a colon. People who watch the stream read them.
        """
        if not self._stream:
            return
        if not self._begun:
            await self._begin_stream()
        await self._write(f": {text}\n\n".encode())

    async def refused(self, error: Exception) -> bool:
        """Tell of an error within a stream that has begun. False: it has not."""
        if self._begun:
            await self._write(self._telling.failed(body_of(self._door, error)[1]), more=False)
        return self._begun

    async def _begin_stream(self) -> None:
        await self._head(b"text/event-stream; charset=utf-8", (b"cache-control", b"no-store"))

    async def _head(self, kind: bytes, *more: tuple[bytes, bytes]) -> None:
        self._begun = True
        headers = [(b"content-type", kind), *self._headers, *more]
        await self._send({"type": "http.response.start", "status": 200, "headers": headers})

    async def _write(self, data: bytes, more: bool = True) -> None:
        await self._send({"type": "http.response.body", "body": data, "more_body": more})


class Shape(Protocol):
    """Whoever gives errors a shape."""

    def error(self, status: int, code: str, message: str) -> dict[str, Any]:
        """An error in that shape."""


def body_of(door: Shape, error: Exception) -> tuple[int, dict[str, Any]]:
    """An error's status, and its words in a door's shape."""
    status, told = errors.body_of(error)
    return status, door.error(status, told["error"]["code"], told["error"]["message"])


def refusal(door: Shape, error: Exception) -> JSONResponse:
    """The response for an error, in a door's shape."""
    status, told = body_of(door, error)
    return JSONResponse(told, status, errors.headers_of(status, error))


async def recalled(
    sessions: Sessions, scope: Scope, name: str | None, body: dict[str, Any], size: int
) -> Told | None:
    """The whole conversation of a request, whose body has it afterwards; None without a session.

    Args:
        name: of the session that the request names.
        size: bytes of the request.

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
    before = Told() if follows is None else sessions.get(guest_of(scope), name).told
    join = partial(before.followed, follows, messages, size)
    found = await asyncio.to_thread(join) if size > bodies.LARGE else join()
    body["messages"] = list(found.messages)
    return found


def remember(sessions: Sessions, scope: Scope, name: str | None, told: Told | None) -> None:
    """The session has been told this: a next request may go on from it."""
    named = sessions.find(guest_of(scope), name) if name else None
    if named is not None and told is not None:
        named.told = told.kept


ENDING = "The server is ending."
REVOKED = "This key was revoked."
UNLOADED = "The model was unloaded meanwhile. Ask again in a moment, and it is loaded again."


@dataclass(frozen=True)
class _Request:
    """One request whose body has been read.

    Attributes:
        size: bytes of its body.
        large: its body is, or what it goes on from.
        name: of the session that it asks for.
        events: what is to be told of its replies.
        told: the conversation that the session is told.
    """

    door: Door
    scope: Scope
    send: Send
    body: dict[str, Any]
    size: int
    large: bool
    name: str | None
    events: Events
    told: Told | None


class Answering:
    """Answers requests at all doors.

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

    def route(self, door: Door) -> Operation:
        """The route to a door."""
        at = _At(self, door)
        return Operation(
            "POST", door.path, at, door.about, table=door.table, must=True, names_session=True
        )

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

    async def body(
        self, scope: Scope, receive: Receive, held: Callable[[int], None]
    ) -> tuple[dict[str, Any], int]:
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

    def use(self, scope: Scope, session: str | None, body: dict[str, Any]) -> Use:
        """Use the model that a request names, else that of its session, else the first one.

        Raises:
            RefusedError, EngineError: there is no such model.
        """
        name = body.get("model")
        if not isinstance(name, (str, type(None))):
            raise bodies.not_understood(ValueError(f"model must be a text, not {name!r}"))
        known = None if name else self._places.model_of(scope, session)
        return self.served.use(known or name, guest_of(scope))

    async def answer(self, door: Door, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request.

        Raises:
            RefusedError, EngineError: it cannot be, and nothing has been told.
        """
        events: Events = asyncio.Queue()
        with self.held.share(guest_of(scope)) as held:
            body, size = await self.body(scope, receive, held)
            name, told = session_name(scope, body), None
            if "follows" in door.table.kinds:
                told = await recalled(self._places.sessions, scope, name, body, size)
            large = max(size, told.size if told else 0) > bodies.LARGE
            self._here[events] = guest_of(scope).id
            request = _Request(door, scope, send, body, size, large, name, events, told)
            try:
                await self._until_told(request, receive)
            finally:
                del self._here[events]

    async def _until_told(self, request: _Request, receive: Receive) -> None:
        with meanwhile(_watch(receive, request.events)) as watch:
            while True:
                try:
                    return await self._answer(request, watch)
                except AnotherModelError:
                    # Somebody has made the session meanwhile. Its model is that of those
                    # who name none.
                    if request.body.get("model"):
                        raise

    async def _answer(self, request: _Request, watch: asyncio.Future[None]) -> None:
        door, scope, name, events = request.door, request.scope, request.name, request.events
        with self.use(scope, name, request.body) as use:
            model = await unless(watch, self.served.load(use.entry))
            if model is None:
                return
            bodies.check_size(request.size, model)
            read = partial(_understood, door, model, request.body, guest_of(scope))
            asked = await asyncio.to_thread(read) if request.large else read()
            choices = [
                Choice(number, bool(asked.params.offered), asked.stream, number // asked.n)
                for number in range(asked.n * len(asked.prompts))
            ]
            count_answers(scope, len(choices))
            told = request.told.headers if request.told else ()
            tell = Client(request.send, door, door.telling(asked, choices), asked.stream, told)
            replies = Replies(self._engine, asked, choices, events, guest_of(scope))
            with self.visits.begin(scope, model.name, name) as visit:
                # The place is taken here and nowhere else.
                taking = self._places.take(
                    scope,
                    name,
                    use,
                    model,
                    asked.messages,
                    asked.manner,
                    tell.comment,
                    len(choices),
                )
                try:
                    place = await unless(watch, taking, Place.surely_end)
                except (RefusedError, EngineError) as error:
                    if await tell.refused(error):
                        return
                    raise
                if place is None:
                    return
                remember(self._places.sessions, scope, name, request.told)
                try:
                    replies.start(place)
                    visit.answered_by(replies)
                    async for choice, event in self._told(events, len(choices)):
                        replies.note(choice, event)
                        visit.note(event)
                        await tell(choice, event)
                finally:
                    self._leave(replies, place)

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

    async def _told(self, events: Events, left: int) -> AsyncIterator[tuple[Choice, Event]]:
        """The replies' events until all have ended, one has failed, or the client has gone."""
        clocks = {}
        anybody = Choice(0)
        while left:
            told = await events.get()
            if isinstance(told, Gone):
                if told.failed is not None:
                    yield anybody, told.failed
                return
            choice, event = told
            if choice not in clocks:
                clocks[choice] = self._metrics.reply()
            clocks[choice].note(event)
            if isinstance(event, Failed):
                why = self.explained(EngineError(event.code, event.message))
                yield choice, Failed(event.session_id, event.reply_id, why.code, why.message)
                return
            if isinstance(event, Finished):
                left -= 1
            yield choice, event

    def explained(self, error: EngineError) -> EngineError:
        """An error as clients are told it.

        Where the engine has lost models, it is looked which: they are loaded again.
        """
        if error.code not in (ENGINE_STOPPED, UNKNOWN_MODEL) or self.ending:
            return error
        self.served.lost()
        if error.code == UNKNOWN_MODEL:
            return EngineError(MODEL_UNLOADED, UNLOADED)
        return EngineError(ENGINE_STOPPED, BROKE_DOWN)


class _At:
    """A door as an ASGI application."""

    def __init__(self, answering: Answering, door: Door) -> None:
        self._answering = answering
        self._door = door

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await self._answering.answer(self._door, scope, receive, send)
        except (RefusedError, EngineError) as error:
            await refusal(self._door, error)(scope, receive, send)


def _understood(door: Door, model: Model, body: dict[str, Any], guest: Guest) -> Asked:
    try:
        return door.read(body, model, guest)
    except ValueError as error:
        raise bodies.not_understood(error) from None


async def _watch(receive: Receive, events: Events) -> None:
    await disconnected(receive)
    events.put_nowait(Gone())
