"""What ``python -m app.bench kill`` kills: chats worked at random, every change told on stdout.

Usage: python -m app.bench.scribbler PROFILE SEED. The store, the bridge and the controllers are the
program's own; the engine writes numbers. Each line of stdout is a JSON list, its second item the
monotonic time in seconds (one clock for all processes):

- ["ready", t]
- ["do", t, chat, added, gone]: an action begins that adds so many messages and removes those ids;
  without a chat it makes one,
- ["done", t, chat, tree]: it has ended, and the chat is this (see `ledger.tree`),
- ["erase", t, chat]: the chat is erased for good; ["sweep", t]: so are messages of earlier runs
- ["setting", t, text]: the settings are saved with this text
- ["draft", t, chat, text], ["text", t, message, more text], ["status", t, message, status]
"""

from __future__ import annotations

import itertools
import json
import os
import random
import sys
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from PySide6.QtCore import QCoreApplication, QObject, QTimer, Slot

from app.bench.ledger import tree
from app.bench.numbers import NumberEngine
from app.bridge import Bridge
from app.chats.controller import ChatController
from app.chats.library import ChatLibrary
from app.chats.model_choice import Shelf
from app.chats.transcript import Removal
from app.paths import Paths
from app.settings import Settings
from app.store import Store

CHATS = 5
LONGEST = 24  # messages; a longer chat is deleted, so that reports stay short


class Scribbler(QObject):
    """Does one random thing after the other, as a pane would."""

    def __init__(self, paths: Paths, seed: int) -> None:
        super().__init__()
        self._paths = paths
        self._settings = Settings.load(paths.settings)
        self._dice = random.Random(seed)
        self._words = itertools.count(1)
        self._seed = seed
        self._store = Store.open(paths.chats)
        bridge = Bridge(self)
        shelf = Shelf(bridge, self)
        self._library = ChatLibrary(self._store, bridge, shelf, self)
        self._watched: set[str] = set()
        self._removed: dict[str, Removal] = {}
        self._deleted: list[str] = []
        shelf.attach(NumberEngine())  # type: ignore[arg-type]  # speaks as much as is used here
        for chat in self._library.chats()[:CHATS]:
            self._open(chat.id)
        self._timer = QTimer(self, singleShot=True)
        self._timer.timeout.connect(self._next)
        tell("ready")
        self._timer.start(0)

    @Slot()
    def _next(self) -> None:
        """One action, then a short pause of random length."""
        dice = self._dice
        open_ones = [c for c in self._controllers() if self._library.chat(c.id) is not None]
        if len(open_ones) < CHATS and dice.random() < 0.3:
            self._type(self._watch(self._library.new("numbers")))
        elif open_ones:
            controller = dice.choice(open_ones)
            if len(controller.transcript.path) > LONGEST:
                self._delete_chat(controller)
            else:
                dice.choices(
                    (self._type, self._send, self._stop, self._again, self._edit, self._remove,
                     self._restore, self._turn, self._continue, self._branch, self._rename,
                     self._delete_chat, self._restore_chat, self._erase, self._sweep,
                     self._back_up, self._set),
                    (30, 14, 4, 6, 6, 6, 6, 4, 4, 3, 2, 2, 2, 2, 1, 2, 2),
                )[0](controller)  # fmt: skip
        self._timer.start(dice.choice((0, 0, 2, 10, 30, 80)))

    def _type(self, controller: ChatController) -> None:
        text = controller.chat.draft + f"{self._seed}-{next(self._words)} "
        tell("draft", controller.id, text)
        if controller.stored:
            controller.set_draft(text)
        else:
            self._do(controller, 0, (), lambda: controller.set_draft(text))

    def _send(self, controller: ChatController) -> None:
        """What the pane does: the message is said, then the composer is emptied."""
        text = controller.chat.draft
        if not text.strip() or controller.answering:
            return

        def send() -> None:
            controller.send(text)
            controller.set_draft("")

        tell("draft", controller.id, "")
        self._do(controller, 2, (), send)
        self._streams(controller)

    def _stop(self, controller: ChatController) -> None:
        controller.stop()

    def _again(self, controller: ChatController) -> None:
        if not controller.answering and controller.transcript.last("user") is not None:
            self._do(controller, 1, (), controller.regenerate)
            self._streams(controller)

    def _edit(self, controller: ChatController) -> None:
        last = controller.transcript.last("user")
        if not controller.answering and last is not None:
            text = f"{self._seed}-{next(self._words)} in other words"
            self._do(controller, 2, (), lambda: controller.edit(last.id, text))
            self._streams(controller)

    def _remove(self, controller: ChatController) -> None:
        path = controller.transcript.path
        if path and not controller.answering and controller.id not in self._removed:
            message = self._dice.choice(path)
            below = [m.id for m in controller.transcript._below(message.id)]

            def remove() -> None:
                removal = controller.delete_message(message.id)
                if removal is not None:
                    self._removed[controller.id] = removal

            self._do(controller, 0, below, remove)

    def _restore(self, controller: ChatController) -> None:
        removal = self._removed.get(controller.id)
        if removal is not None and not controller.answering:
            del self._removed[controller.id]
            parent = removal.messages[0].parent_id
            if parent is None or parent in controller.transcript:
                added = len(removal.messages)
                self._do(controller, added, (), lambda: controller.restore_messages(removal))

    def _turn(self, controller: ChatController) -> None:
        if not controller.answering:
            step = self._dice.choice((-1, 1))
            self._do(controller, 0, (), lambda: controller.show_other_version(step))

    def _continue(self, controller: ChatController) -> None:
        leaf = controller.transcript.leaf_id
        if leaf is None or controller.answering:
            return
        if controller.transcript[leaf].status in {"interrupted", "cancelled"}:
            self._do(controller, 0, (), lambda: controller.continue_answer(leaf))
            self._streams(controller)

    def _branch(self, controller: ChatController) -> None:
        """The copy is the chat that is added to; nobody but the store knows its id yet."""
        path = [m for m in controller.transcript.path if m.status != "streaming"]
        if path:
            message = self._dice.choice(path)
            copied = controller.transcript.path_to(message.id)
            tell("do", "", len(copied) - (message.role == "user"), [])
            made = self._watch(self._library.branch(controller, message.id))
            tell("done", made.id, self._tree(made))
            tell("draft", made.id, made.chat.draft)
            for copy in made.transcript.path:
                tell("text", copy.id, copy.content)
                tell("status", copy.id, copy.status)

    def _rename(self, controller: ChatController) -> None:
        title = f"Chat {next(self._words)}"
        self._do(controller, 0, (), lambda: controller.rename(title))

    def _delete_chat(self, controller: ChatController) -> None:
        self._do(controller, 0, (), lambda: self._library.delete(controller.id))
        self._deleted.append(controller.id)

    def _restore_chat(self, controller: ChatController) -> None:
        if self._deleted:
            chat = self._open(self._deleted.pop())
            self._do(chat, 0, (), lambda: self._library.restore(chat.id))

    def _erase(self, _: ChatController) -> None:
        """Empty the trash, or take one chat out of it for good."""
        ids = [chat.id for chat in self._library.trash()]
        if self._dice.random() < 0.7:
            ids = ids[:1]
        for chat_id in ids:
            tell("erase", chat_id)
            if chat_id in self._deleted:
                self._deleted.remove(chat_id)
            self._removed.pop(chat_id, None)
        self._library.erase(ids)

    def _sweep(self, _: ChatController) -> None:
        tell("sweep")
        self._library.sweep()

    def _back_up(self, _: ChatController) -> None:
        self._store.back_up()

    def _set(self, _: ChatController) -> None:
        self._settings.system = f"{self._seed}-{next(self._words)}"
        tell("setting", self._settings.system)
        self._settings.save(self._paths.settings)

    def _do(
        self, chat: ChatController, added: int, gone: Iterable[str], action: Callable[[], object]
    ) -> None:
        tell("do", chat.id, added, list(gone))
        action()
        tell("done", chat.id, self._tree(chat))

    def _tree(self, controller: ChatController) -> Any:
        chat = controller.chat
        there = list(controller.transcript._messages.values())
        deleted = self._library.chat(chat.id) is None
        return tree(chat.title, deleted, controller.transcript.leaf_id, there)

    def _streams(self, controller: ChatController) -> None:
        if controller.answering_id is not None:
            tell("status", controller.answering_id, "interrupted")

    def _controllers(self) -> list[ChatController]:
        found = (self._library.find(chat_id) for chat_id in sorted(self._watched))
        return [controller for controller in found if controller is not None]

    def _open(self, chat_id: str) -> ChatController:
        return self._watch(self._library.open(chat_id, "numbers"))

    def _watch(self, controller: ChatController) -> ChatController:
        if controller.id not in self._watched:
            self._watched.add(controller.id)
            controller.text_added.connect(self._on_text)
            controller.reply_ended.connect(self._on_ended)
        return controller

    @Slot(str, str, str)
    def _on_text(self, message_id: str, text: str, _kind: str) -> None:
        tell("text", message_id, text)

    @Slot(str)
    def _on_ended(self, message_id: str) -> None:
        controller = self.sender()
        if isinstance(controller, ChatController):
            tell("status", message_id, controller.transcript[message_id].status)


def tell(kind: str, *what: object) -> None:
    """One line, in one write: a kill leaves the last one whole or cut, never mixed."""
    os.write(1, (json.dumps([kind, time.monotonic(), *what]) + "\n").encode())


def main() -> None:
    qt = QCoreApplication(sys.argv[:1])
    paths = Paths.in_profile(Path(sys.argv[1]))
    paths.create()
    scribbler = Scribbler(paths, int(sys.argv[2]))
    qt.exec()
    del scribbler


if __name__ == "__main__":
    main()
