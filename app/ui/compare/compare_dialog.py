"""Dialog for setting up a comparison: message, files, and what to compare."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct
from msgspec.structs import replace
from PySide6.QtCore import QEvent, QMimeData, QObject, Qt, Signal, Slot
from PySide6.QtGui import QDropEvent, QKeyEvent, QKeySequence, QResizeEvent
from PySide6.QtWidgets import (
    QCheckBox,
    QLabel,
    QPlainTextEdit,
    QPushButton,
    QRadioButton,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from app.chats.options import ChatOptions, varied
from app.models.names import model_fallback_name
from app.settings.language import mark, tr
from app.settings.settings import Settings
from app.store import Attachments
from app.ui.composer.composer import enter_sends, files_in, has_image, image_in
from app.ui.composer.file_chips import FileChips
from app.ui.pane.files import PaneFiles
from app.ui.widgets.labels import plain_label
from app.ui.widgets.laying import SPRING, across
from app.ui.widgets.manners import WheelGuard, begin_at_edge
from app.ui.widgets.sheet import Sheet, keep_place

_DRAGS = (QEvent.Type.DragEnter, QEvent.Type.DragMove, QEvent.Type.Drop)


class CompareFiles(QWidget):
    """The message's file chips and a button for adding more. All columns get the same files.

    The files are shared with the pane's composer. Besides using the button, the user can drop files
    on the dialog or paste them into the message.
    """

    changed = Signal()  # files were added or removed, or finished loading

    def __init__(self, files: PaneFiles, field: AskField, parent: QWidget) -> None:
        """Create the row. ``field`` is the message, ``parent`` the dialog."""
        super().__init__(parent)
        self._files = files
        self.button = QPushButton(tr("Attach Files…"), self)
        self.button.setAutoDefault(False)
        self.button.clicked.connect(lambda: files.choose(self))
        self._refused = plain_label(self)
        self._refused.hide()
        self._row = QWidget(self)
        self.chips = FileChips(self.button, self._row)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(6)
        layout.addWidget(self.button, 0, Qt.AlignmentFlag.AlignLeading)
        layout.addWidget(self._row)
        layout.addWidget(self._refused)
        files.wire(self.chips)
        field.files_given.connect(files.add)
        field.image_given.connect(files.add_image)
        parent.setAcceptDrops(True)
        parent.installEventFilter(self)
        files.attaching.refused.connect(self._on_refused)
        files.shown.connect(self._show)
        self._show()

    @property
    def attachments(self) -> Attachments:
        return self._files.attaching.files

    @property
    def reading(self) -> tuple[str, ...]:
        return self._files.attaching.reading

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in _DRAGS and isinstance(event, QDropEvent):
            found = files_in(event.mimeData())
            if not (found or has_image(event.mimeData())):
                return False
            # Keep the source from deleting its file.
            event.setDropAction(Qt.DropAction.CopyAction)
            event.accept()
            if event.type() == QEvent.Type.Drop and found:
                self._files.add(found)
            elif event.type() == QEvent.Type.Drop and (image := image_in(event.mimeData())):
                self._files.add_image(image)
            return True
        return super().eventFilter(watched, event)

    @Slot(str)
    def _on_refused(self, why: str) -> None:
        """Show the error in the dialog, which would cover a notice in the window."""
        self._refused.setText(why)
        self._refused.show()
        self.changed.emit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()

    @Slot()
    def _show(self) -> None:
        if len(self._files.chips) > len(self.chips.chips):
            self._refused.hide()  # a file was added, so the error is outdated
        self.chips.show_files(self._files.chips)
        self._arrange()
        self.changed.emit()

    def _arrange(self) -> None:
        height = self.chips.arrange(self.width())
        self.chips.setGeometry(0, 0, self.width(), height)
        self._row.setFixedHeight(height)
        self._row.setVisible(bool(height))


_FIELD = 104


class AskField(QPlainTextEdit):
    """Plain text field in which Enter works like in the composer."""

    files_given = Signal(list)  # (paths): pasted or dropped
    image_given = Signal(bytes)  # (data): pasted or dropped image as file contents
    submitted = Signal()  # Enter should send

    def __init__(self, text: str, name: str, settings: Settings, parent: QWidget) -> None:
        super().__init__(text, parent)
        self._settings = settings
        self.setObjectName("field")
        self.setAccessibleName(name)
        self.setTabChangesFocus(True)
        begin_at_edge(self)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        enter = event.key() in {Qt.Key.Key_Return, Qt.Key.Key_Enter}
        if enter and enter_sends(event, self._settings):
            self.submitted.emit()
        else:
            super().keyPressEvent(event)

    def canInsertFromMimeData(self, source: QMimeData) -> bool:
        return source.hasText() or has_image(source) or bool(files_in(source))

    def insertFromMimeData(self, source: QMimeData) -> None:
        if files := files_in(source):  # otherwise we'd insert text like "file:///…"
            self.files_given.emit(files)
        elif not source.hasText() and (image := image_in(source)):
            self.image_given.emit(image)
        else:
            super().insertFromMimeData(source)


TEMPERATURES = (0.0, 0.7, 1.2, 0.4, 1.0, 1.5)  # n columns use the first n values, sorted
BY_SEED, BY_TEMPERATURE, BY_MODEL = mark("Seeds"), mark("Temperatures"), mark("Models")
"""Kinds of comparison, to be translated with `tr`."""
MOST = 6  # more columns would be too narrow to read


class ComparisonColumn(Struct, frozen=True):
    model: str
    options: ChatOptions
    words: str


def seed_columns(
    model: str, options: ChatOptions, defaults: Mapping[str, Any], count: int
) -> list[ComparisonColumn]:
    """Return columns that differ by their seed. ``defaults``: see `Model.defaults`."""
    sampled = varied(options, defaults)
    return [
        ComparisonColumn(model, replace(sampled, seed=n), tr("Seed {n}", n=n))
        for n in range(1, count + 1)
    ]


def told_apart(names: Mapping[str, str]) -> dict[str, str]:
    """Make model names unique by adding the parent folder to duplicates. Keys are references."""
    times = Counter(names.values())
    return {
        ref: f"{name} ({Path(ref).parent.name or ref})" if times[name] > 1 else name
        for ref, name in names.items()
    }


def tally(kept: Mapping[str, Sequence[int]], names: Mapping[str, str]) -> str:
    """Summarize how often each model's reply was kept, best first. "" if there's no data."""
    ordered = sorted(kept.items(), key=lambda one: (-one[1][0] / max(1, one[1][1]), one[0]))
    parts = [
        tr(
            "{model} {kept} of {times}",
            model=names.get(ref) or model_fallback_name(ref),
            kept=times[0],
            times=times[1],
        )
        for ref, times in ordered
    ]
    return tr("Kept so far: {models}", models=", ".join(parts)) if parts else ""


class CompareDialog(Sheet):
    def __init__(
        self,
        models: list[tuple[str, str]],  # (reference, name) pairs
        current: str,
        options: ChatOptions,
        prompt: str,
        settings: Settings,
        parent: QWidget,
        *,
        # The current model's sampling defaults, see `Model.defaults`.
        defaults: Mapping[str, Any] | None = None,
        files: PaneFiles | None = None,  # files already attached to the message
    ) -> None:
        super().__init__("compare", tr("Compare"), parent, spacing=10)
        self._current = current
        self._options = options
        self._defaults = defaults or {}
        self._names = dict(models)
        self.prompt = AskField(prompt, tr("Message to compare"), settings, self)
        self.prompt.setPlaceholderText(tr("Write a message…"))
        self.prompt.setFixedHeight(_FIELD)
        self.files = CompareFiles(files, self.prompt, self) if files is not None else None
        self.kinds = {
            kind: QRadioButton(tr(kind), self) for kind in (BY_SEED, BY_TEMPERATURE, BY_MODEL)
        }
        self.kinds[BY_SEED].setChecked(True)
        self.count = QSpinBox(self)
        self.count.setAccessibleName(tr("Number of replies"))
        self.count.setRange(2, MOST)
        self.count.setValue(3)
        self.count.setSuffix(" " + tr("replies"))
        self.models = [QCheckBox(name, self) for _, name in models]
        for place, ((ref, _), box) in enumerate(zip(models, self.models, strict=True)):
            box.setToolTip(ref)
            box.setChecked(place < MOST)
            box.toggled.connect(self._refresh)
        self.blind = QCheckBox(tr("Blind comparison"), self)
        self.blind.setToolTip(tr("Shuffles the replies and hides names until you keep one"))
        self.tally = self.label(tally(settings.kept, self._names))
        self.why = self.label()
        keep_place(self.why)
        self.go = self.button(tr("Compare"), self.accept)
        self.prompt.submitted.connect(self.go.click)
        self.go.setShortcut(QKeySequence("Ctrl+Return"))
        how_many = across(self.count, SPRING, spacing=None)
        self.put(
            QLabel(tr("Message"), self),
            self.prompt,
            *([self.files] if self.files is not None else []),
            QLabel(tr("Compare by"), self),
            *self.kinds.values(),
            how_many,
            *self.models,
            self.tally,
            self.blind,
            self.why,
        )
        self.rows.addStretch(1)  # take up extra space below the rows
        self.put_foot(self.go)
        self.keep_wide(420)
        for button in self.kinds.values():
            button.toggled.connect(self._refresh)
        self.prompt.textChanged.connect(self._refresh)
        if self.files is not None:
            self.files.changed.connect(self._refresh)
        WheelGuard(self)
        self._refresh()
        self.prompt.setFocus()

    @property
    def kind(self) -> str:
        return next(kind for kind, button in self.kinds.items() if button.isChecked())

    def columns(self) -> list[ComparisonColumn]:
        kind, count = self.kind, self.count.value()
        if kind == BY_MODEL:
            chosen = [box.toolTip() for box in self.models if box.isChecked()]
            words = told_apart({ref: self._names[ref] for ref in chosen})
            return [ComparisonColumn(ref, self._options, words[ref]) for ref in chosen]
        if kind == BY_SEED:
            return seed_columns(self._current, self._options, self._defaults, count)
        return [
            ComparisonColumn(
                self._current,
                replace(self._options, temperature=t),
                tr("Temperature {value}", value=t),
            )
            for t in sorted(TEMPERATURES[:count])
        ]

    @property
    def attachments(self) -> Attachments:
        return self.files.attachments if self.files is not None else ()

    @Slot()
    def _refresh(self) -> None:
        by_model = self.kind == BY_MODEL
        self.count.setVisible(not by_model)
        for box in self.models:
            box.setVisible(by_model)
        self.tally.setVisible(by_model and bool(self.tally.text()))
        why = self._why_not()
        self.why.setText(why)
        self.why.setVisible(bool(why))
        self.go.setEnabled(not why)
        self.go.setToolTip(why)
        self.keep_high()

    def _why_not(self) -> str:
        columns = len(self.columns())
        if self.kind == BY_MODEL and len(self.models) < 2:
            return tr("Get a second model first.")
        if columns < 2:
            return tr("Choose at least two models.")
        if columns > MOST:
            return tr(
                "Choose up to {most} models. {columns} are selected.", most=MOST, columns=columns
            )
        if self.files is not None and self.files.reading:
            return tr("“{file}” is still being read.", file=self.files.reading[0])
        return "" if self.prompt.toPlainText().strip() else tr("Enter a message.")
