"""Cards of tool calls, without widgets."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from app.chats.tool_call import Call, CallState, ParsedToolCall
from app.store import Message
from app.tools.builtin import Obstacle
from app.tools.consent import Decision
from app.tools.tool import BUILT_IN, Tool
from app.ui.transcript.tool_card import ToolCardState, WaitingCalls, card_state, displayed_arguments

ONCE, TOOL, SERVER, DENY = Decision.ONCE, Decision.TOOL, Decision.SERVER, Decision.DENY
WEB = Tool("web", "search", "Searches the web.")


def card(tool: Tool | None = WEB, arguments: str = '{"q": "tea"}', **values: Any) -> ToolCardState:
    waiting, late = values.pop("waiting", WaitingCalls()), values.pop("late", False)
    name = tool.name if tool is not None else "nothing"
    call = Call("m", ParsedToolCall("c", name, arguments), tool, arguments, **values)
    stats = {"server": tool.server, "tool": name} if tool is not None else {"name": name}
    message = Message("m", "chat", None, "tool", stats=stats)
    pairs = displayed_arguments(tool or Tool("", name), arguments)
    return card_state(call, message, pairs, waiting, late=late)


@pytest.mark.parametrize(
    ("values", "buttons"),
    [
        ({}, (ONCE, TOOL, SERVER, DENY, "edit")),
        ({"tool": None}, ()),
        ({"arguments": "{}"}, (ONCE, TOOL, SERVER, DENY)),
        ({"edited_arguments": "{}"}, (ONCE, TOOL, SERVER, DENY)),
        ({"waiting": WaitingCalls(3, 2)}, (ONCE, TOOL, SERVER, DENY, "edit")),
        (
            {"waiting": WaitingCalls(3, 1, ends_here=True)},
            (ONCE, TOOL, SERVER, DENY, "edit", "none"),
        ),
        ({"preview": Obstacle("No.", "no", Path("/x"))}, ("grant", DENY, "edit")),
        ({"preview": Obstacle("No.", "no", outside=True)}, ("tools", DENY, "edit")),
        ({"state": CallState.RUNNING}, ("stop",)),
        ({"state": CallState.RUNNING, "late": True}, ("stop", "retry")),
    ],
)
def test_card_offers_the_buttons_of_its_state(
    values: dict[str, Any], buttons: tuple[object, ...]
) -> None:
    assert card(**values).buttons == buttons


def test_builtin_tool_is_not_allowed_by_server() -> None:
    assert SERVER not in card(Tool(BUILT_IN, "read_file"), '{"path": "a"}').buttons


def test_card_is_not_ready_before_its_preview() -> None:
    assert not card(needs_preview=True).is_ready
    assert card(needs_preview=True, edited_arguments="{}").is_ready


def test_card_shows_obstacles() -> None:
    assert card(preview=Obstacle("The folder is read-only.", "")).notice == (
        "The folder is read-only."
    )


def test_card_of_finished_call_is_empty() -> None:
    message = Message("m", "chat", None, "tool")
    assert card_state(None, message, None, WaitingCalls()) == ToolCardState()
