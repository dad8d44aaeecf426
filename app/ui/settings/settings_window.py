from __future__ import annotations

import sys
from functools import partial
from pathlib import Path
from typing import Any

from msgspec.structs import replace
from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QComboBox, QWidget

from app import flows
from app.chats.options import ChatOptions
from app.models.names import model_fallback_name
from app.serving import Serving
from app.settings.language import tr
from app.settings.paths import GUIDE, Paths, short_path
from app.settings.settings import Settings
from app.spelling.speller import Speller
from app.system.updates import Release, Updates
from app.ui.dialogs.about import UpdateDialog
from app.ui.pane.sampling_form import LENGTH, TEMPERATURE, Number, NumberBox
from app.ui.settings.appearance_rows import LanguageChoice, SpellingChoice, add_zoom
from app.ui.settings.form_page import FormPage, Segments, SettingsPages, Special, Switch
from app.ui.settings.other_programs import LocalApiRows, add_tray
from app.ui.style.theme import scaled
from app.ui.widgets import standard_dialogs
from app.ui.widgets.fields import make_text_field
from app.ui.widgets.layout_helpers import SPRING, make_row_layout
from app.ui.widgets.sheet import Sheet
from app.ui.widgets.widget_behavior import to_native_keys

_OPTIONS = set(ChatOptions.__struct_fields__)


class SettingsWindow(Sheet):
    """Settings window with searchable pages. It isn't modal, and changes apply immediately."""

    command_requested = Signal(str)  # (command)
    restart_requested = Signal()

    def __init__(
        self,
        settings: Settings,
        paths: Paths,
        parent: QWidget,
        updates: Updates | None = None,
        serving: Serving | None = None,
        speller: Speller | None = None,
    ) -> None:
        super().__init__("settings", tr("Settings"), parent)
        self._settings = settings
        self._set = settings.set
        self.numbers: dict[str, NumberBox] = {}
        pages = self.pages = SettingsPages(settings, self)
        pages.command_requested.connect(self.command_requested)
        updates = updates if updates is not None and updates.is_possible else None
        general: Special = {
            "language": self._add_language,
            "send_key": self._add_send_key,
            "spelling": partial(self._add_spelling, speller) if speller is not None else None,
            "tray": add_tray,
            "look_for_updates": partial(self._add_updates, updates) if updates else None,
        }
        pages.register_page("General", general)
        pages.register_page("Appearance", {"zoom": add_zoom})
        chats: Special = {
            "model": self._add_model,
            "temperature": partial(self._add_number, "temperature", TEMPERATURE),
            "max_tokens": partial(self._add_number, "max_tokens", LENGTH),
            "slide": self._add_slide,
            "system": self._add_instructions,
        }
        pages.register_page("Chats", chats)
        pages.register_page("Models", {"": self._add_models})
        if serving is not None:
            self.programs = LocalApiRows(serving, self)
            pages.register_page("Local API", self.programs.rows)
        pages.register_page("Tools", {})
        folders = {
            "data_folder": (tr("Show the chats and settings folder"), paths.data),
            "log_folder": (tr("Show the logs folder"), paths.log),
            "cache_folder": (tr("Show the caches folder"), paths.cache),
        }
        data = {name: partial(self._add_folder, name, *each) for name, each in folders.items()}
        pages.register_page("Data", data)
        self.rows.setContentsMargins(0, 0, 0, 0)
        self.add_rows(pages)
        self.resize(scaled(820), scaled(600))
        if not pages.show_page(settings.settings_page):
            pages.show_page("General")
        pages.page_opened.connect(lambda title: self._set(settings_page=title))
        pages.search.setFocus()

    def _add_language(self, page: FormPage) -> None:
        self.language = LanguageChoice(page)
        self.language.restart.clicked.connect(self.restart_requested)

    def _add_send_key(self, page: FormPage) -> None:
        enter = "Return" if sys.platform == "darwin" else "Enter"
        keys = {"enter": to_native_keys(enter), "ctrl_enter": to_native_keys(f"Ctrl+{enter}")}
        send = Segments(keys, self._settings.send_key, page)
        send.value_chosen.connect(lambda value: self._set(send_key=value))
        self.send_key = send.buttons
        page.row("send_key", send)

    def _add_spelling(self, speller: Speller, page: FormPage) -> None:
        self.spelling = SpellingChoice(page, speller)

    def _add_model(self, page: FormPage) -> None:
        self.model = QComboBox(page)
        self.model.setAccessibleName(tr("Model"))
        self.model.setMinimumWidth(scaled(190))
        self._fill_model("models")
        self._settings.announcer.changed.connect(self._fill_model)
        self.model.activated.connect(self._on_model)
        button = page.button(tr("Choose…"), lambda: flows.start(self, self._ask_for_model()))
        page.row("model", make_row_layout(self.model, button))

    def _add_number(self, name: str, number: Number, page: FormPage) -> None:
        box = self.numbers[name] = NumberBox(number, page)
        box.setButtonSymbols(NumberBox.ButtonSymbols.UpDownArrows)
        box.setMinimumWidth(scaled(140))
        box.set_default(number.engine)
        box.set_number(getattr(ChatOptions.from_params(self._settings.new_chat), name))
        box.valueChanged.connect(self._on_new_chat)
        page.row(name, box, tr(number.tip))

    def _add_slide(self, page: FormPage) -> None:
        self.slide = Switch(ChatOptions.from_params(self._settings.new_chat).slide, page)
        self.slide.toggled.connect(self._on_new_chat)
        page.row("slide", self.slide)

    def _add_instructions(self, page: FormPage) -> None:
        hint = tr("How models should behave in new chats")
        self.system = make_text_field(
            page, tr("Instructions"), self._settings.system, hint=hint, height=scaled(88)
        )
        self.system.textChanged.connect(lambda: self._set(system=self.system.toPlainText().strip()))
        page.row("system", self.system, below=True)

    @Slot(str)
    def _fill_model(self, option: str) -> None:
        if option not in {"models", "model", "same_model"}:
            return
        self.model.clear()
        self.model.addItem(tr("Same as Current Chat"), "")
        for ref in dict.fromkeys([GUIDE, self._settings.model, *self._settings.models]):
            self.model.addItem(model_fallback_name(ref), ref)
            self.model.setItemData(self.model.count() - 1, ref, Qt.ItemDataRole.ToolTipRole)
        default_ref = "" if self._settings.same_model else self._settings.model
        self.model.setCurrentIndex(self.model.findData(default_ref))

    @Slot(int)
    def _on_model(self, index: int) -> None:
        ref = str(self.model.itemData(index))
        if ref:
            self._set(model=ref, same_model=False)
        else:
            self._set(same_model=True)

    def _add_models(self, page: FormPage) -> None:
        items = (("models", tr("Models…")), ("get_model", tr("Get Model…")))
        self.models = [
            page.button(words, partial(self.command_requested.emit, name)) for name, words in items
        ]
        page.row("", make_row_layout(*self.models, SPRING), below=True)

    def _add_folder(self, name: str, words: str, folder: Path, page: FormPage) -> None:
        open_folder = partial(standard_dialogs.show_folder, folder)
        show = page.button(tr("Show in Folder"), open_folder, words)
        page.row(name, show, short_path(folder))

    def _add_updates(self, updates: Updates, page: FormPage) -> None:
        page.row("look_for_updates", page.field("look_for_updates"))
        now = self.check_button = page.button(tr("Check Now"), self._on_look_now)
        self.status = page.make_muted_label("")
        self.status.setWordWrap(True)
        now.clicked.connect(updates.check)
        updates.check_finished.connect(self._on_looked)
        page.row("", make_row_layout((self.status, 1), now), below=True)

    @Slot()
    def _on_look_now(self) -> None:
        self.check_button.setEnabled(False)
        self.status.setText(tr("Checking…"))

    @Slot(object, str)
    def _on_looked(self, release: Release | None, reason: str) -> None:
        self.check_button.setEnabled(True)
        if release is None:
            self.status.setText(reason)
        elif not release.is_newer:
            self.status.setText(tr("Stretto is up to date."))
        else:
            self.status.setText(tr("Stretto {version} is available.", version=release.version))
            if self.isVisible():
                UpdateDialog(release, self._settings, self).show()

    @Slot()
    def _on_new_chat(self) -> None:
        # Keep options that have no row here, e.g. if they're from a newer version.
        options_before = ChatOptions.from_params(self._settings.new_chat)
        numbers: dict[str, Any] = {name: box.number for name, box in self.numbers.items()}
        options = replace(options_before, **numbers, slide=self.slide.isChecked())
        other_params = {k: v for k, v in self._settings.new_chat.items() if k not in _OPTIONS}
        self._set(new_chat=other_params | options.to_params())

    async def _ask_for_model(self) -> None:
        folder = await standard_dialogs.ask_for_folder(self, tr("Model for New Chats"))
        if folder is not None:
            self.take_model(str(folder))

    def take_model(self, ref: str) -> None:
        if self.model.findData(ref) < 0:
            self.model.addItem(model_fallback_name(ref), ref)
        self.model.setCurrentIndex(self.model.findData(ref))
        self._set(model=ref, same_model=False)
