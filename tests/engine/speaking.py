"""Model families of `tests/engine/dialects`: tokenizers, templates and sample output."""

from __future__ import annotations

import copy
import json
import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from engine.text.reply_text import ReplyText

DATA = Path(__file__).parent / "dialects"
FAMILIES = sorted(path.name.removesuffix(".toml") for path in DATA.glob("*.toml"))

ANSWER, THOUGHT = "It is fine.", "Let me see."
CITIES = ("Turin", "Oslo")
ASK = {"role": "user", "content": "How is it?"}
WEATHER = {
    "type": "function",
    "function": {
        "name": "weather",
        "description": "The weather of a city.",
        "parameters": {"type": "object", "properties": {"city": {"type": "string"}}},
    },
}


@dataclass(frozen=True)
class Stream:
    """Sample output after a prompt, and its meaning.

    Attributes:
        reasoning: reasoning setting of the prompt.
        cities: arguments of its `weather` calls.
    """

    name: str
    text: str
    reasoning: bool | None
    answer: str = ""
    thought: str = ""
    cities: tuple[str, ...] = ()

    @property
    def template(self) -> dict[str, Any]:
        return {"tools": [WEATHER]} if self.cities else {}


@cache
def family(name: str) -> dict[str, Any]:
    return tomllib.loads((DATA / f"{name}.toml").read_text(encoding="utf-8"))


CALLING = [name for name in FAMILIES if "called" in family(name)]
"""Families that call tools."""


def streams(name: str) -> list[Stream]:
    data, found = family(name), list[Stream]()
    if "answer" in data:
        found.append(Stream("answer", data["answer"], False, ANSWER))
    if "reasoned" in data:
        found.append(Stream("reasoned", data["reasoned"], True, ANSWER, THOUGHT))
    if "called" in data:
        thought = THOUGHT if THOUGHT in data["called"] else ""
        found.append(Stream("called", data["called"], True, "", thought, CITIES))
    for number, more in enumerate(data.get("more", ())):
        found.append(
            Stream(
                f"more {number}",
                more["stream"],
                more.get("asked", True),
                more.get("answer", ""),
                more.get("reasoning", ""),
                tuple(more.get("calls", ())),
            )
        )
    return found


def write_folder(folder: Path, name: str) -> Path:
    from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers

    data = family(name)
    folder.mkdir(parents=True, exist_ok=True)
    words = list(dict.fromkeys([*data["tokens"], data["eos"], "<unused>"]))
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    vocab = {word: number for number, word in enumerate([*words, *alphabet])}
    tokenizer = Tokenizer(models.BPE(vocab=vocab, merges=[]))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.add_special_tokens([AddedToken(w, special=True, normalized=False) for w in words])
    tokenizer.save(str(folder / "tokenizer.json"))
    settings = {
        "tokenizer_class": "PreTrainedTokenizerFast",
        "eos_token": data["eos"],
        "clean_up_tokenization_spaces": False,
        **({"bos_token": data["bos"]} if data.get("bos") else {}),
    }
    template = data["template"]
    if isinstance(template, dict):  # several templates by name
        template = [{"name": n, "template": _compact(t)} for n, t in template.items()]
    else:
        template = _compact(template)
    settings["chat_template"] = template
    (folder / "tokenizer_config.json").write_text(json.dumps(settings))
    return folder


def _compact(template: str) -> str:
    return "".join(line.strip() for line in template.strip().splitlines())


def cut(reply: ReplyText) -> dict[str, Any]:
    detokenizer, splitter = reply.detokenizer, reply.splitter
    shared = (reply._dialect, splitter._patterns, splitter._markers, splitter._marks)
    memo = {id(one): one for one in shared}
    twin = copy.deepcopy(reply, {**memo, id(detokenizer): copy.copy(detokenizer)})
    twin.finish(ended=False)
    # Incomplete characters show as a replacement mark.
    parts = {kind: text.rstrip("\ufffd") for kind, text in twin.parts.items()}
    return {**parts, "calls": twin.splitter.calls, "told": twin.call_updates(over=True)}
