"""Prompt tokens, built from messages with the model's chat template."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from msgspec import Struct

from engine.cache.ledger import Ledger, common_length
from engine.errors import INVALID_REQUEST, EngineError
from engine.messages import Message, RawPrompt, media_in, medium_of, reasoning_of, text_of
from engine.text import contents, pieces, recognition
from engine.text.images import Images, strip_images
from engine.text.rendering import InProcess, Reader, TooLongError
from engine.text.reply_text import ReplyText


class Prompt(Struct, frozen=True):
    tokens: list[int]  # prompt tokens, never empty
    # Rendered text, including the start of the reply if any. Special tokens within contents have
    # gaps (`engine.text.contents`), also in `opened`.
    text: str
    # Text and token positions shared with the previous conversation.
    known_positions: tuple[tuple[int, int], ...]
    # Number of tokens before the opening of the reply. Later prompts of the same chat start with
    # these tokens, even if the template drops parts of the reply.
    boundary: int
    system: int = 0  # number of leading tokens that depend only on the system message and tools
    answered: int = 0  # number of trailing tokens that contain the start of the reply
    opened: str = ""  # rendered text, without the start of the reply
    continues: bool = False  # the prompt already contains the start of the reply
    opening: str | None = None  # part of `opened` after the messages, if known

    def ledger(self, answer: str, generated: list[int]) -> Ledger:
        text, tokens = self.text + answer, [*self.tokens, *generated]
        ends = ((len(self.text), len(self.tokens)), (len(text), len(tokens)))
        return Ledger(text, tokens, (*self.known_positions, *ends))


def check_messages(messages: Any) -> list[Message]:
    """Return validated copies of messages.

    Raises:
        EngineError: if a message has no role, or its content isn't valid.
    """
    if not isinstance(messages, (list, tuple)) or not messages:
        raise EngineError(INVALID_REQUEST, "Send a text or a non-empty list of messages.")
    checked: list[Message] = []
    for number, message in enumerate(messages, 1):
        content: Any = message.get("content") if isinstance(message, dict) else 0
        listed = isinstance(content, (list, tuple))
        parts = [_read_part(part) for part in content] if listed else []
        if (
            not isinstance(message, dict)
            or not isinstance(message.get("role"), str)
            or not isinstance(content, (str, list, tuple, type(None)))
            or not all(map(_is_part, parts))
        ):
            raise EngineError(
                INVALID_REQUEST,
                f'Message {number} must look like {{"role": "user", "content": "…"}} with text.',
            )
        text = text_of(parts) if listed else str(content or "")
        has_media = any(part["type"] != "text" for part in parts)
        if has_media and message["role"] not in _SHOWING:
            raise EngineError(
                INVALID_REQUEST,
                f"Message {number} has an image or a recording. Only the roles user and tool may "
                "send these.",
            )
        if not pieces.is_unicode(text):
            raise EngineError(INVALID_REQUEST, f"Message {number} contains an unpaired surrogate.")
        checked.append(
            {**message, "content": parts if has_media else text} if listed else {**message}
        )
    return checked


_SHOWING = ("user", "tool")
"""Roles that may have images in their messages. Templates only support these."""


def _read_part(part: Any) -> Any:
    text = part.get("text") if isinstance(part, dict) else None
    return {**part, "text": text()} if callable(text) else part


def _is_part(part: Any) -> bool:
    kind = part.get("type") if isinstance(part, dict) else None
    return medium_of(part) is not None or (kind == "text" and isinstance(part.get("text"), str))


def build_prompt(
    tokenizer: Any,
    messages: list[Message],
    reasoning: bool | None,
    before: Ledger | Callable[[str], Ledger],
    reader: Reader | None = None,
    max_tokens: int | None = None,
    template: Mapping[str, Any] | None = None,
    images: Images | None = None,
) -> Prompt:
    """Render and tokenize messages. Where the text is the same, tokens of `before` are reused.

    If the last message is from the assistant, the reply continues it.

    Args:
        before: previous conversation, or a function that returns it for the rendered text.
        images: images in the messages. None if the model has no vision.

    Raises:
        EngineError: `template_error`, with the template's message.
        TooLongError: if there are more than `max_tokens` tokens.
    """
    reader = reader or InProcess(tokenizer)
    prefill: Message | None = None
    if messages[-1]["role"] == "assistant" and len(messages) > 1:
        *messages, prefill = messages
    inert = contents.of(tokenizer)
    if images is not None:
        for word in images.words:
            inert = inert.with_mark(word)
        images = images if images.ids else None
    rendered = _render(tokenizer, inert, reader, messages, reasoning, template or {}, images)
    opened, opening = rendered.opened, rendered.opening
    before = before if isinstance(before, Ledger) else before(opened)
    text = opened
    if prefill:
        start = _reply_start(tokenizer, inert, prefill, opened, opening, before)
        text += start if images is None else images.remove_marks(start)
    known_positions = before.match(text)
    known_characters, known_tokens = known_positions[-1] if known_positions else (0, 0)
    rest = text[known_characters:]
    ending = rendered.closed if opening is None else opening
    # Number of tokens of `opened`, if known.
    opened_tokens = dict(known_positions).get(len(opened))
    texts = [rest, ending]
    if len(text) > len(opened) and opened_tokens is None:
        texts.append(opened)
    other: str | None = None
    if rendered.other is not None and not known_positions:
        other = _raise_if_error(rendered.other)
        other = other if images is None else images.remove_marks(other)
        texts.append(other)
    try:
        room = None if max_tokens is None else max_tokens - known_tokens
        ids = _encode(reader, texts, room, images)
    except TooLongError as error:
        raise TooLongError(known_tokens + error.tokens) from None
    tokens = pieces.concatenate(before.tokens[:known_tokens], ids[rest])
    if not tokens:
        raise EngineError(INVALID_REQUEST, "The message is empty. Write something first.")
    answered = 0
    if len(text) > len(opened):
        opened_tokens = len(ids[opened]) if opened_tokens is None else opened_tokens
        answered = max(0, len(tokens) - opened_tokens)
    if opening is not None:
        boundary = len(tokens) - answered - len(ids[ending])
    else:
        boundary = _common_tokens(tokens, ids[ending])
    last = len(tokens) - 1
    return Prompt(
        tokens,
        text,
        known_positions,
        boundary=max(0, min(boundary, last)),
        system=0 if other is None else min(_common_tokens(tokens, ids[other]), last),
        answered=answered,
        opened=opened,
        continues=prefill is not None,
        opening=opening,
    )


def _common_tokens(tokens: list[int], ids: Sequence[int]) -> int:
    return common_length(tokens, list(ids[: len(tokens)]))


def _encode(
    reader: Reader, texts: Sequence[str], max_tokens: int | None, images: Images | None
) -> dict[str, Sequence[int]]:
    """Return the ids of each text. The limit applies to the first text."""
    texts = list(dict.fromkeys(texts))
    if images is None:
        return dict(zip(texts, reader.encode(texts, max_tokens), strict=True))
    id_lists = reader.encode([images.restore_placeholders(text) for text in texts], max_tokens)
    expanded = {
        text: images.expand_tokens(text, ids) for text, ids in zip(texts, id_lists, strict=True)
    }
    if max_tokens is not None and len(expanded[texts[0]]) > max_tokens:
        raise TooLongError(len(expanded[texts[0]]))
    return expanded


class _RenderedPrompt(Struct, frozen=True):
    opened: str  # the messages, and the opening of a reply
    closed: str  # only the messages, as later prompts begin
    opening: str | None  # part of `opened` after `closed`; None if `opened` continues differently
    # Rendering of another conversation with the same system message and tools, or its error.
    other: str | EngineError | None


def _render(
    tokenizer: Any,
    inert: contents.GapInserter,
    reader: Reader,
    messages: list[Message],
    reasoning: bool | None,
    template: Mapping[str, Any],
    images: Images | None,
) -> _RenderedPrompt:
    digests = [part.digest for part in media_in(messages)] if images is not None else []
    messages = strip_images(messages) if digests else messages
    options, messages = recognition.of(tokenizer).prepare(reasoning, template, messages)
    messages, options = inert.insert_in_messages(messages), inert.insert_in(options)
    without_tools = _other_chat(messages, bool(options.get("tools")))
    extra = [(without_tools, True)] if without_tools else []
    rendered = reader.render([(messages, True), (messages, False), *extra], reasoning, options)
    parted = inert.split_names(messages, options)
    if parted is not None:  # check whether the template turns names into marks
        parted_messages, values = parted
        without = reader.render(
            [(parted_messages, True), (parted_messages, False), *extra], reasoning, values
        )
        if _has_fewer_marks(inert, without, rendered):
            messages, options, rendered = parted_messages, values, without
    opened, closed = _raise_if_error(rendered[0]), _raise_if_error(rendered[1])
    if images is not None:
        opened, closed = images.insert_marks(opened, digests), images.insert_marks(closed, digests)
    opening = None
    if opened.startswith(closed) and len(closed) < len(opened):
        opening = opened[len(closed) :]
    else:  # the template opens either all answers or none, so check how later prompts continue
        answered = [*messages, {"role": "assistant", "content": "·"}]
        (after,) = reader.render([(answered, False)], reasoning, options)
        if not isinstance(after, EngineError):
            closed = after if images is None else images.insert_marks(after, digests)
    return _RenderedPrompt(opened, closed, opening, rendered[2] if without_tools else None)


def _raise_if_error(text: str | EngineError) -> str:
    if isinstance(text, EngineError):
        raise EngineError(text.code, pieces.remove_gaps(text.message))
    return text


def _has_fewer_marks(
    inert: contents.GapInserter,
    own_texts: list[str | EngineError],
    other_texts: list[str | EngineError],
) -> bool:
    if any(isinstance(text, EngineError) for text in (*own_texts, *other_texts)):
        return False
    return inert.count_marks(_raise_if_error(own_texts[0])) < inert.count_marks(
        _raise_if_error(other_texts[0])
    )


def _reply_start(
    tokenizer: Any,
    inert: contents.GapInserter,
    prefill: Message,
    opened: str,
    opening: str | None,
    before: Ledger,
) -> str:
    content, thought = prefill.get("content") or "", reasoning_of(prefill)
    if before.text.startswith(opened) and len(before.text) > len(opened):
        reply = before.text[len(opened) :]
        text = ReplyText(tokenizer, opened, opening=opening)
        text.add_interrupted(pieces.remove_gaps(reply))
        parts = text.parts
        if parts["answer"] == content and parts["reasoning"].rstrip("\n") == thought.rstrip("\n"):
            return reply  # keep markers and line breaks unchanged
    dialect = recognition.of(tokenizer)
    inside = recognition.opens_reasoning(dialect.markers, opened, opening)
    return dialect.begin(inert.insert(str(thought)), inert.insert(str(content), True), inside)


def _other_chat(messages: list[Message], tools: bool) -> list[Message] | None:
    count = int(messages[0]["role"] == "system")
    if len(messages) <= count or not (count or tools):
        return None
    content = messages[count].get("content") or ""
    if not isinstance(content, str):
        content = text_of(content)
    return [*messages[:count], {"role": "user", "content": "b" if content.startswith("a") else "a"}]


def build_raw_prompt(
    tokenizer: Any, raw: RawPrompt, reader: Reader | None, max_tokens: int, marks: bool = True
) -> Prompt:
    """Return a prompt from text or token ids, without a template.

    Args:
        marks: True if special tokens in the text count as such, for callers that write the
            template's part themselves. False for embeddings.

    Raises:
        TooLongError: if there are more than `max_tokens` tokens.
    """
    if raw.text is None:
        tokens = list(raw.tokens)
    else:
        text = pieces.escape_gaps(raw.text) if marks else contents.of(tokenizer).insert(raw.text)
        (ids,) = (reader or InProcess(tokenizer)).encode([text], max_tokens)
        tokens = [*_leading_ids(tokenizer), *ids]
    if not tokens:
        raise EngineError(INVALID_REQUEST, "The prompt is empty. Send some text to continue.")
    if len(tokens) > max_tokens:
        raise TooLongError(len(tokens))
    return Prompt(tokens, raw.text or "", (), len(tokens) - 1)


def _leading_ids(tokenizer: Any) -> list[int]:
    full, bare = tokenizer.encode("a"), tokenizer.encode("a", add_special_tokens=False)
    for start in range(len(full) - len(bare) + 1):
        if bare and full[start : start + len(bare)] == bare:
            return list(full[:start])
    return []
