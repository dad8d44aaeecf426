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
    it. Turns are dropped whole, as few as get the prompt to `target` tokens. Where the last turn
    alone is too long, its oldest steps go: a message of the assistant with the results of the
    tools that it called. The last step stays.

    Args:
        most: tokens that the prompt may have at all, for when only the last turn is left.
        length: how many tokens a prompt of these messages has; called O(log n) times.

    Returns:
        None when even the last turn's last step is too long.
    """
    fixed = head(messages)
    cuts = [i for i, m in enumerate(messages) if i > fixed and m["role"] == "user"]
    if cuts:
        kept = _fewest([[*messages[:fixed], *messages[cut:]] for cut in cuts], target, length)
        if length(kept) <= most:
            return kept, len(messages) - len(kept)
    last = cuts[-1] if cuts else fixed
    asked = messages[last : last + 1]
    steps = [i for i, m in enumerate(messages) if i > last and m["role"] == "assistant"][1:]
    if not steps or asked[0]["role"] != "user":
        return None
    kept = _fewest([[*messages[:fixed], *asked, *messages[i:]] for i in steps], target, length)
    return (kept, len(messages) - len(kept)) if length(kept) <= most else None


def gone(messages: Sequence[Message], kept: Sequence[Message]) -> list[Message]:
    """The messages that `slide` did not keep."""
    there = {id(message) for message in kept}
    return [message for message in messages if id(message) not in there]


def without(messages: list[Message], gone: Sequence[Message]) -> list[Message] | None:
    """A conversation without those messages; None where they are not its oldest.

    Only messages of the user may stand between them: the one whose turn is still worked on stays.
    """
    fixed = head(messages)
    kept, found = messages[:fixed], 0
    for at, message in enumerate(messages[fixed:], fixed):
        if found == len(gone):
            return [*kept, *messages[at:]]
        if message == gone[found]:
            found += 1
        elif message["role"] == "user":
            kept.append(message)
        else:
            return None
    return None


def _fewest(
    choices: list[list[Message]], target: int, length: Callable[[list[Message]], int]
) -> list[Message]:
    """The first of these, each shorter than the one before, that is of `target`; else the last."""
    low, high = 0, len(choices) - 1
    while low < high:
        middle = (low + high) // 2
        if length(choices[middle]) <= target:
            high = middle
        else:
            low = middle + 1
    return choices[low]
