"""Program that `tests.torture.kill` kills: changes chats at random and reports each change.

Usage: python -m tests.torture.scribbler PROFILE SEED. The store, the bridge and the chats are the
program's own, while the engine writes numbers. Each line of stdout is a JSON list with the
monotonic time in seconds (the same clock for all processes) as its second item:

- ["ready", t]
- ["do", t, chat, added, gone]: an action starts that adds `added` messages and removes the ids in
  `gone`. Without a chat it creates one.
- ["done", t, chat, tree]: the action has ended and the chat looks like this (see `ledger.tree`).
- ["erase", t, chat]: the chat is erased permanently.
- ["sweep", t]: messages that earlier runs removed are erased, and empty chats that they put into
  the trash.
- ["setting", t, text]: the settings are saved with this text.
- ["draft", t, chat, text], ["text", t, message, more text], ["status", t, message, status]
"""

from __future__ import annotations

import itertools
import json
import os
import random
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from PySide6.QtCore import QCoreApplication, QObject, QTimer, Slot

from app.bridge import Bridge
from app.chats import panel
from app.chats.chat import Chat
from app.chats.library import ChatLibrary
from app.chats.panel import Member
from app.chats.transcript import RemovedMessages
from app.chats.turn import Event, MessageEdit
from app.models.loading import ModelLoader
from app.settings.paths import Paths
from app.settings.settings import Settings
from app.store import Store
from engine.messages import text_of
from tests.app.fake_engine import FakeEngine
from tests.torture.ledger import tree

CHATS = 5
MEMBERS = (Member("one", seed=1), Member("two", system="Be brief."), Member("three"))
LONGEST = 24  # messages; longer chats are deleted to keep reports short


class NumberEngine(FakeEngine):
    def words_of(self, turns: Any) -> Iterator[tuple[str, str]]:
        count = len(text_of(turns[-1]["content"])) * 37 % 400
        return (("answer", f"{number} ") for number in range(count))


class Scribbler(QObject):
    def __init__(self, paths: Paths, seed: int) -> None:
        super().__init__()
        self._settings = Settings.load(paths.settings)
        self._dice = random.Random(seed)
        self._words = itertools.count(1)
        self._seed = seed
        self._store = Store.open(paths.chats)
        bridge = Bridge(self)
        loader = ModelLoader(bridge, self)
        self._library = ChatLibrary(self._store, bridge, loader, self)
        self._watched: set[str] = set()
        self._removed: dict[str, RemovedMessages] = {}
        self._deleted: list[str] = []
        loader.attach(NumberEngine(0.004))  # type: ignore[arg-type]
        for chat in self._library.chats()[:CHATS]:
            self._open(chat.id)
        self._timer = QTimer(self, singleShot=True)
        self._timer.timeout.connect(self._next)
        tell("ready")
        self._timer.start(0)

    @Slot()
    def _next(self) -> None:
        dice = self._dice
        open_ones = [c for c in self._opened() if self._library.chat(c.id) is not None]
        if len(open_ones) < CHATS and dice.random() < 0.3:
            self._type(self._watch(self._library.new("numbers")))
        elif open_ones:
            chat = dice.choice(open_ones)
            if len(chat.transcript.path) > LONGEST:
                self._delete_chat(chat)
            else:
                dice.choices(
                    (self._type, self._send, self._stop, self._again, self._edit, self._remove,
                     self._restore, self._turn, self._continue, self._branch, self._rename,
                     self._delete_chat, self._restore_chat, self._erase, self._sweep,
                     self._back_up, self._set, self._panel, self._resolve),
                    (30, 14, 4, 6, 6, 6, 6, 4, 4, 3, 2, 2, 2, 2, 1, 2, 2, 6, 8),
                )[0](chat)  # fmt: skip
        self._timer.start(dice.choice((0, 0, 2, 10, 30, 80)))

    def _type(self, chat: Chat) -> None:
        text = chat.record.draft + f"{self._seed}-{next(self._words)} "
        tell("draft", chat.id, text)
        if chat.is_stored:
            chat.turn.write(text)
        else:
            self._do(chat, 0, (), lambda: chat.turn.write(text))

    def _send(self, chat: Chat) -> None:
        if not chat.record.draft.strip() or chat.reply.is_active:
            return
        tell("draft", chat.id, "")
        self._do(chat, 2, (), lambda: chat.turn.handle(Event.ENTER))
        self._streams(chat)

    def _panel(self, chat: Chat) -> None:
        text = chat.record.draft
        if chat.reply.is_active or not (text.strip() or chat.transcript.last("user") is not None):
            return
        if text.strip():
            tell("draft", chat.id, "")
        self._do(chat, 3 + bool(text.strip()), (), lambda: chat.comparison.ask(MEMBERS))
        for message_id in chat.panel_runner.generators:
            tell("status", message_id, "interrupted")

    def _resolve(self, chat: Chat) -> None:
        columns = chat.panel_runner.columns(chat.transcript.leaf_id or "")
        kind = self._dice.choice(("keep", panel.JUDGE, panel.MERGE, panel.VOTE))
        if not columns:
            return
        if kind == "keep":
            kept = self._dice.choice(columns).id
            self._do(chat, 0, (), lambda: chat.panel_runner.keep_column(kept))
        elif not chat.comparison.why_not(kind, columns[0].id):
            self._do(chat, 1, (), lambda: chat.comparison.resolve(kind, columns[0].id))
            leaf = chat.transcript.leaf_id or ""
            tell("text", leaf, chat.reply.message(leaf).content)
            tell("status", leaf, chat.transcript[leaf].status)
            self._streams(chat)

    def _stop(self, chat: Chat) -> None:
        chat.turn.handle(Event.STOP)

    def _again(self, chat: Chat) -> None:
        if not chat.reply.is_active and chat.transcript.last("user") is not None:
            self._do(chat, 1, (), chat.regenerate)
            self._streams(chat)

    def _edit(self, chat: Chat) -> None:
        last = chat.transcript.last("user")
        if not chat.reply.is_active and last is not None:
            text = f"{self._seed}-{next(self._words)} in other words"

            def edit() -> None:
                chat.start_edit(last.id)
                chat.turn.write(text)
                chat.turn.handle(Event.ENTER)

            self._do(chat, 2, (), edit)
            self._streams(chat)

    def _remove(self, chat: Chat) -> None:
        path = chat.transcript.path
        if path and not chat.reply.is_active and chat.id not in self._removed:
            message = self._dice.choice(path)
            below = [m.id for m in chat.transcript._messages_below(message.id)]

            def remove() -> None:
                removal = chat.delete_message(message.id)
                if removal is not None:
                    self._removed[chat.id] = removal

            self._do(chat, 0, below, remove)

    def _restore(self, chat: Chat) -> None:
        removal = self._removed.get(chat.id)
        if removal is not None and not chat.reply.is_active:
            del self._removed[chat.id]
            parent = removal.messages[0].parent_id
            if parent is None or parent in chat.transcript:
                added = len(removal.messages)
                self._do(chat, added, (), lambda: chat.restore_messages(removal))

    def _turn(self, chat: Chat) -> None:
        if not chat.reply.is_active:
            step = self._dice.choice((-1, 1))
            self._do(chat, 0, (), lambda: chat.show_version(step))

    def _continue(self, chat: Chat) -> None:
        leaf = chat.transcript.leaf_id
        if leaf is None or chat.reply.is_active:
            return
        if chat.transcript[leaf].status in {"interrupted", "cancelled"}:
            self._do(chat, 0, (), lambda: chat.continue_answer(leaf))
            self._streams(chat)

    def _branch(self, chat: Chat) -> None:
        path = [m for m in chat.transcript.path if m.status != "streaming"]
        if path:
            message = self._dice.choice(path)
            copied = chat.transcript.path_to(message.id)
            tell("do", "", len(copied) - (message.role == "user"), [])
            made = self._watch(self._library.branch(chat, message.id))
            tell("done", made.id, self._tree(made))
            tell("draft", made.id, made.record.draft)
            for copy in made.transcript.path:
                tell("text", copy.id, copy.content)
                tell("status", copy.id, copy.status)

    def _rename(self, chat: Chat) -> None:
        title = f"Chat {next(self._words)}"
        self._do(chat, 0, (), lambda: chat.rename(title))

    def _delete_chat(self, chat: Chat) -> None:
        self._do(chat, 0, (), lambda: self._library.delete(chat.id))
        self._deleted.append(chat.id)

    def _restore_chat(self, chat: Chat) -> None:
        if self._deleted:
            chat = self._open(self._deleted.pop())
            self._do(chat, 0, (), lambda: self._library.restore(chat.id))

    def _erase(self, _: Chat) -> None:
        ids = [chat.id for chat in self._library.trash()]
        if self._dice.random() < 0.7:
            ids = ids[:1]
        for chat_id in ids:
            tell("erase", chat_id)
            if chat_id in self._deleted:
                self._deleted.remove(chat_id)
            self._removed.pop(chat_id, None)
        self._library.erase(ids)

    def _sweep(self, _: Chat) -> None:
        tell("sweep")
        self._library.sweep()

    def _back_up(self, _: Chat) -> None:
        self._store.back_up()

    def _set(self, _: Chat) -> None:
        text = f"{self._seed}-{next(self._words)}"
        tell("setting", text)
        self._settings.set(system=text)

    def _do(
        self, chat: Chat, added: int, gone: Iterable[str], action: Callable[[], object]
    ) -> None:
        tell("do", chat.id, added, list(gone))
        action()
        tell("done", chat.id, self._tree(chat))

    def _tree(self, chat: Chat) -> Any:
        there = list(chat.transcript._messages.values())
        deleted = self._library.chat(chat.id) is None
        return tree(chat.record.title, deleted, chat.transcript.leaf_id, there)

    def _streams(self, chat: Chat) -> None:
        if chat.reply.message_id is not None:
            tell("status", chat.reply.message_id, "interrupted")

    def _opened(self) -> list[Chat]:
        found = (self._library.find(chat_id) for chat_id in sorted(self._watched))
        return [chat for chat in found if chat is not None]

    def _open(self, chat_id: str) -> Chat:
        chat = self._watch(self._library.open(chat_id, "numbers"))
        if isinstance(chat.compose, MessageEdit):
            chat.turn.handle(Event.CANCEL_EDIT)
        return chat

    def _watch(self, chat: Chat) -> Chat:
        if chat.id not in self._watched:
            self._watched.add(chat.id)
            chat.text_added.connect(self._on_text)
            chat.reply_ended.connect(self._on_ended)
            chat.message_changed.connect(self._on_changed)
        return chat

    @Slot(str, str, str)
    def _on_text(self, message_id: str, text: str, _kind: str) -> None:
        tell("text", message_id, text)

    @Slot(str)
    def _on_ended(self, message_id: str) -> None:
        chat = self.sender()
        if isinstance(chat, Chat):
            tell("status", message_id, chat.transcript[message_id].status)

    @Slot(str)
    def _on_changed(self, message_id: str) -> None:
        chat = self.sender()
        if isinstance(chat, Chat) and message_id in chat.panel_runner.generators:
            status = chat.transcript[message_id].status
            tell("status", message_id, "interrupted" if status == "streaming" else status)


def tell(kind: str, *what: object) -> None:
    """Write a line in a single call, so a kill may truncate the last line but never mixes lines."""
    os.write(1, (json.dumps([kind, time.monotonic(), *what]) + "\n").encode())


def main() -> None:
    qt = QCoreApplication(sys.argv[:1])
    paths = Paths.for_profile(Path(sys.argv[1]))
    paths.create()
    scribbler = Scribbler(paths, int(sys.argv[2]))
    qt.exec()
    del scribbler


if __name__ == "__main__":
    main()
