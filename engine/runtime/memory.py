"""The one ledger of memory: what is held, what is promised, and what makes room.

Weights, the caches of chats and what drafts for them, kept prefixes of prompts, caches on their
way to the disk, and what loads and embeddings have reserved: all of it is counted here, in bytes,
against one budget. What several hold together (a shared prefix, a fork that has not written) is
counted once, and comes back with the last that holds it.
"""

from __future__ import annotations

import logging
import weakref
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from engine.cache.ledger import CacheKey
from engine.cache.offload import Offload
from engine.cache.prefix_index import PrefixIndex
from engine.cache.session_kv import Part, SessionKV
from engine.cache.tally import Tally
from engine.model import backend
from engine.model.drafting import Drafter
from engine.model.loaded import LoadedModel
from engine.runtime import admission
from engine.runtime.admission import Promise
from engine.runtime.plan import Idle, LoadRequest, MemoryView, Row, Status
from engine.runtime.request import PROMISED, Request, SessionState

log = logging.getLogger(__name__)

PREFIX_SHARE = 1 / 16
"""Of the budget, for the prefixes of prompts that are kept for chats to come. They go first."""

IMAGE_SHARE = 1 / 16
"""Of the budget, for embeddings of images that nobody is about to read. A chat needs them again
only where its cache was lost."""

PENDING_SHARE = 1 / 16
"""Of the budget: while more is on its way to the disk, caches that make room are not written."""

SCRATCH_TOKENS = 1024  # so long a single question always finds room, if no other one runs

LONG_AGO = -1e9  # seconds: kept prefixes of prompts make room before any chat does

AHEAD = 256  # so many tokens before its end an answer asks for more


class Room(NamedTuple):
    """Where the bytes of a budget are at one moment."""

    budget: int
    fixed: int  # weights, and what loads and embeddings have reserved
    promise: Promise  # what running replies come to take at their longest
    idle: int  # of all caches that no reply uses, what running replies hold with them left out
    leaving: int  # of caches that nobody has any more, and that are still being written to disk

    @property
    def taken(self) -> int:
        return self.fixed + self.promise.nbytes + self.idle + self.leaving

    @property
    def free(self) -> int:
        """What is left where all idle caches are dropped and nothing is being written."""
        return self.budget - self.fixed - self.promise.nbytes


class Memory:
    """What the models and sessions of one engine hold, and may come to hold.

    Args:
        models, sessions, requests: by id, as `State` has them, which changes them.
    """

    def __init__(
        self,
        budget: int,
        offload: Offload,
        models: Mapping[str, LoadedModel],
        sessions: Mapping[str, SessionState],
        requests: Mapping[str, Request],
    ) -> None:
        self.budget = budget  # bytes that weights and caches may take together
        self.offload = offload  # caches on disk, of chats that had to make room or were closed
        self.tally = Tally()  # what the caches of chats that are not answering take
        # who holds which tokens, and the prefixes that are kept for chats to come
        self.prefixes = PrefixIndex(int(budget * PREFIX_SHARE), self.tally.watch.moved)
        self.adapted: list[LoadedModel] = []  # models of which variants are being made
        self.version = 0  # changes whenever room may have been made
        self._models, self._sessions, self._requests = models, sessions, requests
        self._reserved: weakref.WeakKeyDictionary[object, int] = weakref.WeakKeyDictionary()

    def changed(self) -> None:
        """Room may have been made: those who wait for it are looked at again."""
        self.version += 1

    # -- what is held -----------------------------------------------------------------------

    def reserve(self, owner: object, nbytes: int) -> None:
        """Count bytes as taken before they are, as long as their owner lives: a load, a job."""
        self._reserved[owner] = nbytes

    def release(self, owner: object) -> None:
        """What was reserved is taken by now, or never will be."""
        self._reserved.pop(owner, None)
        self.changed()

    @property
    def fixed(self) -> int:
        """Of all models' weights, all that is reserved, and images that are about to be read."""
        models = self.in_memory
        weights = sum(m.info.nbytes for m in models)
        needed = self._images[1] if any(m.eyes for m in models) else 0
        return sum(self._reserved.values()) + weights + needed

    @property
    def _images(self) -> tuple[dict[CacheKey, Idle], int]:
        """The embeddings of images that can go, and the bytes of those that are still needed."""
        seeing = {m.info.id: m.eyes for m in self._models.values() if m.eyes is not None}
        found, needed = dict[CacheKey, Idle](), 0
        if not any(eyes.held for eyes in seeing.values()):
            return found, needed
        wanted = {
            (r.session.model.info.id, sight.digest)
            for r in self._requests.values()
            for at, sight in r.images
            if at + len(sight.ids) > r.kv.length
        }
        for model, eyes in seeing.items():
            for digest, held in eyes.held.items():
                if (model, digest) in wanted:
                    needed += held.nbytes
                else:
                    key = CacheKey("image", f"{model} {digest}")
                    found[key] = Idle(key, held.nbytes, held.used_at + LONG_AGO)
        return found, needed

    def keep_images_within(self) -> None:
        """Keep no more embeddings than have their share of the budget; the oldest go first."""
        found = sorted(self._images[0].values(), key=lambda idle: idle.used_at)
        surplus = sum(idle.nbytes for idle in found) - int(self.budget * IMAGE_SHARE)
        for idle in found:
            if surplus <= 0:
                return
            self._drop_image(idle.key)
            surplus -= idle.nbytes

    def _drop_image(self, key: CacheKey) -> None:
        model, _, digest = key.name.rpartition(" ")
        eyes = self._models[model].eyes if model in self._models else None
        if eyes is not None:
            eyes.drop(digest)

    @property
    def in_memory(self) -> list[LoadedModel]:
        """All models whose weights are held, each once.

        Bases of variants are, and models that draft for others, unloaded or not.
        """
        found = [*self._models.values(), *self.adapted]
        found += [m.base for m in self._models.values() if m.base is not None]
        found += [d.model for d in self.drafters.values()]
        return list({id(model): model for model in found}.values())

    @property
    def drafters(self) -> dict[CacheKey, Drafter]:
        """The small models that draft, by the keys of their caches among the idle ones."""
        pairs = [(m.info.id, m.drafter) for m in self._models.values()]
        return {CacheKey("draft", i): d for i, d in pairs if isinstance(d, Drafter)}

    def base(self, contents: str) -> LoadedModel | None:
        """The model without an adapter that is in memory and was made of these files."""
        held = [m for m in self.in_memory if m.base is None]
        return next((m for m in held if m.examined.contents == contents), None)

    def freed_by(self, model: LoadedModel) -> int:
        """What unloading a model would free: none of a base that a variant needs."""
        kept = [m for m in self._models.values() if m is not model]
        small = [m.drafting_model for m in kept]
        needed = {id(m) for m in [*kept, *(m.base for m in kept), *small, *self.adapted]}
        parts = [model, model.base, model.drafting_model]
        return sum(m.info.nbytes for m in parts if m is not None and id(m) not in needed)

    @property
    def kv_bytes(self) -> int:
        """What the caches of all chats and of what drafts for them take."""
        running = [r.kv for r in self._requests.values() if r.is_running]
        self.tally.refresh(running)
        others = [*running, *(d.kv for d in self.drafters.values())]
        parts = [kv.part for kv in (*others, *self._kept)]
        more = {p.group: p.shared for p in parts if p.group not in self.tally.groups}
        held = self.tally.nbytes + sum(p.own for p in parts) + sum(more.values())
        return held - self.prefixes.nbytes

    def room(self, promise: Promise | None = None) -> Room:
        """Where all bytes are now. `promise` where it is known already."""
        promise = self.promised() if promise is None else promise
        self.tally.refresh(r.kv for r in self._requests.values() if r.is_running)
        idle, leaving = self._idle_bytes(promise.groups), self._leaving(promise.groups)
        return Room(self.budget, self.fixed, promise, idle, leaving)

    def _idle_bytes(self, in_use: Collection[int]) -> int:
        """What dropping all caches that no reply uses would give back.

        Args:
            in_use: the numbers of what running replies hold together with others.
        """
        groups, parts = self.tally.groups, [kv.part for kv in self._kept]
        more = {p.group: p.shared for p in parts if p.group not in groups}
        kept = [size for number, size in more.items() if number not in in_use]
        used = sum(groups[number][1] for number in in_use if number in groups)
        drafts = sum(d.nbytes for d in self.drafters.values())
        if any(m.eyes for m in self.in_memory):
            drafts += sum(idle.nbytes for idle in self._images[0].values())
        return self.tally.nbytes - used + sum(p.own for p in parts) + sum(kept) + drafts

    def _leaving(self, in_use: Collection[int]) -> int:
        """Of caches that nobody has any more, and that are still being written to disk."""
        if not self.offload.pending():
            return 0
        kept = {kv.part.group for kv in self._kept}
        return self.offload.pending({*in_use, *self.tally.groups, *kept})

    @property
    def caches(self) -> int:
        """Of all caches, kept prefixes and those on their way to the disk among them."""
        return self.kv_bytes + self.prefixes.nbytes + self.room().leaving

    @property
    def _kept(self) -> list[SessionKV]:
        return [prefix.kv for prefix in self.prefixes.kept.values()]

    # -- what is promised -------------------------------------------------------------------

    def promised(self) -> Promise:
        """What running replies take when they have become as long as they may, as of now."""
        promises = [r.promise for r in self._requests.values() if r.is_running]
        groups = {p.group: p.shared for p in promises if p.group}
        return Promise(sum(p.own for p in promises), groups)

    def extend(self, request: Request) -> None:
        """Let an answer without a limit become longer, if it may and there is room for it.

        It is asked `AHEAD` tokens before the answer has used what it was promised, so that what
        makes room can be written to disk. What is kept free for a single question stays free.
        """
        if request.limit >= request.longest:
            return
        before = request.limit
        last = request.generated + 2 > before
        if request.asked_for_more == self.version and not last:
            return
        request.limit = min(request.longest, before + PROMISED)
        fits = self.room().free >= self._reserve()
        if not fits or not self.make_room(0):
            # Where caches are still being written, the next few tokens take hardly more.
            writing = fits and last
            request.limit = min(request.longest, before + AHEAD) if writing else before
        request.asked_for_more = self.version

    # -- making room ------------------------------------------------------------------------

    def view(self, rows: Sequence[Row], load: LoadRequest | None) -> MemoryView:
        """As the scheduler sees it."""
        now = self.room(admission.promised(rows))
        wanted = [r.most + r.shared for r in rows if r.status == Status.QUEUED]
        wanted += [load.wide] if load is not None else []
        # Each idle chat is looked at only where one of them may have to go.
        idle = self.idle() if now.taken + max(wanted, default=0) > self.budget else ()
        return MemoryView(
            self.budget, now.fixed, self._scratch, idle, self.version, now.idle, now.leaving
        )

    @property
    def _scratch(self) -> int:
        """Bytes that a single question may need."""
        each = (m.can.estimate.bytes(SCRATCH_TOKENS) for m in self._models.values())
        return max(each, default=0)

    def _reserve(self) -> int:
        """Bytes that answers leave for a single question that may come; 0 where one has."""
        asked = (r for r in self._requests.values() if r.session.scratch)
        if any(r.is_running or not r.paused for r in asked):
            return 0
        return admission.reserve(self._scratch, self.budget, self.fixed)

    def add(self, session: SessionState) -> None:
        """Count a session's caches, and let others go on from them."""
        session.kv.watch = self.tally.watch
        session.kv.touched()
        self.prefixes.add(session.key, session.kind, session.kv)

    def forget(self, session: SessionState) -> None:
        """Forget a session's caches."""
        self.tally.forget(session.kv)
        self.prefixes.remove(session.kv)

    def idle(self) -> list[Idle]:
        """Idle caches: of chats that do not answer, kept prefixes, drafts', images' embeddings."""
        chats = [s for s in self._sessions.values() if not s.is_running]
        found = [_idle(s.key, s.kv.part, s.used_at) for s in chats]
        found += [Idle(k, d.nbytes, d.used_at + LONG_AGO) for k, d in self.drafters.items()]
        found += self._images[0].values()
        kept = self.prefixes.kept.items()
        return [*found, *(_idle(key, p.kv.part, p.used_at + LONG_AGO) for key, p in kept)]

    def plan_eviction(self, nbytes: int) -> tuple[list[CacheKey], int] | None:
        """Which idle caches to drop for so many bytes beside what is promised.

        Returns:
            Their keys, and the bytes of the others; None where dropping all of them is not enough.
        """
        now = self.room()
        free = now.free - nbytes
        if free < 0:
            return None
        if now.idle <= free:
            return [], now.idle
        return admission.room(free, self.idle(), now.promise.groups)

    def make_room(self, nbytes: int) -> bool:
        """Drop what has to go for so many bytes; False while, or where, there is no room."""
        planned = self.plan_eviction(nbytes)
        if planned is None:
            return False
        self.evict(planned[0])
        return self.room().taken + nbytes <= self.budget  # some may still be on their way to disk

    def evict(self, keys: Iterable[CacheKey], at_once: bool = False) -> None:
        """Drop idle caches; those of chats go to disk, as far as it keeps up.

        Args:
            at_once: none does: what is written is held until then.
        """
        keys = list(keys)
        for key in keys:
            if key.kind == "prefix":
                self.prefixes.drop(key)
            elif key.kind == "draft" and key in self.drafters:
                self.drafters[key].drop()
            elif key.kind == "image":
                self._drop_image(key)
            elif key.kind == "session" and key.name in self._sessions:
                session = self._sessions[key.name]
                if not at_once and self.offload.pending() < self.budget * PENDING_SHARE:
                    self.save(session)
                session.kv.drop()
        if keys:  # it need not be free yet: what is written to disk is held until then
            self.changed()

    def keep_prefixes_within(self) -> None:
        """Keep no prefix of a prompt for which there is no room."""
        kept = self.prefixes.kept
        while kept and self.room().taken > self.budget:
            self.prefixes.drop(min(kept, key=lambda key: kept[key].used_at))

    def relieve(self) -> int:
        """Drop every cache that no reply uses; returns how many bytes the system has back."""
        before = self.caches
        self.evict([cache.key for cache in self.idle()])
        # What goes to disk is held until it is written. It is given back then, and not counted.
        backend.give_back_memory()
        return max(0, before - self.caches)

    def admit_draft(self, request: Request) -> None:
        """See whether there is room for what drafts for an answer.

        A draft takes what nobody needs: no chat's cache makes room for one.
        """
        drafter = request.session.model.drafter
        if not isinstance(drafter, Drafter):
            return  # a lookup takes four bytes a token
        drafter.draft_for(request.session.domain)
        if not drafter.admitted(request.tokens, request.limit, self.version):
            used = self.room().taken - drafter.nbytes
            used += drafter.model.can.estimate.bytes(request.prompt_length + request.limit)
            drafter.admit(request.tokens, request.limit, self.version, used <= self.budget)

    def draft_behind(self, request: Request) -> int:
        """How many of an answer's tokens its drafter must read; -1 where it is not admitted."""
        drafter: Drafter = request.session.model.drafter
        admitted = drafter.admitted(request.tokens, request.limit, self.version)
        return drafter.behind(request.tokens) if admitted and drafter.has_room else -1

    # -- on disk ----------------------------------------------------------------------------

    def save(self, session: SessionState, stays: bool = False) -> None:
        """Have a session's caches written to disk.

        Where that fails they are dropped all the same, and the chat is read again.

        Args:
            stays: the session goes on. Otherwise nobody uses them any more.
        """
        kv = session.kv
        if stays and (kv.on_disk == kv.length or not kv.length):
            return
        if stays and self.offload.pending() >= self.budget * PENDING_SHARE:
            return
        try:
            self.offload.save(session.id, session.fingerprint, kv.still() if stays else kv)
            if stays:
                kv.on_disk = kv.length
        except BaseException:
            log.exception("caches could not be saved")

    def file_of(self, session: SessionState) -> str:
        """The id under which there is a file that a session can begin from; "" for none."""
        ids = (session.id, session.begins_as)
        return next((one for one in ids if one and self.offload.may_hold(one)), "")

    def erase(self, session_id: str) -> None:
        """Remove what is on disk of a session."""
        try:
            self.offload.forget(session_id)
        except BaseException:  # whoever erases must end the session all the same
            log.exception("a session's file could not be removed")


def _idle(key: CacheKey, held: Part, used_at: float) -> Idle:
    return Idle(key, held.own, used_at, held.group, held.shared)
