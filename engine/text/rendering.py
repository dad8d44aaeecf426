"""Messages rendered by a model's own chat template, and text tokenised."""

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
    """A prompt has more tokens than it may have."""

    def __init__(self, tokens: int) -> None:
        super().__init__(CONTEXT_OVERFLOW, f"The conversation is {tokens:,} tokens long.")
        self.tokens = tokens  # how many it has


Asked = tuple[list[Message], bool]  # messages to render, and whether to open the answer after them


class Reader(Protocol):
    """Whoever renders messages and tokenises text, by a model's template and tokenizer."""

    def render(
        self,
        asked: list[Asked],
        reasoning: bool | None,
        template: Mapping[str, Any] | None = None,
    ) -> list[str | EngineError]:
        """The text of each, or why there is none.

        Args:
            template: what the template is given beside the messages: tools, and names of its own.
        """

    def encode(self, texts: list[str], most: int | None = None) -> Sequence[Sequence[int]]:
        """The tokens of each; compact ones where they are many.

        Raises:
            TooLongError: the first has more than `most`.
        """


class InProcess:
    """The reader that does it here and now, with mlx-lm's wrapper of the tokenizer."""

    def __init__(self, tokenizer: Any) -> None:
        self.tokenizer = tokenizer

    def render(
        self,
        asked: list[Asked],
        reasoning: bool | None,
        template: Mapping[str, Any] | None = None,
    ) -> list[str | EngineError]:
        """As `Reader.render`."""
        tokenizer = self.tokenizer

        def apply(messages: list[Message], opening: bool, options: dict[str, Any]) -> str:
            return _apply(tokenizer, messages, opening, options)

        known = apply if tokenizer.has_chat_template else None
        bos = getattr(tokenizer, "bos_token", None) or ""
        return [render(known, bos, m, reasoning, opening, template) for m, opening in asked]

    def encode(self, texts: list[str], most: int | None = None) -> list[list[int]]:
        """The tokens of each; `TooLongError` where the first has more than `most`."""
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
    """The text of messages by a model's template, or why there is none.

    Args:
        apply: the template; None for models that have none.
        bos: what the text begins with then.
        template: what it is given beside the messages.
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
"""In what a template is given: the seconds since 1970 that are its present, for its dates."""

_MOST_WORDS = 1000  # characters of a template's own message


def _apply(tokenizer: Any, messages: list[Message], opening: bool, options: dict[str, Any]) -> str:
    # mlx-lm's wrapper turns reasoning on for every model that knows it. Here a session that does
    # not say leaves that to the template's own default, by asking the tokenizer inside.
    inner = getattr(tokenizer, "_tokenizer", None)
    own = getattr(tokenizer, "_chat_template", None) is None  # no renderer of mlx-lm's
    if own and "enable_thinking" not in options and getattr(inner, "chat_template", None):
        tokenizer = inner
    # transformers shows templates plain values only, so here the time is that of the clock.
    options = {name: value for name, value in options.items() if not callable(value)}
    if not own:  # whose renderers refuse what they do not know
        options = {name: options[name] for name in _RENDERERS if name in options}
    text = tokenizer.apply_chat_template(
        messages, tokenize=False, add_generation_prompt=opening, **options
    )
    return text if isinstance(text, str) else tokenizer.decode(text)


_RENDERERS = ("tools", "enable_thinking", "drop_thinking")


def _plain(messages: list[Message], opening: bool) -> str:
    """For models without a chat template: a transcript that a base model can continue."""
    names = {"user": "User", "assistant": "Assistant", "system": "System"}
    turns = [f"{names.get(m['role'], m['role'])}: {text_of(m['content'])}\n" for m in messages]
    return "".join(turns) + ("Assistant:" if opening else "")


# -- templates where models keep them -----------------------------------------------------------

TEMPLATE_FOLDER = "additional_chat_templates"
"""A folder in the model's: its templates are files, named as they are."""

DEFAULT, TOOLS = "default", "tool_use"
"""The names that transformers knows, of templates that have some."""


def template_arguments(folder: Path) -> dict[str, Any]:
    """What a tokenizer is loaded with so that it has its template; mostly nothing.

    transformers reads `tokenizer_config.json`, `chat_template.jinja` and
    `additional_chat_templates/`. The older `chat_template.json`, which it reads for models with
    pictures only, is read here.
    """
    if (folder / "chat_template.jinja").exists() or (folder / TEMPLATE_FOLDER).exists():
        return {}
    if _template_of(folder / "tokenizer_config.json"):
        return {}
    found = _template_of(folder / "chat_template.json")
    return {"chat_template": found} if found else {}


def settle_template(tokenizer: Any) -> None:
    """Give named templates a default one: transformers refuses to choose among other names."""
    inner = getattr(tokenizer, "_tokenizer", tokenizer)
    named = getattr(inner, "chat_template", None)
    if isinstance(named, dict) and named and DEFAULT not in named:
        inner.chat_template = {DEFAULT: next(iter(named.values())), **named}


def _template_of(file: Path) -> Any:
    try:
        content = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return None  # whoever needs the file says what is wrong with it
    return content.get("chat_template") if isinstance(content, dict) else None
