"""The window's layout, which is saved automatically, and named layouts."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from PySide6.QtCore import QByteArray, QEventLoop, QPoint, Qt, QTimer, Slot
from PySide6.QtWidgets import QApplication, QMenu

from app.chats.chat import Chat
from app.settings.language import counted, mark, tr
from app.store import StoreError
from app.ui.pane.pane import ChatPane
from app.ui.window.chat_commands import ChatCommands
from app.ui.window.commands import NO_CHAT, command
from app.ui.window.context import WindowController, WindowParts
from app.ui.window.named_things import NamedTexts, NamedThings
from app.ui.workspace.docks import Arrangement
from app.ui.workspace.placement import PaneWrapper

LAYOUT = "main"


class WindowLayout(WindowController):
    def __init__(
        self,
        parts: WindowParts,
        chats: ChatCommands,
        wrapping: PaneWrapper,
        is_narrow: Callable[[], bool],
    ) -> None:
        """``is_narrow`` returns True if the sidebar doesn't fit."""
        super().__init__(parts)
        self._is_narrow = is_narrow
        self._wrapping = wrapping
        self._chats = chats
        self._restored = False
        self.ended = False  # the app is quitting, so don't save or restore the layout anymore
        self._soon = QTimer(self, singleShot=True, interval=800)
        self._soon.timeout.connect(self.save)
        self._workspace.pane_made.connect(self._on_pane_made)
        self._workspace.layout_changed.connect(self.save_soon)
        self._workspace.geometry_changed.connect(self.save_soon)
        self._library.activity.connect(self.save_soon)
        self._workspace.active_changed.connect(self.save_soon)

    @property
    def was_too_narrow(self) -> bool:
        """Return True if the window was too narrow for both sidebar and panes last time."""
        return (self._store.layout(LAYOUT) or {}).get("narrow") is True

    @property
    def is_sidebar_folded(self) -> bool:
        """Return True if the sidebar was hidden for lack of space and the user hasn't opened it
        again.
        """
        return (
            self.was_too_narrow and (self._store.layout(LAYOUT) or {}).get("unfolded") is not True
        )

    def show_restored(self) -> bool:
        """Show the window and reopen the chats of the last session, or a new chat the first time.

        Returns False if the app was told to quit while the window was opening.
        """
        workspace, layout = self._workspace, self._store.layout(LAYOUT) or {}
        geometry, arrangement = layout.get("geometry"), Arrangement.from_json(layout)
        if isinstance(geometry, str):
            self._window.restoreGeometry(QByteArray.fromBase64(geometry.encode()))
        if arrangement is None or arrangement.chats:
            workspace.expect_panes()
        # Show the window first, because building the panes takes a while. Splitters divide up their
        # current size, so the size must be final before adding panes.
        self._window.show()
        self._window.activateWindow()
        QApplication.processEvents(QEventLoop.ProcessEventsFlag.ExcludeUserInputEvents)
        if self.ended:  # quit was requested by a signal
            return False
        if arrangement is None:
            self._chats.new()
        elif arrangement.chats:
            blank = layout.get("blank")
            defaults = blank if isinstance(blank, dict) else {}
            # The app may have crashed after deleting a chat, but before saving the layout.
            existing = [i for i in arrangement.chats if not self._library.is_deleted(i)]
            workspace.arrange(arrangement, list(self._open_readable(existing, defaults)))
            self._wrapping.restore(layout.get("wrapped"))
        # New panes are briefly visible. This shouldn't mark their chats as read.
        self._library.mark_unread(
            unread if isinstance(unread := layout.get("unread"), list) else ()
        )
        self._restored = True
        # Only load models that are in use.
        for pane in workspace.panes():
            pane.chat.model.load()
        return True

    def _open_readable(self, ids: Iterable[str], defaults: Mapping[str, Any]) -> Iterator[Chat]:
        """Yield the chats that can be opened. Damaged chats are reported and skipped."""
        for chat_id in ids:
            try:
                yield self._chats.chat(chat_id, defaults.get(chat_id))
            except StoreError as error:
                sys.excepthook(type(error), error, error.__traceback__)

    @Slot(object)
    def _on_pane_made(self, pane: ChatPane) -> None:
        # The chat outlives its pane, so its signals may already be connected.
        once = Qt.ConnectionType.UniqueConnection
        pane.chat.chat_changed.connect(self._on_chat_changed, once)

    @Slot()
    def _on_chat_changed(self) -> None:
        chat = self.sender()
        if isinstance(chat, Chat) and not chat.is_stored:
            self.save_soon()

    @Slot()
    def save_soon(self) -> None:
        if not self.ended:
            self._soon.start()

    @Slot()
    def save(self) -> None:
        if self._restored and not self.ended:
            geometry = bytes(self._window.saveGeometry().toBase64().data()).decode()
            arrangement = self._workspace.arrangement().to_json()
            # Empty chats aren't stored, so their options have to be saved here.
            blank = {
                pane.chat.id: {
                    "model": pane.chat.record.model,
                    "params": dict(pane.chat.record.params),
                    "system": pane.chat.record.system,
                }
                for pane in self._workspace.panes()
                if not pane.chat.is_stored
            }
            state = {**arrangement, "geometry": geometry, "blank": blank}
            state["wrapped"], state["narrow"] = self._wrapping.to_json(), self._is_narrow()
            state["unfolded"] = self._is_narrow() and not self._sidebar.isHidden()
            listed = (i for i in self._library.unread if self._library.chat(i) is not None)
            self._store.save_layout(LAYOUT, {**state, "unread": sorted(listed)})

    def end(self) -> None:
        self.save()
        self.ended = True
        self._soon.stop()


_SAVED_PREFIX = "saved/"  # the store also contains the window's own layout
_TEXTS = NamedTexts(
    save_entry=mark("Save Layout…"),
    save=mark("Save Layout"),
    rename=mark("Rename Layout"),
    none=mark("No layouts yet"),
    how_to_save=mark("To keep the current arrangement, choose Save Layout…"),
    replaced=mark("Layout “{name}” replaced"),
    renamed=mark("Layout renamed to “{name}”"),
    deleted=mark("Layout “{name}” deleted"),
    saved=mark("Layout “{name}” saved"),
    about=mark("Saves which chats are open and where."),
)


class Layouts(WindowController):
    def __init__(self, parts: WindowParts, chats: ChatCommands) -> None:
        super().__init__(parts)
        self.saved = NamedThings(_TEXTS, parts, self._read, self._write)
        self._chats = chats
        self.menu = QMenu(tr("Layouts"), self._window)
        self.menu.setToolTipsVisible(True)
        self.menu.aboutToShow.connect(self._fill)

    @command("layouts", mark("Layouts"), "Ctrl+Shift+L")
    @Slot()
    def pop_up(self) -> None:
        self._fill()
        x = (self._window.width() - self.menu.sizeHint().width()) // 2
        self.menu.popup(self._window.mapToGlobal(QPoint(x, self._window.height() // 5)))
        first = next((a for a in self.menu.actions() if a.isEnabled()), None)
        if first is not None:
            self.menu.setActiveAction(first)

    @Slot()
    def _fill(self) -> None:
        save = self.saved.fill(self.menu, self.open, self._workspace.arrangement)
        if not self._workspace.panes():
            save.setEnabled(False)
            save.setToolTip(tr(NO_CHAT))

    def save(self, name: str) -> None:
        self.saved.save(name, self._workspace.arrangement())

    def _read(self) -> dict[str, Arrangement]:
        layouts = {
            key.removeprefix(_SAVED_PREFIX): Arrangement.from_json(data)
            for key, data in self._store.layouts().items()
            if key.startswith(_SAVED_PREFIX)
        }
        return {name: layout for name, layout in layouts.items() if name and layout is not None}

    def _write(self, changes: Mapping[str, Arrangement | None]) -> None:
        for name, layout in changes.items():
            if layout is not None:
                self._store.save_layout(_SAVED_PREFIX + name, layout.to_json())
            else:
                self._store.delete_layout(_SAVED_PREFIX + name)

    def open(self, name: str) -> None:
        """Switch to a layout by opening its chats and closing all others.

        Replies being generated continue. The user can undo this.
        """
        layout = self.saved.get(name)
        if layout is None:
            return
        existing = self._not_deleted(layout.chats)
        if not existing:
            self._toast.show_text(
                tr("All chats in the layout “{name}” have been deleted", name=name)
            )
            return
        before = self._workspace.arrangement()
        closed = self._show(layout, existing)
        blank = [chat_id for chat_id in closed if self._chats.discard_if_blank(chat_id)]

        def undo() -> None:
            for chat_id in blank:
                self._library.restore(chat_id)
            for chat_id in self._show(before, self._not_deleted(before.chats)):
                self._chats.discard_if_blank(chat_id)

        missing = len(layout.chats) - len(existing)
        self._undos.offer_undo(_summary(name, len(closed), missing), undo)

    def _not_deleted(self, chats: Sequence[str]) -> list[str]:
        return [chat_id for chat_id in chats if not self._library.is_deleted(chat_id)]

    def _show(self, layout: Arrangement, chats: Sequence[str]) -> list[str]:
        opened = [self._chats.chat(chat_id) for chat_id in chats]
        closed = self._workspace.arrange(layout, opened)
        for chat in opened:
            chat.model.load()
        return closed


def _summary(name: str, closed: int, gone: int) -> str:
    if not closed and not gone:
        return tr("Layout “{name}” opened", name=name)
    words = [tr("Layout “{name}” opened.", name=name)]
    if closed:
        words.append(counted("%n other chat closed.", "%n other chats closed.", closed))
    if gone:
        words.append(
            counted("%n of its chats has been deleted.", "%n of its chats have been deleted.", gone)
        )
    return " ".join(words)
