"""Model metadata from the hub, by name or through a search.

Repository owners write most of the values, so anything missing or unexpected is treated as
unknown.
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
from engine.hub import names, net
from engine.sandbox.folders import DTYPE_BITS, read_json
from engine.sandbox.protocol import RefusedError

if TYPE_CHECKING:
    from hashlib import _Hash

LOOK_UP_WAIT_S = 10.0
"""Maximum delay while the hub is busy. Short, because the user is waiting."""
_MAX_CARD_BYTES = 2**20
_MAX_CONFIG_BYTES = 4 * 2**20
_MAX_LISTING_BYTES = 16 * 2**20  # each file takes about 300 bytes
_MAX_FILE_BYTES = 2**50
_DIGEST = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_KIND = re.compile(r"[\w.+ -]{1,100}")  # names are also printed in terminals

FIRST_AUTHOR = "mlx-community"  # models by this author are listed first
MAX_RESULTS = 20  # results per request; a search makes two requests

_MAX_RESULTS_BYTES = 16 * 2**20  # each result includes a template of about 20 KB
_MAX_QUERY_CHARACTERS = 100
_SEARCH_FIELDS = (
    *("author", "cardData", "config", "downloads", "gated", "lastModified", "pipeline_tag"),
    *("safetensors", "tags", "usedStorage"),
)
_TASKS = frozenset(
    {"", "text-generation", "image-text-to-text", "any-to-any", "text2text-generation"}
)
_BITS = re.compile(r"([2-8])-bit")
_IMAGE_TASKS = frozenset({"image-text-to-text", "any-to-any", "visual-question-answering"})
_DATE = re.compile(r"\d{4}-\d\d-\d\d")
_MAX_ESTIMATE_BYTES = 1 << 60
_MAX_CONFIG_NUMBER = 1 << 40  # limit for numbers, because the estimate uses floats
_MAX_LAYERS = 4096  # limit for layers and list lengths, because the estimate loops over them


class HubFacts(Struct, frozen=True):
    """Metadata of a model on the hub.

    Attributes:
        downloads: in the last month. 0 if unknown.
        updated: date of the last change (ISO 8601). "" if unknown.
        licence: short name. "" if there is none.
        reasoning, tools, images: capabilities, based on the template and task.
    """

    downloads: int = 0
    updated: str = ""
    licence: str = ""
    gated: bool = False
    reasoning: bool = False
    tools: bool = False
    images: bool = False


class HubFile(Struct, frozen=True):
    name: str
    size: int  # size in bytes
    digest: str  # ETag: SHA-256 for large files, git's SHA-1 for small files

    def hasher(self) -> _Hash:
        if len(self.digest) == 64:
            return hashlib.sha256()
        return hashlib.sha1(f"blob {self.size}\0".encode(), usedforsecurity=False)


@dataclass(frozen=True)
class HubModel:
    """Model on the hub.

    Attributes:
        files: what to download, smallest first.
        known: True if the installed mlx-lm supports the architecture.
        bits: bits of quantized weights, or None if it isn't quantized.
        context: context length in tokens. 0 if unknown.
        config: `config.json`, not validated.
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
        return sum(file.size for file in self.files)

    @property
    def weights(self) -> int:
        return sum(file.size for file in self.files if names.is_weights(file.name))


class HubSearchResult(Struct, frozen=True):
    """Search result.

    Attributes:
        size: approximate size of the weights in bytes, 0 if unknown. Use `look_up` for the exact
            size.
        precision: e.g. "4-bit" or "BF16". "" if unknown.
    """

    repo: str
    size: int
    precision: str
    architecture: str
    facts: HubFacts


def look_up(
    name: str,
    revision: str | None = None,
    token: str | None = None,
    cancelled: threading.Event | None = None,
    most_wait_s: float = LOOK_UP_WAIT_S,
    on_wait: net.OnWait | None = None,
) -> HubModel:
    """Look up a model with two requests.

    Args:
        name: a model id (``owner/name``, ``owner/name@revision``), or the address of its page.
        most_wait_s: longest delay to accept while the hub is busy.
        on_wait: called on this thread before each wait, with its length in seconds.

    Raises:
        EngineError: `invalid_request`, `not_found`, `gated`, `not_a_model`, `offline`,
            `download_failed`, `download_cancelled`.
    """
    from huggingface_hub import constants

    ref = names.parse(name, constants.HF_URL_HOSTS)
    if ref is None:
        raise EngineError(INVALID_REQUEST, f"{name!r} is not a model id. Write owner/name.")
    ref = names.HubRef(ref.repo, revision or ref.revision)
    if names.parse(f"{ref.repo}@{ref.revision}") is None:
        raise EngineError(INVALID_REQUEST, f"{ref.revision!r} is not a valid revision.")
    stop = cancelled or threading.Event()
    waits = net.BusyWaiter(stop, most_wait_s, on_wait)
    metadata = _fetch_metadata(ref, token, stop, waits)
    files = _parse_files(ref.repo, metadata.get("siblings"))
    commit = metadata.get("sha")
    if not isinstance(commit, str) or not re.fullmatch(r"[0-9a-f]{40}", commit):
        raise _invalid_answer(ref.repo)
    config = _fetch_config(ref, commit, token, stop, waits)
    return HubModel(
        repo=ref.repo,
        revision=ref.revision,
        commit=commit,
        files=files,
        architecture=config["model_type"],
        known=is_known_architecture(config),
        bits=quantization(config)["bits"],
        gated=bool(metadata.get("gated")),
        facts=facts(metadata, config),
        context=context_limit(config) or 0,
        config=config,
    )


def card(
    model: HubModel, token: str | None = None, cancelled: threading.Event | None = None
) -> str:
    """Return the model card as Markdown without front matter, or "" if there is none.

    Raises:
        EngineError: see `look_up`.
    """
    stop = cancelled or threading.Event()
    url = file_url(model.repo, model.commit, "README.md")
    try:
        text = net.fetch(url, request_headers(token), model.repo, stop, _MAX_CARD_BYTES)
    except EngineError as error:
        if error.code == NOT_FOUND:
            return ""
        raise
    return names.card_text(text.decode("utf-8", "replace"))


def is_known_architecture(config: dict[str, Any]) -> bool:
    import importlib.util

    from engine.model import backend

    backend.start()  # imports MLX with the engine's settings
    from mlx_lm import utils

    kind = config["model_type"]
    architectures = config.get("architectures") or ()
    for architecture in map(
        str, architectures if isinstance(architectures, list) else [architectures]
    ):
        if (kind, architecture) in utils.MODEL_ARCHITECTURE_REMAPPING:
            kind = utils.MODEL_ARCHITECTURE_REMAPPING[kind, architecture]
            break
    else:
        kind = utils.MODEL_REMAPPING.get(kind, kind)
    return kind.isidentifier() and importlib.util.find_spec(f"mlx_lm.models.{kind}") is not None


def has_vision(folder: Path) -> bool | None:
    """Return True if a model has a supported vision tower, or None if the folder can't be read.

    Reads the headers of all weight files.
    """
    from engine.model import backend

    backend.start()
    from engine.model import vlm

    try:
        config = read_json(folder / "config.json", _MAX_CONFIG_BYTES)
        return isinstance(config, dict) and vlm.has_vision(config) and vlm.has_tower(folder)
    except (OSError, ValueError, RefusedError):
        return None


def file_url(repo: str, commit: str, file: str) -> str:
    from huggingface_hub import constants, hf_hub_url

    return hf_hub_url(repo, file, revision=commit, endpoint=constants.ENDPOINT)


def request_headers(token: str | None) -> dict[str, str]:
    from huggingface_hub.utils import build_hf_headers

    net.silence_client()
    headers: dict[str, str] = build_hf_headers(token=token, library_name="stretto")
    return {**headers, "Accept-Encoding": "identity"}


def _fetch_metadata(
    ref: names.HubRef, token: str | None, cancelled: threading.Event, waits: net.BusyWaiter
) -> dict[str, Any]:
    from huggingface_hub import constants

    revision = quote(ref.revision, safe="")
    url = f"{constants.ENDPOINT}/api/models/{ref.repo}/revision/{revision}?blobs=true"
    text = net.fetch(url, request_headers(token), ref.repo, cancelled, _MAX_LISTING_BYTES, waits)
    metadata = parse_json(text)
    if not isinstance(metadata, dict):
        raise _invalid_answer(ref.repo)
    return metadata


def _invalid_answer(repo: str) -> EngineError:
    return EngineError(NOT_A_MODEL, f"Hugging Face's answer about {repo} is invalid.")


def parse_json(text: bytes) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _parse_files(repo: str, listed: Any) -> tuple[HubFile, ...]:
    entries: dict[str, dict[str, Any]] = {}
    for entry in listed if isinstance(listed, list) else []:
        if not isinstance(entry, dict) or not isinstance(entry.get("rfilename"), str):
            raise _invalid_answer(repo)
        entries[entry["rfilename"]] = entry
    weights = any(names.is_weights(name) and names.is_needed(name) for name in entries)
    if "config.json" not in entries or not weights:
        gguf = any(name.lower().endswith(".gguf") for name in entries)
        raise EngineError(
            NOT_A_MODEL,
            f"{repo} has GGUF files, which are not downloaded here. Look for the same model in "
            "safetensors; or download one of its files, and choose it with File > Open GGUF File."
            if gguf
            else f"{repo} cannot be loaded: it has no config.json with weights in "
            "safetensors. Other formats can run code.",
        )
    hub_files = [
        _parse_file(repo, entry) for name, entry in entries.items() if names.is_needed(name)
    ]
    return tuple(sorted(hub_files, key=lambda file: (names.is_weights(file.name), file.name)))


def _parse_file(repo: str, entry: dict[str, Any]) -> HubFile:
    """Parse a file's entry. For large files, size and SHA-256 are under `lfs`."""
    large = entry.get("lfs")
    size = large.get("size") if isinstance(large, dict) else entry.get("size")
    digest = large.get("sha256") if isinstance(large, dict) else entry.get("blobId")
    if not isinstance(size, int) or isinstance(size, bool) or not 0 <= size <= _MAX_FILE_BYTES:
        raise _invalid_answer(repo)
    if not isinstance(digest, str) or not _DIGEST.fullmatch(digest):
        raise _invalid_answer(repo)
    return HubFile(entry["rfilename"], size, digest)


def _fetch_config(
    ref: names.HubRef,
    commit: str,
    token: str | None,
    cancelled: threading.Event,
    waits: net.BusyWaiter,
) -> dict[str, Any]:
    url = file_url(ref.repo, commit, "config.json")
    text = net.fetch(url, request_headers(token), ref.repo, cancelled, _MAX_CONFIG_BYTES, waits)
    config = parse_json(text)
    kind = config.get("model_type") if isinstance(config, dict) else None
    if not isinstance(config, dict) or not isinstance(kind, str) or not _KIND.fullmatch(kind):
        raise EngineError(NOT_A_MODEL, f"The config.json of {ref.repo} has no model type.")
    if config.get("model_file"):
        raise EngineError(
            NOT_A_MODEL, f"{ref.repo} requires code of its own. Stretto never runs such code."
        )
    return config


def search(
    words: str, token: str | None = None, cancelled: threading.Event | None = None
) -> list[HubSearchResult]:
    """Search model names on the hub with two requests.

    Args:
        token: access token (default: huggingface_hub's).

    Raises:
        EngineError: `invalid_request`, `gated`, `not_a_model`, `offline`, `download_failed`,
            `download_cancelled`.
    """
    words = names.clean_name(words, _MAX_QUERY_CHARACTERS)
    if not words:
        raise EngineError(INVALID_REQUEST, "Enter a word of the model's name first.")
    stop = cancelled or threading.Event()
    first = _request_results({"search": words, "author": FIRST_AUTHOR}, token, stop)
    other_results = _request_results({"search": words, "filter": "safetensors"}, token, stop)
    models_by_repo = {
        model.repo: model
        for metadata in first + other_results
        if (model := _parse_result(metadata)) is not None
    }
    return sorted(
        models_by_repo.values(), key=lambda model: not model.repo.startswith(f"{FIRST_AUTHOR}/")
    )


def _request_results(
    question: dict[str, str], token: str | None, stop: threading.Event
) -> list[dict[str, Any]]:
    from huggingface_hub import constants

    parameters = [
        *question.items(),
        ("sort", "downloads"),
        ("direction", "-1"),
        ("limit", str(MAX_RESULTS)),
    ]
    parameters += [("expand[]", name) for name in _SEARCH_FIELDS]
    url = f"{constants.ENDPOINT}/api/models?{urlencode(parameters)}"
    answer = parse_json(
        net.fetch(url, request_headers(token), net.SEARCH_LABEL, stop, _MAX_RESULTS_BYTES)
    )
    if not isinstance(answer, list) or not all(isinstance(metadata, dict) for metadata in answer):
        raise EngineError(
            NOT_A_MODEL,
            "Hugging Face's answer to the search is invalid. Try again later, or enter the model's "
            "full name.",
        )
    return answer[:MAX_RESULTS]


def _parse_result(metadata: dict[str, Any]) -> HubSearchResult | None:
    repo, config = metadata.get("id"), metadata.get("config")
    ref = names.parse(repo) if isinstance(repo, str) else None
    if ref is None or ref.repo != repo or not isinstance(config, dict):
        return None
    kind = config.get("model_type")
    if not isinstance(kind, str) or not _KIND.fullmatch(kind) or not is_known_architecture(config):
        return None
    if (metadata.get("pipeline_tag") or "") not in _TASKS:
        return None
    parameters = _parameters(metadata)
    if not parameters and "safetensors" not in tags(metadata):
        return None
    return HubSearchResult(
        repo,
        _size(metadata, parameters),
        _precision(metadata, config, parameters),
        kind,
        facts(metadata),
    )


def _parameters(metadata: dict[str, Any]) -> dict[str, int]:
    weights = metadata.get("safetensors")
    parameters = weights.get("parameters") if isinstance(weights, dict) else None
    if not isinstance(parameters, dict):
        return {}
    return {
        k: n for k, n in parameters.items() if k in DTYPE_BITS and type(n) is int and 0 < n < 2**50
    }


def _size(metadata: dict[str, Any], parameters: dict[str, int]) -> int:
    size = sum(DTYPE_BITS[kind] * count for kind, count in parameters.items()) // 8
    # `usedStorage` includes all revisions, while `size` may count packed values as unpacked.
    stored = metadata.get("usedStorage")
    return min(size, stored) if type(stored) is int and stored > 0 else size


def _precision(metadata: dict[str, Any], config: dict[str, Any], parameters: dict[str, int]) -> str:
    tagged = (int(match[1]) for tag in tags(metadata) if (match := _BITS.fullmatch(tag)))
    bits = quantization(config)["bits"] or next(tagged, 0)
    if 0 < bits < 16:
        return f"{bits}-bit"
    return max(parameters, key=lambda kind: parameters[kind]) if parameters else ""


def quantization(config: dict[str, Any]) -> dict[str, Any]:
    for key in ("quantization", "quantization_config"):
        settings = config.get(key)
        if not isinstance(settings, dict):
            continue
        method = str(settings.get("quant_method", ""))[:20]
        bits = _int_between(settings.get("bits"), 1, 16)
        if bits is None and (digits := re.search(r"(?:mxfp|nvfp|fp|int)(\d)", method)):
            bits = int(digits[1])
        part_bits = {
            _int_between(part.get("bits"), 1, 16)
            for part in settings.values()
            if isinstance(part, dict)
        } - {None, bits}
        if bits is not None:
            group = _int_between(settings.get("group_size"), 1, 2**16)
            return {"bits": bits, "group_size": group, "mixed": bool(part_bits)}
    return {"bits": None, "group_size": None, "mixed": False}


def _int_between(value: object, minimum: int, maximum: int) -> int | None:
    return value if type(value) is int and minimum <= value <= maximum else None


def facts(metadata: dict[str, Any], own_config: Mapping[str, Any] | None = None) -> HubFacts:
    config = _as_dict(metadata.get("config"))
    template = config.get("chat_template_jinja")
    if not isinstance(template, str):
        template = names.template_text(
            _as_dict(config.get("tokenizer_config")).get("chat_template")
        )
    sees = any("vision_config" in part for part in (config, own_config or {}))
    return HubFacts(
        downloads=_int_between(metadata.get("downloads"), 1, 2**63) or 0,
        updated=_parse_date(metadata.get("lastModified")),
        licence=_licence(metadata),
        gated=bool(metadata.get("gated")),
        reasoning=names.has_reasoning(template),
        tools=names.has_tools(template),
        images=metadata.get("pipeline_tag") in _IMAGE_TASKS or sees,
    )


def tags(metadata: dict[str, Any]) -> list[str]:
    values = metadata.get("tags")
    return [tag for tag in values if isinstance(tag, str)] if isinstance(values, list) else []


def _licence(metadata: dict[str, Any]) -> str:
    card = _as_dict(metadata.get("cardData"))
    name = card.get("license")
    if not isinstance(name, str):
        marked = (tag.partition(":") for tag in tags(metadata))
        name = next((rest for head, _, rest in marked if head == "license"), "")
    return names.licence_name(name, card.get("license_name"))


def _parse_date(text: object) -> str:
    match = _DATE.match(text) if isinstance(text, str) else None
    return match[0] if match else ""


def _as_dict(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def fit(model: HubModel, budget: int, tokens: int, chats: int) -> Fit:
    """Estimate a model's memory, and compare it to the budget.

    Args:
        budget: memory for models and chats, in bytes.
        tokens: length of each chat. Capped at the model's limit.
    """
    weights = Weights(model.weights, model.weights)
    tokens = min(tokens, model.context) if model.context else tokens
    gpu = sys.platform == "darwin"
    config = model.config if _is_sensible(model.config) else {}
    result = estimate.fit(config, weights, budget, tokens, chats, gpu=gpu)
    if result.total < _MAX_ESTIMATE_BYTES:
        return result
    return estimate.fit({}, weights, budget, tokens, chats, gpu=gpu)


def _is_sensible(config: Mapping[str, Any]) -> bool:
    return all(
        not isinstance(value, list) or len(value) <= _MAX_LAYERS
        if not isinstance(value, int)
        else value <= (_MAX_LAYERS if "layer" in name else _MAX_CONFIG_NUMBER)
        for part in text_configs(config)
        for name, value in part.items()
    )
