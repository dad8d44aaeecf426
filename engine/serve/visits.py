"""Who is being answered now, for the person whose machine it is: seen, paused and stopped there."""

from __future__ import annotations

import itertools
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from starlette.types import Scope

from engine.hub.names import clean_name
from engine.messages import Event, PromptProgress, TextDelta
from engine.serve.guests import guest_of
from engine.serve.replies import Replies

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
