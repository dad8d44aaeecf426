"""Searching the hub by words. Nothing is asked before a person searches.

Two questions are asked: first for models of mlx-community, which are converted for MLX, then for
all that have weights in safetensors and an architecture that the installed mlx-lm has.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from engine.errors import INVALID_REQUEST, NOT_A_MODEL, EngineError
from engine.hub import net
from engine.hub.look import headers, knows, parsed
from engine.hub.names import clean_name, parse
from engine.hub.told import HubFacts, facts, tags

FIRST = "mlx-community"
"""Whose models come first."""
MOST = 20
"""How many results each of the two questions may have."""

_LARGEST_ANSWER = 16 * 2**20  # templates come with it, some 20 KB each
_LONGEST_WORDS = 100
_WANTED = (
    *("author", "cardData", "config", "downloads", "gated", "lastModified", "pipeline_tag"),
    *("safetensors", "tags", "usedStorage"),
)
_TASKS = frozenset(
    {"", "text-generation", "image-text-to-text", "any-to-any", "text2text-generation"}
)
_KIND = re.compile(r"[\w.+ -]{1,100}")
_BITS = re.compile(r"([2-8])-bit")
_WIDTHS = {
    **dict.fromkeys(("F64", "I64", "U64"), 8),
    **dict.fromkeys(("F32", "I32", "U32"), 4),
    **dict.fromkeys(("BF16", "F16", "I16", "U16"), 2),
    **dict.fromkeys(("I8", "U8", "BOOL", "F8_E4M3", "F8_E5M2", "F8_E8M0"), 1),
}


@dataclass(frozen=True)
class Found:
    """One model that a search has found.

    Attributes:
        repo: its id.
        size: bytes of its weights, about; 0 where the hub does not tell. `look_up` tells exactly.
        precision: "4-bit", "BF16"; "" where the hub does not tell.
        architecture: the `model_type` of its config.
    """

    repo: str
    size: int
    precision: str
    architecture: str
    facts: HubFacts


def search(
    words: str, token: str | None = None, cancelled: threading.Event | None = None
) -> list[Found]:
    """Ask the hub for models by words of their names; two requests.

    Args:
        token: an access token; by default the one that huggingface_hub knows.

    Raises:
        EngineError: `invalid_request`, `gated`, `not_a_model`, `offline`, `download_failed`,
            `download_cancelled`.
    """
    words = clean_name(words, _LONGEST_WORDS)
    if not words:
        raise EngineError(INVALID_REQUEST, "Write a word of the model's name first.")
    stop = cancelled or threading.Event()
    first = _ask({"search": words, "author": FIRST}, token, stop)
    others = _ask({"search": words, "filter": "safetensors"}, token, stop)
    found = {model.repo: model for about in first + others if (model := _found(about)) is not None}
    return sorted(found.values(), key=lambda model: not model.repo.startswith(f"{FIRST}/"))


def _ask(
    question: dict[str, str], token: str | None, stop: threading.Event
) -> list[dict[str, Any]]:
    from huggingface_hub import constants

    asked = [*question.items(), ("sort", "downloads"), ("direction", "-1"), ("limit", str(MOST))]
    asked += [("expand[]", name) for name in _WANTED]
    url = f"{constants.ENDPOINT}/api/models?{urlencode(asked)}"
    answer = parsed(net.read(url, headers(token), net.SEARCH, stop, _LARGEST_ANSWER))
    if not isinstance(answer, list) or not all(isinstance(about, dict) for about in answer):
        raise EngineError(
            NOT_A_MODEL,
            "The hub's answer to the search makes no sense. Try again later, or write the model's "
            "whole name.",
        )
    return answer[:MOST]


def _found(about: dict[str, Any]) -> Found | None:
    """The model, or None where it is nothing to chat with here."""
    repo, config = about.get("id"), about.get("config")
    wanted = parse(repo) if isinstance(repo, str) else None
    if wanted is None or wanted.repo != repo or not isinstance(config, dict):
        return None
    kind = config.get("model_type")
    if not isinstance(kind, str) or not _KIND.fullmatch(kind) or not knows(config):
        return None
    if (about.get("pipeline_tag") or "") not in _TASKS:
        return None
    told = _parameters(about)
    if not told and "safetensors" not in tags(about):
        return None
    return Found(repo, _size(about, told), _precision(about, config, told), kind, facts(about))


def _parameters(about: dict[str, Any]) -> dict[str, int]:
    """How many numbers of each type its weights have."""
    weights = about.get("safetensors")
    told = weights.get("parameters") if isinstance(weights, dict) else None
    if not isinstance(told, dict):
        return {}
    return {k: n for k, n in told.items() if k in _WIDTHS and type(n) is int and 0 < n < 2**50}


def _size(about: dict[str, Any], told: dict[str, int]) -> int:
    size = sum(_WIDTHS[kind] * count for kind, count in told.items())
    stored = about.get("usedStorage")  # of all versions; packed numbers may be counted unpacked
    return min(size, stored) if type(stored) is int and stored > 0 else size


def _precision(about: dict[str, Any], config: dict[str, Any], told: dict[str, int]) -> str:
    bits = next(_bits(about, config), 0)
    if bits:
        return f"{bits}-bit"
    return max(told, key=lambda kind: told[kind]) if told else ""


def _bits(about: dict[str, Any], config: dict[str, Any]) -> Iterator[int]:
    for name in ("quantization", "quantization_config"):
        how = config.get(name)
        if isinstance(how, dict) and type(how.get("bits")) is int and 0 < how["bits"] < 16:
            yield how["bits"]
    yield from (int(found[1]) for tag in tags(about) if (found := _BITS.fullmatch(tag)))
