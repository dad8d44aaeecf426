"""What a model is recognised by."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

from engine.sandbox.folders import read_header
from engine.text.rendering import TEMPLATE_FOLDER


def identity(folder: Path) -> tuple[object, ...]:
    """The same for the same unchanged folder, known without reading it."""
    files = sorted(f for f in (*folder.iterdir(), *_templates(folder)) if f.is_file())
    return adapter_identity(folder, files)


def fingerprint(contents: str, dtype: str, vlm: str = "") -> str:
    """Names a loaded model: its folder's `contents`, its dtype and mlx-lm's version.

    `vlm` is mlx-vlm's, where the model is from there.

    A KV cache is only ever used with the fingerprint that it was made with.
    """
    from mlx_lm._version import __version__

    return hashlib.sha256(
        f"{__version__}{vlm and f' {vlm}'} {dtype} {contents}".encode()
    ).hexdigest()[:32]


def contents(folder: Path) -> str:
    """Names a folder's weights, config, tokenizer and template.

    Of every tensor the beginning, the middle and the end count, 4 KB each: hashing all of many
    gigabytes would take longer than loading them.

    Raises:
        OSError, RefusedError: a file cannot be read, or is not whole.
    """
    digest = hashlib.sha256()
    for file in (*sorted(folder.glob("*")), *_templates(folder)):
        if file.suffix in (".json", ".jinja", ".model", ".tiktoken", ".txt"):
            data = file.read_bytes()
            # With its length: what one file ends with is never another file.
            digest.update(f"{file.name} {len(data)}\n".encode() + data)
        elif file.suffix == ".safetensors":
            _add_tensors(digest, file)
    return digest.hexdigest()


def _templates(folder: Path) -> list[Path]:
    return sorted((folder / TEMPLATE_FOLDER).glob("*.jinja"))


def adapter_contents(config: Path, weights: Path) -> str:
    """Names an adapter's two files, as `contents` does a model's folder."""
    digest = hashlib.sha256(config.read_bytes())
    _add_tensors(digest, weights)
    return digest.hexdigest()


def adapter_identity(folder: Path, files: Sequence[Path]) -> tuple[object, ...]:
    """The same for the same unchanged adapter, known without reading it."""
    stats = [(f.name, f.stat().st_mtime_ns, f.stat().st_size) for f in files]
    return (str(folder.resolve()), *stats)


def _add_tensors(digest: hashlib._Hash, file: Path) -> None:
    tensors, head = read_header(file)
    digest.update(file.name.encode() + head[8:])
    with file.open("rb") as stream:
        for _, entry in sorted(tensors.items()):
            begin, end = entry["data_offsets"]
            for place in (begin, (begin + end) // 2, max(begin, end - 4096)):
                stream.seek(len(head) + place)
                digest.update(stream.read(min(4096, end - place)))
