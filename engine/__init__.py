"""Stretto's engine: many isolated chats on one copy of the weights, all streaming at once.

    from engine import Engine, SamplingParams

    with Engine() as engine:
        model = engine.load("resources/guide")
        chat = engine.open_session(model, system="Be brief.")
        for event in chat.send("Hello", SamplingParams(max_tokens=64, seed=7)):
            print(event)

Importing this package does not import MLX; the engine thread does, when it starts.

Imports: engine.cli, engine.cluster, engine.cache, engine.model, engine.runtime, engine.text.
"""

from engine.model import overlay

overlay.apply()  # before anything imports mlx-lm, in every process of the program

from engine.cache.estimate import Fit, Offer  # noqa: E402
from engine.engine import Engine, Session  # noqa: E402
from engine.errors import EngineError  # noqa: E402
from engine.messages import (  # noqa: E402
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
from engine.model.info import LOOKUP, Model  # noqa: E402
from engine.params import FormLimits, SamplingParams  # noqa: E402
from engine.reply import Reply  # noqa: E402
from engine.text.tools import ToolResult  # noqa: E402

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
