"""Generate chat titles with the chat's own model while the engine is idle."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from msgspec import Struct
from PySide6.QtCore import QObject, QTimer, Slot

from app import flows
from app.chats.chat import Chat
from app.chats.library import ChatLibrary
from app.models.loading import LoadState
from app.remote.address import is_remote
from app.store import Message, title_from
from engine import EngineError, Failed, Finished, FinishReason, SamplingParams, TextDelta
from engine.text.invisible import escape_invisible

if TYPE_CHECKING:
    from engine import Model, Reply


LONGEST = 60  # characters in a title; longer answers are sentences and are discarded
MOST_WORDS = 9
_QUESTION_CHARS, _ANSWER_CHARS = 1_500, 1_000
"""About 700 tokens in total. `Engine.ask` has room for about 1,000."""

_ASKED = (
    "Write a title for the conversation below: three to six words that say what it is about, in "
    "the language of the conversation. Answer with the title only, without quotes."
)
_THOUGHT = re.compile(r"<think(?:ing)?>.*?(?:</think(?:ing)?>|\Z)", re.S | re.I)
_LABEL = re.compile(r"^(?:title|titel|titre|t[ií]tulo|タイトル|标题|標題)\s*[:：]\s*", re.I)
_MARKS = re.compile(r"^(?:#{1,6}\s+|[-*+>]\s+|\d+[.)]\s+)")
_LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")
_QUOTES = "\"'`*_~“”„‟‘’‚«»‹›「」『』《》〈〉"
_ENDS = ".!?…。！？"
_WORD = re.compile(r"\w+")
# Scripts without spaces between words. Hiragana (3040 to 309f) is excluded, because every Japanese
# sentence contains some.
_UNSPACED = "[\u0e00-\u0eff\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]"
_EMPTY = {
    *("the", "and", "for", "with", "from", "that", "this", "what", "when", "where", "which"),
    *("about", "into", "your", "you", "are", "how", "why", "can"),
    *("title", "conversation", "chat", "question", "answer", "user", "assistant"),
}
"""Words that say nothing about the topic."""


def first_exchange(path: Sequence[Message]) -> tuple[Message, Message] | None:
    """Get the first question and its complete answer, or None."""
    for question, answer in pairwise(path):
        if question.role == "user" and answer.role == "assistant":
            return (question, answer) if answer.status == "complete" else None
    return None


def title_prompt(question: str, answer: str) -> str:
    """Build the prompt for a title. It's a single message, which suits small models."""
    return (
        f"{_ASKED}\n\nQuestion:\n{_truncate(question, _QUESTION_CHARS)}"
        f"\n\nAnswer:\n{_truncate(answer, _ANSWER_CHARS)}\n\n{_ASKED.partition(':')[0]}."
    )


def clean_title(output: str) -> str:
    """Clean up a model's answer: one line, no reasoning, quotes or Markdown."""
    text = _THOUGHT.sub("", output)
    line = next((line.strip() for line in text.splitlines() if line.strip()), "")
    line = _LINK.sub(r"\1", _MARKS.sub("", line))
    line = _LABEL.sub("", line.strip(_QUOTES + " ")).strip(_QUOTES + " ")
    line = escape_invisible(line, lambda _: "").translate({ord("`"): None, ord("*"): None})
    return " ".join(line.split()).rstrip(",;:").strip(_QUOTES + " ")


def extract_title(output: str, question: str, answer: str) -> str:
    """Extract a usable title from a model's answer, or "" if the question's first words are better.

    A title is one short line, not a sentence, and on topic: at least half of its words (rounded
    down, but at least one) occur in the conversation in some form. Models that misunderstand the
    prompt write too much, repeat themselves or leave the topic.
    """
    if len(_THOUGHT.sub("", output).strip().splitlines()) > 1:
        return ""
    title = clean_title(output)
    words = [word.casefold() for word in _WORD.findall(title)]
    if not title or len(title) > LONGEST or len(words) > MOST_WORDS or title[-1] in _ENDS:
        return ""
    if len(words) > len(set(words)) + 1 or title.count(" ") < len(title) // 25:
        return ""
    if title.casefold() in {_ASKED.casefold(), title_from(question).casefold()}:
        return ""
    exchange = f"{question}\n{answer}".casefold()
    if re.search(_UNSPACED, title):
        telling = [c for c in set(re.findall(_UNSPACED, title)) if not "\u3040" <= c <= "\u309f"]
        found, of = sum(char in exchange for char in telling), len(telling) + 1
    else:
        telling = [word for word in words if len(word) > 2 and word not in _EMPTY]
        known = _WORD.findall(exchange)
        found, of = sum(_word_occurs(word, known) for word in telling), len(telling)
    return title if found >= max(1, of // 2) else ""


def _word_occurs(word: str, known: Sequence[str]) -> bool:
    """Check whether a word occurs, possibly with a different ending: "boiling" for "boil"."""
    begin = word[: max(3, len(word) - 3)]
    return any(known_word.startswith(begin) for known_word in known)


def _truncate(text: str, most: int) -> str:
    text = text.strip()
    return text if len(text) <= most else text[:most].rpartition(" ")[0] + " …"


TOKENS = 256  # token limit of an answer, with room for models that reason anyway
MOST_EXCHANGES = 3  # longer chats keep their current title
FAULTS = 3  # invalid answers in a row before we stop asking a model


class _PendingTitle(Struct):
    chat_id: str
    model_id: str
    title: str
    question: str
    answer: str
    channel: int = -1
    reply: Reply | None = None
    output: str = ""


class TitleGenerator(QObject):
    """Generates one title at a time, while there are no replies and the engine is idle.

    A reply cancels the request, which is sent again later. The user's titles are kept. Without a
    usable title, the beginning of the question is used.
    """

    REST_MS = 2_000  # idle time before requesting a title

    def __init__(
        self, library: ChatLibrary, wanted: Callable[[], bool], parent: QObject | None = None
    ) -> None:
        """``wanted`` returns True if titles should be generated."""
        super().__init__(parent)
        self._library, self._enabled = library, wanted
        self._queue: dict[str, None] = {}  # chats waiting for a title, most recent last
        self._tried: set[str] = set()
        # Number of consecutive invalid answers, by the engine's model ID.
        self._faults: dict[str, int] = {}
        self._job: _PendingTitle | None = None
        self._pause = QTimer(self, singleShot=True, interval=self.REST_MS)
        self._pause.timeout.connect(self.request_next)
        self._answering: set[str] = set()
        library.activity.connect(self._on_activity)

    @property
    def is_busy(self) -> bool:
        return self._job is not None

    @Slot()
    def request_next(self) -> None:
        """Request a title for a waiting chat if the engine is idle."""
        ready = self._job is None and self._enabled() and not self._library.replying_chats()
        if self._library.loader.engine is not None and ready and self._next() is not None:
            flows.start(self, self._begin())

    async def _begin(self) -> None:
        figures = await self._library.loader.figures.now()  # includes sessions of API clients
        if figures is None:
            return
        sessions = figures.get("sessions", {}).values()
        if any(session.get("status", "idle") != "idle" for session in sessions):
            self._pause.start()
        elif self._job is None and self._enabled() and not self._library.replying_chats():
            self._ask()

    def _next(self) -> tuple[Chat, Model] | None:
        for chat_id in reversed(list(self._queue)):
            chat = self._library.find(chat_id)
            if chat is None or not self._should_name(chat):
                del self._queue[chat_id]
                continue
            status = chat.model.status
            if status.state is LoadState.READY and status.model is not None:
                if self._faults.get(status.model.id, 0) < FAULTS:
                    return chat, status.model
                del self._queue[chat_id]
        return None

    def _should_name(self, chat: Chat) -> bool:
        record = self._library.chat(chat.id)
        if record is None or record.titled_by or record.archived_at is not None:
            return False
        if record.group_id is not None:  # groups are named after the question
            return False
        if is_remote(chat.record.model):  # never send anything to a server on our own initiative
            return False
        path = chat.transcript.path
        exchange = first_exchange(path)
        return (
            chat.id not in self._tried
            and exchange is not None
            and len(path) <= 2 * MOST_EXCHANGES
            and record.title == title_from(exchange[0].content)
        )

    def _ask(self) -> None:
        found, engine = self._next(), self._library.loader.engine
        if found is None or engine is None:
            return
        chat, model = found
        exchange = first_exchange(chat.transcript.path)
        assert exchange is not None  # checked by `_should_name`
        question, answer = (message.content for message in exchange)
        asked = self._job = _PendingTitle(chat.id, model.id, chat.record.title, question, answer)
        asked.channel, post = self._library.bridge.channel(self._on_event)
        try:
            asked.reply = engine.ask(
                model,
                title_prompt(question, answer),
                SamplingParams(max_tokens=TOKENS, temperature=0.0),
                on_event=post,
                reasoning=False,
            )
        except EngineError:
            self._release()

    def _on_event(self, event: object) -> None:
        pending = self._job
        if pending is None:
            return
        if isinstance(event, TextDelta) and event.kind == "answer":
            pending.output += event.text
            if len(pending.output) > 8 * LONGEST and pending.reply is not None:
                pending.reply.cancel()  # too long to be a title
        elif isinstance(event, Finished):
            self._release()
            self._on_title(pending, event.reason)
            self._pause.start()  # other chats may be waiting
        elif isinstance(event, Failed):
            # The engine stopped or the model was unloaded, so wait for the chat's next reply.
            self._queue.pop(pending.chat_id, None)
            self._release()

    def _on_title(self, pending: _PendingTitle, reason: FinishReason) -> None:
        self._queue.pop(pending.chat_id, None)
        self._tried.add(pending.chat_id)
        stopped = reason in (FinishReason.STOP, FinishReason.UNSTATED)
        title = extract_title(pending.output, pending.question, pending.answer) if stopped else ""
        self._faults[pending.model_id] = 0 if title else self._faults.get(pending.model_id, 0) + 1
        record = self._library.chat(pending.chat_id)
        if record is None or record.titled_by or record.archived_at is not None:
            return
        if title and record.title == pending.title and self._enabled():
            self._library.change({pending.chat_id: {"title": title, "titled_by": "model"}})

    def _release(self) -> None:
        pending, self._job = self._job, None
        if pending is not None:
            self._library.bridge.close(pending.channel)
            if pending.reply is not None:
                pending.reply.cancel()

    @Slot(str)
    def _on_activity(self, chat_id: str) -> None:
        chat = self._library.find(chat_id)
        if chat is None:
            return
        if chat.reply.is_active:
            self._answering.add(chat_id)
            self._pause.stop()
            self._release()  # the chat remains in the waiting list
        elif chat_id in self._answering:
            self._answering.discard(chat_id)
            self._queue.pop(chat_id, None)
            self._queue[chat_id] = None
            self._pause.start()
