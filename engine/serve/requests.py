"""Requests that are running or queued. They can be inspected, paused, stopped and cancelled."""

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
from engine.serve.errors import RequestError

MAX_TEXT_CHARACTERS = 400_000  # only the end of a longer answer is kept for display
_RATE_PIECES = 32  # number of chunks over which the rate is averaged
_RATE_TIMEOUT_S = 2.0  # time without a chunk, after which the rate is 0


def agent_stopped_error() -> RequestError:
    """Build the error for a stopped agent. Status 400, because clients don't retry it."""
    return RequestError(400, "The user stopped this agent in Stretto.", "agent_stopped")


class RunningReplies(Protocol):
    """A request's running replies. All methods are thread-safe."""

    @property
    def sessions(self) -> tuple[str, ...]: ...

    def pause(self, on: bool) -> None: ...

    def cancel(self, whole: bool = False) -> None: ...


class ModelRequest:
    """A model request. Only the server thread changes it; any thread may read, pause or stop it.

    Attributes:
        guest: id of the key.
        program: name of the client program, if known.
        model: model name, or "" until loaded.
        room: the model's context length in tokens.
        began: monotonic time of arrival.
        state: "waiting", "reading" or "answering".
        paused: True if replies are paused.
        read: prompt tokens prefilled, total, and reused from a cache.
        pieces: chunks so far, about one per token. Replaced by the token count at the end.
        called: id of the latest tool call in the answer, or "".
        messages, size: the conversation if kept, and the size of the request in bytes.
        cancel_scope: scope that the request's coroutine runs in.
        error: why the request was cancelled. None if the client disconnected.
    """

    def __init__(self, scope: Scope) -> None:
        self._loop = asyncio.get_running_loop()
        self._answers: RunningReplies | None = None
        self._text: list[str] = []
        self._answer: list[str] = []
        self._length = 0
        self._times: deque[float] = deque(maxlen=_RATE_PIECES)
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
        """Cancel the request.

        A client that is still connected gets the error. Server thread only.
        """
        self.error = self.error or error
        self.cancel_scope.cancel()

    def of_model(self, model: Model) -> None:
        self.model, self.room = model.name, model.context_length

    def answered_by(self, answers: RunningReplies) -> None:
        self._answers = answers
        if self.paused:
            answers.pause(True)

    def note(self, event: Event) -> None:
        """Update the state from a reply event."""
        if isinstance(event, TextDelta):
            self.state = "answering"
            self.pieces += 1
            self._times.append(time.monotonic())
            self._text.append(event.text)
            if event.kind == "answer":
                self._answer.append(event.text)
            self._length += len(event.text)
            if self._length > 2 * MAX_TEXT_CHARACTERS:
                self._text, self._answer = [self.text], [self.answer_text[-MAX_TEXT_CHARACTERS:]]
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
        self.paused = on
        if self._answers is not None:
            self._answers.pause(on)

    def stop(self) -> None:
        """Stop generating.

        The client gets the text so far, or an error if nothing was generated yet.
        """
        with contextlib.suppress(RuntimeError):  # the server has already stopped
            self._loop.call_soon_threadsafe(self._stop)

    def _stop(self) -> None:
        if self._answers is not None:
            self._answers.cancel()
        else:
            self.end(agent_stopped_error())

    def over(self) -> None:
        """Mark the request as finished. The text stays available."""
        self._answers = None

    @property
    def engine_sessions(self) -> tuple[str, ...]:
        answers = self._answers
        return answers.sessions if answers is not None else ()

    @property
    def text(self) -> str:
        """The last `MAX_TEXT_CHARACTERS` of the answer, with reasoning and tool calls."""
        return "".join(self._text)[-MAX_TEXT_CHARACTERS:]

    @property
    def answer_text(self) -> str:
        """Answer without reasoning and tool calls."""
        return "".join(self._answer)

    @property
    def rate(self) -> float:
        """Tokens per second, averaged over the latest chunks."""
        times = list(self._times)
        if len(times) < 2 or time.monotonic() - times[-1] > _RATE_TIMEOUT_S:
            return 0.0
        return (len(times) - 1) / max(times[-1] - times[0], 1e-3)
