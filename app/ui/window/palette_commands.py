from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from itertools import islice
from pathlib import Path

from PySide6.QtCore import Slot
from PySide6.QtWidgets import QMenu

from app.chats.chat_organizer import day_heading, day_headings
from app.models.names import model_fallback_name
from app.remote.address import parse_ref
from app.settings.language import mark, tr
from app.settings.paths import GUIDE, short_path
from app.settings.settings import ROWS, Option
from app.store import ChatRecord
from app.ui.palette.finder import EntryKind, PaletteEntry
from app.ui.palette.palette import Palette
from app.ui.pane.pane import ChatPane
from app.ui.style.theme import scaled
from app.ui.window.chat_commands import ChatCommands
from app.ui.window.commands import MENUS, REGISTRY, CommandScope, command
from app.ui.window.context import WindowController, WindowParts
from app.ui.window.settings_commands import SettingsCommands
from app.ui.workspace.docks import move_onto_screen
from app.ui.workspace.placement import front_window

LATEST = 5  # chats shown before the user types anything
MOST_RECENT = 30  # limit of stored recent choices


class PaletteCommands(WindowController):
    def __init__(
        self, parts: WindowParts, chats: ChatCommands, settings_commands: SettingsCommands
    ) -> None:
        super().__init__(parts)
        self._chats = chats
        self._settings_commands = settings_commands
        self.palette: Palette | None = None  # None while closed
        self._days = day_headings()
        self._updates = parts.context.updates

    @command("palette", mark("Command Palette…"), "Ctrl+K")
    def toggle(self) -> None:
        if self.palette is not None:
            self.palette.close_palette()
            return
        self._days = day_headings()
        entries = self._entries(self._command_entries())
        window = front_window(self._workspace)
        recent = [
            key for key in self._settings.palette_recent if key != f"chat:{self._current_chat}"
        ]
        self.palette = Palette(entries, recent, window, self._search_entry)
        self.palette.entry_chosen.connect(self._on_chosen)
        self.palette.notice_posted.connect(self._toast.show_text)
        self.palette.closed.connect(self._on_closed)
        self._library.activity.connect(self.palette.refresh)

    def _entries(self, commands: list[PaletteEntry]) -> Iterator[PaletteEntry]:
        """Yield all entries lazily because there can be ten thousand chats.

        For an empty query this is also the display order: the latest chats, commands by menu, other
        chats, and the current chat at the end.
        """
        current_chat, chats = self._current_chat, self._library.chats()
        listed = (chat for chat in chats if chat.id != current_chat)
        yield from map(self._chat_entry, islice(listed, LATEST))
        yield from commands
        yield from map(self._chat_entry, listed)
        yield from (self._chat_entry(chat) for chat in chats if chat.id == current_chat)
        for ref, name in self._model_names(GUIDE).items():
            use = partial(self._chats.use_model, ref)
            yield PaletteEntry(
                EntryKind.MODEL, f"model:{ref}", name, use, beside=_model_location(ref)
            )
        pages = dict.fromkeys(row.page for row in ROWS.values())
        for row in (*map(Option, pages), *ROWS.values()):
            if row is ROWS["look_for_updates"] and not self._updates.is_possible:
                continue  # the settings window leaves it out, too
            page, words = row.page, row.label
            choices = row.choices.values() if isinstance(row.choices, Mapping) else ()
            yield PaletteEntry(
                EntryKind.SETTING,
                f"setting:{page}/{words}",
                tr(words or page),
                partial(self._settings_commands.show_setting, page, words),
                beside=tr("Settings, {page}", page=tr(page)) if words else tr("Settings"),
                english=words or page,
                also=" ".join(f"{tr(name)} {name}" for name in (row.search, *choices) if name),
            )

    @property
    def _current_chat(self) -> str:
        pane = self._workspace.active
        return pane.chat.id if pane is not None else ""

    def _chat_entry(self, chat: ChatRecord) -> PaletteEntry:
        day = day_heading(chat.updated_at, self._days)
        return PaletteEntry(
            EntryKind.CHAT,
            f"chat:{chat.id}",
            chat.display_title,
            partial(self._chats.open, chat.id),
            beside=f"{model_fallback_name(chat.model)} · {day}",
            choose_beside=partial(self._chats.open_beside, chat.id),
        )

    def _search_entry(self, typed: str) -> PaletteEntry:
        words = tr("Search Chats for “{words}”", words=typed)
        return PaletteEntry(EntryKind.COMMAND, "", words, partial(self._search, typed))

    def _search(self, typed: str) -> None:
        self._commands().run("search")
        self._sidebar.search.setText(typed)

    def _command_entries(self) -> list[PaletteEntry]:
        """Return entries for all commands, in menu order.

        Availability is checked now because it may depend on the focus.
        """
        commands = self._commands()
        listed = [
            PaletteEntry(
                EntryKind.COMMAND,
                f"command:{name}",
                tr(REGISTRY[name].text),
                partial(commands.run, name),
                beside=tr(menu),
                keys=commands.keys(name),
                why_not=commands.why_not(name),
                english=REGISTRY[name].text.rstrip("…"),
                ask_again=partial(commands.why_not, name),
            )
            for menu, names in MENUS.items()
            for name in names
            if name not in {"-", "palette"}
        ]
        return listed + [entry for menu in commands.submenus() for entry in _entries_of(menu)]

    @Slot(object)
    def _on_chosen(self, entry: PaletteEntry) -> None:
        if not entry.key:
            return
        other_keys = (key for key in self._settings.palette_recent if key != entry.key)
        self._settings.set(palette_recent=(entry.key, *other_keys)[:MOST_RECENT])

    @Slot()
    def _on_closed(self) -> None:
        self.palette = None


def _model_location(ref: str) -> str:
    if (remote := parse_ref(ref)) is not None:
        return remote.address
    return "" if ref == GUIDE else short_path(Path(ref)) if Path(ref).is_absolute() else ref


def _entries_of(menu: QMenu) -> Iterator[PaletteEntry]:
    """Yield entries of a submenu, e.g. named layouts, which aren't commands."""
    menu.aboutToShow.emit()  # submenus are filled when they open
    title = menu.title()
    for action in menu.actions():
        inner = action.menu()
        if isinstance(inner, QMenu):
            yield from _entries_of(inner)
        elif not action.isSeparator():
            words = action.text()
            # The name of a choice is ambiguous without the name of its menu.
            is_choice = action.actionGroup() is not None
            label = tr("{menu}: {choice}", menu=title, choice=words) if is_choice else words
            yield PaletteEntry(
                EntryKind.COMMAND,
                f"menu:{title}/{words}",
                label,
                action.trigger,
                beside="" if is_choice else title,
                why_not="" if action.isEnabled() else action.toolTip(),
            )


SIZE = (520, 300)
GROWN = 480  # height of the quick question window once it contains a conversation


class QuickAsk(WindowController):
    """Opens the quick question window. Closing it with Escape keeps the chat."""

    def __init__(self, parts: WindowParts, chats: ChatCommands) -> None:
        super().__init__(parts)
        self._chats = chats
        self._ids: set[str] = set()
        self._workspace.layout_changed.connect(self._on_arranged)

    @Slot()
    def _on_arranged(self) -> None:
        """Turn panes that were moved into the main window into normal panes."""
        for pane in self._workspace.panes():
            if pane.is_quick_question and pane.window() is self._workspace.window():
                pane.set_quick_question(False)

    @command("quick_ask", mark("Quick Question"), "Ctrl+Alt+Q", where=CommandScope.ANYWHERE)
    @Slot()
    def ask(self) -> None:
        """Open the window, or reuse a window whose chat is empty."""
        pane = next((p for p in self._workspace.panes() if self._is_unused(p)), None)
        if pane is None:
            chat = self._chats.begin()
            pane = self._workspace.show_in_window(chat)
            pane.escape_pressed.connect(self._on_escaped)
            pane.text_sent.connect(self._on_sent)
            pane.set_quick_question(True)
            self._ids.add(chat.id)
            window, main = pane.window(), self._workspace.window()
            window.setWindowTitle(tr("Quick Question"))
            window.resize(*map(scaled, SIZE))
            window.move(main.frameGeometry().center() - window.rect().center())
            move_onto_screen(window)
            chat.model.load()
        self._workspace.activate(pane)

    @Slot(object)
    def _on_sent(self, pane: ChatPane) -> None:
        window = pane.window()
        if window is not self._workspace.window() and window.height() < scaled(GROWN):
            window.resize(window.width(), scaled(GROWN))
            move_onto_screen(window)

    def _is_unused(self, pane: ChatPane) -> bool:
        is_blank_question = pane.chat.id in self._ids and pane.chat.is_blank
        return is_blank_question and pane.window() is not self._workspace.window()

    @Slot(object)
    def _on_escaped(self, pane: ChatPane) -> None:
        if pane.window() is self._workspace.window():  # the pane was moved into the main window
            return
        self._workspace.close_pane(pane, announce=not pane.chat.is_blank)
        self._chats.discard_if_blank(pane.chat.id)
