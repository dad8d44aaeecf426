"""Pack the Linux app into one executable file: a shell script, followed by the archive."""

from __future__ import annotations

import hashlib
from pathlib import Path

SCRIPT = Path(__file__).parent / "linux" / "onefile.sh"


def write(archive: Path, name: str, version: str) -> Path:
    """Put the script in front of an archive (``.tar.xz``) whose only folder is ``name``.

    Returns the file, in the archive's folder.
    """
    packed = archive.read_bytes()
    script = SCRIPT.read_text(encoding="utf-8")
    for key, value in {
        "VERSION": version,
        "NAME": name,
        "DIGEST": hashlib.sha256(packed).hexdigest(),
        "BYTES": str(len(packed)),
    }.items():
        script = script.replace(f"@{key}@", value)
    target = archive.parent / f"{name}.run"
    target.write_bytes(script.encode() + packed)
    target.chmod(0o755)
    return target
