"""Loading a model folder: checks first, then mlx-lm's loader, then what the engine must know."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Generator, Mapping
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.errors import MODEL_LOAD_FAILED, OUT_OF_MEMORY, EngineError
from engine.model.backend import Backend
from engine.params import takes

if TYPE_CHECKING:  # Model must be importable without mlx, which these import
    from engine.kv.cache_objects import Caches
    from engine.kv.memory_estimate import MemoryEstimate
    from engine.kv.slots import Slots

# What the loader needs beside the weights, in a plain folder or a hub snapshot.
_TOKENIZER_FILES = ("tokenizer.json", "tokenizer.model", "tiktoken.model", "vocab.json")


@dataclass(frozen=True)
class Model:
    """A loaded model, as everyone outside the engine thread sees it.

    Attributes:
        id: fingerprint of weights, config, tokenizer, template, dtype and mlx-lm's version.
        name: what to show people.
        path: the folder it came from.
        context_length: most tokens a prompt and its reply may have together.
        nbytes: bytes of weights in memory.
        dtype: what the weights compute in, e.g. "float32".
        step: how sessions share a decode step: "shared", "rows" (attention row by row) or "alone".
        thinking: whether the model can reason before it answers.
        defaults: the sampling settings its maker recommends (`generation_config.json`).
    """

    id: str
    name: str
    path: str
    context_length: int
    nbytes: int
    dtype: str
    step: str
    thinking: bool
    defaults: Mapping[str, Any] = field(default_factory=dict, hash=False)


@dataclass
class LoadedModel:
    """A model with everything that lives on the engine thread."""

    info: Model
    net: Any  # the mlx nn.Module
    tokenizer: Any  # mlx-lm's TokenizerWrapper
    eos: frozenset[int]
    estimate: MemoryEstimate
    make_cache: Any  # () -> Caches
    slots: Slots | None = None  # where its sessions sit while they decode together, if they can
    shares_prefix: bool = False  # its sessions can go on from a beginning that they share
    mixes: bool = False  # a prompt's chunk can be read in one pass with a step of others
    token_by_token: bool = (
        False  # its prompts cannot be read in chunks, see engine.model.chunk_invariance
    )
    kept_in: dict[int, Any] = field(default_factory=dict)  # see engine.model.quantised
    form_tokenizer: Any = None  # llguidance's, once an answer of a given form was asked for
    faults: int = 0  # shared steps that raised; after a few of them its sessions step alone

    def new_caches(self) -> Caches:
        return list(self.make_cache())


def resolve(path_or_id: str) -> Path:
    """The folder of a model: a path, or a hub id (``@revision``) that has been downloaded.

    Raises:
        EngineError: `model_load_failed`, saying what is missing and what to do.
    """
    if not path_or_id.strip():
        raise _refuse("No model was named. Give a folder or the id of a downloaded model.")
    folder = Path(path_or_id).expanduser()
    if folder.is_dir():
        return folder
    if folder.exists():
        raise _refuse(f"{path_or_id} is a file. Choose the folder that holds config.json.")
    from engine import hub  # not with this module, which a window waits for

    wanted = hub.parse(path_or_id)
    if wanted is None:
        raise _refuse(f"There is no folder {path_or_id}.")
    downloaded = hub.find(wanted.repo, wanted.revision)
    if downloaded is None:
        raise _refuse(
            f"There is no folder {path_or_id}, and no model of that name has been downloaded. "
            "Download it first."
        )
    return downloaded


def _refuse(message: str) -> EngineError:
    return EngineError(MODEL_LOAD_FAILED, message)


def check_folder(folder: Path, name: str) -> dict[str, Any]:
    """The folder's config after the checks that give better words than the loader's own."""
    config_file = folder / "config.json"
    if not config_file.is_file():
        raise _refuse(
            f"{name} is not a model folder: config.json is missing. Choose a folder that "
            "holds config.json, safetensors weights and a tokenizer."
        )
    try:
        config = json.loads(config_file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise _refuse(f"The config.json of {name} cannot be read: {error}.") from None
    if not isinstance(config, dict) or not isinstance(config.get("model_type"), str):
        raise _refuse(f"The config.json of {name} does not name a model type.")
    weights = list(folder.glob("model*.safetensors"))
    if not weights:
        raise _refuse(
            f"{name} has no safetensors weights. Only safetensors are loaded: other "
            "formats can run code."
        )
    for file in weights:
        _check_safetensors(file)
    _check_all_there(folder, name)
    if config.get("model_file"):
        raise _refuse(
            f"{name} wants to run code from its own folder ({config['model_file']}). "
            "Stretto never does that."
        )
    if not any((folder / name).exists() for name in _TOKENIZER_FILES):
        raise _refuse(f"{name} has no tokenizer (tokenizer.json or tokenizer.model).")
    return config


def _check_all_there(folder: Path, name: str) -> None:
    """Files of weights that the index names and the folder lacks: a download that was cut off.

    An index of which nothing is there is another model's, left over from a conversion.
    """
    try:
        index = json.loads((folder / "model.safetensors.index.json").read_text(encoding="utf-8"))
        named = {str(file) for file in index["weight_map"].values()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return  # the loader needs none
    missing = sorted(file for file in named if not (folder / file).is_file())
    if 0 < len(missing) < len(named):
        raise _refuse(
            f"{name} is incomplete: {len(missing)} of its {len(named)} files of weights are "
            f"missing ({missing[0]}). Download the model again."
        )


def _check_safetensors(file: Path) -> None:
    """Compare a file's size with what its header promises: a broken download is common."""
    size = file.stat().st_size
    with file.open("rb") as stream:
        head = stream.read(8)
        length = int.from_bytes(head, "little") if len(head) == 8 else -1
        if not 0 < length <= size - 8:
            raise _refuse(f"{file.name} is damaged or incomplete. Download the model again.")
        try:
            header = json.loads(stream.read(length))
            end = max(
                (t["data_offsets"][1] for n, t in header.items() if n != "__metadata__"), default=0
            )
        except (ValueError, KeyError, TypeError, IndexError):
            raise _refuse(f"{file.name} is damaged. Download the model again.") from None
    if 8 + length + end > size:
        raise _refuse(
            f"{file.name} is incomplete: {8 + length + end - size:,} bytes are missing. "
            "Download the model again."
        )


Pieces = Generator[None, None, "LoadedModel"]
"""A model being loaded: runs until the next `yield`, returns the model at the end."""

PIECE = 64 * 2**20
"""Bytes of weights that are read between two turns of the loop."""


def identity(folder: Path) -> tuple[object, ...]:
    """The same for the same unchanged folder, known without reading it."""
    files = sorted(f for f in folder.iterdir() if f.is_file())
    stats = [(f.name, f.stat().st_mtime_ns, f.stat().st_size) for f in files]
    return (str(folder.resolve()), *stats)


def load(folder: Path, asked: str, backend: Backend, free: int) -> Pieces:
    """Load a model piece by piece, so that running chats go on meanwhile. Engine thread only.

    Args:
        asked: what the caller named the model by.
        free: bytes that it may take.

    Raises:
        EngineError: `model_load_failed` or `out_of_memory`.
    """
    import mlx.core as mx
    from mlx_lm.models.cache import make_prompt_cache
    from mlx_lm.utils import load_model

    from engine.kv.slots import Slots
    from engine.model import chunk_invariance, probe

    name = _display_name(asked, folder)
    config = check_folder(folder, name)
    size = sum(f.stat().st_size for f in folder.glob("model*.safetensors"))
    if size > free:
        raise EngineError(
            OUT_OF_MEMORY,
            f"{name} needs {size / 1e9:.2f} GB for its weights and {max(0, free) / 1e9:.2f} GB "
            "may be used. Close another model or choose a smaller or quantized one.",
        )
    try:
        tokenizer = yield from _load_tokenizer(folder, config)
        net, config = load_model(folder, lazy=True, trust_remote_code=False)
        if backend.prefers_float32 and 2 * size < free:
            net.set_dtype(mx.float32)
        yield from _read_weights(net)
    except SystemExit:  # what one of mlx-lm's modules does when a package of its own is missing
        raise _refuse(
            f"{name} needs a package that is not installed: mlx-lm's module for the type "
            f"{config['model_type']!r} gave up."
        ) from None
    except Exception as error:
        raise _load_error(name, config, error) from None
    make_cache = chunk_invariance.wide_enough(net, lambda: make_prompt_cache(net))
    yield
    estimate, ways = yield from probe.explore(net, make_cache, len(tokenizer))
    token_by_token = chunk_invariance.sees_ahead(net, make_cache, len(tokenizer))
    dtype = _compute_dtype(net)
    info = Model(
        id=fingerprint(folder, dtype),
        name=name,
        path=str(folder.resolve()),
        context_length=_context_length(config, tokenizer),
        nbytes=_weight_bytes(net),
        dtype=dtype,
        step=ways.step,
        thinking=bool(tokenizer.has_thinking),
        defaults=_defaults(folder),
    )
    return LoadedModel(
        info=info,
        net=net,
        tokenizer=tokenizer,
        eos=frozenset(tokenizer.eos_token_ids),
        estimate=estimate,
        make_cache=make_cache,
        slots=Slots() if ways.slots else None,
        shares_prefix=ways.shares_prefix,
        mixes=ways.mixes,
        token_by_token=token_by_token,
    )


def _load_tokenizer(folder: Path, config: dict[str, Any]) -> Generator[None, None, Any]:
    """Load the tokenizer beside the loop: it takes a second of Python and touches no MLX."""
    from mlx_lm.utils import load_config, load_tokenizer

    eos = load_config(folder).get("eos_token_id")  # generation_config.json's, where it has one
    ids = [eos] if isinstance(eos, int) else eos or None
    with ThreadPoolExecutor(1, "stretto-tokenizer") as slots:
        tokenizer = slots.submit(load_tokenizer, folder, eos_token_ids=ids)
        while not wait([tokenizer], timeout=0.002).done:
            yield
        return tokenizer.result()


def _read_weights(net: Any) -> Generator[None, None, None]:
    """Evaluate the lazily loaded weights, so many bytes at a time."""
    import mlx.core as mx
    from mlx.utils import tree_flatten

    batch: list[Any] = []
    for _, array in tree_flatten(net.parameters()):
        batch.append(array)
        if sum(a.nbytes for a in batch) >= PIECE:
            mx.eval(batch)
            batch.clear()
            yield
    mx.eval(batch)


def _load_error(name: str, config: dict[str, Any], error: Exception) -> EngineError:
    text = str(error).strip().splitlines()
    first = text[0] if text else type(error).__name__
    if "not supported" in first and "odel type" in first:
        return _refuse(
            f"{name} is of the type {config['model_type']!r}, which this version does not "
            "know. A newer version of Stretto may."
        )
    if isinstance(error, MemoryError) or "allocate" in first.lower():
        return EngineError(OUT_OF_MEMORY, f"There is not enough memory to load {name}.")
    return _refuse(f"{name} could not be loaded: {first}")


def fingerprint(folder: Path, dtype: str) -> str:
    """Names a model's weights, config, tokenizer and template, its dtype and mlx-lm's version.

    A KV cache is only ever used with the fingerprint that it was made with. Of every tensor the
    beginning, the middle and the end count, 4 KB each: hashing all of many gigabytes would take
    longer than loading them.
    """
    from mlx_lm._version import __version__

    digest = hashlib.sha256(f"{__version__} {dtype}".encode())
    for file in sorted(folder.glob("*")):
        if file.suffix in (".json", ".jinja", ".model", ".tiktoken", ".txt"):
            digest.update(file.name.encode() + file.read_bytes())
        elif file.suffix == ".safetensors":
            digest.update(file.name.encode())
            with file.open("rb") as stream:
                head = stream.read(int.from_bytes(stream.read(8), "little"))
                digest.update(head)
                start = stream.tell()
                for tensor, entry in sorted(json.loads(head).items()):
                    if tensor != "__metadata__":
                        begin, end = entry["data_offsets"]
                        for place in (begin, (begin + end) // 2, max(begin, end - 4096)):
                            stream.seek(start + place)
                            digest.update(stream.read(min(4096, end - place)))
    return digest.hexdigest()[:32]


def _context_length(config: dict[str, Any], tokenizer: Any) -> int:
    """The model's own limit; models that name none get a large one, memory permitting."""
    places = [config, config.get("text_config") or {}]
    names = ("max_position_embeddings", "max_sequence_length", "n_positions", "seq_length", "n_ctx")
    for place in places:
        for name in names:
            if isinstance(place.get(name), int) and place[name] > 0:
                return int(place[name])
    limit = getattr(tokenizer, "model_max_length", None)
    return int(limit) if isinstance(limit, int) and 0 < limit < 1 << 24 else 131_072


def _display_name(path_or_id: str, folder: Path) -> str:
    card = folder / "stretto.json"  # a folder may carry its own name for people
    if card.is_file():
        try:
            name = json.loads(card.read_text(encoding="utf-8")).get("name")
        except (OSError, ValueError):
            name = None
        if isinstance(name, str) and name.strip():
            return name.strip()
    if folder.parent.name == "snapshots":  # in the hub's cache: models--OWNER--NAME/snapshots/…
        return folder.parent.parent.name.rsplit("--", 1)[-1]
    return folder.resolve().name


def _compute_dtype(net: Any) -> str:
    import mlx.core as mx
    from mlx.utils import tree_flatten

    counts: dict[str, int] = {}
    for _, array in tree_flatten(net.parameters()):
        if mx.issubdtype(array.dtype, mx.floating):
            name = str(array.dtype).rsplit(".", 1)[-1]
            counts[name] = counts.get(name, 0) + array.size
    return max(counts, key=lambda n: counts[n]) if counts else "float32"


def _weight_bytes(net: Any) -> int:
    from mlx.utils import tree_flatten

    return sum(array.nbytes for _, array in tree_flatten(net.parameters()))


def _defaults(folder: Path) -> dict[str, Any]:
    try:
        found = json.loads((folder / "generation_config.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    names = ("temperature", "top_p", "top_k", "min_p", "repetition_penalty")
    return {n: found[n] for n in names if n in found and takes(n, found[n])}
