"""Export of chats as Markdown, plain text, self-contained HTML, and PDF.

The HTML head has a content security policy that blocks all requests.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator, Sequence
from html import escape
from pathlib import Path
from threading import Event

from PySide6.QtCore import QByteArray, QLocale, QMarginsF, QRectF, QSizeF, Qt, QUrl
from PySide6.QtGui import (
    QAbstractTextDocumentLayout,
    QFont,
    QFontDatabase,
    QGuiApplication,
    QImage,
    QPageSize,
    QPainter,
    QPalette,
    QPdfWriter,
    QTextDocument,
)
from PySide6.QtSvg import QSvgRenderer

from app.chats.actions import ending_note
from app.chats.attachment_texts import describe_for_export
from app.chats.options import answer_markdown
from app.chats.panel import heading_of
from app.markdown.blocks import Block, BlockSplitter
from app.markdown.highlight import COLORS
from app.markdown.html_text import Formulas, html_blocks
from app.markdown.plain_text import remove_markup
from app.markdown.syntax import FenceEnd
from app.markdown.tex import EM, INK, formula, typed_source
from app.settings.language import mark, tr
from app.store import ChatRecord, Message
from app.tools.tool import one_line

WHO = {"user": mark("You"), "system": mark("System")}
_FENCE = re.compile(r"[ ]{0,3}(`{3,}|~{3,})")


def author_name(message: Message) -> str:
    """Return the display name of a message's author or tool."""
    if message.role == "tool":
        names = (
            message.stats.get("tool") or message.stats.get("name"),
            message.stats.get("server"),
        )
        return " · ".join([tr("Tool"), *(one_line(name, 200) for name in names if name)])
    if message.role in WHO:
        return tr(WHO[message.role])
    return heading_of(message) or tr("Assistant")


def format_time(seconds: float) -> str:
    try:
        return time.strftime("%Y-%m-%d %H:%M", time.localtime(seconds))
    except (ValueError, OverflowError, OSError):
        return ""


def markdown_lines(
    chat: ChatRecord, messages: Sequence[Message], *, thoughts: bool = False
) -> Iterator[str]:
    yield f"# {_one_line(chat.display_title)}\n"
    if chat.system:
        yield "\n## " + tr("Instructions") + f"\n\n{_close_code_block(chat.system)}\n"
    for message in messages:
        when = format_time(message.created_at)
        yield f"\n## {_one_line(author_name(message))}{' · ' + when if when else ''}\n"
        if thoughts and message.reasoning:
            quoted = "\n".join(f"> {line}".rstrip() for line in message.reasoning.splitlines())
            yield "\n> **" + tr("Reasoning") + f"**\n>\n{quoted}\n"
        for file in message.attachments:
            yield "\n*" + tr("Attached: {file}", file=_one_line(describe_for_export(file))) + "*\n"
        if message.role == "tool":
            yield from _fence_result(str(message.stats.get("arguments") or ""))
            yield from _fence_result(message.content)
        elif message.content:
            yield f"\n{_close_code_block(message.content)}\n"
        if words := message.error or ending_note(message):
            yield f"\n*{_one_line(words)}*\n"


def plain_text_lines(
    chat: ChatRecord, messages: Sequence[Message], *, thoughts: bool = False
) -> Iterator[str]:
    title = " ".join(chat.display_title.split())
    yield f"{title}\n{'=' * min(len(title), 76)}\n"
    if chat.system:
        yield "\n" + tr("Instructions") + f"\n\n{chat.system.strip()}\n"
    for message in messages:
        when = format_time(message.created_at)
        yield f"\n{author_name(message)}{', ' + when if when else ''}\n\n"
        if thoughts and message.reasoning:
            yield "[" + tr("Reasoning") + f"]\n{remove_markup(message.reasoning).strip()}\n"
            yield "[" + tr("End of reasoning") + "]\n\n"
        for file in message.attachments:
            yield "[" + tr("Attached: {file}", file=describe_for_export(file)) + "]\n"
        if message.content:
            text = message.content
            if message.role == "assistant":
                text = remove_markup(answer_markdown(message))
            yield f"{text.strip()}\n"
        if words := message.error or ending_note(message):
            yield f"({' '.join(words.split())})\n"


def _fence_result(text: str) -> Iterator[str]:
    """Yield a tool result as a code block, because its text isn't Markdown."""
    if text.strip():
        longest = max((len(run) for run in re.findall("`+", text)), default=0)
        fence = "`" * max(3, longest + 1)
        yield f"\n{fence}\n{text.strip(chr(10))}\n{fence}\n"


def _one_line(text: str) -> str:
    return re.sub(r"([\\`*_\[\]<>#])", r"\\\1", " ".join(text.split()))


def _close_code_block(text: str) -> str:
    splitter = BlockSplitter()
    splitter.feed(text.strip("\n"))
    splitter.finish()
    return "".join(_close_fence(block) for block in splitter.finished)


def _close_fence(block: Block) -> str:
    opening = _FENCE.match(block.source)
    tokens = block.tokens if opening else ()
    if opening is None or not tokens or tokens[0].type != "fence":
        return _lengthen_fences(block)
    code, mark = tokens[0].content, opening[1]
    after = block.source[len(block.source.rstrip("\n")) :]
    end = FenceEnd(mark, tokens[0].info)
    closed = any(end.feed(line) for line in block.source.split("\n")[1:]) or end.end()
    if closed and not end.is_nested:
        return block.source
    mark = _longer_mark(mark, code)
    return f"{mark}{tokens[0].info}\n{code.rstrip(chr(10))}\n{mark}{after}"


def _lengthen_fences(block: Block) -> str:
    lines = block.source.split("\n")
    for token in block.tokens:
        if token.type != "fence" or not token.map:
            continue
        begin, end = (line - block.first_line for line in token.map)
        mark = _longer_mark(token.markup, token.content)
        is_closed = token.content.count("\n") == end - begin - 2
        for line in (begin, end - 1) if is_closed else (begin,):
            lines[line] = lines[line].replace(token.markup, mark, 1)
    return "\n".join(lines)


def _longer_mark(mark: str, code: str) -> str:
    inner = re.findall(rf"^[ \t]*({mark[0]}{{3,}})", code, re.MULTILINE)
    return mark[0] * max(len(mark), *(len(run) + 1 for run in inner), 3)


_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; form-action 'none'"
_STYLE = """
:root { color-scheme: light dark; --text: #1f1f1e; --page: #ffffff; --muted: #6b6a66;
  --line: #dddcd7; --code: #f6f5f1; --mine: #f1f0ec; --link: #2a62c9; --error: #b3261e; }
@media (prefers-color-scheme: dark) { :root { --text: #ececea; --page: #1c1c1a; --muted: #a3a29c;
  --line: #3b3b38; --code: #242422; --mine: #2a2a28; --link: #7fb0ff; --error: #ff9287; } }
body { margin: 0 auto; max-width: 760px; padding: 32px 24px 64px; background: var(--page);
  color: var(--text); font: 15px/1.5 system-ui, -apple-system, "Segoe UI", sans-serif;
  overflow-wrap: break-word; }
header { border-bottom: 1px solid var(--line); margin-bottom: 24px; }
h1 { font-size: 24px; line-height: 1.25; margin: 0 0 8px; }
.who { color: var(--muted); font-size: 13px; margin: 24px 0 4px; }
.mine { background: var(--mine); border-radius: 12px; padding: 10px 16px; white-space: pre-wrap; }
.prompt { color: var(--muted); white-space: pre-wrap; }
.error { color: var(--error); }
details { color: var(--muted); border-left: 2px solid var(--line); padding-left: 12px; }
a { color: var(--link); }
pre { background: var(--code); border-radius: 8px; padding: 12px 16px; overflow-x: auto; }
pre, code { font-family: ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace;
  font-size: 13px; }
:not(pre) > code { background: var(--code); border-radius: 4px; padding: 1px 4px; }
blockquote { border-left: 3px solid var(--line); margin-left: 0; padding-left: 14px;
  color: var(--muted); }
table { border-collapse: collapse; } th, td { border: 1px solid var(--line); padding: 5px 10px; }
hr { border: 0; border-top: 1px solid var(--line); }
svg { vertical-align: middle; } .typed { white-space: pre-wrap; }
"""


def html_page(
    chat: ChatRecord, messages: Sequence[Message], *, thoughts: bool = False
) -> Iterator[str]:
    title = escape(chat.display_title)
    yield (
        '<!DOCTYPE html>\n<html>\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
        '<meta name="viewport" content="width=device-width">\n'
        f"<title>{title}</title>\n<style>{_STYLE}{_code_style()}</style>\n</head>\n<body>\n"
        f"<header>\n<h1>{title}</h1>\n<p class=who>{format_time(chat.created_at)}</p>\n"
    )
    if chat.system:
        yield f'<p class="prompt" dir="auto">{escape(chat.system)}</p>\n'
    yield "</header>\n"
    for message in messages:
        yield from message_html(message, render_formula, thoughts=thoughts)
    yield "</body>\n</html>\n"


def message_html(message: Message, formulas: Formulas, *, thoughts: bool) -> Iterator[str]:
    when = format_time(message.created_at)
    yield f'<div class="message" dir="auto">\n<p class="who">{escape(author_name(message))}'
    yield f"{' · ' + when if when else ''}</p>\n"
    if thoughts and message.reasoning:
        yield "<details><summary>" + escape(tr("Reasoning")) + "</summary>\n"
        yield from html_blocks(message.reasoning, formulas)
        yield "</details>\n"
    for file in message.attachments:
        words = tr("Attached: {file}", file=describe_for_export(file))
        yield f'<p class="who">{escape(words)}</p>\n'
    if message.role == "assistant":
        yield from html_blocks(answer_markdown(message), formulas)
    elif message.content:
        yield f'<div class="mine">{escape(message.content)}</div>\n'
    if message.error:
        yield f'<p class="error">{escape(message.error)}</p>\n'
    elif words := ending_note(message):
        yield f'<p class="who">{escape(words)}</p>\n'
    yield "</div>\n"


def render_formula(source: str, display: bool) -> str:
    """Return a formula as SVG in the text color, or its source if it can't be rendered."""
    drawing = formula(source, display)
    if drawing is None:
        return f"<code>{escape(typed_source(source, display))}</code>"
    picture = drawing.svg.replace(INK, "currentColor")
    size = f"height:{drawing.height / EM:.3f}em;width:{drawing.width / EM:.3f}em"
    low = f"vertical-align:{-drawing.depth / EM:.3f}em"
    label = escape(typed_source(source, display))
    return picture.replace(
        "<svg ", f'<svg role="img" aria-label="{label}" style="{size};{low}" ', 1
    )


def _code_style() -> str:
    light = "".join(f".{kind} {{ color: {pair[0]}; }}\n" for kind, pair in COLORS.items())
    dark = "".join(f".{kind} {{ color: {pair[1]}; }}\n" for kind, pair in COLORS.items())
    return f"{light}@media (prefers-color-scheme: dark) {{\n{dark}}}\n"


_DPI = 96.0  # layout resolution; printers use more
_MARGIN_MM, _FOOT = 18.0, 28.0
_SHARP = 4  # image pixels per layout pixel in formulas
_TABLE = '<table border="1" cellspacing="0" cellpadding="4" style="border-color: #dddcd7">'
_MARK = '<span style="background-color: #fff1a6">'
_REST_S = 0.0005  # pause between pages that releases the GIL for the GUI thread
_PAPER_STYLE = """
p, li { line-height: 140%; }
h1 { font-size: 18pt; } .who { color: #6b6a66; font-size: 8.5pt; margin-top: 14px; }
.mine { background-color: #f1f0ec; white-space: pre-wrap; }
.prompt { color: #6b6a66; white-space: pre-wrap; } .error { color: #b3261e; }
.typed { white-space: pre-wrap; }
pre { background-color: #f6f5f1; white-space: pre-wrap; font-size: 8.5pt; }
blockquote { color: #6b6a66; } a { color: #2a62c9; }
"""


_LETTER = frozenset(
    ["BZ", "CA", "CL", "CO", "CR", "GT", "MX", "NI", "PA", "PH", "PR", "SV", "US", "VE"]
)
"""Countries that use US Letter, from CLDR. Qt doesn't know them."""


def page_size(locale: QLocale) -> QPageSize:
    letter = QLocale.territoryToCode(locale.territory()) in _LETTER
    return QPageSize(QPageSize.PageSizeId.Letter if letter else QPageSize.PageSizeId.A4)


def write_pdf(
    path: Path,
    chat: ChatRecord,
    messages: Sequence[Message],
    stop: Event,
    *,
    thoughts: bool = False,
) -> bool:
    """Write a PDF. Return False if it was stopped and the file is incomplete."""
    writer = QPdfWriter(str(path))
    writer.setTitle(chat.display_title)
    writer.setCreator("Stretto")
    writer.setPageSize(page_size(QLocale.system()))
    writer.setPageMargins(QMarginsF(*(_MARGIN_MM,) * 4))
    scale = writer.logicalDpiX() / _DPI
    area = QSizeF(writer.width() / scale, writer.height() / scale - _FOOT)
    document = lay_out(chat, messages, area, stop, thoughts=thoughts)
    if stop.is_set():
        return False
    painter = QPainter()
    if not painter.begin(writer):
        raise OSError(0, tr("the file can’t be created"), str(path))
    try:
        pages = document.pageCount()
        for number in range(pages):
            if stop.is_set():
                return False
            if number:
                writer.newPage()
            painter.save()
            painter.scale(scale, scale)
            paint_page(painter, document, area, number)
            painter.restore()
            time.sleep(_REST_S)
    finally:
        painter.end()
    if not path.exists() or not path.stat().st_size:
        raise OSError(0, tr("the disk is full"), str(path))
    return True


def lay_out(
    chat: ChatRecord,
    messages: Sequence[Message],
    area: QSizeF,
    stop: Event,
    *,
    thoughts: bool = False,
) -> QTextDocument:
    """Lay out the chat on pages of this size, in 1/96 inch."""
    document = QTextDocument()
    document.setUndoRedoEnabled(False)
    document.setDefaultFont(_font())
    document.setDocumentMargin(0)
    document.setDefaultStyleSheet(_PAPER_STYLE + _paper_code_style())
    document.setHtml(_html(document, chat, messages, stop, thoughts=thoughts))
    if not stop.is_set():
        document.setPageSize(area)
    return document


def paint_page(painter: QPainter, document: QTextDocument, area: QSizeF, number: int) -> None:
    """Paint a page (counted from 0) and its page number."""
    top = number * area.height()
    painter.save()
    painter.translate(0, -top)
    part = QRectF(0, top, area.width(), area.height())
    painter.setClipRect(part)
    context = QAbstractTextDocumentLayout.PaintContext()
    context.clip = part
    palette = QPalette()
    palette.setColor(QPalette.ColorRole.Text, Qt.GlobalColor.black)
    context.palette = palette
    document.documentLayout().draw(painter, context)
    painter.restore()
    font = _font()
    font.setPixelSize(11)  # the painter is scaled, and would enlarge points a second time
    painter.setFont(font)
    painter.setPen(Qt.GlobalColor.darkGray)
    foot = QRectF(0, area.height() + 8, area.width(), _FOOT - 8)
    words = f"{number + 1} / {document.pageCount()}"
    painter.drawText(foot, Qt.AlignmentFlag.AlignRight, words)


def _html(
    document: QTextDocument,
    chat: ChatRecord,
    messages: Sequence[Message],
    stop: Event,
    *,
    thoughts: bool,
) -> str:
    pictures: dict[tuple[str, bool], str] = {}

    def picture(source: str, display: bool) -> str:
        element = pictures.get((source, display))
        if element is None:
            element = pictures[source, display] = _picture(document, len(pictures), source, display)
        return element

    parts = [
        f"<h1>{escape(chat.display_title)}</h1>\n",
        f'<p class="who">{format_time(chat.created_at)}</p>',
    ]
    if chat.system:
        parts.append(f'<p class="prompt">{escape(chat.system)}</p>\n')
    for message in messages:
        for piece in message_html(message, picture, thoughts=thoughts):
            if stop.is_set():
                return ""
            # Angle brackets in the text are escaped, so these are real tags.
            marked = piece.replace("<mark>", _MARK).replace("</mark>", "</span>")
            parts.append(marked.replace("<table>", _TABLE))
    return "".join(parts)


def _picture(document: QTextDocument, number: int, source: str, display: bool) -> str:
    drawing = formula(source, display)
    if drawing is None:
        return f"<code>{escape(typed_source(source, display))}</code>"
    width, height = max(1, round(drawing.width)), max(1, round(drawing.height))
    image = QImage(width * _SHARP, height * _SHARP, QImage.Format.Format_ARGB32_Premultiplied)
    image.fill(Qt.GlobalColor.transparent)
    painter = QPainter(image)
    QSvgRenderer(QByteArray(drawing.svg.replace(INK, "#000000").encode())).render(painter)
    painter.end()
    name = f"formula:{number}"
    document.addResource(QTextDocument.ResourceType.ImageResource.value, QUrl(name), image)
    low = "middle" if drawing.depth > EM / 8 else "baseline"
    attributes = f'width="{width}" height="{height}" style="vertical-align: {low}"'
    return f'<img src="{name}" {attributes}>'


def _font() -> QFont:
    # Use the window's font, which may differ from the system font.
    font = QGuiApplication.font()
    font.setPointSizeF(10.5)
    return font


def _paper_code_style() -> str:
    family = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont).family()
    colors = "".join(f".{kind} {{ color: {pair[0]}; }}\n" for kind, pair in COLORS.items())
    return f'pre, code {{ font-family: "{family}"; }}\n{colors}'
