"""How everything stands at the beginning of a turn, in the scheduler's terms."""

from __future__ import annotations

import logging
import time
from dataclasses import replace
from typing import Any

from engine.errors import words_of
from engine.kv.held_caches import Part
from engine.kv.ledger import Offer
from engine.kv.prefix_index import Reader
from engine.runtime.plan import LoadRequest, Row, Status, View
from engine.runtime.request import SessionState
from engine.runtime.state import State

log = logging.getLogger(__name__)


def view(state: State, load: LoadRequest | None) -> View:
    """The view of this moment. `load` is the model that waits to be read, if any."""
    rows = _rows(state)
    return View(
        now=time.perf_counter(),
        rows=rows,
        mixing=frozenset(i for i, m in state.models.items() if m.can.ways.mixes),
        joining=frozenset(i for i, m in state.models.items() if m.can.ways.mixes and m.ranks == 1),
        faulty=frozenset(i for i, m in state.models.items() if not m.sharing.works),
        memory=state.memory.view(rows, load),
        load=load,
    )


def _rows(state: State) -> list[Row]:
    """A row for each session that answers; one that cannot be looked at fails."""
    try:
        state.memory.prefixes.refresh()
    except BaseException as error:  # what could have been taken over is read
        log.warning("who holds which tokens is not known: %s", words_of(error))
    rows = []
    for session in list(state.answering.values()):
        try:
            rows.append(_row(state, session))
        except BaseException as error:
            state.fail_reply(session, error)
    decoding = [place for place, row in enumerate(rows) if row.decodes]
    if len(decoding) == 1 and rows[decoding[0]].drafts:
        (place,) = decoding
        behind = state.memory.draft_behind(state.answering[rows[place].id])
        rows[place] = replace(rows[place], behind=behind)
    return rows


def _row(state: State, session: SessionState) -> Row:
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
        **(_of_prompt(state, session) if reading else {}),
    )


def _of_prompt(state: State, session: SessionState) -> dict[str, Any]:
    """What a row has of its prompt while that is read."""
    reader = session.reader
    return {
        "kind": reader.kind,
        "prompt": reader.prompt,
        "system": reader.system,
        "halts": reader.kv.needs_snapshot and not reader.fixed,
        "offer": _offer(state, session, reader),
    }


def _offer(state: State, session: SessionState, reader: Reader) -> Offer | None:
    """What somebody else holds of a prompt; looked for again only where that may have changed."""
    reply, prefixes = session.reply, state.memory.prefixes
    if reply is None or not reply.adopts:
        return None
    now = (prefixes.version, reader.kv.length, reader.kv.sharers)
    if reply.offered[0] != now:
        try:
            reply.offered = (now, prefixes.offer(reader))
        except BaseException as error:  # it reads what it could have taken over
            log.warning("no offer of another chat's cache: %s", words_of(error))
            reply.adopts = False
            return None
    return reply.offered[1]


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
