"""Executor of the scheduler's plans."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Iterator, Sequence

import mlx.core as mx
from msgspec import Struct, field

from engine.cache.cache_objects import stagger_growth
from engine.cache.ledger import CacheKey
from engine.cache.session_kv import SessionKV
from engine.errors import INTERNAL_ERROR, as_engine_error, describe_error, free_frames
from engine.model import drafting, runner
from engine.model.drafting import CheckedDraft, Drafter
from engine.model.runner import NextToken, PrefillChunk
from engine.runtime.cache_restorer import CacheRestorer
from engine.runtime.candidate import as_load_error
from engine.runtime.embedder import Embedder
from engine.runtime.image_encoder import ImageEncoder
from engine.runtime.model_loader import ModelLoader
from engine.runtime.plan import (
    Adoption,
    Chunk,
    DecodeStep,
    PrefixCopy,
    Status,
    StepPlan,
    Timing,
)
from engine.runtime.request import Request, SessionState
from engine.runtime.state import State

log = logging.getLogger(__name__)


class PrefillOutcome(Struct, frozen=True):
    session: str


class TokenOutcome(Struct, frozen=True):
    session: str
    token: int | None  # the pending token, which is now known; None if no token was pending
    # The next token, or the error raised by its sampler. None if the reply needs no more tokens.
    following: NextToken | None


class DraftOutcome(Struct, frozen=True):
    session: str
    check: CheckedDraft


class StepFailure(Struct, frozen=True):
    """Exception or device error of a pass. Any of its sessions may be the cause, or the draft."""

    sessions: tuple[str, ...]
    error: BaseException
    drafted: bool = False  # the pass included a draft


Outcome = PrefillOutcome | TokenOutcome | DraftOutcome | StepFailure


class PlanResult(Struct):
    outcomes: list[Outcome] = field(default_factory=list)  # in order of delivery
    timing: Timing = field(default_factory=Timing)

    def free_error_frames(self) -> None:
        """Free the frames of all errors. Their local variables may refer to arrays."""
        for outcome in self.outcomes:
            if isinstance(outcome, StepFailure):
                free_frames(outcome.error)
            elif isinstance(outcome, TokenOutcome) and isinstance(outcome.following, Exception):
                free_frames(outcome.following)


class Executor:
    def __init__(
        self,
        state: State,
        cache_restorer: CacheRestorer,
        model_loader: ModelLoader,
        image_encoder: ImageEncoder,
        embedder: Embedder,
    ) -> None:
        self._state = state
        self._embedder = embedder
        self._cache_restorer = cache_restorer
        self._model_loader = model_loader
        self._image_encoder = image_encoder

    def run(self, plan: StepPlan) -> PlanResult:
        """Execute a plan. Exceptions are returned as outcomes."""
        result, state = PlanResult(), self._state
        for cache in plan.evict:
            self._evict(cache, plan.skip_saving)
        for key in plan.requeue:
            with _fence(result, key):
                state.requeue(state.requests[key])
        if plan.load is not None:
            try:
                self._model_loader.begin(plan.load)
            except BaseException as error:
                self._model_loader.refuse(plan.load.key, as_load_error(error))
        if plan.embed is not None:
            try:
                self._embedder.begin(plan.embed)
            except BaseException as error:
                self._embedder.refuse(plan.embed.key, as_engine_error(error))
        if plan.extend is not None:
            with _fence(result, plan.extend.session):
                state.requests[plan.extend.session].extend(plan.extend.whole)
        if plan.admit is not None:
            with _fence(result, plan.admit):
                self._admit(plan.admit)
        if plan.keep is not None:
            self._copy_prefix(plan.keep)
        if plan.adopt is not None:
            with _fence(result, plan.adopt.session):
                self._adopt(plan.adopt)
        leader = state.leader
        if not (plan.passes or plan.chunk is not None):
            return result
        if leader is not None:
            leader.announce(plan, state.requests)
        self._run_passes(plan, result)
        if leader is not None:
            leader.computed([o.error for o in result.outcomes if isinstance(o, StepFailure)])
        return result

    def _evict(self, cache: CacheKey, skip_saving: bool) -> None:
        """Evict a cache. If eviction fails, end its session, so that the plan doesn't retry."""
        state = self._state
        try:
            state.memory.evict([cache], skip_saving)
        except BaseException as error:
            session = state.sessions.get(cache.name) if cache.kind == "session" else None
            if session is None:
                raise
            log.error("cannot evict caches", exc_info=error)
            failed = (
                INTERNAL_ERROR,
                f"The chat's caches could not be freed: {describe_error(error)}",
            )
            state.session_errors[session.id] = failed
            state.end_session(session, *failed)

    def _run_passes(self, plan: StepPlan, result: PlanResult) -> None:
        chunk = plan.chunk
        for request in self._state.requests.values():
            request.prefix_to_keep = 0
        mixed = chunk is not None and chunk.mixed
        started = self._state.clock()
        steps: list[Outcome] = []
        for step in plan.passes:
            steps += self._step(step, plan.chunks if mixed else ())
        if plan.passes and (len(plan.models) > 1 or (chunk is not None and not mixed)):
            # Wait for pending work, so that the next measurement doesn't include it. Errors are
            # raised later, when the tokens are read.
            with contextlib.suppress(Exception):
                mx.synchronize()
        decoded = self._state.clock()
        read: list[Chunk] = []
        if chunk is not None and not (mixed and any(isinstance(s, StepFailure) for s in steps)):
            for part in plan.chunks if mixed else self._prefill(plan, result):
                with _fence(result, part.session):
                    self._after_chunk(plan, part)
                    read.append(part)
        # Deliver the end of a prompt before the step that processed its last token.
        result.outcomes = [
            *(PrefillOutcome(part.session) for part in read),
            *steps,
            *result.outcomes,
        ]
        ended_at = self._state.clock()
        unread = 0
        if chunk in read:
            unread = self._state.requests[chunk.session].unread
        tokens = sum(part.count for part in read)
        drafted = any(isinstance(s, DraftOutcome) for s in steps)
        generated = sum(isinstance(s, TokenOutcome) for s in steps) if drafted else 0
        result.timing = Timing(
            ended=ended_at,
            decode=decoded - started,
            chunk=ended_at - decoded,
            read=tokens,
            left=unread,
            generated=generated,
            is_step=is_step(steps),
        )

    def _start_prefill(self, request: Request) -> None:
        kv = request.kv
        request.reused = kv.reuse_prefix(request.tokens)
        request.rebuilt = request.rebuilt or kv.needs_rebuild
        if request.generated:  # an interrupted reply counts as waiting from now on
            request.waiting_since = self._state.clock()
        request.move(Status.PREFILLING)
        request.queue_position = -1
        if request.images:
            self._image_encoder.start(request)
        requests = self._state.requests.values()
        prompts_ahead = sum(r.status == Status.PREFILLING for r in requests) - 1
        self._state.advance_prefill(request, prompts_ahead)

    def _admit(self, session_id: str) -> None:
        request, memory = self._state.requests[session_id], self._state.memory
        if (
            not request.kv.layers
            and memory.file_of(request.session)
            and not self._is_in_memory(request)
        ):
            request.move(Status.RESTORING)
            self._cache_restorer.start(request, lambda: self._start_prefill(request))
        else:
            self._start_prefill(request)

    def _is_in_memory(self, request: Request) -> bool:
        """True if other caches in memory have as much of the prompt as the session's file."""
        if request.cache_file is None:
            return False
        offer = self._state.memory.prefixes.find_offer(request.prefilling)
        return offer is not None and offer.length >= request.cache_file.length

    def _adopt(self, adoption: Adoption) -> None:
        state = self._state
        request = state.requests[adoption.session]
        before = request.kv.length
        try:
            donor = self._donor(adoption.donor, request.session)
            state.memory.prefixes.adopt(request.prefilling, donor, adoption.length)
        except BaseException as error:  # raised by the donor, whose next step will report it
            log.debug("cannot copy another chat's cache: %s", type(error).__name__)
            request.can_adopt = False
            return
        request.reused += request.kv.length - before
        state.advance_prefill(request)

    def _donor(self, key: CacheKey, session: SessionState) -> SessionKV:
        """Return a donor's caches.

        Raises:
            LookupError: if the session's caches have a different type.
        """
        state = self._state
        donor = (
            state.memory.prefixes.cached[key] if key.kind == "prefix" else state.sessions[key.name]
        )
        if donor.kind != session.kind:
            raise LookupError("caches of different types")
        return donor.kv

    def _step(self, step: DecodeStep, chunks: Sequence[Chunk]) -> list[Outcome]:
        state = self._state
        rows = [state.requests[i] for i in step.rows]
        feeding = [state.requests[i] for i in step.feed]
        check: CheckedDraft | None = None
        next_by_session: dict[str, NextToken] = {}
        try:
            if step.draft:
                check = _check_draft(feeding[0], step.draft)
            if feeding and check is None:
                if chunks:  # exclude the previous step from the measured time
                    with contextlib.suppress(Exception):  # reported when the tokens are read
                        mx.synchronize()
                parts = list(map(self._make_prefill_chunk, chunks))
                shared = step.shared or bool(chunks)
                model = feeding[0].session.model
                tokens = runner.decode(model, feeding, shared, parts)
                next_by_session = dict(zip(step.feed, tokens, strict=True))
            read = {} if check else {r.session.id: r.take_token() for r in rows}
        except BaseException as error:  # includes panics in native libraries
            mixed = [c.session for c in chunks if not c.ends]
            return [StepFailure((*step.rows, *mixed), error, drafted=step.draft > 0)]
        model = rows[0].session.model
        if model.shared_step_breaker.faults or model.drafter is not None:
            model.record_success()
        if step.behind:
            _catch_up(feeding[0], step.behind)
        if check is not None:
            return [DraftOutcome(step.feed[0], check)]
        return [TokenOutcome(key, token, next_by_session.get(key)) for key, token in read.items()]

    def _prefill(self, plan: StepPlan, result: PlanResult) -> list[Chunk]:
        """Prefill prompts in a separate pass, and return the chunks that were read.

        Chunks that became invalid because of a fault in this iteration are omitted.
        """
        requests = self._state.requests
        chunks = [
            c
            for c in plan.chunks
            if c.session in requests and requests[c.session].kv.length == c.start
        ]
        if not chunks:
            return []
        model = requests[chunks[0].session].session.model
        try:
            parts = [self._make_prefill_chunk(chunk) for chunk in chunks]
            if len(parts) == 1:
                (part,) = parts
                runner.prefill(model, part.kv, part.tokens, part.images)
            else:
                runner.prefill_together(model, parts)
        except BaseException as error:
            result.outcomes.append(StepFailure(tuple(c.session for c in chunks), error))
            return []
        return chunks

    def _make_prefill_chunk(self, chunk: Chunk) -> PrefillChunk:
        request = self._state.requests[chunk.session]
        stagger_growth(request.kv.layers, request.unread - chunk.count)
        end = chunk.start + chunk.count + chunk.ends
        read = request.tokens[chunk.start : end]
        return PrefillChunk(request.kv, read, chunk.ends, request.images)

    def _after_chunk(self, plan: StepPlan, chunk: Chunk) -> None:
        state = self._state
        state.meter.record(0, chunk.count)
        request = state.requests[chunk.session]
        kv, prefilling = request.kv, request.prefilling
        if kv.needs_snapshot and kv.length == prefilling.boundary:
            kv.snapshot()
        if not request.generated:
            others = (state.requests[i].prefilling for i in plan.reading if i in state.requests)
            request.prefix_to_keep = state.memory.prefixes.cacheable_length(
                prefilling, chunk.start, others
            )

    def _copy_prefix(self, keeping: PrefixCopy) -> None:
        request = self._state.requests[keeping.session]
        request.prefix_to_keep = 0
        try:
            self._state.memory.prefixes.cache_prefix(request.prefilling, keeping.length)
        except BaseException as error:  # prompts with this prefix are prefilled instead
            log.warning("cannot keep a prefix: %s", describe_error(error))


def is_step(outcomes: Sequence[Outcome]) -> bool:
    """Return True if a pass was launched and no pass failed."""
    tokens = [o for o in outcomes if isinstance(o, TokenOutcome) and o.following is not None]
    computed = any(o.token is not None or not isinstance(o.following, mx.array) for o in tokens)
    return computed and not any(isinstance(o, StepFailure) for o in outcomes)


@contextlib.contextmanager
def _fence(result: PlanResult, session: str) -> Iterator[None]:
    try:
        yield
    except BaseException as error:
        result.outcomes.append(StepFailure((session,), error))


def _check_draft(request: Request, count: int) -> CheckedDraft | None:
    model = request.session.model
    if isinstance(model.drafter, Drafter):
        model.drafter.set_domain(request.session.domain)
    return drafting.draft_and_verify(model, request, model.drafter, count)


def _catch_up(request: Request, count: int) -> None:
    drafter = request.session.model.drafter
    assert isinstance(drafter, Drafter)
    try:
        drafter.set_domain(request.session.domain)
        drafter.prefill(request.tokens, count)
    except BaseException as error:  # includes panics in native libraries
        drafter.fail(error)
