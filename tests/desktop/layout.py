"""Saved arrangement of the panes."""

from __future__ import annotations

import base64
import json
import xml.etree.ElementTree as ET
import zlib


def areas(saved: str) -> list[tuple[str, ...]]:
    """Return the chats of the open tabs in each place of the main window, in reading order.

    Panes must only be split to the right.
    """
    docks = json.loads(saved)["docks"]
    root = ET.fromstring(zlib.decompress(base64.b64decode(docks)[4:]))
    window = next(c for c in root.iter("Container") if c.get("Floating") == "0")
    found = [
        tuple(w.get("Name", "") for w in area.iter("Widget") if w.get("Closed") == "0")
        for splitter in window.iter("Splitter")
        for area in splitter.findall("Area")
    ]
    return [names for names in found if names]
