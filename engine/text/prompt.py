"""Build prompt tokens from messages using the model's chat template."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct

from engine.cache.ledger import Ledger, common_prefix
from engine.errors import INVALID_REQUEST, EngineError
from engine.messages import Message, RawPrompt, media_in, medium_of, reasoning_of, text_of
from engine.text import contents, pieces, recognition
from engine.text.images import Images, images_as_words
from engine.text.rendering import InProcess, Reader, TooLongError
from engine.text.reply_text import ReplyText


class Prompt(Struct, frozen=True):
    """A tokenized prompt, ready for prefill."""

    tokens: list[int]  # prompt tokens, never empty
    # Rendered text, including the start of the reply if any. Special tokens within contents have
    # gaps (`engine.text.contents`), also in `opened`.
    text: str
    # Text and token positions shared with the previous conversation.
    known: tuple[tuple[int, int], ...]
    # Number of tokens before the opening of the reply. Later prompts of the same chat start with
    # these tokens, even if the template drops parts of the reply.
    boundary: int
    system: int = 0  # number of leading tokens that depend only on the system message and tools
    answered: int = 0  # number of trailing tokens that contain the start of the reply
    opened: str = ""  # rendered text, without the start of the reply
    continues: bool = False  # the prompt already contains the start of the reply
    opening: str | None = None  # part of `opened` after the messages, if known

    def ledger(self, answer: str, generated: list[int]) -> Ledger:
        """Return the ledger after the model has added a reply."""
        text, tokens = self.text + answer, [*self.tokens, *generated]
        ends = ((len(self.text), len(self.tokens)), (len(text), len(tokens)))
        return Ledger(text, tokens, (*self.known, *ends))


def check_messages(messages: Any) -> list[Message]:
    """Validate messages and copy them.

    Contents are converted to strings, except if they have images or recordings.

    Raises:
        EngineError: if a message has no role, or its content isn't valid.
    """
    if not isinstance(messages, (list, tuple)) or not messages:
        raise EngineError(INVALID_REQUEST, "Send a text or a non-empty list of messages.")
    checked: list[Message] = []
    for number, message in enumerate(messages, 1):
        content: Any = message.get("content") if isinstance(message, dict) else 0
        listed = isinstance(content, (list, tuple))
        parts = [_read(part) for part in content] if listed else []
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
        seen = any(part["type"] != "text" for part in parts)
        if seen and message["role"] not in _SHOWING:
            raise EngineError(
                INVALID_REQUEST,
                f"Message {number} has an image or a recording. Only the roles user and tool may "
                "send these.",
            )
        if not pieces.is_unicode(text):
            raise EngineError(INVALID_REQUEST, f"Message {number} contains an unpaired surrogate.")
        checked.append({**message, "content": parts if seen else text} if listed else {**message})
    return checked


_SHOWING = ("user", "tool")
"""Roles that may have images in their messages. Templates don't support them anywhere else."""


def _read(part: Any) -> Any:
    text = part.get("text") if isinstance(part, dict) else None
    return {**part, "text": text()} if callable(text) else part


def _is_part(part: Any) -> bool:
    kind = part.get("type") if isinstance(part, dict) else None
    return medium_of(part) is not None or (kind == "text" and isinstance(part.get("text"), str))


def build(
    tokenizer: Any,
    messages: list[Message],
    reasoning: bool | None,
    before: Ledger,
    reader: Reader | None = None,
    most: int | None = None,
    template: Mapping[str, Any] | None = None,
    images: Images | None = None,
) -> Prompt:
    """Render and tokenize messages. Where the text is the same, tokens of `before` are reused.

    If the last message is from the assistant, the reply continues it.

    Args:
        reader: does the rendering and tokenizing (default: in this process).
        most: maximum number of tokens.
        template: extra template arguments, e.g. tools.
        images: the images in the messages. None if the model can't see.

    Raises:
        EngineError: `template_error`, with the message the template raised.
        TooLongError: if there are more than `most` tokens.
    """
    reader = reader or InProcess(tokenizer)
    begun: Message | None = None
    if messages[-1]["role"] == "assistant" and len(messages) > 1:
        *messages, begun = messages
    inert = contents.of(tokenizer)
    if images is not None:
        for word in images.words:
            inert = inert.besides(word)
        images = images if images.ids else None
    rendered = _render(tokenizer, inert, reader, messages, reasoning, template or {}, images)
    opened, opening = rendered.opened, rendered.opening
    text = opened
    if begun:
        answer = _begun(tokenizer, inert, begun, opened, opening, before)
        text += answer if images is None else images.unmarked(answer)
    known = before.match(text)
    characters, count = known[-1] if known else (0, 0)
    first = dict(known).get(len(opened))
    ending = rendered.closed if opening is None else opening
    main, wanted = text[characters:], {ending}
    if len(text) > len(opened) and first is None:
        wanted.add(opened)
    other = _sure(rendered.other) if rendered.other is not None and not known else None
    if other is not None:
        other = other if images is None else images.unmarked(other)
        wanted.add(other)
    in_order = [main, *(wanted - {main})]
    try:
        room = None if most is None else most - count
        if images is None:
            found = reader.encode(in_order, room)
        else:
            found = _encode_marked(reader, in_order, room, images)
    except TooLongError as error:
        raise TooLongError(count + error.tokens) from None
    ids = dict(zip(in_order, found, strict=True))
    tokens = pieces.listed(before.tokens[:count], ids[main])
    answered = 0
    if len(text) > len(opened):
        answered = len(tokens) - (first if first is not None else len(ids[opened]))
    if not tokens:
        raise EngineError(INVALID_REQUEST, "The message is empty. Write something first.")
    if opening is not None:
        boundary = len(tokens) - max(0, answered) - len(ids[ending])
    else:
        boundary = common_prefix(tokens, list(ids[ending][: len(tokens)]))
    system = 0
    if other is not None:
        system = common_prefix(tokens, list(ids[other][: len(tokens)]))
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
        opening,
    )


def _encode_marked(
    reader: Reader, texts: list[str], most: int | None, images: Images
) -> Sequence[Sequence[int]]:
    """Tokenize texts with images. Raises `TooLongError` if the first text exceeds `most` tokens."""
    found = reader.encode([images.as_words(text) for text in texts], most)
    made = [images.tokens(text, ids) for text, ids in zip(texts, found, strict=True)]
    if most is not None and len(made[0]) > most:
        raise TooLongError(len(made[0]))
    return made


class _RenderedPrompt(Struct, frozen=True):
    """A rendered conversation.

    Attributes:
        opened, opening: see `Prompt`.
        closed: prefix that it has in common with later prompts of the chat.
        other: a different chat with the same system message and tools, if any.
    """

    opened: str
    closed: str
    opening: str | None
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
    digests = [one.digest for one in media_in(messages)] if images is not None else []
    messages = images_as_words(messages) if digests else messages
    given, messages = recognition.of(tokenizer).prepared(reasoning, template, messages)
    messages, given = inert.messages(messages), inert.values(given)
    other = _same_system(messages, bool(given.get("tools")))
    more = [(other, True)] if other else []
    rendered = reader.render([(messages, True), (messages, False), *more], reasoning, given)
    parted = inert.parted(messages, given)
    if parted is not None:  # check whether the template turns names into marks
        named, values = parted
        without = reader.render([(named, True), (named, False), *more], reasoning, values)
        if _fewer(inert, without, rendered):
            messages, given, rendered = named, values, without
    opened, closed = _sure(rendered[0]), _sure(rendered[1])
    if images is not None:
        opened, closed = images.mark(opened, digests), images.mark(closed, digests)
    opening = None
    if opened.startswith(closed) and len(closed) < len(opened):
        opening = opened[len(closed) :]
    else:  # the template opens either all answers or none, so check how later prompts continue
        answered = [*messages, {"role": "assistant", "content": "·"}]
        (after,) = reader.render([(answered, False)], reasoning, given)
        if not isinstance(after, EngineError):
            closed = after if images is None else images.mark(after, digests)
    return _RenderedPrompt(opened, closed, opening, rendered[2] if other else None)


def _sure(text: str | EngineError) -> str:
    if isinstance(text, EngineError):
        raise EngineError(text.code, pieces.without_gaps(text.message))
    return text


def _fewer(
    inert: contents.GapInserter, some: list[str | EngineError], others: list[str | EngineError]
) -> bool:
    """Compare the number of marks: True if `some` texts have fewer than `others`."""
    if any(isinstance(text, EngineError) for text in (*some, *others)):
        return False
    return inert.count(_sure(some[0])) < inert.count(_sure(others[0]))


def _begun(
    tokenizer: Any,
    inert: contents.GapInserter,
    begun: Message,
    opened: str,
    opening: str | None,
    before: Ledger,
) -> str:
    """Return the start of a reply, the way the model wrote it or would have written it."""
    content, thought = begun.get("content") or "", reasoning_of(begun)
    if before.text.startswith(opened) and len(before.text) > len(opened):
        written = before.text[len(opened) :]
        text = ReplyText(tokenizer, opened, opening=opening)
        text.add_interrupted(pieces.without_gaps(written))
        parts = text.parts
        if parts["answer"] == content and parts["reasoning"].rstrip("\n") == thought.rstrip("\n"):
            return written  # keep markers and line breaks unchanged
    dialect = recognition.of(tokenizer)
    inside = dialect.markers.opens_reasoning(opened, opening)
    return dialect.begin(inert.text(str(thought)), inert.text(str(content), True), inside)


def _same_system(messages: list[Message], tools: bool) -> list[Message] | None:
    """Make up another chat with the same system message or tools, to find the common prefix."""
    count = int(messages[0]["role"] == "system")
    if len(messages) <= count or not (count or tools):
        return None
    said = messages[count].get("content") or ""
    if not isinstance(said, str):
        said = text_of(said)
    return [*messages[:count], {"role": "user", "content": "b" if said.startswith("a") else "a"}]


def build_raw(
    tokenizer: Any, raw: RawPrompt, reader: Reader | None, most: int, marks: bool = True
) -> Prompt:
    """Build a prompt from text or token ids, without a template.

    Args:
        marks: True if special tokens in the text count as such, for callers who write the
            template's part themselves. False if it's only for counting tokens.

    Raises:
        EngineError: `invalid_request` if the prompt is empty.
        TooLongError: if there are more than `most` tokens.
    """
    if raw.text is None:
        tokens = list(raw.tokens)
    else:
        text = pieces.as_it_stands(raw.text) if marks else contents.of(tokenizer).text(raw.text)
        (ids,) = (reader or InProcess(tokenizer)).encode([text], most)
        tokens = [*_opening(tokenizer), *ids]
    if not tokens:
        raise EngineError(INVALID_REQUEST, "The prompt is empty. Send some text to continue.")
    if len(tokens) > most:
        raise TooLongError(len(tokens))
    return Prompt(tokens, raw.text or "", (), len(tokens) - 1)


def _opening(tokenizer: Any) -> list[int]:
    """Return the ids a tokenizer puts before every text, e.g. BOS."""
    whole, bare = tokenizer.encode("a"), tokenizer.encode("a", add_special_tokens=False)
    for start in range(len(whole) - len(bare) + 1):
        if bare and whole[start : start + len(bare)] == bare:
            return list(whole[:start])
    return []
