"""Votes, verdicts, and texts of panel answers."""

from __future__ import annotations

import re
import time
from typing import Any

import pytest

from app.chats import panel
from app.chats.options import ChatOptions
from app.chats.panel import Member, members_from_json
from app.chats.transcript import Transcript
from app.store import Message


def columns(*texts: str, status: str = "complete") -> Transcript:
    tree = Transcript([Message("q", "c", None, "user", "how many?")])
    for number, text in enumerate(texts):
        told = {"id": "p", "letter": "ABCDEFGH"[number], "name": f"N{number}"}
        state = status if text else "error"
        tree.add(
            Message(f"m{number}", "c", "q", "assistant", text, status=state, stats={"panel": told})
        )
    return tree


def voted(*texts: str) -> tuple[str, str]:
    found = panel.columns(columns(*texts), "m0")
    why = panel.why_not(panel.VOTE, found)
    return ("" if why else panel.count(found).splitlines()[0]), why


@pytest.mark.parametrize(
    ("texts", "words"),
    [
        (("42", "The answer is 42.", "41"), "2 of 3 say `42`."),
        (("1,234", "1234.0", "It is 1 234 in all."), "All 3 say `1,234`."),
        (("0,5", "0.50"), "All 2 say `0,5`."),
        (("-3", "−3", "3"), "2 of 3 say `-3`."),
        (("Yes.", "yes", "**No**"), "2 of 3 say `Yes.`."),
        (("B", "C"), "No reply has more votes than the others."),
        (('{"a": 1, "b": 2}', '```json\n{"b": 2, "a": 1}\n```'), 'All 2 say `{"a": 1, "b": 2}`.'),
        (("Long thought.\n\nAnswer: **7**", "7"), "All 2 say `7`."),
        (("7", "7", ""), "All 2 say `7`."),
        (("**Answer:**\n**7**", "The answer is: 7"), "All 2 say `7`."),
    ],
)
def test_numbers_choices_and_forms_are_counted(texts, words):
    said, why = voted(*texts)
    assert not why
    assert said.startswith(words)


@pytest.mark.parametrize(
    "texts",
    [
        ("It was in 1969, or 1970.", "1969"),
        ("A river is water that flows down to the sea, slowly.", "Water."),
        ("[1, 2", "{}"),
        ("[" * 100_000, "1" * 100_000),
    ],
)
def test_incomparable_answers_are_not_counted(texts):
    said, why = voted(*texts)
    assert (said, bool(why)) == ("", True)


@pytest.mark.parametrize(
    "text",
    [
        "a\n" + "-\n" * 20_000 + "b",
        "```" + "\n" * 20_000 + "x",
        "Answer: " + "* " * 20_000 + "x" * 300,
        "Answer:" + "\n" * 20_000 + "x" * 300,
        "Best" + ":" * 20_000 + "*" * 20_000 + "ab",
        "**" + "B, A" * 20_000,
    ],
)
def test_endless_repetition_is_parsed_quickly(text):
    found = panel.columns(columns(text, text), "m0")
    begun = time.process_time()
    assert panel.why_not(panel.VOTE, found)
    assert panel.parse_best(panel.last_reading(text, found), found) == ""
    assert time.process_time() - begun < 0.5


def test_fewer_than_two_replies_or_one_cut_off_make_no_vote():
    assert voted("42", "")[1]
    found = panel.columns(columns("4", "4", status="cancelled"), "m0")
    assert panel.why_not(panel.VOTE, found)
    assert not panel.why_not(panel.MERGE, found)


def test_verdict_needs_agreement_of_both_orders():
    found = panel.columns(columns("x", "y"), "m0")
    assert panel.parse_best("They differ.\nBest: B", found) == "B"
    assert panel.parse_best("Best: A\n**Best answer: b**", found) == "B"
    assert panel.parse_best("Best: none", found) == panel.parse_best("Best: Z", found) == ""
    assert panel.parse_best("A is the best of all", found) == ""
    named = [re.findall(r"\b[AB]\b", panel.verdict(*read)) for read in ("BB", "AB", ("A", ""))]
    assert named == [["B"], ["A", "B"], []]


@pytest.mark.parametrize("heading", ["Second reading (B, A)", "2回目の評価（B, A）", "Order: B, A"])
def test_second_reading_is_found_in_any_language(heading):
    found = panel.columns(columns("x", "y"), "m0")
    text = f"**Order: A, B**\n\nBest: A\n\n**{heading}**\n\nI can’t decide."
    assert panel.parse_best(panel.last_reading(text, found), found) == ""


def test_letter_of_a_neutral_name_is_not_repeated():
    names = {"A": "Reply A", "C": "Poet", "D": "Model-D"}
    assert panel.format_list(names) == "Reply A, C Poet, D Model-D"


def test_judge_gets_reversed_successful_replies():
    tree = columns("one", "", "three")
    told = {"id": "p", "kind": panel.JUDGE}
    result = Message("r", "c", "q", "assistant", stats={"panel": told})
    tree.add(result)
    said = panel.instructions_of(tree, result)
    assert said.startswith("Answer A:\none\n\nAnswer C:\nthree\n\n")
    turned = tree.update("r", stats={"panel": {**told, "turned": True}})
    assert panel.instructions_of(tree, turned).startswith("Answer C:\nthree\n\nAnswer A:\none\n\n")
    assert [m.id for m in panel.columns(tree, "r")] == ["m0", "m1", "m2"]


def test_members_tolerate_file_contents():
    member = Member("Skeptic", "/m", "Doubt it.", 0.4, 7)
    assert Member.from_json(member.to_json()) == member
    assert Member().to_json() == {}
    broken = {"name": 3, "model": None, "temperature": "hot", "seed": -1, "x": 1}
    assert Member.from_json(broken) == Member.from_json([]) == Member()
    assert members_from_json([{}, {}]) == [Member(), Member()]
    for told in (None, {}, [], [{}], [{}] * 9, "ab"):
        assert members_from_json(told) == []
    own = ChatOptions(temperature=0.9, seed=1, tools=("a/b",))
    assert member.options(own) == ChatOptions(temperature=0.4, seed=7)
    assert Member().options(own) == ChatOptions(temperature=0.9, seed=1)


@pytest.mark.parametrize("told", [3, {"id": 3}, {"id": "p", "letter": []}, {"kind": "x", "id": ""}])
def test_non_panel_message_belongs_to_no_panel(told):
    tree = columns("one")
    tree.add(Message("x", "c", "q", "assistant", "y", model="M", stats={"panel": told}))
    assert panel.columns(tree, "x") in ([], [tree["m0"]])
    assert panel.heading_of(tree["x"]) == "M"
    assert panel.instructions_of(tree, tree["x"]) == ""


def test_automatic_names_are_made_when_shown() -> None:
    def name(data: dict[str, Any]) -> str:
        return panel.name_of(Message("m", "c", role="assistant", stats={"panel": data}))

    automatic = panel.column_data(Member(seed=3))
    assert "name" not in automatic
    assert name(automatic) == "Seed 3"
    assert name(panel.column_data(Member(temperature=0.5))) == "Temperature 0.5"
    assert name(panel.column_data(Member(temperature=0.5, seed=4))) == "Seed 4 · Temperature 0.5"
    assert name(panel.column_data(Member("Mine", seed=3))) == "Mine"
    assert name({"name": "Startwert 3", "seed": 3}) == "Startwert 3"  # by an earlier version


def test_member_names_from_files_are_single_ltr_lines():
    hostile = "a\u202eb\n\x1b[31mc" + "x" * 10_000
    of = {"A": hostile, "AB": "x", "": "x", "Z": "x", "B": 3}
    told = Message("m", "c", role="assistant", stats={"panel": {"name": hostile, "of": of}})
    kept = ("ab c" + "x" * 10_000)[:80]
    assert panel.name_of(told) == kept
    assert panel.sources(told) == {"A": kept, "B": ""}
    assert not panel.sources(Message("m", "c", stats={"panel": {"of": hostile}}))
