"""The engine's exception class, with a string code for each cause."""

from __future__ import annotations

import logging
import re
import traceback
from collections.abc import Callable

log = logging.getLogger(__name__)

# The codes are part of the public API. Programs should check the code and show the message.
CAPACITY_EXHAUSTED = "capacity_exhausted"  # not enough memory for this request; nothing was started
CONTEXT_OVERFLOW = "context_overflow"  # the prompt is longer than the model's context
DOWNLOAD_CANCELLED = "download_cancelled"  # the download was canceled; partial files are kept
DOWNLOAD_FAILED = "download_failed"  # the download was interrupted, or its data is damaged
ENGINE_STOPPED = "engine_stopped"  # the engine was stopped, or its thread crashed
GATED = "gated"  # the hub requires an access token that is authorized for this model
INTERNAL_ERROR = "internal_error"  # unexpected error in one session; other sessions continue
INVALID_REQUEST = "invalid_request"  # malformed messages
MODEL_LOAD_FAILED = "model_load_failed"  # the folder or its weights are damaged or not supported
NOT_A_MODEL = "not_a_model"  # the hub repository doesn't contain a supported model
NOT_FOUND = "not_found"  # the hub has no such model or revision
NO_SPACE = "no_space"  # not enough disk space for a download
OFFLINE = "offline"  # the hub cannot be reached or does not respond
OUT_OF_MEMORY = "out_of_memory"  # the weights don't fit, or the device ran out of memory later
SESSION_BUSY = "session_busy"  # the session has a running reply
SESSION_CLOSED = "session_closed"  # the session was closed, or never existed
TEMPLATE_ERROR = "template_error"  # the model's chat template rejected the messages
UNKNOWN_MODEL = "unknown_model"  # the model was unloaded
UNSUPPORTED_SESSION = "unsupported_session"  # the model does not support an option of the session

MESSAGE_TOO_LONG = "message_too_long"
"""Reason for `context_overflow`: the last message alone is longer than the context."""

FOLDER_GONE = "folder_gone"  # reason for `model_load_failed`: the model's folder does not exist

CANNOT_SEE = "cannot_see"
"""Reason for `invalid_request`: a message has an image, but the model doesn't support images."""

CANNOT_HEAR = "cannot_hear"  # same as `CANNOT_SEE`, for audio


class EngineError(Exception):
    """Error with a machine-readable code and a message for the user."""

    def __init__(self, code: str, message: str, reason: str = "") -> None:
        super().__init__(code, message)
        self.code = code  # a constant of this module
        self.message = message  # problem and, if possible, how to fix it
        # Narrows down the code if different causes need different fixes, else "".
        self.reason = reason

    def __str__(self) -> str:
        return f"{self.message} [{self.code}]"


class RanksLostError(EngineError):
    """Raised if a rank dies or its caches diverge from the other ranks' caches."""

    def __init__(self, message: str) -> None:
        super().__init__(ENGINE_STOPPED, message)

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.message,)


def free_frames(error: BaseException) -> None:
    """Free the frames that an exception and its causes keep alive.

    A frame that stores its own exception is part of a reference cycle. The cycle collector doesn't
    run on the engine thread, so such a cycle would leak sessions and their arrays.
    """
    pending = [error]
    while pending:
        failure = pending.pop()
        failure.__traceback__ = None
        pending += [
            cause for cause in (failure.__cause__, failure.__context__) if cause is not None
        ]
        failure.__cause__ = failure.__context__ = None


class _EngineThreadError(Exception):
    """Formatted traceback of an error on the engine thread."""

    def __str__(self) -> str:
        return f"\n{self.args[0]}"


def detach(error: BaseException) -> None:
    """Replace an error's traceback and causes with text, which doesn't keep the engine's frames
    alive.
    """
    text = "".join(traceback.format_exception(error))
    free_frames(error)
    error.__cause__ = _EngineThreadError(text)


def as_engine_error(error: BaseException) -> EngineError:
    """Return an exception as an `EngineError`. Unexpected errors become `internal_error`."""
    if isinstance(error, EngineError):
        return error
    if is_out_of_memory(error):
        log.error("out of memory", exc_info=error)
        return EngineError(
            OUT_OF_MEMORY, "The device ran out of memory. Close a chat and try again."
        )
    return EngineError(INTERNAL_ERROR, describe_error(error))


_OUT_OF_MEMORY = re.compile(
    r"out of memory|insufficient memory|(unable|attempting|failed) to allocate|memoryallocation"
    r"|bad_alloc",
    re.IGNORECASE,
)
"""Out-of-memory messages of MLX, Metal and CUDA."""


def describe_error(error: BaseException) -> str:
    if isinstance(error, EngineError):
        return error.message
    try:
        return f"{type(error).__name__}: {error}"
    except BaseException:  # the exception's own __str__ raised
        return type(error).__name__


def run_cleanup(step: Callable[[], object]) -> None:
    """Run a cleanup step. If it fails, log the error and retry once."""
    for _ in range(2):
        try:
            step()
            return
        except BaseException:
            log.exception("a cleanup step failed")


def is_out_of_memory(error: BaseException) -> bool:
    if isinstance(error, MemoryError):
        return True
    # MLX raises a plain RuntimeError when it runs out of memory.
    return isinstance(error, RuntimeError) and bool(_OUT_OF_MEMORY.search(describe_error(error)))
