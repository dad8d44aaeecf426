"""Total memory of idle caches."""

from __future__ import annotations

from collections.abc import Iterable

from engine.cache.session_kv import CacheBytes, DirtySets, SessionKV


class Tally:
    """Running total of the memory of idle caches, so that a step doesn't have to sum them up.

    Memory shared by several caches (a prefix, or a fork before its first write) is counted once.
    """

    def __init__(self) -> None:
        self.watch = DirtySets()  # caches that may have changed
        self.nbytes = 0
        # For each group of shared memory, the number of caches that use it and its size in bytes.
        self.groups: dict[int, tuple[int, int]] = {}
        self._counted: dict[SessionKV, CacheBytes] = {}

    def refresh(self, used: Iterable[SessionKV]) -> None:
        """Update the total for all caches that changed. Caches in `used` aren't counted."""
        changed, skipped = self.watch.changed, set(used)
        for kv in skipped:
            self._take_out(kv)
        for kv in list(changed):
            self._take_out(kv)
            if kv not in skipped:
                self._put_in(kv, kv.part)
            changed.discard(kv)

    def forget(self, kv: SessionKV) -> None:
        self._take_out(kv)
        self.watch.forget(kv)

    def _put_in(self, kv: SessionKV, part: CacheBytes) -> None:
        if not part.own and not part.group:
            return
        self._counted[kv] = part
        self.nbytes += part.own
        if part.group:
            count, size = self.groups.get(part.group, (0, part.shared))
            self.nbytes += 0 if count else size
            self.groups[part.group] = count + 1, size

    def _take_out(self, kv: SessionKV) -> None:
        part = self._counted.pop(kv, None)
        if part is None:
            return
        self.nbytes -= part.own
        if part.group:
            count, size = self.groups.pop(part.group)
            if count > 1:
                self.groups[part.group] = count - 1, size
            else:
                self.nbytes -= size
