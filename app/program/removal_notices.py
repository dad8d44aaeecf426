"""Notices about removed features."""

from __future__ import annotations

import logging
from pathlib import Path

from app.settings.language import tr

log = logging.getLogger(__name__)


def mlx_lm_note(data: Path) -> str:
    """Return a notice that the user's mlx-lm is no longer used, or "" from the second call on.

    Earlier versions could run another mlx-lm from ``data``, where the unpacked wheel stays.
    """
    note = data / "mlx-lm" / "chosen.json"
    if not note.is_file():
        return ""
    try:
        note.replace(note.with_name("unused.json"))
    except OSError as error:
        log.warning("cannot rename %s: %s", note, error)
    return tr("The mlx-lm wheel you chose is no longer used. Stretto uses the built-in version.")
