"""A chat's branches as a tree of linear runs."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from msgspec import Struct, field

from app.chats.transcript import Transcript
from app.tools.tool import one_line

LONGEST_NAME = 100  # characters in a branch name
_NAME = "branch"


class Run(Struct, eq=False):
    """Sequence of messages in which each is the only reply to the one before.

    A branch is a list of runs. After a fork, it continues with the selected branch, or else the
    largest one. The other branches are nested below, which keeps the tree shallow (logarithmic in
    the number of messages).
    """

    # message IDs; empty for the start of a chat with several root messages
    ids: tuple[str, ...]
    # run after which this branch forks off, or None at the start of the chat
    above: Run | None
    place: int  # index among its siblings
    depth: int  # runs above
    shown: bool  # part of the selected branch
    begins: bool  # first run of the branch
    goes_on: bool = False  # the next sibling belongs to the same branch
    more: bool = False  # another branch starts at a later sibling
    # runs of the branches that fork off after this run, grouped by branch
    below: list[Run] = field(default_factory=list)

    @property
    def id(self) -> str:
        return self.ids[0] if self.ids else ""

    @property
    def branches(self) -> int:
        return sum(run.begins for run in self.below)


def runs_of(transcript: Transcript, apart: Collection[str] = ()) -> list[Run]:
    """Return the top-level runs. Visits each message once.

    ``apart`` has IDs of runs to split into one run per message.
    """
    sizes = _subtree_sizes(transcript)
    path_ids = {message.id for message in transcript.iterate_back()}
    tops: list[Run] = []
    firsts = list(transcript.child_ids(None))
    heir = _main_child(firsts, path_ids, sizes)
    waiting: list[tuple[list[str], Run | None, list[Run]]] = []
    if len(firsts) > 1:
        start = Run((), None, 0, 0, shown=True, begins=True, goes_on=True)
        tops.append(start)
        waiting.append(([child_id for child_id in firsts if child_id != heir], start, start.below))
    if heir is not None:
        waiting += _add_branch(transcript, heir, None, tops, apart, path_ids, sizes)
    while waiting:
        sides, above, into = waiting.pop()
        for side in sides:
            waiting += _add_branch(transcript, side, above, into, apart, path_ids, sizes)
        has_more = False
        for run in reversed(into):
            run.more = has_more
            has_more = has_more or run.begins
    return tops


def _add_branch(
    transcript: Transcript,
    first: str,
    above: Run | None,
    into: list[Run],
    apart: Collection[str],
    path_ids: set[str],
    sizes: dict[str, int],
) -> list[tuple[list[str], Run | None, list[Run]]]:
    """Add the runs of one branch. Return the branches that fork off it, which are added next."""
    waiting: list[tuple[list[str], Run | None, list[Run]]] = []
    depth = above.depth + 1 if above is not None else 0
    at: str | None = first
    begins = above is not None or not into
    while at is not None:
        ids = [at]
        while len(follow := transcript.child_ids(ids[-1])) == 1:
            ids.append(follow[0])
        for part in [(child_id,) for child_id in ids] if at in apart else [tuple(ids)]:
            run = Run(part, above, len(into), depth, part[0] in path_ids, begins, goes_on=True)
            into.append(run)
            begins = False
        at = _main_child(follow, path_ids, sizes)
        if at is not None:
            waiting.append(([child_id for child_id in follow if child_id != at], run, run.below))
    run.goes_on = False
    return waiting


def _main_child(ids: Collection[str], path_ids: set[str], sizes: dict[str, int]) -> str | None:
    return max(ids, key=lambda each: (each in path_ids, sizes[each], each), default=None)


def _subtree_sizes(transcript: Transcript) -> dict[str, int]:
    order, waiting = list[str](), list(transcript.child_ids(None))
    while waiting:
        order.append(at := waiting.pop())
        waiting += transcript.child_ids(at)
    sizes = dict.fromkeys(order, 1)
    for at in reversed(order):
        if (parent := transcript[at].parent_id) is not None:
            sizes[parent] += sizes[at]
    return sizes


def branch_name(stats: Mapping[str, Any]) -> str:
    return one_line(stats.get(_NAME), LONGEST_NAME)


def set_branch_name(stats: Mapping[str, Any], name: str) -> dict[str, Any]:
    fields = {key: value for key, value in stats.items() if key != _NAME}
    trimmed = branch_name({_NAME: name})
    return {**fields, _NAME: trimmed} if trimmed else fields
