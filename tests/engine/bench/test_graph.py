"""Number of kernel launches per step, counted from MLX's graph."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.bench import graph
from engine.bench.graph import Cell

CHATS = 8
LAUNCHES = {
    "64 tokens": 0.93,
    "8,000 tokens": 0.93,
    "skewed": 1.28,
    "shared prefix": 1.38,
    "with a chunk": 0.56,
}
"""Maximum launches per step in each case, divided by those of `BatchGenerator`."""
OTHERS = {"gemma3_text": 0.92, "deepseek_v3": 0.94, "qwen3_next": 0.98}
"""Maximum at equal lengths for families with windows, latent attention and recurrent states."""
OTHER_CASES = {"shared prefix": 1.19, "with a chunk": 0.7, "skewed": 1.17}
"""Maximum in the other cases, for any of these families."""
IN_BITS = "8-bit KV"


@pytest.fixture(scope="module")
def cells() -> dict[str, Cell]:
    found = graph.count_in_children(["llama"], [CHATS], [*LAUNCHES, IN_BITS])
    return {cell.case: cell for cell in found}


@pytest.mark.parametrize("family", OTHERS)
@pytest.mark.turns(3)
def test_other_caches_need_no_extra_launches(family: str) -> None:
    cell, *more = graph.count_in_children([family], [CHATS], ["64 tokens", *OTHER_CASES])
    assert {other.case for other in more} == set(OTHER_CASES)
    for other in more:
        assert other.of_batch is not None, other.case
        assert other.of_batch <= OTHER_CASES[other.case], other.case
    ours, batch = cell.ours, cell.batch
    assert ours is not None
    assert batch is not None
    assert ours.launches <= OTHERS[family] * batch.launches
    assert 0 < ours.read <= batch.read
    assert ours.copied <= batch.copied + 2**15  # the index arrays of the written tokens


def test_quantized_keys_take_nine_launches_per_layer(
    cells: dict[str, Cell],
) -> None:
    """Quantized keys and values are three arrays each. Attention needs four products and sums."""
    ours, whole = cells[IN_BITS].ours, cells["8,000 tokens"].ours
    assert ours is not None
    assert whole is not None
    assert ours.launches - whole.launches <= 9 * graph.LAYERS


@pytest.mark.parametrize("case", LAUNCHES)
def test_launches_per_step_are_bounded(cells: dict[str, Cell], case: str) -> None:
    of_batch = cells[case].of_batch
    assert of_batch is not None
    assert of_batch <= LAUNCHES[case]


@pytest.mark.parametrize("case", LAUNCHES)
def test_bytes_per_step_are_bounded(cells: dict[str, Cell], case: str) -> None:
    ours, batch = cells[case].ours, cells[case].batch
    assert ours is not None
    assert batch is not None
    assert 0 < ours.read <= batch.read


def test_skewed_batch_skips_padding_of_longest_chat(cells: dict[str, Cell]) -> None:
    ours, batch = cells["skewed"].ours, cells["skewed"].batch
    assert ours is not None
    assert batch is not None
    assert ours.read < batch.read / 3


def test_table_is_written_between_its_markers(
    cells: dict[str, Cell], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    page = tmp_path / "page.md"
    page.write_text(f"before\n{graph.BEGIN}\nold\n{graph.END}\nafter\n")
    monkeypatch.setattr(graph, "count_in_children", lambda *_: iter(cells.values()))
    graph.run("families", [CHATS], [], print, str(page))
    text = page.read_text()
    assert text.startswith(f"before\n{graph.BEGIN}\n| family | case | 8 chats |")
    assert text.endswith(f"{graph.END}\nafter\n")
    assert "old" not in text
    bare = tmp_path / "bare.md"
    bare.write_text("nothing\n")
    with pytest.raises(ValueError, match="lacks the lines"):
        graph.run("families", [CHATS], [], print, str(bare))
