"""Tasks with several panes, done with the keyboard alone."""

from __future__ import annotations

from pathlib import Path

from app.settings.paths import Paths
from app.settings.settings import Settings
from engine.bench.random_models import write_tokenizer
from tests.desktop.conftest import Desk
from tests.engine.scripted import TEMPLATE, write_chains


def endless_model(folder: Path) -> Path:
    folder.mkdir()
    write_tokenizer(folder, TEMPLATE)
    return write_chains(folder, [("a", " ", "a")], 2, context=2**20)


def three_panes(desk: Desk) -> None:
    desk.say("Hello")
    desk.until(lambda: len(desk.answers()) == 1)
    for number, word in ((2, "Good morning"), (3, "Good evening")):
        desk.keys("ctrl+backslash")
        desk.until(lambda: desk.title().startswith("New chat"))
        desk.say(word)
        desk.until(lambda number=number: len(desk.answers()) == number)


def test_message_actions_work_by_keys(desk: Desk) -> None:
    desk.say("Hello")
    desk.until(lambda: len(desk.answers()) == 1)
    ((first, _),) = desk.answers()
    desk.keys("F6", "Tab", "Tab", "Return")  # copy, branch
    desk.until(lambda: len(desk.chats()) == 2)
    desk.say("Thanks")
    desk.until(lambda: len(desk.asked("Thanks")) == 1)
    desk.until(lambda: len(desk.answers()) == 3)
    ((other, _, _),) = desk.asked("Thanks")
    assert other != first
    assert len([chat for chat, _ in desk.answers() if chat == other]) == 2
    desk.keys("F6", "shift+Tab", "Escape", "F6")  # leave the conversation and enter it again
    desk.keys("Tab", "Tab", "Tab", "Tab", "Return")  # same again, answer again
    desk.until(lambda: len(desk.answers()) == 4)

    again = desk.shown(other)
    desk.keys("F6", "Tab", "Return")  # the pager comes before the other buttons
    desk.until(lambda: desk.shown(other) != again)
    desk.keys("F6", "Tab", "Return")
    desk.until(lambda: desk.shown(other) == again)


def test_reply_is_paused_from_score(display: str, tmp_path: Path) -> None:
    desk = Desk(display, tmp_path / "profile")
    model, file = str(endless_model(tmp_path / "endless")), Paths.for_profile(desk.profile).settings
    file.parent.mkdir(parents=True)
    Settings(model=model, models=(model,)).save(file)
    try:
        desk.start()
        desk.keys("ctrl+j")  # before the reply starts; its lane appears with the next stats
        desk.say("Go on with a")
        desk.until(lambda: desk.length() > 0)
        desk.keys("F6", "F6", "space")
        before = desk.stands_still()
        assert desk.answers() == []
        desk.keys("ctrl+shift+p")  # continues, from any focus
        desk.until(lambda: desk.length() > before)
    finally:
        desk.kill()


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


def test_broadcast_moving_and_resizing_panes(desk: Desk) -> None:
    three_panes(desk)
    chats = [chat for chat, _ in desk.answers()]
    desk.keys("ctrl+shift+b", "ctrl+alt+b", "ctrl+Tab")  # all but the last, around to the first
    desk.until(lambda: desk.title().startswith("Hello"))
    desk.say("Write a short poem")
    desk.until(lambda: len(desk.answers()) == 5)
    assert {chat for chat, _, _ in desk.asked("Write a short poem")} == set(chats[:2])
    desk.say("Thanks")  # a broadcast covers a single message
    desk.until(lambda: len(desk.answers()) == 6)
    assert [chat for chat, _, _ in desk.asked("Thanks")] == chats[:1]

    desk.keys("ctrl+shift+Tab")  # back to the last
    desk.until(lambda: desk.title().startswith("Good evening"))
    first, second, third = (str(chat) for chat in chats)

    def stand(*places: set[str]) -> None:
        desk.until(lambda: [set(area.chats) for area in desk.areas()] == list(places))

    stand({first}, {second}, {third})
    before = desk.areas()[2].width
    desk.keys("ctrl+alt+equal")
    desk.until(lambda: desk.areas()[2].width > before)
    larger = desk.areas()[2].width
    desk.keys("ctrl+alt+minus")
    desk.until(lambda: desk.areas()[2].width < larger)
    desk.keys("ctrl+shift+Prior", "ctrl+shift+Prior", "ctrl+shift+Prior")
    stand({third}, {first}, {second})
    desk.keys("ctrl+shift+Next")
    stand({first, third}, {second})
    desk.keys("ctrl+w")
    stand({first}, {second})
    desk.keys("ctrl+shift+t")
    stand({first, third}, {second})
