"""A model that is being read, or is to be, and those who wait for it."""

from __future__ import annotations

import contextlib
import logging
import time
from concurrent.futures import InvalidStateError
from dataclasses import dataclass, field
from typing import Any

from engine.core.commands import Load
from engine.core.examining import Candidate
from engine.core.mailbox import refuse
from engine.core.ways_file import ProbedFile
from engine.errors import MODEL_LOAD_FAILED, EngineError
from engine.model.loaded import LoadedModel
from engine.model.loader import Pieces

log = logging.getLogger(__name__)


@dataclass(eq=False)  # the same only as itself
class ModelReading:
    """A model that is wanted: by one or several callers, once it has been examined.

    Attributes:
        reserved: bytes that it may take, once its reading has begun.
        base: the loaded model that it is made a variant of.
        arrays: of the model as far as it has come, to be freed in pieces if it comes no further.
        probed: where to keep what will be found out of it; None where that is known.
    """

    key: str
    callers: list[Load]
    candidate: Candidate
    pieces: Pieces | None = None
    reserved: int = 0
    base: LoadedModel | None = None
    arrays: list[Any] = field(default_factory=list)
    probed: ProbedFile | None = None

    def next_piece(self) -> LoadedModel | list[Any] | float | None:
        """Read the next piece: what it yields, or the model once that was the last."""
        assert self.pieces is not None
        try:
            reached: list[Any] | float | None = next(self.pieces)
            return reached
        except StopIteration as done:
            model: LoadedModel = done.value
            return model

    def tell(self, share: float | None) -> None:
        """Say how far it is. What a caller's function raises is its own."""
        heard = [command.told for command in self.callers if command.told is not None]
        for told in heard if share is not None else ():
            try:
                told(share or 0.0)
            except BaseException:
                log.exception("who hears of a load's progress raised")


def give(command: Load, model: LoadedModel) -> None:
    """Hand a model to whoever asked for it."""
    model.used_at = time.monotonic()
    model.asked_for = model.asked_for or command.outer is None
    with contextlib.suppress(InvalidStateError):  # cancelled just now; the model stays
        command.answer.set_result(model.info)


def drop(command: Load) -> None:
    """Tell what a model was to be read for that it comes no more: its caller has cancelled it."""
    refuse(command, EngineError(MODEL_LOAD_FAILED, "It was cancelled. Load it again."))
