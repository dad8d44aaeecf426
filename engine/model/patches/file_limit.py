"""Replaces `resource.setrlimit` while mlx-lm is imported.

`import mlx_lm` sets RLIMIT_NOFILE to (2048, 4096). That raises where the hard limit is lower, and
where it was higher the process can never raise it again.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator


def install() -> None:
    """Check that there is what `kept` replaces.

    Raises:
        AttributeError, ImportError: there is not.
    """
    if sys.platform != "win32":
        import resource

        _ = resource.setrlimit, resource.getrlimit, resource.RLIMIT_NOFILE


@contextlib.contextmanager
def kept() -> Iterator[None]:
    """Within this block `resource.setrlimit` has no effect, in all threads."""
    if sys.platform == "win32":
        yield
        return
    import resource

    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    real = resource.setrlimit
    resource.setrlimit = lambda *_: None
    try:
        yield
    finally:
        resource.setrlimit = real
        if resource.getrlimit(resource.RLIMIT_NOFILE) != before:
            resource.setrlimit(resource.RLIMIT_NOFILE, before)
