"""Accounting of memory in use, promised, and evictable.

The budget covers weights, caches of chats and draft models, cached prefixes, caches being written
to disk, and reservations for loads and embeddings. Shared memory (a common prefix, or a fork
before its first write) is counted once, and freed with its last user.
"""

from __future__ import annotations

import logging
import weakref
from collections.abc import Collection, Iterable, Mapping, Sequence

from engine.cache.ledger import CacheKey
from engine.cache.offload import Offload
from engine.cache.prefix_index import PrefixIndex
from engine.cache.session_kv import CacheBytes, DirtySets, SessionKV
from engine.model.drafting import Drafter
from engine.model.loaded_model import LoadedModel
from engine.runtime.admission import promised_bytes
from engine.runtime.plan import RUNNING, Idle, MemoryView, Row, Status
from engine.runtime.request import Request, SessionState

log = logging.getLogger(__name__)

# Maximum fractions of the budget.
PREFIX_SHARE = 1 / 16  # cached prefixes
IMAGE_SHARE = 1 / 16  # image embeddings that no request is about to read
PENDING_SHARE = 1 / 16  # pending disk writes; above it, evicted caches aren't written to disk

LONG_AGO = -1e9  # seconds; used for cached prefixes, so that they're evicted before any chat


class Tally:
    """Running total of the memory of idle caches. Shared memory is counted once."""

    def __init__(self) -> None:
        self.dirty = DirtySets()
        self.nbytes = 0
        # For each group of shared memory, the number of caches that use it and its size in bytes.
        self.groups: dict[int, tuple[int, int]] = {}
        self._bytes_by_kv: dict[SessionKV, CacheBytes] = {}

    def refresh(self, used: Iterable[SessionKV]) -> None:
        """Update the total for all caches that changed. Caches in `used` are not counted."""
        resized, skipped = self.dirty.sizes, set(used)
        for kv in skipped:
            self._subtract(kv)
        for kv in list(resized):
            self._subtract(kv)
            part = kv.cache_bytes
            if kv not in skipped and (part.own or part.group):
                self._bytes_by_kv[kv] = part
                self.nbytes += part.own
                if part.group:
                    count, size = self.groups.get(part.group, (0, part.shared))
                    self.nbytes += 0 if count else size
                    self.groups[part.group] = count + 1, size
            resized.discard(kv)

    def forget(self, kv: SessionKV) -> None:
        self._subtract(kv)
        self.dirty.forget(kv)

    def _subtract(self, kv: SessionKV) -> None:
        part = self._bytes_by_kv.pop(kv, None)
        if part is None:
            return
        self.nbytes -= part.own
        if part.group:
            count, size = self.groups.pop(part.group)
            if count > 1:
                self.groups[part.group] = count - 1, size
            else:
                self.nbytes -= size


class Memory:
    """Memory that an engine's models and sessions use or may need."""

    def __init__(
        self,
        budget: int,
        offload: Offload,
        models: Mapping[str, LoadedModel],
        sessions: Mapping[str, SessionState],
        requests: Mapping[str, Request],
    ) -> None:
        self.budget = budget  # limit in bytes for weights and caches together
        self.offload = offload  # caches of evicted and closed chats on disk
        self.tally = Tally()  # cache sizes of chats that aren't replying
        # Caches that other prompts can reuse, including cached prefixes.
        self.prefixes = PrefixIndex(int(budget * PREFIX_SHARE), self.tally.dirty.tokens)
        self.adapted: list[LoadedModel] = []  # base models of variants being loaded
        self._models, self._sessions, self._requests = models, sessions, requests
        # Reserved bytes by owner: for weights that are being read, and for everything else.
        self._loading: weakref.WeakKeyDictionary[object, int] = weakref.WeakKeyDictionary()
        self._reserved: weakref.WeakKeyDictionary[object, int] = weakref.WeakKeyDictionary()

    def reserve(self, owner: object, nbytes: int, weights: bool = False) -> None:
        """Count bytes that an owner will allocate, until `release` is called."""
        (self._loading if weights else self._reserved)[owner] = nbytes

    def release(self, owner: object) -> None:
        self._loading.pop(owner, None)
        self._reserved.pop(owner, None)

    @property
    def fixed_bytes(self) -> int:
        """Bytes of all weights, reservations, and images that are about to be read."""
        return self.weight_bytes + sum(self._reserved.values()) + self._images()[1]

    @property
    def weight_bytes(self) -> int:
        return sum(m.info.nbytes for m in self.in_memory) + sum(self._loading.values())

    def _images(self) -> tuple[dict[CacheKey, Idle], int]:
        """Return the embeddings of images that no request needs, and the bytes of the rest."""
        seeing = {m.info.id: m.vision for m in self._models.values() if m.vision is not None}
        idle_images, needed_bytes = dict[CacheKey, Idle](), 0
        needed_keys = {
            (r.session.model.info.id, sight.digest)
            for r in self._requests.values()
            for at, sight in r.images
            if at + len(sight.ids) > r.kv.length
        }
        for model, vision in seeing.items():
            for digest, images in vision.cached.items():
                if (model, digest) in needed_keys:
                    needed_bytes += images.nbytes
                else:
                    key = CacheKey("image", f"{model} {digest}")
                    idle_images[key] = Idle(key, images.nbytes, images.used_at + LONG_AGO)
        return idle_images, needed_bytes

    def _drop_image(self, key: CacheKey) -> None:
        model, _, digest = key.name.rpartition(" ")
        vision = self._models[model].vision if model in self._models else None
        if vision is not None:
            vision.drop(digest)

    @property
    def in_memory(self) -> list[LoadedModel]:
        """Models whose weights are in memory, including draft models and bases of variants."""
        resident_models = [*self._models.values(), *self.adapted]
        resident_models += [m.base for m in self._models.values() if m.base is not None]
        resident_models += [d.model for d in self.drafters.values()]
        return list({id(model): model for model in resident_models}.values())

    @property
    def drafters(self) -> dict[CacheKey, Drafter]:
        pairs = [(m.info.id, m.drafter) for m in self._models.values()]
        return {CacheKey("draft", i): d for i, d in pairs if isinstance(d, Drafter)}

    def find_base(self, contents: str) -> LoadedModel | None:
        """Return the loaded base model whose files have the hash `contents`, or None."""
        for model in self.in_memory:
            checked = model.checked_model
            if model.base is None and checked and checked.contents == contents:
                return model
        return None

    def freed_by(self, model: LoadedModel) -> int:
        """Return the bytes that unloading a model frees. A base may stay for other variants."""
        needed = list(self.adapted)
        for other in self._models.values():
            if other is not model:
                needed += [m for m in (other, other.base, other.drafting_model) if m is not None]
        parts = [m for m in (model, model.base, model.drafting_model) if m is not None]
        return sum(m.info.nbytes for m in parts if all(m is not n for n in needed))

    @property
    def _running(self) -> list[SessionKV]:
        return [r.kv for r in self._requests.values() if r.status in RUNNING]

    @property
    def kv_bytes(self) -> int:
        running = self._running
        self.tally.refresh(running)
        other_kvs = [*running, *(d.kv for d in self.drafters.values())]
        parts = [
            kv.cache_bytes for kv in (*other_kvs, *(p.kv for p in self.prefixes.cached.values()))
        ]
        other_groups = {p.group: p.shared for p in parts if p.group not in self.tally.groups}
        total = self.tally.nbytes + sum(p.own for p in parts) + sum(other_groups.values())
        return total - self.prefixes.nbytes

    @property
    def writing_bytes(self) -> int:
        if not self.offload.pending:
            return 0
        kvs_in_use = [*self._running, *(p.kv for p in self.prefixes.cached.values())]
        in_use = {*self.tally.groups, *(kv.cache_bytes.group for kv in kvs_in_use)}
        return self.offload.pending_bytes(in_use)

    @property
    def cache_bytes(self) -> int:
        """Bytes of all caches, including cached prefixes and pending disk writes."""
        return self.kv_bytes + self.prefixes.nbytes + self.writing_bytes

    def promised_bytes(self) -> int:
        running = (r for r in self._requests.values() if r.status in RUNNING)
        return promised_bytes(r.memory_needs()[:3] for r in running)[0]

    def view(self, rows: Sequence[Row], pending_bytes: int, everything: bool) -> MemoryView:
        """Return the memory usage for the scheduler.

        Args:
            pending_bytes: maximum bytes that a waiting load or embedding may need.
            everything: list all idle caches, even if everything fits.
        """
        self.tally.refresh(self._running)
        running = [r for r in rows if r.status in RUNNING]
        promised, in_use = promised_bytes((r.max_bytes, r.group, r.shared) for r in running)
        images, needed_image_bytes = self._images()
        image_bytes = sum(image.nbytes for image in images.values())
        excess_image_bytes = max(0, image_bytes - int(self.budget * IMAGE_SHARE))
        idle_bytes = self._idle_bytes(in_use) + image_bytes
        writing_bytes = self.writing_bytes
        releasing_bytes = sum(self._reserved.values())
        fixed_bytes = self.weight_bytes + releasing_bytes + needed_image_bytes
        if running:  # other replies may be prefilling their images
            releasing_bytes += needed_image_bytes
        needs = [pending_bytes]
        needs += [r.max_bytes + r.shared for r in rows if r.status == Status.QUEUED]
        needs += [r.growth_bytes for r in rows if r.growth_bytes is not None]
        # List idle caches only if some of them may have to be evicted.
        is_short = fixed_bytes + promised + idle_bytes + writing_bytes + max(needs) > self.budget
        cached = self.prefixes.cached.items() if any(r.prefix_to_keep for r in rows) else ()
        return MemoryView(
            self.budget,
            fixed_bytes,
            idle=self.idle_caches() if is_short or excess_image_bytes or everything else (),
            idle_bytes=idle_bytes,
            writing_bytes=writing_bytes,
            prefixes=[Idle(key, p.kv.attributed_bytes, p.used_at) for key, p in cached],
            prefix_limit=self.prefixes.limit,
            excess_image_bytes=excess_image_bytes,
            releasing_bytes=releasing_bytes,
        )

    def _idle_bytes(self, in_use: Collection[int]) -> int:
        """Return the bytes of all idle caches except images, without the groups `in_use`."""
        groups = self.tally.groups
        parts = [prefix.kv.cache_bytes for prefix in self.prefixes.cached.values()]
        prefix_groups = {p.group: p.shared for p in parts if p.group not in groups}
        nbytes = self.tally.nbytes - sum(groups[n][1] for n in in_use if n in groups)
        nbytes += sum(p.own for p in parts)
        nbytes += sum(size for number, size in prefix_groups.items() if number not in in_use)
        return nbytes + sum(d.nbytes for d in self.drafters.values())

    def add(self, session: SessionState) -> None:
        session.kv.dirty = self.tally.dirty
        session.kv.mark_size_changed()
        self.prefixes.add(session.key, session.kind, session.kv)

    def forget(self, session: SessionState) -> None:
        self.tally.forget(session.kv)
        self.prefixes.remove(session.kv)

    def idle_caches(self) -> list[Idle]:
        chats = [s for s in self._sessions.values() if not s.is_running]
        entries = [_idle(s.key, s.kv.cache_bytes, s.used_at) for s in chats]
        entries += [Idle(k, d.nbytes, d.used_at + LONG_AGO) for k, d in self.drafters.items()]
        entries += self._images()[0].values()
        cached = self.prefixes.cached.items()
        return entries + [_idle(k, p.kv.cache_bytes, p.used_at + LONG_AGO) for k, p in cached]

    def evict(self, keys: Iterable[CacheKey], skip_saving: bool = False) -> None:
        """Drop idle caches. Caches of chats are written to disk if the disk is fast enough.

        Args:
            skip_saving: don't write any caches, because a cache uses memory until it's written.
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
                if not skip_saving and self.offload.pending_bytes() < self.budget * PENDING_SHARE:
                    self.save(session)
                session.kv.drop()

    def save(self, session: SessionState, keeps_caches: bool = False) -> None:
        """Write a session's caches to disk. Errors are logged.

        Unless `keeps_caches` is set, the caches must be dropped afterwards, even after an error.
        """
        kv = session.kv
        if keeps_caches and (kv.on_disk == kv.length or not kv.length):
            return
        if keeps_caches and self.offload.pending_bytes() >= self.budget * PENDING_SHARE:
            return
        try:
            self.offload.save(
                session.file, session.fingerprint, kv.frozen_copy() if keeps_caches else kv
            )
            if keeps_caches:
                kv.on_disk = kv.length
        except BaseException:
            log.exception("cannot save caches")

    def file_of(self, session: SessionState) -> str:
        """Return the id of a file that the session can start from, or "" if there is none."""
        ids = (session.file, session.fallback_cache_id)
        return next((key for key in ids if key and self.offload.may_hold(key)), "")

    def erase(self, name: str) -> None:
        try:
            self.offload.delete(name)
        except BaseException:  # the caller must still be able to end the session
            log.exception("cannot remove a session's file")


def _idle(key: CacheKey, nbytes: CacheBytes, used_at: float) -> Idle:
    return Idle(key, nbytes.own, used_at, nbytes.group, nbytes.shared)
