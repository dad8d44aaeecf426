"""What there is once in a process, for all of its engines and windows."""

from __future__ import annotations

import atexit
import threading
from collections.abc import Callable
from typing import Generic, Protocol, TypeVar


class Closing(Protocol):
    """Whatever has to be closed."""

    def close(self) -> None:
        """End it."""


Made = TypeVar("Made", bound=Closing)


class Shared(Generic[Made]):
    """Gives the same object whoever calls it, from any thread.

    Args:
        make: makes it when it is first asked for. It is closed when the process ends.

    Attributes:
        made: the object; None as long as nobody has asked.
    """

    def __init__(self, make: Callable[[], Made]) -> None:
        self.made: Made | None = None
        self._make = make
        self._lock = threading.Lock()

    def __call__(self) -> Made:
        """The object."""
        with self._lock:
            if self.made is None:
                self.made = self._make()
                atexit.register(self.made.close)
            return self.made
