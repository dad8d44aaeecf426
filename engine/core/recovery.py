"""What becomes of a turn of the loop that failed where no fence surrounds a single reply.

A fault while commands are taken, or after a turn, concerns nobody: the turn is tried again. So it
is with the first fault of planning, which has changed nothing; the second in a row ends the
replies that are planned for. After a fault in carrying out a plan nobody knows how far it came:
the plan's sessions go on from caches that are made anew.

A fault that comes back is the engine's end, which everybody is told and after which it can be
started again: a loop that fails in every turn answers nobody.
"""

from __future__ import annotations

import logging
from enum import Enum, auto

from engine.core.examining import as_engine_error
from engine.core.loading import Loading
from engine.core.session import SessionState
from engine.core.state import State
from engine.errors import RanksLostError
from engine.scheduling.plan import StepPlan
from engine.scheduling.view import Status

log = logging.getLogger(__name__)


class Stage(Enum):
    """How far a turn has come."""

    COMMANDS = auto()
    PLANNING = auto()
    COMPUTING = auto()
    AFTERWARDS = auto()


SURVIVED = {Stage.COMMANDS: 3, Stage.PLANNING: 2, Stage.COMPUTING: 1, Stage.AFTERWARDS: 3}
"""So many faults in a row the engine goes on after."""


class Recovery:
    """Knows how far the turn has come, and makes good what a fault has left."""

    def __init__(self, state: State, loading: Loading) -> None:
        self._state = state
        self._loading = loading
        self._stage = Stage.COMMANDS
        self._plan = StepPlan()
        self._in_a_row = 0

    def reached(self, stage: Stage, plan: StepPlan | None = None) -> None:
        """Take note of how far the turn has come; when it computes, with which plan."""
        self._stage = stage
        if plan is not None:
            self._plan = plan

    def well(self) -> None:
        """A turn has come to its end."""
        self._in_a_row = 0

    def after(self, error: BaseException) -> None:
        """Make good what a fault has left; raises it again where the engine cannot go on."""
        self._in_a_row += 1
        if isinstance(error, RanksLostError) or self._in_a_row > SURVIVED[self._stage]:
            raise error
        log.error("a turn of the engine failed (%s)", self._stage.name.lower(), exc_info=error)
        if self._stage is Stage.COMPUTING:
            self._begin_again()
        elif self._stage is Stage.PLANNING and self._in_a_row > 1:
            self._give_up(error)
        self._state.fail_lost()

    def _begin_again(self) -> None:
        """Let the sessions of the plan go on from caches that are made anew."""
        plan = self._plan
        ids = {i for step in plan.passes for i in step.rows}
        ids |= {part.session for part in (*plan.chunks, plan.adopt) if part is not None}
        for session in [s for s in self._state.answering.values() if s.id in ids]:
            if session.reply_status not in (Status.PREFILLING, Status.DECODING):
                continue
            try:
                self._state.begin_again(session)
            except BaseException as fault:
                self._fail(session, fault)

    def _give_up(self, error: BaseException) -> None:
        """End whatever is planned for: one of them is what no plan can be made with."""
        for session in list(self._state.answering.values()):
            self._fail(session, error, keep_cache=True)
        wanted = self._loading.wanted
        if wanted is not None:
            self._loading.refuse(wanted.key, as_engine_error(error))

    def _fail(self, session: SessionState, error: BaseException, keep_cache: bool = False) -> None:
        try:
            self._state.fail_reply(session, error, keep_cache)
        except BaseException:  # what it has left is found by `fail_lost`
            log.exception("a reply could not be ended in order")
