"""The lines of the input: each a request or a bad line that says what is wrong with it."""

from __future__ import annotations

import difflib
import hashlib
import json
import logging
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from engine.messages import Message
from engine.openai import json_text, request
from engine.params import SamplingParams

log = logging.getLogger(__name__)

_SAMPLING = tuple(f.name for f in fields(SamplingParams))
_KNOWN = ("prompt", "messages", "id", "system", "reasoning", *_SAMPLING)


@dataclass(frozen=True)
class Defaults:
    """The values for lines that do not give their own.

    Attributes:
        sampling: fields of `SamplingParams`. A seed among them is used for every line.
        seed: the seed of a line that names none is made from this and the line's number.
    """

    sampling: Mapping[str, Any] = field(default_factory=dict)
    seed: int = 0
    system: str | None = None
    reasoning: bool | None = None


@dataclass(frozen=True)
class Request:
    """One line to be answered. Lines are counted from 1, empty ones too, as editors do."""

    line: int
    id: str | int | None
    prompt: str | list[Message]
    params: SamplingParams
    system: str | None = None
    reasoning: bool | None = None
    openai: bool = False


@dataclass(frozen=True)
class BadLine:
    """One line that cannot be answered, and why."""

    line: int
    id: str | int | None
    why: str
    openai: bool = False


def lines(path: Path) -> Iterator[tuple[int, bytes]]:
    """Every line that is not empty with its number, one at a time: the file may be large."""
    with path.open("rb") as file:
        for number, raw in enumerate(file, 1):
            content = raw.removeprefix(b"\xef\xbb\xbf") if number == 1 else raw
            if content.strip():
                yield number, content.strip()


def digest(raw: bytes, salt: str) -> str:
    """A name for a line and for all else that its answer depends on (`salt`)."""
    return hashlib.sha256(salt.encode() + b"\0" + raw).hexdigest()[:16]


def line_seed(seed: int, line: int) -> int:
    """The seed of a line, always the same. It is below 2**48, so any JSON reader keeps it exact."""
    return int.from_bytes(hashlib.sha256(f"{seed} {line}".encode()).digest()[:6], "big")


class Parser:
    """Turns lines into requests. It remembers their ids, since no two lines may have the same."""

    def __init__(self, defaults: Defaults) -> None:
        self._defaults = defaults
        self._seen: dict[str, int] = {}

    def __call__(self, line: int, raw: bytes) -> Request | BadLine:
        name, of_openai = None, False
        try:
            entry = json_text.decode(raw)
            of_openai = request.is_openai(entry)
            given = entry.get("custom_id" if of_openai else "id")
            if given is not None and (isinstance(given, bool) or not isinstance(given, (str, int))):
                raise ValueError(f"an id is a text or a whole number, not {given!r}")
            name = given
            if name is not None:
                first = self._seen.setdefault(json.dumps(name), line)
                if first != line:
                    raise ValueError(f"the id {name!r} is that of line {first} already")
            plain = request.plain(entry) if of_openai else entry
            return parsed(plain, self._defaults, line, name, of_openai)
        except ValueError as error:
            why = str(error)
        except Exception as error:
            # A line of any content must leave a record. It must not end the run.
            log.debug("line %d could not be read", line, exc_info=True)
            why = f"it could not be read ({type(error).__name__})"
        return BadLine(line, name, json_text.shortened(why), of_openai)


def parsed(
    entry: dict[str, Any],
    defaults: Defaults,
    line: int = 0,
    name: str | int | None = None,
    of_openai: bool = False,
) -> Request:
    """An entry in our own shape as a request.

    Raises:
        ValueError: says what is wrong with it.
    """
    for key in entry:
        if key not in _KNOWN:
            near = difflib.get_close_matches(key, _KNOWN, 1)
            hint = f"; did you mean {near[0]!r}?" if near else ""
            raise ValueError(f"there is no field {key!r}{hint}")
    system = entry.get("system", defaults.system)
    if not isinstance(system, (str, type(None))):
        raise ValueError(f"system must be a text, not {system!r}")
    reasoning = entry.get("reasoning", defaults.reasoning)
    if not isinstance(reasoning, (bool, type(None))):
        raise ValueError(f"reasoning must be true or false, not {reasoning!r}")
    sampling = {"seed": line_seed(defaults.seed, line), **defaults.sampling}
    # A null is as good as nothing, as with OpenAI.
    sampling |= {k: v for k, v in entry.items() if k in _SAMPLING and v is not None}
    if isinstance(sampling.get("logit_bias"), dict):
        sampling["logit_bias"] = _token_ids(sampling["logit_bias"])
    try:
        params = SamplingParams(**sampling)
    except (OverflowError, RecursionError):
        raise ValueError("a number in it is too large, or it is nested too deeply") from None
    return Request(line, name, _prompt(entry), params, system, reasoning, of_openai)


def _prompt(entry: dict[str, Any]) -> str | list[Message]:
    prompt, messages = entry.get("prompt"), entry.get("messages")
    if (prompt is None) == (messages is None):
        raise ValueError('give either "prompt" or "messages"')
    if prompt is not None:
        if not isinstance(prompt, str) or not prompt:
            raise ValueError(f"prompt must be a text that is not empty, not {prompt!r}")
        return prompt
    if not isinstance(messages, list) or not messages:
        raise ValueError("messages must be a list that is not empty")
    return messages  # their form is checked where they are answered


def _token_ids(bias: dict[Any, Any]) -> dict[Any, Any]:
    """JSON's keys are texts."""
    return {int(k) if isinstance(k, str) and k.isdecimal() else k: v for k, v in bias.items()}
