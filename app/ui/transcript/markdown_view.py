"""View of a reply's Markdown, with links and code in the tab order and code that scrolls."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct
from PySide6.QtCore import (
    QEvent,
    QMimeData,
    QObject,
    QPoint,
    QPointF,
    QRect,
    QRectF,
    Qt,
    QUrl,
    Signal,
    Slot,
)
from PySide6.QtGui import (
    QAbstractTextDocumentLayout,
    QColor,
    QFocusEvent,
    QGuiApplication,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPalette,
    QTextCursor,
    QWheelEvent,
)
from PySide6.QtWidgets import QMenu, QWidget

from app.markdown.rows import CODE_HEADER, CODE_PAD
from app.settings.language import counted, tr
from app.ui.style.icons import icon
from app.ui.style.theme import theme
from app.ui.widgets.textview import TextView
from app.ui.widgets.widget_behavior import announce

if TYPE_CHECKING:
    from app.markdown import CodeBlock, MarkdownDocument


# Characters of Markdown that are also copied as HTML. Rendering takes about 2 ms per 1,000
# characters.
_HTML_LIMIT = 200_000


class TabStop(Struct, frozen=True):
    # Cursor positions.
    begin: int
    end: int
    link: str  # address; "" for code
    code: CodeBlock | None  # None for a link
    words: str  # text for screen readers


def stops_in(markdown: MarkdownDocument) -> list[TabStop]:
    """Return all tab stops in text order."""
    stops = [_code_tab_stop(block) for block in markdown.code_blocks()]
    begin = end = 0
    address = words = ""

    def end_link() -> None:
        if address:
            part = tr("From reply {letter}. Enter shows it.", letter=address[1:])
            link = tr("Link, {words}. Enter opens it.", words=words)
            label = part if address.startswith("#") else link
            stops.append(TabStop(begin, end, address, None, label))

    block = markdown.document.begin()
    while block.isValid():
        at = block.begin()
        while not at.atEnd():
            fragment = at.fragment()
            at += 1
            link = fragment.charFormat().anchorHref()
            if link and link == address and fragment.position() == end:
                words += fragment.text()
            else:
                end_link()
                address, begin, words = link, fragment.position(), fragment.text()
            end = fragment.position() + fragment.length()
        block = block.next()
    end_link()
    return sorted(stops, key=lambda stop: stop.begin)


def _code_tab_stop(block: CodeBlock) -> TabStop:
    lines = block.source.count("\n") + (not block.source.endswith("\n"))
    if block.language:
        words = counted(
            "Code, {language}, %Ln line. Enter copies it.",
            "Code, {language}, %Ln lines. Enter copies it.",
            lines,
            language=block.language,
        )
    else:
        words = counted(
            "Code, %Ln line. Enter copies it.",
            "Code, %Ln lines. Enter copies it.",
            lines,
        )
    return TabStop(block.first_position, block.last_position, "", block, words)


_BAR = 4
_BAR_ZONE = 12  # height at the bottom of a block in which its scroll bar can be dragged
_MIN_HANDLE = 32


class WideCode(QObject):
    """Scroll positions of code blocks that are wider than the view, in document coordinates."""

    def __init__(self, markdown: MarkdownDocument, parent: QObject) -> None:
        super().__init__(parent)
        self._markdown = markdown
        self._offsets: dict[tuple[int, int], float] = {}
        # block whose bar is being dragged, and where the user grabbed the bar
        self._dragged_bar: tuple[tuple[int, int], float] | None = None

    @property
    def is_dragging(self) -> bool:
        return self._dragged_bar is not None

    def blocks(self, clip: QRectF) -> list[CodeBlock]:
        return [
            code
            for code in self._markdown.code_blocks(clip)
            if self.overflow_width(code) > 0 and self.lines_area(code).intersects(clip)
        ]

    def find_block(self, y: float) -> CodeBlock | None:
        clip = QRectF(0, y, 1, 1)
        return next(
            (code for code in self.blocks(clip) if self.lines_area(code).contains(1, y)), None
        )

    def overflow_width(self, code: CodeBlock) -> float:
        room = self._markdown.code_area(code).width() - 2 * CODE_PAD
        over = self._markdown.code_width(code) - room
        return over if over >= 1 else 0.0

    def scroll_offset(self, code: CodeBlock) -> float:
        return min(self._offsets.get(code.name, 0.0), self.overflow_width(code))

    def move(self, code: CodeBlock, to: float) -> None:
        self._offsets[code.name] = max(0.0, min(to, self.overflow_width(code)))

    def lines_area(self, code: CodeBlock) -> QRectF:
        area = self._markdown.code_area(code)
        return QRectF(0, area.top() + CODE_HEADER, area.right(), area.height() - CODE_HEADER)

    def scroll_offset_at(self, y: float) -> float:
        code = self.find_block(y) if self._offsets else None
        return self.scroll_offset(code) if code is not None else 0.0

    def reveal(self, cursor: QTextCursor, x: float, y: float) -> bool:
        """Scroll a block until the cursor at (x, y) is visible. Return True if it had to scroll."""
        code = self.find_block(y)
        if code is None or not code.first_position <= cursor.position() <= code.last_position:
            return False
        area, before = self._markdown.code_area(code), self.scroll_offset(code)
        start, right = area.left() + CODE_PAD, area.right() - CODE_PAD
        self.move(code, min(max(before, x - right), x - start))
        return self.scroll_offset(code) != before

    def wheel(self, event: QWheelEvent) -> bool:
        """Scroll a code block sideways. Return False if the event is for the transcript."""
        code = self.find_block(event.position().y())
        if code is None:
            return False
        turned = event.pixelDelta() if not event.pixelDelta().isNull() else event.angleDelta() / 2
        sideways = turned.x()
        if event.modifiers() & Qt.KeyboardModifier.ShiftModifier and not sideways:
            sideways = turned.y()
        elif abs(sideways) <= abs(turned.y()):
            return False
        self.move(code, self.scroll_offset(code) - sideways)
        return True

    def press(self, at: QPointF) -> bool:
        """Start dragging the bar under the pointer. Return False if there isn't one."""
        code = self.find_block(at.y())
        if code is None or at.y() < self.lines_area(code).bottom() - _BAR_ZONE:
            return False
        handle = self._handle_area(code)
        within = at.x() - handle.left()
        self._dragged_bar = (
            code.name,
            within if 0 <= within <= handle.width() else handle.width() / 2,
        )
        self.drag(at)
        return True

    def drag(self, at: QPointF) -> None:
        if self._dragged_bar is None:
            return
        name, within = self._dragged_bar
        code = next((c for c in self._markdown.code_blocks() if c.name == name), None)
        if code is not None and self.overflow_width(code):
            track, handle = self._track_area(code), self._handle_area(code)
            way = (at.x() - within - track.left()) / max(track.width() - handle.width(), 1.0)
            self.move(code, way * self.overflow_width(code))

    @Slot()
    def release(self) -> None:
        self._dragged_bar = None

    def paint(
        self,
        painter: QPainter,
        code: CodeBlock,
        context: QAbstractTextDocumentLayout.PaintContext,
        clip: QRectF,
        strong: bool,
    ) -> None:
        moved, area = self.scroll_offset(code), self._markdown.code_area(code)
        lines = self.lines_area(code)
        lines.setLeft(area.left())
        visible_rect = lines.intersected(clip)
        if visible_rect.isEmpty():
            return  # Qt ignores an empty clip and would draw the whole document
        painter.save()
        painter.setClipRect(visible_rect)
        painter.translate(-moved, 0)
        context.clip = visible_rect.translated(moved, 0)
        self._markdown.document.documentLayout().draw(painter, context)
        painter.restore()
        tokens = theme().tokens
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(
            QColor(tokens.muted if strong or self.is_dragging else tokens.border_strong)
        )
        painter.drawRoundedRect(self._handle_area(code), _BAR / 2, _BAR / 2)
        painter.restore()

    def _track_area(self, code: CodeBlock) -> QRectF:
        area = self._markdown.code_area(code)
        top = area.bottom() - (_BAR_ZONE + _BAR) / 2
        return QRectF(area.left() + CODE_PAD, top, area.width() - 2 * CODE_PAD, _BAR)

    def _handle_area(self, code: CodeBlock) -> QRectF:
        track, hidden = self._track_area(code), self.overflow_width(code)
        width = max(track.width() * track.width() / (track.width() + hidden), _MIN_HANDLE)
        offset = (track.width() - width) * self.scroll_offset(code) / hidden if hidden else 0.0
        return QRectF(track.left() + offset, track.top(), width, _BAR)


_SIDE = 24


class CodeButtons(QObject):
    """Buttons on code blocks.

    They are painted rather than widgets, because a reply may have dozens of blocks.
    """

    copied = Signal()

    def __init__(
        self, markdown: MarkdownDocument, wide: WideCode, viewport: QWidget, parent: QObject
    ) -> None:
        super().__init__(parent)
        self._markdown = markdown
        self._wide = wide
        self._viewport = viewport
        self._pointer = QPoint(-1, -1)
        self._pointed_button: tuple[object, str] = (None, "")
        self.held: CodeBlock | None = None

    @property
    def code(self) -> CodeBlock | None:
        return self.code_at(self._pointer) or self.held

    @property
    def action(self) -> str:
        code = self.code
        buttons = self._button_rects(code).items() if code is not None else ()
        return next((name for name, area in buttons if area.contains(self._pointer)), "")

    def code_at(self, at: QPoint) -> CodeBlock | None:
        if at.y() < 0:
            return None
        clip = QRectF(at.x(), at.y(), 1, 1)
        area = self._markdown.code_area
        codes = self._markdown.code_blocks(clip)
        return next((code for code in codes if area(code).contains(at.toPointF())), None)

    def set_focused(self, code: CodeBlock | None) -> None:
        self.held = code
        self._viewport.update()

    def can_wrap(self, code: CodeBlock) -> bool:
        return code.wrapped or self._wide.overflow_width(code) > 0

    def move_pointer(self, at: QPoint) -> None:
        self._pointer = at
        code, action = self.code, self.action
        tip = ""
        if code is not None and action:
            wrap = tr("Unwrap Lines") if code.wrapped else tr("Wrap Lines")
            tip = tr("Copy Code") if action == "copy" else wrap
        if tip:
            self._viewport.setCursor(Qt.CursorShape.PointingHandCursor)
        elif self._viewport.toolTip():
            self._viewport.setCursor(Qt.CursorShape.IBeamCursor)
        self._viewport.setToolTip(tip)
        pointed = (code.name if code is not None else None, action)
        if pointed != self._pointed_button:
            self._pointed_button = pointed
            self._viewport.update()

    def press(self) -> bool:
        """Press the button under the pointer. Return False if there isn't one."""
        code, action = self.code, self.action
        if code is None or not action:
            return False
        self.act(action, code)
        return True

    def act(self, action: str, code: CodeBlock) -> None:
        if action == "copy":
            QGuiApplication.clipboard().setText(code.source)
            self.copied.emit()
        else:
            self._markdown.set_wrapped(code.name, not code.wrapped)
            self.move_pointer(self._pointer)
            self._viewport.update()

    def paint(self, painter: QPainter, code: CodeBlock) -> None:
        tokens, action = theme().tokens, self.action
        if self.held is not None and self.held.name == code.name:
            painter.setPen(QColor(tokens.accent))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            ring = self._markdown.code_area(code).adjusted(0.5, 0.5, -0.5, -0.5)
            painter.drawRoundedRect(ring, 8, 8)
        painter.setPen(Qt.PenStyle.NoPen)
        for name, area in self._button_rects(code).items():
            strong = name == action or (name == "wrap" and code.wrapped)
            painter.setBrush(QColor(tokens.pressed if strong else tokens.code_background))
            painter.drawRoundedRect(area, 6, 6)
            color = tokens.text if strong else tokens.muted
            picture = icon("copy", color) if name == "copy" else icon("wrap", color)
            picture.paint(painter, area.adjusted(4, 4, -4, -4))

    def _button_rects(self, code: CodeBlock) -> dict[str, QRect]:
        area = self._markdown.code_area(code)
        copy_rect = QRect(round(area.right()) - _SIDE - 4, round(area.top()) + 3, _SIDE, _SIDE)
        places = {"copy": copy_rect}
        if self.can_wrap(code):
            places["wrap"] = copy_rect.translated(-_SIDE - 2, 0)
        return places


class MarkdownView(TextView):
    """View of a MarkdownDocument.

    Buttons on code blocks copy the code and wrap long lines. Long lines that aren't wrapped scroll
    sideways in their block.
    """

    code_copied = Signal()
    part_requested = Signal(str)  # (letter)

    def __init__(self, markdown: MarkdownDocument, parent: QWidget | None = None) -> None:
        super().__init__(markdown.document, parent)
        self._markdown = markdown
        self._wide = WideCode(markdown, self)
        self._buttons = CodeButtons(markdown, self._wide, self.viewport(), self)
        self._buttons.copied.connect(self.code_copied)
        self._stops: list[TabStop] = []
        self._caret = False
        self._button_pressed = False  # a button handled the press, so ignore the release
        self.setMouseTracking(True)
        self.viewport().setMouseTracking(True)
        # The text itself never scrolls sideways, only wide code does.
        self.horizontalScrollBar().rangeChanged.connect(self._on_range)

    def count_stops(self) -> int:
        self._stops = stops_in(self._markdown)
        return len(self._stops)

    def go_to_stop(self, number: int, reason: Qt.FocusReason) -> tuple[int, int]:
        stop = self._stops[number]
        self.setFocus(reason)
        self.stop = number
        self._buttons.set_focused(stop.code)
        cursor = QTextCursor(self.document())
        cursor.setPosition(stop.begin)
        first = self.cursorRect(cursor)
        cursor.setPosition(stop.end, QTextCursor.MoveMode.KeepAnchor)
        last = self.cursorRect(cursor)
        if stop.code is not None:
            cursor.setPosition(stop.begin)
        self.setTextCursor(cursor)
        self.viewport().update()
        announce(self, stop.words)
        return (first.top(), last.bottom())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        stop = self._stops[self.stop] if self.stop >= 0 else None
        if stop is None or event.key() not in {Qt.Key.Key_Return, Qt.Key.Key_Enter}:
            super().keyPressEvent(event)
        elif stop.code is not None:
            self._buttons.act("copy", stop.code)
        else:
            self.anchorClicked.emit(QUrl(stop.link))

    def open_link(self, address: QUrl) -> None:
        if address.scheme():
            super().open_link(address)
        else:
            self.part_requested.emit(address.fragment())

    def focusNextPrevChild(self, forward: bool) -> bool:
        return QWidget.focusNextPrevChild(self, forward)  # the message row picks the next widget

    def focusOutEvent(self, event: QFocusEvent) -> None:
        if self.stop >= 0 and event.reason() != Qt.FocusReason.PopupFocusReason:
            self.stop = -1
            self._buttons.set_focused(None)
            self.setTextCursor(QTextCursor(self.document()))
        super().focusOutEvent(event)

    def set_caret(self, is_visible: bool) -> None:
        if is_visible != self._caret:
            self._caret = is_visible
            self.viewport().update()

    def createMimeDataFromSelection(self) -> QMimeData:
        """Return the selection as text, Markdown and HTML.

        The plain text keeps list markers and check boxes. The HTML only references web pages and
        mail addresses.
        """
        from app.markdown.html_text import to_html
        from app.markdown.plain_text import remove_markup

        cursor = self.textCursor()
        data = QMimeData()
        ends = cursor.selectionStart(), cursor.selectionEnd()
        marked = self._markdown.markdown_text(*ends)
        data.setText(remove_markup(marked))
        data.setData("text/markdown", marked.encode())
        if len(marked) <= _HTML_LIMIT:
            data.setHtml(to_html(marked))
        return data

    def pop_menu_by_key(self) -> None:
        """Open the context menu at the focused code block, or the first visible block."""
        visible_rect = QRectF(self.visibleRegion().boundingRect())
        pressed = self._buttons.held
        code = pressed or next(iter(self._markdown.code_blocks(visible_rect)), None)
        top = visible_rect.topLeft() if code is None else self._markdown.code_area(code).topLeft()
        at = QPoint(round(top.x()), max(round(top.y()), round(visible_rect.top())))
        self.pop_menu(at, self.mapToGlobal(at))

    def move_code(self, by: int) -> None:
        for code in self._wide.blocks(QRectF(self.visibleRegion().boundingRect())):
            self._wide.move(code, self._wide.scroll_offset(code) + by)
        self.viewport().update()

    def add_to_menu(self, menu: QMenu, at: QPoint) -> None:
        menu.addSeparator()
        code = self._buttons.code_at(at)
        if code is not None:
            menu.addAction(tr("Copy Code"), lambda: self._buttons.act("copy", code))
            if self._buttons.can_wrap(code):
                wrap = menu.addAction(tr("Wrap Lines"), lambda: self._buttons.act("wrap", code))
                wrap.setCheckable(True)
                wrap.setChecked(code.wrapped)
        menu.addAction(tr("Copy Reply as Plain Text"), self.copy_plain)

    def copy_plain(self) -> None:
        QGuiApplication.clipboard().setText(self._markdown.plain_text())

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self.viewport())
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._markdown.paint_under(painter, QRectF(event.rect()))
        painter.end()
        # We draw wide code ourselves, and QTextEdit draws the text above, between and below.
        rest = event.rect()
        wide = self._wide.blocks(QRectF(rest))
        for code in wide:
            lines = self._wide.lines_area(code).toRect()
            above = QRect(rest.topLeft(), QPoint(rest.right(), lines.top() - 1))
            if above.isValid():
                super().paintEvent(QPaintEvent(above))
            rest.setTop(max(rest.top(), lines.bottom() + 1))
        if rest.isValid():
            super().paintEvent(QPaintEvent(rest))
        painter.begin(self.viewport())
        pointed = self._buttons.code
        for code in wide:
            strong = pointed is not None and pointed.name == code.name
            self._wide.paint(painter, code, self._context(), QRectF(event.rect()), strong)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if self._caret:
            self._paint_caret(painter)
        if pointed is not None:
            self._buttons.paint(painter, pointed)
        painter.end()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._wide.is_dragging:
            self._wide.drag(event.position())
            self.viewport().update()
            return
        super().mouseMoveEvent(self._translate_event(event))
        if event.buttons() & Qt.MouseButton.LeftButton and self.textCursor().hasSelection():
            self._reveal(self.textCursor())
        self._buttons.move_pointer(event.position().toPoint())

    def leaveEvent(self, event: QEvent) -> None:
        self._buttons.move_pointer(QPoint(-1, -1))
        super().leaveEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self._buttons.move_pointer(event.position().toPoint())
            if self._buttons.press():
                self._button_pressed = True
                return
            if self._wide.press(event.position()):
                self.viewport().update()
                return
        super().mousePressEvent(self._translate_event(event))

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        self._buttons.move_pointer(event.position().toPoint())
        if self._buttons.action:
            self.mousePressEvent(event)  # treat a double click on a button as two presses
        else:
            super().mouseDoubleClickEvent(self._translate_event(event))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if self._wide.is_dragging or self._button_pressed:
            self._button_pressed = False
            self._wide.release()
            self.viewport().update()
            return
        super().mouseReleaseEvent(self._translate_event(event))

    def wheelEvent(self, event: QWheelEvent) -> None:
        if self._wide.wheel(event):
            event.accept()
            self.viewport().update()
        else:
            super().wheelEvent(event)

    def place_at(self, at: QPointF) -> int:
        return super().place_at(at + QPointF(self._wide.scroll_offset_at(at.y()), 0))

    def _translate_event(self, event: QMouseEvent) -> QMouseEvent:
        """Translate a mouse event by the scroll offset of the code under it."""
        moved = self._wide.scroll_offset_at(event.position().y())
        if not moved:
            return event
        return QMouseEvent(
            event.type(),
            event.position() + QPointF(moved, 0),
            event.globalPosition(),
            event.button(),
            event.buttons(),
            event.modifiers(),
            event.pointingDevice(),
        )

    def _reveal(self, cursor: QTextCursor) -> float:
        caret = self.cursorRect(cursor)
        if self._wide.reveal(cursor, caret.center().x(), caret.center().y()):
            self.viewport().update()
        return float(caret.top())

    def _context(self) -> QAbstractTextDocumentLayout.PaintContext:
        context = QAbstractTextDocumentLayout.PaintContext()
        context.palette = self.palette()
        selections = []
        for extra in self.extraSelections():
            selection = QAbstractTextDocumentLayout.Selection()
            selection.cursor, selection.format = extra.cursor, extra.format
            selections.append(selection)
        if self.textCursor().hasSelection():
            group = QPalette.ColorGroup.Active if self.hasFocus() else QPalette.ColorGroup.Inactive
            selection = QAbstractTextDocumentLayout.Selection()
            selection.cursor = self.textCursor()
            form = selection.format
            form.setBackground(self.palette().brush(group, QPalette.ColorRole.Highlight))
            form.setForeground(self.palette().brush(group, QPalette.ColorRole.HighlightedText))
            selection.format = form
            selections.append(selection)
        context.selections = selections
        return context

    @Slot()
    def _on_range(self) -> None:
        self.horizontalScrollBar().setRange(0, 0)

    def _paint_caret(self, painter: QPainter) -> None:
        cursor = QTextCursor(self.document())
        cursor.setPosition(self._markdown.end_position)
        caret = self.cursorRect(cursor)
        # Keep the cursor right after the last letter, even at the end of the line.
        x = caret.left() - self._wide.scroll_offset_at(caret.center().y()) + 3
        x = min(x, self.viewport().width() - 3)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(theme().tokens.accent))
        # An empty document has a single line, which is only a few pixels high.
        height = min(caret.height(), 18) if caret.height() > 8 else 16
        top = max(2.0, caret.center().y() - height / 2)
        painter.drawRoundedRect(QRectF(x, top, 3, height), 1.5, 1.5)
