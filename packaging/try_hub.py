"""Test the app's downloads with a hub on the loopback: ``python packaging/try_hub.py``.

The frozen app (or another command) downloads the Guide from `tests/hub.py`. It is killed during the
weights and restarted, and must then request only the rest. No other machine is contacted, and no
file is left behind.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tests.hub import Hub, serving  # noqa: E402

NAME = "stretto/guide"
PROGRAM = {
    "linux": ROOT / "build" / "dist" / "Stretto" / "stretto",
    "darwin": ROOT / "build" / "dist" / "Stretto.app" / "Contents" / "MacOS" / "stretto",
}


def main(command: list[str]) -> int:
    """Run the test. ``command`` starts the app; default: the built one."""
    if not command:
        command = [str(PROGRAM[sys.platform])]
    with tempfile.TemporaryDirectory(prefix="stretto-hub-") as folder, serving() as hub:
        hub.add(NAME, ROOT / "resources" / "guide")
        environment = {
            **{k: v for k, v in os.environ.items() if not k.startswith("HF_")},
            "HF_ENDPOINT": hub.url,
            "HF_HOME": folder,
        }
        interrupted(command, environment, hub, Path(folder))
        print("ok   killed in the midst, and gone on with what was missing")
        return 0


def interrupted(command: list[str], environment: dict[str, str], hub: Hub, folder: Path) -> None:
    """Kill a download during the weights, and let the same command finish it."""
    hub.hold_at = 4_000_000
    first = subprocess.Popen([*command, "download", NAME], env=environment)
    try:
        wait(lambda: hub.held.is_set() and come(folder) > 1_000_000)
    finally:
        first.kill()
        first.wait()
    had = come(folder)
    hub.go.set()
    again = [*command, "download", NAME]
    done = subprocess.run(
        again, env=environment, check=True, stdout=subprocess.PIPE, text=True, timeout=300
    )
    if hub.of_weights()[-1].range != f"bytes={had}-":
        raise RuntimeError(f"it had {had} bytes and asked for {hub.of_weights()[-1].range!r}")
    if not (Path(done.stdout.strip()) / "model.safetensors").is_file():
        raise RuntimeError(f"there is no model in {done.stdout!r}")


def come(folder: Path) -> int:
    """Return the number of downloaded bytes of the weights."""
    return max((f.stat().st_size for f in folder.rglob("*.incomplete")), default=0)


def wait(condition: object, seconds: float = 120) -> None:
    give_up = time.monotonic() + seconds
    while not condition():  # type: ignore[operator]
        if time.monotonic() > give_up:
            raise TimeoutError(f"waited {seconds:g} s in vain")
        time.sleep(0.02)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
