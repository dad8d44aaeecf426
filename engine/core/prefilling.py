"""Reading prompts: one chunk of one prompt a turn, so that the others hardly notice."""

from __future__ import annotations

import contextlib
import time

import mlx.core as mx

from engine.core.decoding import TOO_MANY_FAULTS, groups
from engine.core.session import SessionState, Status
from engine.core.state import State
from engine.model import runner
from engine.model.runner import Ride
from engine.scheduling.scheduler import TILE, Waiting

EVERY = 256
"""Of so many chunks one is read after a step and not with it, to know how long a step takes. Not
more often: that step's tokens come at once and the next ones late, a gap of nearly two passes."""


class Prefilling:
    """The prefill step of the loop, and the chunks that ride along with a decode step."""

    def __init__(self, state: State) -> None:
        self._state = state
        self._rode = False
        self._chunks = 0

    def waiting(self) -> list[Waiting]:
        """The prompts that are not wholly read."""
        return [
            Waiting(s.id, self._state.remaining(s), s.reply.waiting_since, s.priority)
            for s in self._state.sessions.values()
            if s.reply is not None and s.reply.status == Status.PREFILLING and not s.paused
        ]

    def step(self) -> None:
        """One chunk of one prompt, unless one rode along or some chats wait for their token."""
        if self._rode or not self._state.round_over:
            self._rode = False
            return
        order = self._order()
        if order:
            try:
                if self._prepare(order[0]):
                    self._read_chunk(order[0], order[1:])
            except Exception as error:
                self._state.fail_reply(order[0], error)

    def ride(self, group: list[SessionState]) -> Ride | None:
        """What is to be read in one pass with the next step of `group`, if anything can be.

        On all machines the weights are read once for both, and on a CPU few rows cost as much as
        sixteen: so the others wait less, and the prompt is read sooner.
        """
        order = self._order()
        if not order or not self._state.step_seconds or not _may_ride(order[0], group):
            return None
        session = order[0]
        self._chunks += 1
        if not self._chunks % EVERY:
            return None
        try:
            if not self._prepare(session):
                return None
        except Exception as error:
            self._state.fail_reply(session, error)
            return None
        remaining = self._state.remaining(session)
        size = self._state.scheduler.ride(session.model.info.id, len(group), remaining)
        session.kv.expect(remaining - size)
        return Ride(session, size)

    def rode(self, ride: Ride, rows: int, seconds: float) -> None:
        """Take note that a pass with a ride and so many other rows has taken so many seconds."""
        self._rode = True
        self._state.undisturbed = False
        session, state = ride.session, self._state
        model = session.model.info.id
        if state.remaining(session):
            state.scheduler.observe_ride(model, rows + ride.count, seconds, state.step_seconds)
        self._conclude(session, [s for s in self._order() if s is not session], ride.count)

    def _order(self) -> list[SessionState]:
        """Whose prompts are to be read, the next one first."""
        now = time.perf_counter()
        order = self._state.scheduler.order(self.waiting(), now)
        sessions = [self._state.sessions[w.key] for w in order]
        for position, session in enumerate(sessions):
            reply = session.reply
            if reply is not None and position and reply.queue_position != position:
                reply.progress(reply.reused, position)
        return sessions

    def _prepare(self, session: SessionState) -> bool:
        """Take what another chat has read of the same prompt; whether there is more to read."""
        self._adopt(session)
        return session.reply_status == Status.PREFILLING

    def _adopt(self, session: SessionState) -> None:
        gain = self._state.prefix_cache.adopt(session, self._state.sessions.values())
        if gain and session.reply is not None:
            session.reply.reused += gain
            session.reply.progress(session.kv.length, 0)
            self._state.note_prefilled(session)

    def _read_chunk(self, session: SessionState, others: list[SessionState]) -> None:
        reply, kv, model = session.reply, session.kv, session.model
        assert reply is not None
        answering = [] if self._state.gathering else list(groups(self._state))
        if answering:
            # The decode step in flight must not be counted as reading time, nor the other way.
            # A fault in it is found by those whose step it is, when they read their tokens.
            with contextlib.suppress(Exception):
                mx.synchronize()
            self._state.step_seconds = time.perf_counter() - self._state.step_started
        step = self._state.step_seconds if answering else None
        remaining = self._state.remaining(session)
        if session.reproducible:
            size = self._state.scheduler.fixed_chunk(kv.length, remaining)
        else:
            size = self._state.scheduler.chunk(model.info.id, remaining, step)
        if len(answering) == 1 and _may_ride(session, answering[0]):
            size = min(size, TILE)  # how long chunks take behind a step is hardly ever observed
        to_border = reply.prompt.border - kv.length
        if kv.needs_snapshot and to_border > 0:
            size = min(size, to_border)
        halt = self._state.prefix_cache.stop_at(session, others)
        if halt is not None:
            size = min(size, halt - kv.length)
        kv.expect(remaining - size)
        self._state.undisturbed = False
        started = time.perf_counter()
        runner.prefill(session, size)
        if size < remaining and not session.reproducible:
            self._state.scheduler.observe(model.info.id, size, time.perf_counter() - started, step)
        if kv.needs_snapshot and kv.length == reply.prompt.border:
            kv.snapshot()
        self._conclude(session, others, size)

    def _conclude(self, session: SessionState, others: list[SessionState], size: int) -> None:
        """After a chunk of so many tokens has been read."""
        reply, kv = session.reply, session.kv
        assert reply is not None
        self._state.meter.note(0, size)
        self._state.prefix_cache.keep(session, kv.length - size, others)
        if self._state.remaining(session):
            reply.progress(kv.length, 0)
            return
        self._state.note_prefilled(session)
        # Those with the same prompt come along into the next step, as far as time allows.
        least = 0.5 if self._state.gathering else self._state.step_seconds
        until = time.perf_counter() + self._state.scheduler.gap_budget + least
        for other in others:
            if time.perf_counter() < until:
                self._adopt(other)


def _may_ride(session: SessionState, group: list[SessionState]) -> bool:
    """Whether a session's prompt can be read in one pass with the next step of `group`."""
    model, reply = session.model, session.reply
    return (
        model.mixes
        and model is group[0].model
        and model.faults < TOO_MANY_FAULTS
        and not (session.reproducible or model.token_by_token)
        and reply is not None
        and not reply.alone
        and not any(s.reproducible or s.kv_bits or (s.reply and s.reply.alone) for s in group)
        and session.kv.is_plain
    )
