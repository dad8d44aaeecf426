"""How the parts of the engine's end are done."""

from __future__ import annotations

import logging
from collections.abc import Callable

log = logging.getLogger(__name__)


def surely(part: Callable[[], object]) -> None:
    """Do a part of the end. Whoever waits must be told, so what has failed is tried once more."""
    for _ in range(2):
        try:
            part()
            return
        except BaseException:
            log.exception("a fault while the engine ended")
