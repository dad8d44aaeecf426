"""Escaping of message contents, so that special tokens in them are treated as plain text.

Tokenizers recognize special tokens anywhere, including text from users, web pages and tools.
Before a template is rendered, a gap is inserted after the first character of each special token in
the contents. The gap is a character that never occurs in text. Before tokenization, the rendered
text is split at the gaps, which drops them.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from engine.messages import Message
from engine.text import recognition
from engine.text.dialects import Markers
from engine.text.pieces import GAP, escape_gaps

_SEARCHED = 2**16  # chunk size for searching, which releases the GIL between chunks
_NUMBER = re.compile(r"\d+")
_MAX_NUMBER_DIGITS = 8
_SHAPED = re.compile(r"[<\[]/?[|｜]")
_OUTSIDE = re.compile(r"^\W+|\W+$")
_Given = tuple[list[Message], dict[str, Any]]

_SCHEMA = {"type", "properties", "required", "items", "enum", "description", "name", "parameters"}


class GapInserter:
    """Inserter of gaps into template arguments.

    Args:
        marks: special tokens, and other strings with a meaning for the model.
        folds: True if the tokenizer matches some marks after normalizing the text.
    """

    def __init__(self, marks: Iterable[str], markers: Markers, folds: bool = False) -> None:
        mark_texts = {mark for mark in marks if len(mark) > 1 and GAP not in mark}
        self._mark_texts, self._markers = mark_texts, markers
        self._with: dict[str, GapInserter] = {}
        self._marks = _pattern_of(mark_texts)
        self._longest = max(map(len, mark_texts), default=0) + _MAX_NUMBER_DIGITS
        frames = {text for f in markers.frames for text in (f.start, *f.ends)} | {*markers.dropped}
        self._frames = _pattern_of(frames) if markers.header is None else None
        self._names = {_OUTSIDE.sub("", mark) for mark in mark_texts} - _SCHEMA
        self._folds = folds

    def with_mark(self, word: str) -> GapInserter:
        """Return an inserter that also breaks up `word`, e.g. a placeholder of the template."""
        is_mark = self._marks is not None and self._marks.fullmatch(word) is not None
        if not is_mark and word not in self._with:
            self._with[word] = GapInserter({*self._mark_texts, word}, self._markers, self._folds)
        return self._with.get(word, self)

    def insert(self, text: str, answer: bool = False) -> str:
        """Insert a gap into every mark in a text.

        Args:
            answer: True if the text is one of the model's replies. Delimiters of reasoning and
                calls stay intact in replies, because templates search for them.
        """
        text = escape_gaps(text)
        if self._marks is None or not (self._folds or self._find_mark(text, 0)):
            return text
        if not answer or self._frames is None:
            return self._insert_gaps(text)
        parts, at = list[str](), 0
        for frame in self._frames.finditer(text):
            parts += [self._insert_gaps(text[at : frame.start()]), frame.group()]
            at = frame.end()
        return "".join([*parts, self._insert_gaps(text[at:])])

    def insert_in_reply(self, raw: str, message: Message) -> str:
        """Insert gaps into a raw reply, in the same positions as in later prompts.

        Args:
            message: the reply as a message of those prompts.
        """
        for key, answer in (("reasoning_content", False), ("content", True)):
            text = message.get(key) or ""
            start = raw.rfind(text)
            if start >= 0 and (gapped := self.insert(text, answer)) != text:
                raw = f"{raw[:start]}{gapped}{raw[start + len(text) :]}"
        return raw

    def insert_in_messages(self, messages: list[Message]) -> list[Message]:
        """Insert gaps into the contents of messages. The result is the same list if nothing
        changes.
        """
        changed_messages = [
            {
                key: self.insert(value, True)
                if key == "content" and isinstance(value, str) and message["role"] == "assistant"
                else self.insert_in(value)
                for key, value in message.items()
            }
            for message in messages
        ]
        return messages if changed_messages == messages else changed_messages

    def insert_in(self, value: Any) -> Any:
        if isinstance(value, str):
            return self.insert(value)
        if isinstance(value, Mapping):
            return {self.insert_in(key): self.insert_in(inside) for key, inside in value.items()}
        if isinstance(value, (list, tuple)):
            return [self.insert_in(inside) for inside in value]
        return value

    def split_names(self, messages: list[Message], options: Mapping[str, Any]) -> _Given | None:
        """Insert gaps into tool and argument names that would become marks when put in brackets.

        Some templates turn names into tags, e.g. an argument `think` into `<think>`. Returns None
        if there is no such name.
        """
        changed_messages = [
            {
                **m,
                **{
                    key: self._split_in_calls(m[key])
                    for key in ("tool_calls", "name")
                    if m.get(key)
                },
            }
            for m in messages
        ]
        template = dict(options)
        if options.get("tools"):
            template["tools"] = self._split_in_calls(options["tools"])
        changed = changed_messages != messages or template != options
        return (changed_messages, template) if changed else None

    def _split_in_calls(self, value: Any) -> Any:
        if isinstance(value, str):
            return self._split_name(value)
        if isinstance(value, list):
            return [self._split_in_calls(inside) for inside in value]
        if not isinstance(value, Mapping):
            return value
        copy = dict(value)
        if "function" in copy:
            copy["function"] = self._split_in_calls(copy["function"])
        if isinstance(copy.get("name"), str):
            copy["name"] = self._split_name(copy["name"])
        for key in ("parameters", "arguments"):
            if key in copy:
                copy[key] = self._split_in_keys(copy[key])
        return copy

    def _split_in_keys(self, value: Any) -> Any:
        if isinstance(value, Mapping):
            return {
                self._split_name(key): self._split_in_keys(inside) for key, inside in value.items()
            }
        return [self._split_in_keys(v) for v in value] if isinstance(value, list) else value

    def _split_name(self, name: Any) -> Any:
        is_tool = isinstance(name, str) and len(name) > 1 and name in self._names
        return f"{name[0]}{GAP}{name[1:]}" if is_tool else name

    def count_marks(self, text: str) -> int:
        return 0 if self._marks is None else sum(1 for _ in self._marks.finditer(text))

    def _find_mark(self, text: str, at: int) -> re.Match[str] | None:
        assert self._marks is not None
        for start in range(at, len(text), _SEARCHED):
            match = self._marks.search(text, start, start + _SEARCHED + self._longest)
            if match is not None:
                return match
        return None

    def _insert_gaps(self, text: str) -> str:
        parts, at = list[str](), 0
        # Continue after the mark's first character, because marks may overlap.
        while (match := self._find_mark(text, at)) is not None:
            parts += [text[at : match.start() + 1], GAP]
            at = match.start() + 1
        text = "".join([*parts, text[at:]])
        if not self._folds or text.isascii():
            return text
        if not self.count_marks(unicodedata.normalize("NFKC", text)):
            return text
        return "".join(c + GAP if unicodedata.normalize("NFKC", c) != c else c for c in text)


def _pattern_of(texts: Iterable[str]) -> re.Pattern[str] | None:
    """Return a pattern that matches any of the texts. Texts that only differ in a number share a
    branch of the pattern.
    """
    shapes = Counter(_NUMBER.sub("0", text) for text in texts if text)
    alone = {text for text in texts if text and shapes[_NUMBER.sub("0", text)] == 1}
    alternatives = [re.escape(text) for text in alone]
    for shape, count in shapes.items():
        if count > 1:
            parts = map(re.escape, shape.split("0"))
            alternatives.append(rf"\d{{1,{_MAX_NUMBER_DIGITS}}}".join(parts))
    return (
        re.compile("|".join(sorted(alternatives, key=len, reverse=True))) if alternatives else None
    )


def marks_of(tokenizer: Any) -> tuple[list[str], bool]:
    """Return a tokenizer's marks, and True if it matches some of them in normalized text.

    Marks are the special tokens, plus added tokens that the template writes, that the dialect
    uses, or that look special. Other added tokens (runs of spaces, HTML tags, letters) are just
    text.
    """
    if (facts := getattr(tokenizer, "marks", None)) is not None:
        return list(facts["marks"]), bool(facts["folds"])
    inner = getattr(tokenizer, "_tokenizer", tokenizer)
    added = getattr(inner, "added_tokens_decoder", None)
    if not isinstance(added, Mapping):
        return [], False
    dialect, template = recognition.recognize(tokenizer), recognition.template_text(inner)
    row = dialect.row
    own_marks = {*dialect.markers.all, *row.ends, *row.needs}
    special = {*(getattr(inner, "all_special_tokens", None) or ())}

    def is_mark(token: Any) -> bool:
        text = str(token)
        if len(text) < 2 or not text.strip() or text in row.user_tokens:
            return False
        if getattr(token, "special", False) or text in special or text in own_marks:
            return True
        return _SHAPED.match(text) is not None or text in template

    mark_tokens = [token for token in added.values() if is_mark(token)]
    normalizer = getattr(getattr(inner, "backend_tokenizer", None), "normalizer", None)
    folds = normalizer is not None and any(getattr(t, "normalized", False) for t in mark_tokens)
    marks = {*map(str, mark_tokens)} | {s for s in special if len(s) > 1 and s.strip()}
    # Templates may also react to ordinary text, e.g. cut off everything before `</think>`.
    marks |= {m for m in dialect.markers.all if m in template and not m[0].isalpha()}
    return sorted(marks), folds


@recognition.cache_per_tokenizer
def of(tokenizer: Any) -> GapInserter:
    marks, folds = marks_of(tokenizer)
    return GapInserter(marks, recognition.of(tokenizer).markers, folds)
