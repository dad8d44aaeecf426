"""Requests that are running or queued, with their engine replies."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections import deque
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial

import anyio
from msgspec.structs import replace
from starlette.types import Scope

from engine.engine import Engine, Session
from engine.errors import EngineError, as_engine_error, run_cleanup
from engine.messages import (
    Event,
    Failed,
    Finished,
    Kind,
    Message,
    PromptProgress,
    TextDelta,
    ToolCallFinished,
)
from engine.params import SamplingParams
from engine.reply import Reply
from engine.serve.auth import owner_of
from engine.serve.errors import RequestError
from engine.serve.json_input import line_seed
from engine.serve.routes.base import Choice, Generation

log = logging.getLogger(__name__)

MAX_TEXT_CHARACTERS = 400_000  # only the end of a longer answer is kept for display
_RATE_PIECES = 32  # number of chunks over which the rate is averaged
_RATE_TIMEOUT_S = 2.0  # after this long without a chunk, the rate counts as 0


def agent_stopped_error() -> RequestError:
    """Return the error for a stopped agent. Clients don't retry status 400."""
    return RequestError(400, "The user stopped this agent in Stretto.", "agent_stopped")


class ModelRequest:
    """Request to a model, with one engine reply for each `Choice`.

    Only the server thread changes it; any thread may read, pause or stop it.

    Attributes:
        model: model name, or "" until loaded.
        state: "waiting", "reading" or "answering".
        progress: prompt tokens prefilled, total, and reused from a cache.
        pieces: chunks so far, about one per token. Replaced by the token count at the end.
        error: why the request was cancelled. None if the client disconnected.
        generation, choices: what the body asks for. Choices for the same prompt are adjacent.
        last: last event of the first choice's reply, or None if it hasn't ended.
        message: the first choice as a message, once it was sent completely.
    """

    generation: Generation

    def __init__(self, scope: Scope) -> None:
        self._loop = asyncio.get_running_loop()
        self.owner = owner_of(scope)
        self.program = ""
        self.model, self.context_length = "", 0
        self.started_at = time.monotonic()
        self.state = "waiting"
        self.paused = False
        self.progress = (0, 0, 0)
        self.pieces = 0
        self.last_call_id = ""
        self.messages: tuple[Message, ...] = ()
        self.size = 0
        self.cancel_scope = anyio.CancelScope()
        self.error: Exception | None = None
        self.choices: list[Choice] = []
        self.last: Finished | Failed | None = None
        self.message: Message | None = None
        self._times: deque[float] = deque(maxlen=_RATE_PIECES)
        self._replies: list[Reply] = []
        self._final_texts: dict[Kind | None, str] = {}
        self._running: dict[Choice, tuple[Session, Reply]] = {}
        self._on_event: Callable[[Choice, Event], bool] = lambda *_: False
        self._end_future: asyncio.Future[None] | None = None  # end of `relay`
        self._first_ended = asyncio.Event()
        self._forked: set[int] = set()  # prompts whose remaining choices were forked

    def end(self, error: Exception | None = None) -> None:
        """Cancel the request. A client that is still connected gets the error. Server thread
        only.
        """
        self.error = self.error or error
        self.cancel_scope.cancel()

    def note_event(self, event: Event) -> None:
        if isinstance(event, TextDelta):
            self.state = "answering"
            self.pieces += 1
            self._times.append(time.monotonic())
        elif isinstance(event, PromptProgress):
            waits = event.queued or event.queue_position
            read = event.done >= event.total
            self.state = "waiting" if waits else "answering" if read else "reading"
            self.progress = (event.done, event.total, event.reused)
        elif isinstance(event, ToolCallFinished):
            self.last_call_id = event.id
        elif isinstance(event, Finished) and event.stats.prompt_tokens:
            stats = event.stats
            self.progress = (stats.prompt_tokens, stats.prompt_tokens, stats.reused_tokens)
            self.pieces = stats.generated_tokens

    def pause(self, on: bool) -> None:
        self.paused = on
        for reply in list(self._replies):
            (reply.pause if on else reply.resume)()

    def stop(self) -> None:
        """Stop generating. The client gets the text so far, or an error if there is none."""
        with contextlib.suppress(RuntimeError):  # the server has already stopped
            self._loop.call_soon_threadsafe(self._stop)

    def _stop(self) -> None:
        if self._replies:
            self.cancel_replies()
        else:
            self.end(agent_stopped_error())

    def cancel_replies(self, whole: bool = False) -> None:
        """Cancel all replies. Clients get the text generated so far."""
        for reply in list(self._replies):
            reply.cancel(whole)

    def release_replies(self) -> None:
        self._final_texts = {None: self.text, "answer": self.answer_text}
        self._replies = []

    @property
    def engine_sessions(self) -> tuple[str, ...]:
        return tuple(session.id for session, _ in list(self._running.values()))

    @property
    def text(self) -> str:
        """The last `MAX_TEXT_CHARACTERS` of the answer, with reasoning and tool calls."""
        return self._text_of(None)

    @property
    def answer_text(self) -> str:
        return self._text_of("answer")

    def _text_of(self, kind: Kind | None) -> str:
        replies = self._replies
        if not replies:
            return self._final_texts.get(kind, "")
        return "".join(reply.text_so_far(kind) for reply in list(replies))[-MAX_TEXT_CHARACTERS:]

    @property
    def rate(self) -> float:
        times = list(self._times)
        if len(times) < 2 or time.monotonic() - times[-1] > _RATE_TIMEOUT_S:
            return 0.0
        return (len(times) - 1) / max(times[-1] - times[0], 1e-3)

    # -- replies of the engine, on the server's event loop ------------------------------------

    def start(self, engine: Engine, session: Session, cleanup: ExitStack) -> None:
        """Send each prompt to the engine.

        Args:
            session: used for the first choice. More sessions are opened as needed.
            cleanup: closes the additional sessions.
        """
        self._session, self._cleanup = session, cleanup
        generation = self.generation
        self._send(self.choices[0], session)
        for choice in self.choices[generation.n :: generation.n]:
            opened = partial(generation.config.open, engine, generation.model, self.owner)
            self._send(choice, self._opened(opened))
        if self.paused:
            self.pause(True)

    async def relay(self, on_event: Callable[[Choice, Event], bool]) -> None:
        """Call `on_event` with each event of the replies, until it returns True.

        Raises:
            Exception: from `on_event`, or if a reply could not be forked.
        """
        self._on_event, self._end_future = on_event, self._loop.create_future()
        await self._end_future

    def _post(self, choice: Choice, event: Event) -> None:
        """Pass an event from the engine thread to the event loop."""
        try:
            self._loop.call_soon_threadsafe(self._handle, choice, event)
        except RuntimeError:
            log.debug("the server has ended")

    def _handle(self, choice: Choice, event: Event) -> None:
        over_future = self._end_future
        relays = over_future is not None and not over_future.done()
        read = not isinstance(event, PromptProgress) or event.done >= event.total
        try:
            try:
                is_new_prompt = choice.prompt not in self._forked and not isinstance(event, Failed)
                if relays and read and is_new_prompt:
                    self._forked.add(choice.prompt)
                    self._fork(choice)
            finally:  # without this, `stop_replies` would wait forever
                if isinstance(event, (Finished, Failed)) and choice in self._running:
                    session, _ = self._running.pop(choice)
                    if session is self._session:
                        self.last = event
                        self._first_ended.set()
                    else:
                        session.close()
            if over_future is not None and not over_future.done() and self._on_event(choice, event):
                over_future.set_result(None)
        except BaseException as error:  # panics in native libraries aren't an Exception
            if over_future is None or over_future.done():
                log.exception("cannot handle an event of a stopped reply")
            else:
                over_future.set_exception(
                    error if isinstance(error, Exception) else as_engine_error(error)
                )

    async def stop_replies(self) -> None:
        """Cancel all replies. The session stays reserved until its own reply has ended."""
        for choice, (session, reply) in list(self._running.items()):
            if session is self._session:
                reply.cancel()
            else:
                del self._running[choice]
                session.close()
        if self.choices[0] in self._running:
            await self._first_ended.wait()

    def _opened(self, open_one: Callable[[], Session]) -> Session:
        session = open_one()
        self._cleanup.callback(run_cleanup, session.close)
        return session

    def _send(self, choice: Choice, session: Session) -> None:
        generation = self.generation
        deliver = partial(self._post, choice)
        params = _params(generation.params, choice.index - choice.prompt * generation.n)
        prompt = generation.prompts[choice.prompt]
        reply = session.send(prompt, params, deliver, generation.template)
        self._replies.append(reply)
        self._running[choice] = session, reply

    def _fork(self, lead: Choice) -> None:
        session, _ = self._running[lead]
        for choice in self.choices[lead.index + 1 : lead.index + self.generation.n]:
            try:
                self._send(choice, self._opened(session.fork))
            except EngineError as error:
                self._handle(choice, Failed(session.id, "", error.code, error.message))


def _params(params: SamplingParams, number: int) -> SamplingParams:
    """Return the parameters for answer `number`. Only the first answer uses the given seed."""
    if params.seed is None or not number:
        return params
    return replace(params, seed=line_seed(params.seed, number))
