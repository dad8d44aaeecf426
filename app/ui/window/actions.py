"""Every command of the window with its words and its keys: the menus and the list of shortcuts."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QMenu, QWidget


@dataclass(frozen=True)
class Command:
    """One command.

    Attributes:
        name: how the program calls it.
        text: how the menu does.
        keys: in Qt's portable spelling (Ctrl is Cmd on a Mac); the first is shown.
        menu: which menu it stands in; "-" before the name draws a line above it.
    """

    name: str
    text: str
    keys: tuple[str, ...]
    menu: str


# Control+Tab is Control on a Mac too, where Qt calls that key Meta.
_TAB = "Meta" if sys.platform == "darwin" else "Ctrl"

COMMANDS = (
    Command("new", "New Chat", ("Ctrl+N", "Ctrl+T"), "File"),
    Command("open_model", "Open Model Folder…", ("Ctrl+O",), "File"),
    Command("get_model", "Get Model…", ("Ctrl+Shift+O",), "File"),
    Command("close", "Close Chat", ("Ctrl+W",), "-File"),
    Command("undo_close", "Bring Back the Last Closed Chat", ("Ctrl+Shift+T",), "File"),
    Command("trash", "Trash", (), "-File"),
    Command("backups", "Restore from Backup…", (), "File"),
    Command("settings", "Settings…", ("Ctrl+,",), "-File"),
    Command("quit", "Quit", ("Ctrl+Q",), "-File"),
    Command("copy_answer", "Copy Last Answer", ("Ctrl+Shift+C",), "Edit"),
    Command("regenerate", "Answer Again", ("Ctrl+R",), "Edit"),
    Command("same_again", "Same Again", ("Ctrl+Shift+R",), "Edit"),
    Command("edit_last", "Edit Last Message", (), "Edit"),
    Command("earlier", "Earlier Version", ("Ctrl+[",), "Edit"),
    Command("later", "Later Version", ("Ctrl+]",), "Edit"),
    Command("stop", "Stop the Reply", (), "Edit"),
    Command("pause", "Pause or Resume the Reply", ("Ctrl+Shift+P",), "Edit"),
    Command("rename", "Rename Chat…", ("F2",), "-Edit"),
    Command("delete", "Delete Chat", (), "Edit"),
    Command("find", "Find in This Chat", ("Ctrl+F",), "-Edit"),
    Command("search", "Search All Chats", ("Ctrl+Shift+F",), "Edit"),
    Command("sidebar", "Sidebar", ("Ctrl+B",), "View"),
    Command("score", "Score", ("Ctrl+J",), "View"),
    Command("split_right", "Split Right", ("Ctrl+\\",), "Pane"),
    Command("split_down", "Split Down", ("Ctrl+Shift+\\",), "Pane"),
    Command("float", "Move to Its Own Window", ("Ctrl+Alt+O",), "Pane"),
    Command("move_before", "Move to the Pane Before", ("Ctrl+Shift+PgUp",), "Pane"),
    Command("move_after", "Move to the Pane After", ("Ctrl+Shift+PgDown",), "Pane"),
    Command("larger", "Larger Pane", ("Ctrl+Alt+=", "Ctrl+Alt++"), "Pane"),
    Command("smaller", "Smaller Pane", ("Ctrl+Alt+-",), "Pane"),
    Command("layouts", "Layouts", ("Ctrl+Shift+L",), "Pane"),
    Command("broadcast", "Broadcast to All Chats", ("Ctrl+Shift+B",), "-Pane"),
    Command("broadcast_one", "Leave or Join the Broadcast", ("Ctrl+Alt+B",), "Pane"),
    Command("compare", "Compare…", ("Ctrl+Alt+C",), "Pane"),
    Command("keep", "Keep This One of the Compared", ("Ctrl+Alt+K",), "Pane"),
    Command("next", "Next Chat", (f"{_TAB}+Tab",), "-View"),
    Command("previous", "Previous Chat", (f"{_TAB}+Shift+Tab",), "View"),
    Command("composer", "Go to the Message Field", ("Ctrl+L",), "View"),
    Command("next_part", "Next Part of the Window", ("F6",), "View"),
    Command("part_before", "Part of the Window Before", ("Shift+F6",), "View"),
    Command("full_screen", "Full Screen", ("F11",), "-View"),
    Command("shortcuts", "Keyboard Shortcuts", ("Ctrl+/",), "Help"),
    Command("about", "About Stretto", (), "Help"),
)

UNLISTED_KEYS = (
    ("Send", "Enter"),
    ("New line in the message", "Shift+Enter"),
    ("Stop the reply", "Esc"),
    ("Edit the last message", "Up, in an empty message"),
    ("Delete a chat", "Delete, in the sidebar"),
    ("Undo what a notice offers to undo", "Ctrl+Z"),
    ("From message to message", "Up and Down, in the conversation"),
    ("What can be done with a message", "Tab, in the conversation"),
    ("Move wide code sideways", "Left and Right, in the conversation"),
    ("Copy code, wrap its lines", "Shift+F10, in the conversation"),
    ("Pause or resume a reply", "Space, in the score"),
)
"""Keys that are no menu's: what has the focus takes them."""


class Commands:
    """The QActions of one window, by name.

    All have application scope: a pane in a window of its own obeys the same keys.
    """

    def __init__(self, window: QWidget, slots: dict[str, Callable[[], None]]) -> None:
        self._window = window
        self._actions: dict[str, QAction] = {}
        for command in COMMANDS:
            action = QAction(command.text, window)
            action.setShortcuts([QKeySequence(keys) for keys in command.keys])
            action.setShortcutContext(Qt.ShortcutContext.ApplicationShortcut)
            slot = slots[command.name]
            action.triggered.connect(lambda _checked=False, slot=slot: slot())
            if command.name == "quit":
                action.setMenuRole(QAction.MenuRole.QuitRole)
            elif command.name == "settings":
                action.setMenuRole(QAction.MenuRole.PreferencesRole)
            elif command.name == "about":
                action.setMenuRole(QAction.MenuRole.AboutRole)
            else:
                action.setMenuRole(QAction.MenuRole.NoRole)
            window.addAction(action)
            self._actions[command.name] = action

    def __getitem__(self, name: str) -> QAction:
        return self._actions[name]

    def menus(self, submenus: Mapping[str, QMenu]) -> list[QMenu]:
        """File, Edit, View, Pane and Help, as new menus.

        ``submenus``: by name the commands that stand there as a menu of their own.
        """
        made: dict[str, QMenu] = {}
        for command in COMMANDS:
            title = command.menu.lstrip("-")
            menu = made.setdefault(title, QMenu(title, self._window))
            if command.menu.startswith("-"):
                menu.addSeparator()
            if command.name in submenus:
                menu.addMenu(submenus[command.name])
            else:
                menu.addAction(self._actions[command.name])
        return list(made.values())


def shortcut_groups() -> list[tuple[str, list[tuple[str, str]]]]:
    """What the keys do, by menu: (words, keys as this system writes them)."""
    groups: dict[str, list[tuple[str, str]]] = {}
    for command in COMMANDS:
        if command.keys:
            row = (command.text.rstrip("…"), native(command.keys[0]))
            groups.setdefault(command.menu.lstrip("-"), []).append(row)
    unlisted = [(words, native(k) if k.startswith("Ctrl+") else k) for words, k in UNLISTED_KEYS]
    return [("In a chat", unlisted), *groups.items()]


def native(keys: str) -> str:
    """The keys as this system writes them: Cmd for Ctrl on a Mac."""
    return QKeySequence(keys).toString(QKeySequence.SequenceFormat.NativeText)
