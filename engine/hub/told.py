"""What the hub tells of a model beside its files, in a form that can be shown. Pure.

The hub's word for each is in its answers about models (`/api/models`). Whatever is missing or of
another form counts as not told: a repository's owner writes most of it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from engine.hub.names import clean_name
from engine.hub.templates import reasons, takes_tools

_LONGEST_LICENCE = 40
_IMAGE_TASKS = frozenset({"image-text-to-text", "any-to-any", "visual-question-answering"})
_DATE = re.compile(r"\d{4}-\d\d-\d\d")
_LICENCES = {
    "apache-2.0": "Apache 2.0",
    "mit": "MIT",
    "gemma": "Gemma terms",
    "llama3.1": "Llama 3.1 licence",
    "llama3.2": "Llama 3.2 licence",
    "llama3.3": "Llama 3.3 licence",
    "llama4": "Llama 4 licence",
}


@dataclass(frozen=True)
class HubFacts:
    """What the hub tells of a model.

    Attributes:
        downloads: of the last month; 0 where that is not told.
        updated: the day of the last change as ISO 8601, "" where that is not told.
        licence: its short name, "" where none is named.
        gated: whether the hub gives it only to people who asked for it.
        reasoning, tools, images: what it was made for, by its template and its task.
    """

    downloads: int = 0
    updated: str = ""
    licence: str = ""
    gated: bool = False
    reasoning: bool = False
    tools: bool = False
    images: bool = False


def facts(about: dict[str, Any]) -> HubFacts:
    """The facts in one of the hub's answers about a model."""
    config = _dict(about.get("config"))
    template = template_in(config)
    return HubFacts(
        downloads=_count(about.get("downloads")),
        updated=_day(about.get("lastModified")),
        licence=_licence(about),
        gated=bool(about.get("gated")),
        reasoning=reasons(template),
        tools=takes_tools(template),
        images=about.get("pipeline_tag") in _IMAGE_TASKS or "vision_config" in config,
    )


def template_in(config: dict[str, Any]) -> str:
    """The chat template in the hub's copy of a config, "" where there is none.

    It stands under one of two names, as a text or as a list of named texts.
    """
    found = config.get("chat_template_jinja")
    if not isinstance(found, str):
        found = _dict(config.get("tokenizer_config")).get("chat_template")
    if isinstance(found, list):
        texts = (entry.get("template") for entry in found if isinstance(entry, dict))
        return "\n".join(text for text in texts if isinstance(text, str))
    return found if isinstance(found, str) else ""


def tags(about: dict[str, Any]) -> list[str]:
    """The model's tags."""
    found = about.get("tags")
    return [tag for tag in found if isinstance(tag, str)] if isinstance(found, list) else []


def _licence(about: dict[str, Any]) -> str:
    card = _dict(about.get("cardData"))
    name = card.get("license")
    if name == "other" and isinstance(card.get("license_name"), str):
        name = card["license_name"]
    if not isinstance(name, str):
        marked = (tag.partition(":") for tag in tags(about))
        name = next((rest for head, _, rest in marked if head == "license"), "")
    return licence_name(name)


def licence_name(name: object) -> str:
    """A licence's name as it is shown: the hub's own, or what that is short for."""
    known = _LICENCES.get(name, name) if isinstance(name, str) else name
    return clean_name(known, _LONGEST_LICENCE)


def _day(text: object) -> str:
    found = _DATE.match(text) if isinstance(text, str) else None
    return found[0] if found else ""


def _count(value: object) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0


def _dict(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}
