"""Rank 0's part in the group: announces what its engine does to caches and computes."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import mlx.core as mx

from engine.core.ranks import spreading
from engine.core.ranks.answers import Answers, place
from engine.core.ranks.files import LeadingFiles
from engine.core.ranks.group import Group, check_of
from engine.core.ranks.journal import Journal, SpreadKV, digest
from engine.core.ranks.record import Do, Order, encode
from engine.errors import (
    MODEL_LOAD_FAILED,
    EngineError,
    RanksLostError,
    words_of,
)
from engine.kv.session_kv import SessionKV
from engine.model import fingerprint, loader
from engine.model.loaded import LoadedModel
from engine.model.loader import Examined, Pieces
from engine.runtime.plan import Chunk, StepPlan
from engine.runtime.request import SessionState


class Leader:
    """Announces turns, and has models loaded by all ranks.

    Attributes:
        turn: of the last record.
        steps: grows with each record, and with each piece of a model.
        busy: whether a turn is announced and the engine does not rest.
        loading: all ranks read a model: nothing can be computed meanwhile.
        shares: what each rank would hold of a model.
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
        self.check_every = check_every
        self.shares = spreading.Shares(group.mlx)
        self._group = group
        self._tell = tell
        self._journal = Journal()
        self._numbers: dict[int, int] = {}  # of models, by the identity of their nets
        self._files: LeadingFiles | None = None
        self._answers = Answers(self.size - 1, self._step_done)
        self._unsure = False  # followers may still read what nobody wants

    @property
    def size(self) -> int:
        """How many ranks there are."""
        return self._group.size

    def offload(self, folder: Path | None, limit: int) -> LeadingFiles:
        """The caches on disk of all ranks.

        Args:
            limit: bytes that the files of all ranks may take together.
        """
        self._files = LeadingFiles(self._journal, self.size, self._tell, folder, limit)
        return self._files

    def hear(self, message: dict[str, Any]) -> None:
        """Take a follower's message, on the thread that listens."""
        if "model" in message:
            self._answers.put(message)
        elif self._files is not None:
            self._files.hear(message)

    def leave(self) -> None:
        """The engine ends in order: the followers, too, write what is to be kept."""
        if self._files is not None and self._files.keeps and not self._unsure:
            self.rest()
            self._files.leave()

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
        checks = self.check_every and self.turn % self.check_every == 0
        held = self._journal.caches if checks else []  # first: they cannot be freed from here on
        said = self._journal.take()
        if checks:
            freed = {order.numbers[0] for order in said if order.do is Do.FREE}
            held = [(number, kv) for number, kv in held if number not in freed]
            said.append(Order(Do.DIGEST, (digest(held),)))
        self._group.say(encode(self.turn, [*said, *orders]))

    # -- models -----------------------------------------------------------------------------

    def load(self, examined: Examined, wide: bool) -> Pieces:
        """As `loader.load`, on all ranks: each reads its part of the weights.

        Raises:
            EngineError: `unsupported_session`, `model_load_failed` or `out_of_memory`.
        """
        number = self._journal.number()
        self._unsure = True
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
            model = self._complete(number, net, examined, config)
            self._unsure = False
            return model
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
            answers = yield from self._answers.about(number)
            refused = [f"{place(a)}: {a['refused']}" for a in answers if "refused" in a]
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
        name = fingerprint.fingerprint(examined.contents, loader.compute_dtype(net))
        self._tell({"do": "measure", "model": number, "words": words, "id": name})
        try:
            found = spreading.measured(net, words, self._step_done)
            tried = spreading.model_of(net, found, self.size, examined.name)
            spreading.try_bits(tried, words, self._step_done)
        except Exception as error:
            raise lost(error) from error
        wanted, answers = spreading.plans(tried), self._answers.now(number)
        other = [place(a) for a in answers if a.get("plans") != wanted]
        if other:
            raise RanksLostError(
                f"{other[0]} would carry out plans in another way. Use the same versions of "
                "Stretto, mlx and mlx-lm, and the same kind of machine."
            )
        model = loader.loaded(net, examined, config, found)
        model.body = None  # embeddings are read in passes that no plan knows
        model.info = replace(model.info, embeds=False)
        model.ranks, model.feed, model.kept_in = self.size, self.feed, tried.kept_in
        model.new_kv = lambda make, shares, bits: SpreadKV(
            self._journal, number, make, shares, bits or 0
        )
        self._numbers[id(net)] = number
        return model

    def _step_done(self) -> None:
        self.steps += 1

    def unload(self, model: LoadedModel) -> None:
        """Have the followers free their parts of a model, whose sessions have ended."""
        self._journal.add(Do.UNLOAD, self._numbers.pop(id(model.net)))

    def _number_of(self, model: LoadedModel) -> int:
        return self._numbers[id(model.net)]


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
