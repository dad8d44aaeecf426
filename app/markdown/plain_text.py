"""Markdown as plain text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from markdown_it.token import Token

from app.markdown.blocks import BlockSplitter
from app.markdown.syntax import References, parser
from app.markdown.tex import typed_source


class ParsedBlock(NamedTuple):
    source: str  # Markdown source
    # empty if the block is shown as typed
    tokens: list[Token]


def split_blocks(text: str) -> Iterator[ParsedBlock]:
    """Split a complete text into blocks, with the same limits as in the window."""
    splitter = BlockSplitter()
    splitter.feed(text)
    splitter.finish()
    references: References = splitter.references
    for block in splitter.finished:
        if block.typed:
            yield ParsedBlock(block.source, [])
        elif block.source.strip():
            yield ParsedBlock(
                block.source, parser().parse(block.source, {"references": dict(references)})
            )


def remove_markup(text: str) -> str:
    """Remove the markup from a text. List markers are kept, and tabs separate table cells."""
    texts = (
        "\n".join(_lines(part.tokens)) if part.tokens else part.source.strip("\n")
        for part in split_blocks(text)
        if not part.tokens or part.tokens[0].type != "details"
    )
    return "\n\n".join(texts)


def _lines(tokens: Iterable[Token]) -> Iterator[str]:
    lists: list[int] = []  # next number of each open list, -1 for bullets
    marker, quote = "", 0
    cells: list[str] | None = None
    first = True
    for token in tokens:
        kind = token.type
        if kind in {"bullet_list_open", "ordered_list_open"}:
            start = int(token.attrs.get("start", 1)) if kind[0] == "o" else -1
            lists.append(start)
        elif kind in {"bullet_list_close", "ordered_list_close"}:
            lists.pop()
        elif kind == "list_item_open":
            marker = "- " if lists[-1] < 0 else f"{lists[-1]}{token.markup or '.'} "
            lists[-1] += lists[-1] >= 0
        elif kind in {"blockquote_open", "blockquote_close"}:
            quote += token.nesting
        elif kind == "tr_open":
            cells = []
        elif kind == "tr_close":
            yield "\t".join(cells or ())
            cells = None
        elif kind == "inline" and token.children is not None:
            words = _text_of(token.children)
            if cells is not None:
                cells.append(words.replace("\n", " "))
                continue
            if not first and not lists:
                yield ""
            indent = "> " * quote + "  " * max(0, len(lists) - 1)
            hang = " " * len(marker)
            for number, line in enumerate(words.split("\n")):
                yield indent + (hang if number else marker or ("  " if lists else "")) + line
            marker = ""
            first = False
        elif kind in {"fence", "code_block"}:
            indent = "  " * len(lists)
            yield from (indent + line for line in token.content.rstrip("\n").split("\n"))
            first = False
        elif kind == "hr":
            yield "---"


def _text_of(tokens: Iterable[Token]) -> str:
    parts: list[str] = []
    start, href = 0, ""
    for token in tokens:
        if token.type == "link_open":
            start, href = len(parts), str(token.attrs.get("href", ""))
        elif token.type == "link_close":
            if href not in "".join(parts[start:]):
                parts.append(f" ({href})")
        elif token.type in {"text", "code_inline", "text_special", "html_inline"}:
            parts.append(token.content)
        elif token.type == "math":
            parts.append(typed_source(token.content, token.markup == "$$"))
        elif token.type in {"softbreak", "hardbreak"}:
            parts.append("\n")
        elif token.type == "image":
            parts.append(_text_of(token.children or []))
    return "".join(parts)
