"""Digests of conversations: by them a client and a server know that they mean the same messages."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from typing import Any


def chained(messages: Sequence[Any], before: str = "") -> list[str]:
    """A digest for each beginning of a conversation, up to each of its messages.

    That of a message is SHA-256, in 64 small hexadecimal digits, over the digest of the message
    before it (nothing for the first one), and over the message as JSON in ASCII, with sorted keys
    and without blanks.

    Args:
        messages: as they go over the line.
        before: the digest of what stands before them.
    """
    found = []
    for message in messages:
        text = json.dumps(message, ensure_ascii=True, sort_keys=True, separators=(",", ":"))
        before = hashlib.sha256((before + text).encode("ascii")).hexdigest()
        found.append(before)
    return found
