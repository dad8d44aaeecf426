"""A model that is loaded again after the engine's thread has broken down."""

from __future__ import annotations

import time

from engine.engine import Engine
from engine.errors import ENGINE_STOPPED, EngineError
from engine.model.info import Model

_TRIES, _PAUSE_SECONDS = 20, 0.1


def load_again(engine: Engine, model: Model) -> Model:
    """The model after a breakdown. An engine that is still breaking down refuses it at first.

    Raises:
        EngineError: it cannot be loaded.
    """
    adapter, draft = model.adapter or None, model.draft or None
    for _ in range(_TRIES):
        try:
            return engine.load(model.path, adapter, draft)
        except EngineError as error:
            if error.code != ENGINE_STOPPED:
                raise
            time.sleep(_PAUSE_SECONDS)
    return engine.load(model.path, adapter, draft)
