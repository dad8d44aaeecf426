"""A longer task with the keyboard alone."""

from __future__ import annotations

import json
from pathlib import Path

from app.settings.paths import Paths
from tests.app.chats import exports
from tests.desktop.conftest import Desk


def test_import_organize_search_and_compare(desk: Desk, tmp_path: Path) -> None:
    told = tmp_path / "conversation.json"
    told.write_text(json.dumps(exports.lmstudio()))
    desk.keys("ctrl+k")  # the palette
    desk.type("import chats")
    desk.keys("Return")
    desk.until(lambda: desk.dialog("Import Chats"))
    desk.keys("Return")
    desk.until(lambda: desk.dialog("Import"))
    desk.type(str(told))
    desk.keys("Return")
    imported = "SELECT id FROM chats WHERE title = 'Sorting'"
    desk.until(lambda: len(desk.ask(imported)) == 1)
    desk.until(lambda: desk.dialog("Import Chats"))
    # Return has no effect until the import has ended.
    desk.until(lambda: not desk.dialog("Import Chats") or desk.keys("Return"))
    desk.give_keys()

    before = len(desk.answers())
    desk.say("Hello")
    desk.until(lambda: len(desk.answers()) == before + 1)
    ((chat, _, _),) = desk.asked("Hello")
    desk.keys("ctrl+alt+p")
    pinned = "SELECT id FROM chats WHERE pinned_at IS NOT NULL"
    desk.until(lambda: desk.ask(pinned) == [(chat,)])
    desk.keys("ctrl+plus")
    file = Paths.for_profile(desk.profile).settings
    desk.until(lambda: file.exists() and json.loads(file.read_text()).get("zoom") == 110)
    ((word,),) = desk.ask(
        f"SELECT content FROM messages WHERE chat_id IN ({imported}) AND role = 'user' LIMIT 1"
    )
    desk.keys("ctrl+shift+f")
    desk.type(str(word))
    desk.keys("Down", "Return")
    desk.until(lambda: desk.title().startswith("Sorting"))

    before = len(desk.answers())
    desk.type("Good evening")
    desk.keys("ctrl+alt+c")
    desk.until(lambda: desk.dialog("Compare"))
    desk.keys("Return")
    desk.until(lambda: len(desk.answers()) == before + 3)
    assert len(desk.asked("Good evening")) == 1, "of all columns"
