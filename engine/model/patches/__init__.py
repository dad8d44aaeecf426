"""Monkey patches for mlx-lm, MLX and Python.

If an update of a library has renamed or changed a function, the function's patch stays off, and the
engine runs without the patch's benefits. This module doesn't import MLX or mlx-lm, but the modules
with patches do.

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
from typing import Any

from msgspec import Struct

log = logging.getLogger(__name__)

# Environment variable that lists patches to turn off.
DISABLED_PATCHES_VARIABLE = "STRETTO_WITHOUT_PATCHES"


class Patch(Struct):
    name: str
    module: str  # module with a function `install_NAME`, which raises if the patch can't be applied
    loss: str  # consequence of running without the patch, for the log
    on: bool = False  # the patch is applied while an engine runs
    reason: str = "no engine has started yet"  # reason why the patch is off, or ""
    _tried: bool = False  # `apply` was called; further calls do nothing

    def apply(self) -> bool:
        """Apply the patch and return True if it's on. Only the first call has an effect, until
        `undo`.
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

    def skip(self, reason: str) -> None:
        if not self._tried:
            self.reason = reason


_ON_CPU = "engine.model.patches.dense"
_PATCHES = {
    patch.name: patch
    for patch in (
        Patch(
            "attention",
            "engine.model.attention",
            "Chats decode one after the other, and shared prefixes are copied.",
        ),
        Patch(
            "module_classes",
            __name__,
            "Chats of models with their own attention decode one after the other.",
        ),
        Patch(
            "file_limit",
            "engine.model.backend",
            "Importing mlx-lm changes the process's limit on open files.",
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
            (
                "On CUDA, quantized models take longer for steps of a few chats and for long "
                "prompts."
            ),
        ),
    )
}


def apply(name: str) -> bool:
    return _PATCHES[name].apply()


def skip(names: Iterable[str], reason: str) -> None:
    for name in names:
        _PATCHES[name].skip(reason)


def is_on(name: str) -> bool:
    return _PATCHES[name].on


def states() -> tuple[Patch, ...]:
    return tuple(_PATCHES.values())


_replaced: list[tuple[Any, str, Any, Any]] = []  # module or class, name, old and new function


def replace(home: Any, name: str, replacement: Any) -> None:
    """Replace `home.name` until `undo`, even in model modules that already imported it."""
    original = getattr(home, name)
    _swap(home, name, original, replacement)
    _replaced.append((home, name, original, replacement))


def undo() -> None:
    while _replaced:
        home, name, original, replacement = _replaced.pop()
        _swap(home, name, replacement, original)
    for patch in _PATCHES.values():
        patch._tried = patch._tried and not patch.on


def _swap(home: Any, name: str, original: Any, replacement: Any) -> None:
    setattr(home, name, replacement)
    for path, module in list(sys.modules.items()):
        if (
            path.startswith(("mlx_lm.models.", "mlx_vlm.models."))
            and getattr(module, name, None) is original
        ):
            setattr(module, name, replacement)


def check_parameters(function: Callable[..., Any], *names: str) -> None:
    """Check that a function's first parameters are positional and have these names.

    The function may have more parameters, or no signature.
    """
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        return
    first = [p.name for p in parameters[: len(names)] if p.kind is p.POSITIONAL_OR_KEYWORD]
    if first != list(names):
        parameter_list = ", ".join(str(p) for p in parameters)
        raise TypeError(f"it takes ({parameter_list}), not ({', '.join(names)})")


# ---------------------------------------------------------------- module classes


def install_module_classes() -> None:
    """Check that a module's class can be replaced, and that calls use the new class.

    Raises:
        TypeError, RuntimeError: if one of these doesn't work.
    """
    from mlx import nn

    module: Any = nn.Identity()
    undo = mix_in(_MixedInCheck, [module])
    if module() != "mixed in":
        raise RuntimeError("calling a module does not call its class")
    undo()


class _MixedInCheck:
    def __call__(self, *args: Any, **kwargs: Any) -> str:
        return "mixed in"


def mix_in(mixin: type, modules: Iterable[Any]) -> Callable[[], None]:
    """Add `mixin` to the classes of modules. Return an undo function.

    Modules that already have the mixin are skipped, e.g. modules that a variant shares with its
    base.
    """
    changed = [(module, type(module)) for module in modules if not isinstance(module, mixin)]
    for module, kind in changed:
        module.__class__ = _create_class(mixin, kind)  # type: ignore[arg-type]

    def undo() -> None:
        for module, kind in changed:
            module.__class__ = kind

    return undo


@functools.cache
def _create_class(mixin: type, kind: type) -> type:
    return type(f"{mixin.__name__}{kind.__name__}", (mixin, kind), {})
