"""Files with results of tokenizer checks, so that later loads don't repeat the checks.

A check takes seconds, because its child process imports transformers, loads the tokenizer and tries
it out.
"""

from __future__ import annotations

import hashlib
import io
import logging
import uuid
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from engine.errors import words_of
from engine.runtime.kept_files import KeptFile, own_code, versions
from engine.sandbox import protocol
from engine.sandbox.confined import CheckedTokenizer
from engine.sandbox.folders import read_file
from engine.sandbox.protocol import MalformedMessageError

log = logging.getLogger(__name__)

_DIGEST_BYTES = hashlib.sha256().digest_size
_MAX_BYTES = protocol.TOKENIZER_LIMITS.output_bytes


class CheckedFile(KeptFile):
    """Result of the check of a model's tokenizer: a digest, followed by a message with blobs.

    Args:
        folder: directory of the files.
        contents: digest of the model's folder.
        rows, eos, defaults: see `Sandbox.check_tokenizer`.
    """

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
        asked = {"rows": rows, "eos": eos, "defaults": None if defaults is None else {**defaults}}
        code = {"code": own_code("sandbox", "text")}
        libraries = versions("mlx-lm", "transformers", "tokenizers")
        super().__init__(folder, {"contents": contents, **asked, **code, **libraries})

    def read(self, place: Path) -> CheckedTokenizer | None:
        """Load the result for a model's folder `place`, or None if there's no valid file."""
        try:
            data = memoryview(read_file(self.path, _MAX_BYTES))
            if hashlib.sha256(data[_DIGEST_BYTES:]).digest() != data[:_DIGEST_BYTES]:
                raise ValueError("it is damaged")
            found, (packed, tokens) = protocol.unpack(io.BytesIO(data[_DIGEST_BYTES:]).read)
            if found.pop("of") != self._facts:
                raise ValueError("it belongs to another check")
            key = uuid.uuid4().hex
            return CheckedTokenizer(key, str(place), packed=packed, tokens=tokens, **found)
        except FileNotFoundError:
            return None
        except (LookupError, OSError, TypeError, ValueError, MalformedMessageError) as error:
            log.info("%s is made again: %s", self.path.name, words_of(error))
            return None

    def write(self, checked: CheckedTokenizer) -> None:
        """Write a result. If this fails, a later load repeats the check."""
        found = {**asdict(checked), "of": self._facts}
        blobs = found.pop("packed"), found.pop("tokens")
        del found["key"], found["folder"]
        message = protocol.pack(found, blobs)
        digest = hashlib.sha256()
        for part in message:
            digest.update(part)
        self._write(digest.digest(), *message)
