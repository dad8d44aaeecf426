"""A chat as PDF: pages set by Qt from the same HTML, on the thread that asks."""

from __future__ import annotations

import time
from collections.abc import Sequence
from html import escape
from pathlib import Path
from threading import Event

from PySide6.QtCore import QByteArray, QMarginsF, QRectF, QSizeF, Qt, QUrl
from PySide6.QtGui import (
    QAbstractTextDocumentLayout,
    QFont,
    QFontDatabase,
    QImage,
    QPageSize,
    QPainter,
    QPalette,
    QPdfWriter,
    QTextDocument,
)
from PySide6.QtSvg import QSvgRenderer

from app.chats.exporting.pages import message_html
from app.chats.exporting.prose import moment
from app.language import tr
from app.markdown.highlight import COLOURS
from app.markdown.tex import EM, INK, formula, typed
from app.store import Chat, Message

_DPI = 96.0  # of the layout; the paper has more
_MARGIN_MM, _FOOT = 18.0, 28.0
_SHARP = 4  # pixels of a formula's picture for each of the layout's
_TABLE = '<table border="1" cellspacing="0" cellpadding="4" style="border-color: #dddcd7">'
_REST_S = 0.0005  # between two pages: the window gets Python's lock
_STYLE = """
p, li { line-height: 140%; }
h1 { font-size: 18pt; } .who { color: #6b6a66; font-size: 8.5pt; margin-top: 14px; }
.mine { background-color: #f1f0ec; white-space: pre-wrap; }
.prompt { color: #6b6a66; white-space: pre-wrap; } .error { color: #b3261e; }
.typed { white-space: pre-wrap; }
pre { background-color: #f6f5f1; white-space: pre-wrap; font-size: 8.5pt; }
blockquote { color: #6b6a66; } a { color: #2a62c9; }
"""


def write_pdf(
    path: Path, chat: Chat, said: Sequence[Message], stop: Event, *, thoughts: bool = False
) -> bool:
    """Write the pages; False if it was stopped, and then the file is not whole. Raises OSError."""
    writer = QPdfWriter(str(path))
    writer.setTitle(chat.shown_title)
    writer.setCreator("Stretto")
    writer.setPageSize(QPageSize(QPageSize.PageSizeId.A4))
    writer.setPageMargins(QMarginsF(*(_MARGIN_MM,) * 4))
    scale = writer.logicalDpiX() / _DPI
    area = QSizeF(writer.width() / scale, writer.height() / scale - _FOOT)
    document = lay_out(chat, said, area, stop, thoughts=thoughts)
    if stop.is_set():
        return False
    painter = QPainter()
    if not painter.begin(writer):
        raise OSError(0, tr("the file cannot be made"), str(path))
    try:
        pages = document.pageCount()
        for number in range(pages):
            if stop.is_set():
                return False
            if number:
                writer.newPage()
            painter.save()
            painter.scale(scale, scale)
            draw(painter, document, area, number)
            painter.restore()
            time.sleep(_REST_S)
    finally:
        painter.end()
    if not path.exists() or not path.stat().st_size:
        raise OSError(0, tr("the disk is full"), str(path))
    return True


def lay_out(
    chat: Chat, said: Sequence[Message], area: QSizeF, stop: Event, *, thoughts: bool = False
) -> QTextDocument:
    """The chat on pages of this size, in pixels of 1/96 inch; without an end if it was stopped."""
    document = QTextDocument()
    document.setUndoRedoEnabled(False)
    document.setDefaultFont(_font())
    document.setDocumentMargin(0)
    document.setDefaultStyleSheet(_STYLE + _code_style())
    document.setHtml(_html(document, chat, said, stop, thoughts=thoughts))
    if not stop.is_set():
        document.setPageSize(area)
    return document


def draw(painter: QPainter, document: QTextDocument, area: QSizeF, number: int) -> None:
    """One page, counted from 0, with its number at the foot."""
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
    painter.setFont(_font(8.0))
    painter.setPen(Qt.GlobalColor.darkGray)
    foot = QRectF(0, area.height() + 8, area.width(), _FOOT - 8)
    words = f"{number + 1} / {document.pageCount()}"
    painter.drawText(foot, Qt.AlignmentFlag.AlignRight, words)


def _html(
    document: QTextDocument, chat: Chat, said: Sequence[Message], stop: Event, *, thoughts: bool
) -> str:
    pictures: dict[tuple[str, bool], str] = {}

    def picture(source: str, display: bool) -> str:
        known = pictures.get((source, display))
        if known is None:
            known = pictures[source, display] = _picture(document, len(pictures), source, display)
        return known

    found = [
        f"<h1>{escape(chat.shown_title)}</h1>\n",
        f'<p class="who">{moment(chat.created_at)}</p>',
    ]
    if chat.system:
        found.append(f'<p class="prompt">{escape(chat.system)}</p>\n')
    for message in said:
        for piece in message_html(message, picture, thoughts=thoughts):
            if stop.is_set():
                return ""
            found.append(piece.replace("<table>", _TABLE))  # text has no "<" of its own
    return "".join(found)


def _picture(document: QTextDocument, number: int, source: str, display: bool) -> str:
    """A formula as an image of the document; its name is no address of anything."""
    found = formula(source, display)
    if found is None:
        return f"<code>{escape(typed(source, display))}</code>"
    width, height = max(1, round(found.width)), max(1, round(found.height))
    image = QImage(width * _SHARP, height * _SHARP, QImage.Format.Format_ARGB32_Premultiplied)
    image.fill(Qt.GlobalColor.transparent)
    painter = QPainter(image)
    QSvgRenderer(QByteArray(found.svg.replace(INK, "#000000").encode())).render(painter)
    painter.end()
    name = f"formula:{number}"
    document.addResource(QTextDocument.ResourceType.ImageResource.value, QUrl(name), image)
    low = "middle" if found.depth > EM / 8 else "baseline"
    place = f'width="{width}" height="{height}" style="vertical-align: {low}"'
    return f'<img src="{name}" {place}>'


def _font(size: float = 10.5) -> QFont:
    font = QFontDatabase.systemFont(QFontDatabase.SystemFont.GeneralFont)
    font.setPointSizeF(size)
    return font


def _code_style() -> str:
    family = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont).family()
    colours = "".join(f".{kind} {{ color: {pair[0]}; }}\n" for kind, pair in COLOURS.items())
    return f'pre, code {{ font-family: "{family}"; }}\n{colours}'
