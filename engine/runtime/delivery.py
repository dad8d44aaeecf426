"""`Delivery.deliver(plan, run)`: tokens become text, replies end, and callers hear of both."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import mlx.core as mx

from engine.errors import EngineError
from engine.messages import FinishReason
from engine.model import drafting, runner
from engine.model.drafting import Check
from engine.runtime.executor import Drafted, Failed, Read, Run, Token
from engine.runtime.memory import AHEAD
from engine.runtime.models import Loading
from engine.runtime.plan import Status, StepPlan
from engine.runtime.request import SessionState
from engine.runtime.state import State

log = logging.getLogger(__name__)


class Delivery:
    """Turns outcomes into events."""

    def __init__(self, state: State, loading: Loading) -> None:
        self._state = state
        self._loading = loading

    def deliver(self, plan: StepPlan, run: Run) -> None:
        """Take what a plan brought."""
        self._refuse(plan)
        for outcome in run.outcomes:
            match outcome:
                case Failed():
                    self._fail(outcome)
                case Read(key):
                    self._fenced(key, self._note_read)
                case Token(key, token, following):
                    self._fenced(key, partial(self._advance, token, following))
                case Drafted(key, check):
                    self._fenced(key, partial(self._advance_drafted, check, run))
        self._tell_places(plan)

    def _refuse(self, plan: StepPlan) -> None:
        for refusal in plan.refuse:
            error = EngineError(refusal.code, refusal.message)
            if refusal.load:
                self._loading.refuse(refusal.key, error)
                continue
            session = self._state.answering.get(refusal.key)
            if session is not None:
                self._state.fail_reply(session, error, keep_cache=True)

    def _advance(self, token: int | None, following: Any, session: SessionState) -> None:
        """Take the token that was pending (None: it was the prompt's last), go on to the next.

        Args:
            following: as of `Token`.
        """
        reply = session.reply
        assert reply is not None
        if token is None:
            if not session.remaining:  # else the prompt's last chunk had it
                session.kv.note_fed(reply.tokens[-1])
        else:
            if following is not None:
                session.kv.note_fed(token)
            reason = self._take(session, token)
            if reason is not None:
                return self._state.end_reply(session, reason)
        if isinstance(following, Exception):
            return self._state.fail_reply(session, following)
        if isinstance(following, runner.Unsampled):
            following = runner.choose(reply, following)
        reply.next = following
        return None

    def _take(self, session: SessionState, token: int) -> FinishReason | None:
        """Add a token to the answer; says why it ends with it, if it does."""
        reply = session.reply
        assert reply is not None
        if token in session.model.text.eos:
            return FinishReason.STOP
        reply.accept(token)
        if reply.complete:
            return FinishReason.STOP
        if reply.generated + AHEAD > reply.limit:
            self._state.memory.extend(session)
        if reply.generated < reply.limit:
            return None
        return FinishReason.LENGTH if reply.limit >= reply.longest else FinishReason.MEMORY

    def _advance_drafted(self, check: Check, run: Run, session: SessionState) -> None:
        """Take the token that was pending, and those drafted after it as far as they hold."""
        started = time.perf_counter()
        reason, told = _advance_draft(session, check, partial(self._take, session))
        self._state.meter.note(told, 0)
        if reason is not None:
            self._state.end_reply(session, reason)
        # A form has its tokens chosen only here.
        timing, spent = run.timing, time.perf_counter() - started
        run.timing = replace(timing, decode=timing.decode + spent, told=told, accepted=told - 1)

    def _fail(self, failed: Failed) -> None:
        """Keep a fault with the session that caused it.

        A pass that several shared does not tell whose fault it was. All of them go on alone, with
        caches made anew, and whoever fails alone is the one.
        """
        answering = self._state.answering
        group = [answering[i] for i in failed.sessions if i in answering]
        if not group:
            return
        drafter = group[0].model.drafter if failed.drafted else None
        if drafter is not None:
            drafter.fail(failed.error)  # without a draft it fails, or goes on
        elif len(failed.sessions) == 1:
            self._state.fail_alone(group[0], failed.error)
            return
        else:
            log.warning("a shared pass failed (%s); its sessions go on alone", failed.error)
            group[0].model.sharing.failed()
        for session in group:
            try:
                self._state.begin_again(session)
            except BaseException as fault:
                self._state.fail_reply(session, fault)

    def _fenced(self, session_id: str, tell: Callable[[SessionState], None]) -> None:
        """Tell of a session how it stands; what is raised over that is its own."""
        session = self._state.answering.get(session_id)
        if session is None:
            return
        try:
            tell(session)
        except BaseException as error:
            self._state.fail_reply(session, error)

    def _note_read(self, session: SessionState) -> None:
        if session.reply_status != Status.PREFILLING:
            return
        assert session.reply is not None
        if session.remaining > 0:
            session.reply.progress(session.kv.length, 0)
        else:
            self._state.note_read(session)

    def _tell_places(self, plan: StepPlan) -> None:
        """Tell those who wait how many come before them."""
        answering = self._state.answering
        for place, session_id in enumerate(plan.reading):
            session = answering.get(session_id)
            if place and session is not None and session.reply_status == Status.PREFILLING:
                self._fenced(session_id, partial(self._tell, place))
        for place, session_id in enumerate(plan.queue, 1):  # at least the one who has the memory
            session = answering.get(session_id)
            if session is not None and session.reply_status == Status.QUEUED:
                self._fenced(session_id, partial(self._tell, place))

    def _tell(self, place: int, session: SessionState) -> None:
        reply = session.reply
        if reply is not None and reply.queue_position != place:
            reply.progress(reply.reused, place)


def _advance_draft(
    session: SessionState, found: Check, take: Callable[[int], FinishReason | None]
) -> tuple[FinishReason | None, int]:
    """Take the pending token, and the drafted ones as long as the answer says the same.

    Afterwards the caches of both models hold what was taken and nothing else.

    Args:
        take: adds a token to the answer; says why the answer ends with it, if it does.

    Returns:
        Why the answer ends, None where it goes on, and how many tokens were taken.
    """
    reply, drafter = session.reply, session.model.drafter
    assert reply is not None
    start, told, following = session.kv.length - len(found.fed), 0, 0
    reason: FinishReason | None = None
    for place, token in enumerate(found.fed):
        reason, told = take(token), place + 1
        if reason is not None:
            break
        following = found.choose(reply, place)
        if [following] != found.fed[told : told + 1]:
            break
    drafting.take_back(session.kv, start + told)
    drafter.keep(start + told)
    drafter.drafted += len(found.drafted)
    drafter.accepted += told - 1
    if reason is None:
        reply.next = mx.array([following], mx.uint32)
    return reason, told
