"""What the caches of chats take: a sum that is kept, so that no turn goes through all of them.

What several hold together (a shared prefix, a fork that has not written) is counted once, and
comes back with the last that holds it.
"""

from __future__ import annotations

from collections.abc import Iterable

from engine.kv.held_caches import HeldCaches, Part, Watch


class Tally:
    """The sum over caches that nobody is using.

    Attributes:
        watch: tells which of them may have changed.
        nbytes: of all of them together.
        groups: by number, how many of them hold something together, and its bytes.
    """

    def __init__(self) -> None:
        self.watch = Watch()
        self.nbytes = 0
        self.groups: dict[int, tuple[int, int]] = {}
        self._counted: dict[HeldCaches, Part] = {}

    def refresh(self, used: Iterable[HeldCaches]) -> None:
        """Count again what has changed. Those that are `used` are in no sum."""
        changed, skipped = self.watch.changed, set(used)
        for kv in skipped:
            self._take_out(kv)
        for kv in list(changed):
            self._take_out(kv)
            if kv not in skipped:
                self._put_in(kv, kv.part)
            changed.discard(kv)

    def forget(self, kv: HeldCaches) -> None:
        """These caches are nobody's any more."""
        self._take_out(kv)
        self.watch.forget(kv)

    def _put_in(self, kv: HeldCaches, part: Part) -> None:
        if not part.own and not part.group:
            return
        self._counted[kv] = part
        self.nbytes += part.own
        if part.group:
            count, size = self.groups.get(part.group, (0, part.shared))
            self.nbytes += 0 if count else size
            self.groups[part.group] = count + 1, size

    def _take_out(self, kv: HeldCaches) -> None:
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
