"""Tree of a chat's branches."""

from __future__ import annotations

import random
from math import log2

import pytest

from app.chats.transcript import Transcript
from app.chats.tree import LONGEST_NAME, Run, branch_name, runs_of, set_branch_name
from app.store import Message
from tests.slices import examples


def grown(size: int, seed: int) -> Transcript:
    chance = random.Random(seed)
    made = [Message("m0000", "c")]
    for n in range(1, size):
        near = made[-chance.choice((1, 1, 3, n)) :]
        parent = None if chance.random() < 0.01 else chance.choice(near).id
        made.append(Message(f"m{n:04}", "c", parent))
    return Transcript(made, chance.choice(made).id)


def every(tops: list[Run]) -> list[Run]:
    runs = [*tops]
    for run in runs:
        runs += run.below
    return runs


@pytest.mark.parametrize("seed", range(examples(5)))
def test_tree_lists_each_message_once_shown_branch_first(seed: int):
    transcript = grown(700, seed)
    apart = {"m0000", "m0100"}
    tops = runs_of(transcript, apart)
    runs = every(tops)
    ids = [each for run in runs for each in run.ids]
    assert len(ids) == len(set(ids)) == 700
    assert max(run.depth for run in runs) <= log2(700) + 2
    path = {message.id for message in transcript.path}
    assert path <= {each for run in tops for each in run.ids}
    for run in runs:
        among = tops if run.above is None else run.above.below
        assert among[run.place] is run
        after = among[run.place + 1 :]
        assert run.goes_on == (bool(after) and not after[0].begins)
        assert run.more == any(other.begins for other in after)
        before = transcript[run.id].parent_id if run.ids else None
        if run.begins and run.above is not None:
            assert before == (run.above.ids[-1] if run.above.ids else None)
        elif not run.begins:
            assert before == (among[run.place - 1].ids[-1] if among[run.place - 1].ids else None)


def test_ten_thousand_messages_are_one_run():
    line = [Message(f"{n:05}", "c", f"{n - 1:05}" if n else None) for n in range(10_000)]
    (run,) = runs_of(Transcript(line))
    assert (len(run.ids), run.shown, run.goes_on, run.below) == (10_000, True, False, [])
    assert runs_of(Transcript()) == []


def test_branch_name_is_one_line():
    assert branch_name(set_branch_name({"seed": 1}, "  In\n French ")) == "In French"
    assert set_branch_name({"seed": 1, "branch": "x"}, " \n") == {"seed": 1}
    for hostile in (None, 7, ["x"], {"x": 1}):
        assert branch_name({"branch": hostile}) == ""
    assert len(branch_name({"branch": "x y" * 10_000})) <= LONGEST_NAME
    assert branch_name({"branch": "to\u202ep\n\x07 it"}) == "top it"
