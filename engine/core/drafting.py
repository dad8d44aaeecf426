"""Drafts for a chat that runs alone: whether one may be made, and what comes of it."""

from __future__ import annotations

from collections.abc import Callable

import mlx.core as mx

from engine.core.session import SessionState
from engine.core.state import State
from engine.messages import FinishReason
from engine.model import drafting
from engine.model.drafting import Check, Drafter


def most(session: SessionState) -> int:
    """The most tokens that may be drafted after a session's pending one; 0 where none may.

    Reproducible chats never have drafts: a pass of several tokens rounds otherwise than steps do.
    """
    reply, drafter = session.reply, session.model.drafter
    if reply is None or drafter is None or not drafter.works or reply.next is None:
        return 0
    if session.reproducible or reply.alone or not session.kv.trimmable:
        return 0
    return max(0, reply.limit - reply.generated - 2)  # one more follows the draft


def behind(state: State, session: SessionState) -> int:
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


def check(session: SessionState, count: int) -> Check:
    """Draft `count` tokens of the session's answer and have its model read them."""
    reply = session.reply
    assert reply is not None
    found = drafting.check(session.model, session.kv, reply, session.model.drafter, count)
    reply.next = None
    return found


def catch_up(session: SessionState, count: int) -> None:
    """Have the drafter read the next `count` tokens of an answer; its faults are its own."""
    reply = session.reply
    drafter: Drafter = session.model.drafter
    assert reply is not None
    try:
        drafter.read(reply.tokens, count)
    except BaseException as error:  # a panic in a native library, too
        drafter.fail(error)


def advance(
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
