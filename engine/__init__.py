"""Stretto's engine: many isolated chats on one copy of the weights, all streaming concurrently.

    from engine import Engine, SamplingParams

    with Engine() as engine:
        model = engine.load("resources/guide")
        chat = engine.open_session(model, system="Be brief.")
        for event in chat.send("Hello", SamplingParams(max_tokens=64, seed=7)):
            print(event)

Importing this package doesn't import MLX. The engine thread does that when it starts. Names are
imported lazily, because the GUI and the sandbox processes only need a few of them.

Imports: engine.cli, engine.cluster, engine.cache, engine.model, engine.runtime, engine.text.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from engine.cache.estimate import Fit, Offer
    from engine.engine import Engine, Session
    from engine.errors import EngineError
    from engine.messages import (
        Audio,
        Event,
        Failed,
        Finished,
        FinishReason,
        Image,
        PromptProgress,
        ReplyStats,
        TextDelta,
        ToolCallDelta,
        ToolCallFailed,
        ToolCallFinished,
        ToolCallStarted,
    )
    from engine.model.info import LOOKUP, Model
    from engine.params import FormLimits, SamplingParams
    from engine.reply import Reply
    from engine.text.tools import ToolResult

_ELSEWHERE = {
    "Engine": "engine.engine",
    "EngineError": "engine.errors",
    "Fit": "engine.cache.estimate",
    "FormLimits": "engine.params",
    "LOOKUP": "engine.model.info",
    "Model": "engine.model.info",
    "Offer": "engine.cache.estimate",
    "Reply": "engine.reply",
    "SamplingParams": "engine.params",
    "Session": "engine.engine",
    "ToolResult": "engine.text.tools",
}  # all other names in `__all__` come from engine.messages

__all__ = [
    "LOOKUP",
    "Audio",
    "Engine",
    "EngineError",
    "Event",
    "Failed",
    "FinishReason",
    "Finished",
    "Fit",
    "FormLimits",
    "Image",
    "Model",
    "Offer",
    "PromptProgress",
    "Reply",
    "ReplyStats",
    "SamplingParams",
    "Session",
    "TextDelta",
    "ToolCallDelta",
    "ToolCallFailed",
    "ToolCallFinished",
    "ToolCallStarted",
    "ToolResult",
]


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(_ELSEWHERE.get(name, "engine.messages")), name)
    globals()[name] = value  # cache the attribute for the next access
    return value
