"""Everyday use with the keyboard alone."""

from __future__ import annotations

from app.settings.paths import Paths
from tests.desktop.conftest import Desk


def test_first_start_answer_restart_and_damage(desk: Desk) -> None:
    """After damage, the readable part of the chats is saved."""
    desk.say("My code word is amber. Please remember it.")
    desk.until(lambda: len(desk.answers()) == 1)
    desk.say("What is my code word?")
    desk.until(lambda: len(desk.answers()) == 2)
    assert "amber" in str(desk.answers()[-1][1])
    desk.type("half a thought")
    desk.until(lambda: desk.drafts() == ["half a thought"])
    assert desk.end() == 0
    desk.start()
    desk.until(lambda: desk.drafts() == ["half a thought"])
    assert len(desk.chats()) == 1
    before = desk.answers()
    assert desk.end() == 0

    file = Paths.for_profile(desk.profile).chats
    content = bytearray(file.read_bytes())
    content[:100] = bytes(100)
    file.write_bytes(content)
    desk.start("Return")
    assert desk.answers() == before
    (aside,) = file.parent.glob("chats.db.aside-*")
    assert aside.read_bytes() == content
    assert desk.end() == 0
