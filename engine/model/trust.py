"""Whether something that has failed is used again. Plain Python, and counts passes, not seconds."""

from __future__ import annotations

REST = 256
"""Passes of a model for which what has failed is left alone the first time."""

LONGEST_REST = 1 << 16
"""It is twice as long after each failure, at most so long."""

FORGIVEN = 1024
"""Passes after which one failure counts no more."""


class Trust:
    """What has failed too often rests, and is tried again: for longer after each failure.

    A fault may have been one reply's, or the moment's; what fails whenever it is tried costs less
    and less.

    Attributes:
        faults: how often it has failed.

    Args:
        allowed: so many failures that have not been forgiven make it rest.
    """

    def __init__(self, allowed: int) -> None:
        self.faults = 0
        self._allowed = allowed
        self._counted = 0  # that have not been forgiven
        self._well = 0  # passes since the last failure, or since one was forgiven
        self._rest = REST
        self._left = 0

    @property
    def works(self) -> bool:
        """Whether it may be used."""
        return not self._left

    def failed(self) -> None:
        """It has raised."""
        self.faults += 1
        self._counted += 1
        self._well = 0
        if self._counted >= self._allowed:
            self._left, self._rest = self._rest, min(2 * self._rest, LONGEST_REST)

    def passed(self) -> None:
        """A pass of its model has gone well, with it or, where it rests, without."""
        if self._left:
            self._left -= 1
            if not self._left:
                self._counted = self._allowed - 1  # the next failure is one too many again
        elif self._counted:
            self._well += 1
            if self._well >= FORGIVEN:
                self._well, self._counted = 0, self._counted - 1
                if not self._counted:
                    self._rest = REST
