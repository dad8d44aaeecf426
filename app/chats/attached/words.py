"""What is said of a file where people read of it."""

from __future__ import annotations

from app.language import counted, mark, number, tr
from app.store import Attachment, Span

_KINDS = {
    "text": mark("text", "a kind of file"),
    "code": mark("code", "a kind of file"),
    "web page": mark("web page", "a kind of file"),
}
"""Those whose name is a word; the others are called "PDF" or "Excel" everywhere."""


def kind_of(attachment: Attachment) -> str:
    """What it is: "PDF"."""
    word = _KINDS.get(attachment.kind)
    return attachment.kind if word is None else tr(word, "a kind of file")


def about(attachment: Attachment) -> str:
    """ "PDF, 12 pages": what it is and how long."""
    kind = kind_of(attachment)
    return f"{kind}, {_pages(attachment.unit, attachment.pages)}" if attachment.unit else kind


def used(attachment: Attachment) -> str:
    """What the model is given of it, "" for all."""
    numbers = page_numbers(attachment.spans)
    if attachment.use == "all":
        return ""
    if attachment.use == "passages" and not attachment.spans:
        return tr("passages that match the question")
    if attachment.use == "passages":
        n = len(attachment.spans)
        found = counted("{count} passage", "{count} passages", n, count=number(n))
        if not attachment.unit:
            return found
        pages = numbers_of(attachment.unit, numbers)
        return tr("{passages} from {pages}", passages=found, pages=pages)
    if attachment.use == "beginning":
        share = sum(end - begin for _, begin, end in attachment.spans)
        percent = 100 * share // max(1, attachment.characters)
        return tr("the first {percent} %", percent=percent)
    return numbers_of(attachment.unit, numbers)


def numbers_of(unit: str, numbers: list[int]) -> str:
    """ "pages 1–3, 7"."""
    ranges: list[list[int]] = []
    for each in numbers:
        if ranges and each == ranges[-1][1] + 1:
            ranges[-1][1] = each
        else:
            ranges.append([each, each])
    told = ", ".join(str(a) if a == b else f"{a}–{b}" for a, b in ranges)
    n = max(1, len(numbers))
    match unit:
        case "":
            return counted("part {numbers}", "parts {numbers}", n, numbers=told)
        case "slide":
            return counted("slide {numbers}", "slides {numbers}", n, numbers=told)
        case "sheet":
            return counted("sheet {numbers}", "sheets {numbers}", n, numbers=told)
        case "chapter":
            return counted("chapter {numbers}", "chapters {numbers}", n, numbers=told)
    return counted("page {numbers}", "pages {numbers}", n, numbers=told)


def page_numbers(spans: tuple[Span, ...]) -> list[int]:
    return sorted({each for each, _, _ in spans})


def attached(attachment: Attachment) -> str:
    """ "report.pdf (PDF, 12 pages; pages 1–3)": as it stands in an export."""
    part = used(attachment)
    return f"{attachment.name} ({about(attachment)}{'; ' + part if part else ''})"


def _pages(unit: str, n: int) -> str:
    count = number(n)
    match unit:
        case "slide":
            return counted("{count} slide", "{count} slides", n, count=count)
        case "sheet":
            return counted("{count} sheet", "{count} sheets", n, count=count)
        case "chapter":
            return counted("{count} chapter", "{count} chapters", n, count=count)
    return counted("{count} page", "{count} pages", n, count=count)
