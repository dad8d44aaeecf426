from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QLocale, QObject, Slot
from PySide6.QtGui import QAction, QActionGroup
from PySide6.QtWidgets import QComboBox, QMenu

from app.settings.language import LANGUAGES, percent, tr
from app.settings.settings import THEMES, ZOOM, Settings
from app.settings.translation import needs_restart
from app.spelling.speller import AUTO, OFF, Speller
from app.ui.settings.form_page import FormPage
from app.ui.widgets.fields import make_combo_box
from app.ui.widgets.labels import make_button, make_label
from app.ui.widgets.layout_helpers import make_row_layout
from app.ui.widgets.menus import add_action


def add_appearance(menu: QMenu, settings: Settings) -> None:
    submenu = menu.addMenu(tr("Theme"))
    group = QActionGroup(submenu)
    actions: dict[str, QAction] = {}
    for name, words in THEMES.items():
        act = partial(settings.set, appearance=name)
        actions[name] = add_action(submenu, tr(words), act, checked=False)
        group.addAction(actions[name])
    submenu.aboutToShow.connect(lambda: actions[settings.appearance].setChecked(True))


class LanguageChoice:
    """Row for the language, with a button that restarts the app to apply a change."""

    def __init__(self, page: FormPage) -> None:
        settings = self._settings = page.settings
        languages = [(tr("System"), "system"), *((name, code) for code, name in LANGUAGES.items())]
        self.box = make_combo_box(page, tr("Language"), languages, settings.language)
        self.box.activated.connect(self._on_chosen)
        self.restart = make_button(page, tr("Restart Now"))
        self.restart.setToolTip(tr("Restarts Stretto in this language. Replies stop."))
        self.restart.setVisible(needs_restart(settings.language))
        page.row("language", make_row_layout(self.restart, self.box))

    @Slot(int)
    def _on_chosen(self, index: int) -> None:
        code = str(self.box.itemData(index))
        self._settings.set(language=code)
        self.restart.setVisible(needs_restart(code))


class SpellingChoice(QObject):
    def __init__(self, page: FormPage, speller: Speller) -> None:
        super().__init__(page)
        self._settings = page.settings
        self._speller = speller
        self.box = QComboBox(page)
        self.box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self.box.activated.connect(self._on_chosen)
        page.row("spelling", self.box)
        self.why = make_label(page)
        self._why_row = page.row("", self.why, below=True)
        speller.changed.connect(self._fill)
        self._fill()
        speller.open()

    @Slot()
    def _fill(self) -> None:
        current = self._settings.spelling
        entries = [(tr("Keyboard language"), AUTO), (tr("Off"), OFF)]
        languages = {*self._speller.languages, *({current} - {AUTO, OFF})}
        entries += sorted(zip(_language_names(sorted(languages)), sorted(languages), strict=True))
        box = self.box
        if entries != [(box.itemText(n), box.itemData(n)) for n in range(box.count())]:
            self.box.clear()
            for text, language in entries:
                self.box.addItem(text, language)
        self.box.setCurrentIndex(self.box.findData(current))
        has_languages = bool(self._speller.languages) or not self._speller.opened
        self.box.setEnabled(has_languages)
        reason = self._speller.why_not
        self.why.setText(reason)
        self._why_row.setVisible(bool(reason))

    @Slot(int)
    def _on_chosen(self, index: int) -> None:
        self._settings.set(spelling=str(self.box.itemData(index)))
        self._fill()


def _language_names(languages: Sequence[str]) -> list[str]:
    locales = [QLocale(language) for language in languages]
    names = [
        locale.nativeLanguageName() if locale.language() != QLocale.Language.C else language
        for locale, language in zip(locales, languages, strict=True)
    ]
    return [
        f"{name} ({locale.nativeTerritoryName()})" if names.count(name) > 1 else name
        for locale, name in zip(locales, names, strict=True)
    ]


def add_zoom(page: FormPage) -> None:
    box = page.fields["zoom"] = QComboBox(page)
    for size in ZOOM:
        box.addItem(percent(size / 100), size)

    def show(zoom: int) -> None:
        box.setCurrentIndex(box.findData(zoom))

    show(page.settings.zoom)
    box.activated.connect(lambda n: page.settings.set(zoom=int(box.itemData(n))))
    page.connect_option("zoom", box, show)
    page.row("zoom", box)
