"""A model that is loaded together with a smaller one, which drafts for its chats."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import replace
from functools import partial
from typing import Any

from engine.core.commands import Load
from engine.core.examining import as_engine_error
from engine.core.loading import Loading
from engine.core.mailbox import Answer, refuse
from engine.core.model_reading import give
from engine.core.state import State
from engine.core.workers import Workers
from engine.errors import MODEL_LOAD_FAILED, EngineError
from engine.model import drafting
from engine.model.loaded import LoadedModel


class Pairing:
    """The command `Load`, where a model that drafts goes with it. The smaller one is read first.

    Args:
        forget: forgets the figures of drafting for a model, by its id.
    """

    def __init__(
        self, state: State, workers: Workers, loading: Loading, forget: Callable[[str], None]
    ) -> None:
        self._state = state
        self._workers = workers
        self._loading = loading
        self._forget = forget
        self._waiting: list[Load] = []

    def load(self, command: Load) -> None:
        """Load a model, with what drafts for it where that is wanted."""
        if command.draft is None:
            self._loading.load(command)
        elif not command.draft:
            self._read(command, partial(self._uncouple, command))
        else:
            self._read(
                replace(command, path=command.draft, adapter=None, told=None),
                partial(self._drafter_read, command),
            )

    def give_up(self) -> list[Load]:
        """The commands that nobody has answered yet."""
        waiting = [command for command in self._waiting if not command.answer.done()]
        self._waiting = []
        return waiting

    def _read(
        self,
        command: Load,
        then: Callable[[LoadedModel], None],
        failed: Callable[[], None] = lambda: None,
    ) -> None:
        """Load one of two models; whatever comes in between, the command is answered.

        `failed` is called where it cannot be loaded, before the caller hears of it.
        """
        answer: Future[Any] = Answer()
        self._waiting = [*self.give_up(), command]

        def done(answered: Future[Any]) -> None:
            # `answer` itself would hold itself, and with `then` a model, by its callbacks.
            try:
                model = self._state.models[answered.result().id]
                if command.answer.cancelled():
                    failed()
                    return self._release(model)
                then(model)
            except BaseException as error:
                failed()
                refuse(command, as_engine_error(error))

        answer.add_done_callback(done)
        self._loading.load(replace(command, answer=answer, draft=None, outer=command.answer))

    def _drafter_read(self, command: Load, small: LoadedModel) -> None:
        self._read(command, partial(self._compare, command, small), partial(self._release, small))

    def _compare(self, command: Load, small: LoadedModel, model: LoadedModel) -> None:
        """Have a worker compare the two tokenizers."""
        # Not the models themselves: they may be unloaded meanwhile.
        names = model.info.name, small.info.name
        held = weakref.ref(model), weakref.ref(small)

        def failed(error: BaseException) -> None:
            for one in (known() for known in held):
                if one is not None:
                    self._release(one)
            refuse(command, as_engine_error(error))

        def compared(vocab: dict[str, int]) -> None:
            try:
                large, little = (known() for known in held)
                if large is None or little is None:
                    raise _gone(names[large is not None])
                self._couple(command, large, little, vocab)
            except BaseException as error:
                failed(error)

        compare = partial(drafting.same_tokens, model.text_side, small.text_side)
        self._workers.run("loads", compare, compared, failed)

    def _couple(
        self, command: Load, model: LoadedModel, small: LoadedModel, vocab: dict[str, int]
    ) -> None:
        if self._state.models.get(model.info.id) is not model:
            raise _gone(model.info.name)
        drafter = drafting.couple(model, small, vocab)
        if model.drafter is None or model.drafter.model is not small:
            self._set(model, drafter)
        if not small.asked_for:
            self._state.models.pop(small.info.id, None)  # held by what it drafts for
        give(command, model)

    def _uncouple(self, command: Load, model: LoadedModel) -> None:
        self._set(model, None)
        give(command, model)

    def _set(self, model: LoadedModel, drafter: drafting.Drafter | None) -> None:
        before, model.drafter = model.drafter, drafter
        path = drafter.model.info.path if drafter is not None else ""
        model.info = replace(model.info, draft=path)
        self._forget(model.info.id)
        if before is not None:
            before.drop()
            self._loading.leave([before.model])

    def _release(self, model: LoadedModel) -> None:
        """Free a model that was read for a command which came to nothing, if nobody else has it."""
        state, key = self._state, model.info.id
        if state.models.get(key) is not model or model.asked_for:
            return
        if any(d.model is model for d in state.drafters.values()):
            state.models.pop(key)  # held by what it drafts for
        elif not any(s.model is model for s in state.sessions.values()):
            self._loading.free(key)


def _gone(name: str) -> EngineError:
    why = f"{name} was unloaded while it was loaded. Load it again."
    return EngineError(MODEL_LOAD_FAILED, why)
