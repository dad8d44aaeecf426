"""A tokenizer that has passed in the engines' own children passes again, in whatever folder.

Each check takes a process that imports transformers, more than a second of it; the folders of tests
are new, and most of their tokenizers are one. What has passed is kept under STRETTO_PASSED for all
processes of a run: those of the groups (`halves.py`), and those that a test starts, by `PROGRAM` or
with a program that calls `once`. Children of a test's own check every time.

`python -m tests.checked …` is `python -m engine …` so.
"""

from __future__ import annotations

import hashlib
import json
import os
import pickle
import sys
import uuid
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from engine.sandbox.confined import CheckedTokenizer, Sandbox, shared

PROGRAM = (sys.executable, "-m", "tests.checked")
"""`python -m engine` for tests that start it in the repository's root."""

_check, _passed = Sandbox.check_tokenizer, dict[str, CheckedTokenizer]()
_start = Sandbox.start


def once() -> None:
    """Have each tokenizer checked once, and no child made for that before it is wanted."""
    Sandbox.check_tokenizer = _check_once  # type: ignore[method-assign]
    Sandbox.start = _start_wanted  # type: ignore[method-assign]


def _start_wanted(self: Sandbox) -> None:
    if self is shared.sandbox:
        self._children.start()
    else:
        _start(self)


def _check_once(
    self: Sandbox,
    folder: Path,
    name: str,
    rows: int | None,
    eos: Iterable[int] | None = None,
    defaults: Mapping[str, Any] | None = None,
) -> CheckedTokenizer:
    if self is not shared.sandbox:
        return _check(self, folder, name, rows, eos, defaults)
    eos = eos and list(eos)
    config = json.loads((folder / "config.json").read_text("utf-8"))
    settings = folder / "tokenizer_config.json"
    # Where the tokenizer does not name its class, it is chosen by the model's type.
    named = settings.exists() and b'"PreTrainedTokenizerFast"' in settings.read_bytes()
    about = (rows, eos, defaults, named or config.get("model_type"), config.get("auto_map"))
    digest = hashlib.sha256(repr(about).encode())
    for file in sorted(folder.rglob("*")):
        if file.is_file() and file.name != "config.json" and file.suffix != ".safetensors":
            digest.update(f"{file.relative_to(folder)} {file.stat().st_size}\n".encode())
            digest.update(file.read_bytes())
    key = digest.hexdigest()
    if key not in _passed:
        kept = Path(os.environ["STRETTO_PASSED"], key)
        if kept.exists():
            _passed[key] = pickle.loads(kept.read_bytes())
        else:
            _passed[key] = _check(self, folder, name, rows, eos, defaults)
            part = kept.with_name(uuid.uuid4().hex)
            part.write_bytes(pickle.dumps(_passed[key]))
            part.replace(kept)
    return replace(_passed[key], folder=str(folder))


if __name__ == "__main__":
    from engine.cli.main import main

    once()
    sys.exit(main())
