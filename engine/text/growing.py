"""Text that grows by small pieces."""

from __future__ import annotations


class GrowingText:
    """Text that is appended to. Appending takes time for the new text alone.

    Python copies a whole string that an attribute holds whenever something is added to it.
    """

    __slots__ = ("_length", "_parts")

    def __init__(self, text: str = "") -> None:
        self._parts = [text] if text else []
        self._length = len(text)

    def add(self, text: str) -> None:
        """Append a piece."""
        if text:
            self._parts.append(text)
            self._length += len(text)

    def since(self, start: int) -> str:
        """Return the text after the first `start` characters."""
        left, found = self._length - start, list[str]()
        for part in reversed(self._parts):
            if left <= 0:
                break
            found.append(part if len(part) <= left else part[len(part) - left :])
            left -= len(part)
        return "".join(reversed(found))

    def __len__(self) -> int:
        return self._length

    def __str__(self) -> str:
        if len(self._parts) > 1:
            self._parts = ["".join(self._parts)]
        return self._parts[0] if self._parts else ""
