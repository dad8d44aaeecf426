from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import Enum, auto
from functools import partial
from typing import TYPE_CHECKING, Protocol

from msgspec import Struct
from PySide6.QtCore import (
    QEvent,
    QObject,
    QPoint,
    QRectF,
    QSize,
    Qt,
    Signal,
    Slot,
)
from PySide6.QtGui import (
    QAccessible,
    QColor,
    QEnterEvent,
    QFocusEvent,
    QFont,
    QFontMetrics,
    QGuiApplication,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QTextDocument,
)
from PySide6.QtWidgets import QAbstractButton, QMenu, QWidget

from app import flows
from app.chats.actions import Action, is_repetitive
from app.chats.attached_images import AttachedImages
from app.chats.attachment_texts import describe_file, describe_used_part, displayed_pages, page_of
from app.chats.file_attacher import FileAttacher
from app.chats.panel import heading_of
from app.chats.tool_call import result_of
from app.settings.language import counted, mark, tr
from app.store import AttachedText, Attachment, Attachments, Message
from app.store.index import displayed_text
from app.ui.style import tokens as t
from app.ui.style.figures import figures_line
from app.ui.style.theme import focus_pen, scale_height, scaled, theme, ui_font
from app.ui.widgets.buttons import IconButton, PaintedButton
from app.ui.widgets.picture_sheet import PictureSheet, paint_small
from app.ui.widgets.row_painter import RowPainter
from app.ui.widgets.textview import TextView, Words
from app.ui.widgets.widget_behavior import (
    caret_icon_name,
    escape_tooltip,
    mirror_area,
    place_in_lines,
)

if TYPE_CHECKING:
    from app.markdown import MarkdownDocument

MOST_SHOWN = 20_000
"""Characters of a result that are shown. Copying, searching and sending aren't limited."""
MOST_LAID_OUT = 1_000_000
"""Characters of a message that are shown, as many as the user can type.

Imported messages can be longer, but laying them out would block for minutes. Copying and exporting
aren't limited.
"""
_MAX_NAME_CHARACTERS = 500  # limit for accessible names
_STATES = {
    "streaming": mark("replying"),
    "cancelled": mark("stopped"),
    "interrupted": mark("interrupted"),
    "error": mark("failed"),
}


def author_of(message: Message) -> str:
    return tr("You") if message.role == "user" else heading_of(message) or tr("Model")


def state_text(message: Message) -> str:
    """Return a reply's state in a word or two, or "" for a complete reply."""
    if is_repetitive(message):
        return tr(_STATES["cancelled"])
    if message.status == "complete" and message.stats.get("reason") == "length":
        return tr("length limit reached")
    if message.status == "complete" and message.stats.get("reason") == "memory":
        return tr("memory full")
    if message.status == "complete" and message.stats.get("reason") == "unstated":
        return tr("may be incomplete")
    return tr(_STATES[message.status]) if message.status in _STATES else ""


def row_name(message: Message) -> str:
    """Return the accessible name, e.g. "Guide, stopped: A river is"."""
    head = ", ".join(filter(None, (author_of(message), state_text(message))))
    if message.status == "streaming":
        return head
    if message.role == "tool":  # skip the text meant for the model
        text = result_of(message)[:_MAX_NAME_CHARACTERS]
        return f"{head}: {text.strip()}" if text else head
    text = message.content[:_MAX_NAME_CHARACTERS]
    if QAccessible.isActive():  # computing names is slow, and rows are created while scrolling
        text = displayed_text(text, message.role)
    words = "\n".join(filter(None, (text.strip(), message.error)))
    return f"{head}: {words}" if words else head


def row_description(message: Message, version: tuple[int, int], note: str = "") -> str:
    files = dict.fromkeys(file.name for file in message.attachments)
    parts = [tr("attached: {name}", name=name) for name in files]
    number, count = version
    if count > 1:
        parts.append(tr("version {number} of {count}", number=number, count=count))
    figures = figures_line(message.stats).replace(" · ", ", ")
    return ", ".join([*parts, *filter(None, (note, figures))])


def truncate_text(text: str, limit: int = MOST_SHOWN, before: str = "\n") -> str:
    excess = len(text) - limit
    if excess <= 0:
        return text
    rest = counted("… %Ln more character", "… %Ln more characters", excess)
    return f"{text[:limit]}{before}{rest}"


_PAGES = {
    "slide": mark("Slide {number}"),
    "sheet": mark("Sheet {number}"),
    "chapter": mark("Chapter {number}"),
    "message": mark("Message {number}"),
}
_SPEAKERS = {"user": mark("You"), "assistant": mark("Model")}
_MAX_FILE_CHARACTERS = 60_000


class FileLine(PaintedButton):
    """Name, type and part of an attached file. A click shows the text, or opens an attached chat.

    The arrow or an arrow key shows the text of an attached chat.
    """

    HEIGHT = 26
    folding_changed = Signal()  # the row was expanded or collapsed
    chat_requested = Signal(str)  # (chat ID)

    def __init__(self, attachment: Attachment, parent: QWidget) -> None:
        super().__init__(parent)
        self.attachment = attachment
        self.setCheckable(not attachment.is_sound)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        if self.isCheckable():
            self.setCursor(Qt.CursorShape.PointingHandCursor)
        part = describe_used_part(attachment)
        self._about = f"{describe_file(attachment)}, {part}" if part else describe_file(attachment)
        self._click_folds = not attachment.chat
        self.clicked.connect(self._on_clicked)
        if attachment.chat:
            name = tr("Chat {name}, {about}", name=attachment.name, about=self._about)
            words = tr("Enter opens the chat, Right shows the text sent to the model")
            self.setAccessibleDescription(words)
            does = [tr("Open Chat")]
        else:
            name = tr("File {name}, {about}", name=attachment.name, about=self._about)
            does = [tr("Show Text Sent to the Model")] if self.isCheckable() else []
        self.setAccessibleName(name)
        self.setToolTip(escape_tooltip("\n".join((attachment.name, self._about, *does))))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if self.attachment.chat:
            end = mirror_area(self, QRectF(self.width() - 24, 0, 24, self.height()))
            self._click_folds = end.contains(event.position())
        super().mousePressEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if self.attachment.chat and event.key() in {Qt.Key.Key_Left, Qt.Key.Key_Right}:
            self.setChecked(event.key() == Qt.Key.Key_Right)
            self.folding_changed.emit()
            return
        self._click_folds = not self.attachment.chat
        super().keyPressEvent(event)

    def nextCheckState(self) -> None:
        if self._click_folds:
            super().nextCheckState()

    @Slot()
    def _on_clicked(self) -> None:
        if self._click_folds:
            self.folding_changed.emit()
        else:
            self.chat_requested.emit(self.attachment.chat)

    def sizeHint(self) -> QSize:
        measure = QFontMetrics(ui_font(t.SMALL_PX))
        text = measure.horizontalAdvance(self.attachment.name)
        text += 8 + measure.horizontalAdvance(self._about)
        return QSize(text + scaled(t.SMALL_ICON) + scaled(12) + 20, scale_height(self.HEIGHT))

    def fit_description(self, room: int) -> str:
        """Shorten the description until it fits, e.g. "PDF" instead of "PDF, 12 pages"."""
        words, measure = self._about, QFontMetrics(ui_font(t.SMALL_PX))
        while ", " in words and measure.horizontalAdvance(words) >= room:  # text widths are rounded
            words = words.rpartition(", ")[0]
        return measure.elidedText(words, Qt.TextElideMode.ElideRight, room)

    def paintEvent(self, event: QPaintEvent) -> None:
        row, tokens = RowPainter.for_widget(self, 0, 4), theme().tokens
        row.ground(row.inner(), ring=self.hasFocus())
        row.icon("chat-circle" if self.attachment.chat else "file", tokens.muted, 4)
        if self.isCheckable():
            row.caret(tokens.muted, 8, unfolded=self.isChecked(), end=True)
        # Give the name priority. The tooltip shows the rest.
        elide = Qt.TextElideMode.ElideMiddle
        row.text(self.attachment.name, tokens.text, 8, font=ui_font(t.SMALL_PX), elide=elide)
        color = tokens.text if self.underMouse() else tokens.muted
        row.text(self.fit_description(row.line.width()), color)


class SmallPicture(PaintedButton):
    HEIGHT, NARROWEST = 160, 48

    def __init__(self, attachment: Attachment, parent: QWidget) -> None:
        super().__init__(parent)
        self.attachment = attachment
        self._thumbnail = b""
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        name, words = attachment.name, describe_file(attachment)
        self.setAccessibleName(tr("Image {name}, {about}", name=name, about=words))
        self.setToolTip(f"{name}\n{words}")

    def set_thumbnail(self, thumbnail: bytes) -> None:
        self._thumbnail = thumbnail
        self.update()

    def size_in(self, width: int) -> QSize:
        wide, high = self.attachment.width, self.attachment.height
        height = min(high, scale_height(self.HEIGHT))
        scaled_width = round(height * min(wide / high, 4.0))
        if scaled_width > width:
            scaled_width, height = width, round(height * width / scaled_width)
        min_size = scale_height(self.NARROWEST)
        return QSize(max(scaled_width, min_size), max(height, min_size))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        area = QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5)
        paint_small(painter, area, self._thumbnail, page_of(self.attachment))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        over = QColor(theme().tokens.muted if self.underMouse() else theme().tokens.outline)
        painter.setPen(focus_pen() if self.hasFocus() else over)
        painter.drawRoundedRect(area, 8, 8)


def show_picture(images: AttachedImages, attachment: Attachment, over: QWidget) -> None:
    screen = over.screen().size() * over.devicePixelRatioF()
    read = partial(images.pixels, attachment, screen.width() * screen.height())
    size = QSize(attachment.width, attachment.height)
    PictureSheet(attachment.name, describe_file(attachment), size, read, over.window()).open()


class AttachedFiles(QWidget):
    """Attached files of a message: thumbnails side by side, other files on a line each."""

    GAP = 6
    folding_changed = Signal()  # the user expanded or collapsed a file
    resized = Signal()  # the height that `arrange` returns has changed
    picture_requested = Signal(object)  # (attachment)
    chat_requested = Signal(str)  # (chat ID)

    def __init__(self, attachments: Attachments, parent: QWidget) -> None:
        super().__init__(parent)
        self._attacher: FileAttacher | None = None
        self.lines = [FileLine(file, self) for file in attachments if not file.is_image]
        self.pictures = [SmallPicture(file, self) for file in attachments if file.is_image]
        for picture in self.pictures:
            picture.clicked.connect(partial(self.picture_requested.emit, picture.attachment))
        self._views: dict[FileLine, TextView] = {}
        for line in self.lines:
            line.folding_changed.connect(self.folding_changed)
            line.folding_changed.connect(self.resized)
            line.chat_requested.connect(self.chat_requested)

    def set_source(self, attacher: FileAttacher) -> None:
        self._attacher = attacher
        if self.pictures:
            attacher.images.thumbnail_read.connect(self._on_thumbnail)
        for picture in self.pictures:
            picture.set_thumbnail(attacher.images.thumbnail(picture.attachment))

    @Slot(str)
    def _on_thumbnail(self, key: str) -> None:
        for picture in self.pictures:
            if self._attacher is not None and picture.attachment.hash == key:
                picture.set_thumbnail(self._attacher.images.thumbnail(picture.attachment))

    def unfold_found(self, words: Callable[[str], Sequence[tuple[int, int]]], besides: str) -> None:
        """Expand the file with the most distinct matches, unless the message has as many.

        ``words`` finds the matches in a text, and ``besides`` is the message's own text.
        """
        flows.start(self, self._unfold_found(words, besides))

    async def _unfold_found(
        self, words: Callable[[str], Sequence[tuple[int, int]]], besides: str
    ) -> None:
        best_count, best, its = _distinct_matches(words, besides), None, ""
        for line in filter(FileLine.isCheckable, self.lines):
            text = await self._text(line)
            if (number := _distinct_matches(words, text)) > best_count:
                best_count, best, its = number, line, text
        if best is not None and not best.isChecked():
            best.setChecked(True)
            self._view(best, its).highlight(words)
            self.resized.emit()

    def preferred_width(self) -> int:
        widths = [picture.size_in(10_000).width() for picture in self.pictures]
        width = sum(widths) + self.GAP * (len(widths) - 1)
        return max([width, *(line.sizeHint().width() for line in self.lines)])

    def arrange(self, width: int) -> int:
        for picture in self.pictures:
            picture.resize(picture.size_in(width))
        y = place_in_lines(self, self.pictures, 0, width, self.GAP, centered=False)
        y += self.GAP if self.pictures and self.lines else 0
        indent = scaled(t.SMALL_ICON) + 4  # align with the names
        for line in self.lines:
            line.setGeometry(0, y, min(width, line.sizeHint().width()), line.sizeHint().height())
            y += line.height()
            view = self._view(line) if line.isChecked() else self._views.get(line)
            if view is not None:
                view.setVisible(line.isChecked())
            if view is not None and line.isChecked():
                height = view.height_for(width - indent)
                view.setGeometry(indent, y + 2, width - indent, height)
                y += height + 8
        return y

    @property
    def _font(self) -> QFont:
        return ui_font(theme().body_px - 3)

    def restyle(self) -> None:
        for view in self._views.values():
            view.document().setDefaultFont(self._font)

    def _view(self, line: FileLine, text: str | None = None) -> TextView:
        if line not in self._views:
            document = QTextDocument()
            document.setDefaultFont(self._font)
            view = self._views[line] = TextView(document, self)
            view.setAccessibleName(tr("Text of {name}", name=line.attachment.name))
            if text is None:
                flows.start(self, self._fill(line, document))
            else:
                document.setPlainText(text)
        return self._views[line]

    async def _fill(self, line: FileLine, document: QTextDocument) -> None:
        document.setPlainText(await self._text(line))
        self.resized.emit()

    async def _text(self, line: FileLine) -> str:
        file, attacher = line.attachment, self._attacher
        return display_text(file, await attacher.text(file) if attacher is not None else None)


def _distinct_matches(words: Callable[[str], Sequence[tuple[int, int]]], text: str) -> int:
    return len({text[begin:end].casefold() for begin, end in words(text)})


def display_text(attachment: Attachment, text: AttachedText | None) -> str:
    """Return a file's text as the model saw it, with page headings for the user."""
    if text is None:
        return tr("The text is no longer available.")
    pages = displayed_pages(attachment, text)
    if attachment.use == "all":
        pages = ((number, page) for number, page in enumerate(text.pages, 1) if page)
    parts, length = [], 0
    for at, page in pages:
        label = text.labels[at - 1] if at <= len(text.labels) else ""
        head = _page_heading(text.unit, at + attachment.before, label)
        parts.append(f"{head}\n{page}" if text.unit else page)
        length += len(page)
        if length > _MAX_FILE_CHARACTERS:
            return "\n\n".join(parts)[:_MAX_FILE_CHARACTERS] + "\n…\n" + tr("The rest isn’t shown.")
    return "\n\n".join(parts)


def _page_heading(unit: str, number: int, label: str) -> str:
    head = tr(_PAGES.get(unit, mark("Page {number}")), number=number)
    if unit == "message" and label in _SPEAKERS:
        label = tr(_SPEAKERS[label])
    return f"{head}: {label}" if label else head


SIDE = 24  # size of footer buttons; the footer doubles as the gap between messages
FOOTER_GAP = 20  # below a footer that is always visible
DELETE_GAP = 8  # keeps Delete away from Copy to prevent misclicks


class PaneRequest(Enum):
    """Requests of rows and of the header to their pane, which most pass on to the window."""

    SAY_COPIED = auto()  # something was copied
    CHOOSE_MODEL = auto()
    USE_BASE_MODEL = auto()  # regenerate the reply without the model's adapter
    FREE_MEMORY = auto()  # unload a model, or make this one fit
    OPEN_OPTIONS = auto()
    OPEN_TOOLS = auto()


class ShowColumn(Struct, frozen=True):
    letter: str


RowAction = Action | PaneRequest | ShowColumn


class WhyNot(Protocol):
    def __call__(self, action: Action, message_id: str, /, *, at_rest: bool = False) -> str: ...


def small_text_width(text: str) -> int:
    return QFontMetrics(ui_font(t.SMALL_PX)).horizontalAdvance(text)


class MessageRow(QWidget):
    """Base class of message rows. Footer buttons appear on hover and focus.

    The conversation is a single tab stop. `TranscriptView` focuses a message, and Tab then moves
    through the message's controls.
    """

    resized = Signal()  # the height that `arrange` returns has changed
    action_requested = Signal(object, str)  # (RowAction, message ID)
    # (forward): Tab moved past the last control, or Shift+Tab past the first
    focus_left = Signal(bool)
    # (top, bottom): this part got the focus
    focus_moved = Signal(int, int)

    def __init__(self, message: Message, why_not: WhyNot, parent: QWidget) -> None:
        super().__init__(parent)
        self.message = message
        self._why_not = why_not
        self._alternative = (1, 1)
        self._hovered = False
        self._buttons: dict[IconButton, Action] = {}
        back = caret_icon_name("caret-left", rtl=self.isRightToLeft())
        on = caret_icon_name("caret-right", rtl=self.isRightToLeft())
        self._previous = self._button(back, tr("Previous Version"), Action.EARLIER)
        self._next = self._button(on, tr("Next Version"), Action.LATER)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._name()
        theme().changed.connect(self._on_theme)

    def arrange(self, width: int) -> int:
        """Lay out for a width. Return the height."""
        raise NotImplementedError

    def set_message(self, message: Message) -> None:
        self.message = message
        self._name()

    @property
    def note(self) -> str:
        return ""

    def _name(self) -> None:
        self.setAccessibleName(row_name(self.message))
        description = row_description(self.message, self._alternative, self.note)
        self.setAccessibleDescription(description)

    def append(self, text: str, kind: str) -> None:
        """Append streamed text. Rows without a growing text ignore it."""

    def set_alternative(self, number: int, of: int) -> None:
        if self._alternative != (number, of):
            self._alternative = (number, of)
            self._name()
            self._reveal()
            self.resized.emit()

    def highlight(self, words: Words | None) -> int | None:
        tops = [
            view.mapTo(self, QPoint()).y() + top
            for view in self.findChildren(TextView)
            if (top := view.highlight(words)) is not None and view.isVisibleTo(self)
        ]
        return round(min(tops)) if tops else None

    def seek(self, words: Words, current: int = -1) -> tuple[int, int | None]:
        """Highlight matches, the current match in its own color.

        Returns the number of matches, and the top of the current match in this row.
        """
        view = self._sought_in(is_shown=current >= 0)
        if view is None:
            return 0, None
        top = view.highlight(words, current)
        return view.found, None if top is None else view.mapTo(self, QPoint()).y() + round(top)

    def _sought_in(self, *, is_shown: bool) -> TextView | None:
        return self.body

    def is_in_use(self) -> bool:
        """Return True if deleting this row would lose the user's selection or focus."""
        if self.has_keys():
            return True
        return any(view.textCursor().hasSelection() for view in self.findChildren(TextView))

    def has_keys(self) -> bool:
        focused = QGuiApplication.focusObject()
        return isinstance(focused, QWidget) and (focused is self or self.isAncestorOf(focused))

    def has_text_focus(self) -> bool:
        return isinstance(QGuiApplication.focusObject(), TextView)

    def fields(self) -> list[QWidget]:
        """Return focusable widgets that are neither buttons nor texts."""
        return []

    def move_code(self, by: int) -> None: ...

    @property
    def body(self) -> TextView | None:
        return None

    @property
    def markdown(self) -> MarkdownDocument | None:
        return None

    def pop_menu(self) -> None:
        if (body := self.body) is not None:
            at = body.visibleRegion().boundingRect().topLeft()
            body.pop_menu(at, body.mapToGlobal(at))

    def add_to_menu(self, menu: QMenu) -> None:
        self.show_actions()
        menu.addSeparator()
        for button, action in self._buttons.items():
            if button.isEnabled() and button not in (self._previous, self._next):
                does = partial(self._ask, action, self.message.id)
                menu.addAction(button.tip.partition("  ")[0], does)

    def _button(self, icon: str, tip: str, action: Action) -> IconButton:
        button = IconButton(icon, tip, self, side=SIDE)
        button.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        button.installEventFilter(self)
        button.clicked.connect(lambda: self._ask(action, self.message.id))
        self._buttons[button] = action
        return button

    def _ask(self, action: RowAction, message_id: str) -> None:
        self.action_requested.emit(action, message_id)

    def show_actions(self) -> None:
        for button, action in self._buttons.items():
            self._set_button_enabled(button, action, button.tip)

    def _set_button_enabled(self, button: QAbstractButton, action: Action, tip: str) -> None:
        reason = self._why_not(action, self.message.id)
        if reason and button.hasFocus():
            self.setFocus()  # otherwise Qt would focus the next widget
        button.setEnabled(not reason)
        button.setToolTip(reason or tip)

    def _are_buttons_revealed(self) -> bool:
        return (
            self._hovered or self.hasFocus() or any(button.hasFocus() for button in self._buttons)
        )

    def _reveal(self) -> None:
        is_revealed = self._are_buttons_revealed()
        several = self._alternative[1] > 1
        for button in self._buttons:
            if button in (self._previous, self._next):
                button.setVisible(several)
                button.set_revealed(several)
            else:
                button.set_revealed(is_revealed)
        self.show_actions()
        self.update()

    @property
    def _footer_height(self) -> int:
        return scale_height(SIDE) + (FOOTER_GAP if self._alternative[1] > 1 else 0)

    def _alternatives_width(self) -> int:
        label = small_text_width(f"{self._alternative[0]}/{self._alternative[1]}")
        return scale_height(SIDE) + label + 4 + scale_height(SIDE)

    def _place_alternatives(self, x: int, y: int) -> None:
        self._previous.move(x, y)
        self._next.move(x + self._alternatives_width() - scale_height(SIDE), y)

    def _paint_alternatives(self, painter: QPainter) -> None:
        if self._alternative[1] < 2:
            return
        area = QRectF(self._previous.geometry().united(self._next.geometry()))
        painter.setFont(ui_font(t.SMALL_PX))
        painter.setPen(QColor(theme().tokens.muted))
        painter.drawText(
            area, Qt.AlignmentFlag.AlignCenter, f"{self._alternative[0]}/{self._alternative[1]}"
        )

    def enterEvent(self, event: QEnterEvent) -> None:
        self._hovered = True
        self._reveal()
        super().enterEvent(event)

    def leaveEvent(self, event: QEvent) -> None:
        self._hovered = False
        self._reveal()
        super().leaveEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        self._name()
        self._on_keys()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        self._on_keys()

    def _on_keys(self) -> None:
        self._reveal()
        if (viewport := self.parentWidget()) is not None:
            viewport.update()  # the focus line is painted by the transcript

    def focusNextPrevChild(self, forward: bool) -> bool:
        pressed: list[QWidget] = [*self.findChildren(QAbstractButton), *self.fields()]
        buttons = [part for part in pressed if part.isVisibleTo(self) and part.isEnabled()]
        buttons.sort(key=lambda button: button.mapTo(self, QPoint()).toTuple()[::-1])
        texts = [view for view in self.findChildren(TextView) if view.isVisibleTo(self)]
        texts.sort(key=lambda view: view.mapTo(self, QPoint()).y())
        within = [(view, number) for view in texts for number in range(view.count_stops())]
        stops: list[tuple[QWidget, int]] = [(self, -1), *within, *((b, -1) for b in buttons)]
        focus = QGuiApplication.focusObject()
        current = (focus, focus.stop if isinstance(focus, TextView) else -1)
        at = stops.index(current) if current in stops else -1 if forward else 1
        at += 1 if forward else -1
        reason = Qt.FocusReason.TabFocusReason if forward else Qt.FocusReason.BacktabFocusReason
        if not 0 <= at < len(stops):
            self.focus_left.emit(forward)
        elif isinstance(stop := stops[at][0], TextView):
            top = stop.mapTo(self, QPoint()).y()
            first, last = stop.go_to_stop(stops[at][1], reason)
            self.focus_moved.emit(top + first, top + last)
        else:
            stop.setFocus(reason)
        return True

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in {QEvent.Type.FocusIn, QEvent.Type.FocusOut}:
            self._reveal()
        return super().eventFilter(watched, event)

    @Slot()
    def _on_theme(self) -> None:
        # Subclasses must override `restyle` rather than this slot, because PySide calls overridden
        # slots even after the row is deleted.
        self.restyle()

    def restyle(self) -> None:
        self.update()
