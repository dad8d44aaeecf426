"""The date, for models: they know none."""

from datetime import datetime


def now() -> str:
    """Day, date, time and zone, and the same as ISO 8601."""
    here = datetime.now().astimezone()
    return f"{here:%A, %d %B %Y, %H:%M} {here:%Z} ({here.isoformat(timespec='seconds')})"
