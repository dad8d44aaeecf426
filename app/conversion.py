"""One model that is made smaller: a job in the list of downloads, worked on in a child process."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from app.download import Download, fault
from app.language import mark, tr
from engine import EngineError
from engine.hub import conversion
from engine.hub.inventory import Installed


@dataclass(frozen=True)
class Recipe:
    """How weights are to be kept.

    Attributes:
        name: as it ends the new folder's name.
        words: what a person chooses it by, in English; `tr` of it is shown.
        bits: of all weights;  mixed: one of mlx-lm's recipes instead, or "".
    """

    name: str
    words: str
    bits: int = 4
    mixed: str = ""

    def size(self, model: Installed) -> int:
        """Bytes that the new model will take, about."""
        each = 4 if model.facts.dtype == "float32" else 2
        return conversion.expected_bytes(model.facts.nbytes // each, self.bits, self.mixed or None)


RECIPES = (
    Recipe("4bit", mark("4 bits: the usual choice"), 4),
    Recipe("6bit", mark("6 bits: closer to the original"), 6),
    Recipe("8bit", mark("8 bits: hardly to be told from the original"), 8),
    Recipe("mixed-4-6bit", mark("4 and 6 bits: more where it matters"), mixed="mixed_4_6"),
    Recipe(
        "mixed-3-6bit",
        mark("3 and 6 bits: as small as 4, more where it matters"),
        mixed="mixed_3_6",
    ),
    Recipe("mixed-3-4bit", mark("3 and 4 bits: the smallest"), mixed="mixed_3_4"),
    Recipe("mixed-2-6bit", mark("2 and 6 bits: small, and not for every model"), mixed="mixed_2_6"),
)


@dataclass
class Conversion(Download):
    """One job. Its ``ref`` is the folder that it makes.

    Attributes:
        source: the folder of the model that is converted.
    """

    source: Path = Path()
    recipe: Recipe = RECIPES[0]

    can_pause: ClassVar[bool] = False

    @property
    def name(self) -> str:
        return Path(self.ref).name

    @property
    def repo(self) -> str:
        return self.ref


def why_not(model: Installed) -> str:
    """Why a model cannot be converted, as a sentence; "" where nothing is known against it."""
    if model.facts.problem:
        return model.facts.problem
    if model.facts.bits:
        return tr("It is quantized already: convert the model that it was made from")
    return ""


def job_for(model: Installed, recipe: Recipe, into: Path) -> Conversion:
    """The job that makes ``model`` smaller, in a new folder in ``into``."""
    name = f"{model.name.replace('/', '-')}-{recipe.name}"
    out, number = into / name, 1
    while out.exists():
        number += 1
        out = into / f"{name}-{number}"
    return Conversion(str(out), total=recipe.size(model), source=model.folder, recipe=recipe)


def work(job: Conversion, stop: threading.Event, *, before: threading.Event | None) -> None:
    """On a thread: convert, in a child that ends with ``stop``. Raises EngineError."""
    if before is not None:
        before.wait()

    def progress(done: int, total: int) -> None:
        if not stop.is_set():
            job.came = (done, total)

    try:
        recipe, out = job.recipe, Path(job.ref)
        conversion.convert(job.source, out, recipe.bits, recipe.mixed or None, progress, stop)
    except EngineError:
        raise
    except Exception as error:
        raise fault(error) from error
