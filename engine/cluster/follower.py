"""A rank that follows: it does what rank 0's records say, with its part of weights and caches."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import mlx.core as mx
from msgspec import Struct, field
from msgspec.structs import replace

from engine.cache.cache_file import Contents, DamagedError, build_caches
from engine.cache.offload import Offload, kv_fingerprint
from engine.cache.session_kv import SessionKV
from engine.cluster import sharding
from engine.cluster.group import Group, Record, check_of, file_digest, integers
from engine.cluster.machines import find_model
from engine.errors import EngineError, words_of
from engine.model import fingerprint, folder, loader, runner
from engine.model.loaded import LoadedModel
from engine.model.quantised import kept_in
from engine.model.runner import Reading
from engine.model.slices import at_once

READ = 4
"""So many files are held as they were read. A chat may be stopped before it comes back: the file of
another that is not held any more is read once more."""

_LATE = 5.0  # seconds for a follower to come to where rank 0 was when it asked
_WRITING = 0.5  # seconds between two looks whether files have been written


class DivergedError(Exception):
    """This rank does not hold, or was not fed, what rank 0 was."""


class Files(Offload):
    """A follower's caches on disk, by the names that rank 0 gives them.

    Args:
        tell: sends a message to rank 0.
    """

    def __init__(
        self, folder: Path | None, limit: int, tell: Callable[[dict[str, Any]], None]
    ) -> None:
        super().__init__(folder, limit)
        self._tell = tell
        self._news = threading.Condition()  # guards what follows
        self._done = 0
        self._read: dict[str, Contents] = {}  # by the files' names, the latest last

    def _path(self, name: str) -> Path:
        return (self._folder or Path()) / f"{name}.safetensors"

    def done(self) -> None:
        """Take note that one more file has been written or removed as rank 0 said."""
        with self._news:
            self._done += 1
            self._news.notify_all()

    def fetch(self, message: dict[str, Any]) -> None:
        """Read a file on a thread of its own, and answer whether it is the one that is meant."""

        def fetch() -> None:
            holds = False
            try:
                holds = self._fetch(message)
            finally:
                self._tell({"question": message["question"], "holds": holds})

        threading.Thread(target=fetch, name="stretto-rank-files", daemon=True).start()

    def _fetch(self, message: dict[str, Any]) -> bool:
        with self._news:
            if not self._news.wait_for(lambda: self._done >= message["after"], _LATE):
                return False
        name = message["name"]
        contents = self.read(name, message["fingerprint"])
        if contents is None or file_digest(contents.record) != message["digest"]:
            return False
        with self._news:
            self._read.pop(name, None)
            self._read[name] = contents
            while len(self._read) > READ:
                del self._read[next(iter(self._read))]
        return True

    def restore(self, name: str, fingerprint: str, kv: SessionKV) -> None:
        """Make caches of what `fetch` has read.

        Raises:
            ValueError: there is nothing, or it is damaged; the file is removed then.
        """
        with self._news:
            contents = self._read.pop(name, None)
        contents = contents or self.read(name, fingerprint)
        if contents is None:
            raise ValueError("a cache that was to come back from disk is not there")
        record = contents.record
        try:
            caches, snapshot = at_once(build_caches(contents, kv.make(), kv.make()))
        except DamagedError as error:
            self.remove(name, words_of(error))
            raise ValueError(f"a cache on disk is damaged: {error}") from None
        boundary = (snapshot, record.boundary) if snapshot else None
        kv.restore(record.name, caches, record.tokens, record.cuts, boundary)


class _Cache(Struct):
    """What a cache of rank 0's is here."""

    kv: SessionKV
    model: LoadedModel
    fingerprint: str  # of its files
    prompt: list[int] = field(default_factory=list)  # what is being read into it


class Follower:
    """Models and caches by rank 0's numbers.

    Attributes:
        turn: of the last record.
        steps: grows with each record, and with each piece of a model.
        busy: whether a record, or a model, is being worked on.
        loading: whether it is a model.

    Args:
        tell: sends a message to rank 0.
        files: of its part of the caches.
        copies: the folder for copies of models on this machine; "" for none.
    """

    def __init__(
        self,
        group: Group,
        tell: Callable[[dict[str, Any]], None],
        files: Files,
        copies: str = "",
    ) -> None:
        self.turn = 0
        self.steps = 0
        self.busy = self.loading = False
        self._group = group
        self._tell = tell
        self._files = files
        self._copies = copies
        self._reading: dict[int, Any] = {}  # nets whose weights have been read
        self._models: dict[int, LoadedModel] = {}
        self._caches: dict[int, _Cache] = {}

    def take(self, message: dict[str, Any], messages: queue.SimpleQueue[dict[str, Any]]) -> None:
        """Take a message, on the thread that listens: files are read beside what is computed."""
        if message.get("do") == "read file":
            self._files.fetch(message)
        else:
            messages.put(message)

    def run(self, messages: queue.SimpleQueue[dict[str, Any]]) -> None:
        """Follow until this process is ended. Waits without a collective while rank 0 rests."""
        while True:
            self.busy = self.loading = False
            message = self._next(messages)
            self.busy, self.loading = True, message["do"] != "wake"
            match message["do"]:
                case "wake":
                    while not self._replay(self._group.receive()):
                        pass
                case "load":
                    self._tell({"question": message["question"], **self._load(message)})
                case "measure":
                    self._measure(message)
                case "give up":
                    self._reading.pop(message["model"], None)
                case "leave":
                    self._files.close()
                    self._tell({"question": message["question"]})

    def _next(self, messages: queue.SimpleQueue[dict[str, Any]]) -> dict[str, Any]:
        """Wait for a message; what has been written to disk meanwhile is freed."""
        while True:
            try:
                return messages.get(timeout=_WRITING if self._files.pending() else None)
            except queue.Empty:
                self._files.settle()

    def _replay(self, record: Record) -> bool:
        """Repeat the operations of a record. Return True if rank 0 rests after it.

        Raises:
            DivergedError: this rank has not come to where rank 0 is.
        """
        if record.turn != self.turn + 1:
            raise DivergedError(f"turn {record.turn} came after turn {self.turn}")
        self.turn = record.turn
        self.steps += 1
        if self._files.pending():
            self._files.settle()
        for order in record.orders:
            if order.name == "rest":
                return True
            getattr(self, f"do_{order.name}")(*order.arguments)
        return False

    # -- models -----------------------------------------------------------------------------

    def _load(self, message: dict[str, Any]) -> dict[str, Any]:
        name, wanted = message["name"], message["contents"]
        path = find_model(Path(message["path"]), wanted, self._copies)
        try:
            folder.check(path, name)
            if fingerprint.contents(path) != wanted:
                raise ValueError("its model folder has other contents")
            net, _ = sharding.part(path, name, self._group.mlx, message["wide"])
            for _ in loader.read_weights(net):
                self.steps += 1
        except Exception as error:
            words = error.message if isinstance(error, EngineError) else str(error)
            return {"refused": words or words_of(error)}
        self._reading[int(message["model"])] = net
        return {}

    def _measure(self, message: dict[str, Any]) -> None:
        number = int(message["model"])
        net = self._reading.pop(number)
        model, _ = sharding.try_out(net, int(message["words"]), self._group.size, self._step_done)
        model.info = replace(model.info, id=message["id"])
        self._models[number] = model
        self._tell({"question": message["question"], "plans": sharding.plans(model)})

    def _step_done(self) -> None:
        self.steps += 1

    # -- what records name ------------------------------------------------------------------

    def do_unload(self, model: int) -> None:
        self._models.pop(model)
        mx.clear_cache()

    def _kv(self, number: int) -> SessionKV:
        return self._caches[number].kv

    def do_open(self, number: int, model: int, shares_prefix: bool, bits: int) -> None:
        """``bits``: of the cache's keys; 0 if they are not quantized."""
        loaded = self._models[model]
        make = kept_in(loaded, bits).make if bits else loaded.new_caches
        name = kv_fingerprint(loaded.info.id, bits or None)
        self._caches[number] = _Cache(SessionKV(make, shares_prefix), loaded, name)

    def do_free(self, number: int) -> None:
        self._caches.pop(number).kv.drop()

    def do_fork(self, number: int, twin: int) -> None:
        cache = self._caches[number]
        self._caches[twin] = _Cache(cache.kv.fork(), cache.model, cache.fingerprint)

    def do_begin(self, number: int, known: int, *others: int) -> None:
        """``known``: how many of the cache's tokens come first in the prompt, before ``others``."""
        cache = self._caches[number]
        cache.prompt = [*cache.kv.tokens[:known], *others]
        cache.kv.begin(cache.prompt)

    def do_take(self, number: int, donor: int, length: int, room: bool) -> None:
        self._kv(number).take_from(self._kv(donor), length, room)

    def do_snapshot(self, number: int) -> None:
        self._kv(number).snapshot()

    def do_drop(self, number: int) -> None:
        self._kv(number).drop()

    def do_settle(self, number: int) -> None:
        self._kv(number).settle()

    def do_leave_slots(self, number: int) -> None:
        self._kv(number).leave_slots()

    def do_save(self, number: int, name: str) -> None:
        cache = self._caches[number]
        self._files.save(name, cache.fingerprint, cache.kv)
        self._files.done()

    def do_restore(self, number: int, name: str) -> None:
        cache = self._caches[number]
        self._files.restore(name, cache.fingerprint, cache.kv)

    def do_forget(self, name: str) -> None:
        self._files.forget(name)
        self._files.done()

    # -- computing --------------------------------------------------------------------------

    def do_pass(self, model: int, shared: bool, *rows: int) -> None:
        """``rows``: the caches that are fed."""
        self._step(self._models[model], rows, shared)

    def do_mixed(
        self, model: int, number: int, start: int, count: int, left: int, *rows: int
    ) -> None:
        kv, tokens = self._read(number, start, count, left)
        self._step(self._models[model], rows, True, [Reading(kv, tokens)])

    def do_chunk(self, number: int, start: int, count: int, left: int) -> None:
        """``left``: tokens of the prompt to read after the chunk."""
        kv, tokens = self._read(number, start, count, left)
        runner.prefill(self._caches[number].model, kv, tokens)

    def _read(self, number: int, start: int, count: int, left: int) -> tuple[SessionKV, list[int]]:
        kv = self._kv(number)
        if kv.length != start:
            raise DivergedError(f"a cache holds {kv.length} tokens, rank 0's {start}")
        kv.expect(left)
        return kv, self._caches[number].prompt[start : start + count]

    def _step(
        self,
        model: LoadedModel,
        rows: tuple[int, ...],
        shared: bool,
        readings: Sequence[Reading] = (),
    ) -> None:
        kvs = [self._kv(number) for number in rows]
        order, fed = runner.follow(model, kvs, shared, self._group.fed, readings)
        ids = integers(fed)
        turn = [(rows[row], kvs[row].length) for row in order]
        if ids[-1] != check_of(self.turn, turn):
            raise DivergedError("it was not in the same step as rank 0")
        for row, token in zip(order, ids, strict=False):
            kvs[row].note_fed(token)
