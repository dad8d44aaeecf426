"""Requests without a session, and the sessions that have read most of their messages already.

A client sends the whole conversation every time. Whichever idle session knows the longest
beginning of it goes on from there, so a second turn reads what is new and nothing else.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from engine.engine import Engine, Session
from engine.messages import Message
from engine.model.info import Model


@dataclass(eq=False)
class _Known:
    """A session, and the conversation that it holds."""

    session: Session
    kind: tuple[str, bool | None]
    messages: list[Message] = field(default_factory=list)


class Conversations:
    """The sessions of a server.

    Args:
        keep: how many idle ones stay; the least recently used go first.
    """

    def __init__(self, engine: Engine, keep: int = 16) -> None:
        self._engine = engine
        self._keep = keep
        self._known: list[_Known] = []  # idle ones, the least recently used first
        self._lock = threading.Lock()

    @contextmanager
    def session(
        self, model: Model, messages: Sequence[Message], reasoning: bool | None
    ) -> Iterator[tuple[Session, list[Message]]]:
        """A session for one request and nobody else meanwhile.

        Yields also the list of what was said in it, to which the answer is to be added.
        """
        known = self._take((model.id, reasoning), messages)
        if known is None:
            session = self._engine.open_session(model, reasoning=reasoning)
            known = _Known(session, (model.id, reasoning))
        known.messages = list(messages)
        try:
            yield known.session, known.messages
        finally:
            self._give_back(known)

    def _take(self, kind: tuple[str, bool | None], messages: Sequence[Message]) -> _Known | None:
        with self._lock:
            best, most = None, 0
            for known in self._known:
                shared = _shared(known.messages, messages)
                # One that would have to forget a turn is left to whoever goes on from it.
                whole = shared == len(known.messages)
                if known.kind == kind and whole and shared > most:
                    best, most = known, shared
            if best is not None:
                self._known.remove(best)
            return best

    def _give_back(self, known: _Known) -> None:
        with self._lock:
            self._known.append(known)
            gone, self._known = self._known[: -self._keep], self._known[-self._keep :]
        for old in gone:
            old.session.close()


def _shared(a: Sequence[Message], b: Sequence[Message]) -> int:
    """With how many equal messages the two begin."""
    count = 0
    for one, other in zip(a, b, strict=False):
        if one.get("role") != other.get("role") or one.get("content") != other.get("content"):
            break
        count += 1
    return count
