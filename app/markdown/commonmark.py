"""The dialect: which Markdown is understood, and those of its rules that are needed alone."""

import re
from collections.abc import Iterator, MutableMapping
from functools import cache
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.common.utils import normalizeReference
from markdown_it.rules_inline import StateInline

NESTING_LIMIT = 20
"""What is nested deeper (a list counts twice) is shown as text: bounds time and the stack."""

References = MutableMapping[str, Any]
"""Link definitions by normalised label, as markdown-it-py keeps them."""

MATH = r"""
    \$\$ (?P<dollars> [^$]{1,2000}? ) \$\$
  | \\\[  (?P<square>  .{1,2000}? )   \\\]
  | \\\(  (?P<round>   .{1,2000}? )   \\\)
  | \$ (?![\s$]) (?P<dollar> [^$\n`]{1,500}? ) (?<![\s\\]) \$ (?![0-9A-Za-z])
"""
"""Formulas as models write them. Amounts of money ("$5 and $10") are none: a single dollar sign
neither closes after a space nor before a letter or digit."""

_MATH = re.compile(MATH, re.VERBOSE | re.DOTALL)
_LABEL = re.compile(r"\[((?:[^\[\]\\]|\\.){1,999})\]", re.DOTALL)


@cache
def parser() -> MarkdownIt:
    """CommonMark, tables, strikethrough and formulas. HTML is text; the renderer filters links."""
    markdown = MarkdownIt("commonmark", {"html": False, "maxNesting": NESTING_LIMIT})
    markdown.enable(["table", "strikethrough"])
    markdown.inline.ruler.before("escape", "math", _math)
    # A refused link would show its source; the renderer shows its text instead.
    markdown.validateLink = lambda url: True  # type: ignore[method-assign]
    return markdown


def _math(state: StateInline, silent: bool) -> bool:
    """A rule of markdown-it: a formula's source is left alone by all other rules."""
    match = _MATH.match(state.src, state.pos, state.posMax)
    if match is None:
        return False
    before = state.src[state.pos - 1 : state.pos]
    if match["dollar"] and (before.isalnum() or before == "$"):
        return False
    if not silent:
        token = state.push("math", "", 0)
        token.content = next(part for part in match.groups() if part).strip()
        token.markup = "$$" if match["dollars"] or match["square"] else "$"
    state.pos = match.end()
    return True


def normalised(text: str) -> str:
    """Line ends and NUL as CommonMark wants them."""
    return text.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "\ufffd")


def labels_in(content: str) -> Iterator[str]:
    """Normalised texts in brackets: each may be a reference, if not now then later."""
    if "[" in content:
        yield from map(normalizeReference, _LABEL.findall(content))


def closing_line(fence: str) -> re.Pattern[str]:
    """What a line must be to close the fence."""
    return re.compile(rf" {{0,3}}{fence[0]}{{{len(fence)},}}[ \t]*")
