"""Memory growth while each pane streams answers for a long time."""

from __future__ import annotations

import time
from collections.abc import Iterator

from tests.bench import samples
from tests.bench.bars import Figure, resident_mb
from tests.bench.drip import Drip
from tests.bench.drive import program
from tests.bench.stalls import keep_asking, open_grid

_PIECE = 5  # characters per token
_PARTS = 6
GROWTH_SHARE = 0.1


def measure(panes: int, minutes: float, rate: float, characters: int) -> list[Figure]:
    """Stream for ``minutes`` without a model.

    Args:
        rate: tokens of five characters per second and pane.
        characters: length of an answer, after which the next question is sent.

    The limit: after its first part the process grows by at most a tenth. Some growth is expected,
    because the open chats keep all the streamed text.
    """
    written = samples.mixed(characters)
    streamed = 0

    def text() -> Iterator[str]:
        nonlocal streamed
        for place in range(0, len(written), _PIECE):
            streamed += _PIECE
            yield written[place : place + _PIECE]

    with program(size=(1760, 1060), engine=lambda: Drip(text, rate)) as driver:
        opened = open_grid(driver, panes)
        begun = time.monotonic()
        memory: list[tuple[int, float]] = []
        for part in range(1, _PARTS + 1):
            end = begun + minutes * 60 * part / _PARTS

            def over(end: float = end) -> bool:
                keep_asking(opened)
                return time.monotonic() >= end

            driver.until(over, minutes * 60 + 60)
            memory.append((streamed, resident_mb()))
        messages = sum(len(pane.chat.transcript.path) for pane in opened)
    first, last = memory[0], memory[-1]
    grown = last[1] - first[1]
    return [
        Figure("messages at the end", messages, ""),
        *(
            Figure(f"memory after {minutes * part / _PARTS:.0f} min", mb, "MB")
            for part, (_, mb) in enumerate(memory, 1)
        ),
        Figure("growth since the first part", grown, "MB", first[1] * GROWTH_SHARE),
        Figure("text written since then", (last[0] - first[0]) / 1e6, "MB"),
    ]
