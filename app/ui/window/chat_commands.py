"""Commands that create, open, close, delete and branch chats, with undo."""

from __future__ import annotations

import threading
from collections.abc import Callable, Coroutine, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import Slot
from PySide6.QtWidgets import QApplication, QDialog

from app import flows
from app.chats.actions import Action
from app.chats.chat import Chat
from app.chats.transcript import RemovedMessages
from app.chats.turn import Event
from app.models.names import model_fallback_name
from app.settings.language import counted, mark, tr
from app.settings.paths import GUIDE
from app.store import Queued
from app.ui.pane.pane import ChatPane
from app.ui.widgets import standard_dialogs
from app.ui.window.commands import NO_CHAT, CommandScope, command
from app.ui.window.context import WindowController, WindowParts
from app.ui.workspace.placement import equalize_splitter, has_room
from engine.hub.inventory import FolderFacts, facts_of


def _inspect(path: Path, stop: threading.Event) -> FolderFacts:
    return facts_of(path, stop.is_set)


class ChatCommands(WindowController):
    def __init__(self, parts: WindowParts) -> None:
        super().__init__(parts)
        workspace, library = self._workspace, self._library
        workspace.new_chat_requested.connect(self.new)
        workspace.split_requested.connect(self.split)
        workspace.pane_made.connect(self._on_pane_made)
        workspace.pane_closed.connect(self._on_pane_closed)
        library.chat_erased.connect(self._on_erased)

    @command("new", mark("New Chat"), "Ctrl+N", "Ctrl+T", where=CommandScope.ANYWHERE)
    @Slot()
    def switch_to_new(self) -> None:
        """Switch to a new chat, or focus the current chat if it is empty."""
        self._switch_to_new(self.next_model)

    @command("ask_guide", mark("Ask the Guide"), where=CommandScope.ANYWHERE)
    def ask_guide(self) -> None:
        self._switch_to_new(GUIDE)

    def _switch_to_new(self, model: str) -> None:
        active = self._workspace.active
        if active is not None and active.chat.is_blank and active.chat.record.model == model:
            active.focus_composer()
        else:
            self._open_new("tab", model)

    @Slot()
    def new(self) -> None:
        self.split("tab")

    @command("split_right", mark("Split Right"), "Ctrl+\\")
    def split_right(self) -> None:
        self.split("right")

    @command("split_down", mark("Split Down"), "Ctrl+Shift+\\")
    def split_down(self) -> None:
        self.split("down")

    @Slot(str)
    def split(self, where: str) -> None:
        """Open a new chat as a "tab", to the "right", or "down"."""
        self._open_new(where, self.next_model)

    def _open_new(self, where: str, model: str) -> None:
        chat = self.begin(model)
        self._workspace.show_chat(chat, self._fitting_place(where))
        chat.model.load()

    def begin(self, model: str = "") -> Chat:
        """Create a chat with ``model``, or by default with the model for new chats."""
        settings = self._settings
        return self._library.new(model or self.next_model, settings.new_chat, settings.system)

    @property
    def next_model(self) -> str:
        settings, active = self._settings, self._workspace.active
        if settings.same_model and active is not None:
            return active.chat.record.model
        return settings.model

    def _fitting_place(self, where: str) -> str:
        """Return "tab" if splitting would make the panes too small, or else ``where``."""
        active = self._workspace.active
        if where != "tab":
            self._workspace.restore_panes()  # maximized panes appear to have more space
        if where == "tab" or active is None or has_room(self._workspace, active, where):
            return where
        self._toast.show_text(tr("No room for another pane. The chat opened as a tab."))
        return "tab"

    def chat(self, chat_id: str, defaults: object = None) -> Chat:
        """Return a chat by its ID, or a new chat if it isn't stored.

        ``defaults`` is from the saved layout and holds model, params and system prompt of an empty
        chat.
        """
        if self._library.chat(chat_id) is not None or self._library.find(chat_id) is not None:
            return self._library.open(chat_id, self._settings.model)
        values = defaults if isinstance(defaults, dict) else {}
        model, params, system = values.get("model"), values.get("params"), values.get("system")
        return self._library.new(
            model if isinstance(model, str) and model else self._settings.model,
            params if isinstance(params, dict) else self._settings.new_chat,
            system if isinstance(system, str) else self._settings.system,
            chat_id,
        )

    @Slot(str)
    def open(self, chat_id: str, where: str = "tab") -> None:
        """Open a saved chat or switch to it. Long chats are loaded asynchronously."""
        if self._library.is_long(chat_id):
            flows.start(self, self._open_long(chat_id, partial(self._open_now, chat_id, where)))
        else:
            self._open_now(chat_id, where)

    def _open_now(self, chat_id: str, where: str = "tab") -> None:
        # The chat may come from an outdated search result.
        if self._library.is_deleted(chat_id):
            self._toast.show_text(tr("This chat is in the Trash."))
            return
        chat = self.chat(chat_id)
        if self._workspace.is_kept(chat_id):
            # A closed pane is kept for a while, so restore the pane in its old position.
            self._undos.forget_chat(chat_id)
            self._workspace.reopen(chat_id)
        else:
            self._workspace.show_chat(chat, self._fitting_place(where))
        chat.model.load()

    async def _open_long(self, chat_id: str, on_opened: Callable[[], object]) -> None:
        await self._library.open_long(chat_id)
        if self._library.find(chat_id) is not None:  # the chat may have been erased while loading
            on_opened()

    @Slot(str)
    def _open_source(self, chat_id: str) -> None:
        """Open a chat that another chat reads, unless it's missing, e.g. on another computer."""
        if self._library.chat(chat_id) is None and not self._library.is_deleted(chat_id):
            self._toast.show_text(tr("This chat is no longer there."))
        else:
            self.open(chat_id)

    @Slot(str)
    def open_beside(self, chat_id: str) -> None:
        self.open(chat_id, "right")

    @Slot(list)
    def open_together(self, ids: list[str]) -> None:
        for number, chat_id in enumerate(ids):
            self.open(chat_id, "right" if number else "tab")
        if (pane := self._workspace.pane(ids[0])) is not None:
            equalize_splitter(self._workspace, pane)

    @Slot()
    def forget_found(self) -> None:
        for pane in self._workspace.panes():
            pane.transcript.forget_found()

    @Slot(str, str, str)
    def open_at(self, chat_id: str, message_id: str, words: str = "") -> None:
        """Open a chat, scroll to a message and highlight the search terms."""
        if self._library.is_long(chat_id):
            on_opened = partial(self.open_at, chat_id, message_id, words)
            flows.start(self, self._open_long(chat_id, on_opened))
            return
        self.open(chat_id)
        pane = self._workspace.pane(chat_id)
        if pane is None:
            return
        pane.transcript.forget_found()
        if not message_id:
            return
        before = pane.chat.transcript.leaf_id or ""
        if pane.chat.show_branch_of(message_id):
            pane.transcript.show_found(message_id, words)
            if (leaf := pane.chat.transcript.leaf_id or "") != before:
                older = mark("This is an older version of the chat.")
                other = mark("The chat now shows another version.")
                self._undos.offer_undo(
                    tr(older if leaf < before else other),
                    partial(self._switch_back, chat_id, before),
                    label=tr("Switch Back"),
                )
        elif message_id in pane.chat.transcript:
            self._toast.show_text(
                tr("That message is in another version. Wait until the reply has ended.")
            )

    def _switch_back(self, chat_id: str, leaf_id: str) -> bool:
        if (pane := self._reopen_for_undo(chat_id)) is None:
            return True
        if pane.chat.show_branch_of(leaf_id):
            pane.transcript.show_message(leaf_id)
            return True
        self._toast.show_text(pane.chat.why_not(Action.GO_TO, leaf_id))
        return False

    def _cannot_close(self) -> str:
        dialog = isinstance(QApplication.activeWindow(), QDialog)
        return "" if dialog or self._workspace.active is not None else tr(NO_CHAT)

    @command(
        "close", mark("Close Chat"), "Ctrl+W", where=CommandScope.ANYWHERE, why_not=_cannot_close
    )
    def close_front(self) -> None:
        """Close the dialog in front, or else the active pane."""
        front = QApplication.activeWindow()
        if isinstance(front, QDialog):
            front.close()
        elif self._workspace.active is not None:
            self._workspace.close_pane(self._workspace.active)

    @Slot(str)
    def delete(self, chat_id: str) -> None:
        """Move a chat to the trash without asking for confirmation. The user can undo this."""
        pane = self._workspace.pane(chat_id)
        if self._library.chat(chat_id) is None:
            return
        if pane is not None:
            self._workspace.close_pane(pane)
        if self._library.chat(chat_id) is None:
            return  # empty chats are discarded on closing
        self._library.delete(chat_id)
        was_open = pane is not None

        def restore() -> None:
            self._library.restore(chat_id)
            if was_open:
                self.reopen(chat_id)

        self._undos.offer_undo(tr("Chat moved to Trash"), restore, chat_id)

    @Slot(str)
    def _on_erased(self, chat_id: str) -> None:
        self._undos.forget_chat(chat_id)
        self._workspace.delete_closed(chat_id)

    def reopen(self, chat_id: str) -> None:
        if not self._workspace.reopen(chat_id):
            self.open(chat_id)

    @Slot(str)
    def _on_pane_closed(self, chat_id: str) -> None:
        chat = self._library.find(chat_id)
        words = "" if chat is not None and chat.is_blank else tr("Chat closed")
        blank = self.discard_if_blank(chat_id)

        def restore() -> None:
            if blank:
                self._library.restore(chat_id)
            self.reopen(chat_id)

        self._undos.offer_undo(words, restore, chat_id, seconds=6.0)

    def close_several(self, panes: Sequence[ChatPane]) -> None:
        ids = [pane.chat.id for pane in panes]
        for pane in panes:
            self._workspace.close_pane(pane, announce=False)
        blank = {chat_id for chat_id in ids if self.discard_if_blank(chat_id)}

        def restore() -> None:
            for chat_id in ids:
                if chat_id in blank:
                    self._library.restore(chat_id)
                self.reopen(chat_id)

        for chat_id in ids:
            self._undos.forget_chat(chat_id)
        self._undos.offer_undo(
            counted("Chat closed", "%n chats closed", len(ids)), restore, seconds=6.0
        )

    def discard_if_blank(self, chat_id: str) -> bool:
        """Delete a stored chat if it's empty. Return True if it was."""
        chat = self._library.find(chat_id)
        blank = chat is not None and chat.is_stored and chat.is_blank
        if blank:
            self._library.delete(chat_id)
        return blank

    @Slot(str)
    def pause_chat(self, chat_id: str) -> None:
        """Pause or resume a reply, even in a chat without a pane."""
        chat = self._library.find(chat_id)
        if chat is not None and (reason := chat.why_not(Action.PAUSE)):
            self._toast.show_text(reason)
        elif chat is not None:
            chat.turn.handle(Event.PAUSE)

    def _why_not_stop_all(self) -> str:
        return "" if self._library.replying_chats() else tr("No model is replying")

    @command("stop_all", mark("Stop All Replies"), "Ctrl+Shift+.", why_not=_why_not_stop_all)
    def stop_all(self) -> None:
        """Stop all replies, even in chats without a pane."""
        running = self._library.replying_chats()
        for chat in running:
            chat.turn.handle(Event.STOP)
        words = counted("%n reply stopped", "%n replies stopped", len(running))
        self._toast.show_text(words)

    @command("open_model", mark("Open Model Folder…"), "Ctrl+O", where=CommandScope.ANYWHERE)
    @Slot()
    def open_model_folder(self) -> None:
        title = tr("Open Model Folder")
        flows.start(
            self,
            self._ask_for_model(
                title, lambda: standard_dialogs.ask_for_folder(self._window, title)
            ),
        )

    @command("open_gguf", mark("Open GGUF File…"), where=CommandScope.ANYWHERE)
    @Slot()
    def open_gguf_file(self) -> None:
        """Let the user choose a GGUF file for the active chat. The first use converts it."""
        only = tr("GGUF files") + " (*.gguf *.GGUF)"
        title = tr("Open GGUF File")
        flows.start(
            self,
            self._ask_for_model(
                title, lambda: standard_dialogs.ask_for_file(self._window, title, only)
            ),
        )

    async def _ask_for_model(
        self, title: str, choose: Callable[[], Coroutine[Any, Any, Path | None]]
    ) -> None:
        """Ask until the user cancels or chooses a model that passes a quick check."""
        while (path := await choose()) is not None:
            facts = await flows.run_in_thread(partial(_inspect, path))
            if not facts.problem:
                self.use_model(str(path))
                return
            name = model_fallback_name(str(path))
            words = tr("{name} couldn’t be loaded. {error}", name=name, error=facts.problem)
            if not await standard_dialogs.ask_for_other_model(self._window, title, words):
                return

    def use_model(self, ref: str) -> None:
        """Use a model in the active chat, or in a new chat if the active chat has messages."""
        active = self._workspace.active
        if active is None or active.chat.transcript.leaf_id is not None:
            settings = self._settings
            chat = self._library.new(ref, settings.new_chat, settings.system)
            self._workspace.show_chat(chat, "tab")
        else:
            chat = active.chat
        chat.model.set(ref)
        if (pane := self._workspace.pane(chat.id)) is not None:
            pane.window().activateWindow()  # needed because a dialog is in front
            self._workspace.activate(pane)

    @Slot(object)
    def _on_pane_made(self, pane: ChatPane) -> None:
        pane.notice_posted.connect(self._toast.show_text)
        pane.file_rejected.connect(self._toast.add_text)
        pane.branch_requested.connect(self._on_branch_asked)
        pane.messages_deleted.connect(self._on_messages_deleted)
        pane.queued_removed.connect(self._on_unqueued)
        pane.transcript.chat_requested.connect(self._open_source)

    @Slot(object, str)
    def _on_branch_asked(self, pane: ChatPane, message_id: str) -> None:
        self._workspace.activate(pane)
        branch = self._library.branch(pane.chat, message_id)
        self._workspace.show_chat(branch)
        branch.model.load()

    @Slot(str, object)
    def _on_messages_deleted(self, chat_id: str, removal: RemovedMessages) -> None:
        words = counted("%n message deleted", "%n messages deleted", len(removal.messages))
        self._undos.offer_undo(words, lambda: self._restore_messages(chat_id, removal))

    def _restore_messages(self, chat_id: str, removal: RemovedMessages) -> bool:
        if (pane := self._reopen_for_undo(chat_id)) is None:
            return True
        if reason := pane.chat.why_not(Action.RESTORE, removal.parent_id):
            self._toast.show_text(reason)
            return False
        return pane.chat.restore_messages(removal)

    def _reopen_for_undo(self, chat_id: str) -> ChatPane | None:
        """Open a chat in which an action will be undone. Return None if the chat was deleted."""
        if self._library.chat(chat_id) is None:
            return None
        self.open(chat_id)
        return self._workspace.pane(chat_id)

    @Slot(str, object, int)
    def _on_unqueued(self, chat_id: str, queued: Queued, at: int) -> None:
        def put_back() -> None:
            if (pane := self._reopen_for_undo(chat_id)) is not None:
                pane.chat.queue.restore(queued, at)

        self._undos.offer_undo(tr("Message removed from the queue"), put_back)
