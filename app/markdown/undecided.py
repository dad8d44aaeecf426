"""Whether the last line of a growing text may still become something else."""

import re

_SHORT = 80
_UNDECIDED = re.compile(r"[ \t>]*(?:[-+*=_#`~|: \t]+|\d{1,9}[.)]?[ \t]*|>)")


def settled(text: str) -> int:
    """Where a last line begins that may become anything; else the end of the text.

    Showing it would flash: `-` under a paragraph makes a heading of it until `- item` follows.
    """
    last = text.rfind("\n") + 1
    partial = text[last : last + _SHORT + 1]
    if partial and len(partial) <= _SHORT and _UNDECIDED.fullmatch(partial):
        return last
    # The head of a table is a paragraph until the line below it is complete.
    if (partial.startswith("|") or not partial) and last:
        before = text.rfind("\n", 0, last - 1) + 1
        if text.startswith("|", before):
            above = text.rfind("\n", 0, max(before - 1, 0)) + 1
            if before == 0 or not text[above : before - 1].strip(" >").startswith("|"):
                return before
    return last if partial.startswith("|") else len(text)
