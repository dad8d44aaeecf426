"""Preparation of prompts on workers, without MLX."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace

from engine.cache.cache_file import Record
from engine.cache.ledger import Ledger, common_length
from engine.cache.offload import MIN_TOKENS
from engine.errors import (
    CANNOT_HEAR,
    CANNOT_SEE,
    CONTEXT_OVERFLOW,
    INVALID_REQUEST,
    MESSAGE_TOO_LONG,
    EngineError,
)
from engine.messages import (
    LOST,
    AddedMessages,
    Audio,
    Image,
    Message,
    PromptInput,
    RawPrompt,
    media_in,
    medium_of,
    text_of,
)
from engine.model.constraint import Constraint, constrain
from engine.model.loaded_model import TextCodec
from engine.model.vision import (
    FIRST_IMAGE_ID,
    ImagePreprocessor,
    ImageTokens,
    PlacedImage,
    place_images,
)
from engine.params import SamplingParams
from engine.runtime.request import CacheFile, PreparedRequest
from engine.sandbox import bounds
from engine.text import pieces, prompt, tool_grammars
from engine.text.images import Images
from engine.text.rendering import TooLongError
from engine.text.reply_text import ReplyText

FileFinder = Callable[[str], tuple[str, Record] | None]
Build = Callable[[list[Message]], prompt.Prompt]

TEMPLATE_CONTEXT = 2**15
"""Context size in tokens that determines the size limit for template arguments."""


class PromptJob(Struct, frozen=True):
    codec: TextCodec
    system: str | None
    reasoning: bool | None
    slides: bool
    context: int  # maximum number of prompt and answer tokens together
    history: list[Message]
    omitted: list[Message]  # oldest messages, which didn't fit into the previous prompt
    ledger: Ledger  # text represented by the session's tokens
    asked: PromptInput
    params: SamplingParams
    # Returns the name and header of a cache on disk for a rendered prompt. None if not needed.
    find_file: FileFinder | None = None
    template: Mapping[str, Any] = field(default_factory=dict)  # arguments other than the messages
    sights: Mapping[str, ImageTokens] = field(default_factory=dict)  # images read, by digest
    stop: threading.Event = field(default_factory=threading.Event)  # set when the reply has ended

    def sight(self, medium: Image | Audio) -> ImageTokens:
        assert self.codec.preprocessor is not None
        return self.sights.get(medium.digest) or self.codec.preprocessor.preprocess(medium)


def with_images(job: PromptJob) -> PromptJob:
    """Return the job with its images and recordings preprocessed.

    This may take minutes, so it must not run in the lane of a model's prompts.

    Raises:
        EngineError: `invalid_request` if a file can't be read; `engine_stopped` if cancelled.
    """
    preprocessor, asked = job.codec.preprocessor, job.asked
    if preprocessor is None or isinstance(asked, RawPrompt) or job.stop.is_set():
        return job
    messages = [] if isinstance(asked, tuple) else job.history
    if not isinstance(asked, str):
        added = asked.messages if isinstance(asked, AddedMessages) else asked
        bounds.check_message_count(len(added))
        messages = [*messages, *prompt.check_messages(added)]
    sights: dict[str, ImageTokens] = {}
    for medium in media_in(messages):
        if not preprocessor.placeholder_of(medium):
            continue  # the model doesn't support audio
        with contextlib.suppress(FileNotFoundError):  # a note replaces the deleted file
            sights[medium.digest] = preprocessor.preprocess(medium, job.stop)
    return replace(job, sights=sights)


def prepare(job: PromptJob) -> PreparedRequest | None:
    """Render and tokenize the conversation, compile its grammar, and drop turns that don't fit.

    Returns None if the reply has ended.

    Raises:
        EngineError: `invalid_request`, `template_error`, or `context_overflow`. The message says
            what to do.
    """
    if job.stop.is_set():
        return None
    if job.params.offered:
        job = _with_tool_form(job)
    if isinstance(job.asked, RawPrompt):
        return _prepare_raw(job, job.asked)
    codec, params, context = job.codec, job.params, job.context
    messages, omitted = _conversation(job, job.asked)
    source = _LedgerSource(job)
    bounds.check_params(params, codec.rows)
    bounds.check_prompt([{"template": job.template}], TEMPLATE_CONTEXT)
    build = partial(_build, job, source.ledger_for, context)
    if job.slides:
        messages, early = _shorten(context, messages)
        omitted = [*omitted, *early]
    try:
        bounds.check_prompt(messages, context)
    except EngineError:
        bounds.check_prompt(last_turn(messages), context, MESSAGE_TOO_LONG)
        raise
    kept_messages, ready, length = _fit_messages(job, messages, build)
    if kept_messages is not messages:
        omitted = [*omitted, *dropped_messages(messages, kept_messages)]
        messages = kept_messages
    if ready is None or length >= context:
        raise _too_long(job, messages, length, build)
    text, constraint = _begin_reply(job, ready)
    longest = min(params.max_tokens or context, context - length)
    tokens = pieces.concatenate(ready.tokens)
    images: list[PlacedImage] = []
    if codec.preprocessor is not None:
        images = place_images(tokens, [job.sight(medium) for medium in media_in(messages)])
    return PreparedRequest(
        messages=messages,
        omitted=omitted,
        prompt=ready,
        tokens=tokens,
        text=text,
        longest=longest,
        ledger=source.ledger,
        constraint=constraint,
        images=images,
        cache_file=source.cache_file(ready),
    )


def _begin_reply(job: PromptJob, ready: prompt.Prompt) -> tuple[ReplyText, Constraint | None]:
    params = job.params
    tools = params.offered or job.template.get("tools") or ()
    single = bool(tools) and not params.parallel_tool_calls
    text = ReplyText(job.codec.tokenizer, ready.opened, params.stop, ready.opening, tools, single)
    constraint = None
    if params.is_constrained:
        constraint = _constraint(job, text, job.reasoning, params.tool_form is not None)
    if ready.answered:
        reply_tokens = ready.tokens[-ready.answered :]
        try:
            text.resume(reply_tokens, constraint.accept if constraint is not None else None)
        except EngineError as error:
            raise EngineError(
                INVALID_REQUEST, "The beginning of the answer does not match the output format."
            ) from error
    return text, constraint


class _LedgerSource:
    """Source of the ledger for a prompt: the session, or a cache on disk for its first prompt."""

    def __init__(self, job: PromptJob) -> None:
        self.ledger = job.ledger
        self._codec, self._find_file = job.codec, job.find_file
        self._match: tuple[str, Record] | None = None

    def ledger_for(self, text: str) -> Ledger:
        if self._find_file is not None:
            match, self._find_file = self._find_file(text), None
            if match is not None and _fits(self._codec, match[1].ledger.tokens):
                self._match, self.ledger = match, match[1].ledger
        return self.ledger

    def cache_file(self, ready: prompt.Prompt) -> CacheFile | None:
        """Return a prompt's match with the cache on disk, or None if it isn't worth reading."""
        if self._match is None:
            return None
        name, record = self._match
        length = min(common_length(record.tokens, ready.tokens), len(ready.tokens) - 1)
        if length < MIN_TOKENS:
            return None
        # The last reply and its opening don't count, because templates may change past replies.
        prompt_end = next((end for end, _ in record.ledger.boundaries[-2:]), 0)
        common = common_length(record.ledger.text, ready.text)
        return CacheFile(name, length, common >= prompt_end - len(ready.opening or ""))


def _build(
    job: PromptJob,
    before: Callable[[str], Ledger],
    context: int | None,
    messages: list[Message],
) -> prompt.Prompt:
    codec, images = job.codec, None
    preprocessor = codec.preprocessor
    if preprocessor is not None:
        media = media_in(messages)
        ids = {m.digest: (preprocessor.placeholder_of(m), job.sight(m).ids) for m in media}
        images = Images(preprocessor.template_tokens, ids)
    built_prompt = prompt.build_prompt(
        codec.tokenizer,
        messages,
        job.reasoning,
        before,
        codec.reader,
        context,
        job.template,
        images,
    )
    if codec.rows is not None:
        bounds.check_ids(
            codec.rows, [token for token in built_prompt.tokens if token < FIRST_IMAGE_ID]
        )
    return built_prompt


def _fits(codec: TextCodec, tokens: Sequence[int]) -> bool:
    largest_id = max((token for token in tokens if token < FIRST_IMAGE_ID), default=0)
    return largest_id < (codec.rows or FIRST_IMAGE_ID)


def _conversation(
    job: PromptJob, asked: str | tuple[Message, ...] | AddedMessages
) -> tuple[list[Message], list[Message]]:
    """Return the whole conversation, and its oldest messages that the prompt omits again."""
    messages, omitted = _new_messages(job, asked), job.omitted
    is_complete = isinstance(asked, tuple)
    if not is_complete:
        messages = [*job.history, *messages]
    if job.system and messages[0]["role"] != "system":
        messages = [{"role": "system", "content": job.system}, *messages]
    if is_complete and omitted:
        messages, omitted = _without_omitted(job, messages)
    return messages, omitted


def _new_messages(
    job: PromptJob, asked: str | tuple[Message, ...] | AddedMessages
) -> list[Message]:
    codec = job.codec
    if isinstance(asked, str):
        return prompt.check_messages([{"role": "user", "content": asked}])
    messages = asked.messages if isinstance(asked, AddedMessages) else asked
    bounds.check_message_count(len(messages))
    checked = prompt.check_messages(messages)
    if codec.preprocessor is not None:
        checked = [_with_notes_for_lost_media(m, job, codec.preprocessor) for m in checked]
    name, media = codec.info.name, media_in(checked)
    if not codec.info.sees and any(isinstance(part, Image) for part in media):
        raise EngineError(
            INVALID_REQUEST,
            f"{name} does not support images. Remove them, or choose a model that does.",
            CANNOT_SEE,
        )
    if not codec.info.hears and any(isinstance(part, Audio) for part in media):
        raise EngineError(
            INVALID_REQUEST,
            f"{name} does not support audio. Remove the recordings, or choose a model that does.",
            CANNOT_HEAR,
        )
    return checked


def _with_notes_for_lost_media(
    message: Message, job: PromptJob, preprocessor: ImagePreprocessor
) -> Message:
    if not isinstance(message.get("content"), (list, tuple)):
        return message
    parts = []
    for part in message["content"]:
        try:
            if (medium := medium_of(part)) is not None and preprocessor.placeholder_of(medium):
                job.sight(medium)
            parts.append(part)
        except FileNotFoundError:
            parts.append({"type": "text", "text": LOST[part["type"]]})
    has_media = any(part["type"] != "text" for part in parts)
    return {**message, "content": parts if has_media else text_of(parts)}


def _prepare_raw(job: PromptJob, raw: RawPrompt) -> PreparedRequest:
    codec, params = job.codec, job.params
    context = job.context
    bounds.check_params(params, codec.rows)
    if raw.text is not None:
        bounds.check_prompt([{"content": raw.text}], context)
    try:
        ready = prompt.build_raw_prompt(codec.tokenizer, raw, codec.reader, context - 1)
    except TooLongError as error:
        raise EngineError(
            CONTEXT_OVERFLOW,
            f"The prompt is {error.tokens:,} tokens long, but {codec.info.name} takes at most "
            f"{context:,} including the answer.",
        ) from None
    if codec.rows is not None:
        bounds.check_ids(codec.rows, ready.tokens)
    text = ReplyText(codec.tokenizer, "", params.stop)
    text.disable_markers()
    text.skip(ready.tokens[-1:])
    constraint = _constraint(job, text, False) if params.is_constrained else None
    longest = min(params.max_tokens or context, context - len(ready.tokens))
    tokens = pieces.concatenate(ready.tokens)
    return PreparedRequest(
        messages=[],
        omitted=[],
        prompt=ready,
        tokens=tokens,
        text=text,
        longest=longest,
        ledger=job.ledger,
        constraint=constraint,
    )


def _with_tool_form(job: PromptJob) -> PromptJob:
    codec = job.codec
    try:
        tool_grammars.check(job.params, codec.info.tool_format, codec.info.name)
        if job.params.tool_form is None:
            return job
        params = tool_grammars.add_grammar(job.params, codec.tokenizer, codec.info.tool_format)
    except ValueError as error:
        raise EngineError(INVALID_REQUEST, f"{codec.info.name}: {error}.") from None
    return replace(job, params=params)


def _constraint(
    job: PromptJob, text: ReplyText, reasoning: bool | None, calls: bool = False
) -> Constraint | None:
    params, refusal = job.params, job.codec.form_refusal
    reason = refusal(params) if refusal is not None else ""
    if reason:
        raise EngineError(INVALID_REQUEST, f"The output format cannot be used: {reason}")
    return constrain(job.codec, params, text, reasoning, calls)


def count(job: PromptJob) -> int:
    codec, context = job.codec, job.context
    try:
        if isinstance(job.asked, RawPrompt):
            return len(
                prompt.build_raw_prompt(codec.tokenizer, job.asked, codec.reader, context).tokens
            )
        messages = _new_messages(job, job.asked)
        if job.slides:
            if job.omitted:
                messages, _ = _without_omitted(job, messages)
            messages, _ = _shorten(context, messages)
        bounds.check_prompt(messages, context)
        bounds.check_prompt([{"template": job.template}], TEMPLATE_CONTEXT)
    except TooLongError as error:
        return error.tokens
    build = partial(_build, job, lambda _: job.ledger, None)
    messages, _, length = _fit_messages(job, messages, build)
    if job.slides and length >= context:  # in this case, count only the new message
        length = _build_or_measure(build, last_turn(messages))[1]
    return length


def _too_long(job: PromptJob, messages: list[Message], length: int, build: Build) -> EngineError:
    name, context = job.codec.info.name, job.context

    def length_of(messages: list[Message]) -> int:
        return _build_or_measure(build, messages)[1]

    if not job.slides and slide(messages, context - 1, context - 1, length_of) is not None:
        return EngineError(
            CONTEXT_OVERFLOW,
            f"The conversation is {length:,} tokens long, but {name} takes at most {context:,}. "
            "Leave out the oldest messages, or start a new chat.",
        )
    return EngineError(
        CONTEXT_OVERFLOW,
        f"Your message is too long for {name} even alone: the prompt is "
        f"{length_of(last_turn(messages)):,} tokens long, and its context takes at most "
        f"{context:,} with the answer. Shorten it.",
        MESSAGE_TOO_LONG,
    )


def _build_or_measure(build: Build, messages: list[Message]) -> tuple[prompt.Prompt | None, int]:
    try:
        result = build(messages)
    except TooLongError as error:
        return None, error.tokens
    return result, len(result.tokens)


def _without_omitted(
    job: PromptJob, messages: list[Message]
) -> tuple[list[Message], list[Message]]:
    """Split a whole conversation into the messages to use, and the ones that the last prompt
    dropped.

    Otherwise, every turn would drop more messages, and no cache could be reused.
    """
    kept_messages = without(messages, job.omitted) if job.slides else None
    return (messages, []) if kept_messages is None else (kept_messages, job.omitted)


def _shorten(context: int, messages: list[Message]) -> tuple[list[Message], list[Message]]:
    """Split off the oldest turns if there are more characters than can fit into the context."""
    head, max_characters = fixed_head(messages), bounds.max_characters(context)
    sizes = [bounds.message_size(m) for m in messages]
    total, cut = sum(sizes), head
    turns = [i for i, m in enumerate(messages) if i > head and m["role"] == "user"]
    for turn in turns:
        if total <= max_characters:
            break
        total -= sum(sizes[cut:turn])
        cut = turn
    return [*messages[:head], *messages[cut:]], messages[head:cut]


def _fit_messages(
    job: PromptJob, messages: list[Message], build: Build
) -> tuple[list[Message], prompt.Prompt | None, int]:
    context = job.context
    result, length = _build_or_measure(build, messages)
    if not job.slides or context - length >= min(job.params.max_tokens or context, context // 8):
        return messages, result, length
    target = int(context * KEPT_SHARE)
    slid = slide(messages, target, context - 1, lambda some: _build_or_measure(build, some)[1])
    if slid is None or not slid[1]:
        return messages, result, length
    return slid[0], *_build_or_measure(build, slid[0])


KEPT_SHARE = 0.7
"""Fraction of the context to fill after dropping turns, so that the next turns don't drop any and
can reuse the caches of this prompt."""


def fixed_head(messages: Sequence[Message]) -> int:
    count = 0
    while count < len(messages) and messages[count]["role"] == "system":
        count += 1
    return count


def last_turn(messages: list[Message]) -> list[Message]:
    head = fixed_head(messages)
    users = [i for i, m in enumerate(messages) if m["role"] == "user"]
    return [*messages[:head], *messages[users[-1] :]] if users else messages


def slide(
    messages: list[Message], target: int, limit: int, length: Callable[[list[Message]], int]
) -> tuple[list[Message], int] | None:
    """Drop as few of the oldest turns as possible to get a prompt of at most `target` tokens.

    System messages at the start, and everything from the last user message on, are kept. If the
    prompt is still too long, the oldest steps of the last turn are dropped, but never its last
    step. A step is an assistant message with the results of its tool calls.

    Args:
        limit: maximum number of tokens if only the last turn is left.
        length: returns the number of tokens in the prompt of messages. Called O(log n) times.

    Returns:
        The remaining messages, and the number of dropped messages. None if even the last step of
        the last turn is too long.
    """
    fixed = fixed_head(messages)
    cuts = [i for i, m in enumerate(messages) if i > fixed and m["role"] == "user"]
    if cuts:
        shortened = _fewest([[*messages[:fixed], *messages[cut:]] for cut in cuts], target, length)
        if length(shortened) <= limit:
            return shortened, len(messages) - len(shortened)
    last = cuts[-1] if cuts else fixed
    question = messages[last : last + 1]
    steps = [i for i, m in enumerate(messages) if i > last and m["role"] == "assistant"][1:]
    if not steps or question[0]["role"] != "user":
        return None
    shortened = _fewest(
        [[*messages[:fixed], *question, *messages[i:]] for i in steps], target, length
    )
    return (shortened, len(messages) - len(shortened)) if length(shortened) <= limit else None


def dropped_messages(messages: Sequence[Message], remaining: Sequence[Message]) -> list[Message]:
    kept_ids = {id(message) for message in remaining}
    return [message for message in messages if id(message) not in kept_ids]


def without(messages: list[Message], omitted: Sequence[Message]) -> list[Message] | None:
    """Return a conversation without these messages, or None if they aren't its oldest messages.

    User messages may be between them, because a turn keeps its user message when its steps are
    dropped.
    """
    fixed = fixed_head(messages)
    system, match_count = messages[:fixed], 0
    for at, message in enumerate(messages[fixed:], fixed):
        if match_count == len(omitted):
            return [*system, *messages[at:]]
        if message == omitted[match_count]:
            match_count += 1
        elif message["role"] == "user":
            system.append(message)
        else:
            return None
    return None


def _fewest(
    choices: list[list[Message]], target: int, length: Callable[[list[Message]], int]
) -> list[Message]:
    low, high = 0, len(choices) - 1
    while low < high:
        middle = (low + high) // 2
        if length(choices[middle]) <= target:
            high = middle
        else:
            low = middle + 1
    return choices[low]
