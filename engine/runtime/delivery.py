"""Delivery of text, ends of replies, and errors to callers.

Tokens of constrained answers are sampled here, because their masks depend on the previous token.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from functools import partial

from msgspec.structs import replace

from engine.errors import EngineError
from engine.messages import FinishReason
from engine.model import runner
from engine.model.constraint import Constraint
from engine.model.drafting import CheckedDraft
from engine.model.runner import NextToken
from engine.model.sampling import Token
from engine.runtime.executor import (
    DraftOutcome,
    PlanResult,
    PrefillOutcome,
    StepFailure,
    TokenOutcome,
)
from engine.runtime.jobs import Embedder
from engine.runtime.models import ModelLoader
from engine.runtime.plan import Refusal, Status, StepPlan
from engine.runtime.request import Request
from engine.runtime.state import State
from engine.runtime.workers import Task, Work, Workers

log = logging.getLogger(__name__)


class Delivery:
    """Converter from the executor's outcomes to reply events."""

    def __init__(
        self, state: State, model_loader: ModelLoader, embedder: Embedder, workers: Workers
    ) -> None:
        self._state = state
        self._model_loader, self._embedder = model_loader, embedder
        self._workers = workers

    def deliver(self, plan: StepPlan, run: PlanResult) -> None:
        for refusal in plan.refuse:
            self._refuse(refusal)
        for outcome in run.outcomes:
            match outcome:
                case StepFailure():
                    self._fail(outcome)
                case PrefillOutcome(key):
                    self._run_fenced(key, self._state.note_read)
                case TokenOutcome(key, token, following):
                    self._run_fenced(key, partial(self._advance, token, following))
                case DraftOutcome(key, check):
                    self._run_fenced(key, partial(self._advance_drafted, check, run))
        self._report_positions(plan)

    def _refuse(self, refusal: Refusal) -> None:
        error = EngineError(refusal.code, refusal.message)
        request = self._state.requests.get(refusal.key)
        if request is not None:
            self._state.fail_reply(request, error, keep_cache=True)
        else:
            self._model_loader.refuse(refusal.key, error)
            self._embedder.refuse(refusal.key, error)

    def _advance(self, token: int | None, following: NextToken | None, request: Request) -> None:
        if token is not None:
            request.check_numbers()
            if following is not None:
                request.kv.record_token(token)
            reason = self._accept(request, token)
            if reason is not None:
                return self._state.end_reply(request, reason)
        elif following is not None and len(request.tokens) > request.kv.length:
            # The prompt's last token, unless a chunk included it.
            request.kv.record_token(request.tokens[-1])
        if isinstance(following, Exception):
            return self._state.fail_reply(request, following)
        if isinstance(following, runner.PendingLogits):
            if request.constraint is not None and request.constraint.is_slow:
                return self._await_mask(request, request.constraint, following)
            following = runner.sample_constrained(request, following)
        return self._continue(request, following)

    def _continue(self, request: Request, following: Token | None) -> None:
        if not isinstance(following, int):
            request.await_token(following)
        elif (reason := self._accept(request, following)) is not None:
            self._state.end_reply(request, reason)

    def _await_mask(
        self, request: Request, constraint: Constraint, unsampled: runner.PendingLogits
    ) -> None:
        """Compute a slow mask on a worker. Steps skip the reply until then."""
        request.unsampled = unsampled

        def choose() -> Task:
            vocab = unsampled.logits.shape[-1]
            mask = yield Work(f"masks {request.session.domain}", partial(constraint.mask, vocab))
            # Otherwise, the reply has ended, or its caches are being recomputed.
            if request.unsampled is unsampled:
                token = runner.sample_constrained(request, unsampled, mask)
                request.unsampled = None
                self._continue(request, token)

        def on_error(error: BaseException) -> None:
            if request.unsampled is unsampled:
                self._state.fail_reply(request, error)

        self._workers.start(choose(), on_error)

    def _accept(self, request: Request, token: int) -> FinishReason | None:
        self._state.meter.note(1, 0)
        return request.accept(token)

    def _advance_drafted(self, check: CheckedDraft, run: PlanResult, request: Request) -> None:
        started = self._state.clock()
        reason, count, accepted = _advance_draft(request, check, partial(self._accept, request))
        if reason is not None:
            self._state.end_reply(request, reason)
        # Tokens of constrained output are only sampled here, so include the time.
        timing, spent = run.timing, self._state.clock() - started
        run.timing = replace(
            timing,
            decode=timing.decode + spent,
            generated=timing.generated + count,
            drafted=timing.drafted + len(check.drafted),
            accepted=timing.accepted + accepted,
        )

    def _fail(self, failed: StepFailure) -> None:
        """Handle a failed pass.

        If several sessions shared the pass, all of them continue in separate passes with new
        caches. The session that fails again was the cause.
        """
        requests = self._state.requests
        group = [requests[i] for i in failed.sessions if i in requests]
        if not group:
            return
        model = group[0].session.model
        drafter = model.drafter if failed.drafted else None
        if drafter is not None:
            drafter.fail(failed.error)  # without the draft, the reply fails or continues
        elif len(failed.sessions) == 1:
            self._state.fail_alone(group[0], failed.error)
            return
        else:
            log.warning("a shared pass failed (%s); its sessions continue alone", failed.error)
            model.shared_step_breaker.record_failure()
        for request in group:
            try:
                self._state.begin_again(request)
            except BaseException as fault:
                self._state.fail_reply(request, fault)

    def _run_fenced(self, session_id: str, tell: Callable[[Request], None]) -> None:
        request = self._state.requests.get(session_id)
        if request is None:
            return
        try:
            tell(request)
        except BaseException as error:
            self._state.fail_reply(request, error)

    def _report_positions(self, plan: StepPlan) -> None:
        requests = self._state.requests
        for position, session_id in enumerate(plan.reading):
            request = requests.get(session_id)
            if position and request is not None and request.status == Status.PREFILLING:
                self._run_fenced(session_id, partial(self._report_position, position))
        # At least the request that holds the memory comes first.
        for position, session_id in enumerate(plan.queue, 1):
            request = requests.get(session_id)
            if request is not None and request.status == Status.QUEUED:
                self._run_fenced(session_id, partial(self._report_position, position))

    def _report_position(self, position: int, request: Request) -> None:
        if request.queue_position != position:
            request.progress(request.reused, position)


def _advance_draft(
    request: Request, found: CheckedDraft, take: Callable[[int], FinishReason | None]
) -> tuple[FinishReason | None, int, int]:
    """Add the accepted tokens of a draft and the token after them to the answer.

    Afterwards, the caches of both models contain the processed tokens except for the last one.

    Args:
        take: adds a token to the answer, and returns the finish reason if this ends the answer.

    Returns:
        The finish reason or None, and the numbers of processed and accepted tokens.
    """
    kv, drafter = request.kv, request.session.model.drafter
    assert drafter is not None
    start, count = kv.length - len(found.fed), 0
    reason: FinishReason | None = None
    agrees = True
    while reason is None and agrees:
        following = found.sample(request, count)
        reason, count = take(following), count + 1
        agrees = [following] == found.fed[count : count + 1]
    kv.roll_back(start + count)
    drafter.roll_back(start + count)
    accepted = count - 1 + agrees
    drafter.drafted += len(found.drafted)
    drafter.accepted += accepted
    request.next_is_nan = None  # the token has already been taken
    return reason, count, accepted
