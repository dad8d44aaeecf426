"""Rank 0's part in the group: announces what its engine does to caches and computes."""

from __future__ import annotations

import queue
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import mlx.core as mx

from engine.core.ranks import spreading
from engine.core.ranks.group import Group, check_of
from engine.core.ranks.journal import Journal, SpreadKV, digest
from engine.core.ranks.record import Do, Order, encode
from engine.core.session import SessionState
from engine.errors import (
    MODEL_LOAD_FAILED,
    UNSUPPORTED_SESSION,
    EngineError,
    RanksLostError,
    words_of,
)
from engine.kv.cache_objects import Caches
from engine.kv.session_kv import SessionKV
from engine.model import loader
from engine.model.loaded import LoadedModel
from engine.model.loader import Examined, Pieces
from engine.scheduling.plan import Chunk, StepPlan

_LOOK = 0.01  # seconds between two looks whether the followers have read their parts


class Leader:
    """Announces turns, and has models loaded by all ranks.

    Attributes:
        turn: of the last record.
        steps: grows with each record, and with each piece of a model.
        busy: whether a turn is announced and the engine does not rest.
        loading: all ranks read a model: nothing can be computed meanwhile.
        heard: messages of the followers, each with its "rank".
        check_every: after so many turns the followers compare their caches with these; 0 is never.

    Args:
        tell: sends a message to all followers.
    """

    def __init__(
        self, group: Group, tell: Callable[[dict[str, Any]], None], check_every: int = 0
    ) -> None:
        self.turn = self.steps = 0
        self.busy = False
        self.loading = False
        self.heard: queue.SimpleQueue[dict[str, Any]] = queue.SimpleQueue()
        self.check_every = check_every
        self._group = group
        self._tell = tell
        self._journal = Journal()
        self._numbers: dict[int, int] = {}  # of models, by the identity of their nets

    @property
    def size(self) -> int:
        """How many ranks there are."""
        return self._group.size

    # -- turns ------------------------------------------------------------------------------

    def announce(self, plan: StepPlan, answering: Mapping[str, SessionState]) -> None:
        """Tell what a plan computes, and what has been done to caches since the last one.

        Raises:
            RanksLostError: the ranks may not hold the same any more.
        """
        if self._journal.fault is not None:
            raise lost(self._journal.fault)
        chunk = plan.chunk
        orders = []
        for step in plan.passes:
            fed = [answering[i] for i in step.feed]
            if not fed:
                continue
            rows = [_number(s.kv) for s in fed]
            model = self._number_of(fed[0].model)
            if chunk is not None and chunk.mixed:
                read = _reading(chunk, answering)
                orders.append(Order(Do.MIXED, (model, *read, *rows)))
            else:
                orders.append(Order(Do.PASS, (model, step.shared, *rows)))
        if chunk is not None and not chunk.mixed:
            orders.append(Order(Do.CHUNK, _reading(chunk, answering)))
        if orders:
            self._say(orders)

    def computed(self, errors: Sequence[BaseException | None]) -> None:
        """Take note of how a plan was carried out here.

        Raises:
            RanksLostError: not as on the other ranks.
        """
        for error in errors:
            if error is not None:
                raise lost(error)

    def feed(self, feeds: Sequence[mx.array], kvs: Sequence[SessionKV]) -> list[mx.array]:
        """The pending tokens of a pass's rows, handed to all ranks: each `[1, 1]`, lazy."""
        rows = [(_number(kv), kv.length) for kv in kvs]
        fed = self._group.feed(feeds, check_of(self.turn, rows))
        return list(mx.split(fed[: len(rows), None], len(rows)))

    def rest(self) -> None:
        """Let the followers wait without a collective: they would spin in one."""
        if self.busy or not self._journal.empty:
            self._say([Order(Do.REST)])
            self.busy = False

    def _say(self, orders: list[Order]) -> None:
        if not self.busy:
            self._tell({"do": "wake"})
            self.busy = True
        self.turn += 1
        self.steps += 1
        said = self._journal.take()
        if self.check_every and self.turn % self.check_every == 0:
            said.append(Order(Do.DIGEST, (digest(self._journal.caches),)))
        self._group.say(encode(self.turn, [*said, *orders]))

    # -- models -----------------------------------------------------------------------------

    def check(self, examined: Examined, adapted: bool) -> None:
        """Refuse a model that cannot be spread, before anything of it is read.

        Args:
            adapted: with an adapter.

        Raises:
            EngineError: `unsupported_session`.
        """
        if adapted:
            why = "A model with an adapter cannot be spread over several ranks."
            raise EngineError(UNSUPPORTED_SESSION, why)
        spreading.check(examined.name, examined.config, self.size)

    def load(self, examined: Examined, wide: bool) -> Pieces:
        """As `loader.load`, on all ranks: each reads its part of the weights.

        Raises:
            EngineError: `unsupported_session`, `model_load_failed` or `out_of_memory`.
        """
        number = self._journal.number()
        try:
            net, config = spreading.part(examined.folder, examined.name, self._group.mlx, wide)
        except EngineError:
            raise
        except Exception as error:
            raise loader.load_error(examined.name, examined.config, error) from None
        self.rest()
        self.loading = True
        try:
            yield from self._read(number, net, examined, wide)
            return self._complete(number, net, examined, config)
        finally:
            self.loading = False

    def _read(
        self, number: int, net: Any, examined: Examined, wide: bool
    ) -> Generator[Any, None, None]:
        """All ranks read their parts of the weights. Who is told to give up may still read."""
        try:
            yield loader.arrays(net)
            self._tell(
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
                for share in spreading.read(net):
                    self.steps += 1
                    yield share
            except Exception as error:
                raise loader.load_error(examined.name, examined.config, error) from None
            answers = yield from self._answers(number)
            refused = [f"{_place(a)}: {a['refused']}" for a in answers if "refused" in a]
            if refused:
                why = f"{examined.name} could not be loaded on {refused[0]}"
                raise EngineError(MODEL_LOAD_FAILED, why)
        except BaseException:  # nobody may want it any more
            self._tell({"do": "give up", "model": number})
            raise

    def _complete(
        self, number: int, net: Any, examined: Examined, config: dict[str, Any]
    ) -> LoadedModel:
        """All ranks find out what the model can do, in the same passes. Nothing comes between."""
        words = loader.words(examined)
        self._tell({"do": "measure", "model": number, "words": words})
        try:
            found = spreading.measured(net, words, self._step_done)
        except Exception as error:
            raise lost(error) from error
        wanted, answers = spreading.plans(found), self._answers(number)
        other = [_place(a) for a in _result(answers) if a.get("plans") != wanted]
        if other:
            raise RanksLostError(
                f"{other[0]} would carry out plans in another way. Use the same versions of "
                "Stretto, mlx and mlx-lm, and the same kind of machine."
            )
        model = loader.loaded(net, examined, config, found)
        model.body = None  # embeddings are read in passes that no plan knows
        model.info = replace(model.info, embeds=False)
        model.ranks, model.feed = self.size, self.feed
        model.new_kv = lambda make, shares: self._new_kv(number, make, shares)
        self._numbers[id(net)] = number
        return model

    def _step_done(self) -> None:
        self.steps += 1

    def unload(self, model: LoadedModel) -> None:
        """Have the followers free their parts of a model, whose sessions have ended."""
        self._journal.add(Do.UNLOAD, self._numbers.pop(id(model.net)))

    def _new_kv(self, model: int, make: Callable[[], Caches], shares_prefix: bool) -> SessionKV:
        return SpreadKV(self._journal, model, make, shares_prefix)

    def _number_of(self, model: LoadedModel) -> int:
        return self._numbers[id(model.net)]

    def _answers(self, model: int) -> Generator[None, None, list[dict[str, Any]]]:
        """What each follower answers about a model; yields while they work on it."""
        answers: list[dict[str, Any]] = []
        while len(answers) < self.size - 1:
            try:
                answer = self.heard.get(timeout=_LOOK)
            except queue.Empty:
                self.steps += 1
                yield
                continue
            if answer.get("model") == model:
                answers.append(answer)
        return answers


def lost(error: BaseException) -> RanksLostError:
    """What everybody is told after a fault that leaves the ranks apart."""
    words = error.message if isinstance(error, EngineError) else words_of(error)
    return RanksLostError(f"Rank 0 failed: {words}")


def _number(kv: SessionKV) -> int:
    assert isinstance(kv, SpreadKV)
    return kv.number


def _reading(chunk: Chunk, answering: Mapping[str, SessionState]) -> tuple[int, ...]:
    session = answering[chunk.session]
    return _number(session.kv), chunk.start, chunk.count, session.remaining - chunk.count


def _place(answer: Mapping[str, Any]) -> str:
    return f"rank {answer.get('rank')}"


def _result(answers: Generator[None, None, list[dict[str, Any]]]) -> list[dict[str, Any]]:
    while True:
        try:
            next(answers)
        except StopIteration as done:
            result: list[dict[str, Any]] = done.value
            return result
