"""Pool of conversations without a session id, matched by their messages."""

from __future__ import annotations

import logging
import os
import re
import threading
import time
import uuid
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from msgspec import Struct, field

from engine.cache.offload import APART, NAMES
from engine.engine import Engine, Session
from engine.errors import EngineError
from engine.messages import Message, medium_of, text_of
from engine.model.info import Model
from engine.serve.auth import LOCAL, KeyOwner
from engine.serve.json_input import conversation_digests
from engine.serve.sessions import DIGEST, SessionConfig

log = logging.getLogger(__name__)

WRITE_AFTER_IDLE_S = 10.0
"""Idle time in seconds before a conversation's cache is written to disk. Longer than an agent's
tools usually take, so that not every turn is written.
"""
WRITE_EVERY_S = 120.0  # maximum interval for writing a busy conversation's cache
MAX_NAMES = 8192  # maximum number of digests of conversations and their prefixes
INDEXED_BEGINNINGS = 16
"""Number of prefixes indexed per conversation. Agents remove per-turn hints from earlier messages,
and users go back, so a continuation may branch off before the end.
"""
MAX_DIGESTED_CHARACTERS = 4 * 2**20
"""Maximum characters of a conversation that is found again after a restart."""


LOCAL_OWNER = "-"  # owner of conversations without a key
UNKNOWN = "?"  # owner of entries from before owners were stored
_LINE = re.compile(f"(?P<digest>{DIGEST}) (?P<name>{APART}[0-9a-f]{{32}})(?: (?P<owner>[^ ]+))?")


class ConversationIndex:
    """Index of the conversation caches on disk: digest to cache name.

    Every turn appends a line. If the folder can't be read or written, conversations aren't found
    again after a restart.
    """

    def __init__(self, cache: Path) -> None:
        self._file = cache / APART / NAMES
        self._names: dict[str, str] = {}  # names by digest, least recently added first
        self._ends: dict[str, str] = {}  # latest digest by name
        self._owners: dict[str, str] = {}  # key id by name
        lines: list[str] = []
        try:
            self._make_folder()
            if self._file.is_file():  # reading a named pipe would block
                lines = self._file.read_text("ascii", "replace").replace("\0", "\n").split("\n")
        except OSError as error:
            log.warning("conversations will not be resumed after a restart: %s", error.strerror)
        for line in lines:
            if found := _LINE.fullmatch(line):
                self._add(found["digest"], found["name"], found["owner"] or UNKNOWN)
        if len(lines) > 2 * MAX_NAMES:
            with suppress(OSError):
                self._rewrite()

    def find(self, digests: Sequence[str]) -> tuple[str, bool]:
        """Return the cache name of the longest known prefix, or "".

        The second value is True if the prefix is the entire cached conversation.

        Args:
            digests: digests of the conversation's prefixes, shortest first.
        """
        digest = next((digest for digest in reversed(digests) if digest in self._names), "")
        name = self._names.get(digest, "")
        return name, self._ends.get(name) == digest

    def names_of(self, owner_id: str) -> list[str]:
        owners = (owner_id or LOCAL_OWNER, UNKNOWN)
        return [name for name, owner in self._owners.items() if owner in owners]

    def note(self, digests: Sequence[str], name: str, owner_id: str) -> None:
        """Record the cache name of a conversation.

        Args:
            digests: digests of its prefixes, shortest first.
        """
        for digest in digests:
            self._add(digest, name, owner_id or LOCAL_OWNER)
        try:
            if self._file.parent.is_dir():
                flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_NONBLOCK
                with open(os.open(self._file, flags, 0o600), "ab") as file:
                    file.write(self._listed(digests))
            else:  # the folder was removed
                self._make_folder()
                self._rewrite()
        except OSError as error:  # not fatal, because it only costs a prefill after a restart
            log.info("a conversation will not be resumed after a restart: %s", error.strerror)

    def forget(self) -> None:
        for known in (self._names, self._ends, self._owners):
            known.clear()

    def remove(self, names: Sequence[str]) -> None:
        """Forget the given names. Files and index lines stay on disk."""
        for name in names:
            self._ends.pop(name, None)
            self._owners.pop(name, None)
        removed = set(names)
        self._names = {d: name for d, name in self._names.items() if name not in removed}

    def _make_folder(self) -> None:
        for folder in (self._file.parent.parent, self._file.parent):
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)

    def _add(self, digest: str, name: str, owner: str) -> None:
        self._owners[name] = owner
        if len(self._owners) > MAX_NAMES:
            del self._owners[next(iter(self._owners))]
        self._names.pop(digest, None)
        self._names[digest] = name
        self._ends[name] = digest
        if len(self._names) > MAX_NAMES:
            oldest = next(iter(self._names))
            if self._ends.get(session_id := self._names.pop(oldest)) == oldest:
                del self._ends[session_id]

    def _rewrite(self) -> None:
        part = self._file.with_suffix(".new")
        part.touch(0o600)
        part.write_bytes(self._listed(self._names))
        part.replace(self._file)

    def _listed(self, digests: Iterable[str]) -> bytes:
        """Return digests, names and owners as lines of the index file.

        Each line *starts* with a line break, because a crash or a full disk may have cut off the
        previous line. (After a power failure, it may consist of zeros.)
        """
        named = ((digest, self._names[digest]) for digest in digests if digest in self._names)
        return "".join(
            f"\n{d} {name} {self._owners.get(name, UNKNOWN)}" for d, name in named
        ).encode()


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
    head: str = ""  # digest of the system prompt and tools, or ""
    begins_as: str = ""  # id of the disk cache that the session was started from
    losses: int = 0  # the model's loss counter when the conversation was taken from the pool
    is_idle: bool = False  # the conversation is in the pool and not in use
    was_continued: bool = False  # the conversation was continued at least once
    saved_at: float = 0.0  # monotonic time of the last write to disk
    # Monotonic time of the first change that isn't on disk yet.
    unsaved_since: float | None = None


def _head(
    kind: tuple[str, str, SessionConfig], messages: Sequence[Message], tools: Sequence[str]
) -> str:
    """Return a digest of the instructions and tools that all conversations of an agent share."""
    system = [m.get("content") or "" for m in messages[:1] if m.get("role") == "system"]
    size = sum(map(len, (*system, *tools)))
    found = (
        conversation_digests([[list(tools), system]], repr(kind))
        if 0 < size <= MAX_DIGESTED_CHARACTERS
        else [""]
    )
    return found[0]


def _digests(kind: tuple[str, str, SessionConfig], messages: Sequence[Message]) -> list[str]:
    if sum(len(text_of(m.get("content"))) for m in messages) > MAX_DIGESTED_CHARACTERS:
        return []
    hashed = [{"role": m.get("role"), "content": _with_digests(m.get("content"))} for m in messages]
    return conversation_digests(hashed, repr(kind))


def _with_digests(content: Any) -> Any:
    if not isinstance(content, (list, tuple)):
        return content
    return [
        {**part, part["type"]: medium.digest} if (medium := medium_of(part)) else part
        for part in content
    ]


class ConversationPool:
    """Pool of sessions for requests without a session id. Thread-safe.

    Args:
        keep: maximum number of idle sessions per owner.
        names: index of the caches on disk, or None without a disk.
    """

    def __init__(
        self,
        engine: Engine,
        keep: int = MAX_IDLE_PER_OWNER,
        most: int = MAX_IDLE,
        names: ConversationIndex | None = None,
    ) -> None:
        self._engine = engine
        self._names = names
        # Ids of open named sessions, and of the caches that sessions were started from.
        self._used_names: set[str] = set()
        self._source_names: set[str] = set()
        self._keep, self._limit = keep, most
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
        tools: Sequence[str] = (),
    ) -> Conversation:
        """Take a conversation that `messages` continue, or open a new session.

        Owners never get each other's conversations, because response times would reveal prompts.

        Args:
            tools: names of the tools that come first in the prompt.
        """
        kind = (owner.id, model.id, config)
        # Read this before the lookup, so that a loss in between also counts for this session.
        losses = self._loss_count(model.id)
        found = self._find(kind, messages)
        if found is None:
            head = _head(kind, messages, tools) if self._names is not None else ""
            name, begins_as = self._names_for(kind, messages, head)
            session = config.open(self._engine, model, owner, name, begins_as)
            found = Conversation(session, kind, head=head, begins_as=begins_as)
        else:
            found.was_continued = True
        found.messages, found.losses = list(messages), losses
        return found

    def put_back(self, conversation: Conversation) -> None:
        """Return a conversation whose session is idle to the pool.

        May be called again (e.g. after an error) until another request has taken the conversation.
        """
        digests: list[str] = []
        if self._names is not None and not conversation.is_idle:
            # Hash outside the lock, because hashing megabytes takes milliseconds.
            digests = _digests(conversation.kind, conversation.messages)
        with self._lock:
            if conversation.losses != self._loss_count(conversation.kind[1]) or self._closed:
                conversation.session.close()
                self._release_names(conversation)
                return
            if not conversation.is_idle:
                conversation.is_idle = True
                self._idle.append(conversation)
                self._note(conversation, digests)
            old = self._choose_surplus(conversation.kind[0])
            if old is not None:
                # A conversation that was never continued isn't worth writing to disk.
                self._drop(old, forget=not old.was_continued)

    def save_idle(self) -> None:
        """Write the caches of idle conversations to disk when due. Call about once per second."""
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

    def _names_for(
        self, kind: tuple[str, str, SessionConfig], messages: Sequence[Message], head: str
    ) -> tuple[str | None, str]:
        """Return the id for a new session, and the disk cache to start from ("" for none).

        If the conversation has a cache on disk, its id is reused. Otherwise, the new session
        starts from a cache that shares a prefix, or at least the head, and isn't in use.
        """
        if self._names is None:
            return None, ""
        digests, begins_as = _digests(kind, messages), ""
        with self._lock:
            name, is_whole = self._names.find(digests)
            if not is_whole or name in self._used_names:
                matching, others = (
                    {*self._used_names, *self._source_names},
                    (name, self._names.find([head])[0]),
                )
                begins_as = next((known for known in others if known and known not in matching), "")
                name = f"{APART}{uuid.uuid4().hex}"
            self._used_names.add(name)
            self._source_names.add(begins_as)
        return name, begins_as

    def _note(self, conversation: Conversation, digests: Sequence[str]) -> None:
        if self._names is None:
            return
        conversation.unsaved_since = time.monotonic()
        conversation.saved_at = conversation.saved_at or conversation.unsaved_since
        session_id, followed = conversation.session.id, conversation.was_continued
        noted = []
        for beginning in filter(None, (conversation.head, *digests[-INDEXED_BEGINNINGS:-1])):
            known, _ = self._names.find([beginning])
            # Conversations that were never continued are dropped first, so prefer the others.
            if not known or (followed and known != session_id):
                noted.append(beginning)
        if noted := [*noted, *digests[-1:]]:
            self._names.note(noted, session_id, conversation.kind[0])

    def _choose_surplus(self, owner_id: str) -> Conversation | None:
        counts = Counter(c.kind[0] for c in self._idle)
        if counts[owner_id] <= self._keep and len(self._idle) <= self._limit:
            return None
        owner = owner_id if counts[owner_id] > self._keep else max(counts, key=lambda g: counts[g])
        conversations = [c for c in self._idle if c.kind[0] == owner]
        new = [c for c in conversations if not c.was_continued]
        return (
            new[0]
            if len(new) > len(conversations) // NEW_DIVISOR
            else next(c for c in conversations if c.was_continued)
        )

    def clear(self, model_id: str | None = None) -> None:
        """Close the idle sessions (of one model, or all) that the engine has lost.

        Sessions in use are closed when they return to the pool.
        """
        with self._lock:
            self._losses[model_id] += 1
        self._close(lambda one: model_id in (None, one.kind[1]))

    def forget(self, owner_id: str | None = None) -> None:
        """Close the idle sessions (of one owner, or all) and delete their caches."""
        self._close(lambda one: owner_id in (None, one.kind[0]), forget=True)
        if self._names is None:
            return
        with self._lock:
            if owner_id is None:
                self._names.forget()
            elif names := self._names.names_of(owner_id):
                with suppress(EngineError):  # if the engine is stopped, the caller tries again
                    for name in names:
                        self._engine.forget(name)
                    self._names.remove(names)

    def forget_closed(self, conversation: Conversation) -> None:
        """Forget a conversation in use that was closed and won't be returned."""
        with self._lock:
            self._release_names(conversation)

    def _release_names(self, conversation: Conversation) -> None:
        self._used_names.discard(conversation.session.id)
        self._source_names.discard(conversation.begins_as)

    def _close(self, chosen: Callable[[Conversation], bool], forget: bool = False) -> None:
        with self._lock:
            for old in [conversation for conversation in self._idle if chosen(conversation)]:
                self._drop(old, forget)

    def _drop(self, old: Conversation, forget: bool = False) -> None:
        old.session.close(forget)
        self._idle.remove(old)  # removed last, to allow a retry if closing fails
        self._release_names(old)

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
            best, most = None, 0
            for known in self._idle:
                # If a session has more turns than this request, leave it for the client that added
                # them.
                sent = known.messages
                if known.kind == kind and len(sent) > most and _begins_with(messages, sent):
                    best, most = known, len(sent)
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
