from __future__ import annotations

import json
import re
import time
from collections.abc import Mapping

from app.remote.address import host_of
from app.settings.language import counted, tr
from app.tools.tool import one_line
from engine import EngineError
from engine.errors import CONTEXT_OVERFLOW, INVALID_REQUEST

# These extend the engine's error codes.
UNREACHABLE = "remote_unreachable"  # no server at this address
REFUSED = "remote_refused"  # invalid key, or missing permission
GONE = "remote_gone"  # the server doesn't have the model, or the user removed it
BUSY = "remote_busy"  # rate limit or overload
BROKEN = "remote_broken"  # the reply was cut off or invalid
NOT_STARTED = "remote_not_started"  # a distributed model that isn't running
FAILED = "remote_failed"  # the server reported an error

_LONGEST_WORDS = 300  # characters of a server's message

# Error types and codes, e.g. exceed_context_size_error (llama.cpp), context_length_exceeded
# (OpenAI).
_TOO_LONG_CODES = re.compile(r"context_?(length|window|size|overflow)|(prompt|input)_too_l")
_TOO_LONG = re.compile(
    # "exceeds the available context size", "maximum context length is", "greater than n_ctx"
    r"context[ _-]?(length|window|size|limit)|max(imum)? context|\bn_ctx\b"
    # "prompt is too long", "input token count exceeds", "maximum prompt length is"
    r"|\b(prompt|inputs?|messages?|request|conversation|tokens)\b.{0,60}"
    r"\b(too (long|large)|exceeds?|longer than|less than|must be <=)"
    r"|\bprompt length\b|too many tokens|reduce the length",
    re.DOTALL,
)
_EXCESS = re.compile(
    r"exceed|too|long|larg|great|grow|increase|reduce|max|only|less|overflow|<=|>=|limit|contains"
)
_OF_REPLY = ("max_tokens", "max_completion_tokens", "max_output_tokens")
_OF_MODEL = ("model_not_found", "no models loaded", "model not found")
_OF_MONEY = re.compile(r"insufficient[_ ](quota|credit|balance|funds)|credit balance is too low")


class RemoteError(EngineError):
    """Request to a remote model failed. ``message`` is in the user's language."""


def message_of(body: object) -> str:
    error = _error_of(body)
    message = _provider_message(error) or error.get("message") or error.get("detail")
    if isinstance(message, list):  # FastAPI returns one message per field
        messages = [detail.get("msg") for detail in message[:5] if isinstance(detail, Mapping)]
        message = "; ".join(detail for detail in messages if isinstance(detail, str))
    message = one_line(message, _LONGEST_WORDS + 1)
    return message if len(message) <= _LONGEST_WORDS else message[:_LONGEST_WORDS].rstrip() + "…"


def _error_of(body: object) -> Mapping[str, object]:
    if isinstance(body, list) and body:  # Gemini returns a list
        body = body[0]
    if not isinstance(body, Mapping):
        return {}
    error = body.get("error")
    if isinstance(error, Mapping):
        return error
    return {**body, "message": error} if isinstance(error, str) else body


def _provider_message(error: Mapping[str, object]) -> object:
    metadata = error.get("metadata")
    raw = metadata.get("raw") if isinstance(metadata, Mapping) else None
    if not isinstance(raw, str) or not raw:
        return None
    try:
        inner = json.loads(raw)
    except (ValueError, RecursionError):
        return raw
    return message_of(inner) if isinstance(inner, (Mapping, list)) else raw


def response_error(
    status: int, headers: Mapping[str, str], body: object, address: str, model: str
) -> RemoteError:
    """Return the error for a response that isn't 200 OK.

    ``body`` is the response's JSON, or None. ``model`` is "" for the model list.
    """
    host, words = host_of(address), message_of(body)
    quoted = tr("Its message: “{words}”", words=words) if words else ""
    code, sentence = _explain_status(_status_of(status, body, words), headers, host, address, model)
    if status in (400, 413, 422, 500) and is_too_long(body):
        code, sentence = CONTEXT_OVERFLOW, unfit_text(model)
    return RemoteError(code, " ".join(filter(None, (sentence, quoted))))


def unfit_text(model: str) -> str:
    return tr("The chat doesn’t fit in the context of {model}.", model=model)


def _status_of(status: int, body: object, message: str) -> int:
    marks = f"{_marks_of(body)} {message.lower()}"
    if status in (400, 403, 429) and _OF_MONEY.search(marks):
        return 402
    if status in (400, 422) and any(words in marks for words in _OF_MODEL):
        return 404
    return 429 if status == 413 and "rate_limit" in marks else status


def _marks_of(body: object) -> str:
    error = _error_of(body)
    fields = (error.get("type"), error.get("code"))
    return " ".join(value[:100].lower() for value in fields if isinstance(value, str))


def _explain_status(
    status: int, headers: Mapping[str, str], host: str, address: str, model: str
) -> tuple[str, str]:
    if 300 <= status < 400:
        return GONE, _redirect_text(headers, host)
    if status == 401:
        return REFUSED, tr(
            "{host} needs a key, or rejects this one. Add the model again with its key.", host=host
        )
    if status == 402:
        return REFUSED, tr(
            "{host} needs payment for this. Add credit there, or choose another model.", host=host
        )
    if status == 403:
        return REFUSED, tr(
            "{host} doesn’t allow this with your key. Ask for access there, or use another key.",
            host=host,
        )
    if status == 404 and model:
        return GONE, tr(
            "{host} has no model named “{model}”. Choose another, or check whether it was renamed.",
            host=host,
            model=model,
        )
    if status in (404, 405):
        return GONE, tr(
            "No models are listed at {address}. Check the address: it often ends in /v1.",
            address=address,
        )
    if status == 429:
        return BUSY, " ".join(
            (tr("{host} is getting too many requests.", host=host), retry_text(headers))
        )
    if status in (408, 502, 503, 504, 529):
        return BUSY, " ".join((tr("{host} isn’t ready.", host=host), retry_text(headers)))
    if status >= 500 and status != 501:
        return FAILED, tr(
            "{host} couldn’t reply (status {status}). Try again later.", host=host, status=status
        )
    if status in (400, 413, 422, 501):
        return INVALID_REQUEST, tr(
            "{host} rejects this request (status {status}). It may not support one of the "
            "chat’s settings.",
            host=host,
            status=status,
        )
    return BROKEN, tr(
        "{host} sent no valid reply (status {status}). Check the address.", host=host, status=status
    )


def _redirect_text(headers: Mapping[str, str], host: str) -> str:
    location = one_line(headers.get("location"), _LONGEST_WORDS)
    if not location:
        return tr("{host} redirects requests. Check the address.", host=host)
    return tr(
        "{host} redirects requests to {place}. Stretto doesn’t follow. If that address is right, "
        "add the model with it.",
        host=host,
        place=location,
    )


def is_too_long(body: object) -> bool:
    """Return True if a server refused a chat for exceeding the model's context size."""
    marks, words = _marks_of(body), message_of(body).lower()
    if _TOO_LONG_CODES.search(marks):
        return True
    if "rate_limit" in marks or _error_of(body).get("param") in _OF_REPLY:
        return "context" in words and "rate_limit" not in marks
    match = _TOO_LONG.search(words)
    if match is not None and any(name in match[0] for name in _OF_REPLY):
        return "context" in words
    return match is not None and _EXCESS.search(words) is not None


def retry_text(headers: Mapping[str, str]) -> str:
    """Return a sentence about when to retry, based on ``Retry-After`` (seconds or a date)."""
    wait = _wait_s(headers.get("retry-after", ""))
    if wait <= 0:
        return tr("Try again later.")
    if wait < 100:
        return counted("Try again in %n second.", "Try again in %n seconds.", wait)
    if wait < 100 * 60:
        return counted("Try again in %n minute.", "Try again in %n minutes.", -(-wait // 60))
    return tr("Try again in a few hours.") if wait < 86_400 else tr("Try again tomorrow.")


def _wait_s(header: str) -> int:
    from email.utils import parsedate_to_datetime

    header = header.strip()[:100]
    try:
        return min(int(-(-float(header) // 1)), 10**9) if header else 0
    except (ValueError, OverflowError):
        pass
    try:
        return max(0, int(parsedate_to_datetime(header).timestamp() - time.time()))
    except (ValueError, TypeError, OverflowError):
        return 0


def broken_stream_error(host: str) -> RemoteError:
    words = tr("The connection to {host} was lost before the reply ended.", host=host)
    return RemoteError(BROKEN, words)


def empty_reply_error(host: str) -> RemoteError:
    words = tr("{host} ended the reply before it began. Try again, or check the server.", host=host)
    return RemoteError(BROKEN, words)


def invalid_response_error(host: str) -> RemoteError:
    return RemoteError(
        BROKEN,
        tr("{host} sent something that can’t be read. Check the address, or try again.", host=host),
    )


def too_long_error(host: str) -> RemoteError:
    return RemoteError(
        BROKEN, tr("{host} sent too much and was stopped. The reply so far is kept.", host=host)
    )


def timeout_error(host: str) -> RemoteError:
    return RemoteError(
        UNREACHABLE, tr("{host} doesn’t respond. Try again, or check the server.", host=host)
    )


def unreachable_error(host: str, error: BaseException) -> RemoteError:
    lines = str(error).strip().splitlines()
    reason = one_line(lines[0], _LONGEST_WORDS).rstrip(".") if lines else ""
    return RemoteError(
        UNREACHABLE,
        tr(
            "Couldn’t connect to {host} ({why}). Check that the server is running and the address "
            "is right.",
            host=host,
            why=reason or type(error).__name__,
        ),
    )
