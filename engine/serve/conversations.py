"""The conversations of requests that name no session, found again by what was said in them."""

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
from engine.serve.auth import LOCAL, Guest
from engine.serve.json_input import chained
from engine.serve.sessions import DIGEST, SessionConfig

log = logging.getLogger(__name__)

KEEP_IDLE = 10.0
"""Seconds that a conversation rests before its cache is written. An agent's tools take less, and a
write for each of its turns would wear the disk."""
KEEP_BUSY = 120.0  # so old may be what is written of one that never rests
MOST_NAMES = 8192  # digests of conversations, and of their beginnings, by which caches are known
BEGINNINGS = 16
"""Of a conversation, by which it is known, too: agents take out of what was said what was a hint
for one turn alone, and people go back."""
LONGEST_DIGESTED = 4 * 2**20
"""Characters of a conversation. A longer one is read again after a restart."""


LOCAL_OWNER = "-"  # who asked without a key
UNKNOWN = "?"  # the owner of what was noted before owners were
_LINE = re.compile(f"(?P<digest>{DIGEST}) (?P<name>{APART}[0-9a-f]{{32}})(?: (?P<owner>[^ ]+))?")


class Names:
    """Under which names the caches of conversations lie on disk, by their digests.

    Each turn adds a line, so that a program that is killed has lost none. A folder that cannot be
    read or written costs what it would have given, and nothing else.

    Args:
        cache: the folder of the engine's caches.
    """

    def __init__(self, cache: Path) -> None:
        self._file = cache / APART / NAMES
        self._names: dict[str, str] = {}  # the least recently noted first
        self._ends: dict[str, str] = {}  # by the name the digest that was noted last
        self._owned: dict[str, set[str]] = {}  # names by the id of their key
        self._owners: dict[str, str] = {}  # and the other way round
        lines: list[str] = []
        try:
            self._make_folder()
            if self._file.is_file():  # a pipe would be waited for
                lines = self._file.read_text("ascii", "replace").replace("\0", "\n").split("\n")
        except OSError as error:
            log.warning("Conversations are not found again after a restart: %s", error.strerror)
        for line in lines:
            if found := _LINE.fullmatch(line):
                self._put(found["digest"], found["name"], found["owner"] or UNKNOWN)
        if len(lines) > 2 * MOST_NAMES:
            with suppress(OSError):
                self._rewrite()

    def find(self, digests: Sequence[str]) -> tuple[str, bool]:
        """The name for the longest of these beginnings of a conversation, the shortest first, and
        whether that is all that lies there; "" where there is none."""
        digest = next((digest for digest in reversed(digests) if digest in self._names), "")
        name = self._names.get(digest, "")
        return name, self._ends.get(name) == digest

    def owned(self, guest: str) -> list[str]:
        """Return the names of a key's conversations, by its id, and of those of unknown keys."""
        return [*self._owned.get(guest or LOCAL_OWNER, ()), *self._owned.get(UNKNOWN, ())]

    def note(self, digests: Sequence[str], name: str, guest: str) -> None:
        """A conversation lies, or will lie, under that name.

        Args:
            digests: of beginnings of it; the last one is that of all.
            guest: the id of its key.
        """
        for digest in digests:
            self._put(digest, name, guest or LOCAL_OWNER)
        try:
            if self._file.parent.is_dir():
                flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_NONBLOCK
                with open(os.open(self._file, flags, 0o600), "ab") as file:
                    file.write(self._listed(digests))
            else:  # somebody has removed it
                self._make_folder()
                self._rewrite()
        except OSError as error:  # it is read again after a restart, and nothing else
            log.info("a conversation is not found again after a restart (%s)", error.strerror)

    def forget(self) -> None:
        """Know none any more. What lies on disk stays there."""
        for known in (self._names, self._ends, self._owned, self._owners):
            known.clear()

    def remove(self, names: Sequence[str]) -> None:
        """Know these no more. Their caches stay on disk, and so do their digests."""
        for name in names:
            self._ends.pop(name, None)
            self._disown(name)
        gone = set(names)
        self._names = {d: name for d, name in self._names.items() if name not in gone}

    def _make_folder(self) -> None:
        for folder in (self._file.parent.parent, self._file.parent):
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)

    def _disown(self, name: str) -> None:
        self._owned.get(self._owners.pop(name, ""), set()).discard(name)

    def _put(self, digest: str, name: str, owner: str) -> None:
        if self._owners.get(name) != owner:
            self._disown(name)
            self._owners[name] = owner
            self._owned.setdefault(owner, set()).add(name)
            if len(self._owners) > MOST_NAMES:
                self._disown(next(iter(self._owners)))
        self._names.pop(digest, None)
        self._names[digest] = name
        self._ends[name] = digest
        if len(self._names) > MOST_NAMES:
            oldest = next(iter(self._names))
            if self._ends.get(gone := self._names.pop(oldest)) == oldest:
                del self._ends[gone]

    def _rewrite(self) -> None:
        part = self._file.with_suffix(".new")
        part.touch(0o600)
        part.write_bytes(self._listed(self._names))
        part.replace(self._file)

    def _listed(self, digests: Iterable[str]) -> bytes:
        """Return lines for digests, with their names and owners.

        Each begins with the end of the one before: that may have been cut by a crash or a full
        disk, and is to cost itself alone. (A machine that lost its power may have left zeros in
        its place.)
        """
        named = ((digest, self._names[digest]) for digest in digests if digest in self._names)
        return "".join(
            f"\n{d} {name} {self._owners.get(name, UNKNOWN)}" for d, name in named
        ).encode()


KEPT = 64
"""Idle sessions of one guest that stay open. What they hold makes room where memory is wanted."""
NEW_SHARE = 4
"""A fourth of them is for conversations that nobody has gone on with: agents ask for titles and
the like beside what they do, and a thousand of those displace no conversation."""
MOST_IDLE = 512  # of all guests. Past that the one who has most loses the least recently used.


class Conversation(Struct, eq=False):
    """A session, and the messages that were said in it."""

    session: Session
    kind: tuple[str, str, SessionConfig]  # the guest, the model, how it works
    messages: list[Message] = field(default_factory=list)
    head: str = ""  # a digest of what other conversations begin with, too; "" for nothing
    begins_as: str = ""  # the id of one on disk that has the same
    losses: int = 0  # of its model's sessions, before it was taken
    kept: bool = False  # given back, and not taken since
    followed: bool = False  # somebody has gone on with it
    written: float = 0.0  # when its cache was written, of `time.monotonic`
    unwritten_since: float | None = None  # when it was given back with what is not on disk


def _head(
    kind: tuple[str, str, SessionConfig], messages: Sequence[Message], tools: Sequence[str]
) -> str:
    """A digest of what an agent's conversations have in common: instructions and tools."""
    system = [m.get("content") or "" for m in messages[:1] if m.get("role") == "system"]
    size = sum(map(len, (*system, *tools)))
    found = chained([[list(tools), system]], repr(kind)) if 0 < size <= LONGEST_DIGESTED else [""]
    return found[0]


def _digests(kind: tuple[str, str, SessionConfig], messages: Sequence[Message]) -> list[str]:
    """Of each beginning of a conversation; none where it is too long."""
    if sum(len(text_of(m.get("content"))) for m in messages) > LONGEST_DIGESTED:
        return []
    said = [{"role": m.get("role"), "content": _named(m.get("content"))} for m in messages]
    return chained(said, repr(kind))


def _named(content: Any) -> Any:
    """A content with the digests of its images and sounds in their place."""
    if not isinstance(content, (list, tuple)):
        return content
    return [
        {**part, part["type"]: medium.digest} if (medium := medium_of(part)) else part
        for part in content
    ]


class Conversations:
    """The sessions of a server. Every method may be called from any thread.

    Args:
        keep: how many idle ones of each guest stay. The least recently used go first. What others
            do closes none of them, unless there are more than `most` in all.
        names: of what lies on disk; None keeps nothing beyond the process.
    """

    def __init__(
        self,
        engine: Engine,
        keep: int = KEPT,
        most: int = MOST_IDLE,
        names: Names | None = None,
    ) -> None:
        self._engine = engine
        self._names = names
        # The ids of sessions that are open, where they have names, and from which others began.
        self._taken: set[str] = set()
        self._begun: set[str] = set()
        self._keep, self._most = keep, most
        self._idle: list[Conversation] = []  # the least recently used first
        self._lock = threading.Lock()
        self._losses: Counter[str | None] = Counter()  # of a model's sessions; None: of all
        self._ended = False

    def take(
        self,
        model: Model,
        messages: Sequence[Message],
        config: SessionConfig,
        guest: Guest = LOCAL,
        tools: Sequence[str] = (),
    ) -> Conversation:
        """A conversation for one request. Nobody else gets it until it is given back.

        One guest's are never found by another, not even by how fast an answer comes.

        Args:
            tools: the names of those that stand at the head of the prompt.

        Raises:
            EngineError: the engine was stopped.
        """
        kind = (guest.id, model.id, config)
        losses = self._lost(model.id)  # one that comes from now on may take this session, too
        found = self._find(kind, messages)
        if found is None:
            head = _head(kind, messages, tools) if self._names is not None else ""
            name, begins_as = self._names_for(kind, messages, head)
            session = config.open(self._engine, model, guest, name, begins_as)
            found = Conversation(session, kind, head=head, begins_as=begins_as)
        else:
            found.followed = True
        found.messages, found.losses = list(messages), losses
        return found

    def give_back(self, conversation: Conversation) -> None:
        """Keep a conversation for its next turn. Its session must be idle.

        May be done again, after a fault or not, before anybody else takes it.
        """
        digests: list[str] = []
        if self._names is not None and not conversation.kept:
            # Not while others wait for the lock: of megabytes it takes milliseconds.
            digests = _digests(conversation.kind, conversation.messages)
        with self._lock:
            if conversation.losses != self._lost(conversation.kind[1]) or self._ended:
                conversation.session.close()
                self._let_go(conversation)
                return
            if not conversation.kept:
                conversation.kept = True
                self._idle.append(conversation)
                self._note(conversation, digests)
            old = self._surplus(conversation.kind[0])
            if old is not None:
                # What nobody has gone on with is worth no write.
                self._drop(old, forget=not old.followed)

    def keep(self) -> None:
        """Have written what has rested for long enough. To be called every second or so."""
        now = time.monotonic()
        with self._lock:
            for one in self._idle:
                since = one.unwritten_since
                if since is not None and (
                    now - since > KEEP_IDLE or (one.written and now - one.written > KEEP_BUSY)
                ):
                    one.session.keep()
                    one.written, one.unwritten_since = now, None

    def _names_for(
        self, kind: tuple[str, str, SessionConfig], messages: Sequence[Message], head: str
    ) -> tuple[str | None, str]:
        """The id of a new session, that under which the conversation was written, if it was; and
        that of one that was written and has the same beginning, or the same head at least, if
        nobody has that in memory."""
        if self._names is None:
            return None, ""
        digests, begins_as = _digests(kind, messages), ""
        with self._lock:
            name, whole = self._names.find(digests)
            if not whole or name in self._taken:
                here, others = {*self._taken, *self._begun}, (name, self._names.find([head])[0])
                begins_as = next((one for one in others if one and one not in here), "")
                name = f"{APART}{uuid.uuid4().hex}"
            self._taken.add(name)
            self._begun.add(begins_as)
        return name, begins_as

    def _note(self, conversation: Conversation, digests: Sequence[str]) -> None:
        if self._names is None:
            return
        conversation.unwritten_since = time.monotonic()
        conversation.written = conversation.written or conversation.unwritten_since
        own, followed = conversation.session.id, conversation.followed
        noted = []
        for beginning in filter(None, (conversation.head, *digests[-BEGINNINGS:-1])):
            known, _ = self._names.find([beginning])
            # What nobody has gone on with may be dropped before others.
            if not known or (followed and known != own):
                noted.append(beginning)
        if noted := [*noted, *digests[-1:]]:
            self._names.note(noted, own, conversation.kind[0])

    def _surplus(self, guest: str) -> Conversation | None:
        """The one that goes, after a guest has given one back; None where all may stay."""
        held = Counter(c.kind[0] for c in self._idle)
        if held[guest] <= self._keep and len(self._idle) <= self._most:
            return None
        whose = guest if held[guest] > self._keep else max(held, key=lambda g: held[g])
        own = [c for c in self._idle if c.kind[0] == whose]
        new = [c for c in own if not c.followed]
        return new[0] if len(new) > len(own) // NEW_SHARE else next(c for c in own if c.followed)

    def clear(self, model_id: str | None = None) -> None:
        """Close all idle ones, or those of a model: the engine has lost their sessions.

        Those that are taken are closed when they are given back.
        """
        with self._lock:
            self._losses[model_id] += 1
        self._close(lambda one: model_id in (None, one.kind[1]))

    def forget(self, guest: str | None = None) -> None:
        """Close all idle ones, or those of a guest, and keep nothing of them."""
        self._close(lambda one: guest in (None, one.kind[0]), forget=True)
        if self._names is None:
            return
        with self._lock:
            if guest is None:
                self._names.forget()
            elif names := self._names.owned(guest):
                with suppress(EngineError):  # of an engine that has stopped; this is done again
                    for name in names:
                        self._engine.forget(name)
                    self._names.remove(names)

    def closed(self, conversation: Conversation) -> None:
        """Take note that the session of one that was taken is closed, and not given back."""
        with self._lock:
            self._let_go(conversation)

    def _let_go(self, conversation: Conversation) -> None:
        self._taken.discard(conversation.session.id)
        self._begun.discard(conversation.begins_as)

    def _close(self, chosen: Callable[[Conversation], bool], forget: bool = False) -> None:
        with self._lock:
            for old in [one for one in self._idle if chosen(one)]:
                self._drop(old, forget)

    def _drop(self, old: Conversation, forget: bool = False) -> None:
        old.session.close(forget)
        self._idle.remove(old)  # what could not be closed is found again
        self._let_go(old)

    def end(self) -> None:
        """Close all, and keep none any more."""
        self._ended = True
        self.clear()

    def _lost(self, model_id: str) -> int:
        """How often the engine has lost sessions of that model."""
        return self._losses[model_id] + self._losses[None]

    def _find(
        self, kind: tuple[str, str, SessionConfig], messages: Sequence[Message]
    ) -> Conversation | None:
        with self._lock:
            best, most = None, 0
            for known in self._idle:
                # A session that would have to forget a turn is left for that turn's client.
                said = known.messages
                if known.kind == kind and len(said) > most and _begins_with(messages, said):
                    best, most = known, len(said)
            if best is not None:
                self._idle.remove(best)
                best.kept = False
            return best


def _begins_with(messages: Sequence[Message], beginning: Sequence[Message]) -> bool:
    """Return True if a conversation begins with these messages.

    The last one is compared first. Agents' conversations have long heads in common.
    """
    if len(beginning) > len(messages):
        return False
    pairs = zip(reversed(beginning), reversed(messages[: len(beginning)]), strict=True)
    return all(
        one.get("role") == other.get("role") and one.get("content") == other.get("content")
        for one, other in pairs
    )
