"""Handle for a running reply, for any thread except the engine thread."""

from __future__ import annotations

import contextlib
import copy
import logging
import threading
import uuid
from collections.abc import Callable, Iterator

from engine.errors import EngineError
from engine.messages import (
    Cancel,
    Event,
    Failed,
    Finished,
    Kind,
    Message,
    Pause,
    ReplyStats,
    TextDelta,
)
from engine.runtime.mailbox import Mailbox

log = logging.getLogger(__name__)
Listener = Callable[[Event], None]


class Reply:
    """Running or finished reply. Iterating yields its events, and can be repeated."""

    def __init__(self, session_id: str, mailbox: Mailbox, on_event: Listener | None) -> None:
        self.id = uuid.uuid4().hex  # unique within this process
        self.session_id = session_id
        self._mailbox = mailbox
        self._on_event = on_event
        self._events: list[Event] = []
        self._last: Finished | Failed | None = None  # the final event
        self._tokens: list[int] = []
        self._lock = threading.RLock()
        self._changed = threading.Condition(self._lock)
        # A separate condition, so that threads waiting for the end don't wake up for each token.
        self._ended = threading.Condition(self._lock)

    def __iter__(self) -> Iterator[Event]:
        """Yield all events from the first to the last, blocking until they arrive."""
        position = 0

        def has_more() -> bool:
            return len(self._events) > position

        while True:
            with self._lock:
                if not self._mailbox.wait_for(self._changed, has_more, None):
                    raise TimeoutError("the reply has no more events until it is resumed")
                fresh = self._events[position:]
            position += len(fresh)
            yield from fresh
            if isinstance(fresh[-1], (Finished, Failed)):
                return

    @property
    def done(self) -> bool:
        with self._lock:
            return self._last is not None

    @property
    def stats(self) -> ReplyStats:
        """Statistics of the reply. All fields are 0 until the reply has finished."""
        with self._lock:
            return self._last.stats if isinstance(self._last, Finished) else ReplyStats()

    def text(self, timeout: float | None = None) -> str:
        """Wait for the reply to end and return its answer, without reasoning and tool calls.

        Args:
            timeout: in seconds; None to wait forever.

        Raises:
            EngineError: if the reply failed.
            TimeoutError: if the timeout expired. The reply keeps running.
        """
        self._wait(timeout)
        return self.text_so_far("answer")

    def text_so_far(self, kind: Kind | None = None) -> str:
        with self._lock:
            events = list(self._events)
        texts = (event for event in events if isinstance(event, TextDelta))
        return "".join(text.text for text in texts if kind in (None, text.kind))

    def tokens(self, timeout: float | None = None) -> list[int]:
        """Wait for the reply to end and return the generated token ids, without the EOS token.

        Raises:
            EngineError, TimeoutError: see `text`.
        """
        self._wait(timeout)
        return list(self._tokens)

    def message(self, timeout: float | None = None) -> Message | None:
        """Wait for the reply to end and return the assistant message that the session stored.

        The message is plain JSON with `content` and, if present, `reasoning_content` and
        `tool_calls`. None if the session didn't store a message.

        Raises:
            EngineError, TimeoutError: see `text`.
        """
        self._wait(timeout)
        return copy.deepcopy(self._last.message) if isinstance(self._last, Finished) else None

    def cancel(self, whole: bool = False) -> None:
        """Stop after the current token. Does nothing if the reply has already ended.

        Args:
            whole: don't stop in the middle of a character, marker or tool call. A later reply can
                then continue from here without prefill.
        """
        with contextlib.suppress(EngineError):  # the engine has stopped and already ended the reply
            self._mailbox.post(Cancel(self.session_id, self.id, whole))

    def pause(self) -> None:
        """Pause after the current token until `resume` is called. Keeps the KV cache.

        Does nothing if the reply has already ended.
        """
        with contextlib.suppress(EngineError):
            self._mailbox.post(Pause(self.session_id, self.id, True))

    def resume(self) -> None:
        """Continue after `pause`. Pausing doesn't change the generated text."""
        with contextlib.suppress(EngineError):
            self._mailbox.post(Pause(self.session_id, self.id, False))

    def _wait(self, timeout: float | None) -> None:
        with self._lock:
            if not self._mailbox.wait_for(self._ended, lambda: self._last is not None, timeout):
                raise TimeoutError(f"the reply did not end within {timeout} seconds")
            last = self._last
        if isinstance(last, Failed):
            raise EngineError(last.code, last.message, last.reason)

    def refuse(self, event: Failed) -> None:
        """End a reply that couldn't be posted to the engine thread.

        A new thread calls `on_event`, because the caller of `send` may hold a lock that the
        listener needs.
        """
        if self._on_event is None:
            self.deliver(event, ())
            return
        teller = threading.Thread(target=self.deliver, args=(event, ()), daemon=True)
        try:
            teller.start()
        except RuntimeError:  # no more threads available
            self.deliver(event, ())

    def deliver(self, event: Event, tokens: tuple[int, ...]) -> None:
        """Store an event and notify the listener, on the engine thread."""
        with self._lock:
            if self._last is not None:
                return  # the engine retries failed deliveries
            self._tokens.extend(tokens)
            if isinstance(event, TextDelta) and not event.text and not event.odds:
                return
            self._events.append(event)
            self._changed.notify_all()
            if isinstance(event, (Finished, Failed)):
                self._last = event
                self._ended.notify_all()
        if self._on_event is not None:
            try:
                self._on_event(event)
            except BaseException:  # not even a listener's sys.exit() may end the thread
                log.exception("a reply's on_event raised")
