"""Rendering of messages by a model's chat template, and tokenization."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, Protocol

from engine.errors import CONTEXT_OVERFLOW, TEMPLATE_ERROR, EngineError
from engine.messages import Message, text_of
from engine.text import pieces, strict_templates


class TooLongError(EngineError):
    """The prompt has more tokens than allowed."""

    def __init__(self, tokens: int) -> None:
        super().__init__(CONTEXT_OVERFLOW, f"The conversation is {tokens:,} tokens long.")
        self.tokens = tokens


Asked = tuple[list[Message], bool]  # messages to render, and True to open the reply after them


class Reader(Protocol):
    """Interface for rendering and tokenizing with a model's template and tokenizer."""

    def render(
        self,
        asked: list[Asked],
        reasoning: bool | None,
        template: Mapping[str, Any] | None = None,
    ) -> list[str | EngineError]:
        """Render each item. Return an error in place of a text that cannot be rendered.

        Args:
            template: further arguments of the template, such as tools.
        """

    def encode(self, texts: list[str], most: int | None = None) -> Sequence[Sequence[int]]:
        """Tokenize each text. Long results may be compact arrays.

        Raises:
            TooLongError: the first has more tokens than `most`.
        """


class InProcess:
    """Reader that uses mlx-lm's tokenizer wrapper in this process."""

    def __init__(self, tokenizer: Any) -> None:
        self.tokenizer = tokenizer

    def render(
        self,
        asked: list[Asked],
        reasoning: bool | None,
        template: Mapping[str, Any] | None = None,
    ) -> list[str | EngineError]:
        tokenizer = self.tokenizer

        def apply(messages: list[Message], opening: bool, options: dict[str, Any]) -> str:
            return _apply(tokenizer, messages, opening, options)

        known = apply if tokenizer.has_chat_template else None
        bos = getattr(tokenizer, "bos_token", None) or ""
        return [render(known, bos, m, reasoning, opening, template) for m, opening in asked]

    def encode(self, texts: list[str], most: int | None = None) -> list[list[int]]:
        # The template has written any BOS token itself.
        encode, found = self.tokenizer.encode, list[list[int]]()
        for text in texts:
            found.append(
                pieces.tokens_across_gaps(lambda t: encode(t, add_special_tokens=False), text)
            )
            if most is not None and len(found[0]) > most:
                raise TooLongError(len(found[0]))
        return found


Apply = Callable[[list[Message], bool, dict[str, Any]], str]


def render(
    apply: Apply | None,
    bos: str,
    messages: list[Message],
    reasoning: bool | None,
    opening: bool,
    template: Mapping[str, Any] | None = None,
) -> str | EngineError:
    """Render messages with a model's template. Return an error if that fails.

    Args:
        apply: the template; None for models without one.
        bos: beginning of the text without a template.
        template: further arguments of the template.
    """
    if apply is None:
        return bos + _plain(messages, opening)
    options = {**(template or {})}
    moment = options.pop(MOMENT, None)
    if moment is not None:
        options["strftime_now"] = datetime.fromtimestamp(moment).strftime
    if reasoning is not None:
        options.setdefault("enable_thinking", reasoning)
    try:
        return strict_templates.adapted(
            lambda some, opened: apply(some, opened, options), messages, opening
        )
    except MemoryError:
        raise
    except Exception as error:
        return EngineError(
            TEMPLATE_ERROR,
            "The model's chat template could not take these messages: "
            f"{type(error).__name__}: {str(error)[:_MOST_WORDS]}",
        )


MOMENT = "_moment"
"""Template argument with the current time for its dates, in seconds since 1970."""

_MOST_WORDS = 1000  # characters of a template's error message


def _apply(tokenizer: Any, messages: list[Message], opening: bool, options: dict[str, Any]) -> str:
    # mlx-lm's wrapper enables reasoning for every model that supports it. For the template's own
    # default, call the inner tokenizer.
    inner = getattr(tokenizer, "_tokenizer", None)
    own = getattr(tokenizer, "_chat_template", None) is None  # no renderer of mlx-lm's
    if own and "enable_thinking" not in options and getattr(inner, "chat_template", None):
        tokenizer = inner
    # transformers passes only plain values to templates, so their time is the system clock.
    options = {name: value for name, value in options.items() if not callable(value)}
    if not own:  # renderers reject unknown arguments
        options = {name: options[name] for name in _RENDERERS if name in options}
    text = tokenizer.apply_chat_template(
        messages, tokenize=False, add_generation_prompt=opening, **options
    )
    return text if isinstance(text, str) else tokenizer.decode(text)


_RENDERERS = ("tools", "enable_thinking", "drop_thinking")


def _plain(messages: list[Message], opening: bool) -> str:
    """Return a transcript that a base model without a chat template can continue."""
    names = {"user": "User", "assistant": "Assistant", "system": "System"}
    turns = [f"{names.get(m['role'], m['role'])}: {text_of(m['content'])}\n" for m in messages]
    return "".join(turns) + ("Assistant:" if opening else "")


# -- template files -----------------------------------------------------------------------------

TEMPLATE_FOLDER = "additional_chat_templates"
"""Folder of named templates within a model's folder."""

DEFAULT, TOOLS = "default", "tool_use"
"""Names of templates that transformers supports."""


def template_arguments(folder: Path) -> dict[str, Any]:
    """Return tokenizer arguments with the template, if transformers would not find it.

    transformers reads `tokenizer_config.json`, `chat_template.jinja`, and
    `additional_chat_templates/`. It reads the older `chat_template.json` only for models with
    vision.
    """
    if (folder / "chat_template.jinja").exists() or (folder / TEMPLATE_FOLDER).exists():
        return {}
    if _template_of(folder / "tokenizer_config.json"):
        return {}
    found = _template_of(folder / "chat_template.json")
    return {"chat_template": found} if found else {}


def settle_template(tokenizer: Any) -> None:
    """Add a default to named templates, because transformers cannot choose among other names."""
    inner = getattr(tokenizer, "_tokenizer", tokenizer)
    named = getattr(inner, "chat_template", None)
    if isinstance(named, dict) and named and DEFAULT not in named:
        inner.chat_template = {DEFAULT: next(iter(named.values())), **named}


def _template_of(file: Path) -> Any:
    try:
        content = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return None  # reported when the file is needed
    return content.get("chat_template") if isinstance(content, dict) else None
