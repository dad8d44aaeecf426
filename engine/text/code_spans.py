"""Tracker of Markdown code spans and fenced blocks in streamed text."""

from __future__ import annotations

import re
from typing import Self

from msgspec import Struct
from msgspec.structs import replace

_TOKEN = re.compile(r"`+|~+|\n|[^`~\n]+")
_OPENING = re.compile(r"[ \t>]*(?:[-*+]|\d{1,9}[.)])?[ \t]*")
_MAX_SPAN_CHARACTERS = 400
_MAX_BLOCK_CHARACTERS = 4000
"""Number of characters after which unclosed code is treated as ordinary text."""


class Code(Struct):
    """Position with respect to code spans and blocks."""

    fence: str = ""  # fence that opened the block; "" outside a block
    # Number of backticks that opened the span, which ends with the line at the latest.
    span: int = 0
    _opening: str = ""  # fence on a line that may open a block
    _closing: bool = False  # the line may close the block
    _line: str = ""  # start of the current line
    _run: str = ""  # trailing backticks or tildes, after which more may follow
    _last: str = " "  # last two characters

    def feed(self, text: str) -> None:
        tokens = _TOKEN.findall(self._run + text)
        self._run = tokens.pop() if tokens and tokens[-1][0] in "`~" else ""
        for token in tokens:
            self._read_token(token)
        self._last = (self._last + text)[-2:]

    def after(self, text: str) -> Self:
        """Return a copy that has read more text. This object stays unchanged."""
        copy = replace(self)
        copy.feed(text)
        if copy._run:
            copy._read_token(copy._run)
            copy._run = ""
        return copy

    @property
    def is_open(self) -> bool:
        """True inside a span or block, or on a line that opens a block."""
        return bool(self.fence or self._opening or self.span)

    @property
    def at_line_start(self) -> bool:
        return not self._line.strip()

    @property
    def is_indented(self) -> bool:
        """True if the current line starts like an indented code block."""
        return self._line.startswith(("    ", "\t"))

    @property
    def open_quote(self) -> str:
        before, quote = self._last[:-1] or " ", self._last[-1:]
        return quote if quote in ("'", '"') and before in " \t\n([{=:" else ""

    def is_closed_in(self, rest: str, last: bool) -> bool | None:
        """Return True if the open code is closed in the text that follows, or None if that's
        unclear.
        """
        if self.span:
            line, has_end, _ = rest.partition("\n")
            if any(len(run) == self.span for run in re.findall("`+", line)):
                return True
            return False if has_end or last or len(line) > _MAX_SPAN_CHARACTERS else None
        fence = self.fence or self._opening
        # Blocks can't be nested, so if a fence opens another block, this text isn't code.
        lines = re.compile(rf"^[ \t>]*{re.escape(fence[0])}{{{len(fence)},}}([^\n]*)(\n|\Z)", re.M)
        match = lines.search(rest)
        if match is not None and (match[2] or last):
            return not match[1].strip()
        return False if last or len(rest) > _MAX_BLOCK_CHARACTERS else None

    def _read_token(self, token: str) -> None:
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
