"""Tool calls that are not whole yet: which tools they name, and their arguments so far, as JSON.

Arguments that a model writes as JSON are told character by character. Those between tags are told
argument by argument, because only the end of one says what it is. Whatever is found here is only
what may be told early: the whole text is read by `engine.text.tool_calls`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from engine.text.tool_calls import Call

_LONGEST_HEAD = 512
"""Characters before arguments after which nothing more is told early: it is no call."""
_MOST_ENDS = 64
"""Ends of arguments at which the text so far is read; the time goes with their square."""


@dataclass
class Partial:
    """A call that may not be whole.

    Attributes:
        arguments: the beginning of a JSON object; empty while nothing is known.
        id: the model's own, where it stands before the arguments.
        whole: its end has come.
    """

    name: str
    arguments: str = ""
    id: str | None = None
    whole: bool = False


class Stream(Protocol):
    """What follows the text of a call, or of several that share their markers."""

    def feed(self, text: str) -> list[Partial]:
        """Take more text; gives all calls in it so far, in their order."""


class Nothing:
    """For formats of which nothing can be told early."""

    def feed(self, text: str) -> list[Partial]:
        """None."""
        return []


class Objects:
    """Arguments that are a JSON object as it stands.

    Args:
        head: what comes before an object, from the end of the one before it.
    """

    _PLAIN = re.compile(r'[^"\\{}\[\]\x00-\x1f]+')

    def __init__(self, head: re.Pattern[str]) -> None:
        self._head = head
        self._waiting = ""  # text before the next object
        self._depth = 0
        self._in_text = self._escaped = False
        self._lost = False
        self.found: list[Partial] = []

    def feed(self, text: str) -> list[Partial]:
        """Take more text; gives all calls in it so far, in their order."""
        while text and not self._lost:
            if self._depth:
                text = self._inside(text)
                continue
            self._waiting, text = self._waiting + text, ""
            begun = self._head.match(self._waiting)
            if begun is not None:
                known = {key: value for key, value in begun.groupdict().items() if value}
                name = next((known[key] for key in ("name", "other", "only") if key in known), "")
                self.found.append(Partial(name, "{", known.get("id")))
                text, self._waiting = self._waiting[begun.end() :], ""
                self._depth = 1
            else:
                self._lost = len(self._waiting) > _LONGEST_HEAD
        return self.found

    def _inside(self, text: str) -> str:
        """Take the text of an object; gives what comes after its end."""
        told, at = [self.found[-1].arguments], 0
        while at < len(text) and self._depth:
            plain = None if self._escaped else self._PLAIN.match(text, at)
            if plain is not None:
                told.append(plain[0])
                at = plain.end()
                continue
            one = text[at]
            at += 1
            if self._escaped:
                self._escaped = False
            elif self._in_text:
                self._escaped, self._in_text = one == "\\", one != '"'
            elif one == '"':
                self._in_text = True
            else:
                self._depth += (one in "{[") - (one in "}]")
            # Models write line breaks within texts, which JSON does not allow.
            raw = self._in_text and one < " "
            told.append(f"\\u{ord(one):04x}" if raw else one)
        self.found[-1].arguments = "".join(told)
        self.found[-1].whole = not self._depth
        return text[at:]


class Tags:
    """Arguments that stand between tags, each of them known at its end.

    Args:
        name: what names a tool, outside of arguments.
        opens, closes: what begins and ends an argument; empty where only the name can be told.
        end: what makes a whole call of one that has its first arguments.
        read: reads the calls of a text.
    """

    def __init__(
        self, name: str, opens: str, closes: str, end: str, read: Callable[[str], list[Call]]
    ) -> None:
        words = [f"(?P<tool>{name})"]
        if opens:
            words += [f"(?P<opens>{re.escape(opens)})"]
        if end:
            words += [f"(?P<ends>{re.escape(end)})"]
        self._words = re.compile("|".join(words), re.DOTALL)
        self._name = re.compile(name, re.DOTALL)
        self._closes, self._end, self._read = closes, end, read
        self._text = ""
        self._at = 0
        self._in_argument = False
        self._ends = 0
        self.found: list[Partial] = []

    def feed(self, text: str) -> list[Partial]:
        """Take more text; gives all calls in it so far, in their order."""
        self._text += text
        while self._ends < _MOST_ENDS:
            if self._in_argument:
                at = self._text.find(self._closes, self._at)
                if at < 0:
                    self._at = max(self._at, len(self._text) - len(self._closes) + 1)
                    break
                self._at, self._in_argument = at + len(self._closes), False
                self._look(self._end)
                continue
            word = self._words.search(self._text, self._at)
            if word is None:
                self._at = max(self._at, len(self._text) - _LONGEST_HEAD)
                break
            self._at = word.end()
            if word["tool"] is not None:
                named = self._name.match(self._text, word.start())
                self.found.append(Partial(named[1] if named is not None else ""))
                self._ends += not self._closes
            elif word[0] == self._end:
                self._look("")
            else:
                self._in_argument = True
        return self.found

    def _look(self, end: str) -> None:
        """Read the call that has one more argument, or its end."""
        self._ends += 1
        try:
            calls = self._read(self._text[: self._at] + end)
        except ValueError:
            return
        if len(calls) != len(self.found) or calls[-1].name != self.found[-1].name:
            return
        last, known = self.found[-1], calls[-1].arguments
        if self._end and not end:
            last.whole = True
        elif known != "{}":
            known = known.removesuffix("}")
        if (known.startswith(last.arguments) and known != "{}") or last.whole:
            last.arguments = known


_ID = r'(?:"(?:id|tool_call_id)"\s*:\s*"(?P<id>[^"\\]*)"\s*,\s*)?'
_OBJECTS = re.compile(
    # the end of the object before, where there is one
    r'(?:(?:\s*,\s*"\w+"\s*:\s*"[^"\\]*")*\s*\})?[\s,;\[\]]*+(?:functools[\s\[]*+)?\{\s*'
    rf'{_ID}(?:"type"\s*:\s*"function"\s*,\s*)?'
    r'(?:"(?:name|tool_name)"\s*:\s*"(?P<name>[^"\\]+)"\s*,\s*"(?:arguments|parameters)"'
    r'|"(?!(?:name|tool_name|function|arguments|parameters|id|type)")(?P<only>[^"\\]+)")\s*:\s*\{'
)
_OF_MISTRAL = re.compile(rf"[\s,]*(?P<other>[^\s\[{{\]]+)\s*\[ARGS\]\s*\{{|{_OBJECTS.pattern}")
_OF_KIMI = re.compile(
    r"\s*+(?:<\|tool_call_end\|>\s*+)?(?:<\|tool_call_begin\|>\s*+)?"
    r"(?P<id>functions\.(?P<name>.+?):\d+)\s*<\|tool_call_argument_begin\|>\s*\{"
)
_OF_HARMONY = re.compile(r"\s*(?:functions\.)?(?P<name>[^\s{]+)\s+\{")
_OF_DEEPSEEK = re.compile(
    r"(?:\s|```|<｜tool▁call▁(?:begin|end)｜>)*(?:function<｜tool▁sep｜>)?"
    r"(?P<name>[^\s<`{]+)(?:\s|```(?:json)?|<｜tool▁sep｜>)+\{"
)
_JSON = {
    "json_tools": _OBJECTS,
    "json": _OBJECTS,
    "mistral": _OF_MISTRAL,
    "kimi_k2": _OF_KIMI,
    "harmony": _OF_HARMONY,
    "deepseek": _OF_DEEPSEEK,
}
_DSML = "｜DSML｜"
_TAGS = {
    "qwen3_coder": (r"<function=([^\s<>]+)>", "<parameter=", "</parameter>", "</function>"),
    "minimax_m2": (
        r"<invoke name=[\"']?([^\"'>]+)[\"']?>",
        "<parameter name=",
        "</parameter>",
        "</invoke>",
    ),
    "minicpm5": (r"\A\s*[\"']?([^\"'<>]+)[\"']?\s*>", "<param name=", "</param>", ""),
    "dsml": (
        rf'<{_DSML}invoke name="([^"]+)">',
        f"<{_DSML}parameter name=",
        f"</{_DSML}parameter>",
        f"</{_DSML}invoke>",
    ),
    "muse_spark": (
        r'<atem:invoke name="([^"]+)">',
        "<atem:parameter name=",
        "</atem:parameter>",
        "</atem:invoke>",
    ),
    "kimi_k3": (
        r'<\|open\|>call tool="([^"]+)"[^<]*<\|sep\|>',
        "<|open|>argument",
        "<|close|>argument<|sep|>",
        "<|close|>call<|sep|>",
    ),
    "glm47": (r"\A\s*([^\s<{]+)\s*(?=<arg_key>)", "<arg_value>", "</arg_value>", ""),
    "longcat": (
        r"\A\s*([^\s<{]+)\s*(?=<longcat_arg_key>)",
        "<longcat_arg_value>",
        "</longcat_arg_value>",
        "",
    ),
    "pythonic": (r"\A\s*\[?\s*([\w.]+)\(", "", "", ""),
    "python lines": (r"\A\s*([\w.]+)\(", "", "", ""),
    "gemma4": (r"\A\s*call:([\w-]+)\{", "", "", ""),
    "function_gemma": (r"\A\s*call:(\w+)\{", "", "", ""),
}


_TAGS["laguna"] = _TAGS["glm47"]


def stream(name: str, read: Callable[[str], list[Call]]) -> Stream:
    """What follows the calls of a format.

    Args:
        name: a dialect's `tool_format`.
        read: reads the calls of a text; `ValueError` where there are none.
    """
    if name in _JSON:
        return Objects(_JSON[name])
    return Tags(*_TAGS[name], read) if name in _TAGS else Nothing()
