"""Reading prompts: one chunk of one prompt a turn, so that the others hardly notice."""

from __future__ import annotations

import contextlib
import time

import mlx.core as mx

from engine import runner
from engine.decoding import groups
from engine.scheduler import Waiting
from engine.session import SessionState, Status
from engine.state import State


class Prefilling:
    """The prefill step of the loop."""

    def __init__(self, state: State) -> None:
        self._state = state

    def waiting(self) -> list[Waiting]:
        """The prompts that are not wholly read."""
        return [
            Waiting(s.id, self._state.remaining(s), s.reply.waiting_since, s.priority)
            for s in self._state.sessions.values()
            if s.reply is not None and s.reply.status == Status.PREFILLING and not s.paused
        ]

    def step(self) -> None:
        """One chunk of one prompt, unless a model's chats still wait for their token."""
        if not self._state.round_over:
            return
        now = time.perf_counter()
        order = self._state.scheduler.order(self.waiting(), now)
        if not order:
            return
        for position, waiting in enumerate(order):
            reply = self._state.sessions[waiting.key].reply
            if reply is not None and position and reply.queue_position != position:
                reply.progress(reply.reused, position)
        session, *others = (self._state.sessions[w.key] for w in order)
        try:
            self._adopt(session)
            if session.reply is not None and session.reply.status == Status.PREFILLING:
                self._read_chunk(session, others)
        except Exception as error:
            self._state.fail_reply(session, error)

    def _adopt(self, session: SessionState) -> None:
        """Take what another chat has read of the same prompt."""
        gain = self._state.prefixes.adopt(session, self._state.sessions.values())
        if gain and session.reply is not None:
            session.reply.reused += gain
            session.reply.progress(session.kv.length, 0)
            self._state.note_prefilled(session)

    def _read_chunk(self, session: SessionState, others: list[SessionState]) -> None:
        reply, kv, model = session.reply, session.kv, session.model
        assert reply is not None
        decoding = not self._state.gathering and any(True for _ in groups(self._state))
        if decoding:
            # The decode step in flight must not be counted as reading time, nor the other way.
            # A fault in it is found by those whose step it is, when they read their tokens.
            with contextlib.suppress(Exception):
                mx.synchronize()
            self._state.step_seconds = time.perf_counter() - self._state.step_started
        step = self._state.step_seconds if decoding else None
        remaining = self._state.remaining(session)
        if session.reproducible:
            size = self._state.scheduler.fixed_chunk(kv.length, remaining)
        else:
            size = self._state.scheduler.chunk(model.info.id, remaining, step)
        to_border = reply.prompt.border - kv.length
        if kv.needs_snapshot and to_border > 0:
            size = min(size, to_border)
        halt = self._state.prefixes.stop_at(session, others)
        if halt is not None:
            size = min(size, halt - kv.length)
        before = kv.length
        kv.expect(remaining - size)
        started = time.perf_counter()
        runner.prefill(session, size)
        self._state.meter.note(0, size)
        if size < remaining and not session.reproducible:
            self._state.scheduler.observe(model.info.id, size, time.perf_counter() - started, step)
        if kv.needs_snapshot and kv.length == reply.prompt.border:
            kv.snapshot()
        self._state.prefixes.keep(session, before, others)
        if remaining > size:
            reply.progress(kv.length, 0)
            return
        self._state.note_prefilled(session)
        # Those with the same prompt come along into the next step, as far as time allows.
        read = time.perf_counter()
        for other in others:
            if time.perf_counter() - read < self._state.scheduler.gap_budget + (step or 0.5):
                self._adopt(other)
