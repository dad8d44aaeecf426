"""What makes the window comfortable, and is no part of what it shows: made and held together."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtWidgets import QWidget

from app.chats.titling import Titling
from app.ui.sidebar.sidebar import Sidebar
from app.ui.widgets.manners import give_roles
from app.ui.widgets.toast import Toast
from app.ui.window.chat_commands import ChatCommands
from app.ui.window.commands import Commands
from app.ui.window.compare_commands import CompareCommands, Together
from app.ui.window.context import WindowContext
from app.ui.window.notices import Announcer, Notifications, Tray
from app.ui.window.offers import PromptCommands
from app.ui.window.palette_commands import PaletteCommands, QuickAsk
from app.ui.window.settings_commands import HelpCommands, SpellingCommands, TextSize
from app.ui.window.shortcuts import OwnKeys
from app.ui.window.undo import Undos
from app.ui.workspace.workspace import Workspace


class Comforts:
    """Makes them for one window.

    Attributes:
        keys: the commands' keys.
        owners: the objects whose methods the commands' functions are, for `Commands`.
    """

    def __init__(
        self,
        context: WindowContext,
        workspace: Workspace,
        chats: ChatCommands,
        undos: Undos,
        toast: Toast,
        sidebar: Sidebar,
        commands: Callable[[], Commands],
        come_forward: Callable[[], object],
        window: QWidget,
    ) -> None:
        """``commands``: gives those of the window, which are made after this."""
        give_roles()
        library, settings = context.library, context.settings
        self._commands = commands
        self.keys = OwnKeys(settings, window)
        self.keys.changed.connect(lambda: commands().refresh_keys())
        self.palette = PaletteCommands(library, settings, workspace, chats, toast, commands, window)
        self.text_size = TextSize(settings, sidebar, window)
        self.text_size.said.connect(toast.show_text)
        self.titling = Titling(library, lambda: settings.titles, window)
        self.notifications = Notifications(library, settings, window)
        self.announcer = Announcer(library, workspace, window)
        self.prompts = PromptCommands(settings, workspace, window)
        self.spelling = SpellingCommands(settings, context.speller, workspace, window)
        self.together = Together(chats.comparisons, library, settings, workspace)
        self.together.said.connect(toast.show_text)
        self.together.tied.connect(self._on_tied)
        self.quick = QuickAsk(library, settings, workspace, chats, window)
        self.tray = Tray(settings, commands, come_forward, window)
        self.compare = CompareCommands(
            library, context.store, settings, workspace, chats, undos, window
        )
        help_commands = HelpCommands(self.keys, window)
        self.owners: tuple[object, ...] = (
            *(
                self.palette,
                self.text_size,
                self.prompts,
                self.spelling,
                self.together,
                self.compare,
                self.quick,
                help_commands,
            ),
        )

    def _on_tied(self, on: bool) -> None:
        self._commands()["tie_scrolling"].setChecked(on)
