"""Patches: replacements of functions of mlx-lm, MLX and Python.

If a patch cannot be applied because another version renamed or changed the function, it stays off,
and the engine runs without its benefit. `states()` returns which patches are on and why others are
off. This module imports neither MLX nor mlx-lm; the modules of patches do.

Imports: nothing.
"""

from __future__ import annotations

import functools
import importlib
import inspect
import logging
import os
import sys
from collections.abc import Callable, Iterable
from types import ModuleType
from typing import Any

from msgspec import Struct

log = logging.getLogger(__name__)

DISABLED_PATCHES_VARIABLE = (
    "STRETTO_WITHOUT_PATCHES"  # environment variable with the names of patches to leave off
)


class Patch(Struct):
    """A replacement and its state."""

    name: str
    module: str  # has a function `install_NAME` that raises an error if it cannot be applied
    loss: str  # effect while it is off
    on: bool = False
    reason: str = "no engine has started yet"  # why it is off; "" if it is on
    _tried: bool = False

    def apply(self) -> bool:
        """Apply the patch unless tried before, and return True if it is on.

        A failure is logged once.
        """
        if self._tried:
            return self.on
        self._tried = True
        try:
            if self.name in os.environ.get(DISABLED_PATCHES_VARIABLE, "").replace(",", " ").split():
                self.reason = f"{DISABLED_PATCHES_VARIABLE} names it"
            else:
                getattr(importlib.import_module(self.module), f"install_{self.name}")()
                self.on, self.reason = True, ""
        except Exception as error:
            self.reason = f"{type(error).__name__}: {error}"
        if not self.on:
            log.warning("The patch %r is off (%s). %s", self.name, self.reason, self.loss)
        return self.on

    def skip(self, why: str) -> None:
        """Set the reason why it is not needed, unless tried before."""
        if not self._tried:
            self.reason = why


_ON_CPU = "engine.model.patches.on_cpu"
_PATCHES = {
    patch.name: patch
    for patch in (
        Patch(
            "attention",
            "engine.model.attention",
            "Chats decode one after the other, and a prefix that several chats share is copied.",
        ),
        Patch(
            "module_classes",
            __name__,
            "Chats of models whose attention is not mlx-lm's decode one after the other.",
        ),
        Patch(
            "file_limit",
            "engine.model.backend",
            "Importing mlx-lm changes how many files the process may open.",
        ),
        Patch(
            "compilation",
            _ON_CPU,
            "MLX runs a C++ compiler for each new shape and waits for it.",
        ),
        Patch("activations", _ON_CPU, "The gates of feed-forward layers take longer."),
        Patch("linear", _ON_CPU, "Steps of up to 15 chats take longer."),
        Patch(
            "embedding",
            _ON_CPU,
            "Steps of models whose output layer is their embedding take longer.",
        ),
        Patch(
            "few_bits",
            "engine.model.patches.on_cuda",
            "On CUDA a few chats' steps and long prompts of models in few bits take longer.",
        ),
    )
}


def apply(name: str) -> bool:
    """Apply a patch unless tried before, and return True if it is on."""
    return _PATCHES[name].apply()


def skip(names: Iterable[str], why: str) -> None:
    """Set the reason why patches are not needed on this machine."""
    for name in names:
        _PATCHES[name].skip(why)


def is_on(name: str) -> bool:
    """Return True if a patch is applied."""
    return _PATCHES[name].on


def states() -> tuple[Patch, ...]:
    """Return all patches with their current state."""
    return tuple(_PATCHES.values())


def replace(home: ModuleType, name: str, new: Any) -> None:
    """Set `home.name` to `new`, also in modules of models that already imported it by name."""
    old = getattr(home, name)
    setattr(home, name, new)
    for path, module in list(sys.modules.items()):
        if (
            path.startswith(("mlx_lm.models.", "mlx_vlm.models."))
            and getattr(module, name, None) is old
        ):
            setattr(module, name, new)


def expect(function: Callable[..., Any], *names: str) -> None:
    """Check that a function's first parameters have these names and may be passed by position.

    Further parameters are allowed. A function without a signature is accepted.

    Raises:
        TypeError: with the actual parameters.
    """
    try:
        known = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        return
    first = [p.name for p in known[: len(names)] if p.kind is p.POSITIONAL_OR_KEYWORD]
    if first != list(names):
        takes = ", ".join(str(p) for p in known)
        raise TypeError(f"it takes ({takes}), not ({', '.join(names)})")


# ---------------------------------------------------------------- the classes of modules


def install_module_classes() -> None:
    """Check that replacing a module's class works and affects calls.

    Raises:
        TypeError, RuntimeError: if it does not.
    """
    from mlx import nn

    module: Any = nn.Identity()
    undo = mix_in(_Answering, [module])
    if module() != "mixed in":
        raise RuntimeError("calling a module does not call its class")
    undo()


class _Answering:
    def __call__(self, *args: Any, **kwargs: Any) -> str:
        return "mixed in"


def mix_in(mixin: type, modules: Iterable[Any]) -> Callable[[], None]:
    """Insert `mixin` before the modules' own classes. Return an undo function.

    Parameters and names are unchanged. Modules that already have the mixin, such as those shared
    with a variant's base, are skipped.
    """
    changed = [(module, type(module)) for module in modules if not isinstance(module, mixin)]
    for module, kind in changed:
        module.__class__ = _mixed(mixin, kind)  # type: ignore[arg-type]

    def undo() -> None:
        for module, kind in changed:
            module.__class__ = kind

    return undo


@functools.cache
def _mixed(mixin: type, kind: type) -> type:
    return type(f"{mixin.__name__}{kind.__name__}", (mixin, kind), {})
