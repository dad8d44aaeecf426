"""Messages rendered by a model's own chat template, and text tokenised."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from engine.errors import CONTEXT_OVERFLOW, TEMPLATE_ERROR, EngineError
from engine.messages import Message


class TooLongError(EngineError):
    """A prompt has more tokens than it may have.

    Attributes:
        tokens: how many it has.
    """

    def __init__(self, tokens: int) -> None:
        super().__init__(CONTEXT_OVERFLOW, f"The conversation is {tokens:,} tokens long.")
        self.tokens = tokens


Asked = tuple[list[Message], bool]
"""Messages to render, and whether to open the answer after them."""


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
        """The text of each, or why there is none.

        Args:
            template: what the template is given beside the messages: tools, and names of its own.
        """
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
            found.append(list(encode(text, add_special_tokens=False)) if text else [])
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
    if reasoning is not None:
        options["enable_thinking"] = reasoning
    try:
        return apply(messages, opening, options)
    except MemoryError:
        raise
    except Exception as error:
        if len(messages) > 1 and messages[0]["role"] == "system":
            # Some templates know no system message; models of that kind are trained with the
            # instructions at the head of the first user message.
            try:
                return apply(_fold_system(messages), opening, options)
            except Exception:
                pass  # the first error says more
        return EngineError(
            TEMPLATE_ERROR,
            "The model's chat template could not take these messages: "
            f"{type(error).__name__}: {str(error)[:_MOST_WORDS]}",
        )


_MOST_WORDS = 1000  # characters of a template's own message


def _apply(tokenizer: Any, messages: list[Message], opening: bool, options: dict[str, Any]) -> str:
    # mlx-lm's wrapper turns reasoning on for every model that knows it. Here a session that does
    # not say leaves that to the template's own default, by asking the tokenizer inside.
    inner = getattr(tokenizer, "_tokenizer", None)
    own = getattr(tokenizer, "_chat_template", None) is None  # no renderer of mlx-lm's
    if own and "enable_thinking" not in options and getattr(inner, "chat_template", None):
        tokenizer = inner
    text = tokenizer.apply_chat_template(
        messages, tokenize=False, add_generation_prompt=opening, **options
    )
    return text if isinstance(text, str) else tokenizer.decode(text)


def _fold_system(messages: list[Message]) -> list[Message]:
    first, second, *rest = messages
    if second["role"] != "user":
        return messages
    return [{**second, "content": f"{first['content']}\n\n{second['content']}"}, *rest]


def _plain(messages: list[Message], opening: bool) -> str:
    """For models without a chat template: a transcript that a base model can continue."""
    names = {"user": "User", "assistant": "Assistant", "system": "System"}
    turns = [f"{names.get(m['role'], m['role'])}: {m['content'] or ''}\n" for m in messages]
    return "".join(turns) + ("Assistant:" if opening else "")
