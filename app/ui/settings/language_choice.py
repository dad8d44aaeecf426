"""The setting of the program's language, which holds from the next start on."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Slot
from PySide6.QtWidgets import QComboBox, QFormLayout, QHBoxLayout, QPushButton

from app.language import LANGUAGES, mark, tr
from app.settings import Settings
from app.translation import differs
from app.ui.settings.form_page import FormPage


class LanguageChoice:
    """The row: each language as it is called in itself, and a way to have it at once.

    Attributes:
        restart: shown where the next start will speak another language.
    """

    def __init__(
        self, page: FormPage, form: QFormLayout, settings: Settings, put: Callable[..., object]
    ) -> None:
        self._put = put
        self.box = QComboBox(page)
        self.box.setAccessibleName(tr("Language"))
        self.box.setToolTip(tr("Holds from the next start on"))
        self.box.addItem(tr("As the System"), "system")
        for code, name in LANGUAGES.items():
            self.box.addItem(name, code)
        self.box.setCurrentIndex(self.box.findData(settings.language))
        self.box.activated.connect(self._on_chosen)
        self.restart = QPushButton(tr("Restart Now"), page)
        self.restart.setAutoDefault(False)
        self.restart.setToolTip(
            tr("Stretto ends and starts again in this language. Answers that are written stop.")
        )
        self.restart.setVisible(differs(settings.language))
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addWidget(self.box)
        row.addWidget(self.restart)
        page.row(form, mark("Language"), row)

    @Slot(int)
    def _on_chosen(self, index: int) -> None:
        code = str(self.box.itemData(index))
        self._put(language=code)
        self.restart.setVisible(differs(code))
