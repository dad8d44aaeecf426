"""Errors of remote models, as sentences with a remedy."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Mapping

from app.remote.address import host_of
from app.settings.language import counted, tr
from app.tools.tool import clean
from engine import EngineError
from engine.errors import CONTEXT_OVERFLOW, INVALID_REQUEST

# In addition to the engine's codes.
UNREACHABLE = "remote_unreachable"  # no server at the address
REFUSED = "remote_refused"  # the key is wrong, or has no permission
GONE = "remote_gone"  # the server has no such model, or the user has removed it
BUSY = "remote_busy"  # rate limit, or overload
BROKEN = "remote_broken"  # the reply was cut off or is invalid
NOT_STARTED = "remote_not_started"  # a model that this program spreads and has not started
FAILED = "remote_failed"  # the server reported a failure

_LONGEST_WORDS = 300  # characters of a server's message

# Types and codes: exceed_context_size_error of llama.cpp, context_length_exceeded of OpenAI, …
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
    """Failure of a remote model. ``message`` is in the user's language."""

    status: int = 0  # HTTP status of a refusal, else 0
    said_code: str = ""  # the server's error code, or ""


def words_of(body: object) -> str:
    """Return a server's message from the JSON of an error, or ""."""
    error = _error_of(body)
    found = _provider_words(error) or error.get("message") or error.get("detail")
    if isinstance(found, list):  # FastAPI's, one per field
        messages = [one.get("msg") for one in found[:5] if isinstance(one, Mapping)]
        found = "; ".join(one for one in messages if isinstance(one, str))
    if not isinstance(found, str):
        return ""
    found = clean(found[: 4 * _LONGEST_WORDS], lines=False)
    return found if len(found) <= _LONGEST_WORDS else found[:_LONGEST_WORDS].rstrip() + "…"


def _error_of(body: object) -> Mapping[str, object]:
    """Return the object with a server's message, type and code."""
    if isinstance(body, list) and body:  # Gemini's
        body = body[0]
    if not isinstance(body, Mapping):
        return {}
    error = body.get("error")
    if isinstance(error, Mapping):
        return error
    return {**body, "message": error} if isinstance(error, str) else body


def _provider_words(error: Mapping[str, object]) -> object:
    """Return the provider's words that OpenRouter passes on, or None."""
    more = error.get("metadata")
    raw = more.get("raw") if isinstance(more, Mapping) else None
    if not isinstance(raw, str) or not raw:
        return None
    try:
        inner = json.loads(raw)
    except (ValueError, RecursionError):
        return raw
    return words_of(inner) if isinstance(inner, (Mapping, list)) else raw


def refusal(
    status: int, headers: Mapping[str, str], body: object, address: str, model: str
) -> RemoteError:
    """Return the error for a response whose status is not 200.

    Args:
        body: its JSON, or None.
        model: the requested model, "" for the list of models.
    """
    host, words = host_of(address), words_of(body)
    quoted = tr("Its message: “{words}”", words=words) if words else ""
    code, sentence = _explain(_status_of(status, body, words), headers, host, address, model)
    if status in (400, 413, 422, 500) and is_too_long(body):
        code, sentence = CONTEXT_OVERFLOW, does_not_fit(model)
    refused = RemoteError(code, " ".join(filter(None, (sentence, quoted))))
    refused.status, refused.said_code = status, _code_of(body)
    return refused


def does_not_fit(model: str) -> str:
    """Return the sentence for a chat that is too long."""
    return tr("The chat does not fit in the context of {model}.", model=model)


def _code_of(body: object) -> str:
    code = _error_of(body).get("code")
    return code[:100] if isinstance(code, str) else ""


def _status_of(status: int, body: object, message: str) -> int:
    """Return the proper status for an error's type, code and words."""
    marks = f"{_marks_of(body)} {message.lower()}"
    if status in (400, 403, 429) and _OF_MONEY.search(marks):
        return 402
    if status in (400, 422) and any(words in marks for words in _OF_MODEL):
        return 404
    return 429 if status == 413 and "rate_limit" in marks else status


def _marks_of(body: object) -> str:
    """Return the type and the code of an error."""
    error = _error_of(body)
    found = (error.get("type"), error.get("code"))
    return " ".join(one[:100].lower() for one in found if isinstance(one, str))


def _explain(
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
            "{host} does not allow this with your key. Ask for access there, or use another key.",
            host=host,
        )
    if status == 404 and model:
        return GONE, tr(
            "{host} no longer has the model {model}. Choose another, or check whether it was "
            "renamed.",
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
            (tr("{host} is getting too many requests.", host=host), later(headers))
        )
    if status in (408, 502, 503, 504, 529):
        return BUSY, " ".join((tr("{host} is not ready.", host=host), later(headers)))
    if status >= 500 and status != 501:
        return FAILED, tr(
            "{host} could not reply (status {status}). Try again later.", host=host, status=status
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
    there = clean(headers.get("location", "")[:_LONGEST_WORDS], lines=False)
    if not there:
        return tr("{host} redirects requests. Check the address.", host=host)
    return tr(
        "{host} redirects requests to {place}. Stretto does not follow. If that address "
        "is right, add the model with it.",
        host=host,
        place=there,
    )


def is_too_long(body: object) -> bool:
    """Return True if a server refuses a chat because it is longer than the model's context."""
    marks, words = _marks_of(body), words_of(body).lower()
    if _TOO_LONG_CODES.search(marks):
        return True
    if "rate_limit" in marks or _error_of(body).get("param") in _OF_REPLY:
        return "context" in words and "rate_limit" not in marks
    found = _TOO_LONG.search(words)
    if found is not None and any(name in found[0] for name in _OF_REPLY):
        return "context" in words
    return found is not None and _EXCESS.search(words) is not None


def later(headers: Mapping[str, str]) -> str:
    """Return when to try again, from a ``Retry-After`` in seconds or as a date."""
    wait = _wait_s(headers.get("retry-after", ""))
    if wait <= 0:
        return tr("Try again later.")
    if wait < 100:
        return counted("Try again in %n second.", "Try again in %n seconds.", wait)
    if wait < 100 * 60:
        return counted("Try again in %n minute.", "Try again in %n minutes.", -(-wait // 60))
    return tr("Try again in a few hours.") if wait < 86_400 else tr("Try again another day.")


def _wait_s(header: str) -> int:
    """Return the seconds to wait, or 0 if the value is invalid."""
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


def broken(host: str) -> RemoteError:
    """Return the error for a stream that ended before the reply."""
    words = tr("The connection to {host} was lost before the reply ended.", host=host)
    return RemoteError(BROKEN, words)


def empty(host: str) -> RemoteError:
    """Return the error for a stream that ended without a reply."""
    words = tr("{host} ended the reply before it began. Try again, or check the server.", host=host)
    return RemoteError(BROKEN, words)


def no_sense(host: str) -> RemoteError:
    """Return the error for an invalid response."""
    return RemoteError(
        BROKEN,
        tr(
            "{host} sent something that cannot be read. Check the address, or try again.", host=host
        ),
    )


def too_much(host: str) -> RemoteError:
    """Return the error for a response that is too long."""
    return RemoteError(
        BROKEN, tr("{host} sent too much and was stopped. The reply so far is kept.", host=host)
    )


def silent(host: str) -> RemoteError:
    """Return the error for a connection without data."""
    return RemoteError(
        UNREACHABLE, tr("{host} does not respond. Try again, or check the server.", host=host)
    )


def unreachable(host: str, error: BaseException) -> RemoteError:
    """Return the error for a failed connection."""
    lines = str(error).strip().splitlines()
    why = clean(lines[0][:_LONGEST_WORDS], lines=False).rstrip(".") if lines else ""
    return RemoteError(
        UNREACHABLE,
        tr(
            "{host} cannot be reached ({why}). Check the address and the connection.",
            host=host,
            why=why or type(error).__name__,
        ),
    )
