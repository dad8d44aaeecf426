"""A request that is answered or waits now: to be seen, paused, stopped, and ended early."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections import deque
from typing import Protocol

import anyio
from starlette.types import Scope

from engine.messages import Event, Finished, Message, PromptProgress, TextDelta, ToolCallFinished
from engine.model.info import Model
from engine.serve.auth import guest_of
from engine.serve.errors import RefusedError

SHOWN_TEXT = 400_000  # characters of an answer that are kept to be looked at: its newest
_RATED = 32  # pieces of text whose times tell how fast it is written
_STILL = 2.0  # seconds without a piece, after which nothing is written


def stopped() -> RefusedError:
    """What the client of an agent that was stopped hears. Clients try no 400 again."""
    return RefusedError(400, "A person has stopped this agent in Stretto.", "agent_stopped")


class Answers(Protocol):
    """What is generated for a request. Every method may be called from any thread."""

    @property
    def sessions(self) -> tuple[str, ...]: ...

    def pause(self, on: bool) -> None: ...

    def cancel(self, whole: bool = False) -> None: ...


class Request:
    """One request. The server's thread writes, every thread may read, pause and stop.

    Attributes:
        guest: the id of its key.
        program: who asks; "" where that does not matter.
        model: the name of its model, "" until that is loaded.
        room: tokens that the model's context holds.
        began: when it came, of `time.monotonic`.
        state: "waiting", "reading" or "answering".
        paused: its answers stand still.
        read: tokens of its prompt: read, all, known before.
        pieces: of text so far, about one for each token; at the end, tokens.
        called: the id of the newest call of a tool in the answer; "" where there is none.
        messages, size: its conversation, as long as it is kept, and the bytes that it came in.
        cancel_scope: of its coroutine.
        error: why it was ended before its answer was; None where its client has gone.
    """

    def __init__(self, scope: Scope) -> None:
        self._loop = asyncio.get_running_loop()
        self._answers: Answers | None = None
        self._text: list[str] = []
        self._answer: list[str] = []
        self._length = 0
        self._times: deque[float] = deque(maxlen=_RATED)
        self.guest = guest_of(scope).id
        self.program = ""
        self.model, self.room = "", 0
        self.began = time.monotonic()
        self.state = "waiting"
        self.paused = False
        self.read = (0, 0, 0)
        self.pieces = 0
        self.called = ""
        self.messages: tuple[Message, ...] = ()
        self.size = 0
        self.cancel_scope = anyio.CancelScope()
        self.error: Exception | None = None

    def end(self, error: Exception | None = None) -> None:
        """End it now: its client has gone, or hears this error. For the server's thread."""
        self.error = self.error or error
        self.cancel_scope.cancel()

    def of_model(self, model: Model) -> None:
        """Its model is loaded."""
        self.model, self.room = model.name, model.context_length

    def answered_by(self, answers: Answers) -> None:
        """It waits no more, or for the engine only."""
        self._answers = answers
        if self.paused:
            answers.pause(True)

    def note(self, event: Event) -> None:
        """Take note of what its client hears."""
        if isinstance(event, TextDelta):
            self.state = "answering"
            self.pieces += 1
            self._times.append(time.monotonic())
            self._text.append(event.text)
            if event.kind == "answer":
                self._answer.append(event.text)
            self._length += len(event.text)
            if self._length > 2 * SHOWN_TEXT:
                self._text, self._answer = [self.text], [self.said[-SHOWN_TEXT:]]
                self._length = len(self._text[0])
        elif isinstance(event, PromptProgress):
            waits = event.queued or event.queue_position
            read = event.done >= event.total
            self.state = "waiting" if waits else "answering" if read else "reading"
            self.read = (event.done, event.total, event.reused)
        elif isinstance(event, ToolCallFinished):
            self.called = event.id
        elif isinstance(event, Finished) and event.stats.prompt_tokens:
            stats = event.stats
            self.read = (stats.prompt_tokens, stats.prompt_tokens, stats.reused_tokens)
            self.pieces = stats.generated_tokens

    def pause(self, on: bool) -> None:
        """Let its answers stand still, or go on."""
        self.paused = on
        if self._answers is not None:
            self._answers.pause(on)

    def stop(self) -> None:
        """End its answers: its client gets what there is, or hears that it was stopped."""
        with contextlib.suppress(RuntimeError):  # the server has ended
            self._loop.call_soon_threadsafe(self._stop)

    def _stop(self) -> None:
        if self._answers is not None:
            self._answers.cancel()
        else:
            self.end(stopped())

    def over(self) -> None:
        """Nothing more is answered; what was stays to be seen."""
        self._answers = None

    @property
    def engine_sessions(self) -> tuple[str, ...]:
        """The ids of the engine's sessions in which it is answered."""
        answers = self._answers
        return answers.sessions if answers is not None else ()

    @property
    def text(self) -> str:
        """The newest of what was answered, reasoning and calls of tools too."""
        return "".join(self._text)[-SHOWN_TEXT:]

    @property
    def said(self) -> str:
        """What was answered, without those."""
        return "".join(self._answer)

    @property
    def rate(self) -> float:
        """Tokens a second, of the newest."""
        times = list(self._times)
        if len(times) < 2 or time.monotonic() - times[-1] > _STILL:
            return 0.0
        return (len(times) - 1) / max(times[-1] - times[0], 1e-3)
