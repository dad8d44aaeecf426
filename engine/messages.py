"""Commands that are posted to the engine thread, and events that it sends back.

Every message is frozen and contains only plain Python values.
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
    answer: Future[Any]  # returns an engine.model.info.Model; can be canceled
    callback: Callable[[float], None] | None = None  # progress callback, from 0 to 1
    adapter: str | None = None  # adapter folder
    draft: str | None = None  # folder of a draft model, LOOKUP, or "" for none
    outer: Future[Any] | None = None  # future of the command that caused this load

    @property
    def is_cancelled(self) -> bool:
        return self.answer.cancelled() or (self.outer is not None and self.outer.cancelled())


class Estimate(Struct, frozen=True):
    path: str
    context: int | None
    chats: int
    kv_bits: int | None
    answer: Future[Any]  # returns an engine.cache.estimate.Fit
    adapter: str | None = None


class Unload(Struct, frozen=True):
    model_id: str
    answer: Future[None]


class Relieve(Struct, frozen=True):
    answer: Future[int]  # returns the number of bytes freed


class Cancel(Struct, frozen=True):
    session_id: str
    reply_id: str
    whole: bool = False  # same as in `Reply.cancel`


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
    domain: str = ""  # if set, delete the caches of all API clients' sessions in it


class Embed(Struct, frozen=True):
    model_id: str
    texts: tuple[str | tuple[int, ...], ...]
    answer: Future[Embeddings]


class Embeddings(Struct, frozen=True):
    """Unit vectors as little-endian float32, one per text, and the total token count."""

    vectors: tuple[bytes, ...]
    tokens: int


class FileWritten(Struct, frozen=True):
    """A cache was written to disk, and its memory can be freed."""


class GetStats(Struct, frozen=True):
    answer: Future[dict[str, Any]]


class WorkDone(Struct, frozen=True):
    job: int = 0  # job number, or 0 to just wake up the engine thread
    value: Any = None  # result of the job
    error: BaseException | None = None  # exception raised by the job


class Stop(Struct, frozen=True):
    pass


Kind = Literal["answer", "reasoning", "tool"]
Overflow = Literal["refuse", "slide"]
Message = dict[str, Any]
"""Chat message as chat templates expect it: {"role": ..., "content": ...} plus optional keys.

`content` is a string, or a list of parts for messages with images or audio:
`{"type": "text", "text": str}`, `{"type": "image", "image": Image}` and
`{"type": "audio", "audio": Audio}`. The text of a part may also be a function that returns a
string. It's called when the text is needed, on any thread, so attached files aren't read earlier.
"""


@dataclasses.dataclass(frozen=True, eq=False)
class _Medium:
    """Image or audio file attached to a message."""

    # Contents of the file, or a function that reads the file and returns None if it was deleted.
    # The function is called for each use, on any thread, so that long chats don't keep their files
    # in memory.
    file: bytes | Callable[[], bytes | None] = dataclasses.field(repr=False)
    name: str = ""  # digest, if the caller has already computed it

    def __eq__(self, other: object) -> bool:
        return isinstance(other, type(self)) and self.digest == other.digest

    def __hash__(self) -> int:
        return hash(self.digest)

    @property
    def data(self) -> bytes:
        """Contents of the file, or b"" if it was deleted. May block on disk I/O."""
        return self.file if isinstance(self.file, bytes) else self.file() or b""

    @property
    def digest(self) -> str:
        """Hex SHA-256 of the file, or a unique placeholder for a deleted file."""
        if self.name:
            return self.name
        hex_digest: str | None = self.__dict__.get("_digest")
        if hex_digest is None:
            data = self.data
            if not data and not isinstance(self.file, bytes):
                return f"lost {id(self):x}"
            hex_digest = self.__dict__["_digest"] = hashlib.sha256(data).hexdigest()
        return hex_digest

    @property
    def media_type(self) -> str:
        """Media type detected from the first bytes, e.g. "image/png", or "" if unknown."""
        data = self.data
        if data[:4] == b"RIFF":
            return {b"WEBP": "image/webp", b"WAVE": "audio/wav"}.get(data[8:12], "")
        return next((kind for head, kind in _KINDS.items() if data.startswith(head)), "")


class Image(_Medium):
    """Image in a message: PNG, JPEG or any other format that `sandbox.images` supports."""


class Audio(_Medium):
    """Audio in a message: WAV, MP3, FLAC or Ogg Vorbis (see `sandbox.sounds`)."""


SAVE_HEIC = (
    "a HEIC photo. Save it as JPEG. iPhones take JPEG photos with Settings > Camera > Formats > "
    "Most Compatible"
)


def is_heic(head: bytes) -> bool:
    """Return True for the first bytes of a HEIC or HEIF image."""
    brands = (b"heic", b"heix", b"heim", b"heis", b"hevc", b"hevx", b"mif1", b"msf1")
    return head[4:8] == b"ftyp" and head[8:12] in brands


LOST = {
    "image": "[An image was here. It is no longer available.]\n",
    "audio": "[A recording was here. It is no longer available.]\n",
}
"""Text that the model gets in place of a deleted file."""


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
    """Return the joined text parts of a message's content. May block on disk I/O."""
    if isinstance(content, (list, tuple)):
        texts = [part["text"] for part in content if part["type"] == "text"]
        return "".join(text() if callable(text) else text for text in texts)
    return str(content or "")


REASONING_FIELDS = ("reasoning_content", "thinking", "reasoning", "reasoning_text")
"""Message fields that different clients use for the reasoning of earlier answers."""
_REASONING_LISTS = ("reasoning_details", "thinking_blocks")  # used by OpenRouter and LiteLLM
_REASONING_PARTS = ("thinking", "reasoning", "redacted_thinking")


def reasoning_of(message: Message) -> str:
    """Return the reasoning of an assistant message, in any format that clients use."""
    names = (*REASONING_FIELDS, *_REASONING_LISTS)
    reasoning = next((text for name in names if (text := reasoning_text(message.get(name)))), "")
    content = message.get("content")
    if reasoning or not isinstance(content, list):
        return reasoning
    return reasoning_text([part for part in content if _is_reasoning(part)])


def with_reasoning(message: Message) -> Message:
    """Return a copy of an assistant message with its reasoning in `reasoning_content`."""
    removed_names = (*REASONING_FIELDS, *_REASONING_LISTS)
    fields = {name: value for name, value in message.items() if name not in removed_names}
    if thought := reasoning_of(message):
        fields["reasoning_content"] = thought
    if isinstance(content := message.get("content"), list):
        fields["content"] = [part for part in content if not _is_reasoning(part)]
    return fields


def _is_reasoning(part: Any) -> bool:
    return isinstance(part, dict) and part.get("type") in _REASONING_PARTS


def reasoning_text(value: Any) -> str:
    """Return reasoning as text, which clients send as a string, a list of parts or an object."""
    if isinstance(value, list):
        return "".join(map(reasoning_text, value))
    if isinstance(value, dict):
        names = ("text", "thinking", "reasoning", "summary", "content")
        return next((text for name in names if (text := reasoning_text(value.get(name)))), "")
    return value if isinstance(value, str) else ""


def medium_of(part: Any) -> Image | Audio | None:
    """Return the image or audio of a content part, or None for any other part."""
    kind = part.get("type") if isinstance(part, dict) else None
    medium = _TYPES.get(kind) if isinstance(kind, str) else None
    return part[kind] if medium is not None and isinstance(part.get(kind), medium) else None


_TYPES = {"image": Image, "audio": Audio}


def media_in(messages: Sequence[Message]) -> list[Image | Audio]:
    lists = (m["content"] for m in messages if isinstance(m.get("content"), (list, tuple)))
    return [medium for parts in lists for part in parts if (medium := medium_of(part))]


class RawPrompt(Struct, frozen=True):
    """Prompt for plain text completion, without a chat template."""

    # Tokenized with BOS. Special tokens are parsed, so don't use this field for untrusted text.
    text: str | None = None
    tokens: tuple[int, ...] = ()  # used if `text` is None


class AddedMessages(Struct, frozen=True):
    messages: tuple[Message, ...]


PromptInput = str | tuple[Message, ...] | RawPrompt | AddedMessages
"""Prompt for a session: a user message, a whole conversation, a raw prompt, or new messages."""


class FinishReason(StrEnum):
    """Reason for the end of a reply. `ERROR` is only used for `Failed` events.

    `LENGTH` means that the reply reached `max_tokens` or the model's context limit, or was stopped
    for repeating itself (`ReplyStats.repeated_tokens`). `MEMORY` means that there was no memory
    for more tokens. `UNSTATED` is used for remote servers that don't send a reason, so the reply
    may be incomplete.
    """

    STOP = "stop"
    LENGTH = "length"
    MEMORY = "memory"
    UNSTATED = "unstated"
    CANCELLED = "cancelled"
    ERROR = "error"


class ReplyStats(Struct, frozen=True):
    """Statistics of a reply. Times in seconds, counts in tokens."""

    prompt_tokens: int = 0  # total prompt tokens, including history
    reused_tokens: int = 0  # prompt tokens that were already in the KV cache
    generated_tokens: int = 0  # number of tokens including reasoning, but without the EOS token
    ttft_s: float = 0.0  # from `send` to the first token
    decode_s: float = 0.0  # from the first to the last token
    tokens_per_s: float = 0.0  # tokens after the first, divided by `decode_s`; 0 for a single token
    # The cache was evicted and had to be prefilled again. Prefill may round differently than
    # decoding, which only matters for reproducible sessions.
    rebuilt: bool = False
    # Number of oldest messages dropped to fit the context (`on_overflow="slide"`).
    dropped_messages: int = 0
    reasoning_tokens: int = 0  # part of `generated_tokens`
    # Length of the repetition if `SamplingParams.stop_repetition` stopped the reply, else 0.
    repeated_tokens: int = 0


class ReplyEvent(Struct, frozen=True):
    session_id: str
    reply_id: str


class PromptProgress(ReplyEvent, frozen=True):
    """Prefill progress, in tokens. `done` includes the `reused` tokens of earlier requests."""

    done: int
    total: int
    reused: int
    queue_position: int = 0  # number of prompts ahead of this prompt; 0 during prefill
    queued: bool = False  # waiting for other replies to free memory, before prefill


class TokenOdds(Struct, frozen=True):
    """Log probability of a token, before sampling parameters are applied."""

    id: int
    data: bytes  # UTF-8 bytes of the token; may be an incomplete character
    logprob: float  # natural logarithm of the probability
    # Most probable tokens at this position, in descending order.
    top: tuple[TokenOdds, ...] = ()


class TextDelta(ReplyEvent, frozen=True):
    """New text of the answer, the reasoning or a tool call."""

    text: str
    kind: Kind
    # If logprobs were requested: odds of the answer's tokens since the last delta with odds. The
    # text of a delta with odds can be empty.
    odds: tuple[TokenOdds, ...] = ()


class ToolCallStarted(ReplyEvent, frozen=True):
    """Start of a tool call. Tool call events are only sent if the request had tools.

    Every call that was started ends with exactly one `ToolCallFinished` or `ToolCallFailed`, before
    the reply's last event.
    """

    id: str  # call id, from the model or random; unique within the conversation
    name: str


class ToolCallDelta(ReplyEvent, frozen=True):
    """Chunk of a call's JSON arguments. Joined, the chunks equal `ToolCallFinished.arguments`."""

    id: str
    text: str


class ToolCallFinished(ReplyEvent, frozen=True):
    """End of a valid tool call."""

    id: str
    name: str
    arguments: str  # JSON object


class ToolCallFailed(ReplyEvent, frozen=True):
    """End of an invalid tool call: it's malformed, incomplete, or calls an unknown tool."""

    id: str
    name: str  # tool name, or "" if parsing failed (there is no `ToolCallStarted` in this case)
    text: str  # raw text between the model's tool call markers
    message: str  # description of the error
    # JSON object if the call is well-formed but the tool is unknown, else "".
    arguments: str = ""


class Finished(ReplyEvent, frozen=True):
    """Last event of a reply that ended normally."""

    reason: FinishReason
    stats: ReplyStats
    stop: str | None = None  # matched stop string, if any
    # The assistant message as stored in the session, or None if nothing was stored. Don't modify
    # this message. Callers that send whole conversations must send it back unchanged to hit the KV
    # cache.
    message: Message | None = None


class Failed(ReplyEvent, frozen=True):
    """Last event of a reply that failed, with the fields of its `EngineError`."""

    code: str
    message: str
    reason: str = ""


CallEvent = ToolCallStarted | ToolCallDelta | ToolCallFinished | ToolCallFailed
Event = PromptProgress | TextDelta | CallEvent | Finished | Failed
Sink = Callable[[Event, tuple[int, ...]], None]
"""Callback for a reply's events and their token ids. Called on the engine thread."""


class OpenSession(Struct, frozen=True):
    session_id: str
    model_id: str
    system: str | None
    reproducible: bool
    reasoning: bool | None
    on_overflow: Overflow = "refuse"
    kv_bits: int | None = None
    context: int | None = None
    one_shot: bool = False  # the session is closed after its first reply
    named: bool = False  # the caller chose the id, and may reopen the session after a restart
    # Sessions only share caches within a domain. Otherwise, cache hits would reveal prompts from
    # other domains.
    domain: str = ""


class Send(Struct, frozen=True):
    session_id: str
    reply_id: str
    prompt: PromptInput
    params: SamplingParams
    sink: Sink
    sent_at: float  # time of posting on the mailbox's clock; TTFT includes the wait in the mailbox
    template: Mapping[str, Any] = field(default_factory=dict)  # extra chat template variables


class CountTokens(Struct, frozen=True):
    model_id: str
    prompt: PromptInput
    reasoning: bool | None
    template: Mapping[str, Any]
    answer: Future[int]
    only_template: bool = False  # only count the tokens added by `template`
    slides_in: int | None = None  # context in tokens; older turns that don't fit aren't counted
    session_id: str = ""  # session whose dropped messages aren't counted


Command = (
    Load
    | Estimate
    | Unload
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
    | FileWritten
    | WorkDone
    | Stop
)
