"""A rank that follows: it does what rank 0's records say, with its part of weights and caches."""

from __future__ import annotations

import queue
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import mlx.core as mx

from engine.core.ranks import spreading
from engine.core.ranks.files import FollowingFiles
from engine.core.ranks.group import Group, check_of, integers
from engine.core.ranks.hosts import copies
from engine.core.ranks.journal import digest
from engine.core.ranks.record import Do, Record, as_name
from engine.core.ranks.spreading import model_of
from engine.errors import EngineError, words_of
from engine.kv.offload import kv_fingerprint
from engine.kv.session_kv import SessionKV
from engine.model import fingerprint, folder, runner
from engine.model.loaded import LoadedModel
from engine.model.quantised import kept_in
from engine.model.reading import Reading

_WRITING = 0.5  # seconds between two looks whether files have been written


class DivergedError(Exception):
    """This rank does not hold, or was not fed, what rank 0 was."""


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
        models: the folder for copies of models on this machine; "" for none.
    """

    def __init__(
        self,
        group: Group,
        tell: Callable[[dict[str, Any]], None],
        files: FollowingFiles,
        models: str = "",
    ) -> None:
        self.turn = 0
        self.steps = 0
        self.busy = self.loading = False
        self._group = group
        self._tell = tell
        self._files = files
        self._copies = models
        self._ids: dict[int, str] = {}  # of models, as in the fingerprint of their caches
        self._models: dict[int, LoadedModel] = {}
        self._reading: dict[int, Any] = {}  # nets whose weights have been read
        self._caches: dict[int, tuple[SessionKV, LoadedModel]] = {}
        self._fingerprints: dict[int, str] = {}
        self._prompts: dict[int, list[int]] = {}
        self._orders: dict[Do, Callable[..., None]] = {
            Do.OPEN: self._open,
            Do.FREE: self._free,
            Do.FORK: self._fork,
            Do.BEGIN: self._begin,
            Do.TAKE: self._take,
            Do.SNAPSHOT: lambda number: self._kv(number).snapshot(),
            Do.DROP: lambda number: self._kv(number).drop(),
            Do.SETTLE: lambda number: self._kv(number).settle(),
            Do.LEAVE: lambda number: self._kv(number).leave_slots(),
            Do.SAVE: self._save,
            Do.RESTORE: self._restore,
            Do.FORGET: self._forget,
            Do.UNLOAD: self._unload,
            Do.PASS: self._pass,
            Do.MIXED: self._mixed,
            Do.CHUNK: self._chunk,
            Do.DIGEST: self._compare,
            Do.REST: lambda: None,
        }

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
                    while not self._replay(self._group.hear()):
                        pass
                case "load":
                    self._load(message)
                case "measure":
                    self._measure(message)
                case "give up":
                    self._reading.pop(message["model"], None)
                case "leave":
                    self._files.close()
                    self._tell({"left": True})

    def _next(self, messages: queue.SimpleQueue[dict[str, Any]]) -> dict[str, Any]:
        """Wait for a message; what has been written to disk meanwhile is freed."""
        while True:
            try:
                return messages.get(timeout=_WRITING if self._files.pending() else None)
            except queue.Empty:
                self._files.settle()

    def _replay(self, record: Record) -> bool:
        """Do what a record says; True where rank 0 rests after it.

        Raises:
            DivergedError: this rank has not come to where rank 0 is.
        """
        if record.turn != self.turn + 1:
            raise DivergedError(f"turn {record.turn} came after turn {self.turn}")
        self.turn = record.turn
        self.steps += 1
        if self._files.pending():
            self._files.settle()
        rests = False
        for order in record.orders:
            self._orders[order.do](*order.numbers)
            rests = order.do is Do.REST
        return rests

    # -- models -----------------------------------------------------------------------------

    def _load(self, message: dict[str, Any]) -> None:
        model, name, wanted = int(message["model"]), message["name"], message["contents"]
        path = copies.found(Path(message["path"]), wanted, self._copies)
        try:
            folder.check(path, name)
            if fingerprint.contents(path) != wanted:
                raise ValueError("its model folder has other contents")
            net, _ = spreading.part(path, name, self._group.mlx, message["wide"])
            for _ in spreading.read(net):
                self.steps += 1
        except Exception as error:
            words = error.message if isinstance(error, EngineError) else str(error)
            self._tell({"refused": words or words_of(error), "model": model})
            return
        self._reading[model] = net
        self._tell({"ready": True, "model": model})

    def _measure(self, message: dict[str, Any]) -> None:
        number = int(message["model"])
        net = self._reading.pop(number)
        words = int(message["words"])
        found = spreading.measured(net, words, self._step_done)
        model = model_of(net, found, self._group.size)
        spreading.try_bits(model, words, self._step_done)
        self._models[number], self._ids[number] = model, message["id"]
        self._tell({"plans": spreading.plans(model), "model": number})

    def _step_done(self) -> None:
        self.steps += 1

    def _unload(self, model: int) -> None:
        self._models.pop(model)
        self._ids.pop(model)
        mx.clear_cache()

    # -- caches -----------------------------------------------------------------------------

    def _kv(self, number: int) -> SessionKV:
        return self._caches[number][0]

    def _open(self, number: int, model: int, shares_prefix: int, bits: int) -> None:
        loaded = self._models[model]
        make = kept_in(loaded, bits).make if bits else loaded.new_caches
        self._caches[number] = SessionKV(make, bool(shares_prefix)), loaded
        self._fingerprints[number] = kv_fingerprint(self._ids[model], bits or None)

    def _free(self, number: int) -> None:
        kv, _ = self._caches.pop(number)
        kv.drop()
        self._prompts.pop(number, None)
        self._fingerprints.pop(number)

    def _fork(self, number: int, twin: int) -> None:
        kv, loaded = self._caches[number]
        self._caches[twin] = kv.fork(), loaded
        self._fingerprints[twin] = self._fingerprints[number]

    def _begin(self, number: int, known: int, *others: int) -> None:
        kv = self._kv(number)
        self._prompts[number] = [*kv.tokens[:known], *others]
        kv.begin(self._prompts[number])

    def _take(self, number: int, donor: int, length: int, room: int) -> None:
        self._kv(number).take_from(self._kv(donor), length, bool(room))

    def _save(self, number: int, *name: int) -> None:
        self._files.save(as_name(name), self._fingerprints[number], self._kv(number))
        self._files.done()

    def _restore(self, number: int, *name: int) -> None:
        self._files.restore(as_name(name), self._kv(number))

    def _forget(self, *name: int) -> None:
        self._files.forget(as_name(name))
        self._files.done()

    def _compare(self, wanted: int) -> None:
        if digest([(n, kv) for n, (kv, _) in self._caches.items()]) != wanted:
            raise DivergedError("its caches are not what rank 0's are")

    # -- computing --------------------------------------------------------------------------

    def _pass(self, model: int, shared: int, *rows: int) -> None:
        self._step(self._models[model], rows, bool(shared))

    def _mixed(
        self, model: int, number: int, start: int, count: int, left: int, *rows: int
    ) -> None:
        kv, tokens = self._read(number, start, count, left)
        self._step(self._models[model], rows, True, [Reading(kv, tokens)])

    def _chunk(self, number: int, start: int, count: int, left: int) -> None:
        kv, tokens = self._read(number, start, count, left)
        runner.prefill(self._caches[number][1], kv, tokens)

    def _read(self, number: int, start: int, count: int, left: int) -> tuple[SessionKV, list[int]]:
        kv = self._kv(number)
        if kv.length != start:
            raise DivergedError(f"a cache holds {kv.length} tokens, rank 0's {start}")
        kv.expect(left)
        return kv, self._prompts[number][start : start + count]

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
