"""Requests without a session, and the sessions that have read most of their messages already.

A client sends the whole conversation every time. The idle session that knows the longest
beginning of it answers. A second turn then reads only what is new.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from engine.engine import Engine, Session
from engine.messages import Message
from engine.model.info import Model
from engine.serve.guests import LOCAL, Guest
from engine.serve.sessions import Manner

KEPT = 16
"""Idle sessions of one guest that stay open."""
MOST_KEPT = 256
"""Of all guests. Past that the one who has most loses the least recently used."""


@dataclass(eq=False)
class Conversation:
    """A session, and the messages that were said in it."""

    session: Session
    kind: tuple[str, str, Manner]  # the guest, the model, how it works
    messages: list[Message] = field(default_factory=list)
    losses: int = 0  # of its model's sessions, before it was taken


class Conversations:
    """The sessions of a server. Every method may be called from any thread.

    Args:
        keep: how many idle ones of each guest stay. The least recently used go first. What others
            do closes none of them, unless there are more than `most` in all.
    """

    def __init__(self, engine: Engine, keep: int = KEPT, most: int = MOST_KEPT) -> None:
        self._engine = engine
        self._keep, self._most = keep, most
        self._idle: list[Conversation] = []  # the least recently used first
        self._lock = threading.Lock()
        self._losses: Counter[str | None] = Counter()  # of a model's sessions; None: of all
        self._ended = False

    def take(
        self, model: Model, messages: Sequence[Message], manner: Manner, guest: Guest = LOCAL
    ) -> Conversation:
        """A conversation for one request. Nobody else gets it until it is given back.

        One guest's are never found by another, not even by how fast an answer comes.

        Raises:
            EngineError: the engine was stopped.
        """
        kind = (guest.id, model.id, manner)
        losses = self._lost(model.id)  # one that comes from now on may take this session, too
        found = self._find(kind, messages)
        if found is None:
            found = Conversation(manner.open(self._engine, model, guest), kind)
        found.messages, found.losses = list(messages), losses
        return found

    def give_back(self, conversation: Conversation) -> None:
        """Keep a conversation for its next turn. Its session must be idle."""
        with self._lock:
            if conversation.losses == self._lost(conversation.kind[1]) and not self._ended:
                self._idle.append(conversation)
                old = self._surplus(conversation.kind[0])
                if old is not None:
                    self._idle.remove(old)
            else:
                old = conversation
        if old is not None:
            old.session.close()

    def _surplus(self, guest: str) -> Conversation | None:
        """The one that goes, after a guest has given one back; None where all may stay."""
        held = Counter(c.kind[0] for c in self._idle)
        if held[guest] <= self._keep and len(self._idle) <= self._most:
            return None
        whose = guest if held[guest] > self._keep else max(held, key=lambda g: held[g])
        return next(c for c in self._idle if c.kind[0] == whose)

    def clear(self, model_id: str | None = None) -> None:
        """Close all idle ones, or those of a model: the engine has lost their sessions.

        Those that are taken are closed when they are given back.
        """
        with self._lock:
            self._losses[model_id] += 1
            gone = [c for c in self._idle if model_id in (None, c.kind[1])]
            self._idle = [c for c in self._idle if c not in gone]
        for old in gone:
            old.session.close()

    def forget(self, guest: str) -> None:
        """Close all idle ones of a guest."""
        with self._lock:
            gone = [c for c in self._idle if c.kind[0] == guest]
            self._idle = [c for c in self._idle if c not in gone]
        for old in gone:
            old.session.close()

    def end(self) -> None:
        """Close all, and keep none any more."""
        self._ended = True
        self.clear()

    def _lost(self, model_id: str) -> int:
        """How often the engine has lost sessions of that model."""
        return self._losses[model_id] + self._losses[None]

    def _find(
        self, kind: tuple[str, str, Manner], messages: Sequence[Message]
    ) -> Conversation | None:
        with self._lock:
            best, most = None, 0
            for known in self._idle:
                shared = _shared(known.messages, messages)
                # A session that would have to forget a turn is left for that turn's client.
                whole = shared == len(known.messages)
                if known.kind == kind and whole and shared > most:
                    best, most = known, shared
            if best is not None:
                self._idle.remove(best)
            return best


def _shared(a: Sequence[Message], b: Sequence[Message]) -> int:
    """With how many equal messages the two begin."""
    count = 0
    for one, other in zip(a, b, strict=False):
        if one.get("role") != other.get("role") or one.get("content") != other.get("content"):
            break
        count += 1
    return count
