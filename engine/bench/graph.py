"""Cost of a decode step (launches, bytes read and copied) compared to mlx-lm's `BatchGenerator`.

The counts don't depend on the machine: graphs are built as for a GPU and never run. Each family is
counted in a separate process, because `graph_marks.prepare` permanently changes MLX.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct, to_builtins

from engine.bench import graph_marks, graph_steps
from engine.bench.graph_count import Count
from engine.bench.random_models import write_model
from engine.bench.small_configs import small_config
from engine.bench.subject import measure_in_child
from engine.cache import slot_policy

FAMILIES = ("llama", "qwen3", "gemma3_text", "gpt_oss", "qwen3_next", "deepseek_v3")
LAYERS = 6
SIZES: dict[str, Any] = {"num_hidden_layers": LAYERS, "sliding_window": 128, "head_dim": 32}
"""Sizes with enough layers for every kind of layer, and heads that are wide enough for 8-bit
keys.
"""
FITTING: dict[str, dict[str, Any]] = {"deepseek_v3": {"kv_lora_rank": 32, "qk_rope_head_dim": 32}}

BEGIN, END = "<!-- graph: begin -->", "<!-- graph: end -->"
"""Markers around the generated table in a Markdown page."""


class Cell(Struct, frozen=True):
    """Counts for a case. None for a side that doesn't support it."""

    family: str
    case: str
    chats: int
    ours: Count | None = None
    batch: Count | None = None

    @property
    def of_batch(self) -> float | None:
        if self.ours is None or self.batch is None:
            return None
        return self.ours.launches / self.batch.launches


def count_here(families: str, chats: Sequence[int], names: Sequence[str] = ()) -> Iterator[Cell]:
    """Count families in this process. MLX must not have been imported yet.

    Args:
        names: names of cases to count; empty for all cases.
    """
    _prepare()
    for family in families.split(","):
        model = _load_family(family)
        for count in chats:
            for case in graph_steps.cases(count):
                if not names or case.name in names:
                    own_count = graph_steps.stretto(model, case)
                    batch = graph_steps.batch(model.net, model.new_caches, case)
                    yield Cell(family, case.name, count, own_count, batch)


def _prepare() -> None:
    """Set up MLX to build graphs as on a GPU, without the patches for Linux CPUs."""
    from engine.model import backend, sampling

    backend.load_openblas()
    graph_marks.prepare()
    from engine.model.backend import import_mlx_lm

    import_mlx_lm()
    graph_marks.mark_recurrent()
    from engine.model import attention  # imports mlx.nn, which must use the marked functions

    attention.install()
    setattr(sampling, "_cpu_kernels", lambda: None)  # noqa: B010 - MLX samples on a GPU
    slot_policy.STARTING["cpu"] = slot_policy.ON_GPU


def _load_family(family: str) -> Any:
    from engine.model.loader import load_blocking

    defaults = small_config(family)
    sizes = {name: size for name, size in SIZES.items() if name in defaults}
    config = {**defaults, **sizes, **FITTING.get(family, {})}
    with tempfile.TemporaryDirectory() as scratch:
        return load_blocking(write_model(Path(scratch) / family, config, scale=1.0), wide=True)


def count_in_children(
    families: Sequence[str], chats: Sequence[int], names: Sequence[str] = ()
) -> Iterator[Cell]:
    """Count each family in a child process.

    Raises:
        RuntimeError: if a child fails.
    """
    options = ("--chats", *map(str, chats), *(["--cases", *names] if names else []))
    for family in families:
        yield from map(_cell, measure_in_child("graph", family, *options))


def _cell(fields: dict[str, Any]) -> Cell:
    own_count, batch = (
        None if v is None else Count(**v) for v in map(fields.pop, ("ours", "batch"))
    )
    return Cell(**fields, ours=own_count, batch=batch)


def run(
    model: str,
    chats: Sequence[int],
    names: Sequence[str],
    say: Callable[[str], None],
    page: str | None = None,
) -> list[dict[str, Any]]:
    """Run the `graph` benchmark for "families" or a single "family:NAME".

    Args:
        page: Markdown file to update, between the markers `BEGIN` and `END`.

    Raises:
        ValueError: for another `model`, or a page without the markers.
    """
    if model == "families":
        cells = count_in_children(FAMILIES, chats, names)
    elif model.startswith("family:"):
        cells = count_here(model.removeprefix("family:"), chats, names)
    else:
        raise ValueError(f"graph counts tiny models: leave {model!r} out, or name family:llama")
    if page is not None and not _frame(Path(page).read_text(encoding="utf-8")):
        raise ValueError(f"{page} lacks the lines {BEGIN} and {END}")
    counted_cells = []
    say(f"{'graph':<12} {'case':<14} {'chats':>5}  launches of Stretto / BatchGenerator, MB read")
    for cell in cells:
        counted_cells.append(cell)
        say(_line(cell))
    if page is not None:
        text = Path(page).read_text(encoding="utf-8")
        before, after = text.split(BEGIN)[0], text.split(END)[1]
        page_text = f"{before}{BEGIN}\n{table(counted_cells)}\n{END}{after}"
        Path(page).write_text(page_text, encoding="utf-8")
    return [to_builtins(cell) for cell in counted_cells]


def _frame(text: str) -> bool:
    return text.count(BEGIN) == 1 and text.count(END) == 1 and text.index(BEGIN) < text.index(END)


def _line(cell: Cell) -> str:
    return (
        f"{cell.family:<12} {cell.case:<14} {cell.chats:>5}  {_launches(cell):<20} "
        f"{_megabytes(cell, 'read'):<16} copied {_megabytes(cell, 'copied'):<14} "
        f"waits {_waits(cell)}"
    )


def _launches(cell: Cell) -> str:
    if cell.ours is None:
        return "-" if cell.batch is None else f"- / {cell.batch.launches}"
    if cell.of_batch is None or cell.batch is None:
        return f"{cell.ours.launches}"
    return f"{cell.ours.launches} / {cell.batch.launches} ({cell.of_batch:.2f})"


def _megabytes(cell: Cell, field: str) -> str:
    sides = [
        f"{getattr(side, field) / 1e6:.2f}" if side is not None else "-"
        for side in (cell.ours, cell.batch)
    ]
    return " / ".join(sides)


def _waits(cell: Cell) -> str:
    return " / ".join("-" if s is None else str(s.waits) for s in (cell.ours, cell.batch))


def table(cells: Sequence[Cell]) -> str:
    chats = sorted({cell.chats for cell in cells})
    cells_by_key = {(c.family, c.case, c.chats): c for c in cells}
    rows = list(dict.fromkeys((c.family, c.case) for c in cells))
    heads = ["family", "case", *(_chats(n) for n in chats)]
    heads += [f"MB read by {chats[-1]}", "MB copied", "waits"]
    lines = [f"| {' | '.join(heads)} |", "|---" * len(heads) + "|"]
    for family, case in rows:
        row_cells = [cells_by_key.get((family, case, n), Cell(family, case, n)) for n in chats]
        last = row_cells[-1]
        if all(cell.ours is None and cell.batch is None for cell in row_cells):
            continue
        rest = [_megabytes(last, "read"), _megabytes(last, "copied"), _waits(last)]
        lines.append(f"| {' | '.join([family, case, *map(_launches, row_cells), *rest])} |")
    return "\n".join(lines)


def _chats(number: int) -> str:
    return "1 chat" if number == 1 else f"{number} chats"
