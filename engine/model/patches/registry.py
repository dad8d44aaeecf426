"""The list of patches, and whether each of them is on. Imports neither MLX nor mlx-lm."""

from __future__ import annotations

import importlib
import logging
import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

log = logging.getLogger(__name__)

WITHOUT = "STRETTO_WITHOUT_PATCHES"
"""The environment variable that names patches not to be applied."""


@dataclass(frozen=True)
class State:
    """Whether a patch is on.

    Attributes:
        name: the patch.
        on: whether it has been applied.
        reason: why it is off; empty when it is on.
        loss: what is lost while it is off.
    """

    name: str
    on: bool
    reason: str
    loss: str


class Patch:
    """One replacement.

    Args:
        name: also the module of this package that has the patch's `install` function.
        loss: what is lost without it.
    """

    def __init__(self, name: str, loss: str) -> None:
        self.name = name
        self.loss = loss
        self.on = False
        self.reason = "no engine has started yet"
        self._tried = False

    def apply(self, **options: Any) -> bool:
        """Apply it if it has not been tried before; returns whether it is on.

        A failure is logged the first time. `options` are those of the module's `install`.
        """
        if self._tried:
            return self.on
        self._tried = True
        if self.name in os.environ.get(WITHOUT, "").replace(",", " ").split():
            self.reason = f"{WITHOUT} names it"
            log.warning("The patch %r is off (%s). %s", self.name, self.reason, self.loss)
            return False
        try:
            install: Callable[..., None]
            install = importlib.import_module(f"engine.model.patches.{self.name}").install
            install(**options)
        except Exception as error:
            self.reason = f"{type(error).__name__}: {error}"
            log.warning("The patch %r is off (%s). %s", self.name, self.reason, self.loss)
            return False
        self.on, self.reason = True, ""
        return True

    def skip(self, why: str) -> None:
        """Say why it is not needed here, if it has not been tried."""
        if not self._tried:
            self.reason = why

    @property
    def state(self) -> State:
        return State(self.name, self.on, self.reason, self.loss)


_PATCHES = {
    patch.name: patch
    for patch in (
        Patch(
            "attention",
            "Chats decode one after the other, and a beginning that several chats share is copied.",
        ),
        Patch(
            "module_classes",
            "Chats of models whose attention is not mlx-lm's decode one after the other.",
        ),
        Patch("file_limit", "Importing mlx-lm changes how many files the process may open."),
        Patch("compilation", "MLX runs a C++ compiler for each new shape and waits for it."),
        Patch("activations", "The gates of feed-forward layers take longer."),
        Patch("linear", "Steps of up to 15 chats take longer."),
        Patch("embedding", "Steps of models whose output layer is their embedding take longer."),
    )
}


def apply(name: str, **options: Any) -> bool:
    """Apply a patch if it has not been tried before; returns whether it is on."""
    return _PATCHES[name].apply(**options)


def skip(names: Iterable[str], why: str) -> None:
    """Say why patches are not needed on this machine."""
    for name in names:
        _PATCHES[name].skip(why)


def is_on(name: str) -> bool:
    """Whether a patch has been applied."""
    return _PATCHES[name].on


def states() -> tuple[State, ...]:
    """Of all patches, as they are now."""
    return tuple(patch.state for patch in _PATCHES.values())
