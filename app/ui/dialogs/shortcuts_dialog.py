"""The list of keys, by menu, in a window that may stay open; a command's keys can be changed."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import Qt, Slot
from PySide6.QtGui import QFont, QKeySequence
from PySide6.QtWidgets import (
    QBoxLayout,
    QDialog,
    QDialogButtonBox,
    QGridLayout,
    QHBoxLayout,
    QKeySequenceEdit,
    QLabel,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from app.language import tr
from app.ui.style import tokens as t
from app.ui.style.theme import keep_font
from app.ui.widgets.closing import open_dialog
from app.ui.widgets.keys import native
from app.ui.widgets.width import keep_wide
from app.ui.window.commands import MENUS, REGISTRY, focus_keys
from app.ui.window.own_keys import OwnKeys


def show_shortcuts(keys: OwnKeys, parent: QWidget) -> ShortcutsDialog:
    dialog = parent.findChild(ShortcutsDialog) or ShortcutsDialog(keys, parent)
    dialog.show()
    dialog.settle()
    dialog.raise_()
    dialog.activateWindow()
    return dialog


def words_of(name: str) -> str:
    """A command as the list calls it."""
    return tr(REGISTRY[name].text).rstrip("…")


class ShortcutsDialog(QDialog):
    """Two columns, or one on a narrow screen; each command's keys are a button that changes them.

    Attributes:
        buttons: by the command's name.
    """

    def __init__(self, keys: OwnKeys, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("shortcuts")
        self.setWindowTitle(tr("Keyboard Shortcuts"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._keys = keys
        self._before: Mapping[str, list[str]] = {}
        self.buttons: dict[str, QPushButton] = {}
        table = QWidget(self)
        row = self._row = QHBoxLayout(table)
        row.setContentsMargins(24, 20, 24, 12)
        row.setSpacing(48)
        menus = list(MENUS)
        for titles in (("", *menus[:2]), menus[2:]):
            row.addLayout(self._column(titles, table))
        scroll = QScrollArea(self)
        scroll.setAccessibleName(tr("Commands and their keys"))
        scroll.setWidget(table)
        scroll.setWidgetResizable(True)
        scroll.setFrameShape(QScrollArea.Shape.NoFrame)
        self.usual = QPushButton(tr("Usual Keys for All"), self)
        self.usual.setAutoDefault(False)
        self.usual.clicked.connect(self._on_usual)
        self.back = QPushButton(tr("Bring Back My Keys"), self)
        self.back.setAutoDefault(False)
        self.back.clicked.connect(self._on_back)
        self.back.hide()
        foot = QHBoxLayout()
        foot.setContentsMargins(24, 8, 24, 14)
        foot.addWidget(self.usual)
        foot.addWidget(self.back)
        foot.addStretch(1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(scroll, 1)
        layout.addLayout(foot)
        keys.changed.connect(self.refresh)
        self.refresh()
        room, bar = self.screen().availableSize(), scroll.verticalScrollBar().sizeHint().width()
        if table.sizeHint().width() + bar > room.width() - 40:
            row.setDirection(QBoxLayout.Direction.TopToBottom)  # one column below the other
            row.setSpacing(0)
        wanted = table.sizeHint()
        width = wanted.width() + bar
        high = wanted.height() + foot.sizeHint().height()
        self.resize(min(room.width() - 40, width), min(room.height() - 80, high))

    def settle(self) -> None:
        """Give every word its room at once: their sizes are others once they are shown."""
        self._row.invalidate()
        self._row.activate()

    @Slot()
    def refresh(self) -> None:
        """Show the keys as they are now."""
        for name, button in self.buttons.items():
            keys = native(next(iter(self._keys.of(name)), ""))
            button.setText(keys or "–")
            own, shown = self._keys.is_own(name), keys or tr("no keys")
            button.setAccessibleName(
                tr("{command}: {keys}, changed. Change", command=words_of(name), keys=shown)
                if own
                else tr("{command}: {keys}. Change", command=words_of(name), keys=shown)
            )
            font = button.font()
            font.setBold(own)
            button.setFont(font)
            usual = native(next(iter(REGISTRY[name].keys), "")) or tr("none", "no keys")
            button.setToolTip(tr("Usually {usual}", usual=usual) if own else tr("Change its keys"))
        self.usual.setEnabled(self._keys.any_own)
        self.usual.setToolTip(
            "" if self._keys.any_own else tr("All commands have their usual keys")
        )

    def change(self, name: str) -> None:
        """Ask for other keys of a command."""
        open_dialog(KeyDialog(name, self._keys, self))

    def _column(self, titles: tuple[str, ...] | list[str], table: QWidget) -> QVBoxLayout:
        """Menus with their commands; "" for the keys that are no command's."""
        column = QVBoxLayout()
        column.setSpacing(8)
        for title in titles:
            heading = QLabel(tr(title) if title else tr("In a chat"), table)
            keep_font(heading, t.UI_PX, QFont.Weight.DemiBold)
            grid = QGridLayout()
            grid.setHorizontalSpacing(32)
            grid.setVerticalSpacing(2 if title else 6)
            if title:
                for number, name in enumerate(n for n in MENUS[title] if n != "-"):
                    grid.addWidget(QLabel(words_of(name), table), number, 0)
                    grid.addWidget(self._key_button(name, table), number, 1, _RIGHT)
            else:
                for number, (words, keys) in enumerate(focus_keys()):
                    how = QLabel(keys, table)
                    how.setProperty("muted", True)
                    grid.addWidget(QLabel(words, table), number, 0)
                    grid.addWidget(how, number, 1, _RIGHT)
            column.addWidget(heading)
            column.addLayout(grid)
            column.addSpacing(12)
        column.addStretch(1)
        return column

    def _key_button(self, name: str, table: QWidget) -> QPushButton:
        button = self.buttons[name] = QPushButton(table)
        button.setObjectName("key")
        button.setAutoDefault(False)
        button.clicked.connect(lambda: self.change(name))
        return button

    @Slot()
    def _on_usual(self) -> None:
        self._before = self._keys.all()
        self._keys.put_all({})
        self.back.show()

    @Slot()
    def _on_back(self) -> None:
        self._keys.put_all(self._before)
        self.back.hide()


_RIGHT = Qt.AlignmentFlag.AlignRight


class KeyDialog(QDialog):
    """Takes the keys that are pressed in it."""

    def __init__(self, name: str, keys: OwnKeys, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("key-dialog")
        self.setWindowTitle(tr("Change Keys"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._name = name
        self._keys = keys
        self.field = QKeySequenceEdit(self)
        self.field.setMaximumSequenceLength(1)
        self.field.setClearButtonEnabled(True)
        self.field.setAccessibleName(tr("Keys for {command}", command=words_of(name)))
        self.field.setKeySequence(QKeySequence(next(iter(keys.of(name)), "")))
        self.field.keySequenceChanged.connect(self._refresh)
        self.hint = QLabel(self)
        self.hint.setProperty("muted", True)
        self.hint.setWordWrap(True)
        box = QDialogButtonBox(self)
        self.go = box.addButton(tr("Set"), QDialogButtonBox.ButtonRole.AcceptRole)
        self.none = box.addButton(tr("No Keys"), QDialogButtonBox.ButtonRole.ActionRole)
        self.usual = box.addButton(tr("Usual Keys"), QDialogButtonBox.ButtonRole.ActionRole)
        box.addButton(tr("Cancel"), QDialogButtonBox.ButtonRole.RejectRole)
        box.accepted.connect(self._on_set)
        box.rejected.connect(self.reject)
        self.none.clicked.connect(self._on_none)
        self.usual.clicked.connect(self._on_usual)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(20, 18, 20, 16)
        layout.setSpacing(10)
        layout.addWidget(QLabel(tr("Press the keys for “{command}”", command=words_of(name)), self))
        for widget in (self.field, self.hint, box):
            layout.addWidget(widget)
        keep_wide(self, 420)
        self.usual.setEnabled(keys.is_own(name))
        self.usual.setToolTip("" if keys.is_own(name) else tr("It has its usual keys"))
        self.none.setEnabled(bool(keys.of(name)))
        self.none.setToolTip("" if keys.of(name) else tr("It has no keys"))
        self._refresh()
        self.field.setFocus()

    @property
    def pressed(self) -> str:
        """What was pressed, in Qt's portable spelling."""
        return self.field.keySequence().toString(QKeySequence.SequenceFormat.PortableText)

    @Slot()
    def _refresh(self) -> None:
        pressed = self.pressed
        why = self._keys.why_not(pressed)
        holder = "" if why else self._keys.holder(pressed, besides=self._name)
        if holder:
            self.hint.setText(
                tr(
                    "{keys} belongs to “{command}” now, which loses it.",
                    keys=native(pressed),
                    command=words_of(holder),
                )
            )
        else:
            self.hint.setText(why)
        self.go.setEnabled(not why)
        self.go.setToolTip(why)

    @Slot()
    def _on_set(self) -> None:
        self._keys.give(self._name, self.pressed)
        self.accept()

    @Slot()
    def _on_none(self) -> None:
        self._keys.give(self._name, "")
        self.accept()

    @Slot()
    def _on_usual(self) -> None:
        self._keys.reset(self._name)
        self.accept()
