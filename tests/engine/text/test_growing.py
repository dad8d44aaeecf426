"""Text that grows by small pieces, and tool calls whose arguments are long."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.text.growing import GrowingText
from engine.text.tool_calls import Calling

TOOL: dict[str, Any] = {
    "type": "function",
    "function": {"name": "write", "parameters": {"type": "object"}},
}


@given(st.lists(st.text(max_size=5)), st.integers(0, 30))
def test_growing_text_is_the_sum_of_its_pieces(pieces: list[str], start: int) -> None:
    text, whole = GrowingText(), "".join(pieces)
    for piece in pieces:
        text.add(piece)
    assert len(text) == len(whole)
    assert text.since(min(start, len(whole))) == whole[start:]
    assert str(text) == whole
    assert text.since(min(start, len(whole))) == whole[start:]


class Counted(GrowingText):
    """Counts characters that are copied when the whole text is asked for."""

    copied = 0

    def __str__(self) -> str:
        Counted.copied += len(self)
        return super().__str__()


@pytest.mark.parametrize("notation", ["json", "qwen3_coder"])
def test_long_arguments_are_copied_a_few_times(
    notation: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from engine.text import tool_calls

    monkeypatch.setattr(tool_calls, "GrowingText", Counted)
    monkeypatch.setattr(Counted, "copied", 0)
    long = "word " * 4000
    if notation == "json":
        text = json.dumps({"name": "write", "arguments": {"text": long}})
    else:
        text = f"<function=write>\n<parameter=text>\n{long}\n</parameter>\n</function>"
    calling, current = Calling(notation, [TOOL], "", False), Counted()
    told = []
    for start in range(0, len(text), 4):
        current.add(text[start : start + 4])
        told += calling.follow([], current)
    told += calling.follow([str(current)], "")
    assert told[0].kind == "started"
    assert told[-1].kind == "finished"
    assert json.loads(told[-1].text)["text"].strip() == long.strip()
    assert "".join(one.text for one in told if one.kind == "delta") == told[-1].text
    assert Counted.copied < 10 * len(text)
