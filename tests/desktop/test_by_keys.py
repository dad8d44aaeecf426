"""Tasks with several panes, done with the keyboard alone."""

from __future__ import annotations

from pathlib import Path

from engine.bench.random_models import write_tokenizer
from tests.desktop.conftest import Desk
from tests.engine.scripted import TEMPLATE, write_chains


def endless_model(folder: Path) -> Path:
    folder.mkdir()
    write_tokenizer(folder, TEMPLATE)
    return write_chains(folder, [("a", " ", "a")], 2, context=2**20)


def test_versions_and_notice_actions_by_keys(desk: Desk) -> None:
    desk.say("Hello")
    desk.until(lambda: len(desk.answers()) == 1)
    answer = desk.shown()
    desk.keys("Up", "ctrl+a")
    desk.say("Good evening")
    desk.until(lambda: len(desk.answers()) == 2)
    ((_, _, parent),) = desk.asked("Hello")
    ((_, _, other),) = desk.asked("Good evening")
    assert parent == other
    assert desk.shown() != answer
    desk.keys("ctrl+bracketleft")
    desk.until(lambda: desk.shown() == answer)

    desk.keys("F6", *6 * ["Tab"], "Return")  # copy, branch, panel, same again, again, delete
    desk.until(lambda: desk.shown() != answer)
    desk.keys("ctrl+z")
    desk.until(lambda: desk.shown() == answer)
    desk.keys("shift+F6", "Delete")
    desk.until(lambda: desk.chats() == [])
    desk.keys("ctrl+z")
    desk.until(lambda: len(desk.chats()) == 1)
    # Much later, undo only affects words in the message.
    desk.keys("ctrl+n", "ctrl+w", "ctrl+z")
    desk.type("Words")
    desk.until(lambda: desk.drafts() == ["Words"])
