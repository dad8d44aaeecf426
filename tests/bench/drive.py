"""Start the program with a temporary profile, for benchmarks."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from app.settings.paths import GUIDE, Paths
from tests.driving import Driver, program_in


@contextmanager
def program(
    model: str = GUIDE,
    size: tuple[int, int] = (1440, 900),
    engine: Callable[[], object] | None = None,
    fill: Callable[[Path], object] = lambda _: None,
) -> Iterator[Driver]:
    """Run the program on a temporary profile and clean up at the end.

    ``fill``: called before the start with the path of the chats' file, to write chats.

    Raises RuntimeError if the model does not load.
    """
    with tempfile.TemporaryDirectory(prefix="stretto-") as folder:
        paths = Paths.for_profile(Path(folder))
        paths.create()
        fill(paths.chats)
        with program_in(paths, model, size, engine) as driver:
            yield driver
