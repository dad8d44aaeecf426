"""How mlx-lm is imported: patiently, with the limit of open files left alone, overlay or pinned."""

from __future__ import annotations

import contextlib
import importlib
import logging
import sys
import time
from collections.abc import Iterator

from engine.model import overlay, patches
from engine.model.patches import file_limit
from engine.text import import_structure


@contextlib.contextmanager
def file_limit_kept() -> Iterator[None]:
    """Within this block importing mlx-lm leaves the limit of open files alone."""
    if sys.platform == "win32":
        patches.skip(["file_limit"], "Windows has no such limit")
        yield
    elif patches.apply("file_limit"):
        with file_limit.kept():
            yield
    else:
        yield


def import_mlx_lm() -> None:
    """Import mlx-lm: the one of the overlay, or the pinned one where that cannot be imported."""
    try:
        _import_patiently()
        if overlay.in_use() is not None:
            overlay.check()
    except (Exception, SystemExit) as error:
        if not overlay.leave(error):
            raise
        _import_patiently()
    overlay.imported()


def _import_patiently() -> None:
    """Import mlx-lm, even while another thread imports it.

    The package comes before its modules. Whoever imports a module first holds the module's lock
    and waits for the package's. A thread that holds the package's lock may want that module, and
    Python then raises `_DeadlockError` in one of the two. If that happens here because the other
    thread began with a module, the import is tried again.
    """
    import_structure.prepare()
    for patience in (0.05, 0.2, 0.8, None):
        try:
            with file_limit_kept():
                importlib.import_module("mlx_lm")
            break
        except RuntimeError as error:
            if type(error).__name__ != "_DeadlockError" or patience is None:
                raise
            time.sleep(patience)
    # It prints advice for its own users, such as that a prompt is longer than the context.
    logging.getLogger("transformers").setLevel(logging.ERROR)
