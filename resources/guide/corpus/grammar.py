"""A tiny phrase grammar, and the noise that real typing adds to it.

`{a|b|c}` picks one, nested as deep as wanted; `{a|}` makes a thing optional; `<name>` is a slot.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from random import Random

_INNERMOST = re.compile(r"\{([^{}]*)\}")
_SLOT = re.compile(r"<(\w+)>")
_SPACES = re.compile(r"  +")
KEPT = re.compile("(\x01[^\x02]*\x02)")  # what `keep` has marked
_NEIGHBOURS = {
    "a": "sq", "b": "vn", "c": "xv", "d": "sf", "e": "wr", "f": "dg", "g": "fh", "h": "gj",
    "i": "uo", "j": "hk", "k": "jl", "l": "k", "m": "n", "n": "bm", "o": "ip", "p": "o",
    "q": "w", "r": "et", "s": "ad", "t": "ry", "u": "yi", "v": "cb", "w": "qe", "x": "zc",
    "y": "tu", "z": "x",
}  # fmt: skip
_SHORT = {
    "please": "pls", "you": "u", "are": "r", "thanks": "thx", "because": "cuz", "and": "n",
    "with": "w", "message": "msg", "keyboard": "kb", "shortcut": "shorcut", "the": "teh",
    "what": "wat", "your": "ur",
}  # fmt: skip

# As whoever writes capitals at all writes them; the phrase tables have none.
_NAMES = """I I'm I'd I've I'll PDF PDFs JSON CSV HTML GGUF API IDE RAM GPU CPU MCP LoRA DoRA EPUB
ChatGPT OpenAI Claude Anthropic Ollama vLLM Llama Qwen Mistral Gemma Codex Python Excel PowerPoint
LaTeX Markdown Stretto Mac macOS Linux Ubuntu Windows German French Spanish Italian Japanese Chinese
Russian English Monday Tuesday Wednesday Thursday Friday Saturday Sunday"""
_CAPITALS = {name.lower(): name for name in _NAMES.split()}
_SMALL = re.compile(rf"(?<![\w.`/])({'|'.join(_CAPITALS)})(?![\w/])")


def expand(rng: Random, text: str, slots: Mapping[str, str] | None = None) -> str:
    """One random phrase of the grammar `text`; slot values are kept safe from noise."""
    while "{" in text:
        text = _INNERMOST.sub(lambda match: rng.choice(match[1].split("|")), text)
    if slots:
        text = _SLOT.sub(lambda m: keep(slots[m[1]]) if m[1] in slots else m[0], text)
    text = _SPACES.sub(" ", text).strip()
    return text.replace(" ,", ",").replace(" .", ".").replace(" ?", "?")


def keep(value: str) -> str:
    """Marks a stretch that noise must not touch: a code word, a number, a list to sort."""
    return f"\x01{value}\x02"


def plain(text: str) -> str:
    """Takes the marks of `keep` out again."""
    return text.replace("\x01", "").replace("\x02", "")


def pick(rng: Random, phrases: Sequence[str], slots: Mapping[str, str] | None = None) -> str:
    """One phrase of several grammars."""
    return expand(rng, rng.choice(phrases), slots)


def typed(rng: Random, text: str) -> str:
    """The same words as a person in a hurry types them (or, a third of the time, as they are)."""
    parts = KEPT.split(text)
    lower, bare = rng.random() < 0.45, rng.random() < 0.4
    apostrophes = not (lower and rng.random() < 0.5)
    typo_rate = rng.choice((0.0, 0.0, 0.0, 0.03, 0.10))
    short = rng.random() < 0.06
    named = not lower and rng.random() < 0.85
    for index in range(0, len(parts), 2):
        part = parts[index]
        if lower:
            part = part.lower()
        if named:
            part = _SMALL.sub(lambda m: _CAPITALS[m[0]], part)
        if not apostrophes:
            part = part.replace("'", "")
        if short:
            part = " ".join(_SHORT.get(word, word) for word in part.split(" "))
        if typo_rate:
            part = re.sub(
                r"[A-Za-z]{4,}",
                lambda m: _slip(rng, m[0]) if rng.random() < typo_rate else m[0],
                part,
            )
        parts[index] = part
    result = "".join(parts)
    if bare:
        result = result.rstrip("?.! ")
    elif rng.random() < 0.12 and result.endswith("?"):
        result = result[:-1] + rng.choice((" ?", "??", ".", "?!"))
    if not lower and result and "a" <= result[0] <= "z" and rng.random() < 0.8:
        result = result[0].upper() + result[1:]
    return plain(result)


def _slip(rng: Random, word: str) -> str:
    """One slip of the finger inside a word."""
    at = rng.randrange(1, len(word) - 1)
    kind = rng.randrange(4)
    if kind == 0:
        return word[:at] + word[at + 1] + word[at] + word[at + 2 :]
    if kind == 1:
        return word[:at] + word[at + 1 :]
    if kind == 2:
        return word[:at] + word[at] + word[at:]
    swap = rng.choice(_NEIGHBOURS.get(word[at].lower(), word[at]))
    return word[:at] + swap + word[at + 1 :]


def listed(words: Sequence[str], last: str = "and") -> str:
    """`a, b and c`."""
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} {last} {words[-1]}"


def article(word: str) -> str:
    """The word with `a` or `an` before it."""
    return f"{'an' if word[0].lower() in 'aeiou' else 'a'} {word}"
