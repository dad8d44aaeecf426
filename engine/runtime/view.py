"""How everything stands at the beginning of a turn, in the scheduler's terms."""

from __future__ import annotations

import logging
import time
from collections.abc import Sequence

from engine.errors import words_of
from engine.kv.held_caches import Part
from engine.kv.ledger import Offer
from engine.kv.prefix_cache import in_common
from engine.runtime.plan import LoadRequest, Row, Status, View
from engine.runtime.request import SessionState
from engine.runtime.state import State

log = logging.getLogger(__name__)


def view(state: State, load: LoadRequest | None) -> View:
    """The view of this moment. `load` is the model that waits to be read, if any."""
    rows = _rows(state)
    sessions = state.answering
    return View(
        now=time.perf_counter(),
        rows=rows,
        mixing=frozenset(i for i, m in state.models.items() if m.can.ways.mixes),
        joining=frozenset(i for i, m in state.models.items() if m.can.ways.mixes and m.ranks == 1),
        faulty=frozenset(i for i, m in state.models.items() if not m.sharing.works),
        memory=state.memory.view(rows),
        load=load,
        offer=lambda row: _offer(state, sessions[row.id]),
        halt=lambda row, others: _halt(state, row, others),
        common=lambda one, other: _common(state, one, other),
        behind=lambda row: state.memory.draft_behind(sessions[row.id]),
    )


def _rows(state: State) -> list[Row]:
    """A row for each session that answers; one that cannot be looked at fails."""
    rows = []
    for session in list(state.answering.values()):
        try:
            rows.append(_row(session))
        except BaseException as error:
            state.fail_reply(session, error)
    return rows


def _row(session: SessionState) -> Row:
    reply, kv, model = session.reply, session.kv, session.model
    assert reply is not None
    reading = reply.status == Status.PREFILLING
    chunked = reading and not (session.reproducible or reply.alone or model.can.token_by_token)
    promise = session.promise if reply.prompt is not None else Part(0)
    snapshot_at = -1
    if reading and reply.prompt is not None and kv.needs_snapshot:
        snapshot_at = reply.prompt.boundary
    return Row(
        session.id,
        model.info.id,
        reply.status,
        reply.paused,
        session.reproducible,
        apart=session.reproducible or reply.alone,
        mixable=chunked and kv.is_plain,
        unwritten=kv.sharers > 1,
        # Without it all of a chunk's rows would go through the output layer.
        ends=chunked and model.can.leaves_out_rows and model.ranks == 1,
        joins=not (session.reproducible or session.kv_bits or reply.alone),
        scratch=session.scratch,
        priority=session.priority,
        length=kv.length if reading else 0,
        remaining=session.remaining if reading else 0,
        waiting_since=reply.waiting_since,
        ready_at=reply.ready_at,
        begun=reply.has_begun,
        awaits_first=reply.awaits_first,
        wants_more=reply.wants_more,
        snapshot_at=snapshot_at,
        most=promise.own,
        slack=session.slack if reply.prompt is not None else 0,
        group=promise.group,
        shared=promise.shared,
        drafts=draft_room(session) if model.drafter is not None else 0,
    )


def _offer(state: State, session: SessionState) -> Offer | None:
    reply = session.reply
    if reply is None or not reply.adopts:
        return None
    kind, all_of_them = session.kind, state.sessions.values()
    try:
        others = [(s.key, s.kv) for s in all_of_them if s is not session and s.kind == kind]
        return state.memory.prefixes.offer(session.reader, others)
    except BaseException as error:  # it reads what it could have taken over
        log.warning("no offer of another chat's cache: %s", words_of(error))
        reply.adopts = False
        return None


def _halt(state: State, row: Row, others: Sequence[Row]) -> int:
    try:
        waiting = (state.answering[r.id].reader for r in others)
        return state.memory.prefixes.halt(state.answering[row.id].reader, waiting)
    except BaseException as error:  # the others read what they could have taken over
        log.warning("no halt for other chats: %s", words_of(error))
        return -1


def _common(state: State, one: Row, other: Row) -> int:
    return in_common(state.answering[one.id].reader, state.answering[other.id].reader)


def draft_room(session: SessionState) -> int:
    """The most tokens that may be drafted after a session's pending one; 0 where none may.

    Reproducible chats never have drafts: a pass of several tokens rounds otherwise than steps do.
    """
    reply, drafter = session.reply, session.model.drafter
    if reply is None or drafter is None or not drafter.works or reply.next is None:
        return 0
    if session.reproducible or reply.alone or not session.kv.trimmable:
        return 0
    return max(0, reply.limit - reply.generated - 2)  # one more follows the draft
