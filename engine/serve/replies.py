"""The engine's replies to one request, and the list of requests that are answered now.

A prompt is read once, however many answers to it are wanted: the others are forks of the first
one's session, made when that has read the prompt.
"""

from __future__ import annotations

import asyncio
import itertools
import logging
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial

from starlette.types import Scope

from engine.engine import Engine, Session
from engine.errors import EngineError
from engine.hub.names import clean_name
from engine.messages import Event, Failed, Finished, PromptProgress, RawPrompt, TextDelta
from engine.params import SamplingParams
from engine.reply import Reply
from engine.serve.auth import Guest, guest_of
from engine.serve.json_input import line_seed
from engine.serve.places import Place
from engine.serve.routes.base import Generation
from engine.serve.routes.choice import Choice

log = logging.getLogger(__name__)

END_SECONDS = 60.0
"""How long a stopped reply may take to end before its session is given up."""


@dataclass(frozen=True)
class Gone:
    """The client has closed its connection, or the server ends."""

    failed: Failed | None = None


Events = asyncio.Queue[tuple[Choice, Event] | Gone]


@dataclass(eq=False)
class _Part:
    """One choice on its way."""

    choice: Choice
    session: Session
    reply: Reply
    home: Place | None = None  # where it is answered in the request's own place
    ended: bool = False


class Replies:
    """The replies to one request. Lives on the server's event loop.

    Args:
        choices: as many as the request wants, those to one prompt beside each other.
        events: where the replies' events go.
        guest: whose request it is.
    """

    def __init__(
        self,
        engine: Engine,
        generation: Generation,
        choices: list[Choice],
        events: Events,
        guest: Guest,
    ) -> None:
        self._engine = engine
        self._guest = guest
        self._generation = generation
        self._choices = choices
        self._events = events
        self._parts: dict[Choice, _Part] = {}
        self._forked: set[int] = set()  # prompts

    def start(self, place: Place) -> None:
        """Have all prompts read, the first one in that place.

        Raises:
            EngineError: the engine was stopped.
        """
        for number in range(len(self._generation.prompts)):
            choice = self._choices[number * self._generation.n]
            if number == 0:
                self._send(choice, place.session, place)
            else:
                config, model = self._generation.config, self._generation.model
                self._send(choice, config.open(self._engine, model, self._guest))

    def note(self, choice: Choice, event: Event) -> None:
        """Take note of an event before its client hears of it.

        The session is free before the client hears of an end and asks again.
        """
        read = not isinstance(event, PromptProgress) or event.done >= event.total
        if read and not isinstance(event, Failed) and choice.prompt not in self._forked:
            self._forked.add(choice.prompt)
            self._fork(choice)
        if isinstance(event, (Finished, Failed)):
            part = self._parts.get(choice)
            if part is not None and part.reply.done and not part.ended:
                self._end(part, event)

    @property
    def sessions(self) -> tuple[str, ...]:
        """The engine's sessions in which there are answers. May be read from any thread."""
        return tuple(part.session.id for part in list(self._parts.values()) if not part.ended)

    def pause(self, on: bool) -> None:
        """Let all replies stand still, or go on. May be called from any thread."""
        for part in list(self._parts.values()):
            (part.reply.pause if on else part.reply.resume)()

    def cancel(self) -> None:
        """End all replies; their clients get what there is. May be called from any thread."""
        for part in list(self._parts.values()):
            part.reply.cancel()

    def stop(self) -> None:
        """Stop all replies. `later` waits for the end of the one in the request's place.

        Whoever has begun them ends the place afterwards, if it has not been.
        """
        self._close_others()
        for part in self._parts.values():
            if not part.ended:
                part.reply.cancel()

    async def later(self) -> None:
        """Wait for the end of a reply that was stopped. Nobody else gets its session before."""
        part = next((p for p in self._parts.values() if p.home is not None), None)
        if part is None or part.ended:
            return  # it was not begun, or ending it failed
        assert part.home is not None
        part.ended = True
        last: Event | None = None
        if part.reply.done and self._events.empty():  # nothing more comes
            return
        try:
            async with asyncio.timeout(END_SECONDS):
                while not isinstance(last, Finished):
                    if isinstance(last, Failed) and part.reply.done:
                        break
                    told = await self._events.get()
                    if isinstance(told, tuple) and told[0] is part.choice:
                        last = told[1]
        except TimeoutError:
            log.error("a reply that was stopped has not ended after %g seconds", END_SECONDS)
        if isinstance(last, Finished) and self._generation.messages:
            # The client may have read less than was said, so the answer is no part of what is
            # known. The next turn goes on from the question.
            part.home.keep()

    def _send(self, choice: Choice, session: Session, home: Place | None = None) -> None:
        generation = self._generation
        deliver = partial(_hand_over, asyncio.get_running_loop(), self._events, choice)
        prompt = generation.prompts[choice.prompt]
        params = _params(generation.params, choice.index - choice.prompt * generation.n)
        try:
            reply = session.send(prompt, params, deliver, generation.template)
        except BaseException:
            if home is None:
                session.close()
            raise
        self._parts[choice] = _Part(choice, session, reply, home)

    def _fork(self, lead: Choice) -> None:
        session = self._parts[lead].session
        for choice in self._choices[lead.index + 1 : lead.index + self._generation.n]:
            try:
                self._send(choice, session.fork())
            except EngineError as error:
                failed = Failed(session.id, "", error.code, error.message)
                self._events.put_nowait((choice, failed))

    def _end(self, part: _Part, last: Finished | Failed) -> None:
        part.ended = True
        if part.home is None:
            part.session.close()
        elif isinstance(last, Failed):
            part.home.failed(last.code)
        elif isinstance(self._generation.prompts[0], RawPrompt):
            part.home.drop()  # it is no conversation to go on from
        else:
            part.choice.last = last
            part.home.keep(part.choice.said)

    def _close_others(self) -> None:
        for part in self._parts.values():
            if part.home is None and not part.ended:
                part.ended = True
                part.session.close()


def _params(params: SamplingParams, number: int) -> SamplingParams:
    """The settings of one of several answers: the first one is as if it were alone."""
    if params.seed is None or not number:
        return params
    return replace(params, seed=line_seed(params.seed, number))


def _hand_over(
    loop: asyncio.AbstractEventLoop, events: Events, choice: Choice, event: Event
) -> None:
    """Called on the engine thread."""
    try:
        loop.call_soon_threadsafe(events.put_nowait, (choice, event))
    except RuntimeError:
        log.debug("the server has ended meanwhile")


LONGEST_AGENT = 40
"""Characters of what a program calls itself."""
SHOWN_TEXT = 20_000
"""Characters of an answer that are kept to be looked at: its newest."""


@dataclass(frozen=True)
class Seen:
    """A request as it stands.

    Attributes:
        id: names it among the requests of one server.
        who: its key's name, or what the program calls itself.
        session: the session that it named, or "".
        state: "waiting", "reading", "answering" or "paused".
        pieces: pieces of text so far, about one for each token.
        seconds: since it came.
        text: the newest of what was answered, reasoning too.
        engine_sessions: the ids of the engine's sessions in which it is answered.
    """

    id: int
    who: str
    model: str
    session: str
    state: str
    pieces: int
    seconds: float
    text: str
    engine_sessions: tuple[str, ...] = ()


class Visit:
    """One request. The server's thread writes, everybody may read and ask."""

    def __init__(self, number: int, who: str, model: str, session: str) -> None:
        self._number = number
        self._who, self._model, self._session = who, model, session
        self._began = time.monotonic()
        self._replies: Replies | None = None
        self._paused = False
        self._state = "waiting"
        self._text = ""
        self._pieces = 0

    def answered_by(self, replies: Replies) -> None:
        """It has its place."""
        self._replies = replies
        self._state = "reading"
        if self._paused:
            replies.pause(True)

    def note(self, event: Event) -> None:
        """Take note of what its client is told."""
        if isinstance(event, TextDelta):
            self._state = "answering"
            self._pieces += 1
            self._text = (self._text + event.text)[-SHOWN_TEXT:]
        elif isinstance(event, PromptProgress):
            self._state = "reading"

    def pause(self, on: bool) -> None:
        """Let its answers stand still, or go on."""
        self._paused = on
        if self._replies is not None:
            self._replies.pause(on)

    def stop(self) -> None:
        """End its answers: its client gets what there is. One that still waits goes on waiting."""
        if self._replies is not None:
            self._replies.cancel()

    def seen(self) -> Seen:
        """How it stands now."""
        state = "paused" if self._paused else self._state
        seconds = time.monotonic() - self._began
        about = (self._number, self._who, self._model, self._session)
        sessions = self._replies.sessions if self._replies is not None else ()
        return Seen(*about, state, self._pieces, seconds, self._text, sessions)


class Visits:
    """All requests that are answered or wait. Every method may be called from any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._numbers = itertools.count(1)
        self._here: dict[int, Visit] = {}

    @contextmanager
    def begin(self, scope: Scope, model: str, session: str | None) -> Iterator[Visit]:
        """Keep a request among those that are here, until the end of the `with`."""
        number = next(self._numbers)
        visit = Visit(number, _who(scope), model, session or "")
        with self._lock:
            self._here[number] = visit
        try:
            yield visit
        finally:
            with self._lock:
                del self._here[number]

    def all(self) -> list[Seen]:
        """Those that are here, in the order in which they came."""
        with self._lock:
            return [visit.seen() for visit in self._here.values()]

    def get(self, number: int) -> Visit | None:
        """One of them; None when it has gone."""
        with self._lock:
            return self._here.get(number)


def _who(scope: Scope) -> str:
    """The name of the key, else what the program calls itself: "OpenAI/Python 1.2" for instance."""
    named = guest_of(scope).name
    agent = dict(scope["headers"]).get(b"user-agent", b"").decode("latin-1")
    return named or clean_name(agent)[:LONGEST_AGENT] or "A program"
