"""Syntax highlighting that doesn't block the GUI thread."""

from __future__ import annotations

import time
import weakref
from collections import OrderedDict
from collections.abc import Callable, Iterator
from functools import cache, lru_cache
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Slot

from app.markdown.inline import join_spans, replace_undisplayable_in_code
from app.markdown.rows import CodeKey, Ink, Span, text_of

if TYPE_CHECKING:
    from pygments.lexer import Lexer
    from pygments.token import _TokenType


HIGHLIGHT_LIMIT = 20_000
"""Characters; longer code isn't highlighted. Pygments takes about 3 ms for 1,000 characters."""

_TOKENS = 40  # number of tokens between clock checks, about half a millisecond

COLORS: dict[str, tuple[str, str]] = {
    "comment": ("#5f6872", "#919c96"),
    "keyword": ("#a3298c", "#e394d6"),
    "string": ("#2f6f2a", "#a3d18b"),
    "number": ("#9a5600", "#e8b26d"),
    "function": ("#1f5fbf", "#86b6ff"),
    "class": ("#7a4f00", "#e6c46b"),
    "builtin": ("#0a6e7d", "#74ccd6"),
    "tag": ("#a8323e", "#ff9d96"),
    "attribute": ("#1f5fbf", "#86b6ff"),
    "inserted": ("#1c7440", "#7fd39b"),
    "deleted": ("#b3261e", "#ff9287"),
    "heading": ("#1f5fbf", "#86b6ff"),
}
"""Light and dark color for each kind of token.

A test checks for a contrast of at least 4.5:1 on the code background.
"""

# Keyed by Pygments token type. A token uses its nearest ancestor in this table.
_KINDS = {
    "Token.Comment": "comment",
    "Token.Comment.Preproc": "keyword",
    "Token.Keyword": "keyword",
    "Token.Keyword.Constant": "number",
    "Token.Keyword.Type": "builtin",
    "Token.Operator.Word": "keyword",
    "Token.Literal.String": "string",
    "Token.Literal.String.Interpol": "builtin",
    "Token.Literal.String.Escape": "builtin",
    "Token.Literal.Number": "number",
    "Token.Name.Function": "function",
    "Token.Name.Class": "class",
    "Token.Name.Exception": "class",
    "Token.Name.Decorator": "function",
    "Token.Name.Builtin": "builtin",
    "Token.Name.Constant": "number",
    "Token.Name.Tag": "tag",
    "Token.Name.Attribute": "attribute",
    "Token.Name.Variable": "tag",
    "Token.Generic.Inserted": "inserted",
    "Token.Generic.Deleted": "deleted",
    "Token.Generic.Heading": "heading",
    "Token.Generic.Subheading": "heading",
    "Token.Generic.Prompt": "comment",
}


def language_of(info: str) -> str:
    words = info.split()
    return words[0].strip("{}.,")[:32] if words else ""


def plain_lines(code: str) -> list[tuple[Span, ...]]:
    """Split code into lines without highlighting. A trailing newline doesn't start another line."""
    lines = (code[:-1] if code.endswith("\n") else code).split("\n")
    return [(Span(replace_undisplayable_in_code(line)),) if line else () for line in lines]


@cache
def _ink(token: str) -> Ink:
    return Ink(token=token)


Lines = tuple[tuple[Span, ...], ...]

_kept: OrderedDict[tuple[str, str], Lines] = OrderedDict()
_KEPT = 64  # number of highlighted blocks to cache


def highlight(code: str, language: str) -> Iterator[tuple[str, str]]:
    """Yield (kind, text) pairs, where kind is a key of COLORS or "". Thread-safe.

    Code that the lexer would alter is returned as a single pair.
    """
    lexer = _lexer(language) if language and len(code) <= HIGHLIGHT_LIMIT else None
    pairs = [(_kind(kind), text) for kind, text in lexer.get_tokens(code)] if lexer else []
    if "".join(text for _, text in pairs) == code:
        yield from pairs
    else:
        yield "", code


class CodeHighlighter:
    """Highlights a code block in time slices."""

    def __init__(self, code: str, language: str) -> None:
        self._key = (code, language)
        self._tokens: Iterator[tuple[_TokenType, str]] | None = None
        self._rows: list[list[Span]] = [[]]
        cached_lines = _kept.get(self._key)
        if cached_lines is not None:
            _kept.move_to_end(self._key)
        # Plain until `work` returns True. Unknown languages and very long code stay plain.
        self.lines: Lines = tuple(plain_lines(code)) if cached_lines is None else cached_lines
        needs_lexer = cached_lines is None and len(code) <= HIGHLIGHT_LIMIT
        self._language = language.lower() if needs_lexer else ""  # lexer to load

    @property
    def is_lexer_ready(self) -> bool:
        """Return True if `work` can start immediately. Compiling a lexer's expressions takes 50
        ms.
        """
        is_made = not self._language or self._language in _made
        # Loading all lexer names takes 8 ms.
        return is_made or bool(_made and self._language not in _own_aliases())

    def work(self, until: float) -> bool:
        """Work until `time.monotonic()` reaches `until`. Return True when done."""
        lexer, self._language = _lexer(self._language), ""
        if lexer is not None:
            code = self._key[0]
            self._tokens = lexer.get_tokens(code if code.endswith("\n") else code + "\n")
        if self._tokens is None:
            return True
        while time.monotonic() < until:
            for _ in range(_TOKENS):
                token = next(self._tokens, None)
                if token is None:
                    self._end()
                    return True
                self._add_token(*token)
        return False

    def _add_token(self, kind: _TokenType, text: str) -> None:
        ink = _ink(_kind(kind))
        for number, part in enumerate(text.split("\n")):
            if number:
                self._rows.append([])
            if part:
                self._rows[-1].append(Span(replace_undisplayable_in_code(part), ink))

    def _end(self) -> None:
        self._tokens = None
        self._rows.pop()  # drop the empty line after the final newline
        colored = tuple(join_spans(iter(row)) for row in self._rows)
        # Lexers may drop characters, e.g. a byte order mark, so check that the text is unchanged.
        if list(map(text_of, colored)) == list(map(text_of, self.lines)):
            self.lines = colored
        _kept[self._key] = self.lines
        if len(_kept) > _KEPT:
            _kept.popitem(last=False)


@cache
def _own_aliases() -> frozenset[str]:
    """Return the names of Pygments' own lexers. Finding plugins would scan the environment."""
    from pygments.lexers import get_all_lexers

    return frozenset(alias for _, aliases, *_ in get_all_lexers(plugins=False) for alias in aliases)


_made: set[str] = set()  # languages with a compiled lexer, which Pygments caches


@lru_cache(maxsize=32)
def _lexer(language: str) -> Lexer | None:
    if language.lower() not in _own_aliases():
        return None
    from pygments.lexers import get_lexer_by_name

    _made.add(language)
    # Keep the lexer from stripping or expanding whitespace.
    return get_lexer_by_name(language.lower(), stripnl=False, ensurenl=False, tabsize=0)


@lru_cache(maxsize=256)
def _kind(token: _TokenType) -> str:
    for ancestor in _ancestors(token):
        if str(ancestor) in _KINDS:
            return _KINDS[str(ancestor)]
    return ""


def _ancestors(token: _TokenType) -> Iterator[_TokenType]:
    ancestor: _TokenType | None = token
    while ancestor is not None:
        yield ancestor
        ancestor = ancestor.parent


_STRETCH_S = 0.006
_REST_MS = 12
_FIRST_MS = 100  # delay before compiling a lexer's expressions, so that the text is painted first


class HighlightScheduler(QObject):
    """Schedule of highlighting: a few milliseconds immediately, the rest in short slices.

    ``show`` is called with the highlighted lines of a block that was plain at first.
    """

    def __init__(self, show: Callable[[CodeKey, Lines], None], parent: QObject) -> None:
        super().__init__(parent)
        # Use a weak reference so the document doesn't need the cycle collector to be freed.
        self._show = weakref.WeakMethod(show)
        self._jobs: dict[CodeKey, CodeHighlighter] = {}
        self._until = 0.0
        self._timer = QTimer(self, singleShot=True)
        self._timer.timeout.connect(self._on_timeout)

    def begin(self) -> None:
        """Start rendering. Calls of `lines` share a single time slice."""
        self._until = time.monotonic() + _STRETCH_S

    def lines(self, key: CodeKey, code: str) -> Lines:
        """Return a block's lines, highlighted if there's time, otherwise plain until later."""
        job = CodeHighlighter(code, key.language)
        if job.is_lexer_ready and job.work(self._until):
            self._jobs.pop(key, None)
        else:
            self._jobs[key] = job
            self._timer.start(_REST_MS if job.is_lexer_ready else _FIRST_MS)
        return job.lines

    def settle(self) -> None:
        self._work(float("inf"))
        self._timer.stop()

    def clear(self) -> None:
        self._jobs.clear()
        self._timer.stop()

    @Slot()
    def _on_timeout(self) -> None:
        self._work(time.monotonic() + _STRETCH_S)
        if self._jobs:
            self._timer.start(_REST_MS)

    def _work(self, until: float) -> None:
        while self._jobs:
            key, job = next(iter(self._jobs.items()))
            if not job.work(until):
                return
            del self._jobs[key]
            if show := self._show():
                show(key, job.lines)
