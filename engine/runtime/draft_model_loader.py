"""Loading of a model together with its draft model."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from functools import partial

from msgspec.structs import replace

from engine.errors import MODEL_LOAD_FAILED, EngineError
from engine.messages import Load
from engine.model import drafting
from engine.model.info import LOOKUP
from engine.model.info import Model as ModelInfo
from engine.model.loaded_model import DraftSource, LoadedModel
from engine.model.prompt_lookup import Lookup
from engine.runtime.candidate import as_load_error
from engine.runtime.mailbox import CommandFuture, refuse
from engine.runtime.model_loader import CANCELLED, ModelLoader, resolve_load
from engine.runtime.state import State
from engine.runtime.workers import Task, Work, Workers

_ModelRef = weakref.ref[LoadedModel]


class DraftModelLoader:
    """Handler for `Load` with a draft model. The draft model is loaded first."""

    def __init__(
        self,
        state: State,
        workers: Workers,
        model_loader: ModelLoader,
        forget: Callable[[str], None],
    ) -> None:
        self._state = state
        self._workers = workers
        self._model_loader = model_loader
        self._forget = forget

    def load(self, command: Load) -> None:
        if command.draft is None:
            self._model_loader.load(command)
            return
        loaded: list[_ModelRef] = []
        self._workers.start(self._load(command, loaded), partial(self._fail, command, loaded))

    def _load(self, command: Load, loaded: list[_ModelRef]) -> Task:
        if command.draft and command.draft != LOOKUP:
            small = replace(command, path=command.draft, adapter=None, callback=None)
            yield from self._load_one(small, loaded)
        yield from self._load_one(command, loaded)
        if len(loaded) > 1:
            texts = [_dereference(model).text for model in reversed(loaded)]
            vocab = yield Work("loads", partial(drafting.common_vocabulary, *texts))
            self._attach_draft_model(_dereference(loaded[1]), _dereference(loaded[0]), vocab)
        elif command.draft:
            self._attach_lookup(_dereference(loaded[0]))
        else:
            self._replace_drafter(_dereference(loaded[0]), None)
        if not resolve_load(command, _dereference(loaded[-1])):
            raise EngineError(MODEL_LOAD_FAILED, CANCELLED)

    def _load_one(self, command: Load, loaded: list[_ModelRef]) -> Task:
        answer: CommandFuture[ModelInfo] = CommandFuture()
        self._model_loader.load(replace(command, answer=answer, draft=None, outer=command.answer))
        info = yield answer
        loaded.append(weakref.ref(self._state.models[info.id]))
        if command.answer.cancelled():
            raise EngineError(MODEL_LOAD_FAILED, CANCELLED)

    def _fail(self, command: Load, loaded: list[_ModelRef], error: BaseException) -> None:
        for model in (ref() for ref in reversed(loaded)):
            if model is not None:
                self._model_loader.unload_unused(model)
        refuse(command, as_load_error(error))

    def _attach_draft_model(
        self, model: LoadedModel, small: LoadedModel, vocab: dict[str, int]
    ) -> None:
        if self._state.models.get(model.info.id) is not model:
            raise _gone()
        drafter = drafting.make_drafter(model, small, vocab)
        if model.drafting_model is not small:
            self._replace_drafter(model, drafter)
        if not small.is_requested:
            self._state.models.pop(small.info.id, None)  # the target model references it

    def _attach_lookup(self, model: LoadedModel) -> None:
        drafting.check_can_verify(model)
        if not isinstance(model.drafter, Lookup):
            self._replace_drafter(model, Lookup())

    def _replace_drafter(self, model: LoadedModel, drafter: DraftSource | None) -> None:
        before, small, model.drafter = model.drafter, model.drafting_model, drafter
        path = LOOKUP if drafter is not None else ""
        if model.drafting_model is not None:
            path = model.drafting_model.info.path
        model.info = replace(model.info, draft=path)
        self._forget(model.info.id)
        if before is not None:
            before.drop()
        if small is not None:
            self._model_loader.free_weights([small])


def _dereference(ref: _ModelRef) -> LoadedModel:
    model = ref()
    if model is None:
        raise _gone()
    return model


def _gone() -> EngineError:
    error_text = "The model was unloaded while it was being loaded. Load it again."
    return EngineError(MODEL_LOAD_FAILED, error_text)
