"""Looking at a model on the hub before any of it is downloaded."""

from __future__ import annotations

import hashlib
import json
import re
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from engine.errors import INVALID_REQUEST, NOT_A_MODEL, NOT_FOUND, EngineError
from engine.hub import net
from engine.hub.card import card_text
from engine.hub.names import Wanted, is_weights, needed, parse
from engine.hub.told import HubFacts, facts
from engine.kv.fitting import context_limit

if TYPE_CHECKING:
    from hashlib import _Hash

_LARGEST_CARD = 2**20
_LARGEST_CONFIG = 4 * 2**20
_LARGEST_LISTING = 16 * 2**20  # some 300 bytes a file
_LARGEST_FILE = 2**50
_DIGEST = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_KIND = re.compile(r"[\w.+ -]{1,100}")  # it is shown, on terminals too


@dataclass(frozen=True)
class HubFile:
    """A file as the hub lists it.

    Attributes:
        size: in bytes.
        digest: SHA-256 of a large file; of a small one git's SHA-1. Also its ETag.
    """

    name: str
    size: int
    digest: str

    def hasher(self) -> _Hash:
        """A hash object. After it has read the whole file it gives ``digest``."""
        if len(self.digest) == 64:
            return hashlib.sha256()
        return hashlib.sha1(f"blob {self.size}\0".encode(), usedforsecurity=False)


@dataclass(frozen=True)
class HubModel:
    """A model on the hub.

    Attributes:
        revision: as it was asked for;  commit: what that stands for now.
        files: what would be downloaded, small ones first.
        architecture: the `model_type` of its config.
        known: whether the installed mlx-lm has that architecture.
        bits: how many bits its quantized weights have, or None.
        gated: whether the hub wants an access token of somebody who was given access.
        facts: what else the hub tells of it.
        context: most tokens that a prompt and its reply may have together, 0 where none is named.
        config: its `config.json`, as anybody may have written it.
    """

    repo: str
    revision: str
    commit: str
    files: tuple[HubFile, ...]
    architecture: str
    known: bool
    bits: int | None
    gated: bool
    facts: HubFacts = field(default_factory=HubFacts)
    context: int = 0
    config: Mapping[str, Any] = field(default_factory=dict, compare=False, repr=False)

    @property
    def size(self) -> int:
        """Bytes of all that would be downloaded."""
        return sum(file.size for file in self.files)

    @property
    def weights(self) -> int:
        """Bytes of weights. Loading takes at least as much memory."""
        return sum(file.size for file in self.files if is_weights(file.name))


def look_up(
    name: str,
    revision: str | None = None,
    token: str | None = None,
    cancelled: threading.Event | None = None,
) -> HubModel:
    """Ask the hub about a model; two requests, a few kilobytes.

    Args:
        name: an id (``owner/name``, ``owner/name@revision``) or the address of its page.
        token: an access token; by default the one that huggingface_hub knows.

    Raises:
        EngineError: `invalid_request`, `not_found`, `gated`, `not_a_model`, `offline`,
            `download_failed`, `download_cancelled`.
    """
    from huggingface_hub import constants

    wanted = parse(name, constants.HF_URL_HOSTS)
    if wanted is None:
        raise EngineError(INVALID_REQUEST, f"{name!r} is no model's id. They read owner/name.")
    wanted = Wanted(wanted.repo, revision or wanted.revision)
    if parse(f"{wanted.repo}@{wanted.revision}") is None:
        raise EngineError(INVALID_REQUEST, f"{wanted.revision!r} is no revision's name.")
    stop = cancelled or threading.Event()
    about = _about(wanted, token, stop)
    files = _files(wanted.repo, about.get("siblings"))
    commit = about.get("sha")
    if not isinstance(commit, str) or not re.fullmatch(r"[0-9a-f]{40}", commit):
        raise _senseless(wanted.repo)
    config = _config(wanted, commit, token, stop)
    quantization = config.get("quantization") or config.get("quantization_config") or {}
    bits = quantization.get("bits") if isinstance(quantization, dict) else None
    return HubModel(
        repo=wanted.repo,
        revision=wanted.revision,
        commit=commit,
        files=files,
        architecture=config["model_type"],
        known=knows(config),
        bits=bits if isinstance(bits, int) else None,
        gated=bool(about.get("gated")),
        facts=_facts(about, config),
        context=context_limit(config) or 0,
        config=config,
    )


def card(
    model: HubModel, token: str | None = None, cancelled: threading.Event | None = None
) -> str:
    """The model's card as Markdown, without its head; "" where there is none. One request.

    Raises:
        EngineError: as `look_up` does.
    """
    stop = cancelled or threading.Event()
    url = address(model.repo, model.commit, "README.md")
    try:
        text = net.read(url, headers(token), model.repo, stop, _LARGEST_CARD)
    except EngineError as error:
        if error.code == NOT_FOUND:
            return ""
        raise
    return card_text(text.decode("utf-8", "replace"))


def knows(config: dict[str, Any]) -> bool:
    """Whether the installed mlx-lm has this config's architecture."""
    import importlib.util

    from engine.model import backend

    backend.start()  # mlx must not be imported in another way than the engine does
    from mlx_lm import utils

    kind = config["model_type"]
    named = config.get("architectures") or ()
    for architecture in map(str, named if isinstance(named, list) else [named]):
        if (kind, architecture) in utils.MODEL_ARCHITECTURE_REMAPPING:
            kind = utils.MODEL_ARCHITECTURE_REMAPPING[kind, architecture]
            break
    else:
        kind = utils.MODEL_REMAPPING.get(kind, kind)
    return kind.isidentifier() and importlib.util.find_spec(f"mlx_lm.models.{kind}") is not None


def address(repo: str, commit: str, file: str) -> str:
    from huggingface_hub import constants, hf_hub_url

    return hf_hub_url(repo, file, revision=commit, endpoint=constants.ENDPOINT)


def headers(token: str | None) -> dict[str, str]:
    """The headers of every request. Files are wanted unpacked, as their sizes and digests are."""
    from huggingface_hub.utils import build_hf_headers

    net.say_little()
    made: dict[str, str] = build_hf_headers(token=token, library_name="stretto")
    return {**made, "Accept-Encoding": "identity"}


def _about(wanted: Wanted, token: str | None, cancelled: threading.Event) -> dict[str, Any]:
    """What the hub lists of a model."""
    from huggingface_hub import constants

    revision = quote(wanted.revision, safe="")
    url = f"{constants.ENDPOINT}/api/models/{wanted.repo}/revision/{revision}?blobs=true"
    found = parsed(net.read(url, headers(token), wanted.repo, cancelled, _LARGEST_LISTING))
    if not isinstance(found, dict):
        raise _senseless(wanted.repo)
    return found


def _facts(about: dict[str, Any], config: dict[str, Any]) -> HubFacts:
    """The facts, with what only the model's own config tells."""
    told = facts(about)
    return replace(told, images=told.images or "vision_config" in config)


def _senseless(repo: str) -> EngineError:
    return EngineError(NOT_A_MODEL, f"The hub's answer about {repo} makes no sense.")


def parsed(text: bytes) -> Any:
    """What these bytes say, or None where they are no JSON."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _files(repo: str, listed: Any) -> tuple[HubFile, ...]:
    entries: dict[str, dict[str, Any]] = {}
    for entry in listed if isinstance(listed, list) else []:
        if not isinstance(entry, dict) or not isinstance(entry.get("rfilename"), str):
            raise _senseless(repo)
        entries[entry["rfilename"]] = entry
    weights = any(is_weights(name) and needed(name) for name in entries)
    if "config.json" not in entries or not weights:
        gguf = any(name.lower().endswith(".gguf") for name in entries)
        raise EngineError(
            NOT_A_MODEL,
            f"{repo} holds GGUF files, which are not downloaded here. Look for the same model in "
            "safetensors; or download one of its files, and choose it with File > Open GGUF File."
            if gguf
            else f"{repo} is no model that can be loaded: it has no config.json with weights in "
            "safetensors. Other formats can run code.",
        )
    found = [_file(repo, entry) for name, entry in entries.items() if needed(name)]
    return tuple(sorted(found, key=lambda file: (is_weights(file.name), file.name)))


def _file(repo: str, entry: dict[str, Any]) -> HubFile:
    """Large files are listed with an `lfs` of their own, which has their size and SHA-256."""
    large = entry.get("lfs")
    size = large.get("size") if isinstance(large, dict) else entry.get("size")
    digest = large.get("sha256") if isinstance(large, dict) else entry.get("blobId")
    if not isinstance(size, int) or isinstance(size, bool) or not 0 <= size <= _LARGEST_FILE:
        raise _senseless(repo)
    if not isinstance(digest, str) or not _DIGEST.fullmatch(digest):
        raise _senseless(repo)
    return HubFile(entry["rfilename"], size, digest)


def _config(
    wanted: Wanted, commit: str, token: str | None, cancelled: threading.Event
) -> dict[str, Any]:
    url = address(wanted.repo, commit, "config.json")
    config = parsed(net.read(url, headers(token), wanted.repo, cancelled, _LARGEST_CONFIG))
    kind = config.get("model_type") if isinstance(config, dict) else None
    if not isinstance(config, dict) or not isinstance(kind, str) or not _KIND.fullmatch(kind):
        raise EngineError(NOT_A_MODEL, f"The config.json of {wanted.repo} names no model type.")
    if config.get("model_file"):
        raise EngineError(
            NOT_A_MODEL, f"{wanted.repo} wants to run code of its own. Stretto never does that."
        )
    return config
