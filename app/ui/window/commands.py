"""Registry of the window's commands, from which menus and the list of shortcuts are generated."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from functools import partial
from types import FunctionType
from typing import Any, TypeVar

from msgspec import Struct
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QApplication, QDialog, QMenu, QWidget

from app.settings.language import mark, tr
from app.ui.widgets.widget_behavior import to_native_keys


class CommandScope(Enum):
    ANYWHERE = "anywhere"  # also in dialogs, e.g. settings
    CHATS = "chats"  # windows with chats
    PANE = "pane"  # if a chat is open; the function gets the active pane


class Command(Struct, frozen=True):
    name: str
    text: str  # English menu text, translated by `tr`
    # in portable format (Ctrl means Cmd on a Mac); the menu shows the first
    keys: tuple[str, ...]
    where: CommandScope
    function: Callable[..., object]  # method of an object passed to `Commands`
    # takes the same arguments, and returns why the command is unavailable, or ""
    why_not: Callable[..., str] | None
    checkable: bool  # can be on or off
    # takes the same arguments, and returns the current text, if it varies
    words: Callable[..., str] | None


REGISTRY: dict[str, Command] = {}
"""Commands by name, filled by the imports of the modules that define them."""

NO_CHAT = mark("No chat is open")

_F = TypeVar("_F", bound=Callable[..., object])


def command(
    name: str,
    text: str,
    *keys: str,
    where: CommandScope = CommandScope.CHATS,
    why_not: Callable[..., str] | None = None,
    checkable: bool = False,
    words: Callable[..., str] | None = None,
) -> Callable[[_F], _F]:
    """Register a method as a command. The arguments are fields of `Command`."""

    def register(function: _F) -> _F:
        if name in REGISTRY:
            raise ValueError(f"two commands are called {name}")
        REGISTRY[name] = Command(name, text, keys, where, function, why_not, checkable, words)
        return function

    return register


pane_command = partial(command, where=CommandScope.PANE)

# Qt refers to the Control key on a Mac as Meta.
TAB_MODIFIER = "Meta" if sys.platform == "darwin" else "Ctrl"

MENUS: dict[str, tuple[str, ...]] = {
    mark("File"): (
        *("new", "quick_ask", "new_folder", "-", "close", "undo_close", "-", "import", "export"),
        *("print", "-", "backups", "trash", "-", "settings", "-", "quit"),
    ),
    mark("Edit"): (
        *("undo", "redo", "-", "cut", "copy", "paste", "select_all", "-", "copy_answer", "-"),
        *("find", "search", "next_misspelt"),
    ),
    mark("View"): (
        *("palette", "-", "sidebar", "score", "-", "text_larger", "text_smaller", "text_usual"),
        *("-", "full_screen"),
    ),
    mark("Chat"): (
        *("rename", "pin", "archive", "move_chat", "tags", "delete", "-", "attach", "read_chat"),
        *("prompts", "save_prompt", "-", "regenerate", "same_again", "edit_last", "branch", "tree"),
        *("earlier", "later", "-", "stop", "stop_all", "pause", "-", "tools", "waiting_call"),
    ),
    mark("Compare"): (
        *("compare", "four", "panel_again", "panel_show", "tie_scrolling", "-"),
        *("keep", "panel_judge", "panel_merge", "panel_vote", "open_as_chats", "-"),
        *("broadcast", "broadcast_keep", "broadcast_one"),
    ),
    mark("Models"): (
        *("models", "get_model", "add_remote", "-", "open_model", "open_gguf", "machines", "-"),
        "tool_servers",
    ),
    mark("Window"): (
        *("split_right", "split_down", "float", "move_before", "move_after", "-"),
        *("maximise", "larger", "smaller", "even_out", "layouts", "-", "close_others"),
        *("close_right", "-", "next", "previous", "-", "composer"),
        *("next_part", "part_before"),
    ),
    mark("Help"): ("ask_guide", "-", "shortcuts", "about"),
}
"""Menus and the commands in them. "-" is a separator. Titles are translated by `tr`."""

TAB_MENU = (
    *("rename", "pin", "-", "split_right", "split_down", "float", "maximise", "-"),
    *("close", "close_others", "close_right"),
)

FOCUS_KEYS = (
    (mark("Send"), mark("Enter")),
    (mark("New line"), mark("Shift+Enter")),
    (mark("Send after the reply"), mark("Enter, during the reply")),
    (mark("Send now, interrupting the reply"), mark("Ctrl+Enter")),
    (mark("Remove queued message"), mark("Delete, on the message")),
    (mark("Stop reply"), mark("Esc")),
    (mark("Edit last message"), mark("Up, in an empty message")),
    (mark("Insert prompt"), mark("/, in an empty message")),
    (mark("Read another chat"), mark("@, in the message")),
    (mark("Next prompt variable"), mark("Tab, in the message")),
    (mark("Remove attachment"), mark("Delete, on the attachment")),
    (mark("Delete chat"), mark("Delete, in the sidebar")),
    (mark("Delete message and all after it"), mark("Delete, on a message")),
    (mark("Previous or next message"), mark("Up or Down, on a message")),
    (mark("Message actions"), mark("Tab, on a message")),
    (mark("Scroll code sideways"), mark("Left or Right, on a message")),
    (mark("Code menu"), mark("Shift+F10, on a message")),
    (mark("Pause or resume reply"), mark("Space (in the score)")),
    (mark("Keep compared reply"), mark("Enter, on a column")),
    (mark("Previous or next column"), mark("Left or Right, on a column")),
    (mark("Show branch"), mark("Enter, in the branches")),
    (mark("Name branch"), mark("F2, in the branches")),
    (mark("Compare branches"), mark("Shift+Enter, in the branches")),
    (mark("Show messages of a branch one by one"), mark("Shift+Right, in the branches")),
    (mark("Delete branch"), mark("Delete, in the branches")),
)
"""Keys handled by widgets, for the list of shortcuts. Keep them up to date with the widgets."""

_WIDGET_KEYS = {"stop": "Esc"}
"""Keys to show in menus that widgets handle, because they have other meanings elsewhere."""

_MENU_ROLES = {
    "quit": QAction.MenuRole.QuitRole,
    "settings": QAction.MenuRole.PreferencesRole,
    "about": QAction.MenuRole.AboutRole,
}


class Commands:
    """A window's commands as QActions.

    The actions have application scope so that shortcuts also work in floating windows.
    """

    def __init__(
        self,
        window: QWidget,
        owners: Sequence[object],  # objects whose methods are commands
        active: Callable[[], QWidget | None],  # returns the active pane
        say: Callable[[str], object],  # shows why a command is unavailable
        keys_of: Callable[[str], Sequence[str]],  # shortcuts with the user's changes
    ) -> None:
        self._window = window
        self._active = active
        self._say = say
        self._keys_of = keys_of
        methods: dict[object, object] = {
            method: owner
            for owner in owners
            for cls in type(owner).__mro__
            for method in vars(cls).values()
            if isinstance(method, FunctionType)
        }
        self._owners = {name: methods[entry.function] for name, entry in REGISTRY.items()}
        self._actions = {name: self._make(entry) for name, entry in REGISTRY.items()}
        self._menus: list[QMenu] = []

    def __getitem__(self, name: str) -> QAction:
        return self._actions[name]

    def keys(self, name: str) -> str:
        """Return the command's first shortcut in native format, or ""."""
        return to_native_keys(next(iter(self._keys_of(name)), ""))

    def refresh_keys(self) -> None:
        for name, action in self._actions.items():
            action.setShortcuts([QKeySequence(keys) for keys in self._keys_of(name)])

    def why_not(self, name: str) -> str:
        """Return a sentence about why a command is unavailable, or ""."""
        entry = REGISTRY[name]
        if entry.where is CommandScope.PANE and self._active() is None:
            return tr(NO_CHAT)
        return entry.why_not(*self._arguments(entry)) if entry.why_not is not None else ""

    def run(self, name: str) -> None:
        entry = REGISTRY[name]
        if entry.where is not CommandScope.ANYWHERE and isinstance(
            QApplication.activeWindow(), QDialog
        ):
            return  # window shortcuts shouldn't work in dialogs
        self.run_or_explain(name)

    def run_or_explain(self, name: str) -> None:
        """Run a command, or show why it's unavailable."""
        entry = REGISTRY[name]
        if reason := self.why_not(name):
            self._say(reason)
        else:
            entry.function(*self._arguments(entry))

    def menus(self, submenus: Mapping[str, QMenu]) -> list[QMenu]:
        """Return the menus in `MENUS`. ``submenus`` are shown in place of their commands."""
        for title, names in MENUS.items():
            self._menus.append(self._menu(tr(title), names, submenus))
        return self._menus

    def pop_up(self, names: Sequence[str], window: QWidget, at: QPoint) -> None:
        menu = self._menu("", names, {})
        menu.setParent(window, menu.windowFlags())
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(at)

    def _menu(self, title: str, names: Sequence[str], submenus: Mapping[str, QMenu]) -> QMenu:
        menu = QMenu(title, self._window)
        menu.setToolTipsVisible(True)
        for name in names:
            if name == "-":
                menu.addSeparator()
            elif name in submenus:
                menu.addMenu(submenus[name])
            else:
                menu.addAction(self._actions[name])
        menu.aboutToShow.connect(lambda: self._update_actions(names))
        menu.aboutToHide.connect(lambda: self._enable_all(names))
        return menu

    def submenus(self) -> list[QMenu]:
        menus = (action.menu() for menu in self._menus for action in menu.actions())
        return [menu for menu in menus if isinstance(menu, QMenu)]

    def _make(self, entry: Command) -> QAction:
        action = QAction(tr(entry.text), self._window)
        action.setShortcutContext(Qt.ShortcutContext.ApplicationShortcut)
        action.setShortcuts([QKeySequence(keys) for keys in self._keys_of(entry.name)])
        action.setCheckable(entry.checkable)
        action.setMenuRole(_MENU_ROLES.get(entry.name, QAction.MenuRole.NoRole))
        action.triggered.connect(lambda _checked=False, name=entry.name: self.run(name))
        self._window.addAction(action)
        return action

    def _arguments(self, entry: Command) -> tuple[Any, ...]:
        owner = self._owners[entry.name]
        return (owner, self._active()) if entry.where is CommandScope.PANE else (owner,)

    def _update_actions(self, names: Sequence[str]) -> None:
        for name in names:
            if name != "-":
                reason = self.why_not(name)
                self._actions[name].setEnabled(not reason)
                self._actions[name].setToolTip(reason)
                self._actions[name].setText(self._text_with_keys(name))

    def _text(self, name: str) -> str:
        entry = REGISTRY[name]
        if entry.words is None or (entry.where is CommandScope.PANE and self._active() is None):
            return tr(entry.text)
        return tr(entry.words(*self._arguments(entry)))

    def _text_with_keys(self, name: str) -> str:
        """Return the text of a menu item. Qt adds the shortcuts of actions."""
        text, keys = self._text(name), _WIDGET_KEYS.get(name, "")
        is_shown = keys and not self._keys_of(name) and sys.platform != "darwin"
        return f"{text}\t{to_native_keys(keys)}" if is_shown else text

    def _enable_all(self, names: Sequence[str]) -> None:
        """Enable all actions.

        A disabled action ignores its shortcut, so the user would not see why it's unavailable.
        """
        for name in names:
            if name != "-":
                self._actions[name].setEnabled(True)


_IF_CTRL_ENTER_SENDS = {
    "Send": "Ctrl+Enter",
    "New line": mark("Enter"),
    "Send after the reply": "Ctrl+Enter",
    "Send now, interrupting the reply": "Ctrl+Shift+Enter",
}


def focus_keys(send_key: str) -> list[tuple[str, str]]:
    other = _IF_CTRL_ENTER_SENDS if send_key == "ctrl_enter" else {}
    rows = [(words, other.get(words, keys)) for words, keys in FOCUS_KEYS]
    return [
        (tr(words), to_native_keys(keys) if keys.startswith("Ctrl+") else tr(keys))
        for words, keys in rows
    ]
