"""Markdown parser for model output, based on markdown-it-py.

Supports CommonMark, tables, strikethrough, and: emphasis next to punctuation in scripts without
spaces between words (the "CJK-friendly" amendments to CommonMark, extended to Arabic, Thai and
others); TeX formulas, even if block rules would split them; bare web addresses as links; a few HTML
elements, while all other HTML is text; fences inside a fenced Markdown block.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, MutableMapping
from functools import cache
from typing import Any, NamedTuple

from markdown_it import MarkdownIt
from markdown_it.common.utils import isPunctChar, isWhiteSpace
from markdown_it.parser_inline import ParserInline
from markdown_it.ruler import RuleOptionsType
from markdown_it.rules_block import StateBlock, fence, table
from markdown_it.rules_inline import StateInline
from markdown_it.rules_inline.state_inline import Scanned
from markdown_it.token import Token

NESTING_LIMIT = 20
"""Maximum nesting (a list counts twice). Deeper text is shown as typed, to save time."""

References = MutableMapping[str, Any]
"""Link definitions by normalized label, in the format of markdown-it-py."""

FORMULA_LIMIT = 4_000  # characters per formula

_ENVIRONMENT = r"(?:align|alignat|equation|flalign|gather|multline)\*?"
MATH = rf"""
    \$\$ (?P<dollars> (?: [^$\\] | \\. | \$(?!\$) ){{1,{FORMULA_LIMIT}}}? ) \$\$
  | \\\[ (?P<square> .{{1,{FORMULA_LIMIT}}}? ) \\\]
  | (?P<environment>
        \\begin\{{ (?P<name> {_ENVIRONMENT} ) \}} .{{1,{FORMULA_LIMIT}}}? \\end\{{(?P=name)\}} )
  | \\\( (?P<round> .{{1,2000}}? ) \\\)
  | \$ (?! [\s$] | \d[\d.,]* (?: [ ]+[A-Za-z]{{2}} | [kKMB]\b ) )
    (?P<dollar> [^$\n`]{{1,500}}? ) (?<![\s\\]) \$ (?![0-9A-Za-z])
"""
"""Formulas, as models tend to write them.

Amounts of money like "$5 and $10" don't match. A single dollar sign can't start a formula before a
number and a word, and can't end one after a space or before a letter or digit.
"""

PAIRED_TAGS = {
    "b": "strong", "strong": "strong", "i": "em", "em": "em", "s": "s", "del": "s",
    "u": "u", "ins": "u", "sub": "sub", "sup": "sup", "kbd": "kbd", "mark": "mark",
}  # fmt: skip
"""Supported HTML elements, mapped to the elements they're displayed as."""

_MATH = re.compile(MATH, re.VERBOSE | re.DOTALL)
_BREAK = re.compile(r"</?br(?:[ \t][^<>\n]*)?/?>[ \t]*\n?[ \t]*", re.IGNORECASE)
_TAG = re.compile(rf"<({'|'.join(PAIRED_TAGS)})>", re.IGNORECASE)


@cache
def parser() -> MarkdownIt:
    markdown = MarkdownIt()
    markdown.inline = _Inline()
    markdown.configure("commonmark", {"html": False, "maxNesting": NESTING_LIMIT})
    markdown.enable(["table", "strikethrough"])
    block, inline = markdown.block.ruler, markdown.inline.ruler
    inline.before("escape", "math", _math)
    inline.before("autolink", "tag", _tag)
    markdown.inline.ruler2.push("bare_links", _bare_links)
    ends = ["paragraph", "reference", "blockquote", "list"]  # block types these rules may interrupt
    block.at("table", _table, RuleOptionsType(alt=["paragraph", "reference"]))
    block.at("fence", _fence, RuleOptionsType(alt=ends))
    block.before("heading", "details", _details, RuleOptionsType(alt=ends))
    block.before("lheading", "formulas", _formulas)
    # Accept all links here, since markdown-it-py would show rejected links as source. The renderer
    # shows only their text.
    markdown.validateLink = lambda url: True  # type: ignore[method-assign]
    return markdown


# Emphasis.


def is_unspaced(character: str) -> bool:
    """Return True for caseless scripts and wide characters, except emoji.

    These scripts often have no space between a word and what follows.
    """
    if character < "\x80":
        return False
    category = unicodedata.category(character)
    if category in ("Lo", "Lm", "Mn", "Mc") or "\u0590" <= character <= "\u08ff":
        return True
    emoji = category[0] == "S" and not "\u2e80" <= character < "\U0001f000"
    return unicodedata.east_asian_width(character) in "WFH" and not emoji


class _InlineState(StateInline):
    def __init__(
        self, src: str, md: MarkdownIt, env: MutableMapping[str, Any], tokens: list[Token]
    ) -> None:
        super().__init__(src, md, env, tokens)
        self.tag_pairs: dict[str, dict[int, int]] = {}  # by element name, set by `_pairs`

    def scanDelims(self, start: int, canSplitWord: bool) -> Scanned:  # noqa: N803
        """Classify a run of emphasis markers.

        In scripts without spaces, punctuation is treated as letters, and letters as punctuation.
        """
        marker, end = self.src[start], start
        while end < self.posMax and self.src[end] == marker:
            end += 1
        before = self.src[start - 1] if start else " "
        after = self.src[end] if end < self.posMax else " "
        blank_before, blank_after = isWhiteSpace(ord(before)), isWhiteSpace(ord(after))
        unspaced_before, unspaced_after = is_unspaced(before), is_unspaced(after)
        mark_before, mark_after = isPunctChar(before), isPunctChar(after)
        opening = not blank_after and (
            not mark_after or unspaced_after or blank_before or mark_before or unspaced_before
        )
        right = not blank_before and (
            not mark_before or unspaced_before or blank_after or mark_after or unspaced_after
        )
        opens = opening and (canSplitWord or not right or mark_before)
        closes = right and (canSplitWord or not opening or mark_after)
        return Scanned(opens, closes, end - start)


class _Inline(ParserInline):
    def parse(
        self, src: str, md: MarkdownIt, env: MutableMapping[str, Any], tokens: list[Token]
    ) -> list[Token]:
        state = _InlineState(src, md, env, tokens)
        self.tokenize(state)
        for rule in self.ruler2.getRules(""):
            rule(state)
        return state.tokens


# Bare links.

_BARE_LINK = re.compile(
    "https?://[^\\s<>\"'`\u2028"
    # Punctuation from other scripts and invisible characters.
    "\u2018-\u201f\u00ab\u00bb\u2039\u203a\u2014\u2026\u060c\u061b\u061f\u06d4\u0964\u0965"
    "\u3000-\u3004\u3008-\u3020\u3030\u303d\ufe10-\ufe1f\ufe30-\ufe6f\uff01-\uff0f\uff1a-\uff20"
    "\uff3b-\uff40\uff5b-\uff65\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]+",
    re.IGNORECASE,
)
_BRACKETS = {")": "(", "]": "[", "}": "{"}
_STOPS = ".,;:!?*_~"
_ROOT_ENDS = {f"/{particle}" for particle in "をはがにでとものへ"}  # Japanese particles


def _addresses(text: str) -> Iterator[tuple[int, int]]:
    for match in _BARE_LINK.finditer(text):
        address = match[0]
        for index in range(8, len(address)):
            # "…/docs了解" is an address followed by a word, but "…/wiki/中文" is an address.
            letter, before = address[index], address[index - 1]
            if (
                letter > "\x7f"
                and is_unspaced(letter)
                and (
                    before in ")]}"
                    or (before < "\x80" and before.isalnum())
                    or (before + letter in _ROOT_ENDS and address.count("/", 0, index) == 3)
                )
            ):
                address = address[:index]
                break
        address = address.rstrip(_STOPS)
        while (opening := _BRACKETS.get(address[-1:])) and (
            address.count(address[-1]) > address.count(opening)
        ):
            address = address[:-1].rstrip(_STOPS)
        if not address.endswith("/") or address.count("/") > 2:
            yield match.start(), match.start() + len(address)


def _bare_links(state: StateInline) -> None:
    tokens: list[Token] = []
    links = 0
    for token in state.tokens:
        links += {"link_open": 1, "link_close": -1}.get(token.type, 0)
        if links or token.type != "text" or "://" not in token.content:
            tokens.append(token)
            continue
        text, offset, level = token.content, 0, token.level
        for begin, end in _addresses(text):
            if begin > offset:
                tokens.append(Token("text", "", 0, content=text[offset:begin], level=level))
            attrs: dict[str, str | int | float] = {"href": text[begin:end]}
            tokens += [
                Token("link_open", "a", 1, attrs=attrs, level=level, markup="linkify"),
                Token("text", "", 0, content=text[begin:end], level=level + 1),
                Token("link_close", "a", -1, level=level, markup="linkify"),
            ]
            offset = end
        if offset < len(text):
            tokens.append(Token("text", "", 0, content=text[offset:], level=level))
    state.tokens[:] = tokens


# HTML.


def _tag(state: StateInline, silent: bool) -> bool:
    if state.src[state.pos] != "<":
        return False
    if line_break := _BREAK.match(state.src, state.pos, state.posMax):
        if not silent and line_break.end() < state.posMax:  # a trailing break has no effect
            state.push("hardbreak", "br", 0)
        state.pos = line_break.end()
        return True
    opening = _TAG.match(state.src, state.pos, state.posMax)
    if opening is None:
        return False
    closing = f"</{opening[1]}>"
    if state.html_terminator_last(closing) < opening.end():
        return False
    begin, limit = opening.end(), state.posMax
    end = _pairs(state, opening[1]).get(state.pos, -1)
    if not begin <= end < limit:
        end = state.src.find(closing, begin, limit)
    if end < 0:
        return False
    if not silent:
        element = PAIRED_TAGS[opening[1].lower()]
        state.push(f"{element}_open", element, 1)
        state.pos, state.posMax = begin, end
        state.md.inline.tokenize(state)
        state.push(f"{element}_close", element, -1)
        state.posMax = limit
    state.pos = end + len(closing)
    return True


def _pairs(state: StateInline, name: str) -> dict[int, int]:
    assert isinstance(state, _InlineState)
    pairs = state.tag_pairs
    if name not in pairs:
        pairs[name], starts = {}, []
        for tag in re.finditer(f"<(/?){name}>", state.src):
            if not tag[1]:
                starts.append(tag.start())
            elif starts:
                pairs[name][starts.pop()] = tag.start()
    return pairs[name]


_DETAILS = re.compile(r"</?details(?:\s+open(?:=\"\w*\")?)?\s*>|</?summary>", re.IGNORECASE)
_SUMMARY = re.compile(
    r"(?:<details(?:\s+open(?:=\"\w*\")?)?\s*>)?\s*<summary>(.+?)</summary>\s*(.*?)"
    r"\s*(?:</details>)?",
    re.IGNORECASE,
)
_BOLD = re.compile(r"</?(?:b|strong)>|\*\*", re.IGNORECASE)


def _details(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Parse a line of `details` tags, or a line with the summary, which is shown in bold."""
    line = _line(state, start)
    if not line.startswith("<") or state.is_code_block(start):
        return False
    summary = _SUMMARY.fullmatch(line)
    if summary is None and not _DETAILS.fullmatch(line):
        return False
    if silent:
        return True
    state.line = start + 1
    if summary is None:
        token = state.push("details", "", 0)
        token.map, token.hidden = [start, state.line], True
        return True
    content = f"<b>{_BOLD.sub('', summary[1]).strip()}</b>"
    _add_paragraph(state, f"{content}<br>{summary[2]}" if summary[2] else content, start)
    return True


def _add_paragraph(state: StateBlock, content: str, start: int) -> None:
    token = state.push("paragraph_open", "p", 1)
    token.map = [start, state.line]
    token = state.push("inline", "", 0)
    token.map, token.content, token.children = [start, state.line], content, []
    state.push("paragraph_close", "p", -1)


def _line(state: StateBlock, number: int) -> str:
    begin = state.bMarks[number] + state.tShift[number]
    return state.src[begin : state.eMarks[number]].rstrip()


# Formulas.


def _math(state: StateInline, silent: bool) -> bool:
    """Parse a formula, protecting its source from other rules."""
    match = _MATH.match(state.src, state.pos, state.posMax)
    if match is None:
        return False
    before = state.src[state.pos - 1 : state.pos]
    if match["dollar"] and (before == "$" or (before.isalnum() and not is_unspaced(before))):
        return False
    if not silent:
        token = state.push("math", "", 0)
        token.content = next(part for part in match.groups() if part).strip()
        token.markup = "$" if match["dollar"] or match["round"] else "$$"
    state.pos = match.end()
    return True


_OPENER = re.compile(
    rf"(?P<ticks>`+).*?(?P=ticks)|\\begin\{{(?P<name>{_ENVIRONMENT})\}}|(?P<mark>\$\$|\\\[|\\\()|\\."
)
_SETEXT = re.compile(r"=+|-+")


class _Opener(NamedTuple):
    begin: int
    end: int
    closing: str


def _opener(text: str, offset: int) -> _Opener | None:
    while match := _OPENER.search(text, offset):
        offset = match.end()
        if match["mark"] or match["name"]:
            closing = f"\\end{{{match['name']}}}" if match["name"] else _CLOSING[match["mark"]]
            end = text.find(closing, offset)
            if end < 0:
                return _Opener(match.start(), match.end(), closing)
            offset = end + len(closing)
    return None


_CLOSING = {"$$": "$$", "\\[": "\\]", "\\(": "\\)"}


def _formulas(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Parse a paragraph with a multi-line formula.

    Lines of a formula don't start a list, quote, heading or paragraph. While the text is `growing`,
    an unclosed formula becomes a code span that extends to the end.
    """
    if silent or not _may_have_formulas(state):
        return False
    line, offset, claimed = start, 0, False
    parent, state.parentType = state.parentType, "paragraph"
    try:
        while line < end:
            text = _line(state, line)
            if line > start and not offset:
                if not text or _is_interrupted(state, line, end):
                    break
                if not claimed and _SETEXT.fullmatch(text) and _is_inside(state, line):
                    return False
            opener = _opener(text, offset)
            offset = 0
            if opener is None:
                line += 1
                continue
            last, is_undecided = _closing_line(state, text, opener, line, end)
            if is_undecided and state.env.get("growing"):
                # More text may still make this a formula, so treat it as a paragraph for now.
                state.env["undecided"] = True
                state.line = end
                _add_paragraph(state, _open_formula(state, start, line, opener), start)
                return True
            if last:
                claimed, line = True, last
                offset = _line(state, last).index(opener.closing) + len(opener.closing)
            else:
                line += 1
    finally:
        state.parentType = parent
    if not claimed:
        return False
    state.line = line
    _add_paragraph(state, state.getLines(start, line, state.blkIndent, False).strip(), start)
    return True


def _may_have_formulas(state: StateBlock) -> bool:
    has_formulas = state.env.get("formulas")
    if has_formulas is None:
        has_formulas = any(mark in state.src for mark in ("$$", "\\[", "\\(", "\\begin{"))
        state.env["formulas"] = has_formulas
    return bool(has_formulas)


def _is_inside(state: StateBlock, line: int) -> bool:
    return state.sCount[line] >= state.blkIndent


def _is_interrupted(state: StateBlock, line: int, end: int) -> bool:
    if state.sCount[line] - state.blkIndent > 3 or state.sCount[line] < 0:
        return False
    rules = state.md.block.ruler.getRules("paragraph")
    return any(rule(state, line, end, True) for rule in rules)


class _Closing(NamedTuple):
    line: int = 0  # line number, or 0 if no end was found
    is_undecided: bool = False  # text still to come may contain the end


def _closing_line(state: StateBlock, text: str, opener: _Opener, line: int, end: int) -> _Closing:
    bare = text == text[opener.begin : opener.end]  # alone on its line: may contain empty lines
    lazy, gap, begin = not _is_inside(state, line), False, state.bMarks[line]
    limit = begin + FORMULA_LIMIT
    if state.src.find(opener.closing, state.eMarks[line], limit) < 0 and (
        len(state.src) > limit or not state.env.get("growing")
    ):
        return _Closing()
    for number in range(line + 1, end):
        text = _line(state, number)
        if state.bMarks[number] > limit or text.startswith(("```", "~~~")):
            return _Closing()
        if not text:
            gap = True
            continue
        if gap and not bare:
            return _Closing()
        if not (lazy or _is_inside(state, number)) and (
            gap or _is_interrupted(state, number, end)  # the list continues or has ended
        ):
            return _Closing()
        if opener.closing in text:
            return _Closing(number)
    if gap and not bare:
        return _Closing()
    return _Closing(is_undecided=end >= len(state.bMarks) - 1)


def _open_formula(state: StateBlock, start: int, line: int, opener: _Opener) -> str:
    """Return a paragraph with an unfinished formula at its end, written as a code span."""
    content = state.getLines(start, state.line, state.blkIndent, False).strip()
    text = _line(state, line)
    if text[: opener.begin].strip() and opener.end < len(text):
        return content  # text between "$$" on one line isn't always a formula
    above = state.getLines(start, line, state.blkIndent, False).strip()
    rest = state.getLines(line, state.line, state.blkIndent, False).strip()[opener.begin :]
    return f"{above}\n{text[: opener.begin]}".lstrip() + _code_span(rest)


def _code_span(text: str) -> str:
    text = re.sub(r"\n\s*", " ", text)
    ticks = "`" * (max((len(run) for run in re.findall("`+", text)), default=0) + 1)
    return f"{ticks} {text} {ticks}"


_CELL_FORMULA = re.compile(
    r"(?<![\w$`\\])\$(?![\s$])[^$\n`]{1,500}?(?<![\s\\])\$(?![0-9A-Za-z`])|\\\([^\n`]{1,500}?\\\)"
)
_BAR = "\ue000"  # replaces bars in formulas while parsing a table


def _table(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Parse a table. Bars inside formulas don't end a cell."""
    if "hidden_bars" not in state.env:
        hidden = _CELL_FORMULA.sub(_hide_bars, state.src) if "|" in state.src else state.src
        state.env["hidden_bars"] = None if hidden == state.src else hidden
    hidden = state.env["hidden_bars"]
    if hidden is None:
        return table(state, start, end, silent)
    source, state.src, count = state.src, hidden, len(state.tokens)
    try:
        is_table = table(state, start, end, silent)
    finally:
        state.src = source
    for token in state.tokens[count:]:
        token.content = token.content.replace(_BAR, "|")
    return is_table


def _hide_bars(formula: re.Match[str]) -> str:
    return re.sub(r"(?<!\\)\|", _BAR, formula[0])


# Fences.

_MARKDOWN = {"markdown", "md", "mdx"}


class _Inner(NamedTuple):
    mark: str
    is_markdown: bool
    doubtful_line: int = 0  # first line of the fence, if it could also close the outer fence


class FenceEnd:
    """Finds the line that closes a fence, given the lines after the opening line one by one.

    In a fenced Markdown block, an inner fence without a language looks like a closing line. It is
    treated as an inner fence if it follows an empty line, a colon or the opening line, and a line
    of text follows. It must be closed before any fence with a language.
    """

    def __init__(self, fence: str, info: str) -> None:
        self._closing = re.compile(rf" {{0,3}}{fence[0]}{{{len(fence)},}}[ \t]*")
        self.is_nested = _is_markdown(info)
        other = "~" if fence[0] == "`" else "`"
        self._opening = re.compile(
            rf"[ \t]*({fence[0]}{{{len(fence)},}}|{other}{{3,}})[ \t]*([\w{{][^`]*)"
        )
        self._inner: list[_Inner] = []
        self._count = 0  # number of lines so far
        # Number of the last line, if it closes the fence unless more text follows. Otherwise 0.
        self.pending_line = 0
        self._above = ":"  # previous line, stripped

    def feed(self, line: str) -> int:
        """Return the number of the line that closes the fence (from 1), or 0."""
        self._count += 1
        if not self.is_nested:
            return self._count if self._closing.fullmatch(line) else 0
        text = line.strip()
        above, self._above = self._above, text
        if self.pending_line:
            if not text:
                return self.pending_line
            self._inner.append(_Inner(above, False, self.pending_line))
            self.pending_line = 0
        inner = self._inner[-1] if self._inner else None
        if inner and len(text) >= len(inner.mark) and not text.strip(inner.mark[0]):
            self._inner.pop()
            return 0
        opening = self._opening.fullmatch(line)
        if inner is None or inner.is_markdown:
            if opening:
                self._inner.append(_Inner(opening[1], _is_markdown(opening[2])))
                return 0
        elif opening and inner.doubtful_line:
            return inner.doubtful_line
        if inner or not self._closing.fullmatch(line):
            return 0
        if above and not above.endswith((":", "\uff1a")):
            return self._count
        self.pending_line = self._count
        return 0

    def end(self) -> int:
        return self.pending_line or next((inner.doubtful_line for inner in self._inner), 0)


def _is_markdown(info: str) -> bool:
    words = info.split(maxsplit=1)
    return bool(words) and words[0].lower() in _MARKDOWN


def _fence(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    if not fence(state, start, end, silent):
        return False
    if silent:
        return True
    token = state.tokens[-1]
    closer = FenceEnd(token.markup, token.info)
    if not closer.is_nested:
        return True
    line, closing, is_at_end = start, 0, end >= len(state.bMarks) - 1
    while not closing and (line := line + 1) < end:
        if state.bMarks[line] + state.tShift[line] >= len(state.src):
            break  # `getLines` fails on an empty last line
        text = _line(state, line)
        if text and not _is_inside(state, line):
            is_at_end = False
            break
        closing = closer.feed(" " * (state.sCount[line] - state.blkIndent) + text)
    if not closing:
        closing = closer.end()
        if closing and state.env.get("growing") and is_at_end:
            state.env["undecided"] = True
            closing = closer.pending_line
    line = start + closing if closing else line
    state.line = min(line + bool(closing), end)
    token.content = state.getLines(start + 1, line, state.sCount[start], True)
    token.map = [start, state.line]
    return True
