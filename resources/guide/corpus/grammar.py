"""A small phrase grammar, and noise as in real typing.

`{a|b|c}` chooses one and can be nested; `{a|}` is optional; `<name>` is a slot.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from random import Random

_INNERMOST = re.compile(r"\{([^{}]*)\}")
_SLOT = re.compile(r"<(\w+)>")
_SPACES = re.compile(r"  +")
KEPT = re.compile("(\x01[^\x02]*\x02)")  # protected by `keep`
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

# Correct capitals for users who use capitals. The phrase tables have none.
_NAMES = """I I'm I'd I've I'll PDF PDFs JSON CSV HTML GGUF API IDE RAM GPU CPU MCP LoRA DoRA EPUB
ChatGPT OpenAI Claude Anthropic Ollama vLLM Llama Qwen Mistral Gemma Codex Python Excel PowerPoint
LaTeX Markdown Stretto Mac macOS Linux Ubuntu Windows German French Spanish Italian Japanese Chinese
Russian English Monday Tuesday Wednesday Thursday Friday Saturday Sunday"""
_CAPITALS = {name.lower(): name for name in _NAMES.split()}
_SMALL = re.compile(rf"(?<![\w.`/])({'|'.join(_CAPITALS)})(?![\w/])")


def expand(rng: Random, text: str, slots: Mapping[str, str] | None = None) -> str:
    """Return a random phrase of the grammar `text`. Slot values are protected from noise."""
    while "{" in text:
        text = _INNERMOST.sub(lambda match: rng.choice(match[1].split("|")), text)
    if slots:
        text = _SLOT.sub(lambda m: keep(slots[m[1]]) if m[1] in slots else m[0], text)
    text = _SPACES.sub(" ", text).strip()
    return text.replace(" ,", ",").replace(" .", ".").replace(" ?", "?")


def keep(value: str) -> str:
    """Protect a text from noise: a code word, a number, a list to sort."""
    return f"\x01{value}\x02"


def plain(text: str) -> str:
    """Remove the marks of `keep`."""
    return text.replace("\x01", "").replace("\x02", "")


def pick(rng: Random, phrases: Sequence[str], slots: Mapping[str, str] | None = None) -> str:
    return expand(rng, rng.choice(phrases), slots)


def typed(rng: Random, text: str) -> str:
    """Return the text as if typed in a hurry, or unchanged in a third of cases."""
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
    """Return a word with one typing error inside."""
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
    """Join words: `a, b and c`."""
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} {last} {words[-1]}"


def article(word: str) -> str:
    """Return the word after `a` or `an`."""
    return f"{'an' if word[0].lower() in 'aeiou' else 'a'} {word}"
