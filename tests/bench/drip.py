"""Fake engine that writes a given text at a given pace.

There's no model and no MLX, so any delay comes from the window itself.
"""

from __future__ import annotations

import itertools
import json
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any

from engine import (
    Finished,
    FinishReason,
    Fit,
    Model,
    PromptProgress,
    ReplyStats,
    TextDelta,
    ToolCallFinished,
)
from engine.messages import text_of

_numbers = itertools.count(1)

Piece = str | tuple[str, str]
"""Text, or a tool call given by name and JSON arguments."""


@dataclass
class DripReply:
    """A running reply."""

    session_id: str
    pieces: Iterator[Piece]
    post: Callable[[Any], None]
    id: str = field(default_factory=lambda: f"reply-{next(_numbers)}")
    written: int = 0
    paused: bool = False
    cancelled: bool = False
    calls: list[dict[str, Any]] = field(default_factory=list)

    def cancel(self, whole: bool = False) -> None:
        self.cancelled = True

    def pause(self) -> None:
        self.paused = True

    def resume(self) -> None:
        self.paused = False


@dataclass
class DripSession:
    """Session of a chat."""

    engine: Drip
    id: str

    def send(
        self,
        prompt: Any,
        params: Any = None,
        on_event: Callable[[Any], None] = lambda _: None,
        template: Any = None,
    ) -> DripReply:
        reply = DripReply(self.id, self.engine.text(), on_event)
        on_event(PromptProgress(self.id, reply.id, 1, 1, 0, 0))
        self.engine.replies.append(reply)
        return reply

    def fork(self, session_id: str | None = None) -> DripSession:
        return DripSession(self.engine, session_id or f"session-{next(_numbers)}")

    def prioritise(self, priority: int = 1, program: str = "", share: float = 0.0) -> None:
        """Ignore priorities."""

    def close(self, forget: bool = False) -> None:
        """Do nothing, since sessions hold no resources."""


class Drip:
    """Writes a chunk of text for each reply, ``rate`` times per second.

    Args:
        text: creates a reply's chunks; a reply ends after the last chunk.
        rate: chunks per second and reply.
        on_post: called with each chunk right before it is sent to the window.
    """

    def __init__(
        self,
        text: Callable[[], Iterator[Piece]],
        rate: float,
        on_post: Callable[[str], None] = lambda _: None,
    ) -> None:
        self.text = text
        self.replies: list[DripReply] = []
        self._every_s = 1 / rate
        self._on_post = on_post
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="drip", daemon=True)
        self._thread.start()

    @property
    def is_running(self) -> bool:
        return self._thread.is_alive()

    def estimate_later(
        self, path: str, context: int | None = None, *, kv_bits: int | None = None, **_: object
    ) -> Future[Fit]:
        """Report that everything fits."""
        future: Future[Fit] = Future()
        future.set_result(Fit(0, 0, 0, 0, 1, 1, kv_bits, free=1))
        return future

    def load_later(self, path: str, on_progress: object = None, **_: object) -> Future[Model]:
        future: Future[Model] = Future()
        model = Model(
            path,
            "Drip",
            path,
            1_000_000,
            0,
            "float32",
            "shared",
            True,
            {},
            tool_format="json",
        )
        future.set_result(model)
        return future

    def open_session(
        self, model: Model, session_id: str | None = None, **options: Any
    ) -> DripSession:
        return DripSession(self, session_id or f"session-{next(_numbers)}")

    def ask(
        self,
        model: Model,
        prompt: Any,
        params: Any = None,
        on_event: Callable[[Any], None] = lambda _: None,
        reasoning: bool | None = None,
    ) -> DripReply:
        """Return an empty title."""
        reply = DripReply("", iter(()), on_event)
        self.replies.append(reply)
        return reply

    def count_later(
        self, model: Model, prompt: Any, reasoning: object = None, **as_sent: Any
    ) -> Future[int]:
        """Estimate a token per word."""
        future: Future[int] = Future()
        future.set_result(sum(len(text_of(turn["content"]).split()) for turn in prompt))
        return future

    def forget(self, session_id: str) -> None:
        """Do nothing, since nothing is stored."""

    def stats_later(self) -> Future[dict[str, Any]]:
        future: Future[dict[str, Any]] = Future()
        future.set_result({
            "queue": [], "sessions": {}, "tokens_per_s": 0.0, "kv_bytes": 0, "prefix_bytes": 0,
            "weights_bytes": 0, "memory_budget": 1,
            "process_bytes": 0, "children_bytes": 0, "buffer_bytes": 0,
        })  # fmt: skip
        return future

    def stop(self, timeout: float | None = None) -> None:
        self._stop.set()
        self._thread.join(timeout)

    def _run(self) -> None:
        due = time.monotonic()
        while not self._stop.wait(max(0.0, due - time.monotonic())):
            due += self._every_s
            for reply in list(self.replies):
                self._step(reply)
        for reply in self.replies:
            self._finish(reply, FinishReason.CANCELLED)

    def _step(self, reply: DripReply) -> None:
        if reply.cancelled:
            self._finish(reply, FinishReason.CANCELLED)
            self.replies.remove(reply)
        elif not reply.paused:
            piece = next(reply.pieces, None)
            if piece is None:
                self._finish(reply, FinishReason.STOP)
                self.replies.remove(reply)
                return
            reply.written += 1
            if not isinstance(piece, str):
                self._call(reply, *piece)
                return
            self._on_post(piece)
            reply.post(TextDelta(reply.session_id, reply.id, piece, "answer"))

    def _call(self, reply: DripReply, name: str, arguments: str) -> None:
        key = f"call{next(_numbers)}"
        function = {"name": name, "arguments": json.loads(arguments)}
        reply.calls.append({"id": key, "type": "function", "function": function})
        reply.post(ToolCallFinished(reply.session_id, reply.id, key, name, arguments))

    def _finish(self, reply: DripReply, reason: FinishReason) -> None:
        stats = ReplyStats(1, 0, reply.written, 0.0, 1.0, 0.0)
        turn: Any = {"role": "assistant", "content": "", "tool_calls": reply.calls}
        message = turn if reply.calls else None
        reply.post(Finished(reply.session_id, reply.id, reason, stats, message=message))
