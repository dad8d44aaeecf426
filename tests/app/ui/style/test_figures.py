from __future__ import annotations

import pytest

from app.chats.answer import Phase
from app.ui.style.figures import figures_line, phase_line, seconds, thought_line
from engine import PromptProgress


def test_the_figures_of_a_reply_are_one_line():
    stats = {
        "tokens_per_s": 48.2,
        "ttft_s": 0.21,
        "generated_tokens": 312,
        "reused_tokens": 4096,
    }
    assert figures_line(stats) == "48 tok/s · first token 0.2 s · 312 tokens · 4,096 cached"
    assert figures_line(stats, short=True) == "48 tok/s"
    assert figures_line({}) == ""


def test_format_and_reproducibility_are_described():
    assert figures_line({"options": {"answer_as": "schema"}}) == "as JSON by schema"
    assert figures_line({"options": {"schema": "{}"}, "same": True}) == "identical"
    assert figures_line({"options": {}, "same": False}) == "not identical"


def test_small_and_large_values():
    line = figures_line({"tokens_per_s": 3.14, "ttft_s": 0.012, "generated_tokens": 1})
    assert line == "3.1 tok/s · first token 12 ms · 1 token"
    assert seconds(0.2) == "0.2 s"
    assert seconds(12.4) == "12 s"
    assert seconds(185) == "3 min 5 s"
    assert thought_line(None) == "Thinking"
    assert thought_line(0.1) == "Thought for 1 s"


@pytest.mark.parametrize(
    ("phase", "progress", "words"),
    [
        (Phase.LOADING, None, "Loading…"),
        (Phase.READING, (1200, 3000, 0), "Reading 1,200 of 3,000 tokens"),
        (Phase.QUEUED, (0, 3000, 2), "Queued, 2 before it"),
        (Phase.IDLE, None, ""),
    ],
)
def test_chat_activity_is_described(phase, progress, words):
    told = PromptProgress("s", "r", progress[0], progress[1], 0, progress[2]) if progress else None
    assert phase_line(phase, told) == words
