"""What values the options of `app.settings` may have."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from typing import Any

from app.language import LANGUAGES

TEXT_PX = (11, 28)
"""The smallest and the largest text."""
ZOOM = (70, 80, 90, 100, 110, 125, 150, 175, 200)
"""How large all text can be, in percent."""
PORTS = (1024, 65535)
"""Those that a program may take which is not the administrator's."""
SERVE_LIMITS = {
    "serve_sessions": 1024,
    "serve_per_key": 1024,
    "serve_per_minute": 10_000,
    "serve_unload_min": 1440,
}
"""The most that each limit of other programs may be."""


def valid(data: dict[str, Any], defaults: Mapping[str, Any]) -> dict[str, Any]:
    """The entries of ``data`` that are options and make sense.

    Args:
        defaults: of all options. A value must have the type of its default.
    """
    taken: dict[str, Any] = {}
    for name, default in defaults.items():
        value = data.get(name)
        if isinstance(default, tuple):
            if isinstance(value, list) and all(isinstance(item, str) for item in value):
                taken[name] = tuple(value)
        elif isinstance(default, float):
            if isinstance(value, (int, float)) and not isinstance(value, bool):
                with suppress(OverflowError):  # a number of four hundred digits, say
                    taken[name] = float(value)
        elif type(value) is type(default):
            taken[name] = value
    for name in ("presets", "remotes"):
        named = taken.get(name, {})
        taken[name] = {n: told for n, told in named.items() if n and isinstance(told, dict)}
    for name in ("prompts", "drafts"):
        texts = taken.get(name, {})
        taken[name] = {n: t for n, t in texts.items() if n and isinstance(t, str)}
    kept = taken.get("kept", {})
    taken["kept"] = {
        name: counts
        for name, counts in kept.items()
        if isinstance(counts, list) and len(counts) == 2 and all(type(n) is int for n in counts)
    }
    shortcuts = taken.get("shortcuts", {})
    taken["shortcuts"] = {
        name: keys
        for name, keys in shortcuts.items()
        if isinstance(keys, list) and all(isinstance(k, str) for k in keys)
    }
    downloads = taken.get("downloads", {})
    taken["downloads"] = {n: b for n, b in downloads.items() if n and type(b) is int and b >= 0}
    used = taken.get("used", {})
    taken["used"] = {
        n: float(t) for n, t in used.items() if n and type(t) in (int, float) and 0 <= t < 1e12
    }
    for name, good in _BOUNDS.items():
        if name in taken and not good(taken[name]):
            del taken[name]
    return taken


def _is_within(most: int, value: int) -> bool:
    return 0 <= value <= most


_BOUNDS: dict[str, Callable[[Any], bool]] = {
    "language": lambda v: v == "system" or v in LANGUAGES,
    "appearance": lambda v: v in {"system", "light", "dark"},
    "send_key": lambda v: v in {"enter", "ctrl_enter"},
    "long_paste": lambda v: 0 <= v <= 1_000_000,
    "text_px": lambda v: TEXT_PX[0] <= v <= TEXT_PX[1],
    "zoom": lambda v: v in ZOOM,
    "contrast": lambda v: v in {"system", "normal", "high"},
    "motion": lambda v: v in {"system", "less"},
    "memory_gb": lambda v: 0 <= v < 100_000,
    "unload_idle_min": lambda v: 0 <= v <= 100_000,
    "serve_port": lambda v: PORTS[0] <= v <= PORTS[1],
    "cache_gb": lambda v: 0 <= v < 100_000,
    **{name: partial(_is_within, most) for name, most in SERVE_LIMITS.items()},
}
