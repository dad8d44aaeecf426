"""Branches of a chat as a tree of runs. No Qt, no store."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from msgspec import Struct, field

from app.chats.transcript import Transcript
from app.tools.tool import one_line

LONGEST_NAME = 100  # characters of a branch's name
_NAME = "branch"


class Run(Struct, eq=False):
    """Sequence of messages in which each is the only successor of the one before.

    A branch is a sequence of runs. At a fork it continues with the shown branch, or else with the
    largest. The other branches are below that run. So the depth of the tree is at most the
    logarithm of the number of messages.
    """

    # ids of the messages; none at the beginning of a chat with several first messages
    ids: tuple[str, ...]
    # the run after which this branch forks off; None at the beginning of the chat
    above: Run | None
    place: int  # index among its siblings
    depth: int  # number of runs above it
    shown: bool  # it is on the path that the chat shows
    begins: bool  # it is the first of its branch
    goes_on: bool = False  # the next sibling continues its branch
    more: bool = False  # another branch begins among the later siblings
    # runs of the branches that fork off after it, one branch after the other
    below: list[Run] = field(default_factory=list)

    @property
    def id(self) -> str:
        """Return the id of the first message, or "" at the beginning."""
        return self.ids[0] if self.ids else ""

    @property
    def branches(self) -> int:
        """Return the number of branches that fork off after it."""
        return sum(run.begins for run in self.below)


def runs_of(transcript: Transcript, apart: Collection[str] = ()) -> list[Run]:
    """Return the first runs of the chat, with all others below them. Visits each message once.

    ``apart``: ids of runs whose messages become one run each.
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
    """Add the runs of one branch. Return the branches that fork off, still to be added."""
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
    """Return the message with which a branch continues."""
    return max(ids, key=lambda each: (each in shown, sizes[each], each), default=None)


def _sizes(transcript: Transcript) -> dict[str, int]:
    """Return the number of messages from each message on."""
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
    """Return the user's name of the branch that begins with a message with these stats, or "".

    Imported stats may contain any value.
    """
    return one_line(stats.get(_NAME), LONGEST_NAME)


def with_branch_name(stats: Mapping[str, Any], name: str) -> dict[str, Any]:
    """Return the stats with this name of the branch, or without one for ""."""
    others = {key: value for key, value in stats.items() if key != _NAME}
    kept = branch_name({_NAME: name})
    return {**others, _NAME: kept} if kept else others
