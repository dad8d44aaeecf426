"""Between the file of a trial and chats: models, settings and what is asked, in both directions."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from app.chats.options import ChatOptions
from app.models.names import adapter_of, base_of, model_location, variant_of
from app.settings.language import tr
from app.settings.paths import GUIDE
from app.store.records import Role
from engine.serve.json_input import SAMPLING
from engine.trial.plan import Prompt, Variant

_FORMS = {"json_schema": "schema", "choices": "choices", "regex": "pattern"}
"""The forms of answers: what the file calls each, and `ChatOptions`."""


def model_of(variant: Variant) -> str:
    """How chats name a variant's model."""
    model = ref_of(variant.model)
    return variant_of(model, Path(variant.adapter).absolute()) if variant.adapter else model


def ref_of(model: str) -> str:
    """How chats name a model of a trial's file."""
    return GUIDE if model == model_location(GUIDE) else model


def options_of(variant: Variant, *, reproducible: bool) -> ChatOptions:
    """A chat's settings that a variant's answers are asked with.

    Raises:
        ValueError: it says something that a chat cannot be set to.
    """
    given: dict[str, Any] = {"seed": 0, **variant.sampling, "reproducible": reproducible}
    given |= {"reasoning": variant.reasoning, "kv_bits": variant.kv_bits}
    if isinstance(given.get("stop"), str):
        given["stop"] = [given["stop"]]
    for name, kind in _FORMS.items():
        if value := given.pop(name, None):
            told = json.dumps(value) if isinstance(value, dict) else value
            given |= {"answer_as": kind, kind: told}
    options = ChatOptions.from_params(given)
    kept = options.to_params()
    for name, value in given.items():
        if value and name not in kept:
            raise ValueError(tr("A chat cannot be set to {setting}.", setting=f"{name} = {value}"))
    return options


def variant(name: str, ref: str, options: ChatOptions, system: str) -> Variant:
    """The column of a trial that answers as a chat with these settings does, without its tools."""
    told = options.to_params()
    sampling = {key: value for key, value in told.items() if key in SAMPLING}
    for key, kind in _FORMS.items():
        sampling.pop(key, None)
        if options.answer_as == kind:
            sampling[key] = told[kind]
    return Variant(
        name,
        model_location(base_of(ref)),
        adapter_of(ref) or None,
        options.kv_bits,
        system or None,
        options.reasoning,
        sampling,
    )


def turns_of(prompt: Prompt) -> tuple[str | None, Sequence[tuple[Role, str]]]:
    """A prompt's own instructions, and its conversation up to a person's message.

    Raises:
        ValueError: it is none that a chat could hold.
    """
    if isinstance(prompt.asked, str):
        turns: list[Any] = [{"role": "user", "content": prompt.asked}]
    else:
        turns = list(prompt.asked)
    system, told = prompt.system, list[tuple[Role, str]]()
    for place, turn in enumerate(turns):
        role, text = (turn.get("role"), turn.get("content")) if isinstance(turn, dict) else (0, 0)
        wanted: Role = "assistant" if told and told[-1][0] == "user" else "user"
        if place == 0 and role == "system" and isinstance(text, str):
            system = text
        elif role != wanted or not isinstance(text, str) or not text.strip():
            break
        else:
            told.append((wanted, text.strip("\n")))
    else:
        if told and told[-1][0] == "user":
            return system, told
    raise ValueError(tr("Prompt {id} cannot be asked in a chat.", id=prompt.id))
