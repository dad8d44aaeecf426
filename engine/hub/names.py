"""What a person types or pastes, and which files of a repository a model needs. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fnmatch import fnmatchcase
from urllib.parse import unquote, urlsplit

MAIN = "main"
"""The revision that is taken where none is named."""

_PART = r"[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9_])?"
_REPO = re.compile(rf"{_PART}/{_PART}")
_REVISION = re.compile(r"[A-Za-z0-9][A-Za-z0-9._/+-]{0,200}")
_FILE = re.compile(r"\w[\w.@+ -]*")  # at the top, and a name that no disk makes something else of

# As mlx-lm's loader asks for them. Code (*.py), pickled weights and other formats are not there.
_NEEDED = (
    "model*.safetensors",
    "*.json",
    "*.jinja",
    "*.txt",
    "*.tiktoken",
    "tokenizer.model",
)
_NOT_NEEDED = ("*.bin.index.json", "*.h5.index.json", "*.msgpack.index.json", "README*", "LICENSE*")


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
