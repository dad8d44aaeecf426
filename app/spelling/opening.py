"""Which spell checker the system has."""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable
from functools import lru_cache

from app.spelling.system import SpellingSystem

log = logging.getLogger(__name__)


def enchant() -> SpellingSystem:
    """The one of Linux. Raises ImportError or OSError where it is not installed."""
    from app.spelling.enchant_system import EnchantSystem

    return EnchantSystem()


def of_mac() -> SpellingSystem:
    """The one of a Mac."""
    from app.spelling.mac_system import MacSystem

    return MacSystem()


SYSTEMS: dict[str, Callable[[], SpellingSystem]] = {"linux": enchant, "darwin": of_mac}
"""By `sys.platform`: what opens it."""

GUI_ONLY = ("darwin",)
"""Where already the opening belongs on the GUI thread."""


@lru_cache(1)
def open_system() -> SpellingSystem | None:
    """The system's spell checker; None where there is none.

    Takes up to a second, once in a process.
    """
    opens = SYSTEMS.get(sys.platform)
    try:
        return opens() if opens is not None else None
    except Exception as error:  # the library is another one's, of any version: none is no harm
        log.info("There is no spell checker: %s", error)
        return None
