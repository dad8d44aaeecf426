"""How everything stands at the beginning of a turn, in the scheduler's terms."""

from __future__ import annotations

import logging
import time
from collections.abc import Mapping, Sequence

from engine.errors import words_of
from engine.kv.held_caches import Part
from engine.kv.ledger import CacheKey, Offer
from engine.kv.prefix_cache import in_common
from engine.kv.session_kv import SessionKV
from engine.runtime import admission
from engine.runtime.plan import Idle, LoadRequest, Memory, Pace, Row, Status, View
from engine.runtime.request import SessionState
from engine.runtime.state import State

log = logging.getLogger(__name__)


SCRATCH_TOKENS = 1024
"""So long a single question always finds room, if no other one runs."""

LONG_AGO = -1e9
"""Seconds: kept beginnings of prompts make room before any chat does."""


def view(state: State, load: LoadRequest | None) -> View:
    """The view of this moment. `load` is the model that waits to be read, if any."""
    rows = _rows(state)
    sessions = state.answering
    groups = {row.group for row in rows if row.group and admission.is_running(row)}
    return View(
        now=time.perf_counter(),
        rows=rows,
        mixing=frozenset(i for i, m in state.models.items() if m.mixes),
        joining=frozenset(i for i, m in state.models.items() if m.mixes and m.ranks == 1),
        pace=_pace(state, rows),
        faulty=frozenset(i for i, m in state.models.items() if not m.sharing.works),
        memory=Memory(
            state.budget,
            state.weights,
            max((m.estimate.bytes(SCRATCH_TOKENS) for m in state.models.values()), default=0),
            lambda: idle(state),
            state.memory_version,
            state.idle_bytes(groups),
            state.leaving(groups),
        ),
        load=load,
        offer=lambda row: _offer(state, sessions[row.id]),
        halt=lambda row, others: _halt(state, row, others),
        common=lambda one, other: _common(state, one, other),
        behind=lambda row: draft_behind(state, sessions[row.id]),
    )


def _pace(state: State, rows: Sequence[Row]) -> dict[str, Pace]:
    """What was measured of each model, for as many chats as decode."""
    pace = {}
    for key, model in state.models.items():
        if model.choices is not None:
            chats = sum(row.decodes and row.model == key for row in rows)
            pace[key] = Pace(model.choices.mixed_for(chats), model.choices.chunk_most)
    return pace


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
    chunked = reading and not (session.reproducible or reply.alone or model.token_by_token)
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
        ends=chunked and model.leaves_out_rows and model.ranks == 1,
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


def idle(state: State) -> list[Idle]:
    """The caches that nobody needs: of chats that are not answering, kept beginnings, drafts'."""
    chats = [_idle(s.key, s.kv, s.used_at) for s in state.sessions.values() if not s.is_running]
    kept = state.prefix_cache.kept.items()
    drafts = [Idle(k, d.nbytes, d.used_at + LONG_AGO) for k, d in state.drafters.items()]
    return [*chats, *drafts, *(_idle(key, p.kv, p.used_at + LONG_AGO) for key, p in kept)]


def _idle(key: CacheKey, kv: SessionKV, used_at: float) -> Idle:
    held = kv.part
    return Idle(key, held.own, used_at, held.group, held.shared)


def room_for(
    state: State, needed: int, groups: Mapping[int, int]
) -> tuple[list[CacheKey], int] | None:
    """Which idle caches to drop so that there is room beside them, and the bytes of the others.

    None where that does not help.

    Args:
        needed: bytes of all that stays, the weights and `groups` among them.
        groups: what running replies hold together with others, by number.
    """
    free = state.budget - needed
    if free < 0:
        return None
    total = state.idle_bytes(groups)
    return ([], total) if total <= free else admission.room(free, idle(state), groups)


def _offer(state: State, session: SessionState) -> Offer | None:
    reply = session.reply
    if reply is None or not reply.adopts:
        return None
    kind, all_of_them = session.kind, state.sessions.values()
    try:
        others = [(s.key, s.kv) for s in all_of_them if s is not session and s.kind == kind]
        return state.prefix_cache.offer(session.reader, others)
    except BaseException as error:  # it reads what it could have taken over
        log.warning("no offer of another chat's cache: %s", words_of(error))
        reply.adopts = False
        return None


def _halt(state: State, row: Row, others: Sequence[Row]) -> int:
    try:
        waiting = (state.answering[r.id].reader for r in others)
        return state.prefix_cache.halt(state.answering[row.id].reader, waiting)
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


def draft_behind(state: State, session: SessionState) -> int:
    """How many of an answer's tokens its drafter must read; -1 where there is no memory for it.

    A draft takes what nobody needs: no chat's cache makes room for one.
    """
    reply, drafter = session.reply, session.model.drafter
    assert reply is not None
    drafter.draft_for(session.domain)
    if not drafter.admitted(reply.tokens, reply.limit, state.memory_version):
        needed = drafter.model.estimate.bytes(reply.prompt_length + reply.limit)
        own, groups = state.promised()
        used = state.weights + own + sum(groups.values()) + needed
        used += state.idle_bytes(groups) + state.leaving(groups) - drafter.nbytes
        drafter.admit(reply.tokens, reply.limit, state.memory_version, used <= state.budget)
    return int(drafter.behind(reply.tokens)) if drafter.has_room else -1
