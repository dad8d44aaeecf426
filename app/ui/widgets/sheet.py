"""A dialog over its window: what it is about, its rows, and a foot with one main verb."""

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
from app.ui.style.theme import keep_font, scaled
from app.ui.widgets.labels import plain_label
from app.ui.widgets.laying import SPRING, across, down, nest, scrolling

_settings: list[Settings] = []


def remember_places(settings: Settings) -> None:
    """From now on sheets open as large as they were left, and those that stay open where."""
    _settings[:] = [settings]


def keep_place(part: QWidget) -> None:
    """Nothing moves where a part comes or goes: a hidden one keeps its room."""
    policy = part.sizePolicy()
    policy.setRetainSizeWhenHidden(True)
    part.setSizePolicy(policy)


def settle(root: QWidget) -> None:
    """Have its parts measured in their style: its layout has asked for their sizes before that."""
    for part in root.findChildren(QWidget):
        part.ensurePolished()
        part.updateGeometry()


class Popover(QFrame):
    """A panel below a button, as high as its page needs. It is gone once it was closed."""

    WIDTH = 400

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self.setObjectName("popover")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._corner, self._room = QPoint(), 640
        self.cancelled = False  # closed by Escape: what was entered is discarded
        self._area = scrolling(QWidget(self), self)
        float_bars(self._area)
        down(self._area, of=self, margins=(1, 1, 1, 1), spacing=None)
        self.setFixedWidth(self.WIDTH)

    def open_below(self, button: QWidget, window: QWidget) -> None:
        """Show it at a button, at most as high as there is room in the window."""
        corner = button.mapToGlobal(QPoint(button.width(), button.height() + 4))
        below = window.mapToGlobal(QPoint(0, window.height())).y() - corner.y()
        self.open_at(corner, max(360, below - 16))

    def open_at(self, corner: QPoint, room: int = 640) -> None:
        """Show it with its top right corner at a global point, at most ``room`` high."""
        self._corner, self._room = corner, room
        self._fit()
        self.show()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        self.cancelled = event.matches(QKeySequence.StandardKey.Cancel)
        super().keyPressEvent(event)

    @property
    def _page(self) -> QLayout | None:
        """How the page is laid out."""
        page = self._area.widget()
        return page.layout() if page is not None else None

    @Slot()
    def _fit(self) -> None:
        if (layout := self._page) is not None:
            layout.activate()
            # What wraps is as high as this width makes it.
            height = layout.totalHeightForWidth(self.width() - 2)
            height = height if height > 0 else layout.sizeHint().height()
            self.setFixedHeight(min(self._room, height + 6))
        if not self._corner.isNull():
            self.move(self._corner - QPoint(self.width(), 0))


class Sheet(QDialog):
    """It is gone once it was closed."""

    def __init__(self, name: str, title: str, parent: QWidget | None, *, spacing: int = 12) -> None:
        """``name``: the object's, by which tests and the stylesheet find it."""
        super().__init__(parent)
        self.setObjectName(name)
        self.setWindowTitle(title)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._placed = False
        self.rows = QVBoxLayout(self)  # the column that all of it stands in
        self.rows.setContentsMargins(24, 20, 24, 18)
        self.rows.setSpacing(spacing)

    def open(self) -> None:
        """Open it over its window, so that Ctrl+W closes it as it closes any other."""
        QShortcut(QKeySequence("Ctrl+W"), self, self.reject)  # the window's own is blocked
        super().open()

    def come_forward(self) -> None:
        """Open it beside its window, or bring it before all others."""
        self.show()
        self.raise_()
        self.activateWindow()

    def showEvent(self, event: QShowEvent) -> None:
        if not event.spontaneous() and not self._placed:
            self._placed = True
            settle(self)
            self._take_place()
            needed = self.rows.totalHeightForWidth(self.width())
            if not self._resizable and needed > self.height():
                self.resize(self.width(), needed)
        float_bars(self)
        super().showEvent(event)

    def hideEvent(self, event: QHideEvent) -> None:
        if not event.spontaneous() and self._placed:
            self._keep_place()
        super().hideEvent(event)

    @property
    def _resizable(self) -> bool:
        return self.minimumWidth() < self.maximumWidth()

    def _take_place(self) -> None:
        place = _settings[0].places.get(self.objectName()) if _settings else None
        if place is None or not self._resizable:
            return
        x, y, width, high = place
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

    def _keep_place(self) -> None:
        if _settings and self._resizable:
            settings, name = _settings[0], self.objectName()
            # Without its frame, of which nobody knows before it is shown: each time it would
            # stand higher by a title bar.
            at = self.geometry()
            place = [at.x(), at.y(), at.width(), at.height()]
            if settings.places.get(name) != place:
                settings.set(places={**settings.places, name: place})

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter presses the button that has the focus, also one that is never the default."""
        button = self.focusWidget()
        enter = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        if enter and isinstance(button, QPushButton | QToolButton):
            button.click()
        else:
            super().keyPressEvent(event)

    def has_changes(self) -> bool:
        """Whether something was written that is lost when it is closed: then it asks first."""
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
        await flows.answered(box)
        if box.clickedButton() is discard:
            super().reject()

    def put(self, *parts: QWidget | QLayout) -> None:
        """Add these below what is there."""
        for part in parts:
            if isinstance(part, QWidget):
                self.rows.addWidget(part)
            else:
                nest(self.rows, part)

    def headline(self, words: str) -> QLabel:
        """The line that says what this is about; to be added."""
        label = self.label(words, muted=False)
        keep_font(label, t.HEADING_PX, QFont.Weight.DemiBold)
        return label

    def label(self, words: str = "", *, muted: bool = True) -> QLabel:
        """As `plain_label`; to be added."""
        return plain_label(self, words, muted=muted)

    def button(self, words: str, pressed: Callable[[], object]) -> QPushButton:
        """A button that Enter does not press from another's place."""
        button = QPushButton(words, self)
        button.setAutoDefault(False)
        button.clicked.connect(lambda _checked=False: pressed())
        return button

    def put_foot(
        self,
        main: QPushButton | None = None,
        *beside: QPushButton,
        out: str = "",
        careful: bool = False,
    ) -> QPushButton:
        """Add the last row, and return its way out.

        Args:
            main: what the dialog is for, at the right; Enter presses it.
            beside: what else can be done, at the left.
            out: what the way out says; "Cancel", or "Close" where nothing is there to be done.
            careful: Enter presses the way out.
        """
        leave = self.button(out or (tr("Cancel") if main is not None else tr("Close")), self.reject)
        (leave if careful or main is None else main).setDefault(True)
        row = across(*beside, SPRING, leave)
        if main is not None:
            row.addWidget(main)
        self.rows.addSpacing(4)
        nest(self.rows, row)
        return leave

    def keep_wide(self, usual: int) -> None:
        """Fix the width: `usual` pixels at usual text, more where the words need it.

        To be called once all of it is laid out. Words of other languages are up to twice as long.
        """
        self.setFixedWidth(max(scaled(usual), self.rows.minimumSize().width()))

    def keep_high(self) -> None:
        """Be as high as the words need at the width that is fixed.

        `QWidget.adjustSize` asks for the height at the width that the layout likes best, which is
        another one.
        """
        width = self.maximumWidth()
        high = self.rows.totalHeightForWidth(width)
        self.resize(width, high if high > 0 else self.sizeHint().height())
