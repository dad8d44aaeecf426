"""Searching the hub, with a fake hub on the loopback."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from engine import EngineError, hub
from engine.hub import net
from engine.hub.models import MAX_RESULTS, facts
from engine.hub.names import MAX_CARD_CHARACTERS, card_text
from tests.hub import Hub, connected

LLAMA = {"model_type": "llama", "architectures": ["LlamaForCausalLM"]}
SHAPE = {
    "num_hidden_layers": 32,
    "num_attention_heads": 32,
    "num_key_value_heads": 8,
    "hidden_size": 4096,
    "max_position_embeddings": 32_768,
}


def files(config: dict[str, Any], **others: bytes) -> dict[str, bytes]:
    named = {name.replace("_jinja", ".jinja"): content for name, content in others.items()}
    return {
        "config.json": json.dumps(config).encode(),
        "tokenizer.json": b"{}",
        "model.safetensors": b"w" * 5000,
        **named,
    }


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Hub]:
    with connected(monkeypatch, tmp_path / "home") as running:
        running.add(
            "mlx-community/Little-4bit",
            files(
                {**LLAMA, **SHAPE, "quantization": {"bits": 4, "group_size": 64}},
                chat_template_jinja=b"{% if tools %}{{ tools }}{% endif %}<think>",
            ),
            about={"cardData": {"license": "apache-2.0"}, "downloads": 12},
        )
        running.add("somebody/Little", files(LLAMA), about={"downloads": 900, "usedStorage": 4000})
        yield running


def refused(code: str, says: str, call: Callable[[], object]) -> None:
    with pytest.raises(EngineError, match=says) as caught:
        call()
    assert caught.value.code == code
    assert caught.value.message.endswith(".")


def test_mlx_community_comes_first_with_details(served: Hub) -> None:
    first, second = hub.search("little")
    assert (first.repo, first.size, first.precision) == ("mlx-community/Little-4bit", 5000, "4-bit")
    assert first.facts == hub.HubFacts(12, "2026-02-03", "Apache 2.0", reasoning=True, tools=True)
    assert (second.repo, second.size, second.precision) == ("somebody/Little", 4000, "U8")
    assert not second.facts.tools
    asked = [one.query for one in served.asked]
    assert [query.get("author") for query in asked] == [["mlx-community"], None]
    assert all(query["search"] == ["little"] for query in asked)
    assert hub.search("no such thing") == []


def test_non_chat_models_are_omitted(served: Hub) -> None:
    served.add("a/Little-GGUF", {"Little.gguf": b"GGUF"})
    served.add("b/Little-new", files({"model_type": "from-2040"}))
    served.add("c/Little-nothing", files({}))
    served.add("d/Little-voice", files(LLAMA), about={"pipeline_tag": "text-to-speech"})
    served.add("e/Little-names", files(LLAMA), about={"id": "e/Lit\u202etle"})
    served.add("f/Little-pickle", {"config.json": json.dumps(LLAMA).encode(), "a.bin": b"x"})
    assert {model.repo for model in hub.search("Little")} == {
        "mlx-community/Little-4bit",
        "somebody/Little",
    }


@pytest.mark.parametrize(
    "about",
    [
        {
            "downloads": -1,
            "tags": ["safetensors"],
            "lastModified": 7,
            "cardData": [],
            "gated": None,
        },
        {"downloads": "many", "tags": ["safetensors", None, 5], "lastModified": "soon"},
        {"safetensors": {"parameters": {"BF16": -1, "X": 2, "F32": True}}, "usedStorage": "5"},
        {"safetensors": 5, "cardData": {"license": 5}, "config": {**LLAMA, "tokenizer_config": 5}},
        {"config": {**LLAMA, "tokenizer_config": {"chat_template": [1, {"template": 2}]}}},
        {"config": {**LLAMA, "quantization_config": {"bits": 10**9}, "architectures": {"a": 1}}},
        {"cardData": {"license": "other", "license_name": "\u202e\x00" + "long " * 50}},
    ],
)
def test_malformed_facts_are_ignored(served: Hub, about: dict[str, Any]) -> None:
    served.add("g/Little-odd", files(LLAMA), about={"tags": ["safetensors"], **about})
    found = {model.repo: model for model in hub.search("odd")}
    for model in found.values():
        assert 0 <= model.size < 2**50
        assert len(model.facts.licence) <= 40
        assert model.facts.licence.isprintable()
        assert model.facts.updated in {"", "2026-02-03"}


@pytest.mark.parametrize(
    "answer", [b"", b"5", b"[5]", b'{"error": 1}', b"[" * 100_000, b"\xff\xfe"]
)
def test_malformed_search_response_is_reported(served: Hub, answer: bytes) -> None:
    served.answer = answer
    refused("not_a_model", "is invalid.*full name", lambda: hub.search("little"))


@pytest.mark.parametrize(
    ("status", "token", "code", "says"),
    [
        (401, None, "gated", "requires an access token"),
        (401, "wrong", "gated", "rejected this access token"),
        (403, None, "gated", "requires an access token"),
        (404, None, "gated", "full name"),
        (400, None, "download_failed", "status 400.*Try again"),
        (503, None, "download_failed", "status 503.*Try again"),
    ],
)
def test_refused_search_gives_one_sentence(
    served: Hub, status: int, token: str | None, code: str, says: str
) -> None:
    served.refuse = status
    refused(code, says, lambda: hub.search("little", token=token))


@pytest.mark.parametrize(
    ("after", "says"),
    [
        ("", "Too many requests to Hugging Face. Try again later"),
        ("30", "Try again in 30 s"),
        ("290", "Try again in 5 minutes"),
        ("Wed, 21 Oct 2015 07:28:00 GMT", "Try again later"),
        ("9" * 50, "Try again later"),
        ("-5", "Try again later"),
    ],
)
def test_rate_limited_search_says_when_to_retry(served: Hub, after: str, says: str) -> None:
    served.refuse, served.retry_after = 429, after
    refused("download_failed", says, lambda: hub.search("little"))
    assert len(served.asked) == 1  # no second request while this result is fresh


def test_search_gives_up_bad_answers(served: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    served.break_off = True
    refused("offline", "Check the connection", lambda: hub.search("little"))
    served.break_off, served.endless = False, True
    refused("download_failed", "longer than 16 MB", lambda: hub.search("little"))
    monkeypatch.setattr(net, "READ_TIMEOUT_S", 0.0)
    refused("offline", "too slowly", lambda: hub.search("little"))


def test_silent_or_missing_hub_is_reported(served: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    from huggingface_hub import constants

    served.silent = True
    monkeypatch.setattr(net, "timeout_s", lambda: 0.1)
    refused("offline", "does not answer", lambda: hub.search("little"))
    monkeypatch.setattr(net, "timeout_s", lambda: 10.0)
    stop = threading.Event()
    threading.Timer(0.1, stop.set).start()
    refused("download_cancelled", "stopped", lambda: hub.search("little", cancelled=stop))
    monkeypatch.setattr(constants, "ENDPOINT", "http://127.0.0.1:9")
    refused("offline", "cannot be reached", lambda: hub.search("little"))


def test_empty_search_sends_nothing(served: Hub) -> None:
    refused("invalid_request", "a word", lambda: hub.search(" \u202e\x00 "))
    assert served.asked == []
    hub.search("x" * 5000)
    assert len(served.asked[0].query["search"][0]) <= 100


def test_search_results_are_limited(served: Hub) -> None:
    about = {"id": "h/Little-{}", "config": LLAMA, "tags": ["safetensors"]}
    served.answer = json.dumps([{**about, "id": f"h/m{n}"} for n in range(500)]).encode()
    assert len(hub.search("little")) <= 2 * MAX_RESULTS


def test_gated_model_is_marked_without_a_token(served: Hub) -> None:
    served.repos["somebody/Little"].token = "secret"
    assert [model.facts.gated for model in hub.search("little")] == [False, True]
    served.repos["somebody/Little"].private = True
    assert len(hub.search("little")) == 1
    assert len(hub.search("little", token="secret")) == 2


def test_look_up_reports_context_cost_and_facts(served: Hub) -> None:
    seen = hub.look_up("mlx-community/Little-4bit")
    assert (seen.context, seen.bits) == (32_768, 4)
    assert seen.facts.licence == "Apache 2.0"
    assert seen.facts.reasoning
    assert hub.fit(seen, 10**10, 8192, 1).per_token == 32 * 2 * 8 * 128 * 2


def test_card_omits_front_matter_and_pictures(served: Hub) -> None:
    text = b"---\nlicense: mit\n---\n# Little\n![Chart](https://x.test/a.png)\n<p><b>Good</b></p>\n"
    served.repos["somebody/Little"].files["README.md"] = text
    served.add("somebody/Little", served.repos["somebody/Little"].files)
    seen = hub.look_up("somebody/Little")
    assert hub.card(seen) == "# Little\nChart\nGood"
    assert hub.card(hub.look_up("mlx-community/Little-4bit")) == ""
    assert not any(one.path.endswith("a.png") for one in served.asked)


@pytest.mark.parametrize(
    ("card", "read"),
    [
        ("---\na: 1\n---\nText", "Text"),
        ("--- no head\nText", "--- no head\nText"),
        ("<img src='a' alt=\"Logo\" width=1> Text", "Logo Text"),
        ("[![](https://b.test/x)](https://c.test) Text", "Text"),
        ("```html\n<b>kept</b>\n![a](b)\n```\n<b>x</b>", "```html\n<b>kept</b>\n![a](b)\n```\nx"),
        ("a <!-- b\nc --> d <script>e</script>f<style>g", "a  d f"),
        ("one<br>two\n\n\n\n\nthree", "one\ntwo\n\nthree"),
        ("2 < 3 and <unknown> tags stay", "2 < 3 and <unknown> tags stay"),
    ],
)
def test_card_text_is_extracted(card: str, read: str) -> None:
    assert card_text(card) == read


@pytest.mark.parametrize("piece", ["<img alt ", "<style", "![", "[ ", "```\n", "<!--", "---\n"])
def test_hostile_card_is_parsed_quickly(piece: str) -> None:
    assert len(card_text(piece * (10**6 // len(piece)))) <= MAX_CARD_CHARACTERS + 2


def test_licenses_are_also_read_from_tags() -> None:
    assert facts({"tags": ["mlx", "license:gemma"]}).licence == "Gemma terms"
    other = {"license": "other", "license_name": "modified-mit"}
    assert facts({"cardData": other}).licence == "modified-mit"
    assert facts({}).licence == ""
