"""An answer that was cut says why, and can go on."""

from __future__ import annotations

import pytest

from app.chats.actions import cut_off
from app.store import Message
from app.ui.style.figures import figures_line
from app.ui.transcript.message_row import state


@pytest.mark.parametrize(
    ("reason", "shown", "figures"),
    [
        ("length", "cut off at its length limit", "cut at its length limit"),
        ("memory", "cut off: the memory was full", "cut off: the memory was full"),
    ],
)
def test_an_answer_that_was_cut_says_why(reason: str, shown: str, figures: str) -> None:
    message = Message("1", "2", None, "assistant", "A river is", stats={"reason": reason})
    assert cut_off(message)
    assert state(message) == shown
    assert figures_line(message.stats) == figures
