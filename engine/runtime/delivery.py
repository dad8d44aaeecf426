"""Delivery of text, ends of replies, and errors to callers.

Tokens of constrained answers are sampled here, because their masks depend on the previous token.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from functools import partial

from msgspec.structs import replace

from engine.errors import EngineError
from engine.messages import FinishReason
from engine.model import runner
from engine.model.constraint import Constraint
from engine.model.drafting import CheckedDraft
from engine.model.runner import NextToken
from engine.model.sampling import Token
from engine.runtime.embedder import Embedder
from engine.runtime.executor import (
    DraftOutcome,
    PlanResult,
    PrefillOutcome,
    StepFailure,
    TokenOutcome,
)
from engine.runtime.model_loader import ModelLoader
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

    def deliver(self, plan: StepPlan, result: PlanResult) -> None:
        for refusal in plan.refuse:
            self._refuse(refusal)
        for outcome in result.outcomes:
            if isinstance(outcome, StepFailure):
                self._fail(outcome)
                continue
            request = self._state.requests.get(outcome.session)
            if request is None:
                continue
            try:
                match outcome:
                    case PrefillOutcome():
                        self._state.advance_prefill(request)
                    case TokenOutcome(_, token, next_token):
                        self._advance(request, token, next_token)
                    case DraftOutcome(_, check):
                        self._deliver_draft(request, check, result)
            except BaseException as error:  # ends only this reply
                self._state.fail_reply(request, error)
        # The first prompt is being read, so the second prompt has position 1. A queued request has
        # at least position 1, because it waits for a request that holds memory.
        self._report_positions(plan.reading[1:], Status.PREFILLING)
        self._report_positions(plan.queue, Status.QUEUED)

    def _refuse(self, refusal: Refusal) -> None:
        error = EngineError(refusal.code, refusal.message)
        request = self._state.requests.get(refusal.key)
        if request is not None:
            self._state.fail_reply(request, error, keep_cache=True)
        else:
            self._model_loader.refuse(refusal.key, error)
            self._embedder.refuse(refusal.key, error)

    def _advance(self, request: Request, token: int | None, next_token: NextToken | None) -> None:
        if token is not None:
            request.check_not_nan()
            if next_token is not None:
                request.kv.record_token(token)
            if self._process_token(request, token):
                return
        elif next_token is not None and len(request.tokens) > request.kv.length:
            # Record the prompt's last token, unless a chunk included it.
            request.kv.record_token(request.tokens[-1])
        if isinstance(next_token, Exception):
            self._state.fail_reply(request, next_token)
            return
        if isinstance(next_token, runner.PendingLogits):
            if request.constraint is not None and request.constraint.is_slow:
                self._await_mask(request, request.constraint, next_token)
                return
            next_token = runner.sample_constrained(request, next_token)
        self._process_token(request, next_token)

    def _process_token(self, request: Request, token: Token | None) -> bool:
        """Add a token to the answer, or keep it for the next step if its id isn't known yet.

        Returns:
            True if the token ends the reply.
        """
        if not isinstance(token, int):
            request.await_token(token)
            return False
        self._state.meter.record(1, 0)
        reason = request.accept(token)
        if reason is not None:
            self._state.end_reply(request, reason)
        return reason is not None

    def _await_mask(
        self, request: Request, constraint: Constraint, unsampled: runner.PendingLogits
    ) -> None:
        """Compute a slow mask on a worker. In the meantime, steps skip the reply."""
        request.unsampled = unsampled

        def choose() -> Task:
            vocab = unsampled.logits.shape[-1]
            mask = yield Work(f"masks {request.session.domain}", partial(constraint.mask, vocab))
            # Skip if the reply has ended, or its caches are being recomputed.
            if request.unsampled is unsampled:
                token = runner.sample_constrained(request, unsampled, mask)
                request.unsampled = None
                self._process_token(request, token)

        def on_error(error: BaseException) -> None:
            if request.unsampled is unsampled:
                self._state.fail_reply(request, error)

        self._workers.start(choose(), on_error)

    def _deliver_draft(self, request: Request, check: CheckedDraft, result: PlanResult) -> None:
        started = self._state.clock()
        reason, count, accepted = _accept_draft(request, check)
        self._state.meter.record(count, 0)
        if reason is not None:
            self._state.end_reply(request, reason)
        # Constrained output is sampled here, so this counts as decoding time.
        timing, elapsed_s = result.timing, self._state.clock() - started
        result.timing = replace(
            timing,
            decode=timing.decode + elapsed_s,
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
            drafter.fail(failed.error)  # if the draft wasn't the cause, the next pass fails, too
        elif len(failed.sessions) == 1:
            self._state.restart_or_fail(group[0], failed.error)
            return
        else:
            log.warning("a shared pass failed (%s); its sessions continue alone", failed.error)
            model.shared_step_breaker.record_failure()
        for request in group:
            try:
                self._state.restart_alone(request)
            except BaseException as fault:
                self._state.fail_reply(request, fault)

    def _report_positions(self, session_ids: Sequence[str], status: Status) -> None:
        for position, session_id in enumerate(session_ids, 1):
            request = self._state.requests.get(session_id)
            if request is None or request.status != status or request.queue_position == position:
                continue
            try:
                request.progress(request.reused, position)
            except BaseException as error:
                self._state.fail_reply(request, error)


def _accept_draft(request: Request, check: CheckedDraft) -> tuple[FinishReason | None, int, int]:
    """Add the accepted tokens of a draft and the token after them to the answer.

    Afterwards, the caches of both models contain the processed tokens except for the last one.

    Returns:
        The finish reason or None, and the numbers of processed and accepted tokens.
    """
    kv, drafter = request.kv, request.session.model.drafter
    assert drafter is not None
    start, count = kv.length - len(check.fed), 0
    reason: FinishReason | None = None
    agrees = True
    while reason is None and agrees:
        next_token = check.sample(request, count)
        reason, count = request.accept(next_token), count + 1
        agrees = [next_token] == check.fed[count : count + 1]
    kv.roll_back(start + count)
    drafter.roll_back(start + count)
    accepted = count - 1 + agrees
    drafter.drafted += len(check.drafted)
    drafter.accepted += accepted
    request.next_is_nan = None  # no token is pending after a draft
    return reason, count, accepted
