"""Conversion of Lark grammars to regular expressions where possible.

A call's string argument is JSON-escaped or between tags, where llguidance can apply an expression
but not a grammar. Most tool grammars, e.g. Codex's patch format, have no recursive rules.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

MAX_CHARACTERS = 50_000  # length limit for the grammar and the resulting expression

_COMMON = {
    "DIGIT": "[0-9]",
    "HEXDIGIT": "[a-fA-F0-9]",
    "INT": "[0-9]+",
    "SIGNED_INT": "[+-]?[0-9]+",
    "DECIMAL": r"(?:[0-9]+\.[0-9]*|\.[0-9]+)",
    "FLOAT": r"(?:[0-9]+[eE][+-]?[0-9]+|(?:[0-9]+\.[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)",
    "NUMBER": r"(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?",
    "SIGNED_NUMBER": r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?",
    "ESCAPED_STRING": r'"(?:[^"\\\n]|\\.)*"',
    "LCASE_LETTER": "[a-z]",
    "UCASE_LETTER": "[A-Z]",
    "LETTER": "[A-Za-z]",
    "WORD": "[A-Za-z]+",
    "CNAME": "[A-Za-z_][A-Za-z0-9_]*",
    "WS_INLINE": r"[ \t]+",
    "WS": r"[ \t\f\r\n]+",
    "CR": r"\r",
    "LF": r"\n",
    "NEWLINE": r"(?:\r?\n)+",
}

_TOKEN = re.compile(
    r"""(?P<blank>\s+|//[^\n]*|\#[^\n]*)
    |(?P<rule>[?!]{0,2}[A-Za-z_]\w*(?:\.-?\d+)?[ \t]*:)
    |(?P<directive>%[a-z]+)
    |(?P<alias>->\s*\w+)
    |(?P<text>"(?:\\.|[^"\\\n])*"i?)
    |(?P<regex>/(?:\\.|[^/\\\n])+/[a-z]*)
    |(?P<name>[A-Za-z_]\w*)
    |(?P<dots>\.\.)
    |(?P<times>~\s*\d{1,4}(?:\s*\.\.\s*\d{1,4})?)
    |(?P<sign>[()\[\]|?*+.,])""",
    re.VERBOSE,
)
_PART = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|\[.*|\((?:\?[^:)>]*[:)>])?|[\^$]|.", re.DOTALL)
_GROUP = re.compile(r"\((\?([isx]*:|P?<[A-Za-z]\w*>))?")
_ESCAPES = {"\n": r"\n", "\r": r"\r", "\t": r"\t", "/": r"\/"}


def convert_grammar(grammar: str) -> str:
    """Return an equivalent regular expression.

    Raises:
        ValueError: if the grammar isn't regular or isn't valid. The message has no subject ("is
            longer than …"), so that callers can put one before it.
    """
    if len(grammar) > MAX_CHARACTERS:
        raise ValueError(f"is longer than {MAX_CHARACTERS:,} characters")
    try:
        return _ParsedGrammar(grammar).expression()
    except RecursionError:
        raise ValueError("is nested too deeply") from None


def convert_expression(expression: str) -> str:
    """Return an expression in the syntax that Python and llguidance share.

    Anchors at either end are removed, since the expression applies to the whole text.

    Raises:
        ValueError: if the expression needs other syntax. The message has no subject.
    """
    if len(expression) > MAX_CHARACTERS:
        raise ValueError(f"is longer than {MAX_CHARACTERS:,} characters")
    parts = _PART.findall(expression)
    if parts[:1] == ["^"] and not _has_alternatives(parts):
        parts = parts[1:]
    if parts[-1:] == ["$"] and not _has_alternatives(parts):
        parts = parts[:-1]
    pattern = "".join(map(_convert_part, parts))
    try:
        re.compile(pattern)
    except (re.error, RecursionError, OverflowError) as error:
        raise ValueError(f"is not a regular expression: {error}") from None
    return pattern


def _has_alternatives(parts: Iterable[str]) -> bool:
    depth = 0
    for part in parts:
        depth += part.startswith("(") - (part == ")")
        if part == "|" and not depth:
            return True
    return False


def _convert_part(part: str) -> str:
    if part[0] == "(":
        group = _GROUP.fullmatch(part)
        if group is None:
            raise ValueError(f"uses lookaround or backreferences: {part}")
        # A rule used twice would define its group names twice.
        return f"(?{group[2]}" if group[2] and group[2].endswith(":") else "(?:"
    if part in ("^", "$") or re.fullmatch(r"\\[1-9bBAZzG]", part):
        raise ValueError(f"has {part} in it")
    if part[0] == "[" and part[-1] != "]":
        raise ValueError("has an unclosed [")
    if part[0] == "[":
        # llguidance would interpret these as nested classes or set operators.
        inner = re.sub(r"\\.|[\[&~/\n]", _escape_in_class, part[1:-1], flags=re.DOTALL)
        return f"[{inner}]"
    return _ESCAPES.get(part, part)


def _escape_in_class(match: re.Match[str]) -> str:
    return match[0] if len(match[0]) > 1 else _ESCAPES.get(match[0], f"\\{match[0]}")


def _literal(text: str) -> str:
    return "".join(_ESCAPES.get(character) or re.escape(character) for character in text)


class _ParsedGrammar:
    def __init__(self, grammar: str) -> None:
        self._rules: dict[str, list[tuple[str, str]]] = {}
        self._expressions: dict[str, str] = {}
        self._ignored = list[list[tuple[str, str]]]()
        self._open = list[str]()  # rules being expanded, to detect recursion
        self._between = ""
        self._split(list(self._tokens(grammar)))

    def _tokens(self, grammar: str) -> Iterable[tuple[str, str]]:
        at = 0
        while at < len(grammar):
            match = _TOKEN.match(grammar, at)
            if match is None:
                raise ValueError(f"has {grammar[at : at + 20]!r}, which is not supported")
            at = match.end()
            if match.lastgroup != "blank":
                yield str(match.lastgroup), match[0]

    def _split(self, tokens: list[tuple[str, str]]) -> None:
        starts = [n for n, (kind, _) in enumerate(tokens) if kind in ("rule", "directive")]
        if starts[:1] != [0]:
            raise ValueError("does not begin with a rule")
        for start, end in zip(starts, [*starts[1:], len(tokens)], strict=True):
            (kind, word), rule = tokens[start], tokens[start + 1 : end]
            if kind == "rule":
                name = re.sub(r"[?!:\s]|\.-?\d+", "", word)
                if name in self._rules:
                    raise ValueError(f"has two rules named {name}")
                self._rules[name] = rule
            elif word == "%import":
                self._import([text for _, text in rule])
            elif word == "%ignore":
                self._ignored.append(rule)
            else:
                raise ValueError(f"has {word}, which is not supported")

    def _import(self, words: list[str]) -> None:
        if words[:2] != ["common", "."] and words[:2] != ["common", "("]:
            raise ValueError("imports from other modules than Lark's common one")
        alias = words[-1][2:].strip() if words[-1].startswith("->") else ""
        for name in re.findall(r"[A-Z_]+", " ".join(words[1 : -1 if alias else None])):
            if name not in _COMMON:
                raise ValueError(f"imports {name}, which is not supported")
            self._expressions[alias or name] = _COMMON[name]

    def expression(self) -> str:
        if self._ignored:
            pattern = "|".join(self._full_expression(rule, True) for rule in self._ignored)
            self._between = f"(?:{pattern})*"
        if "start" not in self._rules:
            raise ValueError("has no rule named start")
        return self._between + self._rule("start")

    def _rule(self, name: str) -> str:
        if name not in self._expressions:
            if name not in self._rules:
                raise ValueError(f"has no rule named {name}")
            if name in self._open:
                raise ValueError(f"has the recursive rule {name}")
            self._open.append(name)
            self._expressions[name] = self._full_expression(self._rules[name], _is_terminal(name))
            self._open.pop()
        return self._expressions[name]

    def _full_expression(self, tokens: list[tuple[str, str]], terminal: bool) -> str:
        remaining = list(reversed(tokens))
        pattern = self._alternatives(remaining, terminal)
        if remaining:
            raise ValueError(f"has an unexpected {remaining[-1][1]!r}")
        return pattern

    def _alternatives(self, tokens: list[tuple[str, str]], terminal: bool) -> str:
        alternatives, sequence = list[str](), list[str]()
        while tokens and tokens[-1][1] not in (")", "]"):
            kind, word = tokens.pop()
            if word == "|":
                alternatives.append(_join(sequence))
                sequence = []
            elif kind != "alias":
                sequence.append(
                    self._apply_repetition(self._item(kind, word, tokens, terminal), tokens)
                )
        alternatives.append(_join(sequence))
        return (
            _join(["(?:", "|".join(alternatives), ")"])
            if len(alternatives) > 1
            else alternatives[0]
        )

    def _item(self, kind: str, word: str, tokens: list[tuple[str, str]], terminal: bool) -> str:
        if word in ("(", "["):
            pattern = self._alternatives(tokens, terminal)
            if not tokens or tokens.pop()[1] != {"(": ")", "[": "]"}[word]:
                raise ValueError(f"has an unclosed {word}")
            return pattern if word == "(" else f"(?:{pattern})?"
        if kind == "name":
            pattern = self._rule(word)
            inner = not _is_terminal(word)
        elif kind == "text":
            pattern, inner = self._text(word, tokens), False
        elif kind == "regex":
            body, _, flags = word[1:].rpartition("/")
            if flags.strip("isux"):
                raise ValueError(f"has the flags {flags}, which are not supported")
            pattern, inner = convert_expression(body), False
            flags = flags.replace("u", "")
            pattern = f"(?{flags}:{pattern})"
        else:
            raise ValueError(f"has an unexpected {word!r}")
        return pattern if inner or terminal else _join([f"(?:{pattern})", self._between])

    def _text(self, word: str, tokens: list[tuple[str, str]]) -> str:
        text, small = _unquote(word), word.endswith("i")
        if tokens and tokens[-1][0] == "dots":
            tokens.pop()
            kind, last = tokens.pop() if tokens else ("", "")
            if kind != "text" or len(text) != 1 or len(_unquote(last)) != 1:
                raise ValueError("has a range that is not between two characters")
            return f"[{_literal(text)}-{_literal(_unquote(last))}]"
        return f"(?i:{_literal(text)})" if small else _literal(text)

    def _apply_repetition(self, pattern: str, tokens: list[tuple[str, str]]) -> str:
        while tokens and (tokens[-1][1] in "?*+" or tokens[-1][0] == "times"):
            kind, sign = tokens.pop()
            if kind == "times":
                sign = f"{{{','.join(re.findall('[0-9]+', sign))}}}"
            pattern = f"(?:{pattern}){sign}"
        return pattern


def _join(parts: list[str]) -> str:
    if sum(map(len, parts)) > MAX_CHARACTERS:
        raise ValueError(f"is more than {MAX_CHARACTERS:,} characters long as a regular expression")
    return "".join(parts)


def _is_terminal(name: str) -> bool:
    return name.lstrip("_")[:1].isupper()


def _unquote(word: str) -> str:
    inner = word.removesuffix("i")[1:-1]
    escapes = {"n": "\n", "r": "\r", "t": "\t", "f": "\f", "v": "\v", "0": "\0"}

    def unescape_match(match: re.Match[str]) -> str:
        code = match[0][1:]
        return chr(int(code[1:], 16)) if len(code) > 1 else escapes.get(code, code)

    return re.sub(r"\\(?:x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|.)", unescape_match, inner)
