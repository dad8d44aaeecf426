from __future__ import annotations

import logging
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QTimer

from app.settings.language import counted, tr
from app.settings.paths import Paths
from app.store import Backup, ChatRecord, Store, StoreError, backups_of
from app.store.backups import restore
from app.store.database import copy, set_aside
from app.store.salvage import salvage
from app.ui.dialogs.store_dialogs import Recovery

log = logging.getLogger(__name__)


class StoreOpening:
    def __init__(
        self,
        file: Path,
        ask: Callable[[StoreError], Recovery],
        ask_folder: Callable[[], Path | None],
        ask_backup: Callable[[list[Backup]], Path | None],
        interrupted: Callable[[], bool],
    ) -> None:
        """``interrupted`` returns True if the app has to quit while a dialog is open."""
        self._file = file
        self._ask = ask
        self._ask_folder = ask_folder
        self._ask_backup = ask_backup
        self._interrupted = interrupted
        self.words = ""
        # profile folder the user chose instead, with a copy of the chats
        self.elsewhere: Path | None = None
        self.chats: list[ChatRecord] = []

    def open(self) -> Store | None:
        """Open the store. Return None if the user gives up or chooses another folder."""
        while True:
            problem: StoreError | None = None
            try:
                store = self._open_and_read()
            except StoreError as error:
                problem = error
            else:
                if store.journal_aside is not None:
                    self.words = tr(
                        "Your last changes before the crash may be missing. The "
                        "damaged journal is kept as {file}.",
                        file=store.journal_aside.name,
                    )
                return store
            while problem is not None:
                log.warning("cannot open the chats: %s", problem.code)
                way = self._ask_interruptibly(problem)
                if way is Recovery.QUIT:
                    return None
                problem = self._recover(way)
                if self.elsewhere is not None:
                    return None

    def _open_and_read(self) -> Store:
        """Open the store and read the list of chats.

        Large files aren't checked completely when they're opened, but reading the list finds
        damage.
        """
        store = Store.open(self._file)
        try:
            self.chats = store.chats()
        except StoreError:
            store.close()
            raise
        return store

    def _ask_interruptibly(self, problem: StoreError) -> Recovery:
        listening = QTimer(interval=200)  # Python only handles signals while Python code runs
        listening.timeout.connect(lambda: None)
        listening.start()
        way = self._ask(problem)
        listening.stop()
        return Recovery.QUIT if self._interrupted() else way

    def _recover(self, way: Recovery) -> StoreError | None:
        try:
            if way is Recovery.SET_ASIDE:
                aside = set_aside(self._file)
                self.words = tr(
                    "Stretto started without chats. Your earlier chats are kept as {file}.",
                    file=aside.name,
                )
            elif way is Recovery.ELSEWHERE:
                folder = self._ask_folder()
                if folder is not None:
                    copy(self._file, Paths.for_profile(folder).chats)
                    self.elsewhere = folder
            elif way is Recovery.RESTORE:
                backup = self._ask_backup(backups_of(self._file))
                if backup is not None:
                    self.words = restore_backup(self._file, backup)
            elif way is Recovery.SALVAGE:
                saved = salvage(self._file)
                self.words = tr(
                    "Recovered {messages} in {chats}. The damaged file is kept as {file}.",
                    messages=counted("%Ln message", "%Ln messages", saved.messages),
                    chats=counted("%Ln chat", "%Ln chats", saved.chats),
                    file=saved.aside.name,
                )
        except StoreError as error:
            return error
        return None


def restore_backup(file: Path, backup: Path) -> str:
    aside = restore(file, backup)
    if aside is None:
        return tr("Backup restored.")
    return tr("Backup restored. Your previous chats are kept as {file}.", file=aside.name)


def not_restored_text(error: StoreError) -> str:
    return tr("The backup couldn’t be restored. {why}", why=error.message)
