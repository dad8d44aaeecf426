"""What ranks have told of themselves: whether they can be one group, and what each may take."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from engine.core.ranks.processes import Rank

BUDGET_SHARE = 0.85
"""Of the memory, where no budget is given; as of an engine of one rank."""


def budget_of(ranks: Sequence[Rank], given: int | None) -> int:
    """Bytes that each rank may take: as many as the one that has least, on whatever machine.

    Args:
        given: for all ranks of one machine together; None for most of what is free there. Of other
            machines than rank 0's no more than that is taken in any case.
    """
    here = ranks[0].hello.get("machine")
    crowd = Counter(rank.hello.get("machine") for rank in ranks)

    def most(rank: Rank) -> int:
        free = int(int(rank.hello["memory"]) * BUDGET_SHARE)
        if given is None:
            return free
        return given if rank.hello.get("machine") == here else min(given, free)

    return min(most(rank) // crowd[rank.hello.get("machine")] for rank in ranks)


def differing(ranks: Sequence[Rank]) -> str | None:
    """Why ranks cannot be in one group; None where nothing differs."""
    wanted = ranks[0].hello.get("versions")
    for rank in ranks[1:]:
        theirs = rank.hello.get("versions")
        if theirs == wanted:
            continue
        if not isinstance(theirs, dict) or not isinstance(wanted, dict):
            return f"Rank {rank.number} does not say which versions it has."
        name = next(n for n in {**wanted, **theirs} if wanted.get(n) != theirs.get(n))
        return (
            f"Rank {rank.number} has {name} {theirs.get(name)}, rank 0 has {wanted.get(name)}. "
            "Install the same versions on all machines."
        )
    return None
