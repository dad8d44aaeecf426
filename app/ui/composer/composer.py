from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from math import ceil, inf
from pathlib import Path

from PySide6.QtCore import QBuffer, QEvent, QIODevice, QMimeData, QRectF, QSize, Qt, Signal, Slot
from PySide6.QtGui import (
    QColor,
    QContextMenuEvent,
    QFocusEvent,
    QFontMetrics,
    QGuiApplication,
    QImage,
    QInputMethodEvent,
    QKeyEvent,
    QKeySequence,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
    QTextCursor,
)
from PySide6.QtWidgets import QCheckBox, QFrame, QTextEdit, QWidget

from app.chats.token_count import CountedTokens
from app.chats.turn import ComposerContent, MessageEdit
from app.settings.language import counted, number, tr
from app.settings.settings import Settings
from app.ui.composer.file_chips import ChipWords, FileChips
from app.ui.style import tokens as t
from app.ui.style.theme import focus_pen, scale_height, theme, ui_font
from app.ui.widgets.buttons import IconButton, RoundButton
from app.ui.widgets.labels import make_link
from app.ui.widgets.layout_helpers import SPRING, make_row_layout
from app.ui.widgets.widget_behavior import (
    announce,
    escape_tooltip,
    is_part_visible,
    mirror_area,
    mirror_children,
    show_if,
    to_native_keys,
)

MOST_CHARACTERS = 1_000_000
"""Maximum length of a message.

Laying out that much text blocks the GUI thread for about a second. The longest contexts hold only
four times as much.
"""


MOST_PASTED = 8_000_000  # longest text that can be pasted and attached as a file

_START = QKeySequence.StandardKey.MoveToStartOfDocument
_END = QKeySequence.StandardKey.MoveToEndOfDocument


class ComposerText(QTextEdit):
    """Text field in which Enter sends and Shift+Enter inserts a line break.

    Ctrl+Enter interrupts the reply and sends. If Ctrl+Enter sends, Ctrl+Shift+Enter interrupts.
    """

    submitted = Signal()  # Enter (or the configured keys)
    interrupt_requested = Signal()
    edit_last_requested = Signal()  # Up in an empty field
    # (pages), -inf or inf for the start or end of the transcript
    page_scrolled = Signal(float)
    preedit_changed = Signal()
    text_rejected = Signal(str)  # (reason), because the text is too long
    files_inserted = Signal(list)  # (paths), pasted or dropped
    image_inserted = Signal(bytes)  # (file contents), pasted or dropped
    long_text_pasted = Signal(str)  # (text), long enough to become a file
    focus_changed = Signal()

    def __init__(self, settings: Settings, parent: QWidget) -> None:
        super().__init__(parent)
        self._settings = settings
        # Shows a context menu and returns True, or returns False for the default menu.
        self.open_menu: Callable[[QContextMenuEvent], bool] | None = None
        self.preedit = ""  # text that an input method is still composing
        self.setAcceptRichText(False)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.apply_font()
        self.document().setDocumentMargin(0)
        self.viewport().setAutoFillBackground(False)
        self.setTabChangesFocus(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setAccessibleName(tr("Message"))
        self.document().clearUndoRedoStacks()  # setting the margin counts as an undo step in Qt

    def apply_font(self) -> None:
        font = ui_font(theme().body_px)
        self.setFont(font)
        self.viewport().setFont(font)  # used by the placeholder

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        # Qt resets the font when a pane is moved to another parent.
        if event.type() == QEvent.Type.StyleChange:
            self.apply_font()

    def event(self, event: QEvent) -> bool:
        if (
            event.type() == QEvent.Type.ShortcutOverride
            and isinstance(event, QKeyEvent)
            and event.matches(QKeySequence.StandardKey.Undo)
            and not self.document().isUndoAvailable()
        ):
            # No typing is left to undo, so leave the key to the window's Undo command, which undoes
            # the action in the toast.
            event.ignore()
            return False
        return super().event(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.focus_changed.emit()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.focus_changed.emit()

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        if self.open_menu is None or not self.open_menu(event):
            super().contextMenuEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = event.key()
        if key in {Qt.Key.Key_Return, Qt.Key.Key_Enter}:
            self._enter(event)
        elif key == Qt.Key.Key_Up and not self.toPlainText() and not event.modifiers():
            self.edit_last_requested.emit()
        elif key in {Qt.Key.Key_PageUp, Qt.Key.Key_PageDown}:
            self.page_scrolled.emit(-0.9 if key == Qt.Key.Key_PageUp else 0.9)
        elif key == Qt.Key.Key_Escape:
            event.ignore()
        elif event.matches(_END) and not self.toPlainText():
            self.page_scrolled.emit(inf)
        elif event.matches(_START) and not self.toPlainText():
            self.page_scrolled.emit(-inf)
        else:
            super().keyPressEvent(event)

    def _enter(self, event: QKeyEvent) -> None:
        if self._enter_steers(event):
            self.interrupt_requested.emit()
        elif enter_sends(event, self._settings):
            self.submitted.emit()
        else:
            # Qt would insert a line separator for Shift+Enter.
            self.textCursor().insertBlock()
            self.ensureCursorVisible()

    def _enter_steers(self, event: QKeyEvent) -> bool:
        modifiers = Qt.KeyboardModifier.ControlModifier
        if self.sends_with_ctrl:
            modifiers |= Qt.KeyboardModifier.ShiftModifier
        return event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier == modifiers

    @property
    def sends_with_ctrl(self) -> bool:
        return self._settings.send_key == "ctrl_enter"

    @property
    def steering_keys(self) -> str:
        return to_native_keys("Ctrl+Shift+Enter" if self.sends_with_ctrl else "Ctrl+Enter")

    def commit_preedit(self) -> None:
        QGuiApplication.inputMethod().commit()
        if self.preedit:  # the input method didn't respond
            event = QInputMethodEvent()
            event.setCommitString(self.preedit)
            self.inputMethodEvent(event)

    def inputMethodEvent(self, event: QInputMethodEvent) -> None:
        super().inputMethodEvent(event)
        self.preedit = event.preeditString()
        self.preedit_changed.emit()

    def canInsertFromMimeData(self, source: QMimeData) -> bool:
        return source.hasText() or has_image(source) or bool(paths_in(source))

    def insertFromMimeData(self, source: QMimeData) -> None:
        length = len(source.text())
        if files := paths_in(source):  # otherwise we'd insert text like "file:///…"
            self.files_inserted.emit(files)
        elif not length and (image := image_in(source)):
            self.image_inserted.emit(image)
        elif 0 < self._settings.long_paste < length <= MOST_PASTED:
            self.long_text_pasted.emit(source.text())
        elif length + self.document().characterCount() > MOST_CHARACTERS:
            self.text_rejected.emit(
                counted(
                    "The text is %Ln characters long. A message takes {most}.",
                    "The text is %Ln characters long. A message takes {most}.",
                    length,
                    most=number(MOST_CHARACTERS),
                )
            )
        else:
            super().insertFromMimeData(source)


def enter_sends(event: QKeyEvent, settings: Settings) -> bool:
    modifiers = event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
    if settings.send_key == "ctrl_enter":
        return modifiers == Qt.KeyboardModifier.ControlModifier
    return not modifiers & Qt.KeyboardModifier.ShiftModifier


def paths_in(source: QMimeData) -> list[Path]:
    return [Path(url.toLocalFile()) for url in source.urls() if url.isLocalFile()]


_KINDS = ("image/png", "image/jpeg", "image/webp", "image/gif", "image/tiff", "image/bmp")


def has_image(source: QMimeData) -> bool:
    return source.hasImage() or any(map(source.hasFormat, _KINDS))


def image_in(source: QMimeData) -> bytes:
    """Return the image as the contents of a file, or b"" if there's none.

    Formats that aren't in `_KINDS` become PNG.
    """
    for kind in _KINDS:
        if source.hasFormat(kind) and (data := source.data(kind).data()):
            return bytes(data)
    image = source.imageData() if source.hasImage() else None
    if not isinstance(image, QImage) or image.isNull():
        return b""
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    image.save(buffer, "PNG", 80)  # type: ignore[call-overload]  # little compression, fast
    return bytes(buffer.data().data())


def _wrap_mode(metrics: QFontMetrics, words: str, width: int) -> Qt.TextFlag:
    fits = all(metrics.horizontalAdvance(word) <= width for word in words.split())
    return Qt.TextFlag.TextWordWrap if fits else Qt.TextFlag.TextWrapAnywhere


class BroadcastLine(QWidget):
    """Line above a broadcast message with its recipients and a check box to keep broadcasting."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setCursor(Qt.CursorShape.ArrowCursor)
        self._words = ""
        self.whom = make_link(self)
        self.whom.setCursor(Qt.CursorShape.PointingHandCursor)
        self.keep = QCheckBox(tr("Keep Broadcast On"), self)
        self.keep.setToolTip(tr("Broadcast later messages too"))
        make_row_layout(self.whom, SPRING, self.keep, of=self)
        self.hide()

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._fit()

    def _fit(self) -> None:
        """Elide the recipients. Hide the check box if it doesn't fit. The menu has it too."""
        self.whom.setText(self._words)
        label_width, room = self.whom.sizeHint().width(), self.width()
        self.keep.setVisible(label_width + 8 + self.keep.sizeHint().width() <= room)
        if label_width > room:
            metrics, end = self.whom.fontMetrics(), Qt.TextElideMode.ElideRight
            sides = label_width - metrics.horizontalAdvance(self._words)
            self.whom.setText(metrics.elidedText(self._words, end, room - sides))

    def show_audience(self, words: str, names: str, *, is_kept: bool) -> None:
        self._words = words
        self.whom.setToolTip(escape_tooltip(f"{words}\n{names}"))
        self.whom.setAccessibleDescription(names)
        self.keep.setChecked(is_kept)
        self._fit()


class Composer(QWidget):
    """Message field with buttons, and a note above it while the user edits an old message.

    The composer reports user actions and shows state. The chat makes all decisions.
    """

    # In pixels.
    EDGE = 16  # between the frame and the text
    TEXT_PADDING = 26  # above and below the text, in total
    PAD = 8  # around the buttons
    NOTE = 30  # height of the note shown while the user edits a message
    FOOT = 18  # least height of the line below the text, at normal text size
    MUCH = 0.5  # show the token count if the message takes up more than this share of the context

    stop_requested = Signal()  # stop the reply
    changed = Signal(str)
    recipients_requested = Signal()  # choose recipients
    # (on): keep broadcasting after this message
    broadcast_pin_changed = Signal(bool)

    def __init__(self, settings: Settings, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.is_quick_question = False  # its window has no compare or broadcast
        self._broadcast_available = False
        self._setting_text = False  # the chat is setting the text, so don't report it back
        self._why_not = ""
        self.tinted = False
        self._limit = 240
        self._edit_note = self._remote_note = self._hint = self._placeholder = ""
        self._count: CountedTokens | None = None
        self.field = ComposerText(settings, self)
        self.setAccessibleName(tr("New message"))
        self.chips = FileChips(self.field, self)
        # in the order from left to right, which is the tab order
        self.broadcast_button = IconButton("broadcast", "", self)
        self.broadcast_button.setCheckable(True)
        self.broadcast_button.hide()
        self.compare = IconButton("scales", tr("Compare…  Ctrl+Alt+C"), self)
        self.attach = IconButton("paperclip", tr("Attach Files…  Ctrl+Shift+A"), self)
        self.button = RoundButton(self)
        self.cancel_edit = IconButton("x", tr("Cancel Edit  Esc"), self, side=24)
        self.cancel_edit.hide()
        self._dropping = False
        self.setFocusProxy(self.field)
        self.setCursor(Qt.CursorShape.IBeamCursor)
        self.button.setCursor(Qt.CursorShape.ArrowCursor)
        self.field.preedit_changed.connect(self._show_button)
        self.field.textChanged.connect(self._on_text)
        self.field.focus_changed.connect(self.update)
        self.button.clicked.connect(self._on_button)
        theme().changed.connect(self._on_theme)
        self._fit()

    @cached_property
    def broadcast_line(self) -> BroadcastLine:
        line = BroadcastLine(self)
        # Otherwise, this widget would be the last in the tab order.
        self.setTabOrder(self.cancel_edit, line.whom)
        self.setTabOrder(line.whom, line.keep)
        line.whom.clicked.connect(self.recipients_requested)
        line.keep.clicked.connect(self.broadcast_pin_changed)
        return line

    @property
    def text(self) -> str:
        return self.field.toPlainText()

    @property
    def editing(self) -> bool:
        return bool(self._edit_note)

    def set_text(self, text: str) -> None:
        self.field.setPlainText(text)
        self.field.moveCursor(QTextCursor.MoveOperation.End)

    def set_words(self, placeholder: str, leaving: str = "") -> None:
        """Set the placeholder and, for remote models, a note about the server that gets the
        text.
        """
        if (placeholder, leaving) != (self._placeholder, self._remote_note):
            self._placeholder, self._remote_note = placeholder, leaving
            self._show_foot()

    def show_compose(self, compose: ComposerContent, *, queued: bool = False) -> None:
        editing = isinstance(compose, MessageEdit)
        note = tr("Editing a queued message.") if queued else tr("Editing. The original is kept.")
        self._edit_note = note if editing else ""
        self.cancel_edit.setVisible(editing)
        if compose.text != self.text:
            self._setting_text = True
            self.set_text(compose.text)
            self._setting_text = False
        self._fit()

    def show_turn(self, *, stops: bool, why_not: str, hint: str = "") -> None:
        """Show whether the button sends or stops, and why it's disabled.

        ``hint`` below the text says what the user must do before sending.
        """
        if stops != self.button.stops:
            self.button.set_stops(stops)
        self._why_not = why_not
        if hint != self._hint:
            self._hint = hint
            self._show_foot()
        self._show_button()

    def show_count(self, count: CountedTokens | None) -> None:
        """Show the prompt's token count, in the tooltip if it's small."""
        if count == self._count:  # the count is cleared whenever the chat changes
            return
        fitted = self._count is None or self._count.fits
        self._count = count
        self._show_foot()
        if fitted and count is not None and not count.fits:
            announce(self.field, count.as_text)

    def _show_foot(self) -> None:
        self.field.setAccessibleDescription(self.foot)
        self._show_button()
        self._fit()

    @property
    def foot(self) -> str:
        count = self._count
        is_high = count is not None and (count.used_fraction > self.MUCH or count.slid)
        much = count.as_text if count is not None and is_high else ""
        return self._hint or " ".join(filter(None, (self._remote_note, much)))

    def show_files(self, files: Sequence[ChipWords]) -> None:
        self.chips.show_files(files)
        self._fit()

    def set_dropping(self, dropping: bool) -> None:
        self._dropping = dropping
        self.update()

    def set_broadcast(self, on: bool, receives: bool, *, offered: bool) -> None:
        """Update the broadcast button.

        ``receives``: this chat receives broadcasts. ``offered``: there is a chat to broadcast to.
        """
        self._broadcast_available = on or offered
        self.broadcast_button.setVisible(self._broadcast_available and not self.is_quick_question)
        self.broadcast_button.setChecked(on and receives)
        off, join = tr("Broadcast  Ctrl+Shift+B"), tr("Join Broadcast  Ctrl+Alt+B")
        self.broadcast_button.set_icon("broadcast", join if on and not receives else off)
        self.tinted = on and receives
        self._fit()

    def set_quick_question(self, on: bool) -> None:
        self.is_quick_question = on
        self.broadcast_button.setVisible(self._broadcast_available and not on)
        self._fit()

    def set_limit(self, height: int) -> None:
        self._limit = max(height, 80)
        self._fit()

    def sizeHint(self) -> QSize:
        return QSize(300, self.height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._fit()

    def paintEvent(self, event: QPaintEvent) -> None:
        tokens = theme().tokens
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        ground = tokens.broadcast if self.tinted else tokens.raised
        painter.setBrush(QColor(tokens.accent_quiet if self._dropping else ground))
        painter.setPen(focus_pen() if self.field.hasFocus() else QPen(QColor(tokens.outline)))
        painter.drawRoundedRect(
            QRectF(self.rect()).adjusted(1, 1, -1, -1), t.RADIUS + 4, t.RADIUS + 4
        )
        if self._edit_note:
            painter.setFont(ui_font(t.SMALL_PX))
            painter.setPen(QColor(tokens.muted))
            area = mirror_area(self, QRectF(self.EDGE, 6, self.width() - 60, self.NOTE - 4))
            metrics = painter.fontMetrics()
            fits = metrics.horizontalAdvance(self._edit_note) <= area.width()
            words = self._edit_note if fits else tr("Editing your message")
            painter.drawText(area, Qt.AlignmentFlag.AlignVCenter, words)
        if self.foot:
            fits = self._count is None or self._count.fits
            painter.setFont(ui_font(t.SMALL_PX))
            painter.setPen(QColor(tokens.muted if fits else tokens.danger))
            width = self.field.width()
            foot = self._foot_height(width)
            area = QRectF(self.EDGE, self.height() - foot - 7, width, foot)
            flags = _wrap_mode(painter.fontMetrics(), self.foot, width)
            centered = Qt.AlignmentFlag.AlignVCenter
            painter.drawText(mirror_area(self, area), centered | flags, self.foot)

    def _foot_height(self, width: int) -> int:
        """Return the height of the whole text below the field, which may be a warning."""
        if not self.foot:
            return 0
        metrics = QFontMetrics(ui_font(t.SMALL_PX))
        flags = _wrap_mode(metrics, self.foot, width)
        text_height = metrics.boundingRect(0, 0, width, 1000, flags, self.foot).height()
        return max(scale_height(self.FOOT), text_height)

    def _fit(self) -> None:
        width = self.width()
        button = RoundButton.SIDE
        self.compare.setVisible(width >= t.NARROW and not self.is_quick_question)
        visible_buttons = [
            b for b in (self.attach, self.compare, self.broadcast_button) if not b.isHidden()
        ]
        buttons = button + 2 * self.PAD + sum(b.width() + 4 for b in visible_buttons)
        inner = max(40, width - self.EDGE - buttons)
        top, foot = self._arrange_top(width), self._foot_height(inner)
        text_height = self._fit_text(inner, self._limit - top - foot - self.TEXT_PADDING)
        height = top + max(text_height + self.TEXT_PADDING, button + 2 * self.PAD) + foot
        inset = (height - top - foot - text_height) // 2
        self.field.setGeometry(self.EDGE, top + inset, inner, text_height)
        self.button.move(width - button - self.PAD, height - button - self.PAD)
        middle = height - self.PAD - (button + self.attach.height()) // 2
        width_left = width - button - self.PAD
        for visible_button in visible_buttons:
            width_left -= visible_button.width() + 4
            visible_button.move(width_left, middle)
        self.cancel_edit.move(width - 24 - 12, 6)
        above = [self.broadcast_line] if is_part_visible(self, "broadcast_line") else []
        mirror_children(self, self.field, self.button, *visible_buttons, *above, self.cancel_edit)
        if height != self.height():
            self.setFixedHeight(height)
        self.update()

    def _arrange_top(self, width: int) -> int:
        """Place the broadcast line and the files above the text. Return their height."""
        broadcasts = self.tinted and not self._edit_note
        show_if(self, "broadcast_line", broadcasts)
        top = self.NOTE if self._edit_note else 0
        if broadcasts:  # only then, because sizing is slow and this runs on every key press
            line = max(self.NOTE - 6, self.broadcast_line.whom.sizeHint().height())
            self.broadcast_line.setGeometry(12, 6, width - 24, line)
            top = line + 4
        files = self.chips.arrange(width - 2 * self.EDGE)
        self.chips.setGeometry(self.EDGE, top + 12, width - 2 * self.EDGE, files)
        return top + files + 8 if files else top

    def _fit_text(self, width: int, room: int) -> int:
        """Lay out the text, which scrolls if it is higher than ``room``. Return its height."""
        metrics, document = self.field.fontMetrics(), self.field.document()
        fits = metrics.horizontalAdvance(self._placeholder) <= width
        placeholder = self._placeholder if fits else tr("Message…")
        self.field.setPlaceholderText(placeholder)
        document.setTextWidth(width)
        line = metrics.lineSpacing()
        if document.isEmpty():  # the placeholder may use a taller fallback font
            line = max(line, metrics.boundingRect(placeholder).height())
        height = max(ceil(document.size().height()), line)
        room = max(line, room)  # keep one line, even with many images
        on, off = Qt.ScrollBarPolicy.ScrollBarAsNeeded, Qt.ScrollBarPolicy.ScrollBarAlwaysOff
        self.field.setVerticalScrollBarPolicy(on if height > room else off)
        return min(height, room)

    @Slot()
    def _on_text(self) -> None:
        self._fit()
        if not self._setting_text:
            self.changed.emit(self.text)

    @Slot()
    def _show_button(self) -> None:
        # Preedit text isn't part of the draft yet, but sending commits it.
        has_preedit = bool(self.field.preedit) and not self.button.stops
        reason = "" if has_preedit else self._why_not
        self.button.setEnabled(not reason)
        send = (
            to_native_keys("Ctrl+Enter") if self.field.sends_with_ctrl else tr("Enter", "the key")
        )
        words = tr("Stop  Esc") if self.button.stops else tr("Send  {keys}", keys=send)
        if self._count is not None and not self.button.stops:
            words += f"\n{self._count.as_text}"
        self.button.setToolTip(reason or words)

    @Slot()
    def _on_button(self) -> None:
        if self.button.stops:
            self.stop_requested.emit()
        else:
            self.field.commit_preedit()
            self.field.submitted.emit()

    @Slot()
    def _on_theme(self) -> None:
        self.field.apply_font()
        self._fit()
