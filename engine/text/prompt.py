"""From messages to the tokens of a prompt, by the model's own chat template."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from engine.errors import INVALID_REQUEST, TEMPLATE_ERROR, EngineError
from engine.kv.ledger import Ledger, common_prefix
from engine.messages import Message
from engine.text.text import Markers, ReplyText


@dataclass(frozen=True)
class Prompt:
    """A prompt ready to be read.

    Attributes:
        tokens: its ids; never empty.
        text: what the template rendered, and the beginning of the answer where there is one.
        opened: what the template rendered alone.
        known: the borders of text and tokens that it has in common with the conversation before.
        border: how many of the tokens come before the opening of the answer. A later prompt of
            the same chat begins with these, whatever its template drops from the answer.
        system: how many of them any chat with the same system message begins with.
        answered: how many of them, at the end, are the beginning of the answer itself.
        continues: whether there is such a beginning.
    """

    tokens: list[int]
    text: str
    known: tuple[tuple[int, int], ...]
    border: int
    system: int = 0
    answered: int = 0
    opened: str = ""
    continues: bool = False

    def ledger(self, answer: str, generated: list[int]) -> Ledger:
        """The conversation after an answer of that text and those tokens."""
        text, tokens = self.text + answer, [*self.tokens, *generated]
        ends = ((len(self.text), len(self.tokens)), (len(text), len(tokens)))
        return Ledger(text, tokens, (*self.known, *ends))


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
        if not _is_unicode(message.get("content") or ""):
            raise EngineError(INVALID_REQUEST, f"Message {number} holds half a character.")
    return [dict(m) for m in messages]


def _is_unicode(text: str) -> bool:
    """Whether a text can be encoded: lone surrogates cannot, and tokenizers fail over them."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def build(
    tokenizer: Any, messages: list[Message], reasoning: bool | None, before: Ledger
) -> Prompt:
    """Render `messages` and turn them into tokens, those of `before` where the text is the same.

    Messages that end with one of the assistant's ask for that one to be continued.

    Raises:
        EngineError: `template_error` with the template's own words.
    """
    begun: Message | None = None
    if messages[-1]["role"] == "assistant" and len(messages) > 1:
        *messages, begun = messages
    opened = _render(tokenizer, messages, reasoning, opening=True)
    closed = _render(tokenizer, messages, reasoning, opening=False)
    text = opened + (_begun(tokenizer, begun, opened, before) if begun else "")
    known = before.match(text)
    characters, count = known[-1] if known else (0, 0)
    tokens = [*before.tokens[:count], *_encode(tokenizer, text[characters:])]
    answered = 0
    if len(text) > len(opened):
        cuts = dict(known)
        first = cuts.get(len(opened))
        answered = len(tokens) - (first if first is not None else len(_encode(tokenizer, opened)))
    if not tokens:
        raise EngineError(INVALID_REQUEST, "The message is empty. Write something first.")
    border = len(tokens)
    if opened.startswith(closed) and len(closed) < len(opened):
        border -= max(0, answered) + len(_encode(tokenizer, opened[len(closed) :]))
    else:
        border = common_prefix(tokens, _encode(tokenizer, closed))
    system = 0 if known else _system_border(tokenizer, messages, reasoning, tokens)
    last = len(tokens) - 1
    return Prompt(
        tokens,
        text,
        known,
        max(0, min(border, last)),
        min(system, last),
        max(0, answered),
        opened,
        begun is not None,
    )


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


def _system_border(
    tokenizer: Any, messages: list[Message], reasoning: bool | None, tokens: list[int]
) -> int:
    """How far `tokens` are the same for another chat with the same system message."""
    if messages[0]["role"] != "system" or len(messages) < 2:
        return 0
    said = messages[1]["content"] or ""
    other = [messages[0], {"role": "user", "content": "b" if said.startswith("a") else "a"}]
    return common_prefix(tokens, _encode(tokenizer, _render(tokenizer, other, reasoning, True)))


def _encode(tokenizer: Any, text: str) -> list[int]:
    # The template has written any BOS token itself.
    return list(tokenizer.encode(text, add_special_tokens=False)) if text else []


def _render(tokenizer: Any, messages: list[Message], reasoning: bool | None, opening: bool) -> str:
    if not tokenizer.has_chat_template:
        return (getattr(tokenizer, "bos_token", None) or "") + _plain(messages, opening)
    options = {} if reasoning is None else {"enable_thinking": reasoning}
    try:
        return _apply(tokenizer, messages, opening, options)
    except Exception as error:
        if len(messages) > 1 and messages[0]["role"] == "system":
            # Some templates know no system message; models of that kind are trained with the
            # instructions at the head of the first user message.
            try:
                return _apply(tokenizer, _fold_system(messages), opening, options)
            except Exception:
                pass  # the first error says more
        raise EngineError(
            TEMPLATE_ERROR,
            "The model's chat template could not take these messages: "
            f"{type(error).__name__}: {error}",
        ) from None


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
