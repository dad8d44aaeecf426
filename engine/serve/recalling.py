"""Requests that send only what is new: the rest is what their session has been told."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import Any

from starlette.types import Scope

from engine.serve import bodies
from engine.serve.guests import guest_of
from engine.serve.sessions import Sessions
from engine.serve.told import Told, check_digest


async def recalled(
    sessions: Sessions, scope: Scope, name: str | None, body: dict[str, Any], size: int
) -> Told | None:
    """The whole conversation of a request, whose body has it afterwards; None without a session.

    Args:
        name: of the session that the request names.
        size: bytes of the request.

    Raises:
        RefusedError: 400, `follows` is none; 404 and 409, the session does not know it.
    """
    follows, messages = body.pop("follows", None), body.get("messages")
    if follows is not None:
        try:
            check_digest("follows", follows)
            if name is None:
                raise ValueError("follows goes with a session: name it by session_id")
        except ValueError as error:
            raise bodies.not_understood(error) from None
    if name is None or not isinstance(messages, list):
        return None
    before = Told() if follows is None else sessions.get(guest_of(scope), name).told
    join = partial(before.followed, follows, messages, size)
    found = await asyncio.to_thread(join) if size > bodies.LARGE else join()
    body["messages"] = list(found.messages)
    return found


def remember(sessions: Sessions, scope: Scope, name: str | None, told: Told | None) -> None:
    """The session has been told this: a next request may go on from it."""
    named = sessions.find(guest_of(scope), name) if name else None
    if named is not None and told is not None:
        named.told = told.kept
