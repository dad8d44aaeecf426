"""A chat's messages as a picture of its branches: lines of runs. No Qt, no store."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from msgspec import Struct, field

from app.chats.transcript import Transcript
from app.tools.tool import one_line

LONGEST_NAME = 100  # characters of a branch's name
_NAME = "branch"


class Run(Struct, eq=False):
    """Messages of which each is all that follows the one before.

    A branch is a line of runs: where it divides, it goes on with the branch that is shown, else
    with the largest, and the others are below that run. So a picture is no deeper than the
    logarithm of the messages, however often they divide.
    """

    # the messages; none for the beginning of a chat that has several first messages
    ids: tuple[str, ...]
    above: Run | None  # the run after which its branch leaves; None for what begins the chat
    place: int  # where it stands among the runs below that, or among those that begin the chat
    depth: int  # how many runs are above it
    shown: bool  # whether it is on the path that the chat shows
    begins: bool  # whether it is the first of its branch
    goes_on: bool = False  # whether the one behind it, in the same place, goes on with its branch
    more: bool = False  # whether another branch begins further down in the same place
    # the runs of the branches that leave after it, one branch after the other
    below: list[Run] = field(default_factory=list)

    @property
    def id(self) -> str:
        """The first message, by which it is known; "" for the beginning."""
        return self.ids[0] if self.ids else ""

    @property
    def branches(self) -> int:
        """How many branches leave after it."""
        return sum(run.begins for run in self.below)


def runs_of(transcript: Transcript, apart: Collection[str] = ()) -> list[Run]:
    """The runs that begin the chat, with all others below them. Takes time with each message once.

    ``apart``: ids of runs whose messages are to stand one by one.
    """
    sizes = _sizes(transcript)
    shown = {message.id for message in transcript.backwards()}
    tops: list[Run] = []
    firsts = list(transcript.followers(None))
    heir = _heir(firsts, shown, sizes)
    waiting: list[tuple[list[str], Run | None, list[Run]]] = []
    if len(firsts) > 1:
        start = Run((), None, 0, 0, shown=True, begins=True, goes_on=True)
        tops.append(start)
        waiting.append(([each for each in firsts if each != heir], start, start.below))
    if heir is not None:
        waiting += _line(transcript, heir, None, tops, apart, shown, sizes)
    while waiting:
        sides, above, into = waiting.pop()
        for side in sides:
            waiting += _line(transcript, side, above, into, apart, shown, sizes)
        more = False
        for run in reversed(into):
            run.more = more
            more = more or run.begins
    return tops


def _line(
    transcript: Transcript,
    first: str,
    above: Run | None,
    into: list[Run],
    apart: Collection[str],
    shown: set[str],
    sizes: dict[str, int],
) -> list[tuple[list[str], Run | None, list[Run]]]:
    """Put the runs of one branch in their place; what leaves them is still to be put below them."""
    left: list[tuple[list[str], Run | None, list[Run]]] = []
    depth = above.depth + 1 if above is not None else 0
    at: str | None = first
    begins = above is not None or not into
    while at is not None:
        ids = [at]
        while len(follow := transcript.followers(ids[-1])) == 1:
            ids.append(follow[0])
        for part in [(each,) for each in ids] if at in apart else [tuple(ids)]:
            run = Run(part, above, len(into), depth, part[0] in shown, begins, goes_on=True)
            into.append(run)
            begins = False
        at = _heir(follow, shown, sizes)
        if at is not None:
            left.append(([each for each in follow if each != at], run, run.below))
    run.goes_on = False
    return left


def _heir(ids: Collection[str], shown: set[str], sizes: dict[str, int]) -> str | None:
    """With which of these a branch goes on."""
    return max(ids, key=lambda each: (each in shown, sizes[each], each), default=None)


def _sizes(transcript: Transcript) -> dict[str, int]:
    """By message: how many there are from it on."""
    order, waiting = list[str](), list(transcript.followers(None))
    while waiting:
        order.append(at := waiting.pop())
        waiting += transcript.followers(at)
    sizes = dict.fromkeys(order, 1)
    for at in reversed(order):
        if (parent := transcript[at].parent_id) is not None:
            sizes[parent] += sizes[at]
    return sizes


def branch_name(stats: Mapping[str, Any]) -> str:
    """What a person calls the branch that begins with a message with these figures; "" for nothing.

    They come from files of chats, too, and may hold anything there.
    """
    return one_line(stats.get(_NAME), LONGEST_NAME)


def with_branch_name(stats: Mapping[str, Any], name: str) -> dict[str, Any]:
    """The figures with this name for the branch; "" takes it away."""
    others = {key: value for key, value in stats.items() if key != _NAME}
    kept = branch_name({_NAME: name})
    return {**others, _NAME: kept} if kept else others
