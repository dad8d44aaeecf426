"""Cleaning and accepting a model's title."""

from __future__ import annotations

import pytest

from app.chats.title_generator import LONGEST, clean_title, extract_title, title_prompt
from tests.app.conftest import Run
from tests.app.desk import edit

QUESTION = "My sourdough bread never rises in winter. What could be wrong with the dough?"
ANSWER = "The yeast is slow in a cold kitchen. Let the dough rise for longer, near an oven."


@pytest.mark.parametrize(
    ("said", "title"),
    [
        ('"Sourdough in a Cold Kitchen"', "Sourdough in a Cold Kitchen"),
        ("**Title: Slow Sourdough Yeast**", "Slow Sourdough Yeast"),
        ("# Rising `dough` in winter\n", "Rising dough in winter"),
        (
            "<think>The person bakes.\nSo:</think>\n\n`Winter bread troubles`",
            "Winter bread troubles",
        ),
        ("1. “Baking Bread”", "Baking Bread"),
        ("[Cold dough](https://example.org)", "Cold dough"),
    ],
)
def test_title_is_cleaned_up(said: str, title: str):
    assert extract_title(said, QUESTION, ANSWER) == title


@pytest.mark.parametrize(
    "said",
    [
        "",
        "“”",
        "<think>It is about bread",
        "Once upon a time a fox lived in the woods",
        "I do not know that.",
        "The dough rises slowly.",
        "Sourdough bread bread bread bread",
        "Sourdough bread\nCold dough",
        "The dough of this sourdough bread is cold, and so it rises slowly in the winter kitchen",
        "My dough of sourdough bread is slow to rise in winter",
        "The title of the conversation",
        "a" * (LONGEST + 1),
        "doughbreadwinterkitchenovenyeastsourdough",
        "My sourdough bread never rises in winter. What…",
    ],
)
def test_title_equal_to_first_words_is_ignored(said: str):
    assert extract_title(said, QUESTION, ANSWER) == ""


def test_title_may_lack_spaces():
    question, answer = "冬にパンが膨らまないのはなぜですか", "酵母は寒い台所では遅くなります。"
    assert extract_title("「冬のパンと酵母」", question, answer) == "冬のパンと酵母"
    assert extract_title("昔々あるところに狐がいました", question, answer) == ""


def test_title_in_wrong_language_is_rejected():
    question = "Warum geht mein Sauerteig im Winter nicht auf?"
    answer = "Die Hefe ist in der Kälte langsam."
    assert extract_title("Cold Kitchens and Bread", question, answer) == ""
    assert extract_title("Sauerteig im Winter", question, answer) == "Sauerteig im Winter"


def test_control_characters_do_not_come_into_a_title():
    assert clean_title("Cold\u202e dough\x07 rises") == "Cold dough rises"


def test_long_conversation_is_titled_from_its_beginning():
    asked = title_prompt("word " * 5_000, "other " * 5_000)
    assert len(asked) < 3_200


def test_automatic_title_follows_edited_message(run: Run) -> None:
    run.ask("say one thing")
    chat = run.pane.chat
    assert chat.title == "say one thing"
    edit(chat, chat.transcript.path[0].id, "say another")
    run.answered()
    assert (chat.title, chat.record.titled_by) == ("say another", "")
    run.ask("say more")
    edit(chat, chat.transcript.path[2].id, "say less")  # the first question is unchanged
    run.answered()
    assert chat.title == "say another"
    chat.rename("Mine")
    edit(chat, chat.transcript.path[0].id, "say a third")
    run.answered()
    assert chat.title == "Mine"
