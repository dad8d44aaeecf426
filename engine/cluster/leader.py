"""Rank 0's side of the group, which announces computations and cache changes.

The caches of rank 0's sessions write all changes to a journal, and followers repeat them before
they compute a plan.
"""

from __future__ import annotations

import contextlib
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from typing import Any

import mlx.core as mx
from msgspec.structs import replace

from engine.cache.cache_objects import Caches
from engine.cache.ledger import common_length
from engine.cache.session_kv import SessionKV
from engine.cluster import sharding
from engine.cluster.group import Operation, RankGroup, TurnRecord, step_checksum
from engine.errors import MODEL_LOAD_FAILED, EngineError, RanksLostError, describe_error
from engine.model import fingerprint, loader
from engine.model.loaded_model import CheckedModel, LoadedModel
from engine.model.loader import Pieces
from engine.runtime.plan import Chunk, StepPlan
from engine.runtime.request import Request

_POLL_S = 0.01  # interval between checks for answers while followers are loading


class Journal:
    """Operations for the next record."""

    def __init__(self) -> None:
        # Set if an exception interrupted a cache change. After that, the ranks' caches may differ.
        self.error: BaseException | None = None
        # Thread-safe, since caches can be freed on any thread.
        self._operations: deque[Operation] = deque()
        self._depth = 0
        self._numbers = 0

    @property
    def is_empty(self) -> bool:
        return not self._operations

    def new_number(self) -> int:
        self._numbers += 1
        return self._numbers

    def add(self, name: str, *arguments: int | str) -> None:
        """Record an operation, unless another operation is being recorded."""
        if not self._depth or name == "free":
            self._operations.append(Operation(name, arguments))

    @contextlib.contextmanager
    def record(self, name: str, *arguments: int | str) -> Iterator[None]:
        """Record an operation, and ignore nested operations inside the block."""
        self.add(name, *arguments)
        with self.suppress():
            yield

    @contextlib.contextmanager
    def suppress(self) -> Iterator[None]:
        """Record nothing inside the block, which is part of an operation."""
        self._depth += 1
        try:
            yield
        except BaseException as error:
            self.error = self.error or error
            raise
        finally:
            self._depth -= 1

    def drain(self) -> list[Operation]:
        # Remove operations one by one, because other threads may be adding more.
        return [self._operations.popleft() for _ in range(len(self._operations))]


class JournaledKV(SessionKV):
    """Caches of a session on rank 0. Changes are written to the journal."""

    def __init__(
        self,
        journal: Journal,
        model: int,
        make: Callable[[], Caches],
        shares_prefix: bool,
        bits: int = 0,
    ) -> None:
        super().__init__(make, shares_prefix)
        self._journal, self._model, self._bits = journal, model, bits
        self.number = journal.new_number()  # identifies the cache in records
        journal.add("open", self.number, model, shares_prefix, bits)

    def __del__(self) -> None:
        self._journal.add("free", self.number)

    def new_empty(self) -> SessionKV:
        return JournaledKV(self._journal, self._model, self.make, self.shares_prefix, self._bits)

    def reuse_prefix(self, prompt: list[int]) -> int:
        cached_count = common_length(self.tokens, prompt)
        with self._journal.record("begin", self.number, cached_count, *prompt[cached_count:]):
            return super().reuse_prefix(prompt)

    def snapshot(self) -> None:
        with self._journal.record("snapshot", self.number):
            super().snapshot()

    def drop(self) -> None:
        with self._journal.record("drop", self.number):
            super().drop()

    def finish_reply(self) -> None:
        with self._journal.record("finish_reply", self.number):
            super().finish_reply()

    def leave_slots(self) -> Caches:
        if self.slot_buffer is None and self.stack is None:
            return self.layers
        with self._journal.record("leave_slots", self.number):
            return super().leave_slots()

    def copy_from(self, donor: SessionKV, length: int, room: bool = True) -> None:
        assert isinstance(donor, JournaledKV)
        with self._journal.record("take", self.number, donor.number, length, room):
            super().copy_from(donor, length, room)

    def fork(self) -> SessionKV:
        with self._journal.suppress():
            twin = super().fork()
        assert isinstance(twin, JournaledKV)
        self._journal.add("fork", self.number, twin.number)
        return twin


class FollowerClient:
    """Client for requests to all followers outside of collectives. Thread-safe."""

    def __init__(self, count: int, send_message: Callable[[dict[str, Any]], None]) -> None:
        self.send = send_message
        self._count = count
        self._changed = threading.Condition()  # guards the fields below
        self._last_question = 0
        self._answers: dict[int, list[dict[str, Any]]] = {}

    def ask(self, message: dict[str, Any]) -> int:
        with self._changed:
            self._last_question += 1
            number = self._last_question
            self._answers[number] = []
        self.send({**message, "question": number})
        return number

    def wait_for_answers(self, question: int, seconds: float) -> list[dict[str, Any]] | None:
        with self._changed:
            answers = self._answers[question]
            if not self._changed.wait_for(lambda: len(answers) == self._count, seconds):
                return None
            return self._answers.pop(question)

    def discard(self, question: int) -> None:
        with self._changed:
            self._answers.pop(question, None)

    def add_answer(self, message: dict[str, Any]) -> None:
        with self._changed:
            answers = self._answers.get(int(message["question"]))
            if answers is not None:
                answers.append(message)
                self._changed.notify_all()


class Leader:
    """Coordinator of rank 0, which announces turns to followers and loads models on all ranks.

    Attributes:
        busy: True from announcing a turn until `rest`.
    """

    def __init__(self, group: RankGroup, send_message: Callable[[dict[str, Any]], None]) -> None:
        self.turn = self.steps = 0
        self.busy = False
        self.loading = False
        self.shares = sharding.ShardSizes(group.mlx)
        self._group = group
        self._followers = FollowerClient(group.size - 1, send_message)
        self._journal = Journal()
        self._numbers: dict[int, int] = {}  # numbers of models, by `id` of the net

    @property
    def size(self) -> int:
        return self._group.size

    def handle_answer(self, message: dict[str, Any]) -> None:
        self._followers.add_answer(message)

    def announce(self, plan: StepPlan, requests: Mapping[str, Request]) -> None:
        """Announce a plan's computations and all cache changes since the last announcement.

        Raises:
            RanksLostError: if the ranks' caches may differ.
        """
        if self._journal.error is not None:
            raise _ranks_lost_error(self._journal.error)
        chunk = plan.chunk
        orders = []
        for step in plan.passes:
            fed_requests = [requests[i] for i in step.feed]
            if not fed_requests:
                continue
            rows = [_cache_number(r.kv) for r in fed_requests]
            model = self._numbers[id(fed_requests[0].session.model.net)]
            if chunk is not None and chunk.mixed:
                read = _chunk_arguments(chunk, requests)
                orders.append(Operation("mixed", (model, *read, *rows)))
            else:
                orders.append(Operation("pass", (model, step.shared, *rows)))
        if chunk is not None and not chunk.mixed:
            orders.append(Operation("chunk", _chunk_arguments(chunk, requests)))
        if orders:
            self._send(orders)

    def computed(self, errors: Sequence[BaseException | None]) -> None:
        """Check the results of a plan.

        Raises:
            RanksLostError: if there was an error, since the ranks' states may then differ.
        """
        for error in errors:
            if error is not None:
                raise _ranks_lost_error(error)

    def rest(self) -> None:
        """Let the followers wait outside of a collective, which would use a full core."""
        if self.busy or not self._journal.is_empty:
            self._send([Operation("rest")])
            self.busy = False

    def _send(self, orders: list[Operation]) -> None:
        if not self.busy:
            self._followers.send({"do": "wake"})
            self.busy = True
        self.turn += 1
        self.steps += 1
        self._group.send(TurnRecord(self.turn, (*self._journal.drain(), *orders)))

    def _feed(self, feeds: Sequence[mx.array], kvs: Sequence[SessionKV]) -> list[mx.array]:
        rows = [(_cache_number(kv), kv.length) for kv in kvs]
        fed_ids = self._group.feed(feeds, step_checksum(self.turn, rows))
        return list(mx.split(fed_ids[: len(rows), None], len(rows)))

    def load(self, checked_model: CheckedModel, wide: bool) -> Pieces:
        """Load each rank's shard of a model. See `loader.load`.

        Raises:
            EngineError: `unsupported_session`, `model_load_failed` or `out_of_memory`.
        """
        number = self._journal.new_number()
        try:
            net, config = sharding.load_shard(
                checked_model.folder, checked_model.name, self._group.mlx, wide
            )
        except EngineError:
            raise
        except Exception as error:
            raise loader.load_error(checked_model.name, checked_model.config, error) from None
        self.rest()
        self.loading = True
        try:
            yield from self._read_weights(number, net, checked_model, wide)
            return self._probe_model(number, net, checked_model, config)
        finally:
            self.loading = False

    def _read_weights(
        self, number: int, net: Any, checked_model: CheckedModel, wide: bool
    ) -> Generator[Any, None, None]:
        yield loader.parameter_arrays(net)
        question = self._followers.ask(
            {
                "do": "load",
                "model": number,
                "path": str(checked_model.folder.resolve()),
                "name": checked_model.name,
                "contents": checked_model.contents,
                "wide": wide,
            }
        )
        try:
            try:
                for share in loader.read_weights(net):
                    self.steps += 1
                    yield share
            except Exception as error:
                raise loader.load_error(checked_model.name, checked_model.config, error) from None
            while (answers := self._followers.wait_for_answers(question, _POLL_S)) is None:
                self.steps += 1
                yield
            for answer in answers:
                if "refused" in answer:
                    prefix = f"{checked_model.name} could not be loaded on rank {answer['rank']}"
                    raise EngineError(MODEL_LOAD_FAILED, f"{prefix}: {answer['refused']}")
        except BaseException:  # including cancellation
            self._followers.discard(question)
            self._followers.send({"do": "give up", "model": number})
            raise

    def _probe_model(
        self, number: int, net: Any, checked_model: CheckedModel, config: dict[str, Any]
    ) -> LoadedModel:
        words = len(checked_model.tokenizer)
        name = fingerprint.fingerprint(checked_model.contents, loader.compute_dtype(net))
        question = self._followers.ask(
            {"do": "measure", "model": number, "words": words, "id": name}
        )
        try:
            tried_model, result = sharding.probe_shard(
                net, words, self.size, self._count_step, checked_model.name
            )
        except Exception as error:
            raise _ranks_lost_error(error) from error
        while (answers := self._followers.wait_for_answers(question, _POLL_S)) is None:
            self.steps += 1
        checksum = sharding.plan_checksum(tried_model)
        mismatched = [answer["rank"] for answer in answers if answer["plans"] != checksum]
        if mismatched:
            raise RanksLostError(
                f"rank {mismatched[0]} executes plans differently. Use the same versions of "
                "Stretto, mlx and mlx-lm, and the same type of machine."
            )
        model = loader.assemble_model(net, checked_model, config, result)
        # Computing embeddings would run passes that aren't part of a plan.
        model.abilities = replace(model.abilities, body=None)
        model.info = replace(model.info, embeds=False)
        model.ranks, model.broadcast_tokens, model.quantized_caches = (
            self.size,
            self._feed,
            tried_model.quantized_caches,
        )
        model.new_kv = lambda make, shares, bits: JournaledKV(
            self._journal, number, make, shares, bits or 0
        )
        self._numbers[id(net)] = number
        return model

    def _count_step(self) -> None:
        self.steps += 1

    def unload(self, model: LoadedModel) -> None:
        self._journal.add("unload", self._numbers.pop(id(model.net)))


def _ranks_lost_error(error: BaseException) -> RanksLostError:
    return RanksLostError(f"Rank 0 failed: {describe_error(error)}")


def _cache_number(kv: SessionKV) -> int:
    assert isinstance(kv, JournaledKV)
    return kv.number


def _chunk_arguments(chunk: Chunk, requests: Mapping[str, Request]) -> tuple[int, ...]:
    request = requests[chunk.session]
    return _cache_number(request.kv), chunk.start, chunk.count, request.unread - chunk.count
