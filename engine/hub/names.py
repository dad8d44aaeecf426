"""Parsers for untrusted text: model ids, names, licenses, templates, model cards."""

from __future__ import annotations

import re
from fnmatch import fnmatchcase
from urllib.parse import unquote, urlsplit

from msgspec import Struct

from engine.text.invisible import escape_invisible

MAIN = "main"  # default revision

_PART = r"[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9_])?"
_REPO = re.compile(rf"{_PART}/{_PART}")
_REVISION = re.compile(r"[A-Za-z0-9][A-Za-z0-9._/+-]{0,200}")
_FILE = re.compile(r"\w[\w.@+ -]*")  # top-level file, with a name that any file system accepts

MAX_NAME_CHARACTERS = 80  # maximum length for display

# The patterns from mlx-lm's loader, minus code (*.py), pickled weights and other formats.
_NEEDED = (
    "model*.safetensors",
    "*.json",
    "*.jinja",
    "*.txt",
    "*.tiktoken",
    "tokenizer.model",
)
# `stretto.json` overrides a folder's display name, but repositories already have a name.
_NOT_NEEDED = (
    "stretto.json",
    *("*.bin.index.json", "*.h5.index.json", "*.msgpack.index.json", "README*", "LICENSE*"),
)


class HubRef(Struct, frozen=True):
    """Reference to a model on the hub: id, and branch, tag or commit."""

    repo: str
    revision: str = MAIN


def parse(text: str, hosts: frozenset[str] = frozenset()) -> HubRef | None:
    """Parse a model ``id``, ``id@revision``, or the address of a page on one of ``hosts``."""
    text = text.strip()
    if "://" not in text:
        host, _, path = text.partition("/")
        if host.lower() not in hosts:
            repo, at, revision = text.partition("@")
            return _hub_ref(repo, revision if at else MAIN)
    else:
        try:
            address = urlsplit(text)
        except ValueError:
            return None
        if address.scheme not in {"http", "https"} or (address.hostname or "") not in hosts:
            return None
        path = unquote(address.path).lstrip("/")
    owner, name, *rest = [*path.split("?")[0].rstrip("/").split("/"), "", ""]
    rest = [part for part in rest if part]
    revision = "/".join(rest[1:]) if rest[:1] == ["tree"] and len(rest) > 1 else MAIN
    if rest[:1] in (["blob"], ["resolve"]) and len(rest) > 1:
        revision = rest[1]
    return _hub_ref(f"{owner}/{name}", revision)


def clean_name(text: object, longest: int = MAX_NAME_CHARACTERS) -> str:
    """Sanitize an external name for display in windows and terminals.

    Control, bidi and invisible characters are removed, and whitespace is collapsed. Returns "" if
    nothing is left, or if it isn't a string.
    """
    if not isinstance(text, str):
        return ""
    # Ignore the rest of the text, because a "name" could have megabytes.
    characters = (" " if c.isspace() else c for c in text[: 20 * longest])
    visible_text = escape_invisible("".join(characters), lambda _: "")
    words = " ".join(visible_text.split())
    return words if len(words) <= longest else words[: longest - 1].rstrip() + "…"


def is_revision(text: str) -> bool:
    """Return True for a valid branch, tag or commit, which is also a valid file name."""
    return bool(_REVISION.fullmatch(text)) and not {"", ".", ".."} & set(text.split("/"))


def is_needed(file: str) -> bool:
    if not _FILE.fullmatch(file):
        return False
    if any(fnmatchcase(file, pattern) for pattern in _NOT_NEEDED):
        return False
    return any(fnmatchcase(file, pattern) for pattern in _NEEDED)


def is_weights(file: str) -> bool:
    return fnmatchcase(file, "model*.safetensors")


def _hub_ref(repo: str, revision: str) -> HubRef | None:
    if len(repo) > 96 or not _REPO.fullmatch(repo) or "--" in repo or ".." in repo:
        return None
    return HubRef(repo, revision) if is_revision(revision) else None


# Licenses and templates.

_MAX_LICENCE_CHARACTERS = 40
_LICENCES = {
    "apache-2.0": "Apache 2.0",
    "mit": "MIT",
    "gemma": "Gemma terms",
    "llama3.1": "Llama 3.1 licence",
    "llama3.2": "Llama 3.2 licence",
    "llama3.3": "Llama 3.3 licence",
    "llama4": "Llama 4 licence",
}


def licence_name(name: object, custom_name: object = None) -> str:
    """Return the display name of a license.

    Args:
        custom_name: the author's own name for it, if the hub doesn't know the license.
    """
    if name in (None, "", "other") and isinstance(custom_name, str):
        name = custom_name
    display_name = _LICENCES.get(name, name) if isinstance(name, str) else name
    return clean_name(display_name, _MAX_LICENCE_CHARACTERS)


_TOOLS = re.compile(r"\btools\b")
_REASONING = re.compile(
    r"</?think|think>|enable_thinking|reasoning_(content|effort)|\[THINK\]|<\|channel|<seed:think"
    r"|START_THINKING|\bthinking\b"
)


def template_text(value: object) -> str:
    if isinstance(value, list):
        texts = (entry.get("template") for entry in value if isinstance(entry, dict))
        return "\n".join(text for text in texts if isinstance(text, str))
    return value if isinstance(value, str) else ""


def has_reasoning(template: str) -> bool:
    return bool(_REASONING.search(template))


def has_tools(template: str) -> bool:
    return bool(_TOOLS.search(template))


# Model cards are Markdown mixed with HTML, usually for images. Images are never loaded, so only
# their alt text is kept.

MAX_CARD_CHARACTERS = 60_000

_HEAD = re.compile(r"\A\ufeff?---[ \t]*\r?\n.*?^---[ \t]*\r?$\n?", re.DOTALL | re.MULTILINE)
_FENCE = re.compile(r"^[ ]{0,3}(`{3,}|~{3,})")
_COMMENT = re.compile(r"<!--.*?(-->|\Z)", re.DOTALL)
_STYLE = re.compile(r"<(style|script)\b[^<>]*>.*?(</\1\s*>|\Z)", re.DOTALL | re.IGNORECASE)
_PICTURE = re.compile(r"<img\b[^<>]*?\balt\s*=\s*[\"']([^\"'<>]*)[\"'][^<>]*>", re.IGNORECASE)
_LINE = re.compile(r"<(br|hr)\s*/?>", re.IGNORECASE)
_TAG = re.compile(
    r"</?(a|b|abbr|blockquote|br|center|code|details|div|em|figcaption|figure|font|h[1-6]|hr|i|img"
    r"|kbd|li|ol|p|picture|pre|s|small|source|span|strong|sub|summary|sup|table|tbody|td|tfoot|th"
    r"|thead|tr|u|ul|video|audio|iframe)\b[^<>]*>",
    re.IGNORECASE,
)
_SHOWN = re.compile(r"!\[([^\[\]]*)\](\([^()]*\)|\[[^\[\]]*\])")  # ![words](address)
_LINKED = re.compile(r"\[\s*\]\([^()]*\)")  # link around an image without alt text
_MANY = re.compile(r"\n{3,}")


def card_text(text: str) -> str:
    """Remove front matter, images and HTML from a model card. Code blocks stay unchanged."""
    text = _HEAD.sub("", text[: 2 * MAX_CARD_CHARACTERS].replace("\r\n", "\n"), count=1)
    parts: list[str] = []
    prose: list[str] = []
    fence = ""
    for line in text.split("\n"):
        mark = _FENCE.match(line)
        if not fence and mark is None:
            prose.append(line)
            continue
        if not fence and mark is not None:
            parts.append(_remove_html("\n".join(prose)))
            prose, fence = [], mark[1]
        elif mark is not None and mark[1].startswith(fence) and not line.strip(" `~"):
            fence = ""
        parts.append(line)
    parts.append(_remove_html("\n".join(prose)))
    card = _MANY.sub("\n\n", "\n".join(parts)).strip()
    return card if len(card) <= MAX_CARD_CHARACTERS else card[:MAX_CARD_CHARACTERS].rstrip() + " …"


def _remove_html(text: str) -> str:
    for pattern, instead in (
        (_COMMENT, ""),
        (_STYLE, ""),
        (_PICTURE, r"\1"),
        (_LINE, "\n"),
        (_TAG, ""),
        (_SHOWN, r"\1"),
        (_LINKED, ""),
    ):
        text = pattern.sub(instead, text)
    return "\n".join(line if line.strip() else "" for line in text.split("\n"))
