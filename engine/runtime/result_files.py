"""Files with results that take long to compute: tokenizer checks and model probes.

Each file contains all inputs of its result. If an input has changed or the file is invalid, the
result is computed again. A tokenizer check takes seconds, because its child process imports
transformers.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import importlib.metadata
import io
import json
import logging
import os
import platform
import sys
import uuid
from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any, ClassVar, TypeVar

import mlx.core as mx
import msgspec
from msgspec import Struct
from msgspec.structs import replace

from engine.errors import describe_error
from engine.files import replace_file
from engine.kernels import library as kernels
from engine.model import probe
from engine.model.backend import Backend, has_avx512_openblas
from engine.model.loaded_model import CheckedModel, LoadedModel
from engine.model.probe import SharingModes
from engine.sandbox import protocol
from engine.sandbox.confined import CheckedTokenizer
from engine.sandbox.folders import read_file

log = logging.getLogger(__name__)

T = TypeVar("T")

_DIGEST_BYTES = hashlib.sha256().digest_size
_MAX_BYTES = protocol.TOKENIZER_LIMITS.output_bytes
_MAX_PROBE_BYTES = 32 * 2**10


class ResultFile:
    SUFFIX: ClassVar[str]
    MAX_FILES: ClassVar[int]

    def __init__(self, folder: Path, facts: dict[str, Any]) -> None:
        self._facts = facts
        key = hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()[:32]
        self.path = folder / f"{key}{self.SUFFIX}"

    def _read(self, parse: Callable[[], T]) -> T | None:
        try:
            return parse()
        except FileNotFoundError:
            return None
        except Exception as error:  # the file may have any content
            log.info("repeating %s: %s", self.path.name, describe_error(error))
            return None

    def _write(self, *parts: bytes) -> None:
        """Write the file. Errors are logged, since the result can be computed again."""
        try:
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            replace_file(self.path, *parts, sync=False)  # may run on the engine thread
            self._make_room()
        except OSError as error:
            log.info("cannot store %s: %s", self.path.name, describe_error(error))

    def _make_room(self) -> None:
        """Delete the oldest files above the limit, including partial files of killed processes."""
        files = self.path.parent.glob(f"*{self.SUFFIX}*")
        dated_files = sorted((f.lstat().st_mtime, f) for f in files if f != self.path)
        for _, old_file in dated_files[: max(0, len(dated_files) + 1 - self.MAX_FILES)]:
            with contextlib.suppress(OSError):
                old_file.unlink()


@functools.cache
def own_code(*packages: str) -> str:
    """Hash the source code of engine packages, which have no version numbers."""
    if getattr(sys, "frozen", False):  # in a bundle, the code is part of the executable
        program = Path(sys.executable).stat()
        return f"{program.st_size} {program.st_mtime_ns}"
    digest = hashlib.sha256()
    for package in packages:
        for file in sorted((Path(__file__).parents[1] / package).rglob("*.py")):
            digest.update(file.read_bytes())
    return digest.hexdigest()


def versions(*packages: str) -> dict[str, str]:
    return {package: _version(package) for package in packages}


def _version(package: str) -> str:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return ""


class TokenizerCheckFile(ResultFile):
    """Result of checking a tokenizer: a digest, followed by a message with blobs."""

    SUFFIX = ".checked"
    MAX_FILES = 32

    def __init__(
        self,
        folder: Path,
        contents: str,
        rows: int | None,
        eos: list[int] | None,
        defaults: Mapping[str, Any] | None,
    ) -> None:
        inputs = {"rows": rows, "eos": eos, "defaults": None if defaults is None else {**defaults}}
        code = {"code": own_code("sandbox", "text")}
        libraries = versions("mlx-lm", "transformers", "tokenizers")
        super().__init__(folder, {"contents": contents, **inputs, **code, **libraries})

    def read(self, path: Path) -> CheckedTokenizer | None:
        return self._read(lambda: self._parse(str(path)))

    def _parse(self, path: str) -> CheckedTokenizer:
        data = memoryview(read_file(self.path, _MAX_BYTES))
        if hashlib.sha256(data[_DIGEST_BYTES:]).digest() != data[:_DIGEST_BYTES]:
            raise ValueError("it is damaged")
        fields, (packed, tokens) = protocol.unpack(io.BytesIO(data[_DIGEST_BYTES:]).read)
        if fields.pop("of") != self._facts:
            raise ValueError("it belongs to a different check")
        return CheckedTokenizer(uuid.uuid4().hex, path, packed=packed, tokens=tokens, **fields)

    def write(self, checked: CheckedTokenizer) -> None:
        fields = {**asdict(checked), "of": self._facts}
        blobs = fields.pop("packed"), fields.pop("tokens")
        del fields["key"], fields["folder"]
        message = protocol.pack(fields, blobs)
        digest = hashlib.sha256()
        for part in message:
            digest.update(part)
        self._write(digest.digest(), *message)


class _Probe(Struct):
    of: dict[str, str]
    results: SharingModes


class ProbeFile(ResultFile):
    """Probe results of a model.

    The file only contains the ways in which sessions can share steps, because all other results
    require changes to the loaded model.
    """

    SUFFIX = ".json"
    MAX_FILES = 64

    def __init__(
        self, folder: Path, backend: Backend, checked_model: CheckedModel, wide: bool
    ) -> None:
        library = kernels.load()
        facts = {
            "contents": checked_model.contents,
            "wide": str(wide),
            "code": own_code("model", "cache"),
            **versions("mlx-lm", "mlx-vlm"),
            "kernels": library.name if library is not None else "",
            **_machine(backend),
        }
        super().__init__(folder, facts)

    def read(self) -> SharingModes | None:
        return self._read(self._parse)

    def _parse(self) -> SharingModes:
        found = msgspec.json.decode(read_file(self.path, _MAX_PROBE_BYTES), type=_Probe)
        if found.of != self._facts:
            raise ValueError("it belongs to a different probe")
        return found.results

    def write(self, model: LoadedModel) -> None:
        if model.info.step == probe.SHARED:
            modes = replace(model.abilities.modes, slots=model.slots is not None)
            self._write(msgspec.json.encode(_Probe(self._facts, modes)))


def _machine(backend: Backend) -> dict[str, str]:
    return {
        "mlx": str(getattr(mx, "__version__", "")),
        "device": backend.device,
        "blas": backend.blas.split(" ")[0] + (", AVX-512" if has_avx512_openblas() else ""),
        "system": f"{platform.system()} {platform.release()} {platform.machine()}",
        "processor": f"{_processor()}, {os.cpu_count()} cores",
    }


def _processor() -> str:
    if mx.metal.is_available() or mx.cuda.is_available():
        return str(mx.device_info().get("device_name", ""))
    return platform.processor()
