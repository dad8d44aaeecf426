"""`execute(plan)`: what the scheduler has decided is done. Decides nothing itself."""

from __future__ import annotations

import contextlib
import logging
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import mlx.core as mx

from engine.errors import let_go
from engine.kv.ledger import CacheKey
from engine.kv.session_kv import SessionKV
from engine.model import drafting, runner
from engine.model.drafting import Check, Drafter
from engine.model.runner import Following, Reading, Row
from engine.runtime.examining import as_engine_error
from engine.runtime.jobs import Restoring
from engine.runtime.models import Loading
from engine.runtime.plan import Admission, Adoption, Chunk, Pass, Status, StepPlan, Timing
from engine.runtime.request import SessionState
from engine.runtime.state import State

log = logging.getLogger(__name__)


@dataclass
class PassResult:
    """What came of one decode step.

    Attributes:
        read: by session, the token that was pending; None where the prompt's last was.
        following: by session, what follows the token that was fed.
        error: what the step raised, in Python or on the device.
        seconds: what the pass took, where a chunk was read in it.
        check: what a pass over a draft came to, in place of `following`.
    """

    plan: Pass
    read: dict[str, int | None] = field(default_factory=dict)
    following: dict[str, Following] = field(default_factory=dict)
    error: BaseException | None = None
    seconds: float = 0.0
    check: Check | None = None


@dataclass
class Results:
    """What came of a plan.

    Attributes:
        passes: as in the plan.
        failed: what concerned a single session and raised, with that session's id.
        together: what reading several prompts in a pass of their own raised.
        read: the chunks that were read.
        timing: for the scheduler.
    """

    passes: list[PassResult] = field(default_factory=list)
    failed: list[tuple[str, BaseException]] = field(default_factory=list)
    together: BaseException | None = None
    read: list[Chunk] = field(default_factory=list)
    timing: Timing = field(default_factory=Timing)

    def let_go(self) -> None:
        """Free what the errors hold: everybody has been told of them."""
        found = [e for p in self.passes for e in (p.error, *p.following.values())]
        for error in (*found, *(e for _, e in self.failed), self.together):
            if isinstance(error, BaseException):
                let_go(error)


class Execution:
    """Carries plans out on the engine's state."""

    def __init__(self, state: State, restoring: Restoring, loading: Loading) -> None:
        self._state = state
        self._restoring = restoring
        self._loading = loading

    def execute(self, plan: StepPlan) -> Results:
        """Do what the plan says; errors are in the results, with whose they are."""
        results = Results()
        if plan.evict:
            self._state.memory.evict(plan.evict, plan.at_once)
        for key in plan.requeue:
            with _fence(results, key):
                self._state.wait_again(self._state.answering[key])
        if plan.load is not None:
            try:
                self._loading.begin(plan.load)
            except BaseException as error:
                self._loading.refuse(plan.load.key, as_engine_error(error))
        if plan.admit is not None:
            with _fence(results, plan.admit.session):
                self._admit(plan.admit)
        if plan.adopt is not None:
            with _fence(results, plan.adopt.session):
                self._adopt(plan.adopt)
        leader = self._state.leader
        if not (plan.passes or plan.chunk is not None) or (leader is not None and leader.loading):
            return results
        if leader is not None:
            leader.announce(plan, self._state.answering)
        self._compute(plan, results)
        if leader is not None:
            errors = [p.error for p in results.passes] + [e for _, e in results.failed]
            leader.computed([*errors, results.together])
        return results

    def _compute(self, plan: StepPlan, results: Results) -> None:
        chunk, meter = plan.chunk, self._state.meter
        mixed = chunk is not None and chunk.mixed
        started = time.perf_counter()
        with meter.phase("decode"):
            for step in plan.passes:
                results.passes.append(self._decode(step, plan.chunks if mixed else ()))
            if plan.passes and (len(plan.models) > 1 or (chunk is not None and not mixed)):
                # What one pass has been told to do is not counted as another's time. A fault in
                # it is found by those whose step it is, when they read their tokens.
                with contextlib.suppress(Exception):
                    mx.synchronize()
        decoded = time.perf_counter()
        read: list[Chunk] = []
        if chunk is not None and not any(p.error for p in results.passes if mixed):
            with meter.phase("prefill"):
                read = list(plan.chunks) if mixed else self._read(plan, results)
                for part in read:
                    with _fence(results, part.session):
                        self._after_chunk(plan, part)
                        results.read.append(part)
        decode = results.passes[0].seconds if mixed and results.passes else decoded - started
        ended = time.perf_counter()
        tokens, left = sum(c.count for c in read), 0
        if chunk in results.read:
            left = max(0, self._state.answering[chunk.session].remaining)
        results.timing = Timing(ended, decode, ended - decoded, tokens, left)

    def begin(self, session: SessionState) -> None:
        """Let a reply, for which there is room, have its prompt read."""
        reply = session.reply
        assert reply is not None
        reply.reused = session.kv.begin(reply.tokens)
        reply.rebuilt = reply.rebuilt or session.kv.rebuilt
        if reply.generated:  # it comes after those whose prompts wait longer now
            reply.waiting_since = time.perf_counter()
        reply.status = Status.PREFILLING
        reply.queue_position = -1
        if session.remaining:
            answering = self._state.answering.values()
            others = sum(s.reply_status == Status.PREFILLING for s in answering) - 1
            reply.progress(reply.reused, others)
        self._state.note_read(session)

    def _admit(self, admission: Admission) -> None:
        session = self._state.answering[admission.session]
        if session.kv.caches is None and self._state.memory.offload.may_hold(session.id):
            assert session.reply is not None
            session.reply.status = Status.RESTORING
            self._restoring.start(session, lambda: self.begin(session))
        else:
            self.begin(session)

    def _adopt(self, adoption: Adoption) -> None:
        state = self._state
        session = state.answering[adoption.session]
        reply = session.reply
        assert reply is not None
        before = session.kv.length
        try:
            donor = self._donor(adoption.donor, session)
            state.memory.prefixes.adopt(session.reader, donor, adoption.length)
        except BaseException as error:  # the donor's trouble: its own step will find it
            log.debug("no copy of another chat's cache: %s", type(error).__name__)
            reply.adopts = False
            return
        reply.reused += session.kv.length - before
        reply.progress(session.kv.length, 0)
        state.note_read(session)

    def _donor(self, key: CacheKey, session: SessionState) -> SessionKV:
        """The caches of that key, which the session may go on from.

        Raises:
            LookupError: there are none.
        """
        state = self._state
        donor = (
            state.memory.prefixes.kept[key] if key.kind == "prefix" else state.sessions[key.name]
        )
        if donor.kind != session.kind:
            raise LookupError("caches of another kind")
        return donor.kv

    def _decode(self, step: Pass, chunks: Sequence[Chunk]) -> PassResult:
        """One step; with chunks of prompts, in the same pass."""
        state, out = self._state, PassResult(step)
        rows = [state.answering[i] for i in step.rows]
        feeding = [state.answering[i] for i in step.feed]
        try:
            if chunks:
                started = time.perf_counter()
                with state.meter.phase("mixed"):
                    out.following = self._decode_mixed(feeding, chunks)
                out.seconds = time.perf_counter() - started
            elif step.draft:
                with state.meter.phase("wait"):
                    out.check = _check_draft(feeding[0], step.draft)
            elif feeding:
                with state.meter.phase("launch"):
                    out.following = _launch(feeding, step.shared)
            with state.meter.phase("wait"):
                out.read = {s.id: s.reply.read() for s in rows if s.reply is not None}
        except BaseException as error:  # a panic in a native library, too
            out.error = error
        state.meter.note(sum(token is not None for token in out.read.values()), 0)
        if step.behind and out.error is None:
            _catch_up(feeding[0], step.behind)
        return out

    def _decode_mixed(
        self, feeding: list[SessionState], chunks: Sequence[Chunk]
    ) -> dict[str, Following]:
        with contextlib.suppress(Exception):  # found when its tokens are read
            mx.synchronize()  # the step before is not counted as this one's time
        following = _launch(feeding, True, [self._reading(chunk) for chunk in chunks])
        mx.synchronize()
        return following

    def _read(self, plan: StepPlan, results: Results) -> list[Chunk]:
        """Read in a pass of its own, and return what was read.

        What a fault of this turn has undone is left out.
        """
        held = self._state.answering
        chunks = [
            c for c in plan.chunks if c.session in held and held[c.session].kv.length == c.start
        ]
        if not chunks:
            return []
        model = held[chunks[0].session].model
        try:
            readings = [self._reading(chunk) for chunk in chunks]
            if len(readings) == 1:
                runner.prefill(model, readings[0].kv, readings[0].tokens)
            else:
                runner.prefill_together(model, readings)
        except BaseException as error:
            if len(chunks) == 1:
                results.failed.append((chunks[0].session, error))
            else:
                results.together = error  # whose it is nobody knows
            return []
        return chunks

    def _reading(self, chunk: Chunk) -> Reading:
        session = self._state.answering[chunk.session]
        assert session.reply is not None
        session.kv.expect(session.remaining - chunk.count)
        end = chunk.start + chunk.count + chunk.ends
        return Reading(session.kv, session.reply.tokens[chunk.start : end], chunk.ends)

    def _after_chunk(self, plan: StepPlan, chunk: Chunk) -> None:
        """Keep what is worth keeping of what has been read."""
        state = self._state
        state.meter.note(0, chunk.count)
        session = state.answering[chunk.session]
        kv, reader = session.kv, session.reader
        if kv.needs_snapshot and kv.length == reader.boundary:
            kv.snapshot()
        if session.reply is not None and not session.reply.generated:
            others = (state.answering[i] for i in plan.reading if i in state.answering)
            before = len(state.memory.prefixes.kept)
            state.memory.prefixes.keep(reader, chunk.start, [s.reader for s in others])
            if len(state.memory.prefixes.kept) > before:
                state.memory.keep_prefixes_within()


@contextlib.contextmanager
def _fence(results: Results, session: str) -> Iterator[None]:
    """What is raised inside is that session's."""
    try:
        yield
    except BaseException as error:
        results.failed.append((session, error))


def _launch(
    feeding: list[SessionState], shared: bool, readings: Sequence[Reading] = ()
) -> dict[str, Following]:
    rows = [Row(s.kv, s.reply) for s in feeding if s.reply is not None]
    tokens = runner.decode(feeding[0].model, rows, shared, readings)
    return {s.id: t for s, t in zip(feeding, tokens, strict=True)}


def _check_draft(session: SessionState, count: int) -> Check:
    """Draft `count` tokens of the session's answer and have its model read them."""
    reply = session.reply
    assert reply is not None
    found = drafting.check(session.model, session.kv, reply, session.model.drafter, count)
    reply.next = None
    return found


def _catch_up(session: SessionState, count: int) -> None:
    """Have the drafter read the next `count` tokens of an answer; its faults are its own."""
    reply = session.reply
    drafter: Drafter = session.model.drafter
    assert reply is not None
    try:
        drafter.read(reply.tokens, count)
    except BaseException as error:  # a panic in a native library, too
        drafter.fail(error)
