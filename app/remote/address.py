"""Addresses of remote models, chat references, and server types. Pure functions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import SplitResult, urlsplit

from msgspec import Struct

from app.settings.language import tr
from app.tools.tool import clean
from engine.text.invisible import is_visible

PREFIX = "remote:"

SPREAD = ".hosts.localhost"
"""Suffix of the host name for a model distributed over several machines.

The names of the machines precede it. Requests go to the server on this machine.
"""

LONGEST = 500  # characters in an address or model name
_ENDS = ("/chat/completions", "/completions", "/models")
_PORTS = {"http": 80, "https": 443}


class AddressError(ValueError):
    """Invalid address. The message says what the user can do."""


class Remote(Struct, frozen=True):
    address: str  # base URL from `normalize_address`, e.g. "https://api.openai.com/v1"
    model: str  # the server's name for the model
    kind: str = ""  # key of `KINDS`
    context: int = 0  # tokens, 0 if unknown
    sees: bool = False  # supports images, according to the server or the user

    @property
    def ref(self) -> str:
        return f"{PREFIX}{self.address}#{self.model}"

    @property
    def host(self) -> str:
        return host_of(self.address)

    @property
    def name(self) -> str:
        return f"{self.short_name} · {self.host}"

    @property
    def short_name(self) -> str:
        return self.model.rpartition("/")[2] or self.model

    @property
    def is_local(self) -> bool:
        return is_here(self.address)


def is_remote(ref: str) -> bool:
    return ref.startswith(PREFIX)


def parse_ref(ref: str) -> Remote | None:
    """Return the model of a reference, or None if the reference is invalid."""
    address, _, model = ref.removeprefix(PREFIX).partition("#")
    try:
        same = is_remote(ref) and normalize_address(address) == address
    except AddressError:
        return None
    good = same and 0 < len(model) <= LONGEST and is_visible(model) and model == model.strip()
    return Remote(address, model) if good else None


def normalize_address(text: str) -> str:
    """Return the base URL for user input like "localhost:8080".

    The default scheme is http for this machine and https otherwise. The default path is ``/v1``.
    Raises AddressError.
    """
    text = text.strip()
    if not text:
        raise AddressError(tr("Enter an address, such as https://example.org/v1."))
    if len(text) > LONGEST or any(c.isspace() or not is_visible(c) for c in text):
        raise AddressError(tr("An address has no spaces and at most 500 characters."))
    if "://" not in text:
        text = f"{'http' if _is_local(_split(f'//{text}').hostname or '') else 'https'}://{text}"
    parts = _split(text)
    if parts.scheme not in _PORTS:
        raise AddressError(tr("An address begins with https:// or http://."))
    if parts.username is not None or parts.password is not None:
        raise AddressError(tr("Enter the key in its own field, not in the address."))
    try:
        host = (parts.hostname or "").encode("idna").decode("ascii")
        port = parts.port
    except (ValueError, UnicodeError) as error:
        raise AddressError(_no_host()) from error
    if not host or host.startswith("-") or not set(host) <= _HOST_CHARACTERS:
        raise AddressError(_no_host())
    netloc = f"[{host}]" if ":" in host else host
    if port is not None and port != _PORTS[parts.scheme]:
        netloc = f"{netloc}:{port}"
    path = parts.path.rstrip("/")
    for end in _ENDS:
        path = path.removesuffix(end)
    return f"{parts.scheme}://{netloc}{path.rstrip('/') or '/v1'}"


def host_of(address: str) -> str:
    """Return the host (and port, unless it's the default), or the names of several machines."""
    return ", ".join(other_machines(address)) or urlsplit(address).netloc


def other_machines(address: str) -> tuple[str, ...]:
    host = urlsplit(address).hostname or ""
    return tuple(host.removesuffix(SPREAD).split(_AND)) if host.endswith(SPREAD) else ()


def distributed_address(names: Iterable[str], port: int) -> str:
    host = _AND.join(dict.fromkeys(name.lower() for name in names))
    return normalize_address(f"http://{host + SPREAD if host else '127.0.0.1'}:{port}/v1")


def request_address(address: str) -> str:
    if not other_machines(address):
        return address
    parts = urlsplit(address)
    return f"{parts.scheme}://127.0.0.1:{parts.port or 80}{parts.path}"


_AND = ".and."


def is_here(address: str) -> bool:
    return not other_machines(address) and _is_local(urlsplit(address).hostname or "")


def is_open(address: str) -> bool:
    """Return True if other people on the network could read messages to this server."""
    return address.startswith("http://") and not is_here(address)


_HOST_CHARACTERS = frozenset("abcdefghijklmnopqrstuvwxyz0123456789.-:_")


def _no_host() -> str:
    return tr("The address has no host. Enter it as https://example.org/v1.")


def _split(text: str) -> SplitResult:
    try:
        return urlsplit(text)
    except ValueError as error:
        raise AddressError(_no_host()) from error


def _is_local(host: str) -> bool:
    digits = host.replace(".", "")
    loopback = host.startswith("127.") and digits.isdecimal() and host.count(".") == 3
    return host in {"localhost", "::1"} or host.endswith(".localhost") or loopback


MOST_MODELS = 2_000  # maximum length of a server's model list
_MOST_CONTEXT = 2**31
_CONTEXTS = ("max_model_len", "context_length", "context_window", "max_context_length")
_OWNERS = {"vllm": "vllm", "sglang": "sglang", "llamacpp": "llama.cpp"}


class ServerKind(Struct, frozen=True):
    sampling: Mapping[str, str]  # our sampling parameter names, mapped to the server's
    thinking: bool = False  # reasoning can be turned on and off
    continues: bool = False  # can continue a reply that was cut off
    keeps_reasoning: bool = False  # accepts reasoning from earlier turns


_SAME = {name: name for name in ("temperature", "top_p", "presence_penalty", "frequency_penalty")}
_COMMON = {**_SAME, "top_k": "top_k", "min_p": "min_p"}
_XTC = {name: name for name in ("typical_p", "xtc_probability", "xtc_threshold")}
_REPETITION = {"repetition_penalty": "repetition_penalty"}

KINDS: Mapping[str, ServerKind] = {
    "": ServerKind(_SAME),
    "vllm": ServerKind({**_COMMON, **_REPETITION}, True, True),
    "sglang": ServerKind({**_COMMON, **_REPETITION}, True, True),
    "llama.cpp": ServerKind(
        {**_COMMON, **_XTC, "repetition_penalty": "repeat_penalty"}, True, True
    ),
    "stretto": ServerKind({**_COMMON, **_XTC, **_REPETITION}, True, True, True),
}
"""Server types by `Remote.kind`, where "" is any other server."""


class ListedModel(Struct, frozen=True):
    model: str
    kind: str = ""
    context: int = 0  # tokens, 0 if unknown
    sees: bool | None = None  # supports images, None if unknown


def parse_model_list(body: object) -> list[ListedModel] | None:
    """Return the models in a response to ``GET /models``, or None if it's invalid.

    Names that are too long or can't be displayed are skipped.
    """
    if isinstance(body, Mapping):
        body = body.get("data", body.get("models"))
    if not isinstance(body, list):
        return None
    models: dict[str, ListedModel] = {}
    for entry in body[:MOST_MODELS]:
        model = entry.get("id") if isinstance(entry, Mapping) else entry
        if isinstance(model, str) and 0 < len(model) <= LONGEST and clean(model) == model.strip():
            fields = entry if isinstance(entry, Mapping) else {}
            models[model] = ListedModel(
                model, _kind(fields), _context(fields), _parse_vision(fields)
            )
    return [remote_model for remote_model in models.values() if is_visible(remote_model.model)]


def _kind(entry: Mapping[str, Any]) -> str:
    owner = entry.get("owned_by")
    if owner == "local" and entry.get("type") == "model" and "display_name" in entry:
        return "stretto"
    return _OWNERS.get(owner, "") if isinstance(owner, str) else ""


def _context(entry: Mapping[str, Any]) -> int:
    meta = entry.get("meta")
    sizes = [entry.get(name) for name in _CONTEXTS]
    sizes += [meta.get("n_ctx"), meta.get("n_ctx_train")] if isinstance(meta, Mapping) else []
    return next((n for n in sizes if type(n) is int and 0 < n < _MOST_CONTEXT), 0)


_EYES = {"vision", "multimodal", "image", "images"}


def _parse_vision(entry: Mapping[str, Any]) -> bool | None:
    """Return True if a model supports images, by the fields of OpenRouter, Mistral, Ollama and
    llama.cpp.
    """
    architecture = entry.get("architecture")
    values = [entry.get("input_modalities"), entry.get("modalities"), entry.get("capabilities")]
    values += [architecture.get("input_modalities")] if isinstance(architecture, Mapping) else []
    lists = [_enabled_names(value) for value in values if isinstance(value, list | Mapping)]
    if entry.get("type") == "vlm":
        return True
    return any(_EYES & value for value in lists) if lists else None


def _enabled_names(capabilities: list[Any] | Mapping[str, Any]) -> set[str]:
    """Return names from a list, or the keys that are true in an object like `{"vision": true}`."""
    names = (
        [n for n, can in capabilities.items() if can is True]
        if isinstance(capabilities, Mapping)
        else capabilities
    )
    return {name for name in names if isinstance(name, str)}


def is_ollama(entries: object) -> bool:
    """Return True if this ``GET /models`` response is from Ollama, which only lists names."""
    listed = entries.get("data") if isinstance(entries, Mapping) else None
    return isinstance(listed, list) and any(
        isinstance(entry, Mapping) and entry.get("owned_by") == "library" for entry in listed
    )


def parse_ollama_vision(details: object) -> bool | None:
    return _parse_vision(details) if isinstance(details, Mapping) else None
