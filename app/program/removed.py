"""Notices about removed features that this profile used."""

from __future__ import annotations

import logging
from pathlib import Path

from app.settings.language import tr

log = logging.getLogger(__name__)


def mlx_lm_note(data: Path) -> str:
    """Return the notice that a chosen mlx-lm is not used, or "" if none was or it was shown.

    Earlier versions could run another mlx-lm, which they kept in the profile.

    Args:
        data: the profile's data folder. The unpacked wheel stays there.
    """
    note = data / "mlx-lm" / "chosen.json"
    if not note.is_file():
        return ""
    try:
        note.replace(note.with_name("unused.json"))
    except OSError as error:
        log.warning("cannot rename %s: %s", note, error)
    return tr("The mlx-lm wheel you chose is no longer used. Stretto uses the built-in version.")
