"""Messages between threads: commands to the engine thread, and events from it.

All are frozen and contain only plain Python values, so neither lazy arrays nor Qt objects cross
threads.
"""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from enum import StrEnum
from typing import Any, Literal

from msgspec import Struct, field

from engine.params import SamplingParams


class Load(Struct, frozen=True):
    path: str
    answer: Future[Any]  # of engine.model.info.Model; may be cancelled
    told: Callable[[float], None] | None = None  # called with the loaded share of the weights
    adapter: str | None = None  # folder, for a variant
    draft: str | None = None  # folder of a draft model, LOOKUP, or "" for none
    outer: Future[Any] | None = None  # of the command that requires this load

    @property
    def dropped(self) -> bool:
        """True if no caller waits for it any longer."""
        return self.answer.cancelled() or (self.outer is not None and self.outer.cancelled())


class Estimate(Struct, frozen=True):
    path: str
    context: int | None
    chats: int
    kv_bits: int | None
    answer: Future[Any]  # of engine.cache.estimate.Fit
    adapter: str | None = None


class Unload(Struct, frozen=True):
    model_id: str
    answer: Future[None]


class UnloadIdle(Struct, frozen=True):
    after: float | None  # seconds, or None for never
    told: Callable[[str], None] | None  # called with the model's id


class Pin(Struct, frozen=True):
    model_id: str
    pinned: bool


class Relieve(Struct, frozen=True):
    answer: Future[int]  # freed bytes


class Cancel(Struct, frozen=True):
    session_id: str
    reply_id: str
    whole: bool = False  # see `Reply.cancel`


class Pause(Struct, frozen=True):
    session_id: str
    reply_id: str
    paused: bool  # False to resume


class Prioritise(Struct, frozen=True):
    session_id: str
    priority: int
    program: str = ""
    share: float = 0.0


class Fork(Struct, frozen=True):
    session_id: str
    twin_id: str
    named: bool = False


class CloseSession(Struct, frozen=True):
    session_id: str
    forget: bool = False


class Keep(Struct, frozen=True):
    session_id: str


class Forget(Struct, frozen=True):
    session_id: str


class Embed(Struct, frozen=True):
    model_id: str
    texts: tuple[str | tuple[int, ...], ...]
    answer: Future[Embeddings]


class Embeddings(Struct, frozen=True):
    """A vector of length 1 for each text, as little-endian float32, and the total of tokens."""

    vectors: tuple[bytes, ...]
    tokens: int


class GetStats(Struct, frozen=True):
    answer: Future[dict[str, Any]]


class WorkDone(Struct, frozen=True):
    """Result of work on another thread."""

    job: int = 0  # its number, or 0 to only wake up the engine thread
    value: Any = None  # result
    error: BaseException | None = None  # raised exception


class Stop(Struct, frozen=True):
    pass


Kind = Literal["answer", "reasoning", "tool"]
Overflow = Literal["refuse", "slide"]
Message = dict[str, Any]
"""A message in the form that chat templates expect: {"role": ..., "content": ...} and optional
keys.

Content is a string, or a list if it has images or sounds, of `{"type": "text", "text": str}`,
`{"type": "image", "image": Image}` and `{"type": "audio", "audio": Audio}`. A text in a list may
also be a function that returns it, called on any thread, so that a file is only read when it is
needed, as for images.
"""


@dataclasses.dataclass(frozen=True, eq=False)
class _Medium:
    """File in a message that is passed to the model in its own form."""

    # its bytes, or a function that reads them, on any thread and at each use, so that those of a
    # long conversation are not kept in memory. It returns None if the file was deleted.
    file: bytes | Callable[[], bytes | None] = dataclasses.field(repr=False)
    name: str = ""  # digest, if known without reading

    def __eq__(self, other: object) -> bool:
        return isinstance(other, type(self)) and self.digest == other.digest

    def __hash__(self) -> int:
        return hash(self.digest)

    @property
    def data(self) -> bytes:
        """Contents of the file, or b"" if it was deleted. Reading may block on a disk."""
        return self.file if isinstance(self.file, bytes) else self.file() or b""

    @property
    def digest(self) -> str:
        """SHA-256 of the file in hexadecimal, the key for everything stored about it.

        If the file was deleted, this is a unique name.
        """
        if self.name:
            return self.name
        known: str | None = self.__dict__.get("_digest")
        if known is None:
            data = self.data
            if not data and not isinstance(self.file, bytes):
                return f"lost {id(self):x}"
            known = self.__dict__["_digest"] = hashlib.sha256(data).hexdigest()
        return known

    @property
    def media_type(self) -> str:
        """Media type such as "image/png" by the first bytes, or "" if unknown."""
        data = self.data
        if data[:4] == b"RIFF":
            return {b"WEBP": "image/webp", b"WAVE": "audio/wav"}.get(data[8:12], "")
        return next((kind for head, kind in _KINDS.items() if data.startswith(head)), "")


class Image(_Medium):
    """Image in a message: PNG, JPEG or another format of `sandbox.images`."""


class Audio(_Medium):
    """Recording in a message: WAV, MP3, FLAC or Ogg Vorbis, see `sandbox.sounds`."""


SAVE_HEIC = (
    "a HEIC photo. Save it as JPEG. iPhones take JPEG photos with Settings > Camera > Formats > "
    "Most Compatible"
)
"""End of the error message for a HEIC image."""


def is_heic(head: bytes) -> bool:
    """Return True if the first bytes of a file are those of a HEIC or HEIF image."""
    brands = (b"heic", b"heix", b"heim", b"heis", b"hevc", b"hevx", b"mif1", b"msf1")
    return head[4:8] == b"ftyp" and head[8:12] in brands


LOST = {
    "image": "[Here was an image that is not there any more.]\n",
    "audio": "[Here was a recording that is not there any more.]\n",
}
"""Text for the model in place of a deleted file."""


_KINDS = {
    b"\x89PNG": "image/png",
    b"\xff\xd8\xff": "image/jpeg",
    b"GIF8": "image/gif",
    b"BM": "image/bmp",
    b"II*\0": "image/tiff",
    b"MM\0*": "image/tiff",
    b"ID3": "audio/mpeg",
    **dict.fromkeys((b"\xff\xfb", b"\xff\xf3", b"\xff\xf2", b"\xff\xfa"), "audio/mpeg"),
    b"fLaC": "audio/flac",
    b"OggS": "audio/ogg",
}


def text_of(content: Any) -> str:
    """Return the text of a message's content, without images and sounds. May block on a disk."""
    if isinstance(content, (list, tuple)):
        texts = [part["text"] for part in content if part["type"] == "text"]
        return "".join(text() if callable(text) else text for text in texts)
    return str(content or "")


REASONING_FIELDS = ("reasoning_content", "thinking", "reasoning", "reasoning_text")
"""Fields in which clients send the reasoning of an earlier answer."""
_REASONING_LISTS = ("reasoning_details", "thinking_blocks")  # of OpenRouter and LiteLLM
_REASONING_PARTS = ("thinking", "reasoning", "redacted_thinking")


def reasoning_of(message: Message) -> str:
    """Return the reasoning of an earlier answer, in any client's form."""
    names = (*REASONING_FIELDS, *_REASONING_LISTS)
    found = next((text for name in names if (text := reasoning_text(message.get(name)))), "")
    content = message.get("content")
    if found or not isinstance(content, list):
        return found
    return reasoning_text([part for part in content if _is_reasoning(part)])


def with_reasoning(message: Message) -> Message:
    """Return an assistant message with its reasoning only in `reasoning_content`."""
    others = (*REASONING_FIELDS, *_REASONING_LISTS)
    found = {name: value for name, value in message.items() if name not in others}
    if thought := reasoning_of(message):
        found["reasoning_content"] = thought
    if isinstance(content := message.get("content"), list):
        found["content"] = [part for part in content if not _is_reasoning(part)]
    return found


def _is_reasoning(part: Any) -> bool:
    return isinstance(part, dict) and part.get("type") in _REASONING_PARTS


def reasoning_text(value: Any) -> str:
    """Return reasoning sent as text, parts or object, or "" if there is none."""
    if isinstance(value, list):
        return "".join(map(reasoning_text, value))
    if isinstance(value, dict):
        names = ("text", "thinking", "reasoning", "summary", "content")
        return next((text for name in names if (text := reasoning_text(value.get(name)))), "")
    return value if isinstance(value, str) else ""


def medium_of(part: Any) -> Image | Audio | None:
    """Return the image or sound in a part of content, or None."""
    kind = part.get("type") if isinstance(part, dict) else None
    wanted = _TYPES.get(kind) if isinstance(kind, str) else None
    return part[kind] if wanted is not None and isinstance(part.get(kind), wanted) else None


_TYPES = {"image": Image, "audio": Audio}


def media_in(messages: Sequence[Message]) -> list[Image | Audio]:
    """Return the images and sounds of messages in order."""
    lists = (m["content"] for m in messages if isinstance(m.get("content"), (list, tuple)))
    return [medium for parts in lists for part in parts if (medium := medium_of(part))]


class RawPrompt(Struct, frozen=True):
    """Prompt to continue without a chat template."""

    # Tokenized, after the tokenizer's first token. Special tokens in it are recognized, so callers
    # that insert text of others must not use it.
    text: str | None = None
    tokens: tuple[int, ...] = ()  # if there is no text


class Added(Struct, frozen=True):
    """Messages to add to the conversation."""

    messages: tuple[Message, ...]


Asked = str | tuple[Message, ...] | RawPrompt | Added
"""Prompt for a session: text or messages to add, a whole conversation, or a raw prompt."""


class FinishReason(StrEnum):
    """Reason why a reply ended. `ERROR` belongs to a `Failed` event, the others to `Finished`.

    `LENGTH` is a limit of the caller or the model's context, or the reply was stopped because it
    repeated itself (`ReplyStats.repeated_tokens`). `MEMORY` means that there was no memory for a
    longer answer. `UNSTATED` is for remote servers that state no reason: the reply may be
    incomplete.
    """

    STOP = "stop"
    LENGTH = "length"
    MEMORY = "memory"
    UNSTATED = "unstated"
    CANCELLED = "cancelled"
    ERROR = "error"


class ReplyStats(Struct, frozen=True):
    """Statistics of a reply. Times in seconds, counts in tokens."""

    prompt_tokens: int = 0  # whole prompt, including history
    reused_tokens: int = 0  # part of them that was in the session's KV cache
    generated_tokens: int = 0  # including reasoning, without the end-of-turn token
    ttft_s: float = 0.0  # from `send` to the first token
    decode_s: float = 0.0  # from the first to the last token
    tokens_per_s: float = 0.0  # tokens after the first, divided by `decode_s`; 0 for a single token
    # the cache had been evicted and was recomputed by prefill, which may round differently from
    # decoding (only relevant for reproducible sessions)
    rebuilt: bool = False
    # oldest messages left out because they did not fit the context (only sessions with
    # `on_overflow="slide"`)
    dropped_messages: int = 0
    reasoning_tokens: int = 0  # part of the generated ones
    # tokens in the repetition for which the reply was stopped with `LENGTH`
    # (`SamplingParams.stop_repetition`), or 0
    repeated_tokens: int = 0


class ReplyEvent(Struct, frozen=True):
    """Base of all events."""

    session_id: str
    reply_id: str


class PromptProgress(ReplyEvent, frozen=True):
    """Progress of prefill: `done` of `total` tokens are in the KV cache, `reused` from before."""

    done: int
    total: int
    reused: int
    queue_position: int = 0  # prompts before this one; 0 while it is being read
    queued: bool = False  # waiting for memory in use by other replies; prefill has not begun


class TokenOdds(Struct, frozen=True):
    """Probability of a token according to the model, before any sampling parameter."""

    id: int
    data: bytes  # of the token; may be part of a character
    logprob: float  # natural logarithm of its probability
    # most probable tokens at this position, in descending order
    top: tuple[TokenOdds, ...] = ()


class TextDelta(ReplyEvent, frozen=True):
    """New text at the end of the reply's answer, reasoning or tool call."""

    text: str
    kind: Kind
    # of the answer's tokens since the last delta with odds, if requested. A delta with odds may
    # have no text.
    odds: tuple[TokenOdds, ...] = ()


class ToolCallStarted(ReplyEvent, frozen=True):
    """Start of a tool call. Events for calls are only sent if tools were offered.

    Each started call ends with one `ToolCallFinished` or `ToolCallFailed` before the reply's last
    event.
    """

    id: str  # of the call, from the model or random; unique in its conversation
    name: str  # of the tool


class ToolCallDelta(ReplyEvent, frozen=True):
    """Part of a call's arguments as JSON. Joined they equal those of `ToolCallFinished`."""

    id: str
    text: str


class ToolCallFinished(ReplyEvent, frozen=True):
    """End of a valid call of an offered tool."""

    id: str
    name: str
    arguments: str  # a JSON object, as text


class ToolCallFailed(ReplyEvent, frozen=True):
    """End of an invalid call: it cannot be parsed, is incomplete, or names an unknown tool."""

    id: str
    name: str  # of the tool, or "" if unknown; then there was no `ToolCallStarted`
    text: str  # as written by the model between its markers
    message: str  # reason
    # JSON object as text, for a call of a tool that was not offered, else ""
    arguments: str = ""


class Finished(ReplyEvent, frozen=True):
    """Last event of a reply that ended normally."""

    reason: FinishReason
    stats: ReplyStats
    stop: str | None = None  # stop string that ended it, or None
    # the assistant message as the session stores it; do not change it. A caller that sends whole
    # conversations sends it back unchanged. None if nothing is stored.
    message: Message | None = None


class Failed(ReplyEvent, frozen=True):
    """Last event of a reply that ended with an error: `EngineError`'s code, message and reason."""

    code: str
    message: str
    reason: str = ""


CallEvent = ToolCallStarted | ToolCallDelta | ToolCallFinished | ToolCallFailed
Event = PromptProgress | TextDelta | CallEvent | Finished | Failed
Sink = Callable[[Event, tuple[int, ...]], None]
"""Receiver of a reply's events, with the ids of their tokens. Called on the engine thread."""


class OpenSession(Struct, frozen=True):
    session_id: str
    model_id: str
    system: str | None
    reproducible: bool
    reasoning: bool | None
    on_overflow: Overflow = "refuse"
    kv_bits: int | None = None
    context: int | None = None
    scratch: bool = False  # closed after its first reply
    named: bool = False  # has an id from the caller, who may reopen it after a restart
    domain: str = ""  # nothing is shared with sessions of other domains
    begins_as: str = ""  # id of a closed session whose cache on disk it may start from


class Send(Struct, frozen=True):
    session_id: str
    reply_id: str
    prompt: Asked
    params: SamplingParams
    sink: Sink
    sent_at: float  # time.perf_counter() of the caller, to include the time in the mailbox
    template: Mapping[str, Any] = field(default_factory=dict)  # arguments besides the messages


class CountTokens(Struct, frozen=True):
    model_id: str
    prompt: Asked
    reasoning: bool | None
    template: Mapping[str, Any]
    answer: Future[int]
    only_template: bool = False  # count only what the template arguments add
    slides_in: int | None = None  # context in tokens, to leave out the oldest turns beyond it
    session_id: str = ""  # its already omitted messages are not counted


Command = (
    Load
    | Estimate
    | Unload
    | UnloadIdle
    | Pin
    | Relieve
    | OpenSession
    | Send
    | Cancel
    | Pause
    | Prioritise
    | Fork
    | CloseSession
    | Keep
    | Forget
    | CountTokens
    | Embed
    | GetStats
    | WorkDone
    | Stop
)
