"""What waits to be written, in order, with repeats of the same thing folded into one."""

from collections.abc import Iterable

from app.store.operations import TYPED, Operation, PatchChat, SaveChat


class Queue:
    """An ordered list of operations keyed by their numbers. Not thread-safe: the writer locks it.

    Invariant: applying the operations in order gives the same records as applying everything that
    was ever added, in the order of adding.
    """

    def __init__(self) -> None:
        self._operations: dict[int, Operation] = {}
        self._slots: dict[str, int] = {}

    def __len__(self) -> int:
        return len(self._operations)

    def add(self, number: int, operation: Operation) -> None:
        """Appends; or replaces the waiting write of the same slot, in that one's place.

        The earlier place matters: a message saved first is the parent of those that follow.
        """
        slot = operation.slot
        if slot is None:
            # It may write typed text too, so what is typed later must come after it.
            for columns, kind in TYPED.items():
                if isinstance(operation, SaveChat):
                    self._slots.pop(f"{kind} {operation.chat.id}", None)
                elif isinstance(operation, PatchChat) and not operation.changes.keys().isdisjoint(
                    columns
                ):
                    self._slots.pop(f"{kind} {operation.chat_id}", None)
            self._operations[number] = operation
            return
        place = self._slots.setdefault(slot, number)
        self._operations[place] = operation

    def items(self) -> Iterable[tuple[int, Operation]]:
        """Numbers and operations, first to last."""
        return self._operations.items()

    def urgent(self) -> bool:
        """Whether anything in it should be written at once."""
        return any(operation.urgent for operation in self._operations.values())

    def followed_by(self, later: "Queue") -> "Queue":
        """This queue with the later one's operations added at its end."""
        merged = Queue()
        for queue in (self, later):
            for number, operation in queue.items():
                merged.add(number, operation)
        return merged
