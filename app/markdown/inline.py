"""Inline content as spans: emphasis, code, links.

While a paragraph grows, unclosed emphasis and code are treated as closed. Otherwise `**bold` would
show two stars until the closing ones arrive, and the line would jump.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from urllib.parse import urlsplit

from markdown_it.token import Token
from msgspec.structs import replace

from app.markdown.rows import LONGEST, PLAIN, Ink, Row, Span, TextRow, space_above, text_of
from app.markdown.syntax import MATH, PAIRED_TAGS, References, parser
from app.markdown.tex import formula, typed_source


def raw_rows(text: str, previous: Row | None) -> list[Row]:
    """Return rows of text as typed, with long lines split."""
    rows: list[Row] = []
    goes_on = previous is not None and previous.kind == "raw"
    for line in text.split("\n"):
        for number, spans in enumerate(split_line(line)):
            space = 0 if rows or goes_on else space_above(previous, "raw", False)
            rows.append(TextRow("raw", spans, space, joined=number > 0))
    return rows


def split_line(line: str) -> Iterator[tuple[Span, ...]]:
    for start in range(0, max(len(line), 1), LONGEST):
        part = replace_undisplayable(line[start : start + LONGEST])
        yield (Span(part),) if part else ()


LIMIT = 4_000  # characters; in longer paragraphs, unclosed markup is shown as typed

_LINK = re.compile(r"!?\[([^\[\]\n]*)\]\([^()\s]*$")
_PARTIAL_TAG = re.compile(r"</?(?:([a-z]{0,6})[ ]?/?|br [^<>\n]*)$", re.IGNORECASE)
_RUN = re.compile(
    rf"(?P<math>{MATH}) | \\. | `+ | \*+ | _+ | ~+ | </?(?P<tag>{'|'.join(PAIRED_TAGS)})>",
    re.DOTALL | re.VERBOSE,
)


def close_markup(text: str) -> str:
    """Close open emphasis, code, HTML elements and the last link of a text."""
    if len(text) > LIMIT:
        return text
    text = _LINK.sub(r"\1", text)
    tag = _PARTIAL_TAG.search(text)
    name = (tag[1] or "").lower() if tag else ""
    if tag and any(tag_name.startswith(name) for tag_name in (*PAIRED_TAGS, "br")):
        text = text[: tag.start()]
    stack: list[str] = []
    offset = 0
    while match := _RUN.search(text, offset):
        run = match[0]
        offset = match.end()
        if match["math"] or run[0] == "\\":
            continue
        if match["tag"]:
            closing = f"</{match['tag']}>"
            if run != closing:
                stack.append(closing)
            elif stack and stack[-1] == closing:
                stack.pop()
            continue
        if run[0] == "`":
            end = re.compile(rf"(?<!`){run}(?!`)").search(text, offset)
            if end is None:
                return _parse_code(text, match.start(), run, stack)
            offset = end.end()
            continue
        if run[0] == "~" and len(run) != 2 and offset < len(text):
            continue
        before, after = text[match.start() - 1 : match.start()], text[offset : offset + 1]
        if not after and not _closes(run, before, after, stack):
            return _close(text[: match.start()], stack)  # the markup has no content yet
        _read_delimiters(run, before, after, stack)
    return _close(text, stack)


def _parse_code(text: str, start: int, run: str, stack: list[str]) -> str:
    inside = text[start + len(run) :]
    if not inside.strip():
        before = text[:start]
        while stack and before.endswith(stack[-1]):  # these marks have no content either
            before = before.removesuffix(stack.pop())
        return _close(before, stack)
    return text + run + "".join(reversed(stack))


def _read_delimiters(run: str, before: str, after: str, stack: list[str]) -> None:
    if _closes(run, before, after, stack):
        count = len(run)
        while count and stack and stack[-1][0] == run[0]:
            used = min(count, len(stack[-1]))
            count -= used
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


INLINE_LIMIT = 16_384
"""Characters in a paragraph or cell. Longer text is shown as typed.

Parsing 1,000 characters takes about 1.5 ms, or 4 ms in the worst case.
"""
BRACKET_LIMIT = 1_000
"""Opening brackets per parsed paragraph, because the parser may scan to the end for each."""

FORMULA = "\ufffc"  # placeholder for a formula; replaced if the source contains it

_SCHEMES = {"http", "https", "mailto"}
# Qt uses U+FDD0 and U+FDD1 for its own structure, U+FFFC for objects, and U+2029 and line feeds to
# end blocks. Control characters are invisible.
_UNSHOWABLE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\ufdd0-\ufdef\ufffc\ufffe\uffff\ud800-\udfff]"
)
# Bidirectional controls can be used to disguise code ("Trojan Source").
_REORDERING = re.compile("[\u202a-\u202e\u2066-\u2069]")
_CITED = re.compile(r"\[[A-Z](?:[,;/&\s]+[A-Z])*\]")
_LETTER = re.compile(r"\[?([A-Z])\]?")
_TASK = re.compile(r"\[([ xX])\][ \t]+")


def replace_undisplayable(text: str) -> str:
    return _UNSHOWABLE.sub("\ufffd", text.replace("\n", " ").replace("\u2029", " "))


def replace_undisplayable_in_code(text: str) -> str:
    """Replace characters that can't be displayed, and bidirectional controls."""
    return _REORDERING.sub("\ufffd", replace_undisplayable(text))


def is_allowed_link(address: str) -> bool:
    try:
        parts = urlsplit(address)
    except ValueError:
        return False
    has_target = parts.scheme.lower() in _SCHEMES and bool(parts.netloc or parts.path)
    return has_target and not _UNSHOWABLE.search(address)


def _allowed_link(address: object) -> str:
    return str(address) if is_allowed_link(str(address)) else ""


def split_check_box(content: str) -> tuple[str, str]:
    match = _TASK.match(content)
    if match is None:
        return "", content
    return "todo" if match[1] == " " else "done", content[match.end() :]


class InlineParser:
    """Parser of inline content with a cache, because most of a growing text doesn't change."""

    def __init__(self, parts: Collection[str] = ()) -> None:
        """``parts`` are column letters. "[A]" and "[A, B]" become links to "#A" etc."""
        self._parts = parts
        self._cache: dict[str, tuple[Span, ...]] = {}
        self._fresh: dict[str, tuple[Span, ...]] = {}
        self._references: References = {}
        self._count = 0

    def begin(
        self, references: References, steady: bool, previous: InlineParser | None = None
    ) -> None:
        """Start a pass, and drop cache entries that weren't used in the last pass.

        ``steady`` means that definitions were only added, so their number shows whether they
        changed. Otherwise, nothing is reused. ``previous`` is another parser, whose results are
        reused if it had the same definitions.
        """
        count = len(references) if steady else -1
        self._cache = self._fresh if steady and count == self._count else {}
        if previous is not None and steady and count == previous._count:
            self._cache = {**previous._fresh, **self._cache}
        self._fresh = {}
        self._references = references
        self._count = count

    def forget(self) -> None:
        self._fresh = {}

    def spans(self, content: str) -> tuple[Span, ...]:
        """Return the content as spans. Adjacent spans with the same style are merged."""
        if content in self._fresh:
            return self._fresh[content]
        spans = self._cache.get(content)
        if spans is None:
            spans = self._parse(content)
        self._fresh[content] = spans
        return spans

    def _parse(self, content: str) -> tuple[Span, ...]:
        if len(content) > INLINE_LIMIT or content.count("[") > BRACKET_LIMIT:
            return (Span(replace_undisplayable(content)),)
        tokens: list[Token] = []
        parser().inline.parse(content, parser(), {"references": self._references}, tokens)
        spans = join_spans(_walk(tokens))
        return join_spans(_mark_citations(spans, self._parts)) if self._parts else spans


def join_spans(spans: Iterable[Span]) -> tuple[Span, ...]:
    """Merge adjacent spans with the same style and drop empty spans."""
    joined: list[Span] = []
    for span in spans:
        if joined and joined[-1].ink == span.ink:
            joined[-1] = Span(joined[-1].text + span.text, span.ink)
        elif span.text:
            joined.append(span)
    return tuple(joined)


def _walk(tokens: list[Token]) -> Iterator[Span]:
    looks = [PLAIN]
    for token in tokens:
        ink = looks[-1]
        match token.type:
            case "text" | "text_special":
                yield Span(replace_undisplayable(token.content), ink)
            # Keep single line breaks, because models use them for poems, addresses and lists.
            case "softbreak" | "hardbreak":
                yield Span("\u2028", ink)
            case "code_inline":
                yield Span(replace_undisplayable_in_code(token.content), replace(ink, code=True))
            case "strong_open":
                looks.append(replace(ink, bold=True))
            case "em_open":
                looks.append(replace(ink, italic=True))
            case "s_open":
                looks.append(replace(ink, strike=True))
            case "link_open":
                looks.append(replace(ink, link=_allowed_link(token.attrs.get("href", ""))))
            case "strong_close" | "em_close" | "s_close" | "link_close":
                looks.pop()
            case "u_open" | "sub_open" | "sup_open" | "kbd_open" | "mark_open":
                looks.append(replace(ink, tags=tuple(sorted({*ink.tags, token.tag}))))
            case "u_close" | "sub_close" | "sup_close" | "kbd_close" | "mark_close":
                looks.pop()
            case "math":
                yield _formula(replace_undisplayable(token.content), token.markup == "$$", ink)
            case "image":
                yield _image(token, ink)
            case _:
                yield Span(replace_undisplayable(token.content), ink)


def _mark_citations(spans: Iterable[Span], parts: Collection[str]) -> Iterator[Span]:
    for span in spans:
        text, ink = span.text, span.ink
        offset, is_plain = 0, not (ink.link or ink.code or ink.math)
        for cited in _CITED.finditer(text) if is_plain else ():
            for letter in _LETTER.finditer(text, *cited.span()):
                if letter[1] in parts:
                    yield Span(text[offset : letter.start()], ink)
                    yield Span(letter[0], replace(ink, link=f"#{letter[1]}"))
                    offset = letter.end()
        yield Span(text[offset:], ink)


def _formula(source: str, display: bool, ink: Ink) -> Span:
    if formula(source, display) is None:
        return Span(typed_source(source, display), replace(ink, code=True))
    return Span(FORMULA, replace(ink, math=source, display=display))


def _image(token: Token, ink: Ink) -> Span:
    """Return an image as a link with its description, because images aren't loaded."""
    source = str(token.attrs.get("src", ""))
    text = text_of(_walk(token.children or []))
    return Span(
        text or replace_undisplayable(source),
        replace(ink, link=ink.link or _allowed_link(source)),
    )
