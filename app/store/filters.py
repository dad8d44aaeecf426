"""Search filters, e.g. `in:Work from:me before:2026-01-01`."""

import re
from datetime import date, datetime, timedelta

from msgspec import Struct

from app.store.records import ChatRecord, Folder

WORD = re.compile(r"(?<!\S)-?(\w+):(\"[^\"]*\"?|\S*)")
NAMES = ("in", "tag", "model", "from", "before", "after", "is")  # supported prefixes
FROM = {"me": "user", "model": "assistant"}
STATES = ("pinned", "archived")
_DAYS = {"today": 0, "yesterday": 1, "week": 7, "month": 30, "year": 365}


class Filter(Struct, frozen=True):
    # Part of the name in lower case, or "" for no condition.
    folder: str = ""
    tag: str = ""
    model: str = ""
    role: str = ""  # "user", "assistant", or "" for no condition
    # Time range in seconds since the epoch.
    since: float | None = None
    until: float | None = None
    state: str = ""  # "pinned", "archived", or "" for no condition

    @property
    def has_message_conditions(self) -> bool:
        return bool(self.role or self.model or self.since is not None or self.until is not None)

    def matches(self, chat: ChatRecord, folders: dict[str, Folder]) -> bool:
        if self.folder:
            folder = folders.get(chat.folder_id or "")
            above = folders.get(folder.parent_id or "") if folder is not None else None
            names = [f.name.casefold() for f in (folder, above) if f is not None]
            if not any(self.folder in name for name in names):
                return False
        if self.tag and not any(self.tag in tag.casefold() for tag in chat.tags):
            return False
        if self.state == "pinned" and chat.pinned_at is None:
            return False
        return self.state != "archived" or chat.archived_at is not None

    def condition(self) -> tuple[str, list[object]]:
        """Return an SQL condition on a message `m` ("1" if there is none), and its values."""
        parts: list[str] = []
        values: list[object] = []
        if self.role:
            parts.append("m.role = ?")
            values.append(self.role)
        if self.model:
            parts.append("instr(lower(m.model), ?) > 0")
            values.append(self.model)
        if self.since is not None:
            parts.append("m.created_at >= ?")
            values.append(self.since)
        if self.until is not None:
            parts.append("m.created_at < ?")
            values.append(self.until)
        return " AND ".join(parts) or "1", values


def split(query: str) -> tuple[str, Filter | None]:
    """Split a query into words and a filter. Unknown prefixes are words."""
    fields: dict[str, object] = {}

    def take(match: re.Match[str]) -> str:
        name, value = match[1].lower(), match[2].strip('"').strip().casefold()
        if name not in NAMES or match[0].startswith("-"):
            return match[0]
        if not value:  # the user is still typing
            return ""
        if name in {"before", "after"}:
            moment = _parse_day(value)
            if moment is None:
                return match[0]
            fields["until" if name == "before" else "since"] = moment
        elif name == "from":
            role = next((r for word, r in FROM.items() if word.startswith(value)), None)
            if role is None:
                return match[0]
            fields["role"] = role
        elif name == "is":
            state = next((s for s in STATES if s.startswith(value)), None)
            if state is None:
                return match[0]
            fields["state"] = state
        else:
            fields[{"in": "folder"}.get(name, name)] = value
        return ""

    words = WORD.sub(take, query)
    return words, Filter(**fields) if fields else None  # type: ignore[arg-type]


def _parse_day(value: str) -> float | None:
    """Return the start of a period like 2026-01-31, 2026-01, 2026, or "yesterday" in seconds."""
    if value in _DAYS:
        midnight = datetime.combine(date.today(), datetime.min.time())
        return (midnight - timedelta(days=_DAYS[value])).timestamp()
    numbers = re.fullmatch(r"(\d{4})(?:-(\d{1,2})(?:-(\d{1,2}))?)?", value)
    if numbers is None:
        return None
    try:
        year, month, day = (int(part or 1) for part in numbers.groups())
        return datetime(year, month, day).timestamp()
    except (ValueError, OverflowError, OSError):
        return None
