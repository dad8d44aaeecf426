"""Fingerprints for models and adapters."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

from engine.sandbox.folders import read_header
from engine.text.rendering import TEMPLATE_FOLDER


def folder_identity(folder: Path) -> tuple[object, ...]:
    """Return a key that changes when files in a model folder change, without reading them."""
    files = sorted(f for f in (*folder.iterdir(), *_templates(folder)) if f.is_file())
    return adapter_identity(folder, files)


def fingerprint(contents: str, dtype: str, vlm: str = "") -> str:
    """Hash everything that affects a KV cache: folder contents, dtype and library versions.

    `vlm` is the version of mlx-vlm if mlx-vlm implements the model.
    """
    from mlx_lm._version import __version__

    return hashlib.sha256(
        f"{__version__}{vlm and f' {vlm}'} {dtype} {contents}".encode()
    ).hexdigest()[:32]


def hash_contents(folder: Path) -> str:
    """Hash a folder's weights, config, tokenizer and chat template.

    Only 4 KB at the start, in the middle and at the end of each tensor are hashed, because hashing
    all weights would take longer than loading them.

    Raises:
        OSError, RefusedError: if a file is unreadable or incomplete.
    """
    digest = hashlib.sha256()
    for file in (*sorted(folder.glob("*")), *_templates(folder)):
        if file.suffix in (".json", ".jinja", ".model", ".tiktoken", ".txt"):
            data = file.read_bytes()
            # Include the length to make the boundary between two files unambiguous.
            digest.update(f"{file.name} {len(data)}\n".encode() + data)
        elif file.suffix == ".safetensors":
            _add_tensors(digest, file)
    return digest.hexdigest()


def _templates(folder: Path) -> list[Path]:
    return sorted((folder / TEMPLATE_FOLDER).glob("*.jinja"))


def hash_adapter(config: Path, weights: Path) -> str:
    digest = hashlib.sha256(config.read_bytes())
    _add_tensors(digest, weights)
    return digest.hexdigest()


def adapter_identity(folder: Path, files: Sequence[Path]) -> tuple[object, ...]:
    stats = [(f.name, f.stat().st_mtime_ns, f.stat().st_size) for f in files]
    return (str(folder.resolve()), *stats)


def _add_tensors(digest: hashlib._Hash, file: Path) -> None:
    tensors, head = read_header(file)
    digest.update(file.name.encode() + head[8:])
    with file.open("rb") as stream:
        for _, entry in sorted(tensors.items()):
            begin, end = entry["data_offsets"]
            for offset in (begin, (begin + end) // 2, max(begin, end - 4096)):
                stream.seek(len(head) + offset)
                digest.update(stream.read(min(4096, end - offset)))
