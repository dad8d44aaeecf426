"""How panes are arranged, as it is saved: which chats, and where each of them stands."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Arrangement:
    """One arrangement of panes.

    Attributes:
        docks: what Qt Advanced Docking saves, in base64: splits, tabs, windows, sizes.
        chats: ids of the open chats in reading order.
        active: the id of the chat that has the keys.
    """

    MOST = 120
    """Panes that are opened again; each takes some 20 ms. A layout of more is none that was saved
    here."""

    docks: str
    chats: tuple[str, ...]
    active: str | None = None

    def to_json(self) -> dict[str, Any]:
        return {"docks": self.docks, "open": list(self.chats), "active": self.active}

    @classmethod
    def from_json(cls, data: object) -> Arrangement | None:
        """What ``to_json`` gave; None for anything that cannot have come from there."""
        if not isinstance(data, dict):
            return None
        docks, chats, active = data.get("docks"), data.get("open"), data.get("active")
        if not isinstance(docks, str) or not isinstance(chats, list):
            return None
        ids = tuple(dict.fromkeys(i for i in chats if isinstance(i, str) and i))
        if len(ids) > cls.MOST:
            docks, ids = "", ids[: cls.MOST]
        return cls(docks, ids, active if isinstance(active, str) else None)
