from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import groupby

from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import QColor, QFontMetrics, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from app.chats.attachment_texts import page_of
from app.settings.language import tr
from app.store import Attachment
from app.ui.style import tokens as t
from app.ui.style.theme import focus_pen, scale_height, scaled, theme, ui_font
from app.ui.widgets.buttons import IconButton, RemovableButton
from app.ui.widgets.labels import make_link
from app.ui.widgets.picture_sheet import paint_small
from app.ui.widgets.row_painter import RowPainter
from app.ui.widgets.widget_behavior import escape_tooltip, mirror_children, place_in_lines


@dataclass(frozen=True)
class ChipWords:
    name: str
    about: str  # type and size, kept short
    # None while loading, or if the chip follows a chat.
    attachment: Attachment | None = None
    too_much: bool = False  # the attached files together don't fit
    thumbnail: bytes = field(default=b"", repr=False)  # images only; other files get an icon
    tokens: str = ""  # shorter form of ``about`` for narrow chips
    follows: str = ""  # ID of the followed chat

    @property
    def chat(self) -> str:
        return self.attachment.chat if self.attachment is not None else self.follows

    @property
    def is_image(self) -> bool:
        return self.attachment is not None and self.attachment.is_image

    @property
    def can_only_view(self) -> bool:
        """Return True if a click only shows the file: an image that isn't a document's page."""
        return self.is_image and self.attachment is not None and not self.attachment.spans


class FileChip(RemovableButton):
    """Chip of a file, or thumbnail of an image.

    Enter or a click opens a menu, or shows the image. Delete removes the file.
    """

    HEIGHT = 30
    PICTURE = 64
    WIDEST = 440

    def __init__(self, words: ChipWords, parent: QWidget) -> None:
        super().__init__(parent)
        self.words = words
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setCursor(Qt.CursorShape.ArrowCursor)
        self.remove = IconButton("x", tr("Remove {name}  Del", name=words.name), self, side=22)
        self.remove.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.remove.clicked.connect(self.remove_requested)
        self.set_words(words)
        theme().changed.connect(self.update)

    def set_words(self, words: ChipWords) -> None:
        self.words = words
        description = words.about
        if words.is_image:
            self.setAccessibleName(tr("Image {name}, {about}", name=words.name, about=description))
        elif words.chat:
            self.setAccessibleName(tr("Chat {name}, {about}", name=words.name, about=description))
        else:
            self.setAccessibleName(tr("File {name}, {about}", name=words.name, about=description))
        self.setAccessibleDescription(
            tr("Enter shows the image, Delete removes it")
            if words.can_only_view
            else tr("Enter opens the menu, Delete ends following the chat")
            if words.chat
            else tr("Enter chooses what the model gets, Delete removes the file")
        )
        self.setToolTip(escape_tooltip(f"{words.name}\n{description}"))
        self.update()

    def preferred_width(self) -> int:
        if self.words.is_image:
            return self.preferred_height()
        measure = QFontMetrics(ui_font(t.SMALL_PX))
        text = measure.horizontalAdvance(self.words.name)
        text += 8 + measure.horizontalAdvance(self.words.about)
        return min(text + scaled(t.SMALL_ICON) + scale_height(22) + 24, scale_height(self.WIDEST))

    def fit_description(self, room: int) -> str:
        wide = QFontMetrics(ui_font(t.SMALL_PX)).horizontalAdvance
        fits = wide(self.words.name) + 8 + wide(self.words.about) <= room
        return self.words.about if fits else self.words.tokens or self.words.about

    def preferred_height(self) -> int:
        return scale_height(self.PICTURE if self.words.is_image else self.HEIGHT)

    def fit_width(self, max_width: int) -> None:
        width, height = min(self.preferred_width(), max_width), self.preferred_height()
        self.resize(width, height)
        side = self.remove.width()
        if self.words.is_image:
            self.remove.move(width - side - 1, 1)
        else:
            self.remove.move(width - side - 4, (height - side) // 2)
        mirror_children(self, self.remove)

    def paintEvent(self, event: QPaintEvent) -> None:
        tokens, words = theme().tokens, self.words
        row = RowPainter.for_widget(self, 7, scale_height(22) + 8)
        if words.is_image:
            self._paint_image(row.painter)
            return
        edge = QPen(QColor(tokens.danger if words.too_much else tokens.outline))
        row.painter.setPen(focus_pen() if self.hasFocus() else edge)
        row.painter.setBrush(QColor(tokens.hover if self.underMouse() else tokens.surface))
        row.painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), 8, 8)
        row.icon("chat-circle" if words.chat else "file", tokens.muted, 5)
        row.painter.setFont(ui_font(t.SMALL_PX))
        room = row.line.width()
        description = self.fit_description(room)
        # The name is more important than the size.
        wide = row.painter.fontMetrics().horizontalAdvance(description)
        name_width, elide = max(room - wide - 8, room * 2 // 3), Qt.TextElideMode.ElideMiddle
        row.text(words.name, tokens.text, 8, elide=elide, most=name_width)
        row.text(description, tokens.danger if words.too_much else tokens.muted)

    def _paint_image(self, painter: QPainter) -> None:
        tokens, area = theme().tokens, QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5)
        page = page_of(self.words.attachment) if self.words.attachment is not None else ""
        paint_small(painter, area, self.words.thumbnail, page)
        painter.setPen(focus_pen() if self.hasFocus() else QPen(QColor(tokens.outline)))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(area, 8, 8)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(tokens.surface))  # keep the remove button legible on any image
        painter.drawEllipse(QRectF(self.remove.geometry()).adjusted(2, 2, -2, -2))


class FileChips(QWidget):
    """Chips of a message's files, wrapped into lines."""

    GAP = 6
    remove_requested = Signal(object)  # (words)
    menu_requested = Signal(object, object)  # (words, chip)

    def __init__(self, before: QWidget, parent: QWidget) -> None:
        """The chips follow ``before`` in the tab order."""
        super().__init__(parent)
        self._before = before
        self.chips: list[FileChip] = []
        # offered if the files are too long
        self.choose = make_link(self, tr("Choose What to Send…"))
        self.choose.setCursor(Qt.CursorShape.PointingHandCursor)
        self.choose.hide()
        self.hide()

    def show_files(self, files: Sequence[ChipWords]) -> None:
        """Show these files. Existing chips are reused and keep their focus."""
        focused = next((n for n, chip in enumerate(self.chips) if chip.hasFocus()), None)
        chips_by_key = {_chip_key(chip.words): chip for chip in self.chips}
        keys = [(_chip_key(words), words) for words in files]
        self.chips = [
            chips_by_key.pop(k) if k in chips_by_key else self._make_chip(words)
            for k, words in keys
        ]
        for chip in chips_by_key.values():
            chip.hide()
            chip.deleteLater()
        last = self._before
        for chip, words in zip(self.chips, files, strict=True):
            chip.set_words(words)
            chip.show()
            QWidget.setTabOrder(last, chip)
            last = chip
        QWidget.setTabOrder(last, self.choose)
        self.choose.setVisible(any(words.too_much for words in files))
        self.setVisible(bool(files))
        if focused is not None and not any(chip.hasFocus() for chip in self.chips):
            next_one = self.chips[min(focused, len(self.chips) - 1)] if self.chips else self._before
            next_one.setFocus()

    def arrange(self, width: int) -> int:
        """Lay out the chips within a width and return their height, or 0 without chips."""
        if not self.chips:
            return 0
        for chip in self.chips:
            chip.fit_width(width)
        self.choose.adjustSize()
        images = [chip for chip in self.chips if chip.words.is_image]
        placed = self.chips if self.choose.isHidden() else [*self.chips, self.choose]
        y = -self.GAP
        # Keep images and other files on separate lines.
        for _, line in groupby(placed, images.__contains__):
            y = place_in_lines(self, [*line], y + self.GAP, width, self.GAP)
        return y

    def _make_chip(self, words: ChipWords) -> FileChip:
        chip = FileChip(words, self)
        chip.remove_requested.connect(lambda: self.remove_requested.emit(chip.words))
        chip.clicked.connect(lambda: self.menu_requested.emit(chip.words, chip))
        return chip


def _chip_key(words: ChipWords) -> tuple[str, str]:
    """Return a key that stays the same when the user chooses other parts of the file."""
    return words.name, words.attachment.hash if words.attachment is not None else words.follows
