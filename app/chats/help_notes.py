"""Reviewed answers to common questions in a chat with the Guide.

The Guide is a small model and often wrong, so it only answers questions that have no similar entry
in ``resources/guide/help.toml``.
"""

from __future__ import annotations

import functools
import math
import re
import tomllib
from collections import Counter

from msgspec import Struct

from app.settings.language import mark, tr
from app.settings.paths import resources

MIN_OVERLAP = 0.56
"""Minimum overlap of a question and a wording: weight of their common words over weight of all
words.
"""
MAX_WORDS = 14  # words in a question; longer questions ask for more than an entry answers

_WORD = re.compile(r"\w+")
_ENDING = re.compile(r"(?<=\w{3})(ing|ed|es|s|e)$")
_REMOVE_STRETTO = re.compile(
    r"\b(?:remove|delete|erase|get rid of) (?:stretto|(?:the|this) (?:app|program))\b"
)
_COMMON_WORDS = """
    a an the to of in on at for with from by as it its is are was be been am do does did can could
    will would should may i me my mine we our you your this that these those here there how what
    where which why when and or but not no any some please tell want need like get have has
    stretto app program so s t don doesn isn
"""
_COMMON = frozenset(_COMMON_WORDS.split())
_SAME = {
    **dict.fromkeys(("conversation", "thread", "dialogue"), "chat"),
    **dict.fromkeys(("answer", "response"), "reply"),
    **dict.fromkeys(("picture", "photo", "drawing"), "image"),
    **dict.fromkeys(("online", "internet", "google"), "web"),
    **dict.fromkeys(("llm", "llama", "qwen", "mistral", "gemma"), "model"),
    **dict.fromkeys(("computer", "machine", "mac", "laptop", "pc"), "computer"),
    **dict.fromkeys(("who", "anybody", "someone", "somebody", "others", "people"), "anyone"),
    "access": "see",
    "different": "another",
    "writing": "data",
    "windows": "microsoft",  # the operating system, not app windows
    **dict.fromkeys(("alter", "modify", "switch", "set"), "change"),
    **dict.fromkeys(("remove", "erase", "clear"), "delete"),
    **dict.fromkeys(("document", "pdf"), "document"),
    **dict.fromkeys(("stored", "saved", "kept", "located", "location"), "stored"),
}


class HelpEntry(Struct, frozen=True):
    id: str
    wordings: tuple[frozenset[str], ...]
    answer: str


def content_words(question: str) -> frozenset[str]:
    words = _WORD.findall(_REMOVE_STRETTO.sub("uninstall", question.casefold()))
    stems = (_SAME.get(word, word) for word in words if word not in _COMMON)
    return frozenset(_ENDING.sub("", _SAME.get(word.removesuffix("s"), word)) for word in stems)


@functools.cache
def _entries() -> tuple[tuple[HelpEntry, ...], dict[str, float]]:
    topics = tomllib.loads((resources() / "guide" / "help.toml").read_text("utf-8"))["topic"]
    entries = tuple(
        HelpEntry(topic["id"], tuple(map(content_words, topic["ask"])), topic["say"][0])
        for topic in topics
    )
    counts = Counter(word for entry in entries for word in frozenset[str]().union(*entry.wordings))
    return entries, {word: math.log(1 + len(entries) / n) for word, n in counts.items()}


def entry_for(question: str) -> HelpEntry | None:
    """Return the entry that answers a question, or None if no wording is close enough."""
    question_words = content_words(question)
    if not question_words or len(_WORD.findall(question)) > MAX_WORDS:
        return None
    entries, weights = _entries()
    unknown = 2 * math.log(1 + len(entries))  # the question is about something else

    def weight(words: frozenset[str]) -> float:
        return sum(weights.get(word, unknown) for word in words)

    def overlap(entry: HelpEntry) -> float:
        return max(
            weight(question_words & words) / weight(question_words | words)
            for words in entry.wordings
        )

    best = max(entries, key=overlap)
    return best if overlap(best) >= MIN_OVERLAP else None


_FROM_HELP = mark("From Help, because the Guide can get this wrong.")


def format_note(entry: HelpEntry) -> str:
    return f"{entry.answer}\n\n*{tr(_FROM_HELP)}*"
