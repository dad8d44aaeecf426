"""Everything the engine can say went wrong: one exception, one string code per cause."""

from __future__ import annotations

import logging
import re
import traceback
from collections.abc import Callable

log = logging.getLogger(__name__)

# The codes are part of the public contract: programs branch on them, people read the message.
CAPACITY_EXHAUSTED = "capacity_exhausted"  # not enough memory for this request, nothing was started
CONTEXT_OVERFLOW = "context_overflow"  # the prompt is longer than the model's context
DOWNLOAD_CANCELLED = "download_cancelled"  # it was stopped; what has come is kept
DOWNLOAD_FAILED = "download_failed"  # it broke off or arrived damaged
ENGINE_STOPPED = "engine_stopped"  # the engine was stopped, or its thread could not go on
GATED = "gated"  # the hub gives the model only to people it knows, by an access token
INTERNAL_ERROR = "internal_error"  # a fault while answering; fenced to the session it hit
INVALID_REQUEST = "invalid_request"  # messages of the wrong form
MODEL_LOAD_FAILED = "model_load_failed"  # the folder or its weights are damaged or not supported
NOT_A_MODEL = "not_a_model"  # what lies on the hub is nothing that can be loaded here
NOT_FOUND = "not_found"  # the hub has no model, or no revision, of that name
NO_SPACE = "no_space"  # the disk has too little room for a download
OFFLINE = "offline"  # the hub cannot be reached, or does not answer
OUT_OF_MEMORY = "out_of_memory"  # the weights do not fit, or the device ran out while working
SESSION_BUSY = "session_busy"  # the session is still answering
SESSION_CLOSED = "session_closed"  # the session was closed, or never existed
TEMPLATE_ERROR = "template_error"  # the model's chat template refused the messages
UNKNOWN_MODEL = "unknown_model"  # the model was unloaded
UNSUPPORTED_SESSION = "unsupported_session"  # the session cannot be kept isolated here

MESSAGE_TOO_LONG = "message_too_long"
"""A reason for `context_overflow`: the last message is too long even without those before it."""

FOLDER_GONE = "folder_gone"  # a reason for `model_load_failed`: the model's folder is not there

CANNOT_SEE = "cannot_see"
"""A reason for `invalid_request`: there is an image in the messages, and the model sees none."""

CANNOT_HEAR = "cannot_hear"  # the same of a recording


class EngineError(Exception):
    """An error with a code for programs and a plain sentence for people."""

    def __init__(self, code: str, message: str, reason: str = "") -> None:
        super().__init__(code, message)
        self.code = code  # one of the constants of this module
        self.message = message  # what happened and, where there is one, the way on
        # what of several that the code may mean, where it matters for the way on; else ""
        self.reason = reason

    def __str__(self) -> str:
        return f"{self.message} [{self.code}]"


class RanksLostError(EngineError):
    """The ranks of an engine no longer hold the same, or one has gone: the engine cannot go on."""

    def __init__(self, message: str) -> None:
        super().__init__(ENGINE_STOPPED, message)

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.message,)


def let_go(error: BaseException) -> None:
    """Free what the frames hold that an exception came through.

    One that is kept where such a frame sees it holds itself, and with it sessions and their arrays:
    nobody collects that on the engine thread.
    """
    left = [error]
    while left:
        one = left.pop()
        one.__traceback__ = None
        left += [other for other in (one.__cause__, one.__context__) if other is not None]
        one.__cause__ = one.__context__ = None


class _EngineThreadError(Exception):
    """Traceback, as text, of an error that was raised on the engine thread."""

    def __str__(self) -> str:
        return f"\n{self.args[0]}"


def detach(error: BaseException) -> None:
    """Replace an error's traceback and causes by their text, for a caller on another thread.

    The caller may keep the error, and must not keep the engine's frames with it.
    """
    text = "".join(traceback.format_exception(error))
    let_go(error)
    error.__cause__ = _EngineThreadError(text)


def as_engine_error(error: BaseException) -> EngineError:
    """An error as callers hear it; an unexpected one is told in its own words."""
    if isinstance(error, EngineError):
        return error
    if is_out_of_memory(error):
        log.error("out of memory", exc_info=error)
        return EngineError(OUT_OF_MEMORY, "The device ran out of memory. Close a chat, try again.")
    return EngineError(INTERNAL_ERROR, words_of(error))


_OUT_OF_MEMORY = re.compile(
    r"out of memory|insufficient memory|(unable|attempting|failed) to allocate|memoryallocation"
    r"|bad_alloc",
    re.IGNORECASE,
)
"""In the words of MLX, Metal and CUDA."""


def words_of(error: BaseException) -> str:
    """Return an `EngineError`'s message, or another exception's type and text."""
    if isinstance(error, EngineError):
        return error.message
    try:
        return f"{type(error).__name__}: {error}"
    except BaseException:  # its own __str__ raised
        return type(error).__name__


def run_cleanup(step: Callable[[], object]) -> None:
    """Run a step that others wait for; log an error and retry once."""
    for _ in range(2):
        try:
            step()
            return
        except BaseException:
            log.exception("a cleanup step failed")


def is_out_of_memory(error: BaseException) -> bool:
    """Return True if the device, or Python, had no memory left."""
    if isinstance(error, MemoryError):
        return True
    # MLX raises RuntimeError.
    return isinstance(error, RuntimeError) and bool(_OUT_OF_MEMORY.search(words_of(error)))
