"""Every message that crosses the thread boundary: commands in, events out. Nothing else does.

All are frozen and hold plain Python values only, so no lazy array and no Qt object can travel.
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
    answer: Future[Any]  # of engine.model.info.Model; it may be cancelled
    told: Callable[[float], None] | None = None  # called with the share of the weights that is read
    adapter: str | None = None  # a folder: a variant of the model is wanted
    draft: str | None = None  # a folder: a model that drafts for it; LOOKUP; empty for none
    outer: Future[Any] | None = None  # the answer of the command that it is read for

    @property
    def dropped(self) -> bool:
        """Whether nobody waits for it any more."""
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
    after: float | None  # seconds; None for never
    told: Callable[[str], None] | None  # called with the model's id


class Pin(Struct, frozen=True):
    model_id: str
    pinned: bool


class Relieve(Struct, frozen=True):
    answer: Future[int]  # bytes that were given back


class Cancel(Struct, frozen=True):
    session_id: str
    reply_id: str
    whole: bool = False  # as of `Reply.cancel`


class Pause(Struct, frozen=True):
    session_id: str
    reply_id: str
    paused: bool  # or to be resumed


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
    """A vector of length 1 for each text, as little-endian float32, and the tokens of all."""

    vectors: tuple[bytes, ...]
    tokens: int


class GetStats(Struct, frozen=True):
    answer: Future[dict[str, Any]]


class WorkDone(Struct, frozen=True):
    """What came of work that was done on another thread."""

    job: int = 0  # its number; 0 where nobody waits and the engine thread is only to look around
    value: Any = None  # what the work returned
    error: BaseException | None = None  # what it raised


class Stop(Struct, frozen=True):
    pass


Kind = Literal["answer", "reasoning", "tool"]
Overflow = Literal["refuse", "slide"]
Message = dict[str, Any]
"""One turn as the templates want it: {"role": ..., "content": ...}, more keys allowed.

A content is a text or, where there are images or sounds in it, a list of `{"type": "text", "text":
str}`, `{"type": "image", "image": Image}` and `{"type": "audio", "audio": Audio}`. A text in a list
may also be what gives it when it is called, on any thread: a file's is then read where it is
needed, as an image's is.
"""


@dataclasses.dataclass(frozen=True, eq=False)
class _Medium:
    """A file in a message that a model takes as it is."""

    # its bytes; or what reads them, on any thread and each time anew, so that nobody holds those of
    # a long conversation. It gives None where they are not there any more.
    file: bytes | Callable[[], bytes | None] = dataclasses.field(repr=False)
    name: str = ""  # the digest, where it is known without the bytes

    def __eq__(self, other: object) -> bool:
        return isinstance(other, type(self)) and self.digest == other.digest

    def __hash__(self) -> int:
        return hash(self.digest)

    @property
    def data(self) -> bytes:
        """The file; empty where it is not there any more. Reading it may wait for a disk."""
        return self.file if isinstance(self.file, bytes) else self.file() or b""

    @property
    def digest(self) -> str:
        """SHA-256 of the file, in hexadecimal digits: names it wherever something is kept of it.

        While the file is not there, it is a name that no other file has.
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
        """By its first bytes: "image/png"; empty for what no such file begins with."""
        data = self.data
        if data[:4] == b"RIFF":
            return {b"WEBP": "image/webp", b"WAVE": "audio/wav"}.get(data[8:12], "")
        return next((kind for head, kind in _KINDS.items() if data.startswith(head)), "")


class Image(_Medium):
    """A picture in a message: a file of PNG, JPEG or another format, as `sandbox.images` reads."""


class Audio(_Medium):
    """A recording in a message: WAV, MP3, FLAC or Ogg Vorbis, as `sandbox.sounds` reads."""


SAVE_HEIC = (
    "a HEIC photo. Save it as JPEG. iPhones take JPEG photos with Settings > Camera > Formats > "
    "Most Compatible"
)
"""The end of a sentence that refuses one."""


def is_heic(head: bytes) -> bool:
    """Return True if the first bytes of a file are those of a HEIC or HEIF image."""
    brands = (b"heic", b"heix", b"heim", b"heis", b"hevc", b"hevx", b"mif1", b"msf1")
    return head[4:8] == b"ftyp" and head[8:12] in brands


LOST = {
    "image": "[Here was an image that is not there any more.]\n",
    "audio": "[Here was a recording that is not there any more.]\n",
}
"""What a model reads in its place."""


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
    """The text of a message's content, without images and sounds. It may wait for a disk."""
    if isinstance(content, (list, tuple)):
        texts = [part["text"] for part in content if part["type"] == "text"]
        return "".join(text() if callable(text) else text for text in texts)
    return str(content or "")


REASONING_FIELDS = ("reasoning_content", "thinking", "reasoning", "reasoning_text")
"""Fields of a message in which clients send the reasoning of an earlier answer."""
_REASONING_LISTS = ("reasoning_details", "thinking_blocks")  # of OpenRouter and LiteLLM
_REASONING_PARTS = ("thinking", "reasoning", "redacted_thinking")


def reasoning_of(message: Message) -> str:
    """Return the reasoning of an earlier answer, whatever its client calls it."""
    names = (*REASONING_FIELDS, *_REASONING_LISTS)
    found = next((text for name in names if (text := reasoning_text(message.get(name)))), "")
    content = message.get("content")
    if found or not isinstance(content, list):
        return found
    return reasoning_text([part for part in content if _is_reasoning(part)])


def with_reasoning(message: Message) -> Message:
    """Return a message of an assistant with its reasoning under `reasoning_content` alone."""
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
    """Return reasoning that was sent as a text, as parts or as an object, or "" if it has none."""
    if isinstance(value, list):
        return "".join(map(reasoning_text, value))
    if isinstance(value, dict):
        names = ("text", "thinking", "reasoning", "summary", "content")
        return next((text for name in names if (text := reasoning_text(value.get(name)))), "")
    return value if isinstance(value, str) else ""


def medium_of(part: Any) -> Image | Audio | None:
    """The image or sound that a part of a content is; None where it is no such part."""
    kind = part.get("type") if isinstance(part, dict) else None
    wanted = _TYPES.get(kind) if isinstance(kind, str) else None
    return part[kind] if wanted is not None and isinstance(part.get(kind), wanted) else None


_TYPES = {"image": Image, "audio": Audio}


def media_in(messages: Sequence[Message]) -> list[Image | Audio]:
    """The images and sounds of messages, in their order."""
    lists = (m["content"] for m in messages if isinstance(m.get("content"), (list, tuple)))
    return [medium for parts in lists for part in parts if (medium := medium_of(part))]


class RawPrompt(Struct, frozen=True):
    """What a model is to continue as it stands, without a chat template."""

    # is tokenised, after the token that the tokenizer puts first. Special tokens in it are such:
    # whoever sends one writes the template's part, too, and puts no other's text in.
    text: str | None = None
    tokens: tuple[int, ...] = ()  # where there is no text


class Added(Struct, frozen=True):
    """Messages that go after what was said so far."""

    messages: tuple[Message, ...]


Asked = str | tuple[Message, ...] | RawPrompt | Added
"""What a session is sent: a text or messages to add, a whole conversation, or a raw prompt."""


class FinishReason(StrEnum):
    """Why a reply ended. A `Failed` event means `ERROR`, `Finished` carries the others.

    `LENGTH` is a limit: the caller's, or the model's context; or the reply was stopped because it
    repeated itself (`ReplyStats.repeated_tokens`). With `MEMORY` the answer might have
    been longer, and there was no more memory for it. `UNSTATED` is a remote server's that gave no
    reason: the reply may be incomplete.
    """

    STOP = "stop"
    LENGTH = "length"
    MEMORY = "memory"
    UNSTATED = "unstated"
    CANCELLED = "cancelled"
    ERROR = "error"


class ReplyStats(Struct, frozen=True):
    """What one reply cost. Times in seconds, counts in tokens."""

    prompt_tokens: int = 0  # the whole prompt, history included
    reused_tokens: int = 0  # how many of them were in the session's KV cache already
    generated_tokens: int = 0  # reasoning included, the end-of-turn token not
    ttft_s: float = 0.0  # from `send` to the first token
    decode_s: float = 0.0  # from the first to the last token
    tokens_per_s: float = 0.0  # tokens after the first, divided by `decode_s`; 0 for a single token
    # the cache had been dropped for memory and was made anew by prefill, which may round
    # differently from decoding (matters only to reproducible sessions)
    rebuilt: bool = False
    # how many of the oldest messages the model did not see, because they did not fit into its
    # context any more (sessions with `on_overflow="slide"`)
    dropped_messages: int = 0
    reasoning_tokens: int = 0  # how many of the generated ones are reasoning
    # Tokens of the repetition that the reply was stopped for, with `LENGTH` as its reason
    # (`SamplingParams.stop_repetition`). 0 if it was not.
    repeated_tokens: int = 0


class ReplyEvent(Struct, frozen=True):
    """What all events share: whose they are."""

    session_id: str
    reply_id: str


class PromptProgress(ReplyEvent, frozen=True):
    """`done` of `total` prompt tokens are in the KV cache, `reused` of them from before."""

    done: int
    total: int
    reused: int
    queue_position: int = 0  # how many prompts come before this one; 0 means it is being read
    queued: bool = False  # it waits for memory that other replies hold; its reading has not begun


class TokenOdds(Struct, frozen=True):
    """How probable a token was to the model, before any sampling setting."""

    id: int
    data: bytes  # the bytes that it stands for, which may be a part of a character
    logprob: float  # the natural logarithm of its probability
    # the most probable tokens in its place, the first one before the others
    top: tuple[TokenOdds, ...] = ()


class TextDelta(ReplyEvent, frozen=True):
    """New text at the end of the reply's answer, reasoning or tool call."""

    text: str
    kind: Kind
    # of the answer's tokens up to here that were not told yet, where they were asked for. A delta
    # with odds may have no text.
    odds: tuple[TokenOdds, ...] = ()


class ToolCallStarted(ReplyEvent, frozen=True):
    """The model calls a tool. Events of calls are told only where tools were offered.

    Each call that has started ends with one `ToolCallFinished` or `ToolCallFailed`, before the
    reply's last event.
    """

    id: str  # of the call: the model's own, or made up. No other call in its conversation has it.
    name: str  # of the tool


class ToolCallDelta(ReplyEvent, frozen=True):
    """More of a call's arguments, as JSON. All of them joined are those of `ToolCallFinished`."""

    id: str
    text: str


class ToolCallFinished(ReplyEvent, frozen=True):
    """A tool call is complete. It names a tool that was offered."""

    id: str
    name: str
    arguments: str  # a JSON object, as text


class ToolCallFailed(ReplyEvent, frozen=True):
    """What was to be a tool call is none: it cannot be read, or the answer ended within it."""

    id: str
    name: str  # of the tool; empty where it is not known. Then it has not been told to start.
    text: str  # as the model wrote it between its markers
    message: str  # what is wrong with it
    # a JSON object, as text, of a call of a tool that was not offered; else empty
    arguments: str = ""


class Finished(ReplyEvent, frozen=True):
    """The reply's last event: it ended as asked."""

    reason: FinishReason
    stats: ReplyStats
    stop: str | None = None  # the stop string that ended it, if one did
    # the assistant's turn as the session keeps it, not to be changed. A caller that sends whole
    # conversations sends it back as it is. None where nothing is kept.
    message: Message | None = None


class Failed(ReplyEvent, frozen=True):
    """The reply's last event: it ended with an error (`EngineError`'s code, message and reason)."""

    code: str
    message: str
    reason: str = ""


CallEvent = ToolCallStarted | ToolCallDelta | ToolCallFinished | ToolCallFailed
Event = PromptProgress | TextDelta | CallEvent | Finished | Failed
Sink = Callable[[Event, tuple[int, ...]], None]
"""Where a reply's events go, with the ids that came with them. Called on the engine thread."""


class OpenSession(Struct, frozen=True):
    session_id: str
    model_id: str
    system: str | None
    reproducible: bool
    reasoning: bool | None
    on_overflow: Overflow = "refuse"
    kv_bits: int | None = None
    context: int | None = None
    scratch: bool = False  # ends with its first reply
    named: bool = False  # by the caller, who may come back to it after a restart
    domain: str = ""  # sessions of other ones share nothing with it
    begins_as: str = ""  # one that is closed, and whose cache on disk it begins from


class Send(Struct, frozen=True):
    session_id: str
    reply_id: str
    prompt: Asked
    params: SamplingParams
    sink: Sink
    sent_at: float  # time.perf_counter() of the caller, so that waiting in the mailbox counts
    template: Mapping[str, Any] = field(default_factory=dict)  # beside the messages


class CountTokens(Struct, frozen=True):
    model_id: str
    prompt: Asked
    reasoning: bool | None
    template: Mapping[str, Any]
    answer: Future[int]
    only_template: bool = False  # how many more than without it
    slides_in: int | None = None  # without the oldest turns that so many tokens have no room for
    session_id: str = ""  # nor those that it has left out before


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
