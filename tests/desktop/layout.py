"""Saved arrangement of the panes."""

from __future__ import annotations

import base64
import json
import xml.etree.ElementTree as ET
import zlib
from dataclasses import dataclass


@dataclass(frozen=True)
class Area:
    chats: tuple[str, ...]
    width: int


def areas(saved: str) -> list[Area]:
    """Return the main window's places in reading order, if panes were only split to the right."""
    docks = json.loads(saved)["docks"]
    root = ET.fromstring(zlib.decompress(base64.b64decode(docks)[4:]))
    window = next(c for c in root.iter("Container") if c.get("Floating") == "0")
    found: list[Area] = []
    for splitter in window.iter("Splitter"):
        sizes = (splitter.findtext("Sizes") or "").split()
        parts = [child for child in splitter if child.tag != "Sizes"]
        for part, size in zip(parts, sizes, strict=True):
            names = [w.get("Name", "") for w in part.iter("Widget") if w.get("Closed") == "0"]
            if part.tag == "Area" and names:
                found.append(Area(tuple(names), int(size)))
    return found
