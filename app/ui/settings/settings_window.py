"""The program's settings: a window that may stay open; what is chosen holds at once."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from msgspec.structs import replace
from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QComboBox, QPlainTextEdit, QPushButton, QWidget

from app import flows
from app.chats.library import ChatLibrary
from app.chats.options import ChatOptions
from app.models.names import model_fallback_name
from app.serving import Serving
from app.settings.language import mark, tr
from app.settings.paths import GUIDE, Paths, short_path
from app.settings.settings import Settings
from app.spelling.speller import Speller
from app.system.updates import Release, Updates
from app.ui.dialogs.about import UpdateDialog
from app.ui.models.model_list import ModelList
from app.ui.pane.sampling_form import LENGTH, TEMPERATURE, NumberBox
from app.ui.settings.form_page import FormPage, Pages, Segments, Switch
from app.ui.settings.look import LanguageChoice, Look, SpellingChoice
from app.ui.settings.other_programs import OtherPrograms, Reach
from app.ui.style.theme import scaled
from app.ui.widgets import asking
from app.ui.widgets.laying import across
from app.ui.widgets.manners import begin_at_edge, native
from app.ui.widgets.sheet import Sheet

_OPTIONS = set(ChatOptions.__struct_fields__)


class SettingsWindow(Sheet):
    """Pages that are searched; the one shown last is shown first."""

    asked = Signal(str)  # (command): the person wants what that command of the window does
    restart_asked = Signal()  # the program is to start again, in another language

    def __init__(
        self,
        settings: Settings,
        paths: Paths | None,
        parent: QWidget,
        open_folder: Callable[[Path], object] | None = None,
        library: ChatLibrary | None = None,
        updates: Updates | None = None,
        serving: Serving | None = None,
        speller: Speller | None = None,
    ) -> None:
        super().__init__("settings", tr("Settings"), parent)
        self._settings = settings
        self._set = settings.set
        self._open_folder = open_folder or asking.show_folder
        pages = self.pages = Pages(settings, self)
        pages.page(mark("General"), lambda page: self._general(page, updates, speller))
        pages.page(mark("Appearance"), self._appearance)
        pages.page(mark("Chats"), self._chats)
        pages.page(mark("Models"), lambda page: self._models(page, library))
        if serving is not None:
            pages.page(mark("Local API"), lambda page: self._programs(page, serving))
        pages.page(mark("Tools"), self._tools)
        pages.page(mark("Data"), lambda page: self._data(page, paths))
        self.rows.setContentsMargins(0, 0, 0, 0)
        self.put(pages)
        self.resize(scaled(820), scaled(600))
        if not pages.show_page(settings.settings_page):
            pages.show_page("General")
        pages.turned.connect(lambda title: self._set(settings_page=title))
        pages.search.setFocus()

    @property
    def removed(self) -> list[tuple[int, str]]:
        """What was removed from the list of models and can be brought back: its place, and it."""
        return self.models.removed if "Models" in self.pages.pages else []

    def _button(
        self, page: FormPage, words: str, verb: str, command: str, about: str = ""
    ) -> QPushButton:
        """A row of which the button does what a command of the window does."""
        asked = partial(self.asked.emit, command)
        button = page.button(verb, asked, f"{tr(words)}: {verb}")
        page.row(words, button, about)
        return button

    def _general(self, page: FormPage, updates: Updates | None, speller: Speller | None) -> None:
        self.language = LanguageChoice(page)
        self.language.restart.clicked.connect(self.restart_asked)
        self._button(page, mark("Keyboard shortcuts"), tr("Customize…"), "shortcuts")
        page.section(mark("Messages"))
        enter = "Return" if sys.platform == "darwin" else "Enter"
        keys = (("enter", native(enter)), ("ctrl_enter", native(f"Ctrl+{enter}")))
        send = Segments(tr("Send messages with"), keys, self._settings.send_key, page)
        send.chosen.connect(lambda value: self._set(send_key=value))
        self.send_key = send.buttons
        page.row(mark("Send messages with"), send)
        self.long_paste = page.amount(
            mark("Attach long pastes as files"),
            "long_paste",
            tr(" characters"),
            tr("Never"),
            tr("Pasted text that is longer than this"),
            most=1_000_000,
            step=500,
        )
        if speller is not None:
            self.spelling = SpellingChoice(page, speller)
        self.notify = page.switch(
            mark("Notify about long replies"),
            "notify",
            tr("When one ends while Stretto is in the background"),
        )
        self.reach = Reach(page)
        if updates is not None and updates.possible:
            self._updates(page, updates)

    def _appearance(self, page: FormPage) -> None:
        look = self.looks = Look(page)
        self.appearance, self.text_px, self.zoom = look.appearance, look.text_px, look.zoom
        self.contrast, self.motion = look.contrast, look.motion

    def _programs(self, page: FormPage, serving: Serving) -> None:
        self.programs = OtherPrograms(page, serving)

    def _tools(self, page: FormPage) -> None:
        about = tr("Programs that give models more tools")
        self._button(page, mark("Tool servers (MCP)"), tr("Manage…"), "tool_servers", about)

    def _chats(self, page: FormPage) -> None:
        self.titles = page.switch(
            mark("Name chats automatically"),
            "titles",
            tr("Named by the chat’s model while it is idle; names you set are kept"),
        )
        page.section(mark("New chats"))
        self.model = QComboBox(page)
        self.model.setAccessibleName(tr("Model"))
        self.model.setMinimumWidth(scaled(190))
        self._fill_model("models")
        self._settings.announcer.changed.connect(self._fill_model)
        self.model.activated.connect(self._on_model)
        other = page.button(tr("Choose…"), self._choose_model)
        page.row(mark("Model"), across(self.model, other))
        options = ChatOptions.from_params(self._settings.new_chat)
        self.numbers: dict[str, NumberBox] = {}
        for each in (TEMPERATURE, LENGTH):
            box = self.numbers[each.name] = NumberBox(each, page)
            box.setButtonSymbols(NumberBox.ButtonSymbols.UpDownArrows)
            box.setMinimumWidth(scaled(140))
            box.set_default(each.engine)
            box.set_number(getattr(options, each.name))
            box.valueChanged.connect(self._on_new_chat)
            page.row(each.words, box, tr(each.tip))
        words = mark("Leave out oldest messages when context is full")
        self.slide = Switch(tr(words), options.slide, page)
        self.slide.toggled.connect(self._on_new_chat)
        page.row(words, self.slide)
        self.system = QPlainTextEdit(self._settings.system, page)
        begin_at_edge(self.system)
        self.system.setObjectName("field")
        self.system.setAccessibleName(tr("Instructions"))
        self.system.setPlaceholderText(tr("How models should behave in new chats"))
        self.system.setTabChangesFocus(True)
        self.system.setFixedHeight(scaled(88))
        self.system.textChanged.connect(lambda: self._set(system=self.system.toPlainText().strip()))
        page.row(mark("Instructions"), self.system, below=True)

    @Slot(str)
    def _fill_model(self, option: str) -> None:
        """What new chats may begin with: the Guide, what is chosen, and what is listed."""
        if option != "models":
            return
        self.model.clear()
        self.model.addItem(tr("Same as Current Chat"), "")
        for ref in dict.fromkeys([GUIDE, self._settings.model, *self._settings.models]):
            self.model.addItem(model_fallback_name(ref), ref)
            self.model.setItemData(self.model.count() - 1, ref, Qt.ItemDataRole.ToolTipRole)
        chosen = "" if self._settings.same_model else self._settings.model
        self.model.setCurrentIndex(self.model.findData(chosen))

    @Slot(int)
    def _on_model(self, index: int) -> None:
        ref = str(self.model.itemData(index))
        if ref:
            self._set(model=ref, same_model=False)
        else:
            self._set(same_model=True)

    def _models(self, page: FormPage, library: ChatLibrary | None) -> None:
        self.models = ModelList(self._settings, library, self._open_folder, page)
        self.models.get.clicked.connect(lambda: self.asked.emit("get_model"))
        page.add(self.models)
        page.section(mark("Memory"))
        self.memory = page.amount(
            mark("Memory limit"),
            "memory_gb",
            tr(" GB"),
            tr("Automatic"),
            tr("For models and chats. Takes effect after a restart."),
            step=0.5,
        )
        self.idle = page.amount(
            mark("Unload idle models after"),
            "unload_idle_min",
            tr(" min"),
            tr("Never"),
            tr("They load again when a chat needs them"),
            step=5,
        )

    def _data(self, page: FormPage, paths: Paths | None) -> None:
        self.cache = page.amount(
            mark("Cached context on disk"),
            "cache_gb",
            tr(" GB"),
            tr("Off"),
            tr("Chats resume without re-reading. Takes effect after a restart."),
            step=0.5,
        )
        self._button(page, mark("Backups"), tr("Restore…"), "backups")
        self._button(page, mark("Trash"), tr("Show"), "trash")
        if paths is None:
            return
        page.section(mark("Folders"))
        for words, told, folder in (
            (mark("Chats and settings"), tr("Show the chats and settings folder"), paths.data),
            (mark("Logs"), tr("Show the logs folder"), paths.log),
            (mark("Caches"), tr("Show the caches folder"), paths.cache),
        ):
            show = page.button(tr("Show in Folder"), partial(self._open_folder, folder), told)
            page.row(words, show, short_path(folder))

    def _updates(self, page: FormPage, updates: Updates) -> None:
        page.section(mark("Updates"))
        self.look = page.switch(
            mark("Check for updates daily"),
            "look_for_updates",
            tr("Nothing about you is sent, and nothing is installed automatically"),
        )
        now = self.look_now = page.button(tr("Check Now"), self._on_look_now)
        self.looked = page.quiet("")
        self.looked.setWordWrap(True)
        now.clicked.connect(updates.look)
        updates.looked.connect(self._on_looked)
        page.row("", across((self.looked, 1), now), below=True)

    @Slot()
    def _on_look_now(self) -> None:
        self.look_now.setEnabled(False)
        self.looked.setText(tr("Checking…"))

    @Slot(object, str)
    def _on_looked(self, release: Release | None, why: str) -> None:
        self.look_now.setEnabled(True)
        if release is None:
            self.looked.setText(why)
        elif not release.is_newer:
            self.looked.setText(tr("Stretto is up to date."))
        else:
            self.looked.setText(tr("Stretto {version} is available.", version=release.version))
            if self.isVisible():
                UpdateDialog(release, self._settings, self).show()

    @Slot()
    def _on_new_chat(self) -> None:
        # What the window does not show (another version's options, say) stays as it is.
        known = ChatOptions.from_params(self._settings.new_chat)
        numbers: dict[str, Any] = {name: box.number for name, box in self.numbers.items()}
        options = replace(known, **numbers, slide=self.slide.isChecked())
        others = {k: v for k, v in self._settings.new_chat.items() if k not in _OPTIONS}
        self._set(new_chat=others | options.to_params())

    @Slot()
    def _choose_model(self) -> None:
        flows.start(self, self._ask_for_model())

    async def _ask_for_model(self) -> None:
        folder = await asking.folder(self, tr("Model for New Chats"))
        if folder is not None:
            self.take_model(str(folder))

    def take_model(self, ref: str) -> None:
        """Open new chats with this model."""
        if self.model.findData(ref) < 0:
            self.model.addItem(model_fallback_name(ref), ref)
        self.model.setCurrentIndex(self.model.findData(ref))
        self._set(model=ref, same_model=False)
