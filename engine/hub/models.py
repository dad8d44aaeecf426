"""What the hub says of models before anything is downloaded: one by its name, or a search by words.

Nothing is asked before a person asks. Whatever is missing in an answer or of another form than
expected counts as not known: a repository's owner writes most of it.
"""

from __future__ import annotations

import hashlib
import json
import re
import sys
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlencode

from msgspec import Struct

from engine.cache import estimate
from engine.cache.config_shape import text_configs
from engine.cache.estimate import Fit, Weights, context_limit
from engine.errors import INVALID_REQUEST, NOT_A_MODEL, NOT_FOUND, EngineError
from engine.hub import net
from engine.hub.names import (
    Wanted,
    card_text,
    clean_name,
    is_weights,
    licence_name,
    needed,
    parse,
    reasons,
    takes_tools,
    template_text,
)
from engine.sandbox.folders import DTYPE_BITS, read_json
from engine.sandbox.protocol import RefusedError

if TYPE_CHECKING:
    from hashlib import _Hash

LOOK_UP_WAIT_S = 10.0
"""Longest wait that the hub may ask for during a lookup, because the user waits for it."""
_LARGEST_CARD = 2**20
_LARGEST_CONFIG = 4 * 2**20
_LARGEST_LISTING = 16 * 2**20  # some 300 bytes a file
_LARGEST_FILE = 2**50
_DIGEST = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_KIND = re.compile(r"[\w.+ -]{1,100}")  # it is shown, on terminals too

FIRST = "mlx-community"  # whose models come first
MOST = 20  # how many results each of the two questions may have

_LARGEST_FOUND = 16 * 2**20  # templates come with it, some 20 KB each
_LONGEST_WORDS = 100
_WANTED = (
    *("author", "cardData", "config", "downloads", "gated", "lastModified", "pipeline_tag"),
    *("safetensors", "tags", "usedStorage"),
)
_TASKS = frozenset(
    {"", "text-generation", "image-text-to-text", "any-to-any", "text2text-generation"}
)
_BITS = re.compile(r"([2-8])-bit")
_IMAGE_TASKS = frozenset({"image-text-to-text", "any-to-any", "visual-question-answering"})
_DATE = re.compile(r"\d{4}-\d\d-\d\d")
_MOST_BYTES = 1 << 60
_MOST_SIZE = 1 << 40  # of any number: the estimate computes with floating-point numbers
_MOST_LAYERS = 4096  # and entries of a list; the estimate goes through each of them


class HubFacts(Struct, frozen=True):
    """What the hub says of a model."""

    downloads: int = 0  # of the last month; 0 where unknown
    updated: str = ""  # the day of the last change as ISO 8601, "" where unknown
    licence: str = ""  # its short name, "" where none is named
    gated: bool = False  # whether the hub gives it only to people who asked for it
    # reasoning, tools, images: what it was made for, by its template and its task
    reasoning: bool = False
    tools: bool = False
    images: bool = False


class HubFile(Struct, frozen=True):
    """A file as the hub lists it."""

    name: str
    size: int  # in bytes
    digest: str  # SHA-256 of a large file; of a small one git's SHA-1. Also its ETag.

    def hasher(self) -> _Hash:
        """A hash object. After it has read the whole file it gives ``digest``."""
        if len(self.digest) == 64:
            return hashlib.sha256()
        return hashlib.sha1(f"blob {self.size}\0".encode(), usedforsecurity=False)


@dataclass(frozen=True)
class HubModel:
    """A model on the hub."""

    repo: str
    revision: str  # as it was asked for
    commit: str  # what that stands for now
    files: tuple[HubFile, ...]  # what would be downloaded, small ones first
    architecture: str  # the `model_type` of its config
    known: bool  # whether the installed mlx-lm has that architecture
    bits: int | None  # how many bits its quantized weights have, or None
    gated: bool  # whether the hub wants an access token of an account that was let in
    facts: HubFacts = field(default_factory=HubFacts)  # what else the hub says of it
    # most tokens that a prompt and its reply may have together, 0 where none is named
    context: int = 0
    # its `config.json`, as anybody may have written it
    config: Mapping[str, Any] = field(default_factory=dict, compare=False, repr=False)

    @property
    def size(self) -> int:
        """Bytes of all that would be downloaded."""
        return sum(file.size for file in self.files)

    @property
    def weights(self) -> int:
        """Bytes of weights. Loading takes at least as much memory."""
        return sum(file.size for file in self.files if is_weights(file.name))


class Found(Struct, frozen=True):
    """One model that a search has found."""

    repo: str  # its id
    size: int  # bytes of its weights, about; 0 where unknown. `look_up` is exact.
    precision: str  # "4-bit", "BF16"; "" where unknown
    architecture: str  # the `model_type` of its config
    facts: HubFacts


# One model.


def look_up(
    name: str,
    revision: str | None = None,
    token: str | None = None,
    cancelled: threading.Event | None = None,
    most_wait_s: float = LOOK_UP_WAIT_S,
    on_wait: net.OnWait | None = None,
) -> HubModel:
    """Ask the hub about a model; two requests, a few kilobytes.

    Args:
        name: an id (``owner/name``, ``owner/name@revision``) or the address of its page.
        token: an access token; by default the one that huggingface_hub knows.
        most_wait_s: the longest wait that the hub may ask for; a longer one is an error.
        on_wait: called with the seconds before each wait, on this thread.

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
    waits = net.Waits(stop, most_wait_s, on_wait)
    about = _about(wanted, token, stop, waits)
    files = _files(wanted.repo, about.get("siblings"))
    commit = about.get("sha")
    if not isinstance(commit, str) or not re.fullmatch(r"[0-9a-f]{40}", commit):
        raise _senseless(wanted.repo)
    config = _config(wanted, commit, token, stop, waits)
    return HubModel(
        repo=wanted.repo,
        revision=wanted.revision,
        commit=commit,
        files=files,
        architecture=config["model_type"],
        known=knows(config),
        bits=quantisation(config)["bits"],
        gated=bool(about.get("gated")),
        facts=facts(about, config),
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


def sees(folder: Path) -> bool | None:
    """Whether the model in a folder can be shown images: its weights have a tower that is known.

    None where that cannot be read. Blocks: the headers of all weights are looked at.
    """
    from engine.model import backend

    backend.start()
    from engine.model import vlm

    try:
        config = read_json(folder / "config.json", _LARGEST_CONFIG)
        return isinstance(config, dict) and vlm.sees(config) and vlm.has_tower(folder)
    except (OSError, ValueError, RefusedError):
        return None


def address(repo: str, commit: str, file: str) -> str:
    from huggingface_hub import constants, hf_hub_url

    return hf_hub_url(repo, file, revision=commit, endpoint=constants.ENDPOINT)


def headers(token: str | None) -> dict[str, str]:
    """The headers of every request. Files are wanted unpacked, as their sizes and digests are."""
    from huggingface_hub.utils import build_hf_headers

    net.say_little()
    made: dict[str, str] = build_hf_headers(token=token, library_name="stretto")
    return {**made, "Accept-Encoding": "identity"}


def _about(
    wanted: Wanted, token: str | None, cancelled: threading.Event, waits: net.Waits
) -> dict[str, Any]:
    """What the hub lists of a model."""
    from huggingface_hub import constants

    revision = quote(wanted.revision, safe="")
    url = f"{constants.ENDPOINT}/api/models/{wanted.repo}/revision/{revision}?blobs=true"
    text = net.read(url, headers(token), wanted.repo, cancelled, _LARGEST_LISTING, waits)
    found = parsed(text)
    if not isinstance(found, dict):
        raise _senseless(wanted.repo)
    return found


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
    wanted: Wanted,
    commit: str,
    token: str | None,
    cancelled: threading.Event,
    waits: net.Waits,
) -> dict[str, Any]:
    url = address(wanted.repo, commit, "config.json")
    text = net.read(url, headers(token), wanted.repo, cancelled, _LARGEST_CONFIG, waits)
    config = parsed(text)
    kind = config.get("model_type") if isinstance(config, dict) else None
    if not isinstance(config, dict) or not isinstance(kind, str) or not _KIND.fullmatch(kind):
        raise EngineError(NOT_A_MODEL, f"The config.json of {wanted.repo} names no model type.")
    if config.get("model_file"):
        raise EngineError(
            NOT_A_MODEL, f"{wanted.repo} wants to run code of its own. Stretto never does that."
        )
    return config


# A search.


def search(
    words: str, token: str | None = None, cancelled: threading.Event | None = None
) -> list[Found]:
    """Ask the hub for models by words of their names; two requests.

    Args:
        token: an access token; by default the one that huggingface_hub knows.

    Raises:
        EngineError: `invalid_request`, `gated`, `not_a_model`, `offline`, `download_failed`,
            `download_cancelled`.
    """
    words = clean_name(words, _LONGEST_WORDS)
    if not words:
        raise EngineError(INVALID_REQUEST, "Write a word of the model's name first.")
    stop = cancelled or threading.Event()
    first = _ask({"search": words, "author": FIRST}, token, stop)
    others = _ask({"search": words, "filter": "safetensors"}, token, stop)
    found = {model.repo: model for about in first + others if (model := _found(about)) is not None}
    return sorted(found.values(), key=lambda model: not model.repo.startswith(f"{FIRST}/"))


def _ask(
    question: dict[str, str], token: str | None, stop: threading.Event
) -> list[dict[str, Any]]:
    from huggingface_hub import constants

    asked = [*question.items(), ("sort", "downloads"), ("direction", "-1"), ("limit", str(MOST))]
    asked += [("expand[]", name) for name in _WANTED]
    url = f"{constants.ENDPOINT}/api/models?{urlencode(asked)}"
    answer = parsed(net.read(url, headers(token), net.SEARCH, stop, _LARGEST_FOUND))
    if not isinstance(answer, list) or not all(isinstance(about, dict) for about in answer):
        raise EngineError(
            NOT_A_MODEL,
            "The hub's answer to the search makes no sense. Try again later, or write the model's "
            "whole name.",
        )
    return answer[:MOST]


def _found(about: dict[str, Any]) -> Found | None:
    """The model, or None where it is nothing to chat with here."""
    repo, config = about.get("id"), about.get("config")
    wanted = parse(repo) if isinstance(repo, str) else None
    if wanted is None or wanted.repo != repo or not isinstance(config, dict):
        return None
    kind = config.get("model_type")
    if not isinstance(kind, str) or not _KIND.fullmatch(kind) or not knows(config):
        return None
    if (about.get("pipeline_tag") or "") not in _TASKS:
        return None
    parameters = _parameters(about)
    if not parameters and "safetensors" not in tags(about):
        return None
    return Found(
        repo, _size(about, parameters), _precision(about, config, parameters), kind, facts(about)
    )


def _parameters(about: dict[str, Any]) -> dict[str, int]:
    """How many numbers of each type its weights have."""
    weights = about.get("safetensors")
    parameters = weights.get("parameters") if isinstance(weights, dict) else None
    if not isinstance(parameters, dict):
        return {}
    return {
        k: n for k, n in parameters.items() if k in DTYPE_BITS and type(n) is int and 0 < n < 2**50
    }


def _size(about: dict[str, Any], parameters: dict[str, int]) -> int:
    size = sum(DTYPE_BITS[kind] * count for kind, count in parameters.items()) // 8
    stored = about.get("usedStorage")  # of all versions; packed numbers may be counted unpacked
    return min(size, stored) if type(stored) is int and stored > 0 else size


def _precision(about: dict[str, Any], config: dict[str, Any], parameters: dict[str, int]) -> str:
    tagged = (int(found[1]) for tag in tags(about) if (found := _BITS.fullmatch(tag)))
    bits = quantisation(config)["bits"] or next(tagged, 0)
    if 0 < bits < 16:
        return f"{bits}-bit"
    return max(parameters, key=lambda kind: parameters[kind]) if parameters else ""


def quantisation(config: dict[str, Any]) -> dict[str, Any]:
    """How a config says that its weights are quantized: `bits`, `group_size` and `mixed`."""
    for key in ("quantization", "quantization_config"):
        how = config.get(key)
        if not isinstance(how, dict):
            continue
        method = str(how.get("quant_method", ""))[:20]
        bits = _whole(how.get("bits"), 1, 16)
        if bits is None and (digits := re.search(r"(?:mxfp|nvfp|fp|int)(\d)", method)):
            bits = int(digits[1])
        others = {
            _whole(own.get("bits"), 1, 16) for own in how.values() if isinstance(own, dict)
        } - {None, bits}
        if bits is not None:
            group = _whole(how.get("group_size"), 1, 2**16)
            return {"bits": bits, "group_size": group, "mixed": bool(others)}
    return {"bits": None, "group_size": None, "mixed": False}


def _whole(value: object, least: int, most: int) -> int | None:
    return value if type(value) is int and least <= value <= most else None


# What is beside the files.


def facts(about: dict[str, Any], own_config: Mapping[str, Any] | None = None) -> HubFacts:
    """The facts in one of the hub's answers about a model.

    Args:
        own_config: the model's own, of which the hub's copy has a part.
    """
    config = _dict(about.get("config"))
    template = config.get("chat_template_jinja")
    if not isinstance(template, str):
        template = template_text(_dict(config.get("tokenizer_config")).get("chat_template"))
    sees = any("vision_config" in one for one in (config, own_config or {}))
    return HubFacts(
        downloads=_whole(about.get("downloads"), 1, 2**63) or 0,
        updated=_day(about.get("lastModified")),
        licence=_licence(about),
        gated=bool(about.get("gated")),
        reasoning=reasons(template),
        tools=takes_tools(template),
        images=about.get("pipeline_tag") in _IMAGE_TASKS or sees,
    )


def tags(about: dict[str, Any]) -> list[str]:
    """The model's tags."""
    found = about.get("tags")
    return [tag for tag in found if isinstance(tag, str)] if isinstance(found, list) else []


def _licence(about: dict[str, Any]) -> str:
    card = _dict(about.get("cardData"))
    name = card.get("license")
    if not isinstance(name, str):
        marked = (tag.partition(":") for tag in tags(about))
        name = next((rest for head, _, rest in marked if head == "license"), "")
    return licence_name(name, card.get("license_name"))


def _day(text: object) -> str:
    found = _DATE.match(text) if isinstance(text, str) else None
    return found[0] if found else ""


def _dict(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


# Whether a model would fit.


def fit(model: HubModel, budget: int, tokens: int, chats: int) -> Fit:
    """What a model that was looked at will take, and whether that is within the budget.

    Args:
        budget: bytes that models and chats may take.
        tokens, chats: how long each chat is to become, at most the model's own limit, and how many
            there are to be.
    """
    weights = Weights(model.weights, model.weights)
    tokens = min(tokens, model.context) if model.context else tokens
    gpu = sys.platform == "darwin"
    config = model.config if _is_sensible(model.config) else {}
    found = estimate.fit(config, weights, budget, tokens, chats, gpu=gpu)
    if found.total < _MOST_BYTES:
        return found
    return estimate.fit({}, weights, budget, tokens, chats, gpu=gpu)


def _is_sensible(config: Mapping[str, Any]) -> bool:
    """Whether a config can be that of a model: it comes from anybody."""
    return all(
        not isinstance(value, list) or len(value) <= _MOST_LAYERS
        if not isinstance(value, int)
        else value <= (_MOST_LAYERS if "layer" in name else _MOST_SIZE)
        for place in text_configs(config)
        for name, value in place.items()
    )
