"""Models come and go while three chats stream: how long those are silent meanwhile."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from concurrent.futures import CancelledError, Future
from pathlib import Path

from engine.bench.hostile_inputs import FEW, Ask, Input, Outcome
from engine.bench.random_models import SHAPES, write_model
from engine.engine import Engine
from engine.model.info import Model

_seeds = itertools.count(1)


def _folders(root: Path, count: int) -> list[Path]:
    """Models of the shape that the benchmarks load, each with weights of its own."""
    return [write_model(root / f"model-{i}", SHAPES["135m"], next(_seeds)) for i in range(count)]


def _loads(distinct: int, times: int) -> Callable[[Path, Engine], Ask]:
    """Loads so many folders, each so many times at once."""

    def prepare(root: Path, engine: Engine) -> Ask:
        folders = _folders(root, distinct)

        def ask(engine: Engine, model: Model) -> Outcome:
            asked = [engine.load_later(folder) for folder in folders for _ in range(times)]
            return lambda patience: _unload(engine, [a.result(patience) for a in asked])

        return ask

    return prepare


def _unload(engine: Engine, models: Sequence[Model]) -> None:
    for model in {model.id: model for model in models}.values():
        engine.unload(model)


def _cancelled(root: Path, engine: Engine) -> Ask:
    """Cancels a load once some of its weights are there."""
    folder = _folders(root, 1)[0]

    def ask(engine: Engine, model: Model) -> Outcome:
        before = engine.stats()["weights_bytes"]
        asked = engine.load_later(folder)

        def wait(patience: float) -> None:
            while not asked.done() and engine.stats()["weights_bytes"] == before:
                pass  # each look waits for a turn of the loop
            _cancel(asked)
            while engine.stats()["weights_bytes"] != before:
                pass

        return wait

    return ask


def _cancel(asked: Future[Model]) -> None:
    if not asked.cancel():
        raise RuntimeError("the model was there before its load could be cancelled")
    try:
        asked.result(0)
    except CancelledError:
        return


def _switches(root: Path, engine: Engine) -> Ask:
    """Asks one question of two models, one after the other."""
    folders = _folders(root, 2)

    def ask(engine: Engine, model: Model) -> Outcome:
        def wait(patience: float) -> None:
            for folder in folders:
                other = engine.load_later(folder).result(patience)
                engine.open_session(other).send("Which of you is it?", FEW).text(patience)
                engine.unload(other)

        return wait

    return ask


INPUTS = (
    Input("-", "loads another model", "", _loads(1, 1)),
    Input("-", "loads two models at once", "", _loads(2, 1)),
    Input("-", "loads one folder three times at once", "", _loads(1, 3)),
    Input("-", "cancels a load half way", "", _cancelled),
    Input("-", "asks two models in turn", "", _switches),
)
