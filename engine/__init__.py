"""Stretto's engine: many isolated chats on one copy of the weights, all streaming at once.

    from engine import Engine, SamplingParams

    with Engine() as engine:
        model = engine.load("resources/guide")
        chat = engine.open_session(model, system="Be brief.")
        for event in chat.send("Hello", SamplingParams(max_tokens=64, seed=7)):
            print(event)

Importing this package does not import MLX; the engine thread does, when it starts.

Imports: engine.cli, engine.core, engine.kv, engine.model.
"""

from engine.engine import Engine, Session
from engine.errors import EngineError
from engine.kv.fitting import Fit, Offer
from engine.messages import (
    Event,
    Failed,
    Finished,
    FinishReason,
    PromptProgress,
    ReplyStats,
    TextDelta,
)
from engine.model.info import Model
from engine.params import FormLimits, SamplingParams
from engine.reply import Reply

__all__ = [
    "Engine",
    "EngineError",
    "Event",
    "Failed",
    "FinishReason",
    "Finished",
    "Fit",
    "FormLimits",
    "Model",
    "Offer",
    "PromptProgress",
    "Reply",
    "ReplyStats",
    "SamplingParams",
    "Session",
    "TextDelta",
]
