from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QPoint, QSize, Qt, Slot
from PySide6.QtGui import (
    QFont,
    QGuiApplication,
    QHideEvent,
    QKeyEvent,
    QKeySequence,
    QShortcut,
    QShowEvent,
)
from PySide6.QtWidgets import (
    QDialog,
    QFrame,
    QLabel,
    QLayout,
    QMessageBox,
    QPushButton,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from app import flows
from app.settings.language import tr
from app.settings.settings import Settings
from app.ui.style import tokens as t
from app.ui.style.scroll_bars import float_bars
from app.ui.style.theme import scaled, set_scaled_font
from app.ui.widgets.labels import make_button, make_label
from app.ui.widgets.layout_helpers import (
    SPRING,
    make_column_layout,
    make_row_layout,
    nest,
    scrolling,
)

_geometry: list[Settings] = []  # store of the sheets' size and position, if any


def store_geometry_in(settings: Settings) -> None:
    _geometry[:] = [settings]


def retain_size_when_hidden(part: QWidget) -> None:
    policy = part.sizePolicy()
    policy.setRetainSizeWhenHidden(True)
    part.setSizePolicy(policy)


def apply_styles(root: QWidget) -> None:
    """Apply styles to all children and refresh their size hints, which layouts cache."""
    for part in root.findChildren(QWidget):
        part.ensurePolished()
        part.updateGeometry()


class Popover(QFrame):
    """Panel that opens below a button and is as tall as its content. Deleted on close."""

    WIDTH = 400

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self.setObjectName("popover")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._corner, self._height = QPoint(), 640
        self.cancelled = False  # closed with Escape, so don't apply any changes
        self._area = scrolling(QWidget(self), self)
        float_bars(self._area)
        make_column_layout(self._area, of=self, margins=(1, 1, 1, 1), spacing=None)
        self.setFixedWidth(self.WIDTH)

    def open_below(self, button: QWidget, window: QWidget) -> None:
        corner = button.mapToGlobal(QPoint(button.width(), button.height() + 4))
        below = window.mapToGlobal(QPoint(0, window.height())).y() - corner.y()
        self.open_at(corner, max(360, below - 16))

    def open_at(self, corner: QPoint, room: int = 640) -> None:
        """Open with the top right corner at a global position. ``room`` is the maximum height."""
        self._corner, self._height = corner, room
        self._fit()
        self.show()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        self.cancelled = event.matches(QKeySequence.StandardKey.Cancel)
        super().keyPressEvent(event)

    @property
    def _page(self) -> QLayout | None:
        page = self._area.widget()
        return page.layout() if page is not None else None

    @Slot()
    def _fit(self) -> None:
        if (layout := self._page) is not None:
            layout.activate()
            # The height depends on the width because text wraps.
            height = layout.totalHeightForWidth(self.width() - 2)
            height = height if height > 0 else layout.sizeHint().height()
            self.setFixedHeight(min(self._height, height + 6))
        if not self._corner.isNull():
            self.move(self._corner - QPoint(self.width(), 0))


class Sheet(QDialog):
    """Dialog made up of rows, with buttons at the bottom. Deleted on close.

    `open` blocks the window. `show` and `show_or_raise` don't, for dialogs that stay open.
    """

    def __init__(self, name: str, title: str, parent: QWidget | None, *, spacing: int = 12) -> None:
        super().__init__(parent)
        self.setObjectName(name)
        self.setWindowTitle(title)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._placed = False
        self.rows = QVBoxLayout(self)
        self.rows.setContentsMargins(24, 20, 24, 18)
        self.rows.setSpacing(spacing)

    def open(self) -> None:
        """Open as a window-modal dialog that Ctrl+W closes."""
        # The dialog blocks the window's own Ctrl+W shortcut.
        QShortcut(QKeySequence("Ctrl+W"), self, self.reject)
        super().open()

    def show_or_raise(self) -> None:
        self.show()
        self.raise_()
        self.activateWindow()  # not all window managers do this

    def showEvent(self, event: QShowEvent) -> None:
        if not event.spontaneous() and not self._placed:
            self._placed = True
            apply_styles(self)
            self._restore_place()
            height = self.rows.totalHeightForWidth(self.width())
            if not self._resizable and height > self.height():
                self.resize(self.width(), height)
        float_bars(self)
        super().showEvent(event)

    def hideEvent(self, event: QHideEvent) -> None:
        if not event.spontaneous() and self._placed:
            self._save_place()
        super().hideEvent(event)

    @property
    def _resizable(self) -> bool:
        return self.minimumWidth() < self.maximumWidth()

    def _restore_place(self) -> None:
        stored = _geometry[0].places.get(self.objectName()) if _geometry else None
        if stored is None or not self._resizable:
            return
        x, y, width, high = stored
        room = self.screen().availableSize()
        self.resize(QSize(width, high).boundedTo(room))
        parent = self.parentWidget()
        if not self.isModal() and any(
            screen.availableGeometry().contains(self.rect().translated(x, y))
            for screen in QGuiApplication.screens()
        ):
            self.setGeometry(x, y, self.width(), self.height())
        elif parent is not None:
            middle = parent.window().frameGeometry().center()
            self.move(middle - self.rect().center())

    def _save_place(self) -> None:
        if _geometry and self._resizable:
            settings, name = _geometry[0], self.objectName()
            # Exclude the frame. Its size isn't known until the window is shown, so the window would
            # move up by the height of its title bar every time.
            at = self.geometry()
            rect = [at.x(), at.y(), at.width(), at.height()]
            if settings.places.get(name) != rect:
                settings.set(places={**settings.places, name: rect})

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Press the focused button on Enter, even if it can't be the default."""
        button = self.focusWidget()
        enter = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        if enter and isinstance(button, QPushButton | QToolButton):
            button.click()
        else:
            super().keyPressEvent(event)

    def has_changes(self) -> bool:
        """Return True if closing would lose input, so that `reject` asks first."""
        return False

    def reject(self) -> None:
        if self.has_changes():
            flows.start(self, self._ask_to_discard())
        else:
            super().reject()

    async def _ask_to_discard(self) -> None:
        box = QMessageBox(self)
        box.setObjectName("discard-dialog")
        box.setWindowTitle(self.windowTitle())
        box.setText(tr("Discard your changes?"))
        discard = box.addButton(tr("Discard"), QMessageBox.ButtonRole.DestructiveRole)
        keep = box.addButton(tr("Keep Editing"), QMessageBox.ButtonRole.RejectRole)
        box.setDefaultButton(keep)
        box.setEscapeButton(keep)
        await flows.open_and_wait(box)
        if box.clickedButton() is discard:
            super().reject()

    def add_rows(self, *parts: QWidget | QLayout) -> None:
        for part in parts:
            if isinstance(part, QWidget):
                self.rows.addWidget(part)
            else:
                nest(self.rows, part)

    def make_heading(self, words: str) -> QLabel:
        label = self.make_label(words, muted=False)
        set_scaled_font(label, t.HEADING_PX, QFont.Weight.DemiBold)
        return label

    def make_label(self, words: str = "", *, muted: bool = True) -> QLabel:
        return make_label(self, words, muted=muted)

    def button(self, words: str, pressed: Callable[[], object] | None = None) -> QPushButton:
        """Make a button, see `make_button`."""
        return make_button(self, words, pressed)

    def add_buttons(
        self,
        main: QPushButton | None = None,
        *buttons: QPushButton,
        cancel_text: str = "",
    ) -> QPushButton:
        text = cancel_text or (tr("Cancel") if main is not None else tr("Close"))
        leave = self.button(text, self.reject)
        (main or leave).setDefault(True)
        row = make_row_layout(*buttons, SPRING, leave)
        if main is not None:
            row.addWidget(main)
        self.rows.addSpacing(4)
        nest(self.rows, row)
        return leave

    def set_scaled_width(self, width: int) -> None:
        self.setFixedWidth(max(scaled(width), self.rows.minimumSize().width()))

    def fit_height(self) -> None:
        """Adjust the height to the content.

        `QWidget.adjustSize` would use the layout's preferred width instead of the fixed width.
        """
        width = self.maximumWidth()
        high = self.rows.totalHeightForWidth(width)
        self.resize(width, high if high > 0 else self.sizeHint().height())
