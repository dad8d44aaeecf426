"""What a person types or pastes, and which files of a repository a model needs. Pure."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from fnmatch import fnmatchcase
from urllib.parse import unquote, urlsplit

MAIN = "main"
"""The revision that is taken where none is named."""

_PART = r"[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9_])?"
_REPO = re.compile(rf"{_PART}/{_PART}")
_REVISION = re.compile(r"[A-Za-z0-9][A-Za-z0-9._/+-]{0,200}")
_FILE = re.compile(r"\w[\w.@+ -]*")  # at the top, and a name that no disk makes something else of

LONGEST_NAME = 80
"""Characters of a name that is shown."""

# As mlx-lm's loader asks for them. Code (*.py), pickled weights and other formats are not there.
_NEEDED = (
    "model*.safetensors",
    "*.json",
    "*.jinja",
    "*.txt",
    "*.tiktoken",
    "tokenizer.model",
)
# `stretto.json` gives a folder a name to be shown by. A repository is shown by its own.
_NOT_NEEDED = (
    "stretto.json",
    *("*.bin.index.json", "*.h5.index.json", "*.msgpack.index.json", "README*", "LICENSE*"),
)


@dataclass(frozen=True)
class Wanted:
    """A model on the hub: its id and, where one was named, a branch, tag or commit."""

    repo: str
    revision: str = MAIN


def parse(text: str, hosts: frozenset[str] = frozenset()) -> Wanted | None:
    """What ``text`` names: ``id``, ``id@revision``, or a page's address at one of ``hosts``.

    None where it is neither (yet).
    """
    text = text.strip()
    if "://" not in text:
        host, _, path = text.partition("/")
        if host.lower() not in hosts:
            repo, at, revision = text.partition("@")
            return _wanted(repo, revision if at else MAIN)
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
    return _wanted(f"{owner}/{name}", revision)


def clean_name(text: object, longest: int = LONGEST_NAME) -> str:
    """A name from outside in a form that can be shown, in windows and on terminals.

    Control characters, those that change the direction of writing, and invisible ones are left
    out. Blanks are joined, and what is longer than ``longest`` characters is cut. Empty where
    nothing is left, or where it is no text.
    """
    if not isinstance(text, str):
        return ""
    # More than this is never read: a name may be megabytes long.
    seen = (" " if c.isspace() else c for c in text[: 20 * longest])
    shown = "".join(c for c in seen if c == " " or unicodedata.category(c)[0] != "C")
    words = " ".join(shown.split())
    return words if len(words) <= longest else words[: longest - 1].rstrip() + "…"


def is_revision(text: str) -> bool:
    """Whether it can be a branch, a tag or a commit: its name becomes that of a file."""
    return bool(_REVISION.fullmatch(text)) and not {"", ".", ".."} & set(text.split("/"))


def needed(file: str) -> bool:
    """Whether a model's loader can use this file of its repository."""
    if not _FILE.fullmatch(file):
        return False
    if any(fnmatchcase(file, pattern) for pattern in _NOT_NEEDED):
        return False
    return any(fnmatchcase(file, pattern) for pattern in _NEEDED)


def is_weights(file: str) -> bool:
    return fnmatchcase(file, "model*.safetensors")


def _wanted(repo: str, revision: str) -> Wanted | None:
    if len(repo) > 96 or not _REPO.fullmatch(repo) or "--" in repo or ".." in repo:
        return None
    return Wanted(repo, revision) if is_revision(revision) else None
