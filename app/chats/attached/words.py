"""What is said of a file where people read of it."""

from __future__ import annotations

from app.store import Attachment, Span


def about(attachment: Attachment) -> str:
    """ "PDF, 12 pages": what it is and how long."""
    if not attachment.unit:
        return attachment.kind
    return f"{attachment.kind}, {_many(attachment.pages, attachment.unit)}"


def used(attachment: Attachment) -> str:
    """What the model is given of it, "" for all."""
    numbers = page_numbers(attachment.spans)
    if attachment.use == "all":
        return ""
    if attachment.use == "passages" and not attachment.spans:
        return "passages that match the question"
    if attachment.use == "passages":
        found = _many(len(attachment.spans), "passage")
        return f"{found} from {numbers_of(attachment.unit, numbers)}" if attachment.unit else found
    if attachment.use == "beginning":
        share = sum(end - begin for _, begin, end in attachment.spans)
        return f"the first {100 * share // max(1, attachment.characters)} %"
    return numbers_of(attachment.unit, numbers)


def numbers_of(unit: str, numbers: list[int]) -> str:
    """ "pages 1–3, 7"."""
    ranges: list[list[int]] = []
    for number in numbers:
        if ranges and number == ranges[-1][1] + 1:
            ranges[-1][1] = number
        else:
            ranges.append([number, number])
    told = ", ".join(str(a) if a == b else f"{a}–{b}" for a, b in ranges)
    return f"{unit or 'part'}{'s' if len(numbers) > 1 else ''} {told}"


def page_numbers(spans: tuple[Span, ...]) -> list[int]:
    return sorted({number for number, _, _ in spans})


def attached(attachment: Attachment) -> str:
    """ "report.pdf (PDF, 12 pages; pages 1–3)": as it stands in an export."""
    part = used(attachment)
    return f"{attachment.name} ({about(attachment)}{'; ' + part if part else ''})"


def _many(count: int, thing: str) -> str:
    return f"1 {thing}" if count == 1 else f"{count:,} {thing}s"
