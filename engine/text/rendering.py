"""Rendering of messages with a chat template, and tokenization."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any, Protocol

from engine.errors import CONTEXT_OVERFLOW, TEMPLATE_ERROR, EngineError
from engine.messages import Message, text_of
from engine.text import pieces, strict_templates


class TooLongError(EngineError):
    def __init__(self, tokens: int) -> None:
        super().__init__(CONTEXT_OVERFLOW, f"The conversation is {tokens:,} tokens long.")
        self.tokens = tokens


RenderRequest = tuple[list[Message], bool]  # messages, and True to open a reply after them
Apply = Callable[[list[Message], bool, dict[str, Any]], str]


class Reader(Protocol):
    def render(
        self,
        requests: list[RenderRequest],
        reasoning: bool | None,
        template: Mapping[str, Any] | None = None,
    ) -> list[str | EngineError]:
        """Render each item. The result of an item that fails is the error."""

    def encode(self, texts: list[str], max_tokens: int | None = None) -> Sequence[Sequence[int]]:
        """Tokenize each text. Long results may be compact arrays.

        Raises:
            TooLongError: if the first text has more than `max_tokens` tokens.
        """


class LocalReader(ABC):
    """Base class of readers that run in this process."""

    bos = ""  # text that starts a prompt if there is no template

    @abstractmethod
    def template(self, options: Mapping[str, Any]) -> Apply | None: ...

    @abstractmethod
    def tokenize(self, text: str) -> list[int]:
        """Tokenize a text without adding tokens. The template has already added BOS."""

    def render(
        self,
        requests: list[RenderRequest],
        reasoning: bool | None,
        template: Mapping[str, Any] | None = None,
    ) -> list[str | EngineError]:
        apply = self.template(template or {})
        return [render(apply, self.bos, m, reasoning, opening, template) for m, opening in requests]

    def encode(self, texts: list[str], max_tokens: int | None = None) -> list[list[int]]:
        id_lists = list[list[int]]()
        for text in texts:
            id_lists.append(pieces.tokenize_with_gaps(self.tokenize, text))
            if max_tokens is not None and len(id_lists[0]) > max_tokens:
                raise TooLongError(len(id_lists[0]))
        return id_lists


class InProcess(LocalReader):
    def __init__(self, tokenizer: Any) -> None:
        self.tokenizer = tokenizer
        self.bos = getattr(tokenizer, "bos_token", None) or ""

    def template(self, options: Mapping[str, Any]) -> Apply | None:
        return partial(_apply, self.tokenizer) if self.tokenizer.has_chat_template else None

    def tokenize(self, text: str) -> list[int]:
        ids: list[int] = self.tokenizer.encode(text, add_special_tokens=False)
        return ids


def render(
    apply: Apply | None,
    bos: str,
    messages: list[Message],
    reasoning: bool | None,
    opening: bool,
    template: Mapping[str, Any] | None = None,
) -> str | EngineError:
    """Render messages with a template. Errors are returned.

    Args:
        bos: text that starts the prompt if there is no template.
    """
    if apply is None:
        return bos + _render_transcript(messages, opening)
    options = {**(template or {})}
    moment = options.pop(MOMENT, None)
    if moment is not None:
        options["strftime_now"] = datetime.fromtimestamp(moment).strftime
    if reasoning is not None:
        options.setdefault("enable_thinking", reasoning)
    try:
        return strict_templates.render_adapted(
            lambda some, opened: apply(some, opened, options), messages, opening
        )
    except MemoryError:
        raise
    except Exception as error:
        return EngineError(
            TEMPLATE_ERROR,
            f"The model's chat template failed for these messages: {type(error).__name__}: "
            f"{str(error)[:_MAX_ERROR_CHARACTERS]}",
        )


MOMENT = "_moment"
"""Template argument for the current time (Unix time), if the template writes dates."""

_MAX_ERROR_CHARACTERS = 1000  # maximum length of an error message from a template


def _apply(tokenizer: Any, messages: list[Message], opening: bool, options: dict[str, Any]) -> str:
    # mlx-lm's wrapper turns on reasoning for every model that supports it. To get the template's
    # own default, call the inner tokenizer instead.
    inner = getattr(tokenizer, "_tokenizer", None)
    custom = getattr(tokenizer, "_chat_template", None) is None  # False for mlx-lm's own renderers
    if custom and "enable_thinking" not in options and getattr(inner, "chat_template", None):
        tokenizer = inner
    # transformers only passes plain values to templates, so these use the system clock.
    options = {name: value for name, value in options.items() if not callable(value)}
    if not custom:  # mlx-lm's renderers reject unknown arguments
        options = {name: options[name] for name in _RENDERERS if name in options}
    text = tokenizer.apply_chat_template(
        messages, tokenize=False, add_generation_prompt=opening, **options
    )
    return text if isinstance(text, str) else tokenizer.decode(text)


_RENDERERS = ("tools", "enable_thinking", "drop_thinking")


def _render_transcript(messages: list[Message], opening: bool) -> str:
    names = {"user": "User", "assistant": "Assistant", "system": "System"}
    turns = [f"{names.get(m['role'], m['role'])}: {text_of(m['content'])}\n" for m in messages]
    return "".join(turns) + ("Assistant:" if opening else "")


TEMPLATE_FOLDER = "additional_chat_templates"

DEFAULT, TOOLS = "default", "tool_use"


def template_arguments(folder: Path) -> dict[str, Any]:
    """Return tokenizer arguments with the template, in case transformers doesn't find it.

    transformers only reads the older `chat_template.json` for vision models.
    """
    if (folder / "chat_template.jinja").exists() or (folder / TEMPLATE_FOLDER).exists():
        return {}
    if _template_of(folder / "tokenizer_config.json"):
        return {}
    template = _template_of(folder / "chat_template.json")
    return {"chat_template": template} if template else {}


def add_default_template(tokenizer: Any) -> None:
    """Add a default to named templates, because transformers can't choose among other names."""
    inner = getattr(tokenizer, "_tokenizer", tokenizer)
    templates = getattr(inner, "chat_template", None)
    if isinstance(templates, dict) and templates and DEFAULT not in templates:
        inner.chat_template = {DEFAULT: next(iter(templates.values())), **templates}


def _template_of(file: Path) -> Any:
    try:
        content = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return None  # reported later, when the file is needed
    return content.get("chat_template") if isinstance(content, dict) else None
