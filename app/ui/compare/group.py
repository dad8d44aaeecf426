"""One comparison that is open: its columns, what they differ in, and whether that is hidden."""

from __future__ import annotations

from dataclasses import dataclass
from string import ascii_uppercase
from typing import Any

from app.language import tr
from app.ui.compare.desk import Desk


@dataclass
class Group:
    """The columns of one comparison.

    Attributes:
        columns: by chat: what it differs in, in a few words; from left to right.
        blind: these words and the models' names are hidden until one is kept.
        desk: what has given its place to the columns.
    """

    columns: dict[str, str]
    blind: bool
    desk: Desk

    def alias(self, chat_id: str) -> str:
        """What a hidden column is called instead."""
        letter = ascii_uppercase[list(self.columns).index(chat_id)]
        return tr("Answer {letter}", letter=letter)

    def to_json(self) -> dict[str, Any]:
        """What `columns_from_json` and `Desk.from_json` take."""
        return {"columns": self.columns, "blind": self.blind, "desk": self.desk.to_json()}


def columns_from_json(data: object) -> tuple[dict[str, str], bool] | None:
    """The columns, and whether they are hidden; None for what cannot have come from a group."""
    if not isinstance(data, dict):
        return None
    columns = data.get("columns")
    if not isinstance(columns, dict) or not 2 <= len(columns) <= len(ascii_uppercase):
        return None
    if not all(isinstance(one, str) for pair in columns.items() for one in pair):
        return None
    return dict(columns), data.get("blind") is True
