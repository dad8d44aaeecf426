"""Format of attached files in the prompt, where they precede the text of the user's message.

    <file name="report.pdf">
    <page number="1">
    ...
    </page>
    <page number="2">
    ...
    </page>
    </file>

    What is on page 2?

Pages without text are skipped. Slides, sheets (which have names) and chapters use elements named
accordingly, and a file without pages has no inner elements. If only part of a file is included, its
element describes that part (`shows="passages that match the question"`) and has the page count
(`of="500"`).

An attached chat (`app.chats.referenced_chats`) is a file of messages:

    <chat title="Trees" shows="messages 3 to 4, which are new">
    <message number="3" name="user">
    ...

In chats with the same instructions, the same file ends up at the same position in the prompt, so
the engine prefills it only once for all of them (a shared prefix).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import groupby

from app.settings.language import counted, mark, number, percent, tr
from app.store import AttachedText, Attachment, Attachments, Span
from engine.text.encodings import CHOICES, title

Texts = Callable[[str], AttachedText | None]

SHOWS = {
    "beginning": "the beginning",
    "pages": "chosen {unit}s",
    "passages": "passages that match the question",
}


def with_files(content: str, attachments: Attachments, texts: Texts) -> str:
    files = [file_element(file, texts(file.hash)) for file in attachments]
    return "\n\n".join([*files, content] if content else files)


def file_element(attachment: Attachment, text: AttachedText | None) -> str:
    tag, called = ("chat", "title") if attachment.chat else ("file", "name")
    name = f'<{tag} {called}="{_quoted(attachment.name)}"'
    if text is None:
        return f"{name}>\nIts text is not there any more.\n</{tag}>"
    before = attachment.before
    if attachment.use == "all":
        pages = enumerate(text.pages, 1)
        inside = "\n".join(_page(text, n, page, before) for n, page in pages if page)
        return f"{name}{_part_of_chat(attachment)}>\n{inside}\n</{tag}>"
    shows = SHOWS[attachment.use].format(unit=text.unit or "part")
    of = f' of="{len(text.pages)}"' if text.unit else ""
    pieces = displayed_pages(attachment, text)
    content = "\n".join(_page(text, number, piece, before) for number, piece in pieces)
    return f'{name} shows="{shows}"{of}>\n{content}\n</{tag}>'


def _part_of_chat(source: Attachment) -> str:
    begin, end = source.before + 1, source.before + source.pages
    match source.news:
        case "new":
            return f' shows="messages {begin} to {end}, which are new"'
        case "changed":
            words = f"messages {begin} to {end}, in place of all given before from {begin} on"
            return f' shows="{words}"'
    return f' shows="its last messages, {begin} to {end}"' if source.before else ""


def displayed_pages(attachment: Attachment, text: AttachedText) -> Iterable[tuple[int, str]]:
    for at, spans in groupby(attachment.spans, key=lambda span: span[0]):
        if 0 < at <= len(text.pages):
            page = text.pages[at - 1]
            yield at, "\n…\n".join(page[begin:end].strip("\n") for _, begin, end in spans)


def _page(text: AttachedText, number: int, content: str, before: int = 0) -> str:
    if not text.unit:
        return content
    label = text.labels[number - 1] if number <= len(text.labels) else ""
    name_attribute = f' name="{_quoted(label)}"' if label else ""
    return f'<{text.unit} number="{before + number}"{name_attribute}>\n{content}\n</{text.unit}>'


def _quoted(name: str) -> str:
    return " ".join(name.split()).replace('"', "'").replace("<", "(").replace(">", ")")


_KINDS = {
    "text": mark("text", "a kind of file"),
    "code": mark("code", "a kind of file"),
    "web page": mark("web page", "a kind of file"),
    "chat": mark("chat", "a kind of file"),
}
"""Kinds with translated names. Other names, like "PDF", aren't translated."""


def kind_of(attachment: Attachment) -> str:
    word = _KINDS.get(attachment.kind)
    return attachment.kind if word is None else tr(word, "a kind of file")


def kind_and_encoding(attachment: Attachment) -> str:
    kind, encoding = kind_of(attachment), attachment.encoding
    return kind if encoding in {"", "utf-8"} else f"{kind}, {title(encoding)}"


def encodings_for(attachment: Attachment) -> dict[str, str]:
    return {name: title(name) for name in (attachment.encoding, *CHOICES)}


def describe_file(attachment: Attachment) -> str:
    """Return a short description: "PDF, 12 pages, 3 scanned", "WAV, 0:42", or "PNG, 800 × 600"."""
    kind = kind_and_encoding(attachment)
    if attachment.is_sound:
        return f"{kind}, {attachment.seconds // 60}:{attachment.seconds % 60:02}"
    if attachment.is_image:
        size = f"{number(attachment.width)} × {number(attachment.height)}"
        if not attachment.spans:
            return f"{kind}, {size}"
        pages = format_page_numbers(attachment.unit, page_numbers(attachment.spans))
        return f"{kind}, {pages}, {size}"
    if attachment.chat:
        return _describe_messages(attachment)
    words = [kind]
    if attachment.unit:
        words.append(_count_pages(attachment.unit, attachment.pages))
    if n := len(attachment.scans):
        words.append(counted("%Ln scanned", "%Ln scanned", n))
    return ", ".join(words)


def describe_used_part(attachment: Attachment) -> str:
    numbers = page_numbers(attachment.spans)
    if attachment.use == "all" or attachment.is_medium:
        return ""
    if attachment.use == "passages" and not attachment.spans:
        return tr("relevant passages")
    if attachment.use == "passages":
        n = len(attachment.spans)
        passages = counted("%Ln passage", "%Ln passages", n)
        if not attachment.unit:
            return passages
        pages = format_page_numbers(attachment.unit, numbers)
        return tr("{passages} from {pages}", passages=passages, pages=pages)
    if attachment.use == "beginning":
        share = sum(end - begin for _, begin, end in attachment.spans)
        of_all = 100 * share // max(1, attachment.characters) / 100
        return tr("the first {share}", "of a file", share=percent(of_all))
    return format_page_numbers(attachment.unit, numbers)


def format_ranges(numbers: list[int]) -> str:
    ranges: list[list[int]] = []
    for item in numbers:
        if ranges and item == ranges[-1][1] + 1:
            ranges[-1][1] = item
        else:
            ranges.append([item, item])
    return ", ".join(str(a) if a == b else f"{a}–{b}" for a, b in ranges)


def format_page_numbers(unit: str, numbers: list[int]) -> str:
    text, n = format_ranges(numbers), max(1, len(numbers))
    match unit:
        case "":
            return counted("part {numbers}", "parts {numbers}", n, numbers=text)
        case "slide":
            return counted("slide {numbers}", "slides {numbers}", n, numbers=text)
        case "sheet":
            return counted("sheet {numbers}", "sheets {numbers}", n, numbers=text)
        case "chapter":
            return counted("chapter {numbers}", "chapters {numbers}", n, numbers=text)
        case "message":
            return counted("message {numbers}", "messages {numbers}", n, numbers=text)
    return counted("page {numbers}", "pages {numbers}", n, numbers=text)


def page_numbers(spans: tuple[Span, ...]) -> list[int]:
    return sorted({page for page, _, _ in spans})


def page_of(image: Attachment) -> str:
    return number(image.spans[0][0]) if image.spans else ""


def describe_for_export(attachment: Attachment) -> str:
    part = describe_used_part(attachment)
    return f"{attachment.name} ({describe_file(attachment)}{'; ' + part if part else ''})"


def _describe_messages(source: Attachment) -> str:
    n, count = source.pages, number(source.pages)
    match source.news:
        case "new":
            return counted("{count} new message", "{count} new messages", n, count=count)
        case "changed":
            return counted("changed, {count} message", "changed, {count} messages", n, count=count)
    if source.before:
        return counted("last message", "last {count} messages", n, count=count)
    return counted("whole, {count} message", "whole, {count} messages", n, count=count)


def _count_pages(unit: str, n: int) -> str:
    match unit:
        case "slide":
            return counted("%Ln slide", "%Ln slides", n)
        case "sheet":
            return counted("%Ln sheet", "%Ln sheets", n)
        case "chapter":
            return counted("%Ln chapter", "%Ln chapters", n)
    return counted("%Ln page", "%Ln pages", n)
