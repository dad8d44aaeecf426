"""Ranks other than 0, which replay rank 0's records on their shards of weights and caches."""

from __future__ import annotations

import queue
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import mlx.core as mx
from msgspec import Struct, field
from msgspec.structs import replace

from engine.cache.cache_objects import stagger_growth
from engine.cache.session_kv import SessionKV
from engine.cluster import sharding
from engine.cluster.group import RankGroup, TurnRecord, step_checksum, to_list
from engine.cluster.machines import find_model
from engine.errors import EngineError, describe_error
from engine.model import fingerprint, folder, loader, runner
from engine.model.loaded_model import LoadedModel
from engine.model.quantized_kv import quantized_caches
from engine.model.runner import PrefillChunk


class DivergedError(Exception):
    pass


class FollowerCache(Struct):
    kv: SessionKV
    model: LoadedModel
    prompt: list[int] = field(default_factory=list)  # tokens of the current prefill


class Follower:
    """Models and caches of a follower, by rank 0's numbers.

    Attributes:
        steps: progress counter, increased with every record, and with every chunk while loading.
    """

    def __init__(
        self,
        group: RankGroup,
        send_message: Callable[[dict[str, Any]], None],
        copies: str = "",
    ) -> None:
        self.turn = 0
        self.steps = 0
        self.busy = self.loading = False
        self._group = group
        self._send_message = send_message
        self._copies = copies
        # Nets whose weights are loaded, but which `_probe_model` hasn't tried.
        self._reading: dict[int, Any] = {}
        self._models: dict[int, LoadedModel] = {}
        self._caches: dict[int, FollowerCache] = {}

    def follow(self, messages: queue.SimpleQueue[dict[str, Any]]) -> None:
        """Process messages until this process is killed.

        "wake" starts a series of records. While rank 0 is idle, this thread waits for a message
        instead of a record, because waiting in a collective uses a full core.
        """
        while True:
            self.busy = self.loading = False
            message = messages.get()
            self.busy, self.loading = True, message["do"] != "wake"
            match message["do"]:
                case "wake":
                    while not self._replay(self._group.receive()):
                        pass
                case "load":
                    self._send_message({"question": message["question"], **self._load(message)})
                case "measure":
                    self._probe_model(message)
                case "give up":
                    self._reading.pop(message["model"], None)

    def _replay(self, record: TurnRecord) -> bool:
        if record.turn != self.turn + 1:
            raise DivergedError(f"turn {record.turn} follows turn {self.turn}")
        self.turn = record.turn
        self.steps += 1
        for order in record.operations:
            if order.name == "rest":
                return True
            getattr(self, f"do_{order.name}")(*order.arguments)
        return False

    def _load(self, message: dict[str, Any]) -> dict[str, Any]:
        name, contents = message["name"], message["contents"]
        path = find_model(Path(message["path"]), contents, self._copies)
        try:
            folder.check_folder(path, name)
            if fingerprint.hash_contents(path) != contents:
                raise ValueError("the model folder has different contents")
            net, _ = sharding.load_shard(path, name, self._group.mlx, message["wide"])
            for _ in loader.read_weights(net):
                self.steps += 1
        except Exception as error:
            words = error.message if isinstance(error, EngineError) else str(error)
            return {"refused": words or describe_error(error)}
        self._reading[int(message["model"])] = net
        return {}

    def _probe_model(self, message: dict[str, Any]) -> None:
        number = int(message["model"])
        net = self._reading.pop(number)
        model, _ = sharding.probe_shard(
            net, int(message["words"]), self._group.size, self._count_step
        )
        model.info = replace(model.info, id=message["id"])
        self._models[number] = model
        self._send_message(
            {"question": message["question"], "plans": sharding.plan_checksum(model)}
        )

    def _count_step(self) -> None:
        self.steps += 1

    def do_unload(self, model: int) -> None:
        self._models.pop(model)
        mx.clear_cache()

    def _kv(self, number: int) -> SessionKV:
        return self._caches[number].kv

    def do_open(self, number: int, model: int, shares_prefix: bool, bits: int) -> None:
        loaded = self._models[model]
        make = quantized_caches(loaded, bits).make if bits else loaded.new_caches
        self._caches[number] = FollowerCache(SessionKV(make, shares_prefix), loaded)

    def do_free(self, number: int) -> None:
        self._caches.pop(number).kv.drop()

    def do_fork(self, number: int, twin: int) -> None:
        cache = self._caches[number]
        self._caches[twin] = FollowerCache(cache.kv.fork(), cache.model)

    def do_begin(self, number: int, cached_count: int, *new_tokens: int) -> None:
        """Start a prefill with ``cached_count`` cached tokens, followed by ``new_tokens``."""
        cache = self._caches[number]
        cache.prompt = [*cache.kv.tokens[:cached_count], *new_tokens]
        cache.kv.reuse_prefix(cache.prompt)

    def do_take(self, number: int, donor: int, length: int, room: bool) -> None:
        self._kv(number).copy_from(self._kv(donor), length, room)

    def do_snapshot(self, number: int) -> None:
        self._kv(number).snapshot()

    def do_drop(self, number: int) -> None:
        self._kv(number).drop()

    def do_finish_reply(self, number: int) -> None:
        self._kv(number).finish_reply()

    def do_leave_slots(self, number: int) -> None:
        self._kv(number).leave_slots()

    def do_pass(self, model: int, shared: bool, *rows: int) -> None:
        self._run_pass(self._models[model], rows, shared)

    def do_mixed(
        self, model: int, number: int, start: int, count: int, remaining: int, *rows: int
    ) -> None:
        kv, tokens = self._take_chunk(number, start, count, remaining)
        self._run_pass(self._models[model], rows, True, [PrefillChunk(kv, tokens)])

    def do_chunk(self, number: int, start: int, count: int, remaining: int) -> None:
        kv, tokens = self._take_chunk(number, start, count, remaining)
        runner.prefill(self._caches[number].model, kv, tokens)

    def _take_chunk(
        self, number: int, start: int, count: int, remaining: int
    ) -> tuple[SessionKV, list[int]]:
        kv = self._kv(number)
        if kv.length != start:
            raise DivergedError(f"a cache has {kv.length} tokens, rank 0's has {start}")
        stagger_growth(kv.layers, remaining)
        return kv, self._caches[number].prompt[start : start + count]

    def _run_pass(
        self,
        model: LoadedModel,
        rows: tuple[int, ...],
        shared: bool,
        readings: Sequence[PrefillChunk] = (),
    ) -> None:
        kvs = [self._kv(number) for number in rows]
        order, fed_ids = runner.decode_on_follower(
            model, kvs, shared, self._group.receive_feed, readings
        )
        ids = to_list(fed_ids)
        turn = [(rows[row], kvs[row].length) for row in order]
        if ids[-1] != step_checksum(self.turn, turn):
            raise DivergedError("this rank was in a different step from rank 0")
        for row, token in zip(order, ids, strict=False):
            kvs[row].record_token(token)
