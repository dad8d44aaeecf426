"""The rows of code blocks, open and closed."""

import re
from collections.abc import Sequence
from dataclasses import replace

from markdown_it.common.utils import unescapeAll

from app.markdown.blocks import OpenFence
from app.markdown.highlight import Lines, language_of, plain_lines
from app.markdown.rows import Bar, CodeKey, Row, TextRow
from app.markdown.spacing import gap

_PERHAPS_CLOSING = re.compile(r" {0,3}(`+|~+)[ \t]*")


def code_rows(
    key: CodeKey, lines: Lines, space: int, left: int = 0, bars: tuple[Bar, ...] = ()
) -> list[Row]:
    """The rows of a complete code block."""
    rows: list[Row] = [TextRow("code", line, 0, left, bars, None, key) for line in lines]
    return _framed(rows, key, space, left, bars)


def open_fence_rows(
    fence: OpenFence,
    number: int,
    previous: Row | None,
    shown_before: Sequence[Row],
    codes: dict[CodeKey, str],
) -> list[Row]:
    """The rows of an unclosed fence, O(new lines): complete lines shown before are taken over."""
    key = CodeKey((number, 0), language_of(unescapeAll(fence.info)))
    code = fence.code
    partial = code[code.rfind("\n") + 1 :]
    if _PERHAPS_CLOSING.fullmatch(partial):
        code = code[: len(code) - len(partial)]
    codes[key] = code
    complete = code.count("\n")
    kept: list[Row] = []
    for row in shown_before[: max(complete - 1, 0)]:
        if not isinstance(row, TextRow) or row.code != key or row.kind != "code":
            break
        kept.append(row)
    offset = 0
    for _ in kept:
        offset = code.index("\n", offset) + 1
    lines = plain_lines(code[offset:])
    rows: list[Row] = kept + [TextRow("code", line, code=key) for line in lines]
    return _framed(rows, key, gap(previous, "code", False), 0, ())


def _framed(
    rows: list[Row], key: CodeKey, space: int, left: int, bars: tuple[Bar, ...]
) -> list[Row]:
    """Marks the first line of a code block, and puts its lower padding after the last."""
    first = rows[0]
    assert isinstance(first, TextRow)
    if not first.first or first.space != space:
        rows[0] = replace(first, first=True, space=space)
    # A row of its own, since Qt leaves out the lower margin of a document's last block.
    rows.append(TextRow("pad", (), 0, left, bars, None, key))
    return rows
