"""Titles that a model writes: what it is asked, and which of its answers is one. Pure, no Qt."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from app.chats.transcript import title_from
from app.store import Message

LONGEST = 60
"""Characters of a title. A longer one is not cut: it is a sentence, and no title."""
MOST_WORDS = 9
_QUESTION_CHARS, _ANSWER_CHARS = 1_500, 1_000
"""Together some 700 tokens: `Engine.ask` keeps room for about a thousand."""

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
# Scripts that are written without blanks between the words. Hiragana (3040 to 309f) is in every
# Japanese sentence and tells nothing.
_UNSPACED = re.compile(r"[\u0e00-\u0eff\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]")
_EMPTY = {
    *("the", "and", "for", "with", "from", "that", "this", "what", "when", "where", "which"),
    *("about", "into", "your", "you", "are", "how", "why", "can"),
    *("title", "conversation", "chat", "question", "answer", "user", "assistant"),
}
"""Words that say nothing of what a conversation is about."""


def first_exchange(path: Sequence[Message]) -> tuple[Message, Message] | None:
    """The first question that was answered to its end, and the answer; None without one."""
    for question, answer in pairwise(path):
        if question.role == "user" and answer.role == "assistant":
            return (question, answer) if answer.status == "complete" else None
    return None


def asked_for_title(question: str, answer: str) -> str:
    """What a model is asked, in one message: small models know no other kind."""
    return (
        f"{_ASKED}\n\nQuestion:\n{_beginning(question, _QUESTION_CHARS)}"
        f"\n\nAnswer:\n{_beginning(answer, _ANSWER_CHARS)}\n\n{_ASKED.partition(':')[0]}."
    )


def cleaned(said: str) -> str:
    """What a model said as one line without reasoning, quotes and Markdown."""
    text = _THOUGHT.sub("", said)
    line = next((line.strip() for line in text.splitlines() if line.strip()), "")
    line = _LINK.sub(r"\1", _MARKS.sub("", line))
    line = _LABEL.sub("", line.strip(_QUOTES + " ")).strip(_QUOTES + " ")
    line = "".join(char for char in line if char.isprintable() and char not in "`*")
    return " ".join(line.split()).rstrip(",;:").strip(_QUOTES + " ")


def title_said(said: str, question: str, answer: str) -> str:
    """The title in what a model said; "" where the question's first words are the better one.

    A title is short, one line, no sentence, and about this conversation: at least half of its
    words (rounded down, and one) stand there in some form. What a model that does not understand
    the request says instead is too long, repeats itself or is about something else.
    """
    if len(_THOUGHT.sub("", said).strip().splitlines()) > 1:
        return ""
    title = cleaned(said)
    words = [word.casefold() for word in _WORD.findall(title)]
    if not title or len(title) > LONGEST or len(words) > MOST_WORDS or title[-1] in _ENDS:
        return ""
    if len(words) > len(set(words)) + 1 or title.count(" ") < len(title) // 25:
        return ""
    if title.casefold() in {_ASKED.casefold(), title_from(question).casefold()}:
        return ""
    there = f"{question}\n{answer}".casefold()
    if _UNSPACED.search(title):
        telling = [c for c in set(_UNSPACED.findall(title)) if not "\u3040" <= c <= "\u309f"]
        found, of = sum(char in there for char in telling), len(telling) + 1
    else:
        telling = [word for word in words if len(word) > 2 and word not in _EMPTY]
        known = _WORD.findall(there)
        found, of = sum(_stands_in(word, known) for word in telling), len(telling)
    return title if found >= max(1, of // 2) else ""


def _stands_in(word: str, known: Sequence[str]) -> bool:
    """Whether it stands there, also with another ending: "boiling" for "boil"."""
    begin = word[: max(3, len(word) - 3)]
    return any(other.startswith(begin) for other in known)


def _beginning(text: str, most: int) -> str:
    text = text.strip()
    return text if len(text) <= most else text[:most].rpartition(" ")[0] + " …"
