"""The ways that calibration takes on this machine, and each of them by hand.

`python -m engine bench MODEL --parts ways`. First it is measured as after a load (`model.choices`,
`model.trials`), but for as long as it takes. Then twelve other cases are measured in each of their
ways, in turns: is the way that is taken within a twentieth of the fastest?
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine.bench.subject import subject

TOLERANCE = 1.05
"""Times the fastest way's time that the chosen one may take."""

_TRIES = 4  # of a comparison during which the machine had much else to do

Say = Callable[[str], None]


@dataclass(frozen=True)
class Case:
    """A case by hand.

    Attributes:
        times: by way, seconds of a pass.
        chosen: the way that is taken.
    """

    part: str
    chats: int
    tokens: int
    times: Mapping[str, float]
    chosen: str

    @property
    def over_best(self) -> float:
        """Times the fastest way's time that the chosen one takes."""
        return self.times[self.chosen] / min(self.times.values())


def run(path: str, rounds: int, folder: str | None, say: Say) -> dict[str, Any]:
    """Measure, and print both tables.

    Args:
        path: a model folder, a hub id that is downloaded, or `random:` and a shape.
        folder: where an engine keeps its tables (`Engine`'s `ways_dir`): what it has found of this
            model is shown too.
    """
    with subject(path) as it:
        it.engine.unload(it.model)
        from engine.model import backend, choices, loader
        from engine.runtime.calibrating import WaysFile, guess_of

        model = loader.load_at_once(Path(it.model.path), it.model.dtype == "float32")
        if folder is not None:
            file = WaysFile(Path(folder).expanduser(), backend.start(), model)
            kept = file.read()
            say(f"\nKept in {file.path}" + ("" if kept else ": nothing that can be used"))
            _table(kept, say)
        results = measured(model, say)
        made = choices.choose(results, guess_of(model))
        say(f"\nTaken: {made}")
        cases = by_hand(model, made, rounds, say)
    good = sum(case.over_best <= TOLERANCE for case in cases)
    say(f"{good} of {len(cases)} within {TOLERANCE - 1:.0%} of the fastest way")
    return {
        "results": choices.to_json(results),
        "cases": [[c.part, c.chats, c.tokens, dict(c.times), c.chosen, c.over_best] for c in cases],
    }


def measured(model: Any, say: Say) -> dict[Any, dict[str, float]]:
    """All that calibration would measure, if it had the time."""
    from engine.model.choices import next_cell
    from engine.runtime.calibrating import guess_of

    results: dict[Any, dict[str, float]] = {}
    left_out: set[Any] = set()

    def possible(cell: Any) -> bool:
        return cell not in left_out and _possible(model, cell)

    say("\nMeasured, ms a pass")
    while (cell := next_cell(results, guess_of(model), possible)) is not None:
        times = _steadily(model, cell)
        if times is None:
            left_out.add(cell)
            say(f"{cell.part:<7} {cell.chats} chats {cell.tokens:>5} tokens: never steady")
        else:
            results[cell] = times
            _table({cell: times}, say)
    return results


def by_hand(model: Any, made: Any, rounds: int, say: Say) -> list[Case]:
    """Twelve cases between those that calibration measures, each in all of its ways."""
    from engine.model.choices import MIXED, PREFIX, SLOTS, Cell
    from engine.model.slices import at_once
    from engine.model.trials import measure
    from engine.runtime.calibrating import guess_of

    cells = [
        *(Cell(SLOTS, n, tokens) for n, tokens in ((2, 512), (4, 512), (8, 512), (8, 768))),
        *(Cell(SLOTS, n, tokens) for n, tokens in ((4, 1536), (2, 3072))),
        *(Cell(PREFIX, n, tokens) for n, tokens in ((4, 512), (8, 768), (4, 1536))),
        *(Cell(MIXED, n, rows) for n, rows in ((1, 48), (4, 96), (8, 48))),
    ]
    say("\nBy hand, ms a pass")
    found = []
    for cell in cells:
        if not _possible(model, cell):
            say(
                f"{cell.part:<7} {cell.chats} chats {cell.tokens:>5} tokens: not open, or too large"
            )
            continue
        times = at_once(measure(model, cell, 4 * rounds, steady=float("inf")))
        case = Case(
            cell.part, cell.chats, cell.tokens, times, made.way(cell, guess_of(model).below)
        )
        found.append(case)
        mark = "" if case.over_best <= TOLERANCE else "   slower than it could be"
        _table({cell: times}, say, f"   {case.chosen}, {case.over_best:.2f}x the fastest{mark}")
    return found


def _possible(model: Any, cell: Any) -> bool:
    from engine.model import backend
    from engine.model.trials import possible

    return possible(model, cell, max(0, backend.start().memory - model.info.nbytes) // 2)


def _steadily(model: Any, cell: Any) -> dict[str, float] | None:
    from engine.model.slices import at_once
    from engine.model.trials import UnsteadyError, measure

    for _ in range(_TRIES):
        try:
            return at_once(measure(model, cell))
        except UnsteadyError:
            continue
    return None


def _table(results: Mapping[Any, Mapping[str, float]], say: Say, more: str = "") -> None:
    for cell, times in results.items():
        ways = "  ".join(f"{way} {seconds * 1e3:8.1f}" for way, seconds in times.items())
        say(f"{cell.part:<7} {cell.chats} chats {cell.tokens:>5} tokens   {ways}{more}")
