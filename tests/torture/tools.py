"""Eight chats with tools in random order, which must not mix."""

from __future__ import annotations

import argparse
import random
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from PySide6.QtCore import QCoreApplication, QEventLoop

from app.chats.chat import Chat
from app.chats.tool_call import CallState
from app.chats.turn import Event
from app.tools.builtin import CallContext, builtin_tool
from app.tools.consent import Decision
from app.tools.toolbox import BuiltinTools
from tests.app.desk import Desk
from tests.waiting import wait_until

CHATS = 8
NAMES = ("secret", "other")
LONGEST = 30  # messages of a chat
SETTLE_S = 20.0


class World(Desk):
    """Eight chats, each with its own folder and secret, and the tools allowed in each."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.chance = random.Random(seed)
        self.folder = folder
        super().__init__(folder / "chats.db")
        self.ran: list[tuple[str, Path]] = []  # key of each run and the folder it could see
        key = {"type": "string"}
        self.library.toolbox.builtin = BuiltinTools(
            builtin_tool(name, "A secret.", self._secret, asks_each_time=False, key=key)
            for name in NAMES
        )
        names = [f"Stretto/{name}" for name in NAMES]
        self.chats = [self.library.new("/models/a", {"tools": names}) for _ in range(CHATS)]
        for chat in self.chats:
            self.library.toolbox.consents.grant(chat.id, folder / chat.id, False)
        # (chat, tool) pairs that were answered with "always"
        self.allowed: set[tuple[str, str]] = set()
        self.runs = self.prompts = 0

    def _secret(self, arguments: dict[str, Any], context: CallContext) -> str:
        (grant,) = context.grants
        self.ran.append((str(arguments["key"]), grant.path))
        return f"secret-of-{arguments['key']}"

    def step(self) -> None:
        chat = self.chance.choice(self.chats)
        asking = [k for k, c in chat.tools.calls.items() if c.state is CallState.ASKING]
        actions: list[Callable[[], object]] = []
        if not chat.reply.is_active:
            actions += [lambda: self._ask(chat)] * 6
            actions += [chat.continue_turn, lambda: self._revoke(chat)]
        if asking:
            key = self.chance.choice(asking)
            for decision in Decision:
                actions += [lambda d=decision: self._decide(chat, key, d)] * 3
        if chat.reply.is_active:
            actions += [
                lambda: chat.turn.handle(Event.STOP),
                lambda: chat.turn.handle(Event.PAUSE),
                *[self._look] * 8,
            ]
        action = self.chance.choice(actions)
        action()
        time.sleep(0.001)  # let the threads of the engine and the tools run in between
        QCoreApplication.processEvents(QEventLoop.ProcessEventsFlag.AllEvents, 2)

    def _ask(self, chat: Chat) -> None:
        path = chat.transcript.path
        if len(path) > LONGEST:  # otherwise long prompts take most of the time
            chat.delete_message(path[0].id)
        tool = self.chance.choice(NAMES)
        asked = f'{tool} {{"key": "{chat.id}"}}'
        verb = self.chance.choice(["call", "call", f"loop {self.chance.randint(2, 4)}"])
        twice = f" & {asked}" if verb == "call" and self.chance.random() < 0.3 else ""
        chat.turn.send(f"{verb} {asked}{twice}")

    def _decide(self, chat: Chat, key: str, decision: Decision) -> None:
        call = chat.tools.calls[key]
        assert call.tool is not None
        if chat.tools.decide(key, decision) == "" and decision is Decision.TOOL:
            self.allowed.add((chat.id, call.tool.name))

    def _revoke(self, chat: Chat) -> None:
        consents = self.library.toolbox.consents
        for consent in consents.consents():
            if consent.chat_id == chat.id:
                consents.revoke(consent)
        self.allowed = {pair for pair in self.allowed if pair[0] != chat.id}

    def _look(self) -> None:
        time.sleep(0.002)
        QCoreApplication.processEvents(QEventLoop.ProcessEventsFlag.AllEvents, 5)

    def check(self) -> None:
        """Raise AssertionError if something of one chat has reached another."""
        for key, folder in self.ran:
            assert folder == self.folder / key, "a tool saw another chat's folder"
        kept = {(c.chat_id, c.tool) for c in self.library.toolbox.consents.consents()}
        assert kept == self.allowed, "a consent was kept that nobody gave, or got lost"
        for chat in self.chats:
            for message in chat.transcript.path:
                if message.role == "tool" and message.content.startswith("secret-of-"):
                    assert message.content == f"secret-of-{chat.id}", "a result crossed"
        self.runs += len(self.ran)
        self.ran.clear()
        for reply in self.engine.sent:
            own_id = reply.session.id
            others = [chat.id for chat in self.chats if chat.id != own_id]
            text = str(reply.turns)
            assert not any(other in text for other in others), "a prompt has another's secret"
        self.prompts += len(self.engine.sent)
        self.engine.sent.clear()

    def settle(self) -> None:
        """Answer no further calls and let everything end."""
        for chat in self.chats:
            chat.turn.handle(Event.STOP)
        wait_until(lambda: not any(chat.reply.is_active for chat in self.chats), SETTLE_S)


def play(folder: Path, steps: int, seed: int) -> World:
    world = World(folder, seed)
    try:
        for number in range(steps):
            world.step()
            if number % 100 == 99:
                world.check()
        world.settle()
        world.check()
    finally:
        world.close()
    return world


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="tests.torture tools", description=__doc__)
    parser.add_argument("--steps", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args(arguments)
    _ = QCoreApplication.instance() or QCoreApplication([])
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        world = play(Path(folder), chosen.steps, chosen.seed)
    print(f"{chosen.steps:,} steps in {CHATS} chats, {time.monotonic() - began:.0f} s")
    print(f"{world.runs:,} runs of tools, {world.prompts:,} prompts; nothing reached another chat")
    return 0
