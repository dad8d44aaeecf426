"""What few need of the door for other programs: pages, sessions, limits of keys, idle models."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, Slot
from PySide6.QtWidgets import (
    QCheckBox,
    QFormLayout,
    QHBoxLayout,
    QLineEdit,
    QPushButton,
    QSpinBox,
    QWidget,
)

from app.language import mark, tr
from app.settings import SERVE_LIMITS, Settings
from app.ui.settings.form_page import FormPage


class DoorLimits(QObject):
    """Rows that are folded away under a button.

    Args:
        choose: changes settings, and lets the door follow them.

    Attributes:
        more: the button that folds and unfolds them.
    """

    def __init__(
        self,
        page: FormPage,
        form: QFormLayout,
        settings: Settings,
        choose: Callable[..., object],
    ) -> None:
        super().__init__(page)
        self._page, self._form, self._settings, self._choose = page, form, settings, choose
        self.more = QPushButton(tr("More"), page)
        self.more.setCheckable(True)
        self.more.setAutoDefault(False)
        self.more.setFixedWidth(max(120, self.more.sizeHint().width()))
        self.more.toggled.connect(self._on_more)
        page.row(form, "", self.more)
        self._rows: list[QWidget | QHBoxLayout] = []
        self.origins = QLineEdit(settings.serve_origins, page)
        self.origins.setAccessibleName(tr("Web pages that may ask"))
        self.origins.setPlaceholderText(tr("none", "no web page"))
        self.origins.setToolTip(tr("As https://example.org, several with blanks between them"))
        self.origins.setFixedWidth(320)
        self.origins.editingFinished.connect(self._on_origins)
        self._row(mark("Web pages"), self.origins)
        self.sessions = self._number("serve_sessions", tr("Sessions"), "", tr("none", "no session"))
        self.evict = QCheckBox(tr("One more takes the place of the longest unused"), page)
        self.evict.setChecked(settings.serve_evict)
        self.evict.toggled.connect(lambda on: choose(serve_evict=on))
        self._row(mark("Sessions"), self.sessions)
        self._row("", self.evict)
        self.per_key = self._number(
            "serve_per_key", tr("Requests at once"), tr(" at once"), tr("any at once")
        )
        self.per_minute = self._number(
            "serve_per_minute", tr("Requests a minute"), tr(" a minute"), tr("any a minute")
        )
        pair = QHBoxLayout()
        pair.setSpacing(8)
        for box in (self.per_key, self.per_minute):
            pair.addWidget(box)
        pair.addStretch(1)
        self._row(mark("Each key"), pair)
        self.unload = self._number(
            "serve_unload_min", tr("Unload idle models"), tr(" min"), tr("never")
        )
        self.unload.setToolTip(tr("Models that no chat here uses are unloaded after so long"))
        self._row(mark("Unload after"), self.unload)
        self._on_more(False)

    def _row(self, words: str, field: QWidget | QHBoxLayout) -> None:
        self._page.row(self._form, words, field)
        self._rows.append(field)

    def _number(self, option: str, name: str, suffix: str, nothing: str) -> QSpinBox:
        box = QSpinBox(self._page)
        box.setButtonSymbols(QSpinBox.ButtonSymbols.NoButtons)
        box.setRange(0, SERVE_LIMITS[option])
        box.setSuffix(suffix)
        box.setSpecialValueText(nothing)
        box.setFixedWidth(max(156, box.sizeHint().width()))
        box.setKeyboardTracking(False)  # not at each digit
        box.setValue(getattr(self._settings, option))
        box.setAccessibleName(name)
        box.valueChanged.connect(lambda value: self._choose(**{option: value}))
        return box

    @Slot()
    def _on_origins(self) -> None:
        origins = " ".join(self.origins.text().replace(",", " ").split())
        if origins != self._settings.serve_origins:
            self._choose(serve_origins=origins)

    @Slot(bool)
    def _on_more(self, on: bool) -> None:
        self.more.setText(tr("Less") if on else tr("More"))
        for field in self._rows:
            self._form.setRowVisible(field, on)
