from __future__ import annotations

from app.settings.language import counted, mark, number, tr
from engine import Fit
from engine.errors import (
    CANNOT_HEAR,
    CANNOT_SEE,
    CAPACITY_EXHAUSTED,
    CONTEXT_OVERFLOW,
    DOWNLOAD_FAILED,
    ENGINE_STOPPED,
    FOLDER_GONE,
    GATED,
    INTERNAL_ERROR,
    INVALID_REQUEST,
    MESSAGE_TOO_LONG,
    MODEL_LOAD_FAILED,
    NO_SPACE,
    NOT_A_MODEL,
    NOT_FOUND,
    OFFLINE,
    OUT_OF_MEMORY,
    SESSION_BUSY,
    SESSION_CLOSED,
    TEMPLATE_ERROR,
    UNKNOWN_MODEL,
    UNSUPPORTED_SESSION,
)
from engine.hub.inventory import FolderFacts

NO_FOLDER = mark("The folder no longer exists")

_MEANINGS = {
    CANNOT_SEE: mark("The model can’t see images."),
    CANNOT_HEAR: mark("The model can’t hear recordings."),
    CAPACITY_EXHAUSTED: mark("Not enough memory right now."),
    CONTEXT_OVERFLOW: mark("The chat no longer fits the model’s context."),
    ENGINE_STOPPED: mark("The engine has stopped."),
    FOLDER_GONE: NO_FOLDER,
    INTERNAL_ERROR: mark("The model couldn’t reply."),
    INVALID_REQUEST: mark("The model can’t process this request."),
    MESSAGE_TOO_LONG: mark("The message alone is too long for the model’s context."),
    MODEL_LOAD_FAILED: mark("The model couldn’t be loaded."),
    OUT_OF_MEMORY: mark("Not enough memory."),
    SESSION_BUSY: mark("The model is still replying in this chat."),
    SESSION_CLOSED: mark("The chat was closed."),
    TEMPLATE_ERROR: mark("The model’s chat template doesn’t accept these messages."),
    UNKNOWN_MODEL: mark("The model is no longer loaded."),
    UNSUPPORTED_SESSION: mark("This model can’t keep the chat separate from the others."),
}

_HUB_MEANINGS = {
    DOWNLOAD_FAILED: mark("The download failed."),
    GATED: mark("Hugging Face doesn’t allow access."),
    INVALID_REQUEST: mark("This isn’t possible."),
    MODEL_LOAD_FAILED: mark("The model couldn’t be converted."),
    NO_SPACE: mark("Not enough disk space."),
    NOT_A_MODEL: mark("Can’t be loaded"),
    NOT_FOUND: mark("Not found on Hugging Face."),
    OFFLINE: mark("Hugging Face can’t be reached."),
}

HUB_MESSAGES = (
    mark("Hugging Face cannot be reached. Check the connection."),
    mark("Hugging Face does not answer. Try again in a while."),
    mark("Hugging Face answers too slowly. Try again in a while."),
)
"""Messages of the engine that are translated as a whole."""


def explain(code: str, message: str) -> str:
    """Return the engine's message, after a translated explanation unless the UI is in English."""
    return with_engine_message(_MEANINGS[code], message) if code in _MEANINGS else message


def explain_hub(code: str, message: str) -> str:
    """Like `explain`, for errors of a search, download, or conversion."""
    if message in HUB_MESSAGES:
        return tr(message)
    return with_engine_message(_HUB_MEANINGS[code], message) if code in _HUB_MEANINGS else message


def is_not_loaded_error(error: str) -> bool:
    return "could not be loaded" in error or error.startswith(tr(_MEANINGS[MODEL_LOAD_FAILED]))


def describe_problem(facts: FolderFacts) -> str:
    if facts.gone or not facts.problem:
        return tr(NO_FOLDER) if facts.gone else ""
    return with_engine_message(_HUB_MEANINGS[NOT_A_MODEL], facts.problem)


def with_engine_message(text: str, message: str, /, **values: object) -> str:
    """Return a translated text followed by the engine's message in parentheses.

    In English, or without a translation, only the engine's message is used, which is more precise.
    """
    translation = tr(text, **values)
    same = translation == (text.format(**values) if values else text)
    return message if same else f"{translation} ({message})"


DOES_NOT_FIT = "does_not_fit"
"""Error code of a model that wasn't loaded because the estimate exceeds the free memory."""


def memory_sentences(fit: Fit) -> str:
    total = _size(fit.total)
    return tr(
        "It needs {total}: {weights} for weights, {caches} for {chats} of {context} tokens, and "
        "{working} of working memory. {free} is free.",
        total=total if fit.exact else tr("about {size}", size=total),
        weights=_size(fit.weights),
        caches=_size(fit.caches),
        chats=counted("a chat", "%n chats", fit.chats),
        context=number(fit.context),
        working=_size(fit.working),
        free=_size(fit.free),
    )


def _size(count: int) -> str:
    if count >= 999_500_000:
        return tr("{number} GB", number=number(count / 1e9, 1))
    return tr("{number} MB", number=number(count / 1e6))
