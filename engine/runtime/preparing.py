"""From what a caller sends to a prompt that is ready to be read: a worker's job, without MLX."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace

from engine.cache.cache_file import Record
from engine.cache.ledger import Ledger
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
    Added,
    Asked,
    Audio,
    Image,
    Message,
    RawPrompt,
    media_in,
    medium_of,
    text_of,
)
from engine.model.constraint import constrain
from engine.model.eyes import FIRST, Look, Placed, Sight, placed
from engine.model.loaded import TextCodec
from engine.model.vocabulary import check_ids
from engine.params import SamplingParams
from engine.runtime.request import Prepared
from engine.sandbox import bounds
from engine.text import pieces, prompt, tool_grammars
from engine.text.images import Images
from engine.text.rendering import TooLongError
from engine.text.reply_text import ReplyText

Build = Callable[[list[Message]], prompt.Prompt]

MOST_EXTRA = 2**15
"""What a template is given beside the messages is bounded as a context of so many tokens is."""


class Job(Struct, frozen=True):
    """What was sent, and what of the session it depends on, as of that moment."""

    model: TextCodec
    system: str | None
    reasoning: bool | None
    slides: bool
    context: int  # tokens that the prompt and the answer may have together
    history: list[Message]
    gone: list[Message]  # the oldest messages, which did not fit any more the last time
    ledger: Ledger  # which text the session's tokens stand for
    # what goes after the history, the whole conversation, or what is to be continued as it stands
    asked: Asked
    params: SamplingParams
    # reads the header of the session's cache on disk; None where it needs none
    look: Callable[[], Record | None] | None = None
    # what the template is given beside the messages
    template: Mapping[str, Any] = field(default_factory=dict)
    sights: Mapping[str, Sight] = field(default_factory=dict)  # images that were read, by digest

    def sight(self, medium: Image | Audio) -> Sight:
        """Return an image or a recording as the model takes it; see `Look.sight`."""
        assert self.model.look is not None
        return self.sights.get(medium.digest) or self.model.look.sight(medium)


def with_images(job: Job, stop: threading.Event | None = None) -> Job:
    """Return the job with the images and recordings of its messages read.

    That may take minutes, so it does not belong in the lane in which a model's prompts wait.

    Args:
        stop: set it from any thread to end the reading.

    Raises:
        EngineError: `invalid_request`, one of them cannot be read; `engine_stopped`.
    """
    look, asked = job.model.look, job.asked
    if look is None or isinstance(asked, RawPrompt):
        return job
    messages = [] if isinstance(asked, tuple) else job.history
    if not isinstance(asked, str):
        added = asked.messages if isinstance(asked, Added) else asked
        bounds.check_message_count(len(added))
        messages = [*messages, *prompt.check_messages(added)]
    sights: dict[str, Sight] = {}
    for medium in media_in(messages):
        if not look.word_of(medium):
            continue  # the model does not hear
        with contextlib.suppress(FileNotFoundError):  # its message gets a note in its place
            sights[medium.digest] = look.sight(medium, stop)
    return replace(job, sights=sights)


def prepare(job: Job) -> Prepared:
    """Render and tokenise the conversation, compile the form, leave out what does not fit.

    Raises:
        EngineError: `invalid_request`, `template_error` or `context_overflow`, with what to do.
    """
    job = _with_tool_form(job)
    if isinstance(job.asked, RawPrompt):
        return _prepare_raw(job, job.asked)
    model, params = job.model, job.params
    whole = isinstance(job.asked, tuple)
    given = _given(job, job.asked)
    messages = _conversation(job, given, whole)
    messages, gone = _without_gone(job, messages, whole)
    ledger = job.ledger
    if job.look is not None:
        record = job.look()
        if record is not None and _fits(model, record.ledger.tokens):
            ledger = record.ledger

    bounds.check_params(params, model.rows)
    bounds.check_prompt([{"template": job.template}], MOST_EXTRA)
    context = job.context

    def build(some: list[Message]) -> prompt.Prompt:
        made = prompt.build(
            model.tokenizer,
            some,
            job.reasoning,
            ledger,
            model.reader,
            context,
            job.template,
            None if model.look is None else _images(job, model.look, some),
        )
        if model.rows is not None:
            check_ids(model.rows, [token for token in made.tokens if token < FIRST])
        return made

    if job.slides:
        messages, early = _shorten(context, messages)
        gone = [*gone, *early]
    try:
        bounds.check_prompt(messages, context)
    except EngineError:
        bounds.check_prompt(last_turn(messages), context, MESSAGE_TOO_LONG)
        raise
    kept, ready, length = _fitting(job, messages, build)
    if kept is not messages:
        gone = [*gone, *not_kept(messages, kept)]
        messages = kept
    if ready is None or length >= context:
        raise _too_long(job, messages, length, build)
    most = params.max_tokens or context
    _check_form(job)
    tools = params.offered or job.template.get("tools") or ()
    one = bool(tools) and not params.parallel_tool_calls
    text = ReplyText(model.tokenizer, ready.opened, params.stop, ready.opening, tools, one)
    calls = params.tool_form is not None
    constraint = constrain(model, params, text, job.reasoning, calls)
    if ready.answered:
        begun = ready.tokens[-ready.answered :]
        try:
            text.resume(begun, constraint.accept if constraint is not None else None)
        except EngineError as error:
            raise EngineError(
                INVALID_REQUEST, "The answer's beginning does not have the form asked for."
            ) from error
    longest = min(most, context - length)
    tokens = pieces.listed(ready.tokens)
    images: list[Placed] = []
    if model.look is not None:
        images = placed(tokens, [job.sight(one) for one in media_in(messages)])
    return Prepared(messages, gone, ready, tokens, text, longest, ledger, constraint, images)


def _images(job: Job, look: Look, messages: list[Message]) -> Images:
    """How the images and sounds of messages stand in a prompt."""
    media = media_in(messages)
    return Images(look.written, {m.digest: (look.word_of(m), job.sight(m).ids) for m in media})


def _fits(model: TextCodec, tokens: Sequence[int]) -> bool:
    """Whether a model knows these tokens."""
    most = max((token for token in tokens if token < FIRST), default=0)
    return most < (model.rows or FIRST)


def _given(job: Job, asked: str | tuple[Message, ...] | Added) -> list[Message]:
    """The messages that were sent, which are checked."""
    model = job.model
    if isinstance(asked, str):
        return prompt.check_messages([{"role": "user", "content": asked}])
    messages = asked.messages if isinstance(asked, Added) else asked
    bounds.check_message_count(len(messages))
    checked = prompt.check_messages(messages)
    if model.look is not None:
        checked = [_without_lost(m, job, model.look) for m in checked]
    name, media = model.info.name, media_in(checked)
    if not model.info.sees and any(isinstance(one, Image) for one in media):
        raise EngineError(
            INVALID_REQUEST,
            f"{name} cannot see images. Leave them out, or choose a model that sees.",
            CANNOT_SEE,
        )
    if not model.info.hears and any(isinstance(one, Audio) for one in media):
        raise EngineError(
            INVALID_REQUEST,
            f"{name} cannot hear recordings. Leave them out, or choose a model that hears.",
            CANNOT_HEAR,
        )
    return checked


def _without_lost(message: Message, job: Job, look: Look) -> Message:
    """A message with a note in the place of each image or sound whose file is gone."""
    if not isinstance(message.get("content"), (list, tuple)):
        return message
    parts = []
    for part in message["content"]:
        try:
            if (medium := medium_of(part)) is not None and look.word_of(medium):
                job.sight(medium)
            parts.append(part)
        except FileNotFoundError:
            parts.append({"type": "text", "text": LOST[part["type"]]})
    seen = any(part["type"] != "text" for part in parts)
    return {**message, "content": parts if seen else text_of(parts)}


def _prepare_raw(job: Job, asked: RawPrompt) -> Prepared:
    """As `prepare`, for what is to be continued as it stands."""
    model, params = job.model, job.params
    context = job.context
    bounds.check_params(params, model.rows)
    if asked.text is not None:
        bounds.check_prompt([{"content": asked.text}], context)
    try:
        ready = prompt.build_raw(model.tokenizer, asked, model.reader, context - 1)
    except TooLongError as error:
        raise EngineError(
            CONTEXT_OVERFLOW,
            f"The prompt is {error.tokens:,} tokens long, and {model.info.name} takes at most "
            f"{context:,} with the answer.",
        ) from None
    if model.rows is not None:
        check_ids(model.rows, ready.tokens)
    _check_form(job)
    text = ReplyText(model.tokenizer, "", params.stop)
    text.only_answer()
    text.after(ready.tokens[-1:])
    constraint = constrain(model, params, text, False)
    longest = min(params.max_tokens or context, context - len(ready.tokens))
    tokens = pieces.listed(ready.tokens)
    return Prepared([], [], ready, tokens, text, longest, job.ledger, constraint)


def _with_tool_form(job: Job) -> Job:
    model = job.model
    try:
        tool_grammars.check(job.params, model.info.tool_format, model.info.name)
        if job.params.tool_form is None:
            return job
        params = tool_grammars.bound(job.params, model.tokenizer, model.info.tool_format)
    except ValueError as error:
        raise EngineError(INVALID_REQUEST, f"{model.info.name}: {error}.") from None
    return replace(job, params=params)


def _check_form(job: Job) -> None:
    params, refusal = job.params, job.model.form_refusal
    reason = refusal(params) if params.constrained and refusal is not None else ""
    if reason:
        raise EngineError(INVALID_REQUEST, f"The form of the answer cannot be used: {reason}")


def count(job: Job) -> int:
    """How many tokens the prompt would have.

    Raises:
        EngineError: as `prepare`, but for prompts that are too long.
    """
    model, context = job.model, job.context
    try:
        if isinstance(job.asked, RawPrompt):
            return len(prompt.build_raw(model.tokenizer, job.asked, model.reader, context).tokens)
        messages = _given(job, job.asked)
        if job.slides:
            messages, _ = _without_gone(job, messages, True)
            messages, _ = _shorten(context, messages)
        bounds.check_prompt(messages, context)
        bounds.check_prompt([{"template": job.template}], MOST_EXTRA)
    except TooLongError as error:
        return error.tokens

    def build(some: list[Message]) -> prompt.Prompt:
        return prompt.build(
            model.tokenizer,
            some,
            job.reasoning,
            job.ledger,
            model.reader,
            None,
            job.template,
            None if model.look is None else _images(job, model.look, some),
        )

    messages, _, length = _fitting(job, messages, build)
    if job.slides and length >= context:  # then the message alone is
        length = _built(build, last_turn(messages))[1]
    return length


def _too_long(job: Job, messages: list[Message], length: int, build: Build) -> EngineError:
    """Why a prompt of that length cannot be read, and the way on."""
    name, context = job.model.info.name, job.context

    def length_of(some: list[Message]) -> int:
        return _built(build, some)[1]

    if not job.slides and slide(messages, context - 1, context - 1, length_of) is not None:
        return EngineError(
            CONTEXT_OVERFLOW,
            f"The conversation is {length:,} tokens long and {name} takes at most {context:,}. "
            "Shorten it, start a new chat, or let this one drop its oldest turns.",
        )
    return EngineError(
        CONTEXT_OVERFLOW,
        f"Your message is too long for {name} even alone: the prompt is "
        f"{length_of(last_turn(messages)):,} tokens long, and its context takes at most "
        f"{context:,} with the answer. Shorten it.",
        MESSAGE_TOO_LONG,
    )


def _built(build: Build, messages: list[Message]) -> tuple[prompt.Prompt | None, int]:
    """The prompt of messages and its tokens; no prompt where the context cannot take so many."""
    try:
        made = build(messages)
    except TooLongError as error:
        return None, error.tokens
    return made, len(made.tokens)


def _conversation(job: Job, given: list[Message], whole: bool) -> list[Message]:
    """The messages of the next turn: a text goes after the history, a list replaces it."""
    messages = given if whole else [*job.history, *given]
    if job.system and messages[0]["role"] != "system":
        messages = [{"role": "system", "content": job.system}, *messages]
    return messages


def _without_gone(
    job: Job, messages: list[Message], whole: bool
) -> tuple[list[Message], list[Message]]:
    """The messages without those that did not fit the last time, and these.

    `whole`: the caller sent all of the conversation, these among them. Were they tried again,
    every turn would drop some more, and no cache could be reused.
    """
    gone = job.gone
    if not whole or not gone:
        return messages, gone
    kept = without(messages, gone) if job.slides else None
    return (messages, []) if kept is None else (kept, gone)


def _shorten(context: int, messages: list[Message]) -> tuple[list[Message], list[Message]]:
    """The messages without the oldest turns that cannot fit by their size alone, and those."""
    head, most = fixed_head(messages), bounds.max_characters(context)
    sizes = [bounds.message_size(m) for m in messages]
    total, cut = sum(sizes), head
    turns = [i for i, m in enumerate(messages) if i > head and m["role"] == "user"]
    for turn in turns:
        if total <= most:
            break
        total -= sum(sizes[cut:turn])
        cut = turn
    return [*messages[:head], *messages[cut:]], messages[head:cut]


def _fitting(
    job: Job, messages: list[Message], build: Build
) -> tuple[list[Message], prompt.Prompt | None, int]:
    """What `_built` gives, and before it the messages: without the oldest turns where the session
    slides, they leave too little room for an answer, and that helps.
    """
    context = job.context
    made, length = _built(build, messages)
    if not job.slides or context - length >= min(job.params.max_tokens or context, context // 8):
        return messages, made, length
    target = int(context * KEPT_SHARE)
    slid = slide(messages, target, context - 1, lambda some: _built(build, some)[1])
    if slid is None or not slid[1]:
        return messages, made, length
    return slid[0], *_built(build, slid[0])


KEPT_SHARE = 0.7
"""Of the context: so much is filled anew, so that the next turns need not drop again at once and
their prompts begin like the one before, which is what their caches are reused by."""


def fixed_head(messages: Sequence[Message]) -> int:
    """How many system messages stand before the first turn."""
    count = 0
    while count < len(messages) and messages[count]["role"] == "system":
        count += 1
    return count


def last_turn(messages: list[Message]) -> list[Message]:
    """What stays of a conversation in any case: its head, and the last message of the user with
    what follows it.
    """
    head = fixed_head(messages)
    users = [i for i, m in enumerate(messages) if m["role"] == "user"]
    return [*messages[:head], *messages[users[-1] :]] if users else messages


def slide(
    messages: list[Message], target: int, most: int, length: Callable[[list[Message]], int]
) -> tuple[list[Message], int] | None:
    """The messages without the oldest turns, and how many messages went.

    System messages at the head stay, and so does the last message of the user with what follows
    it. Turns are dropped whole, as few as get the prompt to `target` tokens. Where the last turn
    alone is too long, its oldest steps go: a message of the assistant with the results of the
    tools that it called. The last step stays.

    Args:
        most: tokens that the prompt may have at all, for when only the last turn is left.
        length: how many tokens a prompt of these messages has; called O(log n) times.

    Returns:
        None when even the last turn's last step is too long.
    """
    fixed = fixed_head(messages)
    cuts = [i for i, m in enumerate(messages) if i > fixed and m["role"] == "user"]
    if cuts:
        kept = _fewest([[*messages[:fixed], *messages[cut:]] for cut in cuts], target, length)
        if length(kept) <= most:
            return kept, len(messages) - len(kept)
    last = cuts[-1] if cuts else fixed
    asked = messages[last : last + 1]
    steps = [i for i, m in enumerate(messages) if i > last and m["role"] == "assistant"][1:]
    if not steps or asked[0]["role"] != "user":
        return None
    kept = _fewest([[*messages[:fixed], *asked, *messages[i:]] for i in steps], target, length)
    return (kept, len(messages) - len(kept)) if length(kept) <= most else None


def not_kept(messages: Sequence[Message], kept: Sequence[Message]) -> list[Message]:
    """The messages that `slide` did not keep."""
    there = {id(message) for message in kept}
    return [message for message in messages if id(message) not in there]


def without(messages: list[Message], gone: Sequence[Message]) -> list[Message] | None:
    """A conversation without those messages; None where they are not its oldest.

    Only messages of the user may stand between them: the one whose turn is still worked on stays.
    """
    fixed = fixed_head(messages)
    kept, found = messages[:fixed], 0
    for at, message in enumerate(messages[fixed:], fixed):
        if found == len(gone):
            return [*kept, *messages[at:]]
        if message == gone[found]:
            found += 1
        elif message["role"] == "user":
            kept.append(message)
        else:
            return None
    return None


def _fewest(
    choices: list[list[Message]], target: int, length: Callable[[list[Message]], int]
) -> list[Message]:
    """The first of these, each shorter than the one before, that is of `target`; else the last."""
    low, high = 0, len(choices) - 1
    while low < high:
        middle = (low + high) // 2
        if length(choices[middle]) <= target:
            high = middle
        else:
            low = middle + 1
    return choices[low]
