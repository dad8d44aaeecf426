"""Who asks: a key's owner, or a program of this machine that needs none."""

from __future__ import annotations

from dataclasses import dataclass

from starlette.types import Scope

_PLACE = "stretto.guest"


@dataclass(frozen=True)
class Guest:
    """Whoever sends requests. Sessions and conversations of one are not seen by another.

    Attributes:
        id: the key's; empty where no key is needed.
        name: the key's, to be shown.
    """

    id: str = ""
    name: str = ""

    @property
    def domain(self) -> str:
        """The engine's domain of its sessions: no other guest's, and not the window's."""
        return f"guest {self.id}"


LOCAL = Guest()


def guest_of(scope: Scope) -> Guest:
    """Who sent a request. The guard knows."""
    found: Guest = scope.get(_PLACE, LOCAL)
    return found


def set_guest(scope: Scope, guest: Guest) -> None:
    """Take note of who sent a request."""
    scope[_PLACE] = guest
