"""A model that would not fit into memory: what is said of it."""

from __future__ import annotations

from engine import Fit

DOES_NOT_FIT = "does_not_fit"
"""The code of a load that was not begun, as the estimate was over what is free."""


def arithmetic(fit: Fit) -> str:
    """What it takes, of what, and what is free, as two sentences."""
    about = "" if fit.exact else "about "
    chats = "a chat" if fit.chats == 1 else f"{fit.chats} chats"
    parts = f"{_size(fit.weights)} of weights, {_size(fit.caches)} for {chats} of {fit.context:,} "
    return (
        f"It takes {about}{_size(fit.total)}: {parts}tokens, and {_size(fit.working)} to work "
        f"with. {_size(fit.free)} are free."
    )


def _size(count: int) -> str:
    return f"{count / 1e9:.1f} GB" if count >= 999_500_000 else f"{count / 1e6:.0f} MB"
