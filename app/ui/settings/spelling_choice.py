"""The setting of the spell checker: its language, or none."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QLocale, QObject, Slot
from PySide6.QtWidgets import QComboBox, QFormLayout

from app.language import mark, tr
from app.settings import Settings
from app.spelling.speller import AUTO, OFF, Speller
from app.ui.settings.form_page import FormPage
from app.ui.style.theme import scaled


class SpellingChoice(QObject):
    """The row: as the keyboard, off, and each language that the system has a dictionary of."""

    def __init__(
        self,
        page: FormPage,
        form: QFormLayout,
        settings: Settings,
        speller: Speller,
        put: Callable[..., object],
    ) -> None:
        super().__init__(page)
        self._settings = settings
        self._speller = speller
        self._put = put
        self.box = QComboBox(page)
        self.box.setAccessibleName(tr("Spelling"))
        self.box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self.box.activated.connect(self._on_chosen)
        page.row(form, mark("Spelling"), self.box)
        self.why = page.quiet("")
        self.why.setWordWrap(True)
        self.why.setFixedWidth(scaled(320))
        page.row(form, "", self.why)
        self._form = form
        speller.changed.connect(self._fill)
        self._fill()
        speller.open()

    @Slot()
    def _fill(self) -> None:
        chosen = self._settings.spelling
        entries = [(tr("The keyboard’s language"), AUTO), (tr("Not checked"), OFF)]
        languages = {*self._speller.languages, *({chosen} - {AUTO, OFF})}
        entries += sorted(zip(_called(sorted(languages)), sorted(languages), strict=True))
        if entries != [(self.box.itemText(n), self.box.itemData(n)) for n in _all(self.box)]:
            self.box.clear()
            for text, language in entries:
                self.box.addItem(text, language)
        self.box.setCurrentIndex(self.box.findData(chosen))
        there = bool(self._speller.languages) or not self._speller.opened
        self.box.setEnabled(there)
        why = self._speller.why_not
        self.why.setText(why)
        self.why.setMinimumHeight(self.why.heightForWidth(self.why.width()) if why else 0)
        self._form.setRowVisible(self.why, bool(why))

    @Slot(int)
    def _on_chosen(self, index: int) -> None:
        self._put(spelling=str(self.box.itemData(index)))
        self._fill()


def _all(box: QComboBox) -> range:
    return range(box.count())


def _called(languages: Sequence[str]) -> list[str]:
    """As each calls itself: "Deutsch"; with its land where two are called the same."""
    locales = [QLocale(language) for language in languages]
    names = [
        locale.nativeLanguageName() if locale.language() != QLocale.Language.C else language
        for locale, language in zip(locales, languages, strict=True)
    ]
    return [
        f"{name} ({locale.nativeTerritoryName()})" if names.count(name) > 1 else name
        for locale, name in zip(locales, names, strict=True)
    ]
