"""What a session has been told: its client may then send only what is new.

A request with `follows` goes on from a beginning of the conversation that the session was asked
last, which the field names by its digest (`engine.openai.digests`). What a session is told of is
content and no state: whatever else was asked meanwhile, a digest means the same messages.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from engine.openai.digests import chained
from engine.serve.doors.kinds import Kind
from engine.serve.refusals import RefusedError

UNKNOWN = "conversation_unknown"
HEADER = b"x-stretto-conversation"
"""Of an answer in a session: the digest of the whole conversation that is answered."""
MOST_KEPT = 4 * 2**20
"""Bytes of a request whose conversation is kept. A longer one is sent whole every time."""
_DIGEST = "[0-9a-f]{64}"


def check_digest(name: str, value: object) -> None:
    if not isinstance(value, str) or not re.fullmatch(_DIGEST, value):
        raise ValueError(f"{name} is no digest of 64 small hexadecimal digits")


FOLLOWS = Kind({"type": "string", "pattern": f"^{_DIGEST}$"}, check_digest)
"""The field that names the beginning."""


@dataclass(frozen=True)
class Told:
    """A conversation as its client has sent it.

    Attributes:
        messages: all of them.
        digests: of each beginning, as many as there are messages.
        size: bytes of the requests in which they came.
    """

    messages: tuple[Any, ...] = ()
    digests: tuple[str, ...] = ()
    size: int = 0

    def followed(self, follows: str | None, messages: Sequence[Any], size: int) -> Told:
        """The conversation that these messages go on, and they.

        Args:
            follows: the digest of the beginning; None where they are the whole conversation.
            size: bytes of their request.

        Raises:
            RefusedError: 409, no beginning of this conversation has that digest.
        """
        if follows is None:
            return Told(tuple(messages), tuple(chained(messages)), size)
        if follows not in self.digests:
            raise RefusedError(
                409,
                "The session does not know the messages that follows names. "
                "Send the whole conversation, without follows.",
                UNKNOWN,
            )
        count = self.digests.index(follows) + 1
        return Told(
            (*self.messages[:count], *messages),
            (*self.digests[:count], *chained(messages, follows)),
            self.size + size,
        )

    @property
    def headers(self) -> tuple[tuple[bytes, bytes], ...]:
        """By which the client knows that its conversation is the one that is answered."""
        return ((HEADER, self.digests[-1].encode()),) if self.digests else ()

    @property
    def kept(self) -> Told:
        """What a session keeps of it: all or nothing."""
        return self if self.size <= MOST_KEPT else Told()
