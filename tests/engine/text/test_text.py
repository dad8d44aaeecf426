"""Reply text is complete, classified and cut at stop strings for any tokenization."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.bench.random_models import write_tokenizer
from engine.messages import Image
from engine.sandbox.prompts import ChatTemplate
from engine.text.dialects import Markers
from engine.text.recognition import opens_reasoning
from engine.text.rendering import render
from engine.text.reply_text import ReplyText
from engine.text.splitter import MarkTokens, TextSplitter

MARKERS = Markers("<think>", "</think>", "<tool_call>", "</tool_call>")


def split(pieces: list[str], stops: tuple[str, ...] = (), reasoning: bool = False):
    splitter = TextSplitter(
        MarkTokens(MARKERS), stops, reasoning, offered=True, notation="json_tools"
    )
    deltas = [d for piece in pieces for d in splitter.feed(piece)] + splitter.finish()
    parts = {"answer": "", "reasoning": "", "tool": ""}
    for text, kind in deltas:
        parts[kind] += text
    return parts, splitter.stop is not None, deltas


def test_reasoning_answer_and_tool() -> None:
    call = '{"name": "f", "arguments": {}}'
    parts, stopped, _ = split([f"<think>\nhm\n</think>\n\nYes.<tool_call>{call}</tool_call> Done"])
    assert parts == {"reasoning": "hm\n", "answer": "Yes. Done", "tool": call}
    assert not stopped


def test_reasoning_opened_by_the_template_is_recognized() -> None:
    assert opens_reasoning(Markers("<think>", "</think>"), "…assistant\n<think>\n")
    assert not opens_reasoning(Markers("<think>", "</think>"), "<think></think>…assistant\n")
    assert not opens_reasoning(Markers("<think>", "</think>"), "what is <think>?…assistant\n")
    parts, _, _ = split(["so ", "then</th", "ink>\n\nNo."], reasoning=True)
    assert parts["reasoning"] == "so then"
    assert parts["answer"] == "No."


def test_half_a_stop_string_never_leaks() -> None:
    parts, stopped, deltas = split(["one E", "N", "D two"], stops=("END",))
    assert parts["answer"] == "one "
    assert stopped
    assert all("E" not in text for text, _ in deltas)


def test_held_back_text_is_released() -> None:
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


@settings(deadline=None)
@given(st.lists(FRAGMENTS, max_size=30), st.data())
def test_split_text_does_not_depend_on_cuts(fragments: list[str], data: st.DataObject) -> None:
    text = "".join(fragments)
    whole = split([text], stops=("END",))[:2]
    assert split(list(text), stops=("END",))[:2] == whole
    several = ("NEx", "E", "<th", "EN\n")
    assert split(list(text), stops=several)[:2] == split([text], stops=several)[:2]
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=8)))
    pieces = [text[a:b] for a, b in zip([0, *cuts], [*cuts, len(text)], strict=True)]
    assert split(pieces, stops=("END",))[:2] == whole


@pytest.fixture(scope="module")
def bytewise(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Load a real tokenizer that has a token per byte and none for multi-byte characters."""
    from mlx_lm.tokenizer_utils import load

    folder: Path = tmp_path_factory.mktemp("tokenizer")
    write_tokenizer(folder)
    return load(folder)


def answer(tokenizer: Any, ids: list[int], stops: tuple[str, ...]) -> tuple[str, bool, list[str]]:
    """Return the text the user sees, True if it stopped, and the pieces as they arrived."""
    reply, pieces = ReplyText(tokenizer, "", stops), []
    for token in ids:
        pieces += [text for text, kind in reply.add(token) if kind == "answer"]
        if reply.splitter.stop is not None:
            break
    pieces += [text for text, kind in reply.finish() if kind == "answer"]
    return "".join(pieces), reply.splitter.stop is not None, pieces


@pytest.mark.parametrize(
    ("text", "stops", "seen"),
    [
        ("Grüße 👋🏽 Ende", ("👋🏽",), "Grüße "),
        ("Grüße 👋🏽 Ende", ("🏽 E",), "Grüße 👋"),  # a stop that starts inside a character cluster
        ("a  b \n\nc", ("\n\n",), "a  b "),
        ("one two", (" two",), "one"),  # the detokenizer holds back a lone space
        ("a é", (" é",), "a"),
        ("x ", (" ",), "x"),
        ("<think>\nEND</think>END of", ("END of", "END"), ""),
        ("<think>ENDE</think>ok EN", ("END",), "ok EN"),
    ],
)
def test_stops_over_the_bytes_of_characters(
    bytewise: Any, text: str, stops: tuple[str, ...], seen: str
) -> None:
    ids = bytewise.encode(text, add_special_tokens=False)
    shown, stopped, pieces = answer(bytewise, ids, stops)
    assert shown == seen
    assert stopped == any(stop in text.rpartition("</think>")[2] for stop in stops)
    assert not any("\ufffd" in piece for piece in pieces)


def test_broken_character_is_shown_and_hides_no_stop(bytewise: Any) -> None:
    half = bytewise.encode("é", add_special_tokens=False)[:1]
    end = bytewise.encode("END", add_special_tokens=False)
    assert answer(bytewise, half + end, ("END",))[:2] == ("\ufffd", True)
    assert answer(bytewise, end[:1] + half, ("END",))[:2] == ("E\ufffd", False)


def test_invalid_bytes_do_not_accumulate(bytewise: Any) -> None:
    """Otherwise each token would decode all of them again."""
    half = bytewise.encode("é", add_special_tokens=False)[:1]
    reply = ReplyText(bytewise, "")
    lengths = []
    for _ in range(500):
        reply.add(half[0])
        lengths.append(len(reply.detokenizer._unflushed))
    assert max(lengths) < 100
    end = bytewise.encode("ok é", add_special_tokens=False)
    for token in end:
        reply.add(token)
    reply.finish()
    assert reply.parts["answer"].lstrip("\ufffd") == "ok é"
    assert reply.parts["answer"].count("\ufffd") == 500


_SEES = """{% for m in messages %}
{%- if m.role == 'system' %}{{ raise_exception('no system') }}{% endif %}
{{- '<' ~ m.role ~ '>' }}{% if m.content is string %}{{ m.content }}{% else %}
{%- for part in m.content %}{{ '[IMG]' if part.type == 'image' else part.text }}{% endfor %}
{%- endif %}{% endfor %}"""


def test_images_keep_their_place_in_merged_messages() -> None:
    parts = [{"type": "image", "image": Image(b"PNG")}, {"type": "text", "text": "What is it?"}]
    messages = [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": parts},
    ]
    apply = ChatTemplate(_SEES, {}).render
    assert render(apply, "", messages, None, True) == "<user>Be brief.\n\n[IMG]What is it?"
    assert render(None, "", messages[1:], None, True) == "User: What is it?\nAssistant:"
