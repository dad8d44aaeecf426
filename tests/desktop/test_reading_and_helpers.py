"""Calling helpers, stopping one of them, and reading another chat."""

from __future__ import annotations

import json
from pathlib import Path

from app.settings.paths import Paths
from app.settings.settings import Settings
from app.tools.builtin import HELPERS
from tests.desktop.conftest import Desk
from tests.engine.scripted import write_scripted

QUESTIONS = ["endless", "short"]
CALL = json.dumps({"name": "ask_helpers", "arguments": {"questions": QUESTIONS}})


def test_stopped_helper_and_chat_reading_its_result(display: str, tmp_path: Path) -> None:
    desk = Desk(display, tmp_path / "profile")
    model = str(write_scripted(tmp_path / "asking", (CALL,), 2**20, "endless"))
    file = Paths.for_profile(desk.profile).settings
    file.parent.mkdir(parents=True)
    new = {"tools": [HELPERS], "helpers_at_once": 1, "helper_tokens": 32_768}
    Settings(model=model, models=(model,), titles=False, new_chat=new).save(file)
    try:
        desk.start()
        desk.say("Ask them")
        desk.until(lambda: desk.ask("SELECT id FROM messages WHERE role = 'tool'"))
        desk.keys("ctrl+alt+y", "t", "ctrl+plus")  # allowed, which shows the lanes
        desk.until(lambda: json.loads(file.read_text()).get("zoom") == 110)
        desk.keys("Tab", "Tab", "space")  # first lane, Stop
        desk.until(lambda: desk.answers()[-1:] and desk.answers()[-1][1] == "It is fine.")
        ((told, stats),) = desk.ask("SELECT content, stats FROM messages WHERE role = 'tool'")
        lanes = [(lane["question"], lane["state"]) for lane in json.loads(str(stats))["lanes"]]
        assert lanes == [("endless", "stopped"), ("short", "done")]
        assert str(told).startswith("Question 1: endless\n[The person stopped this helper.")
        assert str(told).endswith("Question 2: short\nIt is fine.")

        ((chat, _, _),) = desk.asked("Ask them")
        desk.keys("ctrl+n")
        desk.type("What came of it? @ask")
        desk.keys("Return")
        desk.until(lambda: desk.dialog("Read Another Chat"))
        desk.keys("Return")
        desk.until(lambda: not desk.dialog("Read Another Chat"))
        desk.give_keys()
        desk.keys("Return")
        desk.until(lambda: len(desk.answers()) == 3)
        ((files,),) = desk.ask("SELECT attachments FROM messages WHERE content LIKE 'What came%'")
        (source,) = json.loads(str(files))
        assert (source["name"], source["chat"]) == ("Ask them", chat)
    finally:
        desk.kill()
