"""History in the activity score."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from app.chats.tool_call import ToolActivity
from app.score import SHOWN_S, Lanes

CHATS = {"s1": ("c1", "One"), "s2": ("c2", "Two")}


def stats(queue: tuple[str, ...] = (), **sessions: dict[str, Any]) -> dict[str, Any]:
    return {
        "queue": list(queue),
        "sessions": {
            name: {"kv_tokens": 0, "kv_bytes": 100, "paused": False, "status": "idle", **figures}
            for name, figures in sessions.items()
        },
        "tokens_per_s": 12.0,
        "kv_bytes": 200,
        "prefix_bytes": 50,
        "weights_bytes": 1000,
        "memory_budget": 5000,
        "process_bytes": 9000,
        "children_bytes": 700,
        "buffer_bytes": 3000,
    }


def writing(tokens: int, **more: Any) -> dict[str, Any]:
    return {"status": "decoding", "reply": {"generated_tokens": tokens}, **more}


def test_rates_count_tokens_between_samples() -> None:
    lanes = Lanes()
    lanes.update(10.0, stats(s1=writing(5)), CHATS)
    assert [lane.rate for lane in lanes] == [0.0]
    lanes.update(10.5, stats(s1=writing(25)), CHATS)
    (lane,) = lanes
    assert (lane.state, lane.rate) == ("writing", 40.0)
    lanes.update(11.0, stats(s1={"status": "prefilling", "kv_tokens": 300}), CHATS)
    lanes.update(11.5, stats(s1={"status": "prefilling", "kv_tokens": 400}), CHATS)
    assert (lane.state, lane.rate) == ("reading", 200.0)
    assert [m.state for m in lane.samples] == ["writing", "reading", "reading"]


def test_new_reply_does_not_decrease_counts() -> None:
    lanes = Lanes()
    lanes.update(0.0, stats(s1=writing(500)), CHATS)
    lanes.update(1.0, stats(s1=writing(2)), CHATS)
    assert next(iter(lanes)).rate == 0.0


def test_waiting_chat_shows_its_queue_position() -> None:
    lanes = Lanes()
    queued = {"status": "queued"}
    lanes.update(0.0, stats(("s2", "s1"), s1=queued, s2=queued), CHATS)
    assert [(lane.title, lane.position, lane.state) for lane in lanes] == [
        ("One", 2, "queued"),
        ("Two", 1, "queued"),
    ]
    assert (lanes.totals.waiting, lanes.totals.writing) == (2, 0)


def test_paused_chat_is_shown_as_paused() -> None:
    lanes = Lanes()
    lanes.update(0.0, stats(s1=writing(5, paused=True)), CHATS)
    assert next(iter(lanes)).state == "paused"


def test_non_chat_sessions_have_no_lane() -> None:
    lanes = Lanes()
    lanes.update(0.0, stats(title=writing(5)), CHATS)
    assert len(lanes) == 0


def test_lane_memory_is_bounded_and_freed() -> None:
    lanes = Lanes()
    for step in range(2000):
        lanes.update(step * 0.2, stats(s1=writing(step)), CHATS)
    (lane,) = lanes
    assert len(lane.samples) <= SHOWN_S / 0.2 + 2
    lanes.update(400.2, stats(), CHATS)  # its session has closed
    assert lane.state == "idle"
    assert len(lanes) == 1
    lanes.update(400.2 + SHOWN_S, stats(), CHATS)
    assert len(lanes) == 0


def test_colors_are_kept_and_shared_out_evenly() -> None:
    lanes = Lanes()
    chats = {f"s{n}": (f"c{n}", f"Chat {n}") for n in range(10)}
    lanes.update(0.0, stats(**{f"s{n}": writing(1) for n in range(10)}), chats)
    colors = [lane.color for lane in lanes]
    assert colors == [*range(8), 0, 1]


def test_totals() -> None:
    lanes = Lanes()
    lanes.update(0.0, stats(s1=writing(1), s2={"status": "prefilling"}), CHATS)
    assert lanes.totals.writing == 2
    assert lanes.totals.rate == pytest.approx(12.0)
    assert (lanes.totals.kv_bytes, lanes.totals.budget) == (250, 5000)


def test_lane_totals_include_the_whole_process() -> None:
    """Regression test: the totals showed only live arrays, a tenth of the program's memory."""
    lanes = Lanes()
    lanes.update(1.0, stats(), CHATS)
    totals = lanes.totals
    assert totals.all_bytes == 9700
    assert totals.program_bytes == 9000 - 1000 - 250 - 3000


def test_tool_lanes_are_shown_with_idle_engine() -> None:
    lanes = Lanes()
    runs = ToolActivity(("search",), 0, 3.0, 2, 900)
    lanes.update(1.0, stats(s1={}), CHATS, {"c1": runs, "c2": runs})
    lanes.update(1.5, stats(s1={}), CHATS, {"c1": runs})
    (lane,) = lanes
    assert (lane.state, lane.activity) == ("calling", runs)
    asks = ToolActivity((), 1, 3.0, 2, 900)
    lanes.update(2.0, stats(s1={}), CHATS, {"c1": asks})
    assert lane.state == "asking"
    lanes.update(2.5, stats(s1=writing(5)), CHATS, {})
    assert [mark.state for mark in lane.samples] == ["calling", "asking", "writing"]
    lanes.update(2.8, stats(s1={}), CHATS, {"c1": replace(runs, paused=True)})
    assert lane.state == "paused", "its button lets it go on"
    lanes.update(3.0, stats(s1={}), CHATS)
    assert (lane.state, lane.activity) == ("idle", None)
