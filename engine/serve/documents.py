"""Documents in requests: their texts, by the reader of attachments."""

from __future__ import annotations

import base64
import re
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from engine.errors import EngineError
from engine.sandbox.jobs import read_document

_ENDINGS = {
    "application/pdf": ".pdf",
    "text/plain": ".txt",
    "text/markdown": ".md",
    "text/html": ".html",
    "text/csv": ".csv",
}
_ENDING = re.compile(r"\.[A-Za-z0-9]{1,10}")
_ADDRESS = re.compile(r"data:(?P<kind>[^;,]{0,100})(?:;[^,]{0,100})?,")
_TYPES = ("document", "file", "input_file")  # parts that take a while to read


def read(data: str, kind: str = "", name: str = "") -> str:
    """The text of a document. A page of a PDF that is a picture says so in its place.

    Args:
        data: in base64, which may stand in a data: address.
        kind: its media type; what such an address says counts more.
        name: of its file, whose ending tells where the type does not.

    Raises:
        ValueError: it cannot be read; the end of a sentence says why.
    """
    content, told = decoded(data)
    own = _ENDING.fullmatch(Path(name[-300:]).suffix)
    ending = _ENDINGS.get(told or kind) or (own[0] if own else ".bin")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"document{ending}"
        path.write_bytes(content)
        try:
            found = read_document(path)
        except EngineError as error:
            raise ValueError(error.message.rstrip(".")) from None
    if found.is_scan:
        raise ValueError("it holds no text: its pages are pictures. Send them as images")
    pages = list(found.pages)
    for number in found.scans:
        pages[number - 1] = f"[Page {number} is a picture without text.]"
    return "\n\n".join(pages)


def decoded(data: str) -> tuple[bytes, str]:
    """What base64 stands for, and the media type that a data: address around it tells, if any.

    Raises:
        ValueError: it is damaged.
    """
    kind = ""
    if address := _ADDRESS.match(data):
        data, kind = data[address.end() :], address["kind"]
    try:
        return base64.b64decode(data, validate=True), kind
    except ValueError:
        raise ValueError("its base64 is damaged") from None


def is_in(body: Mapping[str, Any]) -> bool:
    """Whether a body, which may be anything, has a document that takes a while to read."""
    level: list[Any] = [body.get("messages"), body.get("input")]
    for _ in range(4):  # the messages, a message's parts, those of a result, a source
        inner: list[Any] = []
        for one in level:
            if isinstance(one, list):
                inner += one
            elif isinstance(one, dict):
                if one.get("type") in _TYPES:
                    return True
                inner += [one.get("content"), one.get("output")]
        level = [part for one in inner for part in (one if isinstance(one, list) else [one])]
    return False
