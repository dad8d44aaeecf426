"""Rank 0's part in the group: it announces what its engine does to caches and computes.

Everything else of rank 0 is an engine like any other. The caches of its sessions record in a
journal what is done to them, and the followers repeat that before they compute what a plan says.
"""

from __future__ import annotations

import contextlib
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import mlx.core as mx
from msgspec.structs import replace

from engine.cache.cache_file import Contents
from engine.cache.cache_objects import Caches
from engine.cache.ledger import common_prefix
from engine.cache.offload import LEAST_TOKENS, Offload
from engine.cache.session_kv import SessionKV
from engine.cluster import sharding
from engine.cluster.group import Group, Order, Record, check_of, file_digest
from engine.errors import MODEL_LOAD_FAILED, EngineError, RanksLostError, words_of
from engine.model import fingerprint, loader, vocabulary
from engine.model.loaded import LoadedModel
from engine.model.loader import Examined, Pieces
from engine.runtime.plan import Chunk, StepPlan
from engine.runtime.request import Request

READING = 20.0
"""Seconds for all followers to read their files. They are about as large as rank 0's."""

LEAVING = 8.0  # seconds for them to write what is on its way, when the engine ends

_LOOK = 0.01  # seconds between two looks whether followers that load have answered


class Journal:
    """The orders since the last record."""

    def __init__(self) -> None:
        # what raised while caches were changed: the ranks may not have the same any more
        self.fault: BaseException | None = None
        self._orders: deque[Order] = deque()  # caches may be freed on any thread
        self._depth = 0
        self._numbers = 0

    @property
    def empty(self) -> bool:
        return not self._orders

    def number(self) -> int:
        """Return a number for a new cache, or for a new model."""
        self._numbers += 1
        return self._numbers

    def add(self, name: str, *arguments: int | str) -> None:
        """Record an operation, unless it is part of one that is recorded already."""
        if not self._depth or name == "free":
            self._orders.append(Order(name, arguments))

    @contextlib.contextmanager
    def doing(self, name: str, *arguments: int | str) -> Iterator[None]:
        """Record an operation; operations inside the block are part of it."""
        self.add(name, *arguments)
        with self.quietly():
            yield

    @contextlib.contextmanager
    def quietly(self) -> Iterator[None]:
        """Record nothing inside the block: it is part of an operation that is recorded."""
        self._depth += 1
        try:
            yield
        except BaseException as error:
            self.fault = self.fault or error
            raise
        finally:
            self._depth -= 1

    def take(self) -> list[Order]:
        """Remove and return the orders so far."""
        # One by one: what another thread adds meanwhile is left for the next record.
        return [self._orders.popleft() for _ in range(len(self._orders))]


class SpreadKV(SessionKV):
    """A session's caches on rank 0, which record in the journal what is done to them."""

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
        self.number = journal.number()  # by which records name them
        journal.add("open", self.number, model, shares_prefix, bits)

    def __del__(self) -> None:
        self._journal.add("free", self.number)

    def another(self) -> SessionKV:
        return SpreadKV(self._journal, self._model, self.make, self.shares_prefix, self._bits)

    def begin(self, prompt: list[int]) -> int:
        known = common_prefix(self.tokens, prompt)
        with self._journal.doing("begin", self.number, known, *prompt[known:]):
            return super().begin(prompt)

    def snapshot(self) -> None:
        with self._journal.doing("snapshot", self.number):
            super().snapshot()

    def drop(self) -> None:
        with self._journal.doing("drop", self.number):
            super().drop()

    def settle(self) -> None:
        with self._journal.doing("settle", self.number):
            super().settle()

    def leave_slots(self) -> None:
        if self.slots is not None or self.stack is not None:
            with self._journal.doing("leave_slots", self.number):
                super().leave_slots()

    def restore(self, name: str, *taken: Any) -> None:
        with self._journal.doing("restore", self.number, name):
            super().restore(name, *taken)

    def take_from(self, donor: SessionKV, length: int, room: bool = True) -> None:
        assert isinstance(donor, SpreadKV)
        with self._journal.doing("take", self.number, donor.number, length, room):
            super().take_from(donor, length, room)

    def fork(self) -> SessionKV:
        with self._journal.quietly():
            twin = super().fork()
        assert isinstance(twin, SpreadKV)
        self._journal.add("fork", self.number, twin.number)
        return twin


class Followers:
    """What rank 0 asks of all followers, outside the collectives. Each answers once.

    Any thread may ask.

    Args:
        count: how many there are.
        tell: sends a message to all of them.
    """

    def __init__(self, count: int, tell: Callable[[dict[str, Any]], None]) -> None:
        self.tell = tell
        self._count = count
        self._news = threading.Condition()  # guards what follows
        self._asked = 0
        self._answers: dict[int, list[dict[str, Any]]] = {}

    def ask(self, message: dict[str, Any]) -> int:
        """Send a question to all of them; returns its number."""
        with self._news:
            self._asked += 1
            number = self._asked
            self._answers[number] = []
        self.tell({**message, "question": number})
        return number

    def answers(self, question: int, seconds: float) -> list[dict[str, Any]] | None:
        """What each has answered; None where one has not within so many seconds."""
        with self._news:
            found = self._answers[question]
            if not self._news.wait_for(lambda: len(found) == self._count, seconds):
                return None
            return self._answers.pop(question)

    def forget(self, question: int) -> None:
        with self._news:
            self._answers.pop(question, None)

    def hear(self, message: dict[str, Any]) -> None:
        """Take an answer, on the thread that listens."""
        with self._news:
            found = self._answers.get(int(message["question"]))
            if found is not None:
                found.append(message)
                self._news.notify_all()


class Files(Offload):
    """Caches on disk of spread models: a file in each rank, of its own part of a chat's caches.

    Rank 0 decides what is written and removed, and notes it for the followers. A file is read again
    only where all ranks have one of the same tokens; otherwise the chat's prompt is read.

    Args:
        limit: bytes that the files of all ranks may take together.
    """

    def __init__(
        self, journal: Journal, followers: Followers, ranks: int, folder: Path | None, limit: int
    ) -> None:
        super().__init__(folder, limit // ranks)
        self._journal, self._followers, self._ranks = journal, followers, ranks
        self._noted = 0  # files written and removed; followers count them, too

    @property
    def nbytes(self) -> int:
        return super().nbytes * self._ranks

    def save(self, name: str, fingerprint: str, kv: SessionKV) -> None:
        if self._folder is not None and kv.take_out() and kv.length >= LEAST_TOKENS:
            assert isinstance(kv, SpreadKV)
            self._note("save", kv.number, self._path(name).stem)
        super().save(name, fingerprint, kv)

    def forget(self, name: str) -> None:
        if self._folder is not None:
            self._note("forget", self._path(name).stem)
        super().forget(name)

    def _note(self, name: str, *arguments: int | str) -> None:
        self._noted += 1
        self._journal.add(name, *arguments)

    def read(self, name: str, fingerprint: str) -> Contents | None:
        """As of one rank, where all ranks have such a file. Waits for them."""
        contents = super().read(name, fingerprint)
        if contents is None:
            return None
        question = self._followers.ask(
            {
                "do": "read file",
                "name": contents.record.name,
                "fingerprint": fingerprint,
                "digest": file_digest(contents.record),
                "after": self._noted,
            }
        )
        answers = self._followers.answers(question, READING)
        if answers is None:
            self._followers.forget(question)
            return None
        return contents if all(answer["holds"] is True for answer in answers) else None


class Leader:
    """Announces turns, and has models loaded by all ranks.

    Attributes:
        turn: of the last record.
        steps: grows with each record, and with each piece of a model.
        busy: whether a turn is announced and the engine does not rest.
        loading: all ranks read a model: nothing can be computed meanwhile.
        shares: what each rank would hold of a model.

    Args:
        tell: sends a message to all followers.
    """

    def __init__(self, group: Group, tell: Callable[[dict[str, Any]], None]) -> None:
        self.turn = self.steps = 0
        self.busy = False
        self.loading = False
        self.shares = sharding.Shares(group.mlx)
        self._group = group
        self._followers = Followers(group.size - 1, tell)
        self._journal = Journal()
        self._numbers: dict[int, int] = {}  # of models, by the identity of their nets
        self._unsure = False  # followers may still read what nobody wants

    @property
    def size(self) -> int:
        return self._group.size

    def offload(self, folder: Path | None, limit: int) -> Files:
        """The caches on disk of all ranks.

        Args:
            folder: of rank 0's.
            limit: bytes that the files of all ranks may take together.
        """
        return Files(self._journal, self._followers, self.size, folder, limit)

    def hear(self, message: dict[str, Any]) -> None:
        """Take a follower's answer, on the thread that listens."""
        self._followers.hear(message)

    def leave(self) -> None:
        """The engine ends in order: the followers, too, write what is to be kept."""
        if not self._unsure:
            self.rest()
            self._followers.answers(self._followers.ask({"do": "leave"}), LEAVING)

    # -- turns ------------------------------------------------------------------------------

    def announce(self, plan: StepPlan, requests: Mapping[str, Request]) -> None:
        """Announce what a plan computes, and what has been done to caches since the last one.

        Raises:
            RanksLostError: the ranks may not hold the same any more.
        """
        if self._journal.fault is not None:
            raise _lost(self._journal.fault)
        chunk = plan.chunk
        orders = []
        for step in plan.passes:
            fed = [requests[i] for i in step.feed]
            if not fed:
                continue
            rows = [_number(r.kv) for r in fed]
            model = self._numbers[id(fed[0].session.model.net)]
            if chunk is not None and chunk.mixed:
                read = _reading(chunk, requests)
                orders.append(Order("mixed", (model, *read, *rows)))
            else:
                orders.append(Order("pass", (model, step.shared, *rows)))
        if chunk is not None and not chunk.mixed:
            orders.append(Order("chunk", _reading(chunk, requests)))
        if orders:
            self._send(orders)

    def computed(self, errors: Sequence[BaseException | None]) -> None:
        """Take note of how a plan was carried out here.

        Raises:
            RanksLostError: not as on the other ranks.
        """
        for error in errors:
            if error is not None:
                raise _lost(error)

    def rest(self) -> None:
        """Let the followers wait without a collective: they would spin in one."""
        if self.busy or not self._journal.empty:
            self._send([Order("rest")])
            self.busy = False

    def _send(self, orders: list[Order]) -> None:
        if not self.busy:
            self._followers.tell({"do": "wake"})
            self.busy = True
        self.turn += 1
        self.steps += 1
        self._group.send(Record(self.turn, (*self._journal.take(), *orders)))

    def _feed(self, feeds: Sequence[mx.array], kvs: Sequence[SessionKV]) -> list[mx.array]:
        """The pending tokens of a pass's rows, handed to all ranks: each `[1, 1]`, lazy."""
        rows = [(_number(kv), kv.length) for kv in kvs]
        fed = self._group.feed(feeds, check_of(self.turn, rows))
        return list(mx.split(fed[: len(rows), None], len(rows)))

    # -- models -----------------------------------------------------------------------------

    def load(self, examined: Examined, wide: bool) -> Pieces:
        """As `loader.load`, on all ranks: each reads its part of the weights.

        Raises:
            EngineError: `unsupported_session`, `model_load_failed` or `out_of_memory`.
        """
        number = self._journal.number()
        self._unsure = True
        try:
            net, config = sharding.part(examined.folder, examined.name, self._group.mlx, wide)
        except EngineError:
            raise
        except Exception as error:
            raise loader.load_error(examined.name, examined.config, error) from None
        self.rest()
        self.loading = True
        try:
            yield from self._read(number, net, examined, wide)
            model = self._complete(number, net, examined, config)
            self._unsure = False
            return model
        finally:
            self.loading = False

    def _read(
        self, number: int, net: Any, examined: Examined, wide: bool
    ) -> Generator[Any, None, None]:
        """All ranks read their parts of the weights. One that is told to give up may go on."""
        yield loader.arrays(net)
        question = self._followers.ask(
            {
                "do": "load",
                "model": number,
                "path": str(examined.folder.resolve()),
                "name": examined.name,
                "contents": examined.contents,
                "wide": wide,
            }
        )
        try:
            try:
                for share in loader.read_weights(net):
                    self.steps += 1
                    yield share
            except Exception as error:
                raise loader.load_error(examined.name, examined.config, error) from None
            while (answers := self._followers.answers(question, _LOOK)) is None:
                self.steps += 1
                yield
            for answer in answers:
                if "refused" in answer:
                    where = f"{examined.name} could not be loaded on rank {answer['rank']}"
                    raise EngineError(MODEL_LOAD_FAILED, f"{where}: {answer['refused']}")
        except BaseException:  # nobody may want it any more
            self._followers.forget(question)
            self._followers.tell({"do": "give up", "model": number})
            raise

    def _complete(
        self, number: int, net: Any, examined: Examined, config: dict[str, Any]
    ) -> LoadedModel:
        """All ranks find out what the model can do, in the same passes. Nothing comes between."""
        words = vocabulary.words(examined.tokenizer)
        name = fingerprint.fingerprint(examined.contents, loader.compute_dtype(net))
        question = self._followers.ask(
            {"do": "measure", "model": number, "words": words, "id": name}
        )
        try:
            tried, found = sharding.try_out(net, words, self.size, self._step_done, examined.name)
        except Exception as error:
            raise _lost(error) from error
        while (answers := self._followers.answers(question, _LOOK)) is None:
            self.steps += 1
        wanted = sharding.plans(tried)
        other = [answer["rank"] for answer in answers if answer["plans"] != wanted]
        if other:
            raise RanksLostError(
                f"rank {other[0]} would carry out plans in another way. Use the same versions of "
                "Stretto, mlx and mlx-lm, and the same kind of machine."
            )
        model = loader.loaded(net, examined, config, found)
        # Embeddings would be read in passes that no plan knows.
        model.can = replace(model.can, body=None)
        model.info = replace(model.info, embeds=False)
        model.ranks, model.feed, model.kept_in = self.size, self._feed, tried.kept_in
        model.new_kv = lambda make, shares, bits: SpreadKV(
            self._journal, number, make, shares, bits or 0
        )
        self._numbers[id(net)] = number
        return model

    def _step_done(self) -> None:
        self.steps += 1

    def unload(self, model: LoadedModel) -> None:
        """Have the followers free their parts of a model, whose sessions have ended."""
        self._journal.add("unload", self._numbers.pop(id(model.net)))


def _lost(error: BaseException) -> RanksLostError:
    """What all callers get after a fault that leaves the ranks apart."""
    return RanksLostError(f"Rank 0 failed: {words_of(error)}")


def _number(kv: SessionKV) -> int:
    assert isinstance(kv, SpreadKV)
    return kv.number


def _reading(chunk: Chunk, requests: Mapping[str, Request]) -> tuple[int, ...]:
    request = requests[chunk.session]
    return _number(request.kv), chunk.start, chunk.count, request.unread - chunk.count
