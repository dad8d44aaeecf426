"""Text comes out whole, in its kind, cut at stops, however the tokens fall."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from engine.text import Markers, TextSplitter

MARKERS = Markers("<think>", "</think>", "<tool_call>", "</tool_call>")


def split(pieces: list[str], stops: tuple[str, ...] = (), reasoning: bool = False):
    splitter = TextSplitter(MARKERS, stops, reasoning)
    deltas = [d for piece in pieces for d in splitter.feed(piece)] + splitter.finish()
    parts = {"answer": "", "reasoning": "", "tool": ""}
    for text, kind in deltas:
        parts[kind] += text
    return parts, splitter.stopped, deltas


def test_reasoning_answer_and_tool() -> None:
    text = "<think>\nhm\n</think>\n\nYes.<tool_call>{}</tool_call> Done"
    parts, stopped, _ = split([text])
    assert parts == {"reasoning": "hm\n", "answer": "Yes. Done", "tool": "{}"}
    assert not stopped


def test_reasoning_that_the_template_opened() -> None:
    assert Markers("<think>", "</think>").opens_reasoning("…assistant\n<think>\n")
    assert not Markers("<think>", "</think>").opens_reasoning("<think></think>…assistant\n")
    assert not Markers("<think>", "</think>").opens_reasoning("what is <think>?…assistant\n")
    parts, _, _ = split(["so ", "then</th", "ink>\n\nNo."], reasoning=True)
    assert parts["reasoning"] == "so then"
    assert parts["answer"] == "No."


def test_half_a_stop_string_never_leaks() -> None:
    parts, stopped, deltas = split(["one E", "N", "D two"], stops=("END",))
    assert parts["answer"] == "one "
    assert stopped
    assert all("E" not in text for text, _ in deltas)


def test_text_held_back_comes_when_it_turns_out_harmless() -> None:
    parts, stopped, _ = split(["one EN", "TRY"], stops=("END",))
    assert parts["answer"] == "one ENTRY"
    assert not stopped
    assert split(["one EN"], stops=("END",))[0]["answer"] == "one EN"


def test_the_earliest_and_then_the_longest_stop_counts() -> None:
    assert split(["a##b#c"], stops=("#", "##"))[0]["answer"] == "a"
    assert split(["abcd"], stops=("cd", "bc"))[0]["answer"] == "a"


def test_stops_do_not_end_the_reasoning() -> None:
    parts, stopped, _ = split(["<think>a\n\nb</think>c\n\nd"], stops=("\n\n",))
    assert parts["reasoning"] == "a\n\nb"
    assert parts["answer"] == "c"
    assert stopped


FRAGMENTS = st.sampled_from(
    [
        "<think>",
        "</think>",
        "<tool_call>",
        "</tool_call>",
        "<",
        "th",
        "END",
        "E",
        "N",
        "\n",
        "x",
        "é",
    ]
)


@given(st.lists(FRAGMENTS, max_size=30), st.data())
def test_the_same_however_it_is_cut(fragments: list[str], data: st.DataObject) -> None:
    text = "".join(fragments)
    whole = split([text], stops=("END",))[:2]
    assert split(list(text), stops=("END",))[:2] == whole
    several = ("NEx", "E", "<th", "EN\n")
    assert split(list(text), stops=several)[:2] == split([text], stops=several)[:2]
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=8)))
    pieces = [text[a:b] for a, b in zip([0, *cuts], [*cuts, len(text)], strict=True)]
    assert split(pieces, stops=("END",))[:2] == whole
