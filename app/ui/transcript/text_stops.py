"""Where the Tab key stops in an answer's text: its links and its code blocks."""

from __future__ import annotations

from dataclasses import dataclass

from app.language import counted, number, tr
from app.markdown import CodeBlock, MarkdownDocument


@dataclass(frozen=True)
class Stop:
    """A link, or a code block.

    Attributes:
        begin, end: cursor positions.
        link: the address; "" for code.
        code: the block; None for a link.
        words: what a screen reader says of it.
    """

    begin: int
    end: int
    link: str
    code: CodeBlock | None
    words: str


def stops_in(markdown: MarkdownDocument) -> list[Stop]:
    """All of them, in the order of the text."""
    found = [_code(block) for block in markdown.code_blocks()]
    begin = end = 0
    address = words = ""

    def end_link() -> None:
        if address:
            said = tr("Link, {words}. Enter opens it.", words=words)
            found.append(Stop(begin, end, address, None, said))

    block = markdown.document.begin()
    while block.isValid():
        at = block.begin()
        while not at.atEnd():
            fragment = at.fragment()
            at += 1
            link = fragment.charFormat().anchorHref()
            if link and link == address and fragment.position() == end:
                words += fragment.text()
            else:
                end_link()
                address, begin, words = link, fragment.position(), fragment.text()
            end = fragment.position() + fragment.length()
        block = block.next()
    end_link()
    return sorted(found, key=lambda stop: stop.begin)


def _code(block: CodeBlock) -> Stop:
    lines = block.source.count("\n") + (not block.source.endswith("\n"))
    if block.language:
        words = counted(
            "Code, {language}, {count} line. Enter copies it.",
            "Code, {language}, {count} lines. Enter copies it.",
            lines,
            language=block.language,
            count=number(lines),
        )
    else:
        words = counted(
            "Code, {count} line. Enter copies it.",
            "Code, {count} lines. Enter copies it.",
            lines,
            count=number(lines),
        )
    return Stop(block.first_position, block.last_position, "", block, words)
