"""JSON from clients: size checks while it arrives, decoding with limits, error messages.

Server requests and batch files share the format of sampling parameters.
"""

from __future__ import annotations

import hashlib
import json
import logging
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

from engine.params import SamplingParams
from engine.text import pieces
from engine.text.invisible import escape_invisible

log = logging.getLogger(__name__)

MAX_DEPTH = 100  # maximum nesting of lists and objects
MAX_INTEGER_DIGITS = 40  # longer integers would overflow later
MAX_MESSAGE_CHARACTERS = 400
"""Maximum length of an error message, which may quote the request."""


def decode(raw: bytes | bytearray) -> dict[str, Any]:
    """Decode a JSON object from a client.

    Clients truncate tool output in the middle of a character, so invalid UTF-8 and lone surrogates
    become U+FFFD, and control characters in strings are accepted.
    """
    encoding = json.detect_encoding(raw)
    try:
        text = raw.decode(encoding)
    except UnicodeDecodeError:
        log.warning("replaced invalid %s in a request with U+FFFD", encoding)
        text = raw.decode(encoding, "replace")
    try:
        value = json.loads(
            text, strict=False, parse_constant=_constant, parse_int=_whole, parse_float=_number
        )
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    except json.JSONDecodeError as error:
        raise ValueError(f"it is not valid JSON: {error}") from None
    if not isinstance(value, dict):
        raise ValueError('it must be a JSON object like {"messages": […]}')
    return cast(dict[str, Any], replace_surrogates(value))


def replace_surrogates(tree: Any) -> Any:
    """Replace lone surrogates with U+FFFD, because they can't be encoded.

    Raises:
        ValueError: if the tree is nested too deeply to process safely.
    """
    if _is_encodable(tree):
        return tree
    log.warning("replaced an unpaired surrogate in a request with U+FFFD")
    return json.loads(pieces.replace_surrogates(json.dumps(tree, ensure_ascii=False)))


def _is_encodable(tree: Any) -> bool:
    """Return True if no string has a lone surrogate. Raises ValueError if nested too deeply."""
    is_whole = True
    level = [tree]
    for _ in range(MAX_DEPTH + 1):
        inner: list[Any] = []
        for item in level:
            if isinstance(item, str):
                is_whole = is_whole and pieces.is_unicode(item)
            elif isinstance(item, dict):
                inner += item.keys()
                inner += item.values()
            elif isinstance(item, list):
                inner += item
        if not inner:
            return is_whole
        level = inner
    raise ValueError(f"it is nested too deeply (limit {MAX_DEPTH} levels)")


def message_parts(body: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the messages of an unvalidated body, their parts, and the parts of tool results."""
    level: list[Any] = [body.get("messages"), body.get("input")]
    for _ in range(6):  # nesting: messages, message, parts, part, tool result's parts, part
        inner: list[Any] = []
        for item in level:
            if isinstance(item, list):
                inner += item
            elif isinstance(item, dict):
                yield item
                inner += [item.get("content"), item.get("output")]
        level = inner


def shorten(words: str) -> str:
    cut = (
        words if len(words) <= MAX_MESSAGE_CHARACTERS else words[: MAX_MESSAGE_CHARACTERS - 1] + "…"
    )
    return escape_invisible(cut, lambda c: f"\\u{ord(c):04x}", keep="\n")


def _constant(name: str) -> None:
    raise ValueError(f"it is not valid JSON: {name} is not a number")


def _whole(digits: str) -> int:
    if len(digits) > MAX_INTEGER_DIGITS:
        raise ValueError(f"it has a number of {len(digits)} digits")
    return int(digits)


def _number(digits: str) -> float:
    number = float(digits)
    if math.isinf(number):
        raise ValueError(f"it has a number that is too large: {digits[:20]}")
    return number


MAX_LISTS = 200_000  # maximum number of lists and objects, e.g. 20,000 messages with ten each
MAX_VALUES = 2_000_000
"""Maximum number of values and names, twice as many as in a prompt of a million token ids."""
BYTES_PER_LIST, BYTES_PER_VALUE = 200, 60  # upper bounds on the memory for each


class JSONCounter:
    """Counter of the values in a JSON text, chunk by chunk."""

    def __init__(self) -> None:
        self.lists = self.commas = self.texts = 0
        self._inside = False  # the previous chunk ended inside a string
        self._half = b""  # trailing backslash of the previous chunk

    @property
    def too_many(self) -> str:
        if self.lists > MAX_LISTS:
            return f"{MAX_LISTS:,} lists and objects"
        return f"{MAX_VALUES:,} values" if self.texts + self.commas > MAX_VALUES else ""

    @property
    def nbytes(self) -> int:
        """Estimated memory of the decoded values, excluding the characters of strings."""
        return self.lists * BYTES_PER_LIST + (self.commas + self.texts) * BYTES_PER_VALUE

    def add(self, piece: bytes) -> None:
        """Count the values in the next chunk of at most about 100 KB."""
        text = self._half + piece if self._half else piece
        if b"\\" in text:
            slashes = len(text) - len(text.rstrip(b"\\"))
            self._half = b"\\" if slashes % 2 else b""
            text = text.removesuffix(self._half)
            text = text.replace(b"\\\\", b"").replace(b'\\"', b"")
        else:
            self._half = b""
        quotes = text.count(b'"')
        if quotes:
            between = text.split(b'"')[self._inside :: 2]
            text = b"".join(between)
            self.texts += (quotes + (not self._inside)) // 2  # strings that start in this chunk
            self._inside ^= bool(quotes % 2)
        elif self._inside:
            return
        self.commas += text.count(b",")
        self.lists += text.count(b"[") + text.count(b"{")


def conversation_digests(messages: Sequence[Any], before: str = "") -> list[str]:
    """Return one digest per message, each covering the conversation up to that message.

    A digest is the SHA-256 in lower-case hex of the previous digest (initially "") plus the
    message as ASCII JSON with sorted keys and no whitespace.

    Args:
        before: digest of the messages that precede `messages`.
    """
    digests = []
    for message in messages:
        text = json.dumps(message, ensure_ascii=True, sort_keys=True, separators=(",", ":"))
        before = hashlib.sha256((before + text).encode("ascii")).hexdigest()
        digests.append(before)
    return digests


_BY_SHAPE = ("logprobs", "tools", "tool_choice", "parallel_tool_calls")
SAMPLING = tuple(name for name in SamplingParams.__struct_fields__ if name not in _BY_SHAPE)
"""Parameters that are body fields under their own names."""


_SENTINELS: Mapping[str, tuple[tuple[float | str, ...], Any]] = {
    "max_tokens": ((-2, -1, 0), None),  # no limit
    "seed": ((-1, 2**32 - 1), None),  # random
    "top_k": ((-1,), 0),  # off
    "min_p": ((-1,), 0.0),  # off
    "repetition_penalty": ((0,), 1.0),  # off
    "penalty_window": ((-1,), 2**31 - 1),  # whole context
    "top_p": ((0,), 1e-9),  # greedy
    "typical_p": ((0,), 1e-9),
    "grammar": (("",), None),  # no grammar, as in llama.cpp
    "regex": (("",), None),
}
"""Values with a special meaning in other servers (llama.cpp, vLLM, mlx-lm, LM Studio, Ollama,
OpenAI), with their equivalent here.
"""


_WHOLE_NUMBERS = ("max_tokens", "seed", "top_k", "penalty_window")


def whole_number(value: Any) -> Any:
    is_whole = isinstance(value, float) and value.is_integer() and abs(value) < 2**53
    return int(value) if is_whole else value


def usual_value(name: str, value: Any) -> Any:
    """Translate a special value of other servers."""
    if name == "stop":
        if isinstance(value, list):
            return [text for text in value if text != ""]
        return None if value == "" else value
    if name in _WHOLE_NUMBERS:
        value = whole_number(value)
    values, meaning = _SENTINELS.get(name, ((), None))
    is_scalar = isinstance(value, (int, float, str)) and not isinstance(value, bool)
    return meaning if is_scalar and value in values else value


def sampling_params(request: Mapping[str, Any], base: Mapping[str, Any]) -> SamplingParams:
    """Return sampling parameters from JSON, on top of the defaults in `base`.

    Raises:
        ValueError: if they're invalid, with the reason.
    """
    if request.get("choices") is not None and not request["choices"]:
        raise ValueError("choices must not be empty. Omit it for an unconstrained answer")
    sampling = {**base, **{name: usual_value(name, value) for name, value in request.items()}}
    sampling["logit_bias"] = _token_ids(sampling.get("logit_bias"))
    try:
        return SamplingParams(**sampling)
    except (OverflowError, RecursionError):
        raise ValueError("a number in it is too large, or it is nested too deeply") from None


_MIN_BIAS = -100  # bias that replaces llama.cpp's false


def _token_ids(bias: Any) -> Any:
    """Convert a logit bias to token ids. Accepts JSON's string keys, or llama.cpp's list of
    pairs.
    """
    if isinstance(bias, list) and all(isinstance(pair, list) and len(pair) == 2 for pair in bias):
        if any(isinstance(token, (list, dict)) for token, _ in bias):
            return bias
        bias = dict(bias)
    if not isinstance(bias, dict):
        return bias
    return {
        int(k) if isinstance(k, str) and k.isdecimal() else k: _MIN_BIAS if v is False else v
        for k, v in bias.items()
    }


def answer_form(requested: Any, field: str) -> dict[str, Any]:
    kind = requested.get("type") if isinstance(requested, dict) else None
    if not requested or kind == "text":
        return {}
    if kind in ("json_object", "json_schema"):
        described = requested.get("json_schema") or requested
        schema = described.get("schema") if isinstance(described, dict) else None
        if kind == "json_object" and schema is None:
            return {"json_schema": {"type": "object"}}
        if not isinstance(schema, dict):
            raise ValueError(f"{field}.{kind} must have an object as its schema")
        return {"json_schema": schema}
    requested_json = json.dumps(requested, ensure_ascii=False)[:100]
    raise ValueError(f"{field} must be text, json_object or json_schema, not {requested_json}")


def line_seed(seed: int, line: int) -> int:
    """Return a seed below 2**48 for a line, so that every JSON parser reads it exactly."""
    return int.from_bytes(hashlib.sha256(f"{seed} {line}".encode()).digest()[:6], "big")
