"""A model that would not fit into memory: what is said of it."""

from __future__ import annotations

from app.language import counted, number, tr
from engine import Fit

DOES_NOT_FIT = "does_not_fit"
"""The code of a load that was not begun, as the estimate was over what is free."""


def arithmetic(fit: Fit) -> str:
    """What it takes, of what, and what is free, as two sentences."""
    total = _size(fit.total)
    return tr(
        "It takes {total}: {weights} of weights, {caches} for {chats} of {context} tokens, and "
        "{working} to work with. {free} are free.",
        total=total if fit.exact else tr("about {size}", size=total),
        weights=_size(fit.weights),
        caches=_size(fit.caches),
        chats=counted("a chat", "%n chats", fit.chats),
        context=number(fit.context),
        working=_size(fit.working),
        free=_size(fit.free),
    )


def _size(count: int) -> str:
    if count >= 999_500_000:
        return tr("{number} GB", number=number(count / 1e9, 1))
    return tr("{number} MB", number=number(count / 1e6))
