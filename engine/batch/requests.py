"""The lines of the input: each a request or a bad line that says what is wrong with it."""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from engine.openai import json_text, request
from engine.openai.parsing import Defaults, Request, parsed

log = logging.getLogger(__name__)


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
