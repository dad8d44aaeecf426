"""A conversation longer than the model's context: which of its oldest turns go. Pure."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from engine.messages import Message

KEPT_SHARE = 0.7
"""Of the context: so much is filled anew, so that the next turns need not drop again at once and
their prompts begin like the one before, which is what their caches are reused by."""


def head(messages: Sequence[Message]) -> int:
    """How many system messages stand before the first turn."""
    count = 0
    while count < len(messages) and messages[count]["role"] == "system":
        count += 1
    return count


def slide(
    messages: list[Message], target: int, most: int, length: Callable[[list[Message]], int]
) -> tuple[list[Message], int] | None:
    """The messages without the oldest turns, and how many messages went.

    System messages at the head stay, and so does the last message of the user with what follows
    it. Turns are dropped whole, as few as get the prompt to `target` tokens.

    Args:
        most: tokens that the prompt may have at all, for when only the last turn is left.
        length: how many tokens a prompt of these messages has; called O(log n) times.

    Returns:
        None when even the last turn is too long.
    """
    fixed = head(messages)
    cuts = [i for i, m in enumerate(messages) if i > fixed and m["role"] == "user"]
    if not cuts:
        return None
    low, high = 0, len(cuts) - 1
    while low < high:  # shorter the more is dropped
        middle = (low + high) // 2
        if length([*messages[:fixed], *messages[cuts[middle] :]]) <= target:
            high = middle
        else:
            low = middle + 1
    kept = [*messages[:fixed], *messages[cuts[low] :]]
    if length(kept) > most:
        return None
    return kept, cuts[low] - fixed
