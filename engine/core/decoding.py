"""One token for every decoding session, and what follows when a step fails."""

from __future__ import annotations

import contextlib
import logging
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import mlx.core as mx

from engine.core.session import SessionState, Status
from engine.core.state import State
from engine.messages import FinishReason
from engine.model import runner
from engine.scheduling.scheduler import Turns

if TYPE_CHECKING:
    from engine.core.prefilling import Prefilling

log = logging.getLogger(__name__)

# A model whose shared steps keep failing is stepped session by session from then on.
TOO_MANY_FAULTS = 3


def groups(state: State) -> Iterator[list[SessionState]]:
    """The decoding sessions, by the forward pass that they take part in."""
    shared: dict[str, list[SessionState]] = {}
    for session in state.sessions.values():
        reply = session.reply
        if reply is None or reply.status != Status.DECODING or reply.paused:
            continue
        if session.reproducible or reply.alone:
            yield [session]
        else:
            shared.setdefault(session.model.info.id, []).append(session)
    yield from shared.values()


class Decoding:
    """The decode step of the loop; a chunk of a prompt may ride along with it."""

    def __init__(self, state: State, prefilling: Prefilling) -> None:
        self._state = state
        self._prefilling = prefilling
        self._turns = Turns()

    def step(self) -> None:
        """One token for every decoding session of one model."""
        state = self._state
        now = time.perf_counter()
        state.gathering = self._gathers(now)
        if state.gathering:
            return
        if state.round_over:
            if state.undisturbed:
                state.step_seconds = now - state.step_started
            state.step_started = now
        by_model: dict[str, list[list[SessionState]]] = {}
        for group in groups(state):
            by_model.setdefault(group[0].model.info.id, []).append(group)
        model = self._turns.next(by_model) if by_model else ""
        state.undisturbed = len(by_model) == 1
        together = [group for some in by_model.values() for group in some]
        for group in by_model.get(model, ()):
            self._decode_group(group, may_ride=len(together) == 1)
        state.round_over = True
        if len(by_model) > 1:
            # What one model has been told to do must not be counted as another's time.
            with contextlib.suppress(Exception):  # found by those whose step it is
                mx.synchronize()
            state.round_over = self._turns.charge(model, time.perf_counter() - now)

    def _gathers(self, now: float) -> bool:
        """Whether all who could decode are about to begin, and wait for others to be read."""
        sessions = [s for s in self._state.sessions.values() if s.reply and not s.paused]
        ready = [s.reply for s in sessions if s.reply and s.reply.status == Status.DECODING]
        reading = [s for s in sessions if s.reply_status == Status.PREFILLING]
        if not ready or not reading or any(reply.has_begun for reply in ready):
            return False
        first = min(reading, key=self._state.remaining)
        return self._state.scheduler.gathers(
            first.model.info.id,
            self._state.remaining(first),
            now - min(reply.ready_at for reply in ready),
        )

    def _decode_group(self, group: list[SessionState], may_ride: bool) -> None:
        feeding = [s for s in group if s.reply is not None and s.reply.wants_more]
        if all(s.reply is not None and s.reply.awaits_first for s in group):
            feeding = []  # a first token is waited for: it is said before the next one is begun
        alone = len(group) == 1 or group[0].model.faults >= TOO_MANY_FAULTS
        following: dict[str, Any] = {}
        seconds = 0.0
        meter = self._state.meter
        ride = self._prefilling.ride(feeding) if may_ride and feeding else None
        try:
            if ride is not None:
                tokens, seconds = self._decode_with(ride, feeding)
                following = {s.id: t for s, t in zip(feeding, tokens, strict=True)}
            elif feeding:
                with meter.phase("launch"):
                    tokens = runner.decode(feeding, alone)
                following = {s.id: t for s, t in zip(feeding, tokens, strict=True)}
            with meter.phase("wait"):
                read = {s.id: s.reply.read() for s in group if s.reply is not None}
        except Exception as error:  # in Python or on the device: whose fault it is cannot be told
            self._fence(group if ride is None else [*group, ride.session], error)
            return
        meter.note(sum(token is not None for token in read.values()), 0)
        for session in group:
            try:
                self._advance(session, read[session.id], following.get(session.id))
            except Exception as error:
                self._state.fail_reply(session, error)
        if ride is not None:
            self._prefilling.rode(ride, len(feeding), seconds)

    def _decode_with(
        self, ride: runner.Ride, feeding: list[SessionState]
    ) -> tuple[list[Any], float]:
        """A step of these, and a chunk of another's prompt in the same pass; how long it took."""
        with contextlib.suppress(Exception):  # found when its tokens are read
            mx.synchronize()  # the step before is not counted as this one's time
        started = time.perf_counter()
        with self._state.meter.phase("ride"):
            tokens = runner.decode(feeding, alone=False, ride=ride)
            mx.synchronize()
        return tokens, time.perf_counter() - started

    def _advance(self, session: SessionState, token: int | None, following: Any) -> None:
        """Take the token that was pending (None: it was the prompt's last), go on to the next.

        `following` is the lazy token after it, its sampler's exception, or None when the pending
        one was the last that is wanted and was not fed.
        """
        reply = session.reply
        assert reply is not None
        if token is None:
            session.kv.note_fed(reply.tokens[-1])
        else:
            if following is not None:
                session.kv.note_fed(token)
            if token in session.model.eos:
                return self._state.end_reply(session, FinishReason.STOP)
            reply.accept(token)
            if reply.complete:
                return self._state.end_reply(session, FinishReason.STOP)
            if reply.generated >= reply.limit:
                return self._state.end_reply(session, FinishReason.LENGTH)
        if isinstance(following, Exception):
            return self._state.fail_reply(session, following)
        if isinstance(following, runner.Unsampled):
            following = runner.choose(reply, following)
        reply.next = following
        return None

    def _fence(self, group: list[SessionState], error: Exception) -> None:
        """Keep a fault with the session that caused it.

        A step that several shared does not tell whose fault it was: all go on alone, their caches
        made anew, and whoever fails alone is the one.
        """
        if len(group) == 1:
            self._state.fail_reply(group[0], error)
            return
        log.warning("a shared step failed (%s); its sessions go on alone", error)
        group[0].model.faults += 1
        for session in group:
            reply = session.reply
            assert reply is not None
            session.kv.drop()
            session.kv.begin(reply.tokens)
            reply.next = None
            reply.reused = 0
            reply.alone = reply.rebuilt = True
            reply.status = Status.PREFILLING
            reply.waiting_since = time.perf_counter()
            self._state.note_prefilled(session)
