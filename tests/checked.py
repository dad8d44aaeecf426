"""Cache for checks of tokenizers, shared by all processes of a test run.

Each check starts a process that imports transformers, which takes more than a second. Tests use new
folders, but mostly the same tokenizer. Successful checks are kept in STRETTO_PASSED for all
processes of a run: the groups (`halves.py`), and processes that a test starts with `PROGRAM`
or with a program that calls `once`. Sandboxes created by a test itself always check.

`python -m tests.checked …` is `python -m engine …` with this cache.
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


def once() -> None:
    """Check each tokenizer only once."""
    Sandbox.check_tokenizer = _check_once  # type: ignore[method-assign]


def share_ways(profile: Path) -> None:
    """Let the programs of all tests share their checks and probes of models."""
    ways, shared = profile / "cache" / "ways", Path(os.environ["STRETTO_PASSED"], "programs")
    if not ways.exists():
        shared.mkdir(exist_ok=True)
        ways.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        ways.symlink_to(shared)


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
    # A tokenizer without a class name gets the class of the model's type.
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
            # Importing transformers takes most of a check, so the child stays for the next one.
            self._loads._single_use = False
            _passed[key] = _check(self, folder, name, rows, eos, defaults)
            part = kept.with_name(uuid.uuid4().hex)
            part.write_bytes(pickle.dumps(_passed[key]))
            part.replace(kept)
    return replace(_passed[key], folder=str(folder))


if __name__ == "__main__":
    from engine.cli.main import main

    once()
    sys.exit(main())
