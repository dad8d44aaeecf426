"""The requests that are answered or wait now: to be shown, paused, stopped, and ended early."""

from __future__ import annotations

import itertools
import threading
import time
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Protocol

import anyio
from starlette.types import Scope

from engine.hub.names import clean_name
from engine.messages import Event, PromptProgress, TextDelta
from engine.serve.auth import guest_of

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


class Answers(Protocol):
    """What is generated for a request. Every method may be called from any thread."""

    @property
    def sessions(self) -> tuple[str, ...]: ...

    def pause(self, on: bool) -> None: ...

    def cancel(self) -> None: ...


class Request:
    """One request. The server's thread writes, every thread may read, pause and stop.

    Attributes:
        guest: the id of its key.
        model: the name of its model, "" until that is loaded.
        session: the session that it names, or "".
        cancel_scope: of its coroutine.
        error: why it was ended before its answer was; None where its client has gone.
    """

    def __init__(self, number: int, scope: Scope) -> None:
        self._number = number
        self._began = time.monotonic()
        named = guest_of(scope)
        agent = dict(scope["headers"]).get(b"user-agent", b"").decode("latin-1")
        self._who = named.name or clean_name(agent)[:LONGEST_AGENT] or "A program"
        self._answers: Answers | None = None
        self._paused = False
        self._state = "waiting"
        self._text = ""
        self._pieces = 0
        self.guest = named.id
        self.model = self.session = ""
        self.cancel_scope = anyio.CancelScope()
        self.error: Exception | None = None

    def end(self, error: Exception | None = None) -> None:
        """End it now: its client has gone, or hears this error. For the server's thread."""
        self.error = self.error or error
        self.cancel_scope.cancel()

    def answered_by(self, answers: Answers) -> None:
        """It waits no more."""
        self._answers = answers
        self._state = "reading"
        if self._paused:
            answers.pause(True)

    def note(self, event: Event) -> None:
        """Take note of what its client hears."""
        if isinstance(event, TextDelta):
            self._state = "answering"
            self._pieces += 1
            self._text = (self._text + event.text)[-SHOWN_TEXT:]
        elif isinstance(event, PromptProgress):
            self._state = "reading"

    def pause(self, on: bool) -> None:
        """Let its answers stand still, or go on."""
        self._paused = on
        if self._answers is not None:
            self._answers.pause(on)

    def stop(self) -> None:
        """End its answers: its client gets what there is. One that waits goes on waiting."""
        if self._answers is not None:
            self._answers.cancel()

    def seen(self) -> Seen:
        """How it stands now."""
        return Seen(
            self._number,
            self._who,
            self.model,
            self.session,
            "paused" if self._paused else self._state,
            self._pieces,
            time.monotonic() - self._began,
            self._text,
            self._answers.sessions if self._answers is not None else (),
        )


class Requests:
    """All requests for models. `all` and `get` may be called from any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._numbers = itertools.count(1)
        self._here: dict[int, Request] = {}

    @contextmanager
    def begin(self, scope: Scope) -> Iterator[Request]:
        """A request, until the end of the `with`."""
        number = next(self._numbers)
        request = Request(number, scope)
        with self._lock:
            self._here[number] = request
        try:
            yield request
        finally:
            with self._lock:
                del self._here[number]

    def end(self, error: Exception, guests: Collection[str] | None = None) -> None:
        """End all of them, or those of some keys by their ids. For the server's thread."""
        with self._lock:
            ended = [r for r in self._here.values() if guests is None or r.guest in guests]
        for request in ended:
            request.end(error)

    def all(self) -> list[Seen]:
        """Those whose models are loaded, in the order in which they came."""
        with self._lock:
            return [request.seen() for request in self._here.values() if request.model]

    def get(self, number: int) -> Request | None:
        """One of them; None when it has gone."""
        with self._lock:
            return self._here.get(number)
