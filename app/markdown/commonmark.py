"""The dialect: which Markdown is understood, and those of its rules that are needed alone."""

import re
from collections.abc import Iterator, MutableMapping
from functools import cache
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.common.utils import normalizeReference

NESTING_LIMIT = 20
"""What is nested deeper (a list counts twice) is shown as text: bounds time and the stack."""

References = MutableMapping[str, Any]
"""Link definitions by normalised label, as markdown-it-py keeps them."""

_LABEL = re.compile(r"\[((?:[^\[\]\\]|\\.){1,999})\]", re.DOTALL)


@cache
def parser() -> MarkdownIt:
    """CommonMark with tables and strikethrough. HTML is text; the renderer filters links."""
    markdown = MarkdownIt("commonmark", {"html": False, "maxNesting": NESTING_LIMIT})
    markdown.enable(["table", "strikethrough"])
    # A refused link would show its source; the renderer shows its text instead.
    markdown.validateLink = lambda url: True  # type: ignore[method-assign]
    return markdown


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
