"""Colours for code, by Pygments."""

from collections.abc import Iterator
from functools import lru_cache

from pygments.lexer import Lexer
from pygments.lexers import get_lexer_by_name
from pygments.token import Token, _TokenType
from pygments.util import ClassNotFound

from app.markdown.inline import join, shown_code
from app.markdown.rows import Ink, Span

HIGHLIGHT_LIMIT = 20_000
"""Characters; longer code stays plain. Pygments takes about 5 ms for 1,000 characters of Python."""

COLOURS: dict[str, tuple[str, str]] = {
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
"""Light and dark colour of each kind; all meet 4.5:1 on the code background (tested)."""

# The nearest ancestor that is listed gives the kind.
_KINDS: dict[_TokenType, str] = {
    Token.Comment: "comment",
    Token.Comment.Preproc: "keyword",
    Token.Keyword: "keyword",
    Token.Keyword.Constant: "number",
    Token.Keyword.Type: "builtin",
    Token.Operator.Word: "keyword",
    Token.Literal.String: "string",
    Token.Literal.String.Interpol: "builtin",
    Token.Literal.String.Escape: "builtin",
    Token.Literal.Number: "number",
    Token.Name.Function: "function",
    Token.Name.Class: "class",
    Token.Name.Exception: "class",
    Token.Name.Decorator: "function",
    Token.Name.Builtin: "builtin",
    Token.Name.Constant: "number",
    Token.Name.Tag: "tag",
    Token.Name.Attribute: "attribute",
    Token.Name.Variable: "tag",
    Token.Generic.Inserted: "inserted",
    Token.Generic.Deleted: "deleted",
    Token.Generic.Heading: "heading",
    Token.Generic.Subheading: "heading",
    Token.Generic.Prompt: "comment",
}


def language_of(info: str) -> str:
    """The first word of a fence's info string, as a label."""
    words = info.split()
    return words[0].strip("{}.,")[:32] if words else ""


def plain_lines(code: str) -> list[tuple[Span, ...]]:
    """Lines of code without colour; a final line end begins no further line."""
    lines = (code[:-1] if code.endswith("\n") else code).split("\n")
    ink = Ink()
    return [(Span(shown_code(line), ink),) if line else () for line in lines]


@lru_cache(maxsize=64)
def highlighted_lines(code: str, language: str) -> tuple[tuple[Span, ...], ...]:
    """Lines of code with the kind of each piece; plain when the language is unknown or too long."""
    lexer = _lexer(language) if language and len(code) <= HIGHLIGHT_LIMIT else None
    if lexer is None:
        return tuple(plain_lines(code))
    lines: list[list[Span]] = [[]]
    for kind, text in lexer.get_tokens(code if code.endswith("\n") else code + "\n"):
        ink = Ink(token=_kind(kind))
        for number, part in enumerate(text.split("\n")):
            if number:
                lines.append([])
            if part:
                lines[-1].append(Span(shown_code(part), ink))
    lines.pop()  # the line after the final line end
    plain = plain_lines(code)
    coloured = tuple(join(iter(line)) for line in lines)
    # A lexer may drop a character (a byte order mark): what is shown must be what was written.
    same = list(map(_text, coloured)) == list(map(_text, plain))
    return coloured if same else tuple(plain)


def _text(spans: tuple[Span, ...]) -> str:
    return "".join(span.text for span in spans)


@lru_cache(maxsize=64)
def _lexer(language: str) -> Lexer | None:
    try:
        # What a lexer strips or expands would no longer be the code that was given.
        return get_lexer_by_name(language.lower(), stripnl=False, ensurenl=False, tabsize=0)
    except ClassNotFound:
        return None


def _kind(token: _TokenType) -> str:
    for ancestor in _ancestors(token):
        if ancestor in _KINDS:
            return _KINDS[ancestor]
    return ""


def _ancestors(token: _TokenType) -> Iterator[_TokenType]:
    here: _TokenType | None = token
    while here is not None:
        yield here
        here = here.parent
