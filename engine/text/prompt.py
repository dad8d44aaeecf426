"""From messages to the tokens of a prompt, by the model's own chat template."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from engine.errors import CONTEXT_OVERFLOW, INVALID_REQUEST, TEMPLATE_ERROR, EngineError
from engine.kv.ledger import Ledger, common_prefix
from engine.messages import Message
from engine.text import pieces
from engine.text.text import Markers, ReplyText


@dataclass(frozen=True)
class Prompt:
    """A prompt ready to be read.

    Attributes:
        tokens: its ids; never empty.
        text: what the template rendered, and the beginning of the answer where there is one.
        opened: what the template rendered alone.
        known: the boundaries of text and tokens that it has in common with the conversation before.
        boundary: how many of the tokens come before the opening of the answer. A later prompt of
            the same chat begins with these, whatever its template drops from the answer.
        system: how many of them any chat with the same system message begins with.
        answered: how many of them, at the end, are the beginning of the answer itself.
        continues: whether there is such a beginning.
    """

    tokens: list[int]
    text: str
    known: tuple[tuple[int, int], ...]
    boundary: int
    system: int = 0
    answered: int = 0
    opened: str = ""
    continues: bool = False

    def ledger(self, answer: str, generated: list[int]) -> Ledger:
        """The conversation after an answer of that text and those tokens."""
        text, tokens = self.text + answer, [*self.tokens, *generated]
        ends = ((len(self.text), len(self.tokens)), (len(text), len(tokens)))
        return Ledger(text, tokens, (*self.known, *ends))


class TooLongError(EngineError):
    """A prompt has more tokens than it may have.

    Attributes:
        tokens: how many it has.
    """

    def __init__(self, tokens: int) -> None:
        super().__init__(CONTEXT_OVERFLOW, f"The conversation is {tokens:,} tokens long.")
        self.tokens = tokens


def check_messages(messages: Any) -> list[Message]:
    """`messages` as a list of dicts with a role and a content; `EngineError` where they are not."""
    if not isinstance(messages, (list, tuple)) or not messages:
        raise EngineError(INVALID_REQUEST, "Send a text or a non-empty list of messages.")
    for number, message in enumerate(messages, 1):
        if (
            not isinstance(message, dict)
            or not isinstance(message.get("role"), str)
            or not isinstance(message.get("content"), (str, type(None)))
        ):
            raise EngineError(
                INVALID_REQUEST,
                f'Message {number} must look like {{"role": "user", "content": "…"}} with text.',
            )
        if not pieces.is_unicode(message.get("content") or ""):
            raise EngineError(INVALID_REQUEST, f"Message {number} holds half a character.")
    return [dict(m) for m in messages]


Asked = tuple[list[Message], bool]
"""Messages to render, and whether to open the answer after them."""


class Reader(Protocol):
    """Whoever renders messages and tokenises text, by a model's template and tokenizer."""

    def render(self, asked: list[Asked], reasoning: bool | None) -> list[str | EngineError]:
        """The text of each, or why there is none."""

    def encode(self, texts: list[str], most: int | None = None) -> Sequence[Sequence[int]]:
        """The tokens of each; compact ones where they are many.

        Raises:
            TooLongError: the first has more than `most`.
        """


class InProcess:
    """The reader that does it here and now, with mlx-lm's wrapper of the tokenizer."""

    def __init__(self, tokenizer: Any) -> None:
        self.tokenizer = tokenizer

    def render(self, asked: list[Asked], reasoning: bool | None) -> list[str | EngineError]:
        """The text of each, or why there is none."""
        tokenizer = self.tokenizer

        def apply(messages: list[Message], opening: bool, options: dict[str, Any]) -> str:
            return _apply(tokenizer, messages, opening, options)

        known = apply if tokenizer.has_chat_template else None
        bos = getattr(tokenizer, "bos_token", None) or ""
        return [render(known, bos, messages, reasoning, opening) for messages, opening in asked]

    def encode(self, texts: list[str], most: int | None = None) -> list[list[int]]:
        """The tokens of each; `TooLongError` where the first has more than `most`."""
        # The template has written any BOS token itself.
        encode, found = self.tokenizer.encode, list[list[int]]()
        for text in texts:
            found.append(list(encode(text, add_special_tokens=False)) if text else [])
            if most is not None and len(found[0]) > most:
                raise TooLongError(len(found[0]))
        return found


def build(
    tokenizer: Any,
    messages: list[Message],
    reasoning: bool | None,
    before: Ledger,
    reader: Reader | None = None,
    most: int | None = None,
) -> Prompt:
    """Render `messages` and turn them into tokens, those of `before` where the text is the same.

    Messages that end with one of the assistant's ask for that one to be continued.

    Args:
        reader: who renders and tokenises; without one it is done here.
        most: tokens that the prompt may have.

    Raises:
        EngineError: `template_error` with the template's own words.
        TooLongError: it has more tokens than `most`.
    """
    reader = reader or InProcess(tokenizer)
    begun: Message | None = None
    if messages[-1]["role"] == "assistant" and len(messages) > 1:
        *messages, begun = messages
    other = _same_system(messages)
    asked = [(messages, True), (messages, False)] + ([(other, True)] if other else [])
    rendered = reader.render(asked, reasoning)
    opened, closed = _sure(rendered[0]), _sure(rendered[1])
    text = opened + (_begun(tokenizer, begun, opened, before) if begun else "")
    known = before.match(text)
    characters, count = known[-1] if known else (0, 0)
    first = dict(known).get(len(opened))
    follows = opened.startswith(closed) and len(closed) < len(opened)
    ending = opened[len(closed) :] if follows else closed
    main, wanted = text[characters:], {ending}
    if len(text) > len(opened) and first is None:
        wanted.add(opened)
    if other and not known:
        wanted.add(_sure(rendered[2]))
    in_order = [main, *(wanted - {main})]
    try:
        found = reader.encode(in_order, None if most is None else most - count)
    except TooLongError as error:
        raise TooLongError(count + error.tokens) from None
    ids = dict(zip(in_order, found, strict=True))
    tokens = pieces.listed(before.tokens[:count], ids[main])
    answered = 0
    if len(text) > len(opened):
        answered = len(tokens) - (first if first is not None else len(ids[opened]))
    if not tokens:
        raise EngineError(INVALID_REQUEST, "The message is empty. Write something first.")
    if follows:
        boundary = len(tokens) - max(0, answered) - len(ids[ending])
    else:
        boundary = common_prefix(tokens, list(ids[closed][: len(tokens)]))
    system = 0
    if other and not known:
        system = common_prefix(tokens, list(ids[_sure(rendered[2])][: len(tokens)]))
    last = len(tokens) - 1
    return Prompt(
        tokens,
        text,
        known,
        max(0, min(boundary, last)),
        min(system, last),
        max(0, answered),
        opened,
        begun is not None,
    )


def _sure(text: str | EngineError) -> str:
    if isinstance(text, EngineError):
        raise text
    return text


def _begun(tokenizer: Any, begun: Message, opened: str, before: Ledger) -> str:
    """The beginning of an answer as the model wrote it, or would have written it."""
    content, thought = begun.get("content") or "", begun.get("reasoning_content") or ""
    markers = Markers.of(tokenizer)
    if before.text.startswith(opened) and len(before.text) > len(opened):
        written = before.text[len(opened) :]
        text = ReplyText(tokenizer, opened)
        text.take(written)
        if text.parts["answer"] == content and text.parts["reasoning"] == thought:
            return written  # markers and line breaks as they were
    if not markers.think_end:
        return str(content)
    if markers.opens_reasoning(opened):
        inside = str(thought)
    else:
        inside = f"{markers.think_start}\n{thought}" if thought else ""
        if not inside:
            return str(content)
    if not content:
        return inside
    return f"{inside.rstrip()}\n{markers.think_end}\n\n{content}"


def _same_system(messages: list[Message]) -> list[Message] | None:
    """What another chat with the same system message might send, to see what both begin with."""
    if messages[0]["role"] != "system" or len(messages) < 2:
        return None
    said = messages[1]["content"] or ""
    return [messages[0], {"role": "user", "content": "b" if said.startswith("a") else "a"}]


Apply = Callable[[list[Message], bool, dict[str, Any]], str]


def render(
    apply: Apply | None, bos: str, messages: list[Message], reasoning: bool | None, opening: bool
) -> str | EngineError:
    """The text of messages by a model's template, or why there is none.

    Args:
        apply: the template; None for models that have none.
        bos: what the text begins with then.
    """
    if apply is None:
        return bos + _plain(messages, opening)
    options = {} if reasoning is None else {"enable_thinking": reasoning}
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
    if own and not options and getattr(inner, "chat_template", None):
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
