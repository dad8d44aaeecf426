"""Running a model in two processes on this machine, with the keyboard alone."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.desktop.conftest import Desk


@pytest.fixture
def desk(display: str, tmp_path: Path) -> Iterator[Desk]:
    # Otherwise the group's server would use the user's folders.
    made = Desk(display, tmp_path / "profile", STRETTO_NO_WAYS="1")
    made.start()
    yield made
    made.kill()


def test_added_machine_answers_from_two_processes(desk: Desk) -> None:
    desk.keys("ctrl+k")  # the palette
    desk.type("multiple computers")
    desk.keys("Return")
    desk.until(lambda: desk.dialog("Multiple Computers"))
    desk.keys("Tab", "Tab")  # past the list and the Check button to the name
    desk.type("second")
    desk.keys("Tab")
    desk.type("local")
    desk.keys("Tab", "Tab", "space")  # past the program field to Add
    file = desk.profile / "hosts.json"
    desk.until(file.exists)
    (host,) = json.loads(file.read_text())["hosts"]
    assert (host["name"], host["address"]) == ("second", "local")
    desk.keys("space", "Tab", "Tab", "Tab", "Return")  # checked; Enter in the name starts it
    desk.until(lambda: desk.ask("SELECT id FROM chats WHERE model LIKE 'remote:%#Guide'"))
    desk.until(lambda: not desk.dialog("Multiple Computers"))
    desk.give_keys()
    desk.say("Hello")
    desk.until(lambda: len(desk.answers()) == 1)
    (group,) = json.loads((desk.profile / "settings.json").read_text())["remotes"].values()
    assert group["hosts"] == ["local", "second"]
    assert desk.end() == 0
