"""The sessions in which requests are answered: those that clients name, and all others.

Whether there is a place for a request is decided before the first byte of its answer. Requests of
one session follow each other; all together wait in one queue.
"""

from __future__ import annotations

import logging
import os
import re
import threading
import time
import uuid
from collections import Counter
from collections.abc import AsyncIterator, Callable, Collection, Iterable, Sequence
from contextlib import ExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, field, fields, replace
from functools import partial
from pathlib import Path
from typing import Any, Protocol

from starlette.types import Scope

from engine.cache.offload import APART, NAMES
from engine.engine import Engine, Session
from engine.errors import (
    CAPACITY_EXHAUSTED,
    ENGINE_STOPPED,
    INTERNAL_ERROR,
    SESSION_CLOSED,
    UNKNOWN_MODEL,
    UNSUPPORTED_SESSION,
    EngineError,
)
from engine.messages import Failed, Finished, Message, Overflow, medium_of, text_of
from engine.model.info import Model
from engine.serve.auth import LOCAL, Guest, Settings, Sharing
from engine.serve.errors import MODEL_UNLOADED, RefusedError
from engine.serve.json_input import chained
from engine.serve.queue import Queue, Report, Ticket
from engine.serve.requests import Answers

UNKNOWN = "conversation_unknown"
HEADER = b"x-stretto-conversation"
"""Of an answer in a session: the digest of the whole conversation that is answered."""
MOST_KEPT = 4 * 2**20
"""Bytes of a request whose conversation is kept. A longer one is sent whole every time."""
DIGEST = "[0-9a-f]{64}"


def check_digest(name: str, value: object) -> None:
    if not isinstance(value, str) or not re.fullmatch(DIGEST, value):
        raise ValueError(f"{name} is no digest of 64 small hexadecimal digits")


@dataclass(frozen=True)
class Sent:
    """A conversation as its client has sent it.

    Attributes:
        messages: all of them.
        digests: of each beginning, as many as there are messages.
        size: bytes of the requests in which they came.
    """

    messages: tuple[Any, ...] = ()
    digests: tuple[str, ...] = ()
    size: int = 0

    def followed(self, follows: str | None, messages: Sequence[Any], size: int) -> Sent:
        """The conversation that these messages go on, and they.

        Args:
            follows: the digest of the beginning; None where they are the whole conversation.
            size: bytes of their request.

        Raises:
            RefusedError: 409, no beginning of this conversation has that digest.
        """
        if follows is None:
            return Sent(tuple(messages), tuple(chained(messages)), size)
        if follows not in self.digests:
            raise RefusedError(
                409,
                "The session does not know the messages that follows names. "
                "Send the whole conversation, without follows.",
                UNKNOWN,
            )
        count = self.digests.index(follows) + 1
        return Sent(
            (*self.messages[:count], *messages),
            (*self.digests[:count], *chained(messages, follows)),
            self.size + size,
        )

    @property
    def headers(self) -> tuple[tuple[bytes, bytes], ...]:
        """By which the client knows that its conversation is the one that is answered."""
        return ((HEADER, self.digests[-1].encode()),) if self.digests else ()

    @property
    def kept(self) -> Sent:
        """What a session keeps of it: all or nothing."""
        return self if self.size <= MOST_KEPT else Sent()


log = logging.getLogger(__name__)

LONGEST_NAME = 128
SESSION_NAME = rf"[A-Za-z0-9][A-Za-z0-9._:@=+-]{{0,{LONGEST_NAME - 1}}}"
"""A session's name, as a regular expression."""
SESSION_NAME_RULE = (
    f"must be 1 to {LONGEST_NAME} letters, digits and . _ : @ = + -, "
    "the first one a letter or digit"
)
SESSION_NOT_FOUND = "session_not_found"
SESSION_EXISTS = "session_exists"
KEY_SHARE = 3
"""One of several keys leaves a third of what it has itself: sessions are kept, and not queued."""
RETRY_SECONDS = 5
"""What `Retry-After` says where no session's end is known."""


@dataclass(frozen=True)
class SessionConfig:
    """How a session works. None is the model's own way, or that of the session as it is.

    Attributes: those of `Engine.open_session`.
    """

    system: str | None = None
    reasoning: bool | None = None
    reproducible: bool | None = None
    on_overflow: Overflow | None = None
    kv_bits: int | None = None

    def with_(self, asked: SessionConfig) -> SessionConfig:
        """This one, with what was asked for."""
        names = [f.name for f in fields(asked) if getattr(asked, f.name) is not None]
        return replace(self, **{name: getattr(asked, name) for name in names})

    def open(
        self,
        engine: Engine,
        model: Model,
        guest: Guest,
        session_id: str | None = None,
        begins_as: str = "",
    ) -> Session:
        """A new session of the engine, of that guest; with an id its cache is kept on disk.

        Args: as of `Engine.open_session`.
        """
        return engine.open_session(
            model,
            session_id,
            system=self.system,
            reproducible=bool(self.reproducible),
            reasoning=self.reasoning,
            on_overflow=self.on_overflow or "refuse",
            kv_bits=self.kv_bits,
            domain=guest.domain,
            begins_as=begins_as,
        )


@dataclass(eq=False)
class Named:
    """A session with a name.

    Attributes:
        ttl: seconds without use after which it is freed; 0 keeps it.
        session: the engine's, None until it is needed, and after the engine has lost it.
        queue: its requests, one at a time.
        ticket: of its request that is answered or next, in the queue of all requests.
        made: when, in seconds since 1970.
        sent: the conversation that it was asked last.
        answers: what is generated in it; None while nothing is.
    """

    guest: Guest
    name: str
    model: Model
    config: SessionConfig
    ttl: float
    session: Session | None = None
    queue: Queue = field(default_factory=lambda: Queue(1))
    made: float = field(default_factory=time.time)
    ticket: Ticket | None = None
    freed: bool = False
    sent: Sent = field(default_factory=Sent)
    answers: Answers | None = None

    @property
    def used(self) -> float:
        """When it was used last, of `time.monotonic`."""
        return self.queue.left

    @property
    def idle_seconds(self) -> float:
        """How long nobody has used it."""
        return 0.0 if self.queue.busy else time.monotonic() - self.used

    def steer(self) -> None:
        """End what it answers where that is whole; who waits for it is next, and reads on."""
        if self.answers is not None:
            self.answers.cancel(whole=True)

    def gone(self) -> EngineError:
        """The error for those who waited for it."""
        return EngineError(SESSION_CLOSED, "The session was freed.")

    def close(self) -> None:
        """Let go of what the engine keeps for it."""
        if self.session is not None:
            self.session.close()
            self.session = None


class Sessions:
    """All named sessions of a server. Lives on the server's event loop.

    Attributes:
        evicted: how many had to make room so far.
    """

    def __init__(self, engine: Engine, settings: Settings, sharing: Sharing | None = None) -> None:
        self._engine = engine
        self._settings = settings
        self._sharing = sharing or Sharing()
        self._named: dict[tuple[str, str], Named] = {}
        self.evicted = 0

    def __len__(self) -> int:
        return len(self._named)

    def find(self, guest: Guest, name: str) -> Named | None:
        """A guest's session of that name."""
        self.free_old()
        return self._named.get((guest.id, name))

    def get(self, guest: Guest, name: str) -> Named:
        """As `find`.

        Raises:
            RefusedError: 404.
        """
        found = self.find(guest, name)
        if found is None:
            raise RefusedError(404, f"There is no session {name!r}.", SESSION_NOT_FOUND)
        return found

    def all(self) -> list[Named]:
        """Those of all guests."""
        return list(self._named.values())

    def of(self, guest: Guest) -> list[Named]:
        """A guest's sessions, the oldest first."""
        self.free_old()
        return [named for named in self._named.values() if named.guest.id == guest.id]

    def make(
        self,
        guest: Guest,
        name: str,
        model: Model,
        config: SessionConfig,
        ttl: float | None = None,
        spared: Named | None = None,
    ) -> Named:
        """A new session. The engine opens it when it is first used.

        Args:
            spared: is not evicted for this one.

        Raises:
            RefusedError: 409 when there is one of that name, 429 when there is no place.
        """
        if self.find(guest, name) is not None:
            raise RefusedError(409, f"There is a session {name!r} already.", SESSION_EXISTS)
        self._make_room(guest, spared)
        ttl = self._settings.session_ttl if ttl is None else ttl
        made = self._named[(guest.id, name)] = Named(guest, name, model, config, ttl)
        return made

    def fork(self, guest: Guest, name: str, twin: str | None) -> Named:
        """A session that knows what another knows.

        Raises:
            RefusedError: as `get` and `make`.
        """
        source = self.get(guest, name)
        name = twin or uuid.uuid4().hex
        made = self.make(guest, name, source.model, source.config, source.ttl, source)
        made.sent = source.sent
        if source.session is not None:
            try:
                made.session = source.session.fork()
            except EngineError:
                self._free(made)
                raise
        return made

    def open(self, named: Named) -> Session:
        """A new session of the engine, as a named one wants it."""
        return named.config.open(self._engine, named.model, named.guest)

    def delete(self, guest: Guest, name: str) -> None:
        """Free a session; what it answers is stopped.

        Raises:
            RefusedError: 404.
        """
        self._free(self.get(guest, name))

    def forget(self, guests: Collection[str]) -> None:
        """Free all sessions of guests, by their ids; what these answer is stopped."""
        for named in self.all():
            if named.guest.id in guests:
                self._free(named)

    def free_old(self) -> None:
        """Free the sessions that nobody has used for longer than they were to be kept."""
        for named in list(self._named.values()):
            if named.ttl and named.idle_seconds > named.ttl:
                self._free(named)

    def clear(self, of_model: Callable[[Model], bool] = lambda _: True) -> None:
        """Let go of the engine's sessions: it has lost them. They are opened again when used."""
        for named in self._named.values():
            if of_model(named.model):
                named.close()

    def _make_room(self, guest: Guest, spared: Named | None) -> None:
        evict, of = self._settings.policy == "evict", Counter(n.guest.id for n in self.all())
        left = self._settings.sessions - len(self._named)
        if left > 0:
            mine = of[guest.id]
            if not evict and mine and not self._sharing.may_have((mine + 1) / KEY_SHARE, left):
                raise self._sharing.refused("the sessions")
            return
        idle = [n for n in self._named.values() if not n.queue.busy and n is not spared]
        if evict and idle:
            fair = self._sharing.several
            self._free(min(idle, key=lambda n: (-of[n.guest.id] if fair else 0, n.used)))
            self.evicted += 1
            return
        ends = [n.ttl - n.idle_seconds for n in idle if n.ttl]
        raise RefusedError(
            429,
            f"There are {len(self._named)} sessions, and no place for one more. "
            "Delete one, or ask again later.",
            CAPACITY_EXHAUSTED,
            int(min([RETRY_SECONDS, *ends])) + 1,
        )

    def _free(self, named: Named) -> None:
        named.close()  # where it cannot be closed it is known still, and freed later
        del self._named[(named.guest.id, named.name)]
        named.freed = True
        for ticket in list(named.queue.waiting):
            ticket.refuse(named.gone())
        if named.ticket is not None:
            named.ticket.refuse(named.gone())


KEEP_IDLE = 10.0
"""Seconds that a conversation rests before its cache is written. An agent's tools take less, and a
write for each of its turns would wear the disk."""
KEEP_BUSY = 120.0
"""So old may be what is written of one that never rests."""
MOST_NAMES = 8192
"""Digests of conversations, and of their beginnings, by which caches are known."""
BEGINNINGS = 16
"""Of a conversation, by which it is known, too: agents take out of what was said what was a hint
for one turn alone, and people go back."""
LONGEST_DIGESTED = 4 * 2**20
"""Characters of a conversation. A longer one is read again after a restart."""


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
        lines: list[str] = []
        try:
            self._make_folder()
            if self._file.is_file():  # a pipe would be waited for
                lines = self._file.read_text("ascii", "replace").replace("\0", "\n").split("\n")
        except OSError as error:
            log.warning("Conversations are not found again after a restart: %s", error.strerror)
        for line in lines:
            digest, _, name = line.partition(" ")
            if re.fullmatch(DIGEST, digest) and re.fullmatch(f"{APART}[0-9a-f]{{32}}", name):
                self._put(digest, name)
        if len(lines) > 2 * MOST_NAMES:
            with suppress(OSError):
                self._rewrite()

    def find(self, digests: Sequence[str]) -> tuple[str, bool]:
        """The name for the longest of these beginnings of a conversation, the shortest first, and
        whether that is all that lies there; "" where there is none."""
        digest = next((digest for digest in reversed(digests) if digest in self._names), "")
        name = self._names.get(digest, "")
        return name, self._ends.get(name) == digest

    def note(self, digests: Sequence[str], name: str) -> None:
        """A conversation lies, or will lie, under that name.

        Args:
            digests: of beginnings of it; the last one is that of all.
        """
        for digest in digests:
            self._put(digest, name)
        try:
            if self._file.parent.is_dir():
                flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_NONBLOCK
                with open(os.open(self._file, flags, 0o600), "ab") as file:
                    file.write(_listed((digest, name) for digest in digests))
            else:  # somebody has removed it
                self._make_folder()
                self._rewrite()
        except OSError as error:  # it is read again after a restart, and nothing else
            log.info("a conversation is not found again after a restart (%s)", error.strerror)

    def forget(self) -> None:
        """Know none any more. What lies on disk stays there."""
        self._names.clear()
        self._ends.clear()

    def _make_folder(self) -> None:
        for folder in (self._file.parent.parent, self._file.parent):
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)

    def _put(self, digest: str, name: str) -> None:
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
        part.write_bytes(_listed(self._names.items()))
        part.replace(self._file)


def _listed(names: Iterable[tuple[str, str]]) -> bytes:
    """Lines for digests and their names. Each begins with the end of the one before: that may have
    been cut by a crash or a full disk, and is to cost itself alone. (A machine that lost its power
    may have left zeros in its place.)"""
    return "".join(f"\n{digest} {name}" for digest, name in names).encode()


KEPT = 64
"""Idle sessions of one guest that stay open. What they hold makes room where memory is wanted."""
NEW_SHARE = 4
"""A fourth of them is for conversations that nobody has gone on with: agents ask for titles and
the like beside what they do, and a thousand of those displace no conversation."""
MOST_IDLE = 512
"""Of all guests. Past that the one who has most loses the least recently used."""


@dataclass(eq=False)
class Conversation:
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
            self._names.note(noted, own)

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
        if guest is None and self._names is not None:
            with self._lock:
                self._names.forget()

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
                shared = _shared(known.messages, messages)
                # A session that would have to forget a turn is left for that turn's client.
                whole = shared == len(known.messages)
                if known.kind == kind and whole and shared > most:
                    best, most = known, shared
            if best is not None:
                self._idle.remove(best)
                best.kept = False
            return best


def _shared(a: Sequence[Message], b: Sequence[Message]) -> int:
    """With how many equal messages the two begin."""
    count = 0
    for one, other in zip(a, b, strict=False):
        if one.get("role") != other.get("role") or one.get("content") != other.get("content"):
            break
        count += 1
    return count


ALIASES = ("x-stretto-session-id", "x-executorch-session-id")
"""Headers that name a session, the first one before the other. Those by which agents ask that their
requests come to the same machine (`x-session-affinity`, `session_id`) name none: each agent has
several conversations under one id, and a thousand ids are no thousand sessions."""
_UNSOUND = (
    *(ENGINE_STOPPED, UNKNOWN_MODEL, MODEL_UNLOADED, INTERNAL_ERROR),
    *(SESSION_CLOSED, UNSUPPORTED_SESSION),  # the engine has no such session
)
"""After these errors nothing of a session is relied on."""


class AnotherModelError(RefusedError):
    """The session talks to another model than the one that was found for the request."""


@dataclass
class Place:
    """Where one request is answered.

    Attributes:
        session: the engine's. Nobody else uses it meanwhile.
        last: how the reply has ended. While that is not known the session is not relied on.
        said: the answer, where the client has all of it.
        named: the client's session that it is in; None for a request without one.
    """

    session: Session
    last: Finished | Failed | None = None
    said: Message | None = None
    named: Named | None = None


class Asked(Protocol):
    """What a place must know of a request."""

    @property
    def messages(self) -> list[Message]: ...

    @property
    def config(self) -> SessionConfig: ...

    @property
    def head(self) -> Sequence[str]: ...


class Places:
    """Gives each request its place. Lives on the server's event loop.

    Args:
        sharing: what one of several keys may have of the places and of the queue.

    Attributes:
        queue: of all requests that are answered.
        sessions: those with a name.
    """

    def __init__(
        self,
        sessions: Sessions,
        known: Conversations,
        settings: Settings,
        sharing: Sharing | None = None,
    ) -> None:
        self.sessions = sessions
        self._known = known
        self._most_waiting = settings.queue
        self._sharing = sharing or Sharing()
        spare = partial(self._sharing.spare, settings.at_once)
        self.queue = Queue(settings.at_once, reserved=1, spare=spare)
        self._waiting: Counter[str] = Counter()  # requests by key

    @property
    def waiting(self) -> int:
        """How many requests wait."""
        return self._waiting.total()

    @asynccontextmanager
    async def take(
        self,
        guest: Guest,
        name: str | None,
        model: Model,
        asked: Asked,
        sent: Sent | None,
        report: Report,
        answers: int = 1,
    ) -> AsyncIterator[Place]:
        """Wait for a place, which nobody else gets until this is left.

        Args:
            name: of the client's session; None for a request without one.
            sent: the conversation that the session is sent.
            report: tells a waiting client its place in the queue.
            answers: that the request wants. Each takes a place in `queue`.

        Raises:
            RefusedError: 429 when there is no room for the session, or to wait.
            EngineError: the engine was stopped, or the session freed.
        """
        what = "an answer to begin"
        with ExitStack() as held:
            if name is None:
                await self._admitted(self.queue, held, False, guest, report, what, answers)
                known = self._known.take(model, asked.messages, asked.config, guest, asked.head)
                place = Place(known.session)
                end = partial(self._leave, known, place)
                held.callback(end)
                held.callback(tried, end)
                yield place
                return
            named = self._named(guest, name, model, answers)
            await self._admitted(named.queue, held, True, guest, report, "its session")
            await self._admitted(self.queue, held, True, guest, report, what, answers, named)
            before = named.config
            place = Place(self._session(named, model, asked.config), named=named)
            end = partial(self._leave_named, named, place, before)
            held.callback(end)
            held.callback(tried, end)
            if sent is not None:
                named.sent = sent.kept
            yield place

    def _leave(self, known: Conversation, place: Place) -> None:
        if isinstance(place.last, Finished):
            if place.said is not None:
                known.messages.append(place.said)
                place.said = None
            self._known.give_back(known)
        else:
            known.session.close()
            self._known.closed(known)

    def _leave_named(self, named: Named, place: Place, before: SessionConfig) -> None:
        named.answers = None
        failed = place.last.code if isinstance(place.last, Failed) else ""
        if failed == UNSUPPORTED_SESSION:
            named.config = before  # what was refused does not stay asked for
        if named.session is place.session and (place.last is None or failed in _UNSOUND):
            named.close()

    def _named(self, guest: Guest, name: str, model: Model, answers: int) -> Named:
        named = self.sessions.find(guest, name)
        if named is None:
            self._check_queue(self.queue, True, guest, answers)
            return self.sessions.make(guest, name, model, SessionConfig())
        if (named.model.path, named.model.adapter) != (model.path, model.adapter):
            raise AnotherModelError(
                400, f"The session {name!r} talks to {named.model.name}, not to {model.name}."
            )
        return named

    def _session(self, named: Named, model: Model, config: SessionConfig) -> Session:
        """The engine's session, opened anew where it is to have another configuration."""
        if named.freed:
            raise named.gone()
        wanted = named.config.with_(config)
        if wanted != named.config or named.model != model:
            named.close()
            named.config, named.model = wanted, model
        if named.session is None:
            named.session = self.sessions.open(named)
        return named.session

    async def _admitted(
        self,
        queue: Queue,
        held: ExitStack,
        named: bool,
        guest: Guest,
        report: Report,
        what: str,
        places: int = 1,
        whose: Named | None = None,
    ) -> None:
        self._check_queue(queue, named, guest, places)
        ticket = queue.enter(named, places, guest.id)
        held.callback(ticket.leave)
        held.callback(tried, ticket.leave)
        if whose is not None:
            whose.ticket = ticket
        self._waiting[guest.id] += 1
        try:
            await ticket.wait(report, what)
        finally:
            self._waiting[guest.id] -= 1

    def _check_queue(self, queue: Queue, named: bool, guest: Guest, places: int = 1) -> None:
        left = self._most_waiting - self.waiting
        mine = self._waiting[guest.id]
        if left > 0 and self._sharing.may_have(mine + 1, left):
            return
        if queue.would_wait(named, places, guest.id):
            if left > 0:
                raise self._sharing.refused("the requests that may wait")
            raise RefusedError(
                429,
                f"{self.waiting} requests wait already, and no more may. Ask again later.",
                CAPACITY_EXHAUSTED,
            )


def tried(part: Callable[[], object]) -> None:
    """Give up what one request has. Its exit stack has the part a second time, without this.

    A fault in either would keep others waiting, or a session open for ever.
    """
    try:
        part()
    except BaseException:
        log.exception("what a request had was not given up at once")


def session_name(scope: Scope, body: dict[str, Any]) -> str | None:
    """Which session a request names: in its body, which loses the field, or in a header.

    Raises:
        RefusedError: 400, the name is no session's.
    """
    named = body.pop("session_id", None)
    if named is not None:
        return checked(named, "session_id")
    headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
    for alias in ALIASES:
        if headers.get(alias):
            return checked(headers[alias], alias)
    return None


def checked(name: object, where: str) -> str:
    """A session's name that can be one.

    Raises:
        RefusedError: 400.
    """
    if not isinstance(name, str) or not re.fullmatch(SESSION_NAME, name):
        raise RefusedError(400, f"{where} {SESSION_NAME_RULE}.")
    return name
