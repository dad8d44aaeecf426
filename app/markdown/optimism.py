"""What a paragraph still being written probably means: its open emphasis and code are closed.

Without this `**bold` shows two stars until the closing ones come, and then the line jumps. Only the
open end is treated so, and only for show; a finished block is always parsed as it was written.
"""

import re

from app.markdown.commonmark import MATH

LIMIT = 4_000  # characters; in a longer paragraph the open end is shown as it stands

_LINK = re.compile(r"!?\[([^\[\]\n]*)\]\([^()\s]*$")
_RUN = re.compile(rf"(?P<math>{MATH})|\\.|`+|\*+|_+|~+", re.DOTALL | re.VERBOSE)


def closed(text: str) -> str:
    """The text with its open emphasis, code and last link closed."""
    if len(text) > LIMIT:
        return text
    text = _LINK.sub(r"\1", text)
    stack: list[str] = []
    place = 0
    while match := _RUN.search(text, place):
        run = match[0]
        place = match.end()
        if match["math"] or run[0] == "\\":
            continue
        if run[0] == "`":
            end = re.compile(rf"(?<!`){run}(?!`)").search(text, place)
            if end is None:
                return _with_code(text, match.start(), run, stack)
            place = end.end()
            continue
        if run[0] == "~" and len(run) != 2 and place < len(text):
            continue
        before, after = text[match.start() - 1 : match.start()], text[place : place + 1]
        if not after and not _closes(run, before, after, stack):
            return _close(text[: match.start()], stack)  # nothing is in it yet
        _take(run, before, after, stack)
    return _close(text, stack)


def _with_code(text: str, start: int, run: str, stack: list[str]) -> str:
    inside = text[start + len(run) :]
    if not inside.strip():
        return _close(text[:start], stack)
    return text + run + "".join(reversed(stack))


def _take(run: str, before: str, after: str, stack: list[str]) -> None:
    """Lets a run of markers close what is open, else opens with it."""
    if _closes(run, before, after, stack):
        left = len(run)
        while left and stack and stack[-1][0] == run[0]:
            used = min(left, len(stack[-1]))
            left -= used
            rest = stack.pop()[used:]
            if rest:
                stack.append(rest)
    elif after and not after.isspace() and len(run) <= 3:
        if run[0] == "_" and before.isalnum():
            return
        stack.append(run)


def _closes(run: str, before: str, after: str, stack: list[str]) -> bool:
    if not stack or stack[-1][0] != run[0] or not before or before.isspace():
        return False
    return run[0] != "_" or not after.isalnum()


def _close(text: str, stack: list[str]) -> str:
    body = text.rstrip(" ")
    return body + "".join(reversed(stack)) + text[len(body) :] if stack else text
