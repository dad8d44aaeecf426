"""How the model is given a file: in the turn of the person's message, before the message.

    <file name="report.pdf">
    <page number="1">
    ...
    </page>
    <page number="2">
    ...
    </page>
    </file>

    What is on page 2?

Pages without a word are left out. Slides, sheets (with their names) and chapters stand in elements
of these names; a file of one piece has none. Where not all is given, the file's element says what
is (`shows="passages that match the question"`) and of how many pages (`of="500"`).

The same file begins the same prompt in every chat with the same instructions, so that the engine
reads it once for all of them (a shared prefix).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import groupby

from app.store import AttachedText, Attachment, Attachments

Texts = Callable[[str], AttachedText | None]
"""Gives the text of a file by its hash."""

SHOWS = {
    "beginning": "the beginning",
    "pages": "chosen {unit}s",
    "passages": "passages that match the question",
}


def with_files(content: str, attachments: Attachments, texts: Texts) -> str:
    """A message as the model reads it."""
    files = [file_element(each, texts(each.hash)) for each in attachments]
    return "\n\n".join([*files, content] if content else files)


def file_element(attachment: Attachment, text: AttachedText | None) -> str:
    """One file as the model reads it."""
    name = f'<file name="{_quoted(attachment.name)}"'
    if text is None:
        return f"{name}>\nIts text is not there any more.\n</file>"
    if attachment.use == "all":
        inside = "\n".join(_page(text, n, page) for n, page in enumerate(text.pages, 1) if page)
        return f"{name}>\n{inside}\n</file>"
    shows = SHOWS[attachment.use].format(unit=text.unit or "part")
    of = f' of="{len(text.pages)}"' if text.unit else ""
    shown = "\n".join(_page(text, number, piece) for number, piece in shown_pages(attachment, text))
    return f'{name} shows="{shows}"{of}>\n{shown}\n</file>'


def shown_pages(attachment: Attachment, text: AttachedText) -> Iterable[tuple[int, str]]:
    """What is given of a file: each page's number and the pieces of its text."""
    for number, spans in groupby(attachment.spans, key=lambda span: span[0]):
        if 0 < number <= len(text.pages):
            page = text.pages[number - 1]
            yield number, "\n…\n".join(page[begin:end].strip("\n") for _, begin, end in spans)


def _page(text: AttachedText, number: int, content: str) -> str:
    if not text.unit:
        return content
    label = text.labels[number - 1] if number <= len(text.labels) else ""
    named = f' name="{_quoted(label)}"' if label else ""
    return f'<{text.unit} number="{number}"{named}>\n{content}\n</{text.unit}>'


def _quoted(name: str) -> str:
    return " ".join(name.split()).replace('"', "'").replace("<", "(").replace(">", ")")
