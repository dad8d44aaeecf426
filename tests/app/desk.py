"""Chats on a real store and a fake engine, without a window."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject

from app.bridge import Bridge
from app.chats.chat import Chat
from app.chats.library import ChatLibrary
from app.chats.turn import Event
from app.models.loading import ModelLoader
from app.store import Store
from tests.app.fake_engine import FakeEngine
from tests.waiting import wait_until


def edit(chat: Chat, message_id: str, text: str) -> None:
    assert chat.start_edit(message_id)
    chat.turn.write(text)
    assert chat.turn.handle(Event.ENTER)


class Desk:
    def __init__(self, file: Path, engine: Any = None) -> None:
        self.root = QObject()
        self.store = Store.open(file)
        self.bridge = Bridge(self.root)
        self.loader = ModelLoader(self.bridge, self.root)
        self.engine = engine or FakeEngine()
        self.loader.attach(self.engine)
        self.library = ChatLibrary(self.store, self.bridge, self.loader, self.root)

    def until(self, condition: Callable[[], object]) -> None:
        wait_until(condition)

    def loaded(self, model: str) -> Chat:
        self.loader.request(model)
        self.until(lambda: self.loader.get(model).model is not None)
        return self.library.new(model)

    def talk(self, chat: Chat, text: str) -> None:
        assert chat.turn.send(text)
        self.until(lambda: not chat.reply.is_active)

    def close(self) -> None:
        self.library.cancel_for_close()
        self.engine.stop()
        self.bridge.drain()
        self.library.close()
        self.loader.detach()
        self.store.close()
        self.root.deleteLater()
