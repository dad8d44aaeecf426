"""Code spans and fenced blocks of Markdown, followed while a text is written."""

from __future__ import annotations

import re
from typing import Self

from msgspec import Struct
from msgspec.structs import replace

_TOKEN = re.compile(r"`+|~+|\n|[^`~\n]+")
_OPENING = re.compile(r"[ \t>]*(?:[-*+]|\d{1,9}[.)])?[ \t]*")
_LONGEST_SPAN = 400
_LONGEST_BLOCK = 4000
"""Characters after which code that has not been closed is taken for text."""


class Code(Struct):
    """The place in a text that has been written so far."""

    fence: str = ""  # what opened the block; empty outside of blocks
    span: int = 0  # backticks that opened the span; a span ends with its line
    _opening: str = ""  # a line that began like a block
    _closing: bool = False  # a line that may close one
    _line: str = ""  # beginning of the current line
    _run: str = ""  # backticks or tildes, of which more may come
    _last: str = " "  # the last two characters

    def feed(self, text: str) -> None:
        """Take more text."""
        tokens = _TOKEN.findall(self._run + text)
        self._run = tokens.pop() if tokens and tokens[-1][0] in "`~" else ""
        for token in tokens:
            self._take(token)
        self._last = (self._last + text)[-2:]

    def after(self, text: str) -> Self:
        """Return the place after more text."""
        made = replace(self)
        made.feed(text)
        if made._run:
            made._take(made._run)
            made._run = ""
        return made

    @property
    def is_open(self) -> bool:
        """True in a span, a block or a line that opens one."""
        return bool(self.fence or self._opening or self.span)

    @property
    def at_line_start(self) -> bool:
        """True if the line has nothing but blanks so far."""
        return not self._line.strip()

    @property
    def is_indented(self) -> bool:
        """True if the line begins like one of an indented block."""
        return self._line.startswith(("    ", "\t"))

    @property
    def open_quote(self) -> str:
        """The quote that the text so far ends with, if it opens a quotation."""
        before, quote = self._last[:-1] or " ", self._last[-1:]
        return quote if quote in ("'", '"') and before in " \t\n([{=:" else ""

    def closes(self, rest: str, last: bool) -> bool | None:
        """Return True if the open code ends within the text that follows; None if it may.

        Args:
            last: no more text comes.
        """
        if self.span:
            line, has_end, _ = rest.partition("\n")
            if any(len(run) == self.span for run in re.findall("`+", line)):
                return True
            return False if has_end or last or len(line) > _LONGEST_SPAN else None
        fence = self.fence or self._opening
        # A block within a block would have closed it: one that opens shows that this was none.
        lines = re.compile(rf"^[ \t>]*{re.escape(fence[0])}{{{len(fence)},}}([^\n]*)(\n|\Z)", re.M)
        found = lines.search(rest)
        if found is not None and (found[2] or last):
            return not found[1].strip()
        return False if last or len(rest) > _LONGEST_BLOCK else None

    def _take(self, token: str) -> None:
        if token == "\n":
            if self._opening:
                self.fence = self._opening
            elif self._closing:
                self.fence = ""
            self._opening, self._closing, self.span, self._line = "", False, 0, ""
            return
        if token[0] not in "`~":
            self._closing = self._closing and not token.strip()
        elif self.fence:
            self._closing = not self._line.strip(" \t>") and token.startswith(self.fence)
        elif len(token) >= 3 and not self._opening and _OPENING.fullmatch(self._line):
            self._opening = token
        elif token[0] == "`":
            if self._opening.startswith("`"):
                self.span, self._opening = len(self._opening), ""
            self.span = 0 if self.span == len(token) else self.span or len(token)
        self._line = (self._line + token)[:40]
