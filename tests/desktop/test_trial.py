"""A trial beside a chat that streams, by the keyboard alone, and after a kill."""

from __future__ import annotations

import json
import time
from pathlib import Path

from app.settings.options import Settings
from app.settings.paths import Paths
from tests.desktop.conftest import Desk
from tests.desktop.test_by_keys import endless_model

DONE = (
    "SELECT answers.id FROM messages AS answers JOIN chats ON chats.id = answers.chat_id"
    " WHERE chats.variant != '' AND answers.role = 'assistant' AND answers.status = 'complete'"
)
PROMPTS = [f"Say a letter, {number}: a" for number in range(12)]


def test_a_trial_goes_on_beside_a_chat_and_after_a_kill(display: str, tmp_path: Path) -> None:
    desk = Desk(display, tmp_path / "profile")
    model, file = str(endless_model(tmp_path / "endless")), Paths.in_profile(desk.profile).settings
    file.parent.mkdir(parents=True)
    Settings(model=model, models=(model,), titles=False).save(file)
    variants = [{"name": "first"}, {"name": "second", "system": "Say it again."}]
    told = {"model": model, "max_tokens": 30, "prompts": PROMPTS, "variants": variants}
    trial = tmp_path / "trial.json"
    trial.write_text(json.dumps(told | {"checks": [{"contains": "a a"}]}))
    try:
        desk.start()
        desk.say("a")
        desk.until(lambda: desk.length() > 0)
        ((chat, _, _),) = desk.asked("a")
        streamed = "SELECT length(content) FROM messages WHERE chat_id = ? AND status = 'streaming'"
        desk.keys("ctrl+k")
        desk.type("new trial")
        desk.keys("Return")
        desk.until(lambda: desk.dialog("New Trial"))
        desk.keys("ctrl+o")
        desk.until(lambda: desk.dialog("Open Trial"))
        while desk.dialog("Open Trial"):  # it clears its field once it has read its folder
            desk.keys("ctrl+a")
            desk.type(str(trial))
            desk.keys("Return")
            desk.until(lambda: True)
            seen = time.monotonic() + 4  # a slow one must not get it twice
            while time.monotonic() < seen and desk.dialog("Open Trial"):
                time.sleep(0.05)
        desk.give_keys("New Trial")
        desk.until(lambda: desk.dialog("New Trial"))
        # It reads the file on a thread.
        desk.press_until(lambda: desk.ask("SELECT 1 FROM chats WHERE variant != ''"), "ctrl+Return")
        desk.until(lambda: len(desk.ask(DONE)) >= 2)
        ((before,),) = desk.ask(streamed, chat)
        count = len(desk.ask(DONE))
        desk.until(lambda: len(desk.ask(DONE)) >= count + 2)
        ((after,),) = desk.ask(streamed, chat)
        assert int(str(after)) > int(str(before))  # both have gone on
        desk.kill()
        kept = set(desk.ask(DONE))
        assert count + 2 <= len(kept) < 2 * len(PROMPTS)
        desk.start()
        desk.keys("ctrl+k")
        desk.type("comparison table")
        desk.keys("Return")
        desk.until(lambda: desk.dialog("Comparison Table"))
        desk.keys("Tab", "Return")  # continue
        desk.until(lambda: len(desk.ask(DONE)) == 2 * len(PROMPTS))
        assert kept < set(desk.ask(DONE))
        asked = "SELECT content FROM messages WHERE role = 'user' AND content LIKE 'Say a letter%'"
        assert sorted(desk.ask(asked)) == sorted((p,) for p in PROMPTS * 2)
    finally:
        desk.kill()
