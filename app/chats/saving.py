"""What one press of a key changes is saved as one."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec, Protocol, TypeVar

from app.chats.record import ChatRecord

P = ParamSpec("P")
R = TypeVar("R")


class _Saving(Protocol):
    _record: ChatRecord


S = TypeVar("S", bound=_Saving)


def saved_together(method: Callable[Concatenate[S, P], R]) -> Callable[Concatenate[S, P], R]:
    """All that the method saves reaches the file, or nothing does: see `Store.together`."""

    @wraps(method)
    def together(self: S, /, *args: P.args, **options: P.kwargs) -> R:
        with self._record.together():
            return method(self, *args, **options)

    return together
