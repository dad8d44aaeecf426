"""Where a remote model is, how chats name it, and what kind of server answers there. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import SplitResult, urlsplit

from msgspec import Struct

from app.settings.language import tr
from app.tools.tool import clean
from engine.text.invisible import is_visible

PREFIX = "remote:"
"""How the reference of a remote model begins. Its address and the model's name follow."""

SPREAD = ".hosts.localhost"
"""How the host of a model ends that this program spreads over other machines. Their names stand
before it, and what is sent to it goes to this machine's part of the model."""

LONGEST = 500  # characters of an address, and of a model's name
_ENDS = ("/chat/completions", "/completions", "/models")
_PORTS = {"http": 80, "https": 443}


class AddressError(ValueError):
    """A text is no address. ``str(error)`` says what to write instead."""


class Remote(Struct, frozen=True):
    """One model at one address."""

    address: str  # the base of its URLs, as `normalised` gives it: "https://api.openai.com/v1"
    model: str  # as the server names it
    kind: str = ""  # what answers there, one of `app.remote.address.KINDS`
    context: int = 0  # tokens of a prompt and its answer together; 0 where the server does not tell
    sees: bool = False  # whether it takes images, as the server or the person says

    @property
    def ref(self) -> str:
        """How chats name it."""
        return f"{PREFIX}{self.address}#{self.model}"

    @property
    def host(self) -> str:
        """Whom the text goes to, as people read it."""
        return host_of(self.address)

    @property
    def name(self) -> str:
        """What it is called in the window: a name always says where its model is."""
        return f"{self.short_name} · {self.host}"

    @property
    def short_name(self) -> str:
        """The model's own name, for where its host is said beside it."""
        return self.model.rpartition("/")[2] or self.model

    @property
    def here(self) -> bool:
        """Whether another program of this machine answers."""
        return is_here(self.address)


def is_remote(ref: str) -> bool:
    """Whether a chat's ``model`` is one that answers elsewhere."""
    return ref.startswith(PREFIX)


def named(ref: str) -> Remote | None:
    """What a reference says of its model; None for one that makes no sense."""
    address, _, model = ref.removeprefix(PREFIX).partition("#")
    try:
        same = is_remote(ref) and normalised(address) == address
    except AddressError:
        return None
    good = same and 0 < len(model) <= LONGEST and is_visible(model) and model == model.strip()
    return Remote(address, model) if good else None


def normalised(text: str) -> str:
    """The base of a server's URLs from what a person wrote, e.g. "localhost:8080".

    Without a scheme it is http for this machine and https for any other. Without a path it is
    ``/v1``.

    Raises:
        AddressError: it is none.
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
    place = f"[{host}]" if ":" in host else host
    if port is not None and port != _PORTS[parts.scheme]:
        place = f"{place}:{port}"
    path = parts.path.rstrip("/")
    for end in _ENDS:
        path = path.removesuffix(end)
    return f"{parts.scheme}://{place}{path.rstrip('/') or '/v1'}"


def host_of(address: str) -> str:
    """The host of an address, with its port where that is not the usual one.

    Of a model that is spread over other machines it is their names.
    """
    return ", ".join(machines(address)) or urlsplit(address).netloc


def machines(address: str) -> tuple[str, ...]:
    """The other machines over which the model of an address is spread."""
    host = urlsplit(address).hostname or ""
    return tuple(host.removesuffix(SPREAD).split(_AND)) if host.endswith(SPREAD) else ()


def spread(names: Iterable[str], port: int) -> str:
    """The address of a model that is spread over these other machines; none is this one alone."""
    host = _AND.join(dict.fromkeys(name.lower() for name in names))
    return normalised(f"http://{host + SPREAD if host else '127.0.0.1'}:{port}/v1")


def asked_at(address: str) -> str:
    """Where what is sent to an address really goes."""
    if not machines(address):
        return address
    parts = urlsplit(address)
    return f"{parts.scheme}://127.0.0.1:{parts.port or 80}{parts.path}"


_AND = ".and."


def is_here(address: str) -> bool:
    """Whether an address is this machine's own."""
    return not machines(address) and _is_local(urlsplit(address).hostname or "")


def is_open(address: str) -> bool:
    """Whether others on the way can read what is sent there."""
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


MOST_MODELS = 2_000  # of one server that are listed
_MOST_CONTEXT = 2**31
_CONTEXTS = ("max_model_len", "context_length", "context_window", "max_context_length")
_OWNERS = {"vllm": "vllm", "sglang": "sglang", "llamacpp": "llama.cpp"}


class Kind(Struct, frozen=True):
    """What a kind of server takes beside the fields of OpenAI's own."""

    sampling: Mapping[str, str]  # its names for settings, by ours
    thinking: bool = False  # whether it can be told to reason or not
    binds: bool = False  # whether answers can be bound to choices and patterns
    continues: bool = False  # whether it goes on with an answer that was cut off
    keeps_reasoning: bool = False  # whether it takes the reasoning of earlier turns


_SAME = {name: name for name in ("temperature", "top_p", "presence_penalty", "frequency_penalty")}
_COMMON = {**_SAME, "top_k": "top_k", "min_p": "min_p"}
_XTC = {name: name for name in ("typical_p", "xtc_probability", "xtc_threshold")}
_REPETITION = {"repetition_penalty": "repetition_penalty"}

KINDS: Mapping[str, Kind] = {
    "": Kind(_SAME),
    "vllm": Kind({**_COMMON, **_REPETITION}, True, True, True),
    "sglang": Kind({**_COMMON, **_REPETITION}, True, True, True),
    "llama.cpp": Kind(
        {**_COMMON, **_XTC, "repetition_penalty": "repeat_penalty"}, True, False, True
    ),
    "stretto": Kind({**_COMMON, **_XTC, **_REPETITION}, True, True, True, True),
}
"""By `Remote.kind`; "" is any other server."""


class Listed(Struct, frozen=True):
    """One model of a server's list."""

    model: str
    kind: str = ""
    context: int = 0  # tokens, 0 where it is not told
    sees: bool | None = None  # whether it is told to take images; None where nothing is


def listed(body: object) -> list[Listed] | None:
    """The models of an answer to ``GET /models``; None where it is no such answer.

    Names that cannot be shown or are far too long are left out.
    """
    if isinstance(body, Mapping):
        body = body.get("data", body.get("models"))
    if not isinstance(body, list):
        return None
    found: dict[str, Listed] = {}
    for entry in body[:MOST_MODELS]:
        model = entry.get("id") if isinstance(entry, Mapping) else entry
        if isinstance(model, str) and 0 < len(model) <= LONGEST and clean(model) == model.strip():
            told = entry if isinstance(entry, Mapping) else {}
            found[model] = Listed(model, _kind(told), _context(told), _sees(told))
    return [one for one in found.values() if is_visible(one.model)]


def has_sessions(body: object) -> bool:
    """Whether an answer to ``GET /models`` is a Stretto's that says that it has sessions."""
    told = body.get("stretto") if isinstance(body, Mapping) else None
    version = told.get("sessions") if isinstance(told, Mapping) else None
    return type(version) is int and version >= 1


def _kind(entry: Mapping[str, Any]) -> str:
    owner = entry.get("owned_by")
    if owner == "local" and entry.get("type") == "model" and "display_name" in entry:
        return "stretto"
    return _OWNERS.get(owner, "") if isinstance(owner, str) else ""


def _context(entry: Mapping[str, Any]) -> int:
    meta = entry.get("meta")
    told = [entry.get(name) for name in _CONTEXTS]
    told += [meta.get("n_ctx"), meta.get("n_ctx_train")] if isinstance(meta, Mapping) else []
    return next((n for n in told if type(n) is int and 0 < n < _MOST_CONTEXT), 0)


_EYES = {"vision", "multimodal", "image", "images"}


def _sees(entry: Mapping[str, Any]) -> bool | None:
    """Whether a model takes images, as OpenRouter, Mistral, Ollama and llama.cpp tell it."""
    about = entry.get("architecture")
    told = [entry.get("input_modalities"), entry.get("modalities"), entry.get("capabilities")]
    told += [about.get("input_modalities")] if isinstance(about, Mapping) else []
    lists = [_able(one) for one in told if isinstance(one, list | Mapping)]
    if entry.get("type") == "vlm":
        return True
    return any(_EYES & one for one in lists) if lists else None


def _able(told: list[Any] | Mapping[str, Any]) -> set[str]:
    """What is listed, or is true: `{"vision": true}`."""
    names = [n for n, can in told.items() if can is True] if isinstance(told, Mapping) else told
    return {name for name in names if isinstance(name, str)}


def is_ollama(entries: object) -> bool:
    """Whether an answer to ``GET /models`` is Ollama's, which tells there of nothing but names."""
    listed = entries.get("data") if isinstance(entries, Mapping) else None
    return isinstance(listed, list) and any(
        isinstance(one, Mapping) and one.get("owned_by") == "library" for one in listed
    )


def sees_at_ollama(shown: object) -> bool | None:
    """What Ollama's answer to ``POST /api/show`` says of a model's eyes."""
    return _sees(shown) if isinstance(shown, Mapping) else None
