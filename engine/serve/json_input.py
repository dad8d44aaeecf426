"""JSON from outside: counted while it comes, read with limits, refused in plain words.

Also the settings of an answer as JSON has them, in requests to the server and in files of requests.
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

DEEPEST = 100  # levels of lists and objects within each other
LONGEST_NUMBER = 40  # digits of a whole number. Longer ones overflow wherever they are used.
LONGEST_WORDS = 400
"""Characters of a sentence about what is wrong. A sentence may quote what was sent."""


def decode(raw: bytes | bytearray) -> dict[str, Any]:
    """Return the JSON object in these bytes.

    A byte order mark is skipped. Bytes that are not UTF-8 and halves of surrogate pairs become
    U+FFFD, and control characters in texts are taken: clients cut what tools print.

    Raises:
        ValueError: says what is wrong with them.
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
    return cast(dict[str, Any], repaired(found))


def repaired(tree: Any) -> Any:
    """Return the tree with U+FFFD for each lone surrogate, which cannot be encoded.

    Raises:
        ValueError: it has too many levels for later code.
    """
    if _is_encodable(tree):
        return tree
    log.warning("half of a surrogate pair in a request replaced by U+FFFD")
    text = json.dumps(tree, ensure_ascii=False).encode("utf-16-le", "surrogatepass")
    return json.loads(text.decode("utf-16-le", "replace"))


def _is_encodable(tree: Any) -> bool:
    """Return True if no text of the tree has a lone surrogate; refuse too many levels."""
    is_whole = True
    level = [tree]
    for _ in range(DEEPEST + 1):
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
    raise ValueError(f"it is nested too deeply: {DEEPEST} levels are taken")


def shortened(words: str) -> str:
    """A sentence cut to a length that a person reads. Control characters are made visible."""
    cut = words if len(words) <= LONGEST_WORDS else words[: LONGEST_WORDS - 1] + "…"
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
    if len(digits) > LONGEST_NUMBER:
        raise ValueError(f"it holds a number of {len(digits)} digits")
    return int(digits)


def _number(digits: str) -> float:
    number = float(digits)
    if math.isinf(number):
        raise ValueError(f"it holds a number that is too large: {digits[:20]}")
    return number


MOST_LISTS = 200_000  # lists and objects: 20,000 messages of ten
MOST_PARTS = 2_000_000
"""Values and names of all kinds: a prompt of a million token ids, and as much again."""
LIST_BYTES, PART_BYTES = 200, 60  # what one takes in memory, at most


class Parts:
    """Counts the parts of one JSON text, piece by piece; each is looked at by C alone.

    Attributes:
        lists: and objects so far.
        commas: so far.
        texts: so far; names are texts, too.
    """

    def __init__(self) -> None:
        self.lists = self.commas = self.texts = 0
        self._inside = False  # a text goes on
        self._half = b""  # an escape that the last piece has begun

    @property
    def too_many(self) -> str:
        """What there is too much of, with how many may be; empty as long as there is not."""
        if self.lists > MOST_LISTS:
            return f"{MOST_LISTS:,} lists and objects"
        return f"{MOST_PARTS:,} values" if self.texts + self.commas > MOST_PARTS else ""

    @property
    def nbytes(self) -> int:
        """What they take in memory once they are read, beside the characters of the texts."""
        return self.lists * LIST_BYTES + (self.commas + self.texts) * PART_BYTES

    def add(self, piece: bytes) -> None:
        """Count what is in the next piece, which should be no longer than some 100 KB."""
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


def chained(messages: Sequence[Any], before: str = "") -> list[str]:
    """A digest for each beginning of a conversation, up to each of its messages.

    That of a message is SHA-256, in 64 small hexadecimal digits, over the digest of the message
    before it (nothing for the first one), and over the message as JSON in ASCII, with sorted keys
    and without blanks.

    Args:
        messages: as they go over the line.
        before: the digest of what stands before them.
    """
    found = []
    for message in messages:
        text = json.dumps(message, ensure_ascii=True, sort_keys=True, separators=(",", ":"))
        before = hashlib.sha256((before + text).encode("ascii")).hexdigest()
        found.append(before)
    return found


_BY_SHAPE = ("logprobs", "tools", "tool_choice", "parallel_tool_calls")
SAMPLING = tuple(name for name in SamplingParams.__struct_fields__ if name not in _BY_SHAPE)
"""The settings that a body may name by themselves. How probable tokens were, and how tools are
called, is asked for by each shape in its own way, and not at all in files of requests."""


_SENTINELS: Mapping[str, tuple[tuple[float | str, ...], Any]] = {
    "max_tokens": ((-2, -1, 0), None),  # no limit
    "seed": ((-1, 2**32 - 1), None),  # a fresh one
    "top_k": ((-1,), 0),  # off
    "min_p": ((-1,), 0.0),  # off
    "repetition_penalty": ((0,), 1.0),  # off
    "penalty_window": ((-1,), 2**31 - 1),  # the whole context
    "top_p": ((0,), 1e-9),  # the most probable token
    "typical_p": ((0,), 1e-9),
    "grammar": (("",), None),  # none, as with llama.cpp
    "regex": (("",), None),
}
"""Values that other servers take for another one, by setting: llama.cpp, vLLM, mlx-lm, LM Studio,
Ollama, OpenAI."""


_WHOLE_NUMBERS = ("max_tokens", "seed", "top_k", "penalty_window")


def whole_number(value: Any) -> Any:
    """Return 16.0 as 16, which is the same number in JSON. Some languages write all numbers so."""
    is_whole = isinstance(value, float) and value.is_integer() and abs(value) < 2**53
    return int(value) if is_whole else value


def usual_value(name: str, value: Any) -> Any:
    """Return what clients mean by the value of a setting."""
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
    """The settings `given` in JSON, upon those of `base`.

    Raises:
        ValueError: says what is wrong with them.
    """
    if given.get("choices") is not None and not given["choices"]:
        raise ValueError("choices must not be empty. Leave it out for a free answer")
    sampling = {**base, **{name: usual_value(name, value) for name, value in given.items()}}
    sampling["logit_bias"] = _token_ids(sampling.get("logit_bias"))
    try:
        return SamplingParams(**sampling)
    except (OverflowError, RecursionError):
        raise ValueError("a number in it is too large, or it is nested too deeply") from None


_NEVER = -100  # the lowest bias, which llama.cpp writes as false


def _token_ids(bias: Any) -> Any:
    """Return the bias by token id. JSON's keys are texts, and llama.cpp has a list of pairs."""
    if isinstance(bias, list) and all(isinstance(one, list) and len(one) == 2 for one in bias):
        if any(isinstance(token, (list, dict)) for token, _ in bias):
            return bias
        bias = dict(bias)
    if not isinstance(bias, dict):
        return bias
    return {
        int(k) if isinstance(k, str) and k.isdecimal() else k: _NEVER if v is False else v
        for k, v in bias.items()
    }


def form(wanted: Any, where: str) -> dict[str, Any]:
    """The form of an answer, from `response_format` or what is shaped like it.

    Raises:
        ValueError: it is none.
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
    """The seed of a line, always the same. It is below 2**48, so any JSON reader keeps it exact."""
    return int.from_bytes(hashlib.sha256(f"{seed} {line}".encode()).digest()[:6], "big")
