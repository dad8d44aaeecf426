"""What a person does, by the keyboard alone."""

from __future__ import annotations

from app.settings.paths import Paths
from tests.desktop.conftest import Desk


def test_from_the_first_start_to_the_answer_and_back_again(desk: Desk) -> None:
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
    assert desk.end() == 0


def test_two_panes_and_one_message_to_both(desk: Desk) -> None:
    desk.say("Hello")
    desk.keys("ctrl+backslash")
    desk.say("Good morning")
    desk.until(lambda: len(desk.answers()) == 2)
    assert len(desk.chats()) == 2
    desk.keys("ctrl+shift+b")
    desk.say("Write a short poem")
    desk.until(lambda: len(desk.answers()) == 4)
    assert len({chat for chat, _, _ in desk.asked("Write a short poem")}) == 2
    desk.say("Thanks")  # a broadcast is for one message
    desk.until(lambda: len(desk.answers()) == 5)
    assert len(desk.asked("Thanks")) == 1


def test_a_message_is_edited_and_the_version_before_comes_back(desk: Desk) -> None:
    desk.say("Hello")
    desk.until(lambda: len(desk.answers()) == 1)
    desk.keys("Up", "ctrl+a")
    desk.say("Good evening")
    desk.until(lambda: len(desk.answers()) == 2)
    ((_, first, parent),) = desk.asked("Hello")
    ((_, _, other),) = desk.asked("Good evening")
    assert parent == other

    def shown() -> object:
        """The person's message above the last one that is shown."""
        rows = desk.ask(
            "SELECT m.parent_id FROM chats c JOIN messages m ON m.id = c.leaf_id"
            " WHERE c.deleted_at IS NULL"
        )
        return rows[0][0] if rows else None

    assert shown() != first
    desk.keys("ctrl+bracketleft")
    desk.until(lambda: shown() == first)


def test_a_deleted_chat_comes_back(desk: Desk) -> None:
    desk.say("Hello")
    desk.until(lambda: len(desk.answers()) == 1)
    desk.keys("ctrl+shift+f", "Down", "Delete")
    desk.until(lambda: desk.chats() == [])
    desk.keys("ctrl+shift+t")
    desk.until(lambda: len(desk.chats()) == 1)


def test_damaged_chats_are_saved_as_far_as_they_can_be_read(desk: Desk) -> None:
    desk.say("My code word is amber. Please remember it.")
    desk.until(lambda: len(desk.answers()) == 1)
    before = desk.answers()
    assert desk.end() == 0
    file = Paths.in_profile(desk.profile).chats
    content = bytearray(file.read_bytes())
    content[:100] = bytes(100)
    file.write_bytes(content)
    desk.start("Return")
    assert desk.answers() == before
    (aside,) = file.parent.glob("chats.db.aside-*")
    assert aside.read_bytes() == content
    assert desk.end() == 0


def test_compare_asks_one_question_three_times(desk: Desk) -> None:
    desk.type("Tell me about rivers")
    desk.keys("ctrl+alt+c")
    desk.until(lambda: desk.dialog("Compare"))
    desk.keys("ctrl+Return")
    desk.until(lambda: len(desk.asked("Tell me about rivers")) == 3)
    desk.until(lambda: len(desk.answers()) == 3)
    assert len({chat for chat, _ in desk.answers()}) == 3
