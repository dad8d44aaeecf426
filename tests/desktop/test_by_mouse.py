"""Everyday use with the mouse, at the default window's positions."""

from __future__ import annotations

from tests.desktop.conftest import Desk

# Positions in a window of 1180x780 at the screen's corner: 240 for the sidebar, 37 for the row.
NEW_CHAT = (215, 18)
FIRST_TAB = (262, 18)
SPLIT_RIGHT = (1131, 18)
COMPOSER = (600, 740)


def hello(desk: Desk) -> None:
    desk.say("Hello")
    desk.until(lambda: len(desk.answers()) == 1)


def bare(text: str) -> str:
    return text.replace("`", "").replace("*", "").strip()


def test_pane_is_split_and_receives_a_tab(desk: Desk) -> None:
    hello(desk)
    (first,) = (chat for chat, _ in desk.answers())
    desk.click(*NEW_CHAT)
    desk.say("Good morning")
    desk.until(lambda: len(desk.answers()) == 2)
    desk.click(*SPLIT_RIGHT)
    desk.say("Good evening")
    desk.until(lambda: len(desk.answers()) == 3)
    _, second, third = (str(chat) for chat, _ in desk.answers())
    desk.until(lambda: desk.areas() == [(first, second), (third,)])
    desk.drag(FIRST_TAB, (1000, 18))
    desk.until(lambda: [set(chats) for chats in desk.areas()] == [{second}, {first, third}])
    desk.until(lambda: desk.title().startswith("Hello"))  # the moved pane is active


def test_words_across_blocks_are_selected_and_copied(desk: Desk) -> None:
    desk.say("Show me a Python function that adds two numbers")
    desk.until(lambda: len(desk.answers()) == 1)
    ((_, answer),) = desk.answers()
    lines = (bare(line) for line in str(answer).splitlines() if "```" not in line)
    words = [line for line in lines if line]
    assert len(words) > 2
    desk.drag((331, 168), (1080, 680))  # from the answer's first line to far below its end
    desk.keys("ctrl+c")
    desk.click(*COMPOSER)
    desk.keys("ctrl+v")
    desk.until(desk.drafts)
    (draft,) = desk.drafts()
    assert [line for line in words if line not in bare(str(draft))] == [], draft
