"""The files of a message that was sent: a line for each, which unfolds to what the model got."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFontMetrics, QPainter, QPaintEvent, QTextDocument
from PySide6.QtWidgets import QWidget

from app.chats.attached.prompt import shown_pages
from app.chats.attached.words import about, used
from app.language import mark, tr
from app.store import AttachedText, Attachment, Attachments
from app.ui.style import tokens as t
from app.ui.style.icons import icon
from app.ui.style.theme import grown, theme, ui_font
from app.ui.widgets.buttons import PaintedButton
from app.ui.widgets.mirror import caret, mirrored
from app.ui.widgets.textview import TextView

_PAGES = {
    "slide": mark("Slide {number}"),
    "sheet": mark("Sheet {number}"),
    "chapter": mark("Chapter {number}"),
}
Texts = Callable[[Attachment], AttachedText | None]
_MOST_SHOWN = 60_000  # characters; more would take long to lay out


class FileLine(PaintedButton):
    """A file's name, kind and part; a click unfolds it."""

    HEIGHT = 26

    def __init__(self, attachment: Attachment, parent: QWidget) -> None:
        super().__init__(parent)
        self.attachment = attachment
        self.setCheckable(True)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        part = used(attachment)
        self._about = f"{about(attachment)}, {part}" if part else about(attachment)
        self.setAccessibleName(tr("File {name}, {about}", name=attachment.name, about=self._about))
        self.setToolTip("\n".join((attachment.name, self._about, tr("Show what the model got"))))

    def sizeHint(self) -> QSize:
        measure = QFontMetrics(ui_font(t.SMALL_PX))
        text = measure.horizontalAdvance(self.attachment.name)
        text += 8 + measure.horizontalAdvance(self._about)
        return QSize(text + 24 + 26, grown(self.HEIGHT))

    def paintEvent(self, event: QPaintEvent) -> None:
        tokens = theme().tokens
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if self.hasFocus():
            painter.setPen(QColor(tokens.accent))
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), 6, 6)
        middle, line = self.height() // 2, Qt.AlignmentFlag.AlignVCenter
        sign = mirrored(self, QRectF(2, middle - 8, 16, 16)).toRect()
        icon("file", tokens.muted).paint(painter, sign)
        painter.setFont(ui_font(t.SMALL_PX))
        measure = painter.fontMetrics()
        room = self.width() - 24 - 22
        about = measure.horizontalAdvance(self._about)
        name_room = max(room - about - 8, min(room, 80))
        name = measure.elidedText(self.attachment.name, Qt.TextElideMode.ElideMiddle, name_room)
        taken = measure.horizontalAdvance(name) + 8
        painter.setPen(QColor(tokens.text))
        place = QRectF(22, 0, name_room, self.height())
        painter.drawText(mirrored(self, place), line, name)
        painter.setPen(QColor(tokens.text if self.underMouse() else tokens.muted))
        rest = measure.elidedText(self._about, Qt.TextElideMode.ElideRight, room - taken)
        place = QRectF(22 + taken, 0, room - taken, self.height())
        painter.drawText(mirrored(self, place), line, rest)
        folded = caret("caret-right", rtl=self.isRightToLeft())
        end = mirrored(self, QRectF(self.width() - 16, middle - 6, 12, 12)).toRect()
        icon("caret-down" if self.isChecked() else folded, tokens.muted).paint(painter, end)


class AttachedFiles(QWidget):
    """All files of one message.

    Signals:
        resized(): ``arrange`` would give another height now.
    """

    resized = Signal()

    def __init__(self, attachments: Attachments, parent: QWidget) -> None:
        super().__init__(parent)
        self._texts: Texts = lambda _: None
        self.lines = [FileLine(each, self) for each in attachments]
        self._views: dict[FileLine, TextView] = {}
        for line in self.lines:
            line.clicked.connect(self.resized)

    def set_texts(self, texts: Texts) -> None:
        """``texts`` gives a file's text."""
        self._texts = texts

    def unfold_found(self, words: Callable[[str], Sequence[tuple[int, int]]], besides: str) -> None:
        """Unfold the first file that has more of the words of a search than the message has.

        Args:
            words: finds them in a text.
            besides: the message.
        """
        most, best = _different(words, besides), None
        for line in self.lines:
            text = shown(line.attachment, self._texts(line.attachment))
            if (number := _different(words, text)) > most:
                most, best = number, line
        if best is not None and not best.isChecked():
            best.setChecked(True)
            self._view(best).highlight(words)
            self.resized.emit()

    def wanted_width(self) -> int:
        """The width of the longest line."""
        return max(line.sizeHint().width() for line in self.lines)

    def arrange(self, width: int) -> int:
        """Place the parts for ``width`` pixels; returns the height needed."""
        y = 0
        for line in self.lines:
            line.setGeometry(0, y, min(width, line.sizeHint().width()), line.sizeHint().height())
            y += line.height()
            view = self._view(line) if line.isChecked() else self._views.get(line)
            if view is not None:
                view.setVisible(line.isChecked())
            if view is not None and line.isChecked():
                height = view.height_for(width - 22)
                view.setGeometry(22, y + 2, width - 22, height)
                y += height + 8
        return y

    def _view(self, line: FileLine) -> TextView:
        if line not in self._views:
            document = QTextDocument()
            document.setDefaultFont(ui_font(t.SMALL_PX))
            document.setPlainText(shown(line.attachment, self._texts(line.attachment)))
            view = self._views[line] = TextView(document, self)
            view.setAccessibleName(tr("What the model got of {name}", name=line.attachment.name))
        return self._views[line]


def _different(words: Callable[[str], Sequence[tuple[int, int]]], text: str) -> int:
    return len({text[begin:end].casefold() for begin, end in words(text)})


def shown(attachment: Attachment, text: AttachedText | None) -> str:
    """What the model got of a file, with the numbers of its pages, for people."""
    if text is None:
        return tr("Its text is not there any more.")
    pages = shown_pages(attachment, text)
    if attachment.use == "all":
        pages = ((number, page) for number, page in enumerate(text.pages, 1) if page)
    said, length = [], 0
    for number, page in pages:
        label = text.labels[number - 1] if number <= len(text.labels) else ""
        said.append(f"{_head(text.unit, number, label)}\n{page}" if text.unit else page)
        length += len(page)
        if length > _MOST_SHOWN:
            return "\n\n".join(said)[:_MOST_SHOWN] + "\n…\n" + tr("The rest is not shown here.")
    return "\n\n".join(said)


def _head(unit: str, number: int, label: str) -> str:
    """What stands above a page: "Sheet 2: Income"."""
    head = tr(_PAGES.get(unit, mark("Page {number}")), number=number)
    return f"{head}: {label}" if label else head
