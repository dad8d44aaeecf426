"""What a release says of itself: its parts (CycloneDX) and its changes.

python packaging/release.py notes v0.1.0        the changelog's text for a tag
python packaging/release.py check v0.1.0        fails unless the project is that version
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from pathlib import Path
from typing import Any
from urllib.parse import quote

import bootstrap

CHANGELOG = bootstrap.ROOT / "CHANGELOG.md"


def parts_list(licences: Path) -> dict[str, Any]:
    """The software bill of materials, from the bundle's file of licences."""
    parts = json.loads(licences.read_text(encoding="utf-8"))
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {
            "component": {
                "type": "application",
                "name": "Stretto",
                "version": str(bootstrap.project()["version"]),
                "licenses": [{"license": {"id": "MIT"}}],
            }
        },
        "components": [
            {
                "type": "library",
                "name": part["name"],
                "version": part["version"],
                "licenses": [{"license": {"name": part["licence"]}}],
                "purl": f"pkg:{part['kind']}/{quote(part['name'])}@{quote(part['version'])}",
            }
            for part in parts
        ],
    }


def notes(tag: str) -> str:
    """What the changelog says of a version. Raises ValueError when it says nothing."""
    version = tag.removeprefix("v")
    text = CHANGELOG.read_text(encoding="utf-8")
    found = re.search(
        rf"^## \[{re.escape(version)}\][^\n]*\n(.*?)(?=^## \[|\Z)", text, re.MULTILINE | re.DOTALL
    )
    if found is None or not found[1].strip():
        raise ValueError(
            f"CHANGELOG.md has no section [{version}]. Rename [Unreleased] before tagging."
        )
    return found[1].strip() + "\n"


def check(tag: str) -> None:
    """Raises ValueError when the tag is another version than the project's."""
    version = str(bootstrap.project()["version"])
    if tag != f"v{version}":
        raise ValueError(f"The tag is {tag}, pyproject.toml says {version}.")


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("what", choices=("notes", "check"))
    parser.add_argument("tag")
    options = parser.parse_args()
    try:
        check(options.tag)
        text = notes(options.tag)
    except ValueError as error:
        print(error, file=sys.stderr)
        return 1
    if options.what == "notes":
        print(text, end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
