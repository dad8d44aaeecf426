"""Whether a model of the hub would fit, by the engine's own estimate. Pure."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any

from engine.hub.look import HubModel
from engine.kv import fitting
from engine.kv.fitting import Fit, Weights

_MOST_BYTES = 1 << 60
_MOST_SIZE = 1 << 40  # of any number: the estimate computes with floating-point numbers
_MOST_LAYERS = 4096  # and entries of a list; the estimate goes through each of them


def fit(model: HubModel, budget: int, tokens: int, chats: int) -> Fit:
    """What a model that was looked at will take, and whether that is within the budget.

    Args:
        budget: bytes that models and chats may take.
        tokens, chats: how long each chat is to become, at most the model's own limit, and how many
            there are to be.
    """
    weights = Weights(model.weights, model.weights)
    tokens = min(tokens, model.context) if model.context else tokens
    gpu = sys.platform == "darwin"
    config = model.config if _is_sensible(model.config) else {}
    found = fitting.fit(config, weights, budget, tokens, chats, gpu=gpu)
    if found.total < _MOST_BYTES:
        return found
    return fitting.fit({}, weights, budget, tokens, chats, gpu=gpu)


def _is_sensible(config: Mapping[str, Any]) -> bool:
    """Whether a config can be that of a model: it comes from anybody."""
    inner = config.get("text_config")
    return all(
        not isinstance(value, list) or len(value) <= _MOST_LAYERS
        if not isinstance(value, int)
        else value <= (_MOST_LAYERS if "layer" in name else _MOST_SIZE)
        for place in (config, inner if isinstance(inner, dict) else {})
        for name, value in place.items()
    )
