"""Random schedules of many chats on one engine, to be checked with `alone.compare`.

The actions are to open, send, edit, continue, pause, cancel, fork, close or reopen a chat, or to
unload the model. With the tight limits in `limits`, replies have to wait, caches are evicted, and
conversations exceed their context.
"""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path
from typing import Any

from engine.bench.alone import END, Chat, Ended, Logits, Prompt, Turn, recorded_logits
from engine.engine import Engine
from engine.errors import (
    CAPACITY_EXHAUSTED,
    CONTEXT_OVERFLOW,
    SESSION_CLOSED,
    UNKNOWN_MODEL,
    UNSUPPORTED_SESSION,
)
from engine.messages import Failed, Finished, FinishReason
from engine.model.info import Model
from engine.params import SamplingParams

WORDS = ("do", "re", "mi", "fa", "sol", "la", "si", "ut")


class Schedule:
    """Random actions on the chats of one model.

    Args:
        tight: True if the engine has so little memory that replies wait for each other.
    """

    def __init__(
        self, engine: Engine, folder: Path, seed: int, chats: int = 16, tight: bool = False
    ) -> None:
        self._engine = engine
        self._folder = folder
        self._random = random.Random(seed)
        self._limit = chats
        self._tight = tight
        self._aside: list[Chat] = []
        self._model: Model = engine.load(folder)
        self._chats: list[Chat] = []
        self.done: list[Chat] = []
        self.logits = Logits()
        self.actions: Counter[str] = Counter()
        self._overflow: tuple[str, ...] = ("slide", "refuse")  # options for new chats

    def run(self, steps: int) -> list[Chat]:
        with recorded_logits(self.logits):
            for _ in range(steps):
                self._step()
            for chat in [*self._chats, *self._aside]:
                self._settle(chat)
        for chat in list(self._chats):
            self._close(chat)
        self.done += self._aside
        self._aside = []
        self._engine.unload(self._model)
        return self.done

    def _step(self) -> None:
        chance = self._random.random()
        if chance < 0.004:
            return self._reload()
        if len(self._chats) < self._limit and chance < 0.4:
            return self._open()
        if not self._chats:
            return None
        for chat in self._chats:
            if chat.reply is not None and chat.reply.done:
                self._settle(chat)
        idle = [c for c in self._chats if c.reply is None]
        if idle and self._random.random() < 0.8:  # keep most chats busy
            return self._random.choices(
                (self._send, self._edit, self._continue, self._fork, self._close, self._reopen),
                (60, 14, 8, 12, 5, 3),
            )[0](self._random.choice(idle))
        busy = [c for c in self._chats if c.reply is not None]
        if not busy:
            return None
        return self._random.choices(
            (
                *(self._wait, self._cancel, self._settle, self._fork, self._close),
                *(self._pause, self._prioritise, self._ask_aside),
            ),
            (50, 14, 2, 12, 3, 14, 4, 4),
        )[0](self._random.choice(busy))

    def _open(self, session_id: str | None = None) -> None:
        self.actions["open"] += 1
        options: dict[str, Any] = {
            "reproducible": self._random.random() < 0.25,
            "on_overflow": self._random.choice(self._overflow),
            "kv_bits": self._random.choices((None, 8, 4), (8, 1, 1))[0],
        }
        session = self._engine.open_session(self._model, session_id, **options)
        self._chats.append(Chat(session, options))

    def _send(self, chat: Chat) -> None:
        self._ask(chat, self._random_text())
        self.actions["follow-up" if chat.turns else "send"] += 1

    def _edit(self, chat: Chat) -> None:
        users = [n for n, m in enumerate(chat.messages) if m["role"] == "user"]
        if not users:
            return self._send(chat)
        self.actions["edit"] += 1
        at = self._random.choice(users)
        edits_last = self._random.random() < 0.5
        last = chat.messages[at] if edits_last else {"role": "user", "content": self._random_text()}
        return self._ask(chat, [*chat.messages[:at], last])

    def _continue(self, chat: Chat) -> None:
        if not chat.messages or not chat.messages[-1]["content"]:
            return self._send(chat)
        self.actions["continue"] += 1
        return self._ask(chat, list(chat.messages))

    def _ask(self, chat: Chat, prompt: Prompt) -> None:
        chat.asked = prompt
        chat.params = self._params()
        chat.paused = False
        chat.reply = chat.session.send(prompt, chat.params)

    def _ask_aside(self, _: Chat) -> None:
        self.actions["ask"] += 1
        prompt, params = self._random_text(), self._params()
        reply = self._engine.ask(self._model, prompt, params)
        self._aside.append(Chat(None, {}, asked=prompt, params=params, reply=reply))

    def _params(self) -> SamplingParams:
        pick = self._random
        return SamplingParams(
            max_tokens=pick.choice((1, 8, 30, 60, 90)),
            logit_bias=pick.choice(({}, {END: -1e9}, {END: -1e9})),
            temperature=pick.choice((0.0, 0.0, 0.7, 1.2)),
            top_p=pick.choice((1.0, 0.9)),
            top_k=pick.choice((0, 50)),
            repetition_penalty=pick.choice((1.0, 1.0, 1.1)),
            seed=pick.randrange(1 << 30),
        )

    def _random_text(self) -> str:
        count = self._random.choice((1, 2, 5, 12, 30))
        return " ".join(self._random.choices(WORDS, k=count))

    def _wait(self, chat: Chat) -> None:
        assert chat.reply is not None
        self._resume(chat)
        target = len(chat.reply._events) + self._random.randrange(1, 8)
        for number, _ in enumerate(chat.reply, 1):
            if number == target:
                return

    def _pause(self, chat: Chat) -> None:
        assert chat.reply is not None
        self.actions["resume" if chat.paused else "pause"] += 1
        (chat.reply.resume if chat.paused else chat.reply.pause)()
        chat.paused = not chat.paused

    def _resume(self, chat: Chat) -> None:
        """Resume paused replies, because this reply may be waiting for their memory."""
        for neighbor in self._chats if self._tight else [chat]:
            if neighbor.paused and neighbor.reply is not None:
                self._pause(neighbor)

    def _prioritise(self, chat: Chat) -> None:
        self.actions["prioritise"] += 1
        chat.session.prioritise(self._random.choice((0, 1, 2)))

    def _cancel(self, chat: Chat) -> None:
        assert chat.reply is not None
        self.actions["cancel"] += 1
        chat.reply.cancel()
        self._settle(chat)

    def _settle(self, chat: Chat) -> None:
        if chat.reply is None:
            return
        self._resume(chat)
        turn, text = _finished(chat)
        # Admission assumes the maximum length, so a tight budget may not fit even one chat.
        assert self._tight or turn.code != CAPACITY_EXHAUSTED
        chat.turns.append(turn)
        chat.reply, chat.paused = None, False
        if turn.ended in ("finished", "cancelled") and turn.is_kept:
            prompt = chat.asked
            if isinstance(prompt, str):
                prompt = [*chat.messages, {"role": "user", "content": prompt}]
            reply_start = prompt[-1]["content"] if prompt[-1]["role"] == "assistant" else None
            messages = prompt if reply_start is None else prompt[:-1]
            chat.messages = [
                *messages,
                {"role": "assistant", "content": (reply_start or "") + text},
            ]

    def _fork(self, chat: Chat) -> None:
        if len(self._chats) >= self._limit:
            return
        running = chat.reply is not None and not chat.reply.done
        if not running:
            self._settle(chat)
        twin = chat.session.fork()
        if running:
            self._engine.stats()  # wait for the fork
            assert chat.reply is not None
            if chat.reply.done:  # the reply may have ended before or after the fork
                twin.close()
                return
        self.actions["fork"] += 1
        copy = Chat(twin, chat.options, list(chat.turns), list(chat.messages))
        self._chats.append(copy)

    def _close(self, chat: Chat) -> None:
        self.actions["close"] += 1
        chat.session.close()
        self._settle(chat)
        self._retire(chat)

    def _reopen(self, chat: Chat) -> None:
        self.actions["reopen"] += 1
        self._retire(chat)
        self._open(chat.session.id)

    def _retire(self, chat: Chat) -> None:
        self._chats.remove(chat)
        self.done.append(chat)

    def _reload(self) -> None:
        self.actions["reload"] += 1
        self._engine.unload(self._model)
        for chat in list(self._chats):
            self._settle(chat)
            self._retire(chat)
        self._model = self._engine.load(self._folder)


def _finished(chat: Chat) -> tuple[Turn, str]:
    reply = chat.reply
    assert reply is not None
    *_, last = reply
    text = "".join(getattr(e, "text", "") for e in reply)
    ending: Ended
    if isinstance(last, Finished):
        ending = "cancelled" if last.reason == FinishReason.CANCELLED else "finished"
    else:
        assert isinstance(last, Failed)
        is_refused = last.code in (CONTEXT_OVERFLOW, UNSUPPORTED_SESSION)
        expected = (SESSION_CLOSED, UNKNOWN_MODEL, CAPACITY_EXHAUSTED)
        if not is_refused and last.code not in expected:
            raise AssertionError(f"a reply failed: {last.code}: {last.message}")
        ending = "refused" if is_refused else "failed"
    rebuilt = reply.stats.rebuilt or any(t.rebuilt for t in chat.turns)
    dropped = reply.stats.dropped_messages
    code = last.code if isinstance(last, Failed) else ""
    turn = Turn(chat.asked, chat.params, tuple(reply._tokens), ending, rebuilt, dropped, code)
    return turn, text
