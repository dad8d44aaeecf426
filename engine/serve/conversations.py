"""Pool of conversations without a session id, matched by their messages."""

from __future__ import annotations

import secrets
import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress

from msgspec import Struct, field

from engine.cache.offload import CLIENT_PREFIX
from engine.engine import Engine, Session
from engine.errors import EngineError
from engine.messages import Message
from engine.model.info import Model
from engine.serve.auth import LOCAL, KeyOwner
from engine.serve.sessions import SessionConfig

WRITE_AFTER_IDLE_S = 10.0
"""Idle time in seconds before a conversation's cache is written to disk. Longer than an agent's
tools usually take, so that not every turn is written.
"""
WRITE_EVERY_S = 120.0  # maximum interval for writing a busy conversation's cache
MAX_IDLE_PER_OWNER = 64
"""Maximum number of idle sessions per owner."""
NEW_DIVISOR = 4
"""Divisor for the share of idle sessions given to conversations that were never continued. Agents
send many one-off requests (e.g. for titles).
"""
# Limit for all owners together. At the limit, the owner with the most sessions loses its least
# recently used session.
MAX_IDLE = 512


class Conversation(Struct, eq=False):
    session: Session
    kind: tuple[str, str, SessionConfig]  # owner id, model id, configuration
    messages: list[Message] = field(default_factory=list)
    losses: int = 0  # the model's loss counter when the conversation was taken from the pool
    is_idle: bool = False  # the conversation is in the pool and not in use
    was_continued: bool = False  # the conversation was continued at least once
    saved_at: float = 0.0  # monotonic time of the last write to disk
    # Monotonic time of the first change that isn't on disk yet.
    unsaved_since: float | None = None


class ConversationPool:
    """Pool of sessions for requests without a session id. Thread-safe.

    Args:
        keep: maximum number of idle sessions per owner.
        keeps_caches: True if the engine keeps conversations on disk.
    """

    def __init__(
        self,
        engine: Engine,
        keep: int = MAX_IDLE_PER_OWNER,
        max_idle: int = MAX_IDLE,
        keeps_caches: bool = False,
    ) -> None:
        self._engine = engine
        self._keeps_caches = keeps_caches
        self._forgotten: set[str] = set()  # owners whose caches on disk were deleted
        self._keep, self._limit = keep, max_idle
        self._idle: list[Conversation] = []  # least recently used first
        self._lock = threading.Lock()
        self._losses: Counter[str | None] = Counter()  # losses by model id; None means all models
        self._closed = False

    def acquire(
        self,
        model: Model,
        messages: Sequence[Message],
        config: SessionConfig,
        owner: KeyOwner = LOCAL,
    ) -> Conversation:
        """Take a conversation that `messages` continue, or open a new session.

        Owners never get each other's conversations, because response times would reveal prompts.
        """
        kind = (owner.id, model.id, config)
        # Read this before the lookup, so that a loss in between also counts for this session.
        losses = self._loss_count(model.id)
        conversation = self._find(kind, messages)
        if conversation is None:
            # The engine finds the start of a conversation on disk. Text completions aren't kept.
            is_kept = self._keeps_caches and messages
            session_id = CLIENT_PREFIX + secrets.token_hex(20) if is_kept else None
            conversation = Conversation(config.open(self._engine, model, owner, session_id), kind)
        else:
            conversation.was_continued = True
        conversation.messages, conversation.losses = list(messages), losses
        return conversation

    def put_back(self, conversation: Conversation) -> None:
        """Return a conversation to the pool. Its session must be idle.

        May be called again (e.g. after an error) until another request has taken the conversation.
        """
        with self._lock:
            if conversation.losses != self._loss_count(conversation.kind[1]) or self._closed:
                conversation.session.close()
                return
            if not conversation.is_idle:
                conversation.is_idle = True
                self._idle.append(conversation)
                conversation.unsaved_since = time.monotonic()
                conversation.saved_at = conversation.saved_at or conversation.unsaved_since
            surplus = self._choose_surplus(conversation.kind[0])
            if surplus is not None:
                # A conversation that was never continued isn't worth writing to disk.
                self._drop(surplus, forget=not surplus.was_continued)

    def save_idle(self) -> None:
        """Write the caches of idle conversations to disk when due. Call about once per second."""
        if not self._keeps_caches:
            return
        now = time.monotonic()
        with self._lock:
            for conversation in self._idle:
                since = conversation.unsaved_since
                if since is not None and (
                    now - since > WRITE_AFTER_IDLE_S
                    or (conversation.saved_at and now - conversation.saved_at > WRITE_EVERY_S)
                ):
                    conversation.session.keep()
                    conversation.saved_at, conversation.unsaved_since = now, None

    def _choose_surplus(self, owner_id: str) -> Conversation | None:
        counts = Counter(c.kind[0] for c in self._idle)
        if counts[owner_id] <= self._keep and len(self._idle) <= self._limit:
            return None
        owner = owner_id if counts[owner_id] > self._keep else max(counts, key=lambda g: counts[g])
        conversations = [c for c in self._idle if c.kind[0] == owner]
        one_shots = [c for c in conversations if not c.was_continued]
        return (
            one_shots[0]
            if len(one_shots) > len(conversations) // NEW_DIVISOR
            else next(c for c in conversations if c.was_continued)
        )

    def clear(self, model_id: str | None = None) -> None:
        """Close the idle sessions (of one model, or all) that the engine has lost.

        Sessions in use are closed when they return to the pool.
        """
        with self._lock:
            self._losses[model_id] += 1
        self._close(lambda conversation: model_id in (None, conversation.kind[1]))

    def forget(self, owner_id: str | None = None) -> None:
        """Close the idle sessions (of one owner, or all) and delete their caches.

        With an owner, this also deletes the caches of conversations that aren't open.
        """
        self._close(lambda conversation: owner_id in (None, conversation.kind[0]), forget=True)
        if self._keeps_caches and owner_id is not None and owner_id not in self._forgotten:
            with suppress(EngineError):  # if the engine is stopped, the caller tries again
                self._engine.forget(domain=KeyOwner(owner_id).domain)
                self._forgotten.add(owner_id)

    def _close(self, is_chosen: Callable[[Conversation], bool], forget: bool = False) -> None:
        with self._lock:
            for entry in [conversation for conversation in self._idle if is_chosen(conversation)]:
                self._drop(entry, forget)

    def _drop(self, conversation: Conversation, forget: bool = False) -> None:
        conversation.session.close(forget)
        self._idle.remove(conversation)  # removed last, to allow a retry if closing fails

    def end(self) -> None:
        """Close all sessions. Sessions that are returned later are closed, too."""
        self._closed = True
        self.clear()

    def _loss_count(self, model_id: str) -> int:
        return self._losses[model_id] + self._losses[None]

    def _find(
        self, kind: tuple[str, str, SessionConfig], messages: Sequence[Message]
    ) -> Conversation | None:
        with self._lock:
            best, longest = None, 0
            for candidate in self._idle:
                # If a session has more turns than this request, leave it for the client that added
                # them.
                sent = candidate.messages
                if candidate.kind == kind and len(sent) > longest and _begins_with(messages, sent):
                    best, longest = candidate, len(sent)
            if best is not None:
                self._idle.remove(best)
                best.is_idle = False
            return best


def _begins_with(messages: Sequence[Message], beginning: Sequence[Message]) -> bool:
    """Return True if a conversation starts with the given messages.

    The comparison runs backwards, because conversations of an agent have long common prefixes.
    """
    if len(beginning) > len(messages):
        return False
    pairs = zip(reversed(beginning), reversed(messages[: len(beginning)]), strict=True)
    return all(
        first.get("role") == second.get("role") and first.get("content") == second.get("content")
        for first, second in pairs
    )
