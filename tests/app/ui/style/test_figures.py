from __future__ import annotations

import pytest

from app.chats.answer import Phase
from app.ui.style.figures import figures_line, phase_line, seconds, thought_line
from engine import PromptProgress

STATS = {"tokens_per_s": 48.2, "ttft_s": 0.21, "generated_tokens": 312, "reused_tokens": 4096}


def test_figures_line_has_a_part_per_figure():
    assert [len(figures_line(STATS, short=s).split(" · ")) for s in (False, True)] == [4, 1]
    assert figures_line({}) == figures_line({"options": {}}) == ""
    assert figures_line({"options": {"answer_as": "schema"}})
    same, other = (figures_line({"options": {}, "same": same}) for same in (True, False))
    assert same != other


def test_small_and_large_values():
    assert figures_line({"tokens_per_s": 3.14}) == "3.1 tok/s"
    assert "12 ms" in figures_line(STATS | {"ttft_s": 0.012})
    assert [seconds(value) for value in (0.2, 12.4, 185)] == ["0.2 s", "12 s", "3 min 5 s"]
    assert "1 s" in thought_line(0.1) != thought_line(None)


@pytest.mark.parametrize("phase", [Phase.LOADING, Phase.READING, Phase.QUEUED, Phase.IDLE])
def test_phase_line_has_the_figures_of_its_phase(phase):
    line = phase_line(phase, PromptProgress("s", "r", 1200, 3000, 0, 2))
    assert bool(line) is (phase is not Phase.IDLE)
    assert ("1,200" in line and "3,000" in line) is (phase is Phase.READING)
    assert ("2 before" in line) is (phase is Phase.QUEUED)
