"""The Guide's only tool: template, corpus and model agree on it."""

from __future__ import annotations

from pathlib import Path
from random import Random

from corpus.conversation import segments, tooled

from engine import Engine, SamplingParams, ToolResult

ABOUT = {"name": "date", "description": "The current date, time and time zone."}
PLAIN = SamplingParams(max_tokens=96, temperature=0.0, seed=7)
OFFERED = SamplingParams(
    max_tokens=96, temperature=0.0, seed=7, tools=({"type": "function", "function": ABOUT},)
)


def test_tools_match_the_template(guide_folder: Path) -> None:
    from transformers import AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(guide_folder)
    rng, seen = Random(6), set()
    for _ in range(60):
        chat = tooled(rng)
        chat.reasons = False
        messages: list[dict[str, object]] = []
        for turn in chat.turns:
            messages.append({"role": "user", "content": turn.user})
            if turn.call:
                call = {"type": "function", "function": {"name": turn.call, "arguments": {}}}
                messages.append({"role": "assistant", "content": "", "tool_calls": [call]})
                messages.append({"role": "tool", "content": turn.result})
                seen.add("called")
            messages.append({"role": "assistant", "content": turn.answer})
        tools = [
            {"type": "function", "function": {"name": name, "description": about, "parameters": {}}}
            for name, about in chat.tools
        ]
        text = tokenizer.apply_chat_template(messages, tools=tools or None, tokenize=False)
        assert text == "".join(part for part, _ in segments(chat))
        seen.add(len(tools))
    assert {"called", 1, 2} <= seen


def test_guide_answers_from_date_tool(engine: Engine, guide: object) -> None:
    chat = engine.open_session(guide)
    for told, part in (
        ("Thursday, 07 March 2030, 16:25 CET (2030-03-07T16:25:56+01:00)", "7 March 2030"),
        ("Sunday, 22 November 2026, 09:04 UTC (2026-11-22T09:04:53+00:00)", "22 November 2026"),
    ):
        asked = chat.send("What is the date today?", OFFERED)
        message = asked.message(timeout=60)
        assert message is not None
        (call,) = message["tool_calls"]
        assert call["function"]["name"] == "date"
        answer = chat.send([ToolResult(call["id"], told, "date")], OFFERED)
        assert part in answer.text(timeout=60)
    other = chat.send("How do I open a new chat?", OFFERED)
    assert "Ctrl+N" in other.text(timeout=60)
    chat.close()


def test_guide_without_tool_does_not_know_the_date(engine: Engine, guide: object) -> None:
    chat = engine.open_session(guide)
    assert "no clock" in chat.send("What is the date today?", PLAIN).text(timeout=60)
    chat.close()
