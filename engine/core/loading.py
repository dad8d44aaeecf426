"""Models in and out, read piece by piece between the steps of the chats that are answering."""

from __future__ import annotations

import logging
from collections import deque

from engine.core.mailbox import refuse
from engine.core.state import State
from engine.errors import MODEL_LOAD_FAILED, UNKNOWN_MODEL, EngineError
from engine.messages import Load, Unload
from engine.model import backend, models

log = logging.getLogger(__name__)


class Loading:
    """The commands `Load` and `Unload`, and the models that are being read."""

    def __init__(self, state: State) -> None:
        self._state = state
        self._identities: dict[tuple[object, ...], str] = {}  # of folders, to the model's id
        self._queue: deque[tuple[Load, tuple[object, ...], models.Pieces]] = deque()

    @property
    def busy(self) -> bool:
        """Whether a model is being read."""
        return bool(self._queue)

    def load(self, command: Load) -> None:
        """Begin to read a model, or answer at once when it is there already."""
        state = self._state
        folder = models.resolve(command.path)
        same = models.identity(folder)
        known = state.models.get(self._identities.get(same, ""))
        if known is not None:
            command.answer.set_result(known.info)
            return
        free = state.budget - backend.memory_in_use()
        pieces = models.load(folder, command.path, state.backend, free)
        self._queue.append((command, same, pieces))

    def step(self) -> None:
        """Go on with the model that is being read, if any; the others wait for their turn."""
        if not self._queue:
            return
        self._state.undisturbed = False
        command, same, pieces = self._queue[0]
        try:
            next(pieces)
            return
        except StopIteration as done:
            # The same weights loaded twice are kept once.
            known = self._state.models.setdefault(done.value.info.id, done.value)
            self._identities[same] = known.info.id
            command.answer.set_result(known.info)
        except EngineError as error:
            refuse(command, error)
        except Exception as error:
            log.exception("loading failed")
            refuse(command, EngineError(MODEL_LOAD_FAILED, f"{type(error).__name__}: {error}"))
        self._queue.popleft()
        backend.give_back_memory()

    def unload(self, command: Unload) -> None:
        """Free a model and end its sessions."""
        for session in list(self._state.sessions.values()):
            if session.model.info.id == command.model_id:
                self._state.ended[session.id] = (
                    UNKNOWN_MODEL,
                    "The model was unloaded. Load it again.",
                )
                self._state.end_session(
                    session, UNKNOWN_MODEL, "The model was unloaded. Load it again."
                )
        self._state.prefix_cache.forget(command.model_id)
        if self._state.models.pop(command.model_id, None) is not None:
            backend.give_back_memory()
        command.answer.set_result(None)

    def give_up(self) -> list[Load]:
        """Stop reading; returns the commands that nobody has answered yet."""
        waiting = [command for command, _, _ in self._queue]
        self._queue.clear()
        return waiting
