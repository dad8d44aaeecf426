"""JSON from clients: size checks while it arrives, decoding with limits, and error messages.

Also sampling parameters in JSON, for requests to the server and batch files.
"""

from __future__ import annotations

import hashlib
import json
import logging
import math
from collections.abc import Mapping, Sequence
from typing import Any, cast

from engine.params import SamplingParams
from engine.text.invisible import escape_invisible

log = logging.getLogger(__name__)

MAX_DEPTH = 100  # nested lists and objects
MAX_INTEGER_DIGITS = 40  # digits of an integer; longer ones overflow later
MAX_MESSAGE_CHARACTERS = 400
"""Maximum characters of an error message, which may quote the request."""


def decode(raw: bytes | bytearray) -> dict[str, Any]:
    """Decode a JSON object.

    A byte order mark is skipped. Invalid UTF-8 and lone surrogates become U+FFFD, and control
    characters in strings are accepted, because clients truncate the output of tools.

    Raises:
        ValueError: if it is invalid, with the reason.
    """
    encoding = json.detect_encoding(raw)
    try:
        text = raw.decode(encoding)
    except UnicodeDecodeError:
        log.warning("bytes in a request that are not %s replaced by U+FFFD", encoding)
        text = raw.decode(encoding, "replace")
    try:
        found = json.loads(
            text, strict=False, parse_constant=_constant, parse_int=_whole, parse_float=_number
        )
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    except json.JSONDecodeError as error:
        raise ValueError(f"it is no JSON: {error}") from None
    if not isinstance(found, dict):
        raise ValueError('it must be a JSON object like {"messages": […]}')
    return cast(dict[str, Any], replace_surrogates(found))


def replace_surrogates(tree: Any) -> Any:
    """Return the tree with U+FFFD for lone surrogates, which cannot be encoded.

    Raises:
        ValueError: if it is nested too deeply for later code.
    """
    if _is_encodable(tree):
        return tree
    log.warning("half of a surrogate pair in a request replaced by U+FFFD")
    text = json.dumps(tree, ensure_ascii=False).encode("utf-16-le", "surrogatepass")
    return json.loads(text.decode("utf-16-le", "replace"))


def _is_encodable(tree: Any) -> bool:
    """Return True if no string has a lone surrogate. Raise ValueError if nested too deeply."""
    is_whole = True
    level = [tree]
    for _ in range(MAX_DEPTH + 1):
        inner: list[Any] = []
        for item in level:
            if isinstance(item, str):
                is_whole = is_whole and _is_whole(item)
            elif isinstance(item, dict):
                inner += item.keys()
                inner += item.values()
            elif isinstance(item, list):
                inner += item
        if not inner:
            return is_whole
        level = inner
    raise ValueError(f"it is nested too deeply: {MAX_DEPTH} levels are taken")


def shorten(words: str) -> str:
    """Truncate a message to a readable length, and escape control characters."""
    cut = (
        words if len(words) <= MAX_MESSAGE_CHARACTERS else words[: MAX_MESSAGE_CHARACTERS - 1] + "…"
    )
    return escape_invisible(cut, lambda c: f"\\u{ord(c):04x}", keep="\n")


def _is_whole(text: str) -> bool:
    if text.isascii():
        return True
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _constant(name: str) -> None:
    raise ValueError(f"it is no JSON: {name} is no JSON number")


def _whole(digits: str) -> int:
    if len(digits) > MAX_INTEGER_DIGITS:
        raise ValueError(f"it holds a number of {len(digits)} digits")
    return int(digits)


def _number(digits: str) -> float:
    number = float(digits)
    if math.isinf(number):
        raise ValueError(f"it holds a number that is too large: {digits[:20]}")
    return number


MAX_LISTS = 200_000  # lists and objects, such as 20,000 messages of ten
MAX_VALUES = 2_000_000
"""Limit of values and names, twice that of a prompt of a million token ids."""
BYTES_PER_LIST, BYTES_PER_VALUE = 200, 60  # maximum memory for each


class JSONCounter:
    """Counter of values in a JSON text, chunk by chunk, using only functions implemented in C.

    Attributes:
        lists: lists and objects so far.
        commas: commas so far.
        texts: strings so far, including names.
    """

    def __init__(self) -> None:
        self.lists = self.commas = self.texts = 0
        self._inside = False  # the last chunk ended in a string
        self._half = b""  # backslash at the end of the last chunk

    @property
    def too_many(self) -> str:
        """Name and limit of what there is too much of, or ""."""
        if self.lists > MAX_LISTS:
            return f"{MAX_LISTS:,} lists and objects"
        return f"{MAX_VALUES:,} values" if self.texts + self.commas > MAX_VALUES else ""

    @property
    def nbytes(self) -> int:
        """Memory of the decoded values, without the characters of strings."""
        return self.lists * BYTES_PER_LIST + (self.commas + self.texts) * BYTES_PER_VALUE

    def add(self, piece: bytes) -> None:
        """Count the values in the next chunk, which should not be longer than about 100 KB."""
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
            self.texts += (quotes + (not self._inside)) // 2  # those that begin here
            self._inside ^= bool(quotes % 2)
        elif self._inside:
            return
        self.commas += text.count(b",")
        self.lists += text.count(b"[") + text.count(b"{")


def conversation_digests(messages: Sequence[Any], before: str = "") -> list[str]:
    """Return a digest for each beginning of a conversation, one per message.

    A message's digest is the SHA-256, in lower-case hexadecimal, of the previous message's digest
    (or "") followed by the message as ASCII JSON with sorted keys and without blanks.

    Args:
        messages: as in the request.
        before: digest of the preceding messages.
    """
    found = []
    for message in messages:
        text = json.dumps(message, ensure_ascii=True, sort_keys=True, separators=(",", ":"))
        before = hashlib.sha256((before + text).encode("ascii")).hexdigest()
        found.append(before)
    return found


_BY_SHAPE = ("logprobs", "tools", "tool_choice", "parallel_tool_calls")
SAMPLING = tuple(name for name in SamplingParams.__struct_fields__ if name not in _BY_SHAPE)
"""Parameters that are fields of a body. Log probabilities and tools have different fields in each
API, and are not supported in batch files."""


_SENTINELS: Mapping[str, tuple[tuple[float | str, ...], Any]] = {
    "max_tokens": ((-2, -1, 0), None),  # no limit
    "seed": ((-1, 2**32 - 1), None),  # random
    "top_k": ((-1,), 0),  # off
    "min_p": ((-1,), 0.0),  # off
    "repetition_penalty": ((0,), 1.0),  # off
    "penalty_window": ((-1,), 2**31 - 1),  # the whole context
    "top_p": ((0,), 1e-9),  # the most probable token
    "typical_p": ((0,), 1e-9),
    "grammar": (("",), None),  # none, as with llama.cpp
    "regex": (("",), None),
}
"""Values with a special meaning in other servers, and our equivalent: llama.cpp, vLLM, mlx-lm, LM
Studio, Ollama, OpenAI."""


_WHOLE_NUMBERS = ("max_tokens", "seed", "top_k", "penalty_window")


def whole_number(value: Any) -> Any:
    """Return 16.0 as 16, which is equal in JSON. Some languages write all numbers as floats."""
    is_whole = isinstance(value, float) and value.is_integer() and abs(value) < 2**53
    return int(value) if is_whole else value


def usual_value(name: str, value: Any) -> Any:
    """Return our equivalent of a parameter's value."""
    if name == "stop":
        if isinstance(value, list):
            return [text for text in value if text != ""]
        return None if value == "" else value
    if name in _WHOLE_NUMBERS:
        value = whole_number(value)
    values, meaning = _SENTINELS.get(name, ((), None))
    is_scalar = isinstance(value, (int, float, str)) and not isinstance(value, bool)
    return meaning if is_scalar and value in values else value


def sampling_params(given: Mapping[str, Any], base: Mapping[str, Any]) -> SamplingParams:
    """Create parameters from JSON, with defaults from `base`.

    Raises:
        ValueError: if they are invalid, with the reason.
    """
    if given.get("choices") is not None and not given["choices"]:
        raise ValueError("choices must not be empty. Leave it out for a free answer")
    sampling = {**base, **{name: usual_value(name, value) for name, value in given.items()}}
    sampling["logit_bias"] = _token_ids(sampling.get("logit_bias"))
    try:
        return SamplingParams(**sampling)
    except (OverflowError, RecursionError):
        raise ValueError("a number in it is too large, or it is nested too deeply") from None


_MIN_BIAS = -100  # lowest bias, for llama.cpp's false


def _token_ids(bias: Any) -> Any:
    """Return the logit bias by token id, from JSON's string keys or llama.cpp's list of pairs."""
    if isinstance(bias, list) and all(isinstance(one, list) and len(one) == 2 for one in bias):
        if any(isinstance(token, (list, dict)) for token, _ in bias):
            return bias
        bias = dict(bias)
    if not isinstance(bias, dict):
        return bias
    return {
        int(k) if isinstance(k, str) and k.isdecimal() else k: _MIN_BIAS if v is False else v
        for k, v in bias.items()
    }


def answer_form(wanted: Any, where: str) -> dict[str, Any]:
    """Return the parameters for a `response_format` or an equivalent field.

    Raises:
        ValueError: if it is invalid.
    """
    kind = wanted.get("type") if isinstance(wanted, dict) else None
    if kind == "text":
        return {}
    if kind in ("json_object", "json_schema"):
        described = wanted.get("json_schema") or wanted
        schema = described.get("schema") if isinstance(described, dict) else None
        if kind == "json_object" and schema is None:
            return {"json_schema": {"type": "object"}}
        if not isinstance(schema, dict):
            raise ValueError(f"{where}.{kind} must have a schema that is an object")
        return {"json_schema": schema}
    told = json.dumps(wanted, ensure_ascii=False)[:100]
    raise ValueError(f"{where} must be text, json_object or json_schema, not {told}")


def line_seed(seed: int, line: int) -> int:
    """Return a line's seed, derived from `seed`. Any JSON parser keeps it exact (< 2**48)."""
    return int.from_bytes(hashlib.sha256(f"{seed} {line}".encode()).digest()[:6], "big")
